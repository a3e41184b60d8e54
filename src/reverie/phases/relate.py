"""What a new claim does to a line of MEMORY.md, when that is certain: another value, a correction, an end.

The learned judge of pairs gives probabilities; structure speaks first. The same key with another value is an update. A
line that says "in progress" can end, one that states a fact cannot. Two lines that only look alike are both true.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reverie.cues import says
from reverie.model import Entry
from reverie.phases.compose import plain_line
from reverie.phases.consider import Considered
from reverie.phases.judge import Related
from reverie.sense import bag, is_negated, same_sense, values_in
from reverie.terms import plain, terms
from reverie.words import PENDING, TENTATIVE

_KEY = re.compile(r"^\W*(?P<key>[^:：]{2,40})[:：]\s*(?P<value>\S.*)$", re.S)
_SHARE = re.compile(r"\d+\s?%")
_CHANGES = ("no_longer", "from_now", "correction")


@dataclass(frozen=True, slots=True)
class Pair:
    """A line of MEMORY.md and a new claim that may be about the same thing."""

    entry: Entry
    new: Considered
    related: Related
    cosine: float
    anchors: int = 0  # telling words that both have and few other lines of the memory

    @property
    def old(self) -> str:
        return plain_line(self.entry.text)


def key_of(text: str) -> str:
    """`**Key:** value` → its key, in plain words."""
    found = _KEY.match(plain_line(text))
    return plain(found["key"]) if found else ""


def same_key(one: str, other: str) -> bool:
    return bool(key_of(one)) and key_of(one) == key_of(other)


def anchors_of(texts: Sequence[str]) -> Mapping[str, int]:
    """In how many lines each word stands: a word of one or two lines is what such a line is about."""
    return Counter(term for text in texts for term in bag(text))


def anchored(old: str, new: str, spread: Mapping[str, int]) -> int:
    common = bag(old) & bag(new)
    return sum(1 for term in common if spread.get(term, 0) <= 2 and (len(term) > 2 or not term.isascii()))


def is_pending(text: str) -> bool:
    low = text.casefold()
    return bool(_SHARE.search(low)) or any(_holds(low, word) for word in PENDING)


def is_tentative(text: str) -> bool:
    low = text.casefold()
    return any(_holds(low, word) for word in TENTATIVE)


def _holds(low: str, word: str) -> bool:
    if word.isascii() or word[0] < "\u3000":
        return bool(re.search(rf"(?<!\w){re.escape(word)}(?!\w)" if " " not in word else re.escape(word), low))
    return word in low


def says_again(pair: Pair) -> bool:
    """MEMORY.md holds this already."""
    old, new = pair.old, pair.new.line
    if plain(old) == plain(new) or same_sense(old, new, pair.cosine):
        return True
    told = set(terms(new)) <= set(terms(old)) and is_negated(old) == is_negated(new)
    return told or (pair.related.relations["same"] >= 0.6 and values_in(old) == values_in(new))


def ends(pair: Pair) -> bool:
    """The new claim says that what the old line tells of is over."""
    new, chance = pair.new.claim.text, pair.related.relations
    over = says("done", new) or says("retraction", new) or says("no_longer", new)
    if (
        not is_pending(pair.old)
        or is_tentative(new)
        or not (pair.anchors >= 2 or (pair.anchors and pair.cosine >= 0.5))
    ):
        return False
    likely = chance["done"] + chance["retraction"] + chance["update"]
    return (over and likely >= 0.2) or likely >= 0.75


def updates(pair: Pair) -> bool:
    """The new claim gives the old line's subject another value or state, and says so for good."""
    old, new, chance = pair.old, pair.new.claim.text, pair.related.relations
    if is_tentative(new) or pair.new.judged.keep < 0.25:
        return False
    if same_key(old, new):
        return plain(old) != plain(new)
    if key_of(old) and key_of(new) and not set(key_of(old).split()) & set(key_of(new).split()):
        return False  # two keys, two facts
    changes = any(says(cue, new) for cue in _CHANGES) or chance["correction"] >= 0.5
    likely = chance["update"] + chance["correction"] + 0.5 * chance["richer"]
    near = pair.anchors >= 2 or (pair.anchors and pair.cosine >= 0.45) or pair.cosine >= 0.75
    if not near or chance["coexist"] + chance["unrelated"] >= 0.5:
        return False
    return likely >= 0.8 or (changes and likely >= 0.35)
