"""Several versions of one fact among the results: the newest is current, older ones are superseded.

Precision first: only lines of the same frame that differ in a value, on different days, from trusted text. Look-alikes
that may both be true (other names, a negation, another subject) are left unmarked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from reverie.model import Origin
from reverie.terms import plain, terms

if TYPE_CHECKING:
    from reverie.evidence.search import Hit

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_KEY = re.compile(r"(?:\*\*|__)([^*_]{2,60}?)(?:[:：]\s*(?:\*\*|__)|(?:\*\*|__)\s*[:：])")
_NOT = re.compile(r"\b(?:not|no|never|n't|nicht|kein\w*|nunca|jamais|pas|не|нет)\b|不|没|未|ない|안 ", re.I)
FRAME = 0.65


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
    if not (one.day and other.day and one.day > other.day) or Origin.OWNER.value not in (one.origin,):
        return False
    if one.parents != other.parents or _denies(one.text) != _denies(other.text):
        return False
    subjects = _subject(one.heading), _subject(other.heading)
    if all(subjects) and subjects[0] != subjects[1]:
        return False
    first, second = _KEY.match(one.text), _KEY.match(other.text)
    if first and second:
        return first[1].casefold() == second[1].casefold() and one.text != other.text
    return _frame(one.text) == _frame(other.text) != () and _values(one.text) != _values(other.text) != set()


@lru_cache(maxsize=1_000)
def _denies(text: str) -> bool:
    return bool(_NOT.search(text))


@lru_cache(maxsize=1_000)
def _subject(heading: str) -> str:
    """The nearest heading without its date: nothing, if it only says which day it is."""
    return plain(_DAY.sub(" ", heading.rpartition(" > ")[2]))


@lru_cache(maxsize=1_000)
def _frame(text: str) -> tuple[str, ...]:
    """The words of a line in their order, without its numbers: who pays whom matters."""
    return tuple(term for term in terms(_NUMBER.sub(" ", _DAY.sub(" ", text))) if not term.isdigit())


def _values(text: str) -> set[str]:
    return set(_NUMBER.findall(_DAY.sub(" ", text)))
