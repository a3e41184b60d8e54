"""When to dream, and the proof that it happened."""
