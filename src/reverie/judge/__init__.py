"""BRIEF → OPERATIONS: what a night has to decide, as one value, and who decides it: the built-in judge, a model, the agent."""
