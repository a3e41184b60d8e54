"""Made by `training/ranking.py`: what each number of a card is worth for its place in the list."""

RANKING: dict[str, tuple[float, ...]] = {
    "add": (0.596, 1.213, 0.022, 0.136, 0.015, -0.144, 0.401, -0.765, 0.000, 0.215, 0.790),
    "update": (-1.744, 0.342, 0.228, 0.381, 0.307, 0.027, -0.305, -0.043, -0.843),
    "end": (-1.171, 0.921, 0.436, 0.186, -0.311, -0.642, -0.056),
}
