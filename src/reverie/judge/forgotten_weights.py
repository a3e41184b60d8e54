"""Made by `training/forgotten.py`: weights of what two statements share, and from which chance on they count."""

BARE = (
    -6.9904, 8.3558, -5.2021, 4.1200, 2.0251, -0.3997, 0.5124, -6.4202, 0.9332, 0.6095,
    -1.2934, 0.2301, -0.1075, -3.0881, -0.7098, 2.9899, 15.7370, -0.4866, 2.2555, 2.8125,
)  # fmt: skip
WHOLE = (
    -11.0050, 5.2567, -6.3477, 1.5970, 1.4974, 1.0298, 0.7575, -9.0510, 0.9408, 0.3571,
    -0.7794, 0.0508, 0.4022, -2.8890, -0.1226, 2.9453, 13.6202, -0.7705, 2.2639, 2.8315,
    9.2586, 3.5970, 0.1400, 1.3232,
)  # fmt: skip
SAME_FROM = 0.7  # what was forgotten is said again
NEAR_FROM = 0.03  # a person is asked
