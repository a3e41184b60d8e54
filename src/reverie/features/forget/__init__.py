"""`dream forget`: what the owner wants gone."""
