"""Several versions of one fact among the results: the newest is current, older ones are superseded.

Precision first: only what `relation` calls another value of the same line, or its opposite; on different days, from the owner,
under the same parents and no other subject.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from reverie.judge.relation import Kind, handles, relation
from reverie.text.terms import plain
from reverie.workspace.values import Origin

if TYPE_CHECKING:
    from reverie.evidence.search import Hit

_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")


def with_versions(hits: Sequence[Hit]) -> list[Hit]:
    """The hits, those that are versions of one another marked."""
    out = list(hits)
    for i, hit in enumerate(out):
        newer = [other for other in out if other is not hit and _updates(other, hit)]
        if newer:
            best = max(newer, key=lambda other: other.claim.day)
            where = f"{best.claim.path}:{best.claim.first}"
            out[i] = replace(hit, current=False, superseded_by=where)
    named = {hit.superseded_by for hit in out if hit.superseded_by}
    return [
        replace(hit, current=True) if hit.current is None and f"{hit.claim.path}:{hit.claim.first}" in named else hit
        for hit in out
    ]


def _updates(newer: Hit, older: Hit) -> bool:
    one, other = newer.claim, older.claim
    if not one.day > other.day > "" or one.origin != Origin.OWNER.value or one.parents != other.parents:
        return False
    subjects = _subject(one.heading), _subject(other.heading)
    if all(subjects) and subjects[0] != subjects[1]:
        return False
    if handles(other.text).isdisjoint(handles(one.text)):
        return False  # cheap, and most pairs of results are strangers
    return relation(other.text, one.text).kind in (Kind.UPDATE, Kind.TURNED)


@lru_cache(maxsize=1_000)
def _subject(heading: str) -> str:
    """The nearest heading without its date: nothing, if it only says which day it is."""
    return plain(_DAY.sub(" ", heading.rpartition(" > ")[2]))
