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
from reverie.terms import plain
from reverie.words import PENDING, REPEATED, TENTATIVE

_KEY = re.compile(r"^\W*(?P<key>[^:：]{2,40})[:：]\s*(?P<value>\S.*)$", re.S)
_SHARE = re.compile(r"\d+\s?%")
_CHANGES = ("no_longer", "from_now", "correction")
_DOUBTS = ("nobody knows", "unclear", "not decided", "unklar", "неясно", "不确定", "没有结论", "未定", "미정")


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
    """The line only tries, offers or doubts; one that decides in the same breath does not."""
    low = text.casefold()
    if says("from_now", text) or says("decision", text):
        return any(_holds(low, word) for word in _DOUBTS)
    return any(_holds(low, word) for word in TENTATIVE)


def is_repeated(text: str) -> bool:
    low = text.casefold()
    return any(_holds(low, word) for word in REPEATED)


def _holds(low: str, word: str) -> bool:
    if word.isascii() or word[0] < "\u3000":
        return word in low and bool(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", low))
    return word in low


def says_again(old: str, new: str, chance: Mapping[str, float], cosine: float, anchors: int) -> bool:
    """The new line says what the old one says: the same values, no other sense, in these or other words."""
    if plain(old) == plain(new) or same_sense(old, new, cosine):
        return True
    if values_in(new) - values_in(old) or is_negated(old) != is_negated(new):
        return False
    if chance["coexist"] >= 0.4 or chance["update"] + chance["correction"] >= 0.5:
        return False
    told = bag(new) <= bag(old) and len(bag(new)) >= 3
    again = is_repeated(new) and anchors >= 2 and cosine >= 0.5 and not changes(new)
    return told or again or chance["same"] + 0.5 * chance["richer"] >= 0.65


def changes(new: str) -> bool:
    """The line says of itself that something is otherwise now."""
    return any(says(cue, new) for cue in _CHANGES)


def ends(old: str, new: str, chance: Mapping[str, float], cosine: float, anchors: int) -> bool:
    """The new line says that what the old one tells of is over."""
    over = says("done", new) or says("retraction", new) or says("no_longer", new)
    if not is_pending(old) or is_tentative(new) or (is_pending(new) and not over):
        return False
    if not (anchors >= 2 or (anchors and cosine >= 0.4)):
        return False
    likely = chance["done"] + chance["retraction"] + chance["update"]
    return (over and likely >= 0.15) or likely >= 0.7


def supersedes(old: str, new: str, chance: Mapping[str, float], cosine: float, anchors: int) -> bool:
    """The new line gives the old one's subject another value or state, and says so for good."""
    if is_tentative(new) or plain(old) == plain(new):
        return False
    if same_key(old, new):
        return True
    key = key_of(old)
    if key and key_of(new) and not bag(key) & bag(key_of(new)):
        return False  # two keys, two facts
    changed = changes(new)
    named = bool(key) and bag(key) <= bag(new) and len(bag(key)) >= 1
    if named and changed and values_in(old) != values_in(new):
        return True  # it names the key, another value, and that this holds from now on
    over = says("no_longer", new) or says("retraction", new) or says("done", new) or says("from_now", new)
    if over and anchors >= 1 and _names_value(old, new) and chance["unrelated"] < 0.6:
        return True  # it names the old value and says that it is gone
    likely = chance["update"] + chance["correction"] + 0.5 * chance["richer"]
    near = anchors >= 2 or (anchors and cosine >= 0.45) or cosine >= 0.75
    if not near or chance["coexist"] + chance["unrelated"] >= 0.5:
        return False
    return likely >= 0.8 or (changed and likely >= 0.35)


def _names_value(old: str, new: str) -> bool:
    """The value of `Key: value` (its first telling word) stands in the new line too."""
    found = _KEY.match(plain_line(old))
    if not found:
        return False
    first = re.split(r"[,，;；、(（。]", found["value"])[0]
    return bool(bag(first)) and len(bag(first) & bag(new)) >= max(1, len(bag(first)) // 2)
