"""Made by `training/worth.py`, with the weights: where probabilities of the learned judge become levels."""

THRESHOLDS = {"sure": 0.82, "recalled": 0.6, "likely": 0.28, "access": 0.007, "about": 0.22}
