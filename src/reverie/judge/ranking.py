"""Made by `training/ranking.py`: what each number of a card is worth for its place in the list."""

RANKING: dict[str, tuple[float, ...]] = {
    "add": (-0.432, 1.003, 0.091, 0.019, -0.046, -0.197, 0.364, -0.614, 0.000, 0.000, 0.648),
    "update": (-2.084, 0.306, 0.234, 0.394, 0.280, -0.006, -0.309, -0.048, -0.790),
    "end": (-1.166, 0.891, 0.521, 0.094, -0.294, -0.652, -0.014),
}
