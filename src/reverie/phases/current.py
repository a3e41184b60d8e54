"""Which facts a newer line has overtaken: it gives them another value, or says that they are over.

What is recalled is believed without a second look, so here doubt speaks against a line: the same frame with another
number counts as another version. Lines of MEMORY.md are never weighed against each other; that is the night's work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reverie.cues import says
from reverie.phases.near import KEY, Near, has_any
from reverie.phases.relate import ENDS, UPDATES, relation
from reverie.sense import bag, is_negated, same_sense, shared, values_in
from reverie.terms import plain
from reverie.words import GONE, MOVED

Embed = Callable[[Sequence[str]], Any]
Often = Callable[[str], int]
FEW = 5  # lines that have a telling word
MANY = 25  # lines from which a key is the name of a speaker
CLOSE = 0.15  # nearness from which doubt may speak
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


def overtaken(facts: Sequence[Said], others: Sequence[Said], often: Often, embed: Embed | None) -> set[int]:
    """Which of the facts (by place in the list) one of the others has overtaken. `often`: in how many lines a word stands."""
    newer = [(other, _keyless(other.text, often)) for other in others]
    pairs = [
        (at, old, new)
        for at, fact in enumerate(facts)
        for old in [_keyless(fact.text, often)]
        for other, new in newer
        if fact.before(other) and plain(old) != plain(new)
    ]
    cosines, width = _cosines([pair[1:] for pair in pairs], embed)
    near = [(*pair, cosine, _anchors(*pair[1:], often)) for pair, cosine in zip(pairs, cosines, strict=True)]
    found = {at for at, old, new, cosine, anchors in near if _turned(old, new) or _doubted(old, new, cosine, anchors)}
    left = [one for one in near if one[0] not in found and (one[3] >= ASKED or one[4] >= 1)]
    chances = _chances(left, embed if width == WIDTH else None)
    judged = [(one[0], Near(*one[1:3], chance, *one[3:])) for one, chance in zip(left, chances, strict=True)]
    return found | {at for at, pair in judged if relation(pair)[0] in (UPDATES, ENDS)}


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


def _doubted(old: str, new: str, cosine: float, anchors: int) -> bool:
    """The newer line names what the older one is about, and says that something is not so, or no longer."""
    if anchors < 2 or cosine < CLOSE:
        return False
    if is_negated(new) and not is_negated(old):
        return True
    return any(says(cue, new) for cue in ("no_longer", "correction")) or has_any(new, MOVED) or has_any(new, GONE)


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
