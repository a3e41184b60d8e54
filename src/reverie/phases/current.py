"""Which facts a newer line has overtaken: it gives them another value, or says that they are over.

What is recalled is believed without a second look, so here doubt speaks against a line: the same frame with another
number counts as another version. Lines of MEMORY.md are never weighed against each other; that is the night's work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reverie.cues import says
from reverie.phases.near import Near, anchored, has_any
from reverie.phases.relate import ENDS, UPDATES, relation
from reverie.sense import is_negated, same_sense, shared, values_in
from reverie.terms import plain
from reverie.words import GONE, MOVED

Embed = Callable[[Sequence[str]], Any]
FRAME = 0.5  # shared words from which two lines may be two versions of one fact
WIDTH = 128  # of the vectors the judge was trained with
ASKED = 0.35  # nearness from which the judge of pairs knows something
_STRANGERS: Mapping[str, float] = dict.fromkeys(
    ("same", "richer", "update", "correction", "retraction", "done", "coexist", "unsure"), 0.0
) | {"unrelated": 1.0}


@dataclass(frozen=True, slots=True)
class Said:
    """A line, the day up to which it is known to hold, and where it stands."""

    text: str
    day: str
    path: str
    first: int
    memory: bool = False

    def before(self, other: Said) -> bool:
        """Whether the other line is newer. What memory says holds as of the last night."""
        if self.memory and other.memory:
            return False
        if self.path == other.path:
            return (self.day, self.first) < (other.day, other.first)
        return (self.day, self.memory) < (other.day, other.memory)


def overtaken(
    facts: Sequence[Said], others: Sequence[Said], spread: Mapping[str, int], embed: Embed | None
) -> set[int]:
    """Which of the facts (by place in the list) one of the others has overtaken."""
    pairs = [
        (at, fact, other)
        for at, fact in enumerate(facts)
        for other in others
        if fact.before(other) and plain(fact.text) != plain(other.text)
    ]
    near, width = _cosines([(fact.text, other.text) for _, fact, other in pairs], embed)
    close = [
        (at, fact.text, other.text, cosine, anchored(fact.text, other.text, spread))
        for (at, fact, other), cosine in zip(pairs, near, strict=True)
    ]
    found = {at for at, old, new, _, anchors in close if _turned(old, new) or (anchors >= 2 and _otherwise(new))}
    left = [one for one in close if one[0] not in found and (one[3] >= ASKED or one[4] >= 1)]
    chances = _chances(left, embed if width == WIDTH else None)
    judged = [(one[0], Near(*one[1:3], chance, *one[3:])) for one, chance in zip(left, chances, strict=True)]
    return found | {at for at, near_each_other in judged if _changes(near_each_other)}


def said_already(text: str, kept: Sequence[str]) -> bool:
    """Whether one of the lines kept says this, in these words or nearly."""
    return any(plain(text) in plain(one) or same_sense(text, one) for one in kept)


def _turned(old: str, new: str) -> bool:
    if shared(old, new) < FRAME:
        return False
    return values_in(old) != values_in(new) or is_negated(old) != is_negated(new)


def _otherwise(new: str) -> bool:
    """The newer line says of itself that something is not as it was. It names what the older one is about: doubt enough."""
    return any(says(cue, new) for cue in ("no_longer", "correction")) or has_any(new, MOVED) or has_any(new, GONE)


def _changes(near: Near) -> bool:
    return relation(near)[0] in (UPDATES, ENDS)


def _chances(pairs: Sequence[tuple[int, str, str, float, int]], embed: Embed | None) -> list[Mapping[str, float]]:
    """What the judge says of pairs that are near enough for it to know."""
    near = [at for at, one in enumerate(pairs) if one[4] >= 2 or one[3] >= ASKED]
    found: list[Mapping[str, float]] = [_STRANGERS] * len(pairs)
    if near:
        from reverie.phases.judge import judge_pairs  # numpy and the weights, only for the few that come this far

        for at, related in zip(near, judge_pairs([pairs[at][1:3] for at in near], embed), strict=True):
            found[at] = related.relations
    return found


def _cosines(pairs: Sequence[tuple[str, str]], embed: Embed | None) -> tuple[list[float], int]:
    """How near the two lines of each pair are, and how wide the vectors: the judge only knows those of one width."""
    if embed is None or not pairs:
        return [0.0] * len(pairs), 0
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    found = embed(texts)
    rows = dict(zip(texts, found, strict=True))
    return [float(rows[old] @ rows[new]) for old, new in pairs], int(found.shape[1])
