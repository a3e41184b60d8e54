"""FINDINGS → PLAN. Turns what was noticed into edits, checks the promises, and shows the result. Writes nothing."""
