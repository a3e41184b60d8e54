"""The diary and the themes of the nights."""
