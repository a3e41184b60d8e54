"""OpenClaw's own way: the recall lane, its arithmetic and its formats."""
