"""`dream doctor`: what is wrong, and what mends it."""
