"""Days that people write: relative words made absolute, in every language we read."""
