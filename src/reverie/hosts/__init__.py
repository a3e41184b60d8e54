"""The hosts of this machine: their settings, timers and files."""
