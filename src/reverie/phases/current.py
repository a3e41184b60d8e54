"""Which facts a newer line has overtaken: it gives them another value, or says that they are over.

What is recalled is believed without a second look, so here doubt speaks against a line: the same frame with another
number counts as another version. Lines of MEMORY.md are weighed against each other only where one says that it changes
something; the rest is the night's work.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from reverie.judge.relation import Kind, key_of, relation, value_of
from reverie.sense import bag, is_negated, same_sense, shared, values_in
from reverie.terms import plain

Embed = Callable[[Sequence[str]], Any]
Often = Callable[[str], int]
FEW = 8  # lines that have a telling word, all versions of a fact counted
MANY = 25  # lines from which a key is the name of a speaker
CLOSE = 0.15  # nearness from which doubt may speak
FRAME = 0.5  # shared words from which two lines may be two versions of one fact
_CLAUSES = re.compile(r"[,，;；。.!?！？]")


@dataclass(frozen=True, slots=True)
class Said:
    """A line, the day up to which it is known to hold, and where it stands."""

    text: str
    day: str
    path: str
    first: int
    memory: bool = False

    @property
    def age(self) -> tuple[str, bool, int]:
        return self.day, self.memory, self.first

    def before(self, other: Said) -> bool:
        """Whether the other line is newer. What memory says holds as of the last night; none of its lines is the newer."""
        if self.memory and other.memory:
            return False
        if self.path == other.path:
            return (self.day, self.first) < (other.day, other.first)
        return (self.day, self.memory) < (other.day, other.memory)


def overtaken(
    facts: Sequence[Said],
    others: Sequence[Said],
    often: Often,
    embed: Embed | None,
    named: frozenset[str] = frozenset(),
) -> dict[int, int]:
    """Which of the facts another line has overtaken, and which line that is (the newest), by their places in the lists.

    `often` says in how many lines a word stands. `named` are the values a question names: invoice 12 is no version of
    invoice 11 for somebody who asked for 11.
    """
    newer = [(to, other, _keyless(other.text, often)) for to, other in enumerate(others)]
    pairs = [
        (at, to, old, new)
        for at, fact in enumerate(facts)
        for old in [_keyless(fact.text, often)]
        for to, other, new in newer
        if fact.before(other)
        if plain(old) != plain(new) and not named & values_in(old) - values_in(new)
    ]
    cosines = _cosines([pair[2:] for pair in pairs], embed)
    found = [
        (at, to)
        for (at, to, old, new), cosine in zip(pairs, cosines, strict=True)
        if _is_overtaken(old, new, cosine, often, later=facts[at].before(others[to]))
    ]
    return {at: max((to for one, to in found if one == at), key=lambda to: others[to].age) for at, _ in found}


def _is_overtaken(old: str, new: str, cosine: float | None, often: Often, *, later: bool) -> bool:
    """The same frame with another value or a "not", or a newer line that denies something of what the older is about."""
    if later and (relation(old, new).kind in (Kind.UPDATE, Kind.TURNED) or _turned(old, new)):
        return True
    anchors = _anchors(old, new, often)
    if anchors < (3 if cosine is None else 2) or (cosine is not None and cosine < CLOSE):
        return False
    about = bag(old)
    denied = any(is_negated(part) and len(bag(part) & about) >= 2 for part in _CLAUSES.split(new))
    return denied and not is_negated(old)


def _keyless(text: str, often: Often) -> str:
    """Without a key that stands before very many lines: `Orla: …` says who speaks, not what is told."""
    key = key_of(text)
    return value_of(text) if key and all(often(term) > MANY for term in bag(key)) else text


def _anchors(old: str, new: str, often: Often) -> int:
    """Telling words that both lines have and few others: a name, a thing. Each line has them, and so may versions of it."""
    common = bag(old) & bag(new)
    return sum(1 for term in common if len(term) > 1 and often(term) <= FEW)


def said_already(text: str, kept: Sequence[str]) -> bool:
    """Whether one of the lines kept says this, in these words or nearly."""
    return any(plain(text) in plain(one) or same_sense(text, one) for one in kept)


def _turned(old: str, new: str) -> bool:
    if shared(old, new) < FRAME:
        return False
    return values_in(old) != values_in(new) or is_negated(old) != is_negated(new)


def _cosines(pairs: Sequence[tuple[str, str]], embed: Embed | None) -> list[float | None]:
    """How near the two lines of each pair are; nothing without vectors."""
    if embed is None or not pairs:
        return [None] * len(pairs)
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    rows = dict(zip(texts, embed(texts), strict=True))
    return [float(rows[old] @ rows[new]) for old, new in pairs]
