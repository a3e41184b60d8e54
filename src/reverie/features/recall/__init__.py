"""Active Memory: what a message calls to mind."""
