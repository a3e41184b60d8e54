"""PLAN → FILES. The only room that changes the owner's files: all of a run together, or none of it."""
