"""FILES → SNAPSHOT. Reads the owner's files once, with their hashes; never writes."""
