"""Two lines side by side: an old one and a new one, and all that is known about how near they are.

Also the small readings that several judgements share: the key of `Key: value`, and the words that a line is about.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from reverie.phases.compose import plain_line, weight
from reverie.sense import bag
from reverie.terms import plain

LONGEST_KEY = 4  # words; more is a sentence with a colon in it
KEY = re.compile(r"^\W*(?P<key>[^:：]{2,40}?)(?:\s?(?:(?<!\d)[:：]|[:：](?!\d))|\s[—–](?=\s))\s*(?P<value>\S.*)$", re.S)
_KANA = re.compile("[\u3041-\u309f]")  # endings and particles: what two Japanese lines share in them says nothing
_BOLD = re.compile(r"^[\W\d]*(?:\*\*|__)[^*_]+[:：]")


@dataclass(frozen=True, slots=True)
class Near:
    """Two lines, old and new, with all that is known about how near they are."""

    old: str
    new: str
    chance: Mapping[str, float]
    cosine: float
    anchors: int  # telling words that both have and few other lines
    met: float = 0.0
    rare: float = 0.0


@lru_cache(maxsize=20_000)
def key_of(text: str) -> str:
    """`**Key:** value` → its key, in plain words."""
    found = KEY.match(plain_line(text))
    return plain(found["key"]) if found and weight(found["key"]) <= LONGEST_KEY else ""


def same_key(one: str, other: str) -> bool:
    return bool(key_of(one)) and key_of(one) == key_of(other)


def is_keyed(text: str) -> bool:
    """The line is written as `**Key:** value`, or with a key of a word or two: not a sentence with a colon in it."""
    return bool(_BOLD.match(text)) or 0 < weight(key_of(text)) <= 2


def anchors_of(texts: Sequence[str]) -> Mapping[str, int]:
    """In how many lines each word stands: a word of one or two lines is what such a line is about."""
    return Counter(term for text in texts for term in bag(text))


def anchored(old: str, new: str, spread: Mapping[str, int], most: int = 2) -> int:
    common = bag(old) & bag(new)
    return sum(1 for term in common if spread.get(term, 0) <= most and len(term) > 1 and not _KANA.search(term))
