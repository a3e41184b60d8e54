"""Made by `training/worth.py`, with the weights: where probabilities of the learned judge become levels."""

THRESHOLDS = {
    "sure": 0.73,
    "recalled": 0.47,
    "likely": 0.16,
    "access": 0.049,
    "about": 0.22,
    "machine": 0.36,
    "order": 0.49,
}
