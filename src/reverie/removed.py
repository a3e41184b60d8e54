"""What left MEMORY.md and may come back: a value, and the mark that a line bears which did."""

from __future__ import annotations

from dataclasses import dataclass

from reverie.model import Source

MARK = "[re-emerged]"
# Why something left and may return. What was superseded, retracted or repeated was wrong or is still there.
MAY_RETURN = frozenset({"stale", "completed", "over budget", "forgotten", "expired", "merged"})


@dataclass(frozen=True, slots=True)
class Removed:
    """An entry of `removed-entries.json` with the words the ledger keeps of it."""

    id: str
    text: str
    category: str
    at: str  # local, `YYYY-MM-DD HH:MM`
    source: Source | None = None  # its block in the ledger, if it has one


def is_reemerged(text: str) -> bool:
    """The line came back once; what was missed is worth more than what never left."""
    return MARK in text
