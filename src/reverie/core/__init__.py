"""Errors, settings, the layout on disk, ports and the clock of the nights. Imports nothing of ours."""
