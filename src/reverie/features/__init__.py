"""What a memory can do besides the night: one package or file each, top to bottom."""
