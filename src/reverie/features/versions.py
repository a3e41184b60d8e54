"""Versions of one fact among the lines that were found: the newest stands first, the older ones say what took their place.

Search and recall ask the same. Whether two lines are about the same thing the learned judge says (`judge/worth.py`), what the form shows
`judge/relation.py`, which of them is newer the days of what they say, never those of files: a line of memory that names no day is older than any note
that says otherwise, unless a note says the same again. `training/asking.py` fits the weights.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from reverie.evidence.index import spoken
from reverie.evidence.ranking import asked_for, held_by, is_memory
from reverie.evidence.search import Hit
from reverie.judge.relation import RelationKind, key_of, relation
from reverie.judge.worth import about_same
from reverie.text.terms import values_in
from reverie.workspace.values import Origin

OLDER, NEWER = 3, 10  # of the best lines those that may be outdated, and those that may have taken their place
BEFORE = 0.27  # chance from which a newer line stands before the older one,
REPLACED = 0.5  # and from which the older one is marked as outdated


def newest_first(question: str, hits: Sequence[Hit], limit: int) -> tuple[Hit, ...]:
    """The order as it was, but the newest version of a fact stands before the older ones, which are marked."""
    newer = _newer(question, hits)
    out: list[Hit] = []
    for hit in hits:
        if hit.place in newer and newer[hit.place][0].place not in {one.place for one in out}:
            new = newer[hit.place][0]  # what took a line's place answers as likely as that did
            out.append(replace(new, score=max(new.score, hit.score), chance=max(new.chance, hit.chance)))
        if hit.place not in {one.place for one in out}:
            out.append(hit)
    outdated = {place: new.place for place, (new, chance) in newer.items() if chance >= REPLACED}
    return tuple(_marked(hit, outdated) for hit in out[:limit])


def _marked(hit: Hit, outdated: Mapping[str, str]) -> Hit:
    if hit.place in outdated:
        return replace(hit, current=False, superseded_by=outdated[hit.place])
    return replace(hit, current=True) if hit.place in outdated.values() else hit


def _newer(question: str, hits: Sequence[Hit]) -> dict[str, tuple[Hit, float]]:
    """For each line that a newer one may have replaced, by its place, the newest that may, and how likely that is."""
    pairs = [(old, new) for old in hits[:OLDER] for new in hits[:NEWER] if may_replace(old, new)]
    odds = np.array(figures(question, pairs)) @ _weights() if pairs else ()
    chances = [1 / (1 + math.exp(-one)) for one in odds]
    likely = [(old, new, chance) for (old, new), chance in zip(pairs, chances, strict=True) if chance >= BEFORE]
    found: dict[str, tuple[Hit, float]] = {}
    for old, new, chance in sorted(likely, key=lambda one: (one[1].claim.day, one[1].claim.first)):
        if not any(one.claim.day > new.claim.day and _confirms(old, one) for one in hits[:NEWER]):
            found[old.place] = new, max(chance, found.get(old.place, (new, 0.0))[1])
    return found


def may_replace(old: Hit, new: Hit) -> bool:
    """Whether days, origin and values allow it: a line whose values the older one has all says nothing else."""
    if not new.claim.day > old.claim.day or new.claim.group is not old.claim.group:
        return False
    return new.claim.origin not in (Origin.MACHINE, Origin.FENCED) and not _confirms(old, new)


def _confirms(old: Hit, new: Hit) -> bool:
    """Whether a line says values and no other than the older one has."""
    values = values_in(new.claim.text)
    return bool(values) and new is not old and values <= values_in(old.claim.text)


def figures(question: str, pairs: Sequence[tuple[Hit, Hit]]) -> list[tuple[float, ...]]:
    """By what (older, newer) pairs are told from pairs about two things, on scales of about one."""
    about = about_same([(old.claim.text, new.claim.text) for old, new in pairs], None)
    under = about_same([(spoken(old.claim), spoken(new.claim)) for old, new in pairs], None)
    wanted = asked_for(question)
    return [
        _figures(old, new, same, above, wanted) for (old, new), same, above in zip(pairs, about, under, strict=True)
    ]


def _figures(old: Hit, new: Hit, about: float, under: float, wanted: frozenset[str]) -> tuple[float, ...]:
    one, other = old.claim, new.claim
    held = held_by(one.text) & held_by(other.text)
    kind = relation(one.text, other.text).kind
    return (
        1.0, about, _root(about), under, _root(under), float(bool(key_of(one.text)) and key_of(one.text) == key_of(other.text)),
        float(kind in (RelationKind.UPDATE, RelationKind.TURNED)), float(kind is RelationKind.SAME),
        math.tanh((_odds(new) - _odds(old)) / 2), new.chance, old.chance, len(wanted & held) / len(wanted) if wanted else 0.0,
        float(bool(wanted & held_by(one.text)) and not wanted & held_by(other.text)), float(is_memory(one)),
        float(one.heading.rpartition(" > ")[2] == other.heading.rpartition(" > ")[2]), float("?" in other.text or "？" in other.text),
        float(other.origin is not Origin.OWNER),
    )  # fmt: skip


def _root(chance: float) -> float:
    return math.sqrt(max(chance, 0.0))


def _odds(hit: Hit) -> float:
    chance = min(max(hit.chance, 1e-6), 1 - 1e-6)
    return math.log(chance / (1 - chance))


@cache
def _weights() -> Any:
    stored = json.loads((resources.files("reverie.evidence") / "data" / "asking.json").read_text("utf-8"))
    return np.array(stored["newer"])
