"""Made by `training/worth.py`, with the weights: where probabilities of the learned judge become levels."""

THRESHOLDS = {
    "sure": 0.82,
    "recalled": 0.52,
    "likely": 0.15,
    "access": 0.012,
    "about": 0.22,
    "machine": 0.41,
    "order": 0.45,
}
