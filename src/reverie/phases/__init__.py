"""EVIDENCE → FINDINGS. Functions of values: they open no file, read no clock and change nothing."""
