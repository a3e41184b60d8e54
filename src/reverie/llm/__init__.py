"""Models behind a port: prompts, providers, and the one who asks. Knows no file of the workspace and decides nothing."""
