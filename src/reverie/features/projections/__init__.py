"""One memory, written into the files of several hosts."""
