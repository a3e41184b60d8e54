"""Which facts a newer line has overtaken: it gives them another value, or says that they are over.

What is recalled is believed without a second look, so here doubt speaks against a line: the same frame with another
number counts as another version. Lines of MEMORY.md are weighed against each other only where one says that it changes
something; the rest is the night's work.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reverie.change_words import GONE, MOVED, says_any
from reverie.cues import says
from reverie.phases.near import KEY, Near
from reverie.phases.relate import ENDS, UPDATES, relation
from reverie.sense import bag, is_negated, same_sense, shared, values_in
from reverie.terms import plain

Embed = Callable[[Sequence[str]], Any]
Often = Callable[[str], int]
FEW = 8  # lines that have a telling word, all versions of a fact counted
MANY = 25  # lines from which a key is the name of a speaker
CLOSE = 0.15  # nearness from which doubt may speak
FRAME = 0.5  # shared words from which two lines may be two versions of one fact
WIDTH = 128  # of the vectors the judge was trained with
ASKED = 0.35  # nearness from which the judge of pairs knows something
_CLAUSES = re.compile(r"[,，;；。.!?！？]")
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
        if fact.before(other) or (fact.memory and other.memory and not tells_change(old))
        if plain(old) != plain(new) and not named & values_in(old) - values_in(new)
    ]
    cosines, width = _cosines([pair[2:] for pair in pairs], embed)
    near = [
        (at, to, Near(old, new, _STRANGERS, cosine, _anchors(old, new, often)))
        for (at, to, old, new), cosine in zip(pairs, cosines, strict=True)
    ]
    close = CLOSE if width else 0.0
    found = [(at, to) for at, to, pair in near if _doubted(pair, close)]
    later = [one for one in near if one[:2] not in found and facts[one[0]].before(others[one[1]])]
    found += [(at, to) for at, to, pair in later if _turned(pair.old, pair.new)]
    left = [one for one in later if one[:2] not in found and (one[2].cosine >= ASKED or one[2].anchors >= 1)]
    judged = _judged([pair for _, _, pair in left], embed if width == WIDTH else None)
    found += [one[:2] for one, pair in zip(left, judged, strict=True) if relation(pair)[0] in (UPDATES, ENDS)]
    return {at: max((to for one, to in found if one == at), key=lambda to: others[to].age) for at, _ in found}


def _keyless(text: str, often: Often) -> str:
    """Without a key that stands before very many lines: `Orla: …` says who speaks, not what is told."""
    found = KEY.match(text)
    if found and all(often(term) > MANY for term in bag(found["key"])):
        return found["value"]
    return text


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


def _doubted(pair: Near, close: float) -> bool:
    """The newer line names what the older one is about, and says that something is not so, or no longer."""
    if pair.anchors < (2 if close else 3) or pair.cosine < close:
        return False
    about = bag(pair.old)
    denied = any(is_negated(part) and len(bag(part) & about) >= 2 for part in _CLAUSES.split(pair.new))
    return (denied and not is_negated(pair.old)) or tells_change(pair.new)


def tells_change(text: str) -> bool:
    """The line says of itself that something is otherwise than it was. Of two lines of memory, the other is the older."""
    if any(says(cue, text) for cue in ("no_longer", "correction")):
        return True
    return says_any(text, MOVED) or says_any(text, GONE)


def _judged(pairs: Sequence[Near], embed: Embed | None) -> list[Near]:
    """What the judge says of pairs that are near enough for it to know."""
    near = [at for at, pair in enumerate(pairs) if pair.anchors >= 2 or pair.cosine >= ASKED]
    found = list(pairs)
    if near:
        from reverie.phases.judge import judge_pairs  # numpy and the weights, only for the few that come this far

        for at, related in zip(near, judge_pairs([(pairs[at].old, pairs[at].new) for at in near], embed), strict=True):
            found[at] = replace(found[at], chance=related.relations)
    return found


def _cosines(pairs: Sequence[tuple[str, str]], embed: Embed | None) -> tuple[list[float], int]:
    """How near the two lines of each pair are, and how wide the vectors: the judge only knows those of one width."""
    if embed is None or not pairs:
        return [0.0] * len(pairs), 0
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    found = embed(texts)
    rows = dict(zip(texts, found, strict=True))
    return [float(rows[old] @ rows[new]) for old, new in pairs], int(found.shape[1])
