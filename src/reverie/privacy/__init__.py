"""Secrets and personal data: what they look like, and how a text is written without them. It opens no file and decides nothing else."""
