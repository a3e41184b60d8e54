"""PEOPLE AND PROGRAMS → ENGINE. Surfaces parse, call one engine function and show what it returns."""
