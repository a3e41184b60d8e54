"""How far a line answers a message: the share of the message's telling words it covers, and how near it is in meaning.

A raw similarity says little, because every embedder has its own scale and every memory its own subjects. So a word
counts by how rare it is in this memory, and a similarity by how far it stands out from those of all the other lines.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from reverie.lang import words
from reverie.text.terms import STOP_WORDS, asked, terms
from reverie.workspace.values import Statement

MEANING = 0.05  # what one standard deviation of nearness is worth beside a share of the words
FARTHEST = 5.0  # deviations that count; more is a line said twice
HEADING = 0.6  # a word that only stands in a heading above the line
PART = 0.7  # a word that only stands inside a longer one: a compound, another ending
ACCIDENT = 0.5  # two characters nobody wrote together are mostly the seam between two words
ALONE = 0.07  # what a line loses that has one word of several: any two texts share one
LEANING = 2  # words of a message that leans on what was said before it
BEFORE = 0.5
_SHORTEST_PART = 4
_GLUED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Background:
    """What is usual in a memory: how many lines it has, in how many a word stands, and how near any line is to the message."""

    lines: int
    often: Callable[[str], int]
    mean: float = 0.0
    spread: float = 0.0  # zero: nothing is known of meaning, and words decide alone


@dataclass(frozen=True, slots=True)
class Relevance:
    """Both sides of it, and the sum. From about 0.4 on a line is rarely beside the point."""

    share: float
    near: float  # standard deviations above the usual
    value: float


def telling(message: str) -> list[str]:
    """The words of a message that say what it is about; none, if it only asks."""
    found = asked(_glued_frames().sub(" ", message))
    return [term for term in found if term not in _frames() and term not in STOP_WORDS]


@cache
def _frames() -> frozenset[str]:
    """How a question is put, not what it is about."""
    return frozenset(stem for word in words("asking.frames") for stem in asked(word))


@cache
def _glued_frames() -> re.Pattern[str]:
    """The same of scripts without spaces, the longest first: cut out, so that no pair is made across them."""
    return re.compile("|".join(map(re.escape, sorted(words("asking.cut"), key=len, reverse=True))))


def background(lines: int, often: Callable[[str], int], cosines: Sequence[float]) -> Background:
    """From a sample of lines. Without at least twenty of them nothing is known of what is usual."""
    if len(cosines) < 20:
        return Background(lines, often)
    mean = sum(cosines) / len(cosines)
    spread = math.sqrt(sum((one - mean) ** 2 for one in cosines) / len(cosines))
    return Background(lines, often, mean, spread)


class Weighing:
    """A message weighed against the memory; asks for each word once.

    A message of a word or two ("and who is the contact?") takes the rarest words of the turns before it along, at half
    their weight; one that speaks for itself does not.
    """

    def __init__(self, message: str, usual: Background, before: str = "", most: int = 3) -> None:
        self.words = telling(message)
        self._usual = usual
        self._weights = {word: self._weight(word) for word in self.words}
        self.leans = len(self.words) <= LEANING
        self.before: list[str] = []
        if before and self.leans:
            others = (word for word in telling(before) if word not in self._weights and usual.often(word))
            known = {word: self._weight(word) for word in others}
            self.before = sorted(known, key=lambda word: -known[word])[:most]
            self._weights |= {word: BEFORE * known[word] for word in self.before}
        self._whole = sum(self._weights.values())

    def of(self, claim: Statement, cosine: float) -> Relevance:
        """How far this line answers. `cosine` is its nearness to the message, zero where none is known."""
        said = frozenset(_terms(f"{claim.lead} {claim.text}"))
        above = frozenset(_terms(claim.heading))
        covers = {word: _covers(word, said, above) for word in self._weights}
        covered = sum(weight * covers[word] for word, weight in self._weights.items())
        share = covered / self._whole if self._whole else 0.0
        if len(covers) > 1 and sum(map(bool, covers.values())) == 1:
            share = max(0.0, share - ALONE)
        if not self._usual.spread:
            return Relevance(share, 0.0, share)
        near = (cosine - self._usual.mean) / self._usual.spread
        value = (share + MEANING * min(max(near, 0.0), FARTHEST)) / (1 + MEANING * FARTHEST)
        return Relevance(share, near, value)

    def _weight(self, word: str) -> float:
        count = self._usual.often(word)
        rarity = math.log((self._usual.lines + 1) / (count + 0.5))
        return max(rarity, 0.1) * (ACCIDENT if not count and _GLUED.match(word) else 1.0)


@lru_cache(maxsize=5_000)
def _terms(text: str) -> tuple[str, ...]:
    return tuple(terms(text))


def _covers(word: str, said: frozenset[str], above: frozenset[str]) -> float:
    if word in said:
        return 1.0
    if _part_of(word, said):
        return PART
    return HEADING if word in above else HEADING * PART if _part_of(word, above) else 0.0


def _part_of(word: str, others: Collection[str]) -> bool:
    """Inside a longer word, or the other way round; short words are inside everything, and only have a plural."""
    if any(word.removesuffix("s") == other.removesuffix("s") for other in others):
        return True
    if len(word) < _SHORTEST_PART or not word.isalpha():
        return False
    return any(word in other or (len(other) > _SHORTEST_PART and other in word) for other in others)
