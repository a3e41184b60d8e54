"""`dream refine`: a second look at MEMORY.md."""
