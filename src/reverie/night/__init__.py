"""The night: twelve steps from files to files, and what belongs to them (receipts, undo, suggestions)."""
