"""What stands in the notes of certain days: the answer to "what did we do last Tuesday".

A question that asks for nothing but the day is answered with its lines, in their order. One that asks for something
besides is answered as always, and the lines of that day come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from reverie.evidence.asked_day import AskedDay
from reverie.evidence.index import Index
from reverie.evidence.search import Answer, Hit, search
from reverie.workspace.values import Origin, Statement

DEEPER = 5  # times as many results are looked through for one of that day
_SAID = frozenset({Origin.OWNER.value, Origin.SESSION.value})


def search_in_days(index: Index, day: AskedDay, question: str, limit: int, min_score: float = 0.0) -> Answer:
    """The best claims for a question about a day."""
    answer = search(index, question, limit * (1 if day.whole else DEEPER), min_score)
    return days_first(answer, day, claims_of_days(index, day.days) if day.whole else (), limit)


def days_first(answer: Answer, day: AskedDay, noted: Iterable[Statement], limit: int) -> Answer:
    """An answer with the lines of that day in front: `noted`, and what of it the search found."""
    whole = hits_of_day(noted, day)
    known = {(hit.claim.path, hit.claim.first) for hit in whole}
    others = [hit for hit in answer.hits if (hit.claim.path, hit.claim.first) not in known]
    ours = [replace(hit, why=f"{hit.why}; {_named(hit)}") for hit in others if _is_noted(hit.claim, day)]
    rest = [hit for hit in others if not _is_noted(hit.claim, day)]
    return replace(answer, hits=tuple([*whole, *ours, *rest][:limit]))


def hits_of_day(claims: Iterable[Statement], day: AskedDay) -> list[Hit]:
    """The lines of those days in their order; what machines and others said comes last."""
    found = sorted(
        (claim for claim in claims if _is_noted(claim, day)),
        key=lambda claim: (claim.origin not in _SAID, claim.day, claim.path, claim.first),
    )
    hits = [Hit(claim, 1.0, 0.0, 0.0, "") for claim in found]
    return [replace(hit, why=_named(hit), days=(hit.claim.day,)) for hit in hits]


def claims_of_days(index: Index, days: Sequence[str]) -> list[Statement]:
    """Every claim of the files that bear one of these days in their names."""
    found: list[Statement] = []
    for day in days:
        paths = [row[0] for row in index.db.execute("SELECT path FROM files WHERE path LIKE ?", (f"%{day}%",))]
        for path in paths:
            found += index.claims_in(path)
    return found


def _is_noted(claim: Statement, day: AskedDay) -> bool:
    return day.holds(claim.day) and claim.day in claim.path


def _named(hit: Hit) -> str:
    return f"the note of {hit.claim.day}"
