"""The memory for programs that speak the Model Context Protocol: `dream mcp`. Decides nothing; every tool is a command."""
