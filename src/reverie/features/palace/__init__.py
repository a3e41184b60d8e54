"""`dream palace`: the same memory seen by time, project and technology."""
