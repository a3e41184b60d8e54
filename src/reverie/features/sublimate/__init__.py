"""`dream sublimate`: memories that belong together become a page of knowledge."""
