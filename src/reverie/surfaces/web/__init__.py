"""The Dreams page: rooms to look at a memory and to decide about it, in a browser on this machine.

The page decides nothing. Every room calls the functions that the commands call, and shows what they return. No text of a note
is ever markup here (`tags.py`), and nobody gets in without the key that `dream serve` printed (`guard.py`).
"""
