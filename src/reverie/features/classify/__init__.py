"""`dream classify`: memories in four drawers."""
