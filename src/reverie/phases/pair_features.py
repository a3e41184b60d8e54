"""What can be counted about an old line beside a new one: what both say, what only one says, and where they part.

Values, negation and names decide more than likeness does: "port 4600" and "port 4700" are near neighbours and an update.
Same promise as `features`: numbers for trained weights, so whoever changes what is counted raises `VERSION`.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from reverie.cues import NAMES, cues
from reverie.phases.features import LONGEST, SHAPES, shape
from reverie.stopwords import STOP_WORDS
from reverie.terms import stem, terms

VERSION = 2
RARITIES = 32768  # buckets for how rare a term is in the labelled texts
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_HAN_NUMBER = re.compile(
    "[零一二两三四五六七八九十百千万半]+(?=[个点元块天年月周号日人次台楼岁小分公只条间层套本张件份])"
)
_NAME = re.compile(r"[A-ZÄÖÜÀ-ÝА-Я][\w'’.-]*")
_UNIT = re.compile(r"\d ?([a-z%€$£¥°µ]{1,4}|[\u3400-\u9fff\uac00-\ud7af])", re.I)
_FRAME = re.compile(r"\W+")
_SHAPES = SHAPES.index("no context")  # a pair is judged without its headings
_RUN = re.compile(
    "[\u3040-\u30ff\u3400-\u9fff]+|[^\\W\u3040-\u30ff\u3400-\u9fff]+"
)  # Chinese and Japanese stand together
_MET = 0.55  # the cosine from which one word stands for another
_END = " \t\n.。!！;；,，…"
_LABEL = re.compile(r"[a-z]-?\d+|\d+[a-z]\b|#\d+|(?:19|20)\d\d\b", re.I)
_CUE = {name: at for at, name in enumerate(NAMES)}
_SIGNS = (
    "negation", "no_longer", "from_now", "decision", "correction", "done", "retraction", "hedge", "said", "task", "today", "condition",
    "obligation",
)  # fmt: skip
_MEASURES = (
    "like", "shared", "old in new", "new in old", "letters", "order", "frame", "longer", "shorter", "same words", "numbers both",
    "numbers same", "numbers differ", "only new numbers", "only old numbers", "units shared", "frame alike and numbers differ",
    "names both", "names same", "names differ", "only new names", "only old names", "one negated", "both negated",
    "alike and one negated", "only numbers differ", "one number differs", "more numbers differ", "labels differ", "all the same",
    "key same", "no shared word", "starts alike", "added", "removed", "swapped words", "one word apart",
)  # fmt: skip
# What tells two lines about one thing from two lines about nothing in common: rare terms that both have, and how well
# each word of the one is met by some word of the other, rare words counting more.
_KIN = (
    "rare shared", "rare old in new", "rare new in old", "rare of the shorter", "rarest shared", "second shared", "third shared",
    "shared in all", "old met", "new met", "less met", "more met", "old unmet", "new unmet", "best met", "old mostly met",
    "new mostly met",
)  # fmt: skip
ABOUT = len(_MEASURES) + len(_KIN)  # the measures that say whether two lines are about one thing come first
MEASURES = (
    *_MEASURES,
    *_KIN,
    *(f"{name} {side}" for name in _SIGNS for side in ("new", "old", "gained", "lost")),
    *SHAPES[:50],
    *SHAPES[:50],
)


class Told(NamedTuple):
    """One side of a pair, read once."""

    words: tuple[str, ...]
    bag: frozenset[str]
    numbers: frozenset[str]
    units: frozenset[str]
    names: frozenset[str]
    frame: str
    plain: str
    counts: tuple[int, ...]
    shape: tuple[float, ...]
    labels: frozenset[str]  # numbers that name a thing rather than measure it: web-01, K4, #12, 2025
    key: str
    parts: tuple[str, ...]  # words as written, pairs of characters in Chinese and Japanese: what has a vector


def trimmed(text: str) -> str:
    """A line without the marks at its end: whether somebody ends notes with a full stop says nothing about two of them.

    (In the labelled pairs it says nearly everything, which is why it must not be counted.)
    """
    return unicodedata.normalize("NFKC", text[:LONGEST]).strip(_END)


@lru_cache(maxsize=4096)  # an old line meets many new ones
def told(text: str) -> Told:
    text = trimmed(text)
    low = text.casefold()
    numbers = {found.replace(",", ".").strip(".") for found in _NUMBER.findall(low)} | set(_HAN_NUMBER.findall(low))
    words = tuple(terms(text))
    first = _NAME.match(text)
    names = {name.casefold().removesuffix("'s") for name in _NAME.findall(text) if len(name) > 1}
    if first and len(first[0]) > 1 and first[0][1:].islower() and first[0].casefold() not in _later(text, first.end()):
        names.discard(first[0].casefold())  # a capital at the start of a sentence is no name yet
    frame = _FRAME.sub(" ", _NUMBER.sub("0", _HAN_NUMBER.sub("0", low))).strip()
    plain = _FRAME.sub(" ", low).strip()
    return Told(
        words, frozenset(words), frozenset(numbers), frozenset(_UNIT.findall(low)), frozenset(names), frame, plain,
        tuple(cues(low)), tuple(shape(text, "")[:_SHAPES]),
        frozenset(_LABEL.findall(low)), _key(low), _parts(low),
    )  # fmt: skip


def _key(low: str) -> str:
    """`port` of `**Port:** 4600`; nothing where no short key stands in front."""
    key, colon, _ = low.replace("：", ":").partition(":")
    return key.strip("*_` ") if colon and len(key) <= 40 else ""


def _later(text: str, start: int) -> set[str]:
    return {name.casefold() for name in _NAME.findall(text[start:])}


def _parts(low: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for run in _RUN.findall(low):
        if run[0] >= "\u3040" and not "\uac00" <= run[0] <= "\ud7af":
            found |= dict.fromkeys([run[at : at + 2] for at in range(len(run) - 1)] or [run])
        elif run not in STOP_WORDS:
            found[run] = None
    return tuple(found)


def bucket(term: str) -> int:
    """Where the rarity of a term is kept."""
    return zlib.crc32(term.encode("utf-8", "surrogatepass")) % RARITIES


class Kinship:
    """How far two lines speak of the same things. Knows how rare a term is, and the vectors of the words at hand."""

    def __init__(self, texts: Sequence[str], rarity: Any, embed: Callable[[Sequence[str]], Any]) -> None:
        self._rarity = rarity
        words = sorted({part for text in texts for part in told(text).parts})
        self._at = {word: at for at, word in enumerate(words)}
        self._rows = embed(words)
        self._weight = np.array([self._rare(stem(word)) for word in words], dtype=np.float32)

    def _rare(self, term: str) -> float:
        return float(self._rarity[bucket(term)])

    def measures(self, old: str, new: str) -> list[float]:
        """The numbers of `_KIN` for one pair."""
        a, b = told(old), told(new)
        before, after = sum(map(self._rare, a.bag)), sum(map(self._rare, b.bag))
        common = sorted(map(self._rare, a.bag & b.bag), reverse=True)
        both, small = sum(common), 1e-6
        first, second, third = [*common, 0.0, 0.0, 0.0][:3]
        found = [both / max(before + after - both, small), both / max(before, small), both / max(after, small)]
        found += [both / max(min(before, after), small), first, second, third, min(both, 4.0) / 2]
        return found + self._met(a.parts, b.parts)

    def _met(self, old: tuple[str, ...], new: tuple[str, ...]) -> list[float]:
        if not old or not new:
            return [0.0] * 9
        was, now = [self._at[word] for word in old], [self._at[word] for word in new]
        near = self._rows[was] @ self._rows[now].T
        for word in set(old) & set(new):  # without vectors, and for words that have none
            near[old.index(word), new.index(word)] = 1.0
        by_new, by_old = near.max(1), near.max(0)
        a, b = self._weight[was], self._weight[now]
        one, other = float(a @ by_new / max(a.sum(), 1e-6)), float(b @ by_old / max(b.sum(), 1e-6))
        found = [one, other, min(one, other), max(one, other), (a * (1 - by_new)).max(), (b * (1 - by_old)).max()]
        return [*found, (a * by_new).max(), (by_new > _MET).mean(), (by_old > _MET).mean()]


def measures(old: str, new: str, like: float, kinship: Kinship) -> list[float]:
    """The numbers of `MEASURES` for one pair; `like` is the cosine of the two lines."""
    a, b = told(old), told(new)
    both, either = len(a.bag & b.bag), max(len(a.bag | b.bag), 1)
    shared = both / either
    letters = SequenceMatcher(None, a.plain, b.plain, autojunk=False).ratio()
    frame = SequenceMatcher(None, a.frame, b.frame, autojunk=False).ratio() if a.numbers or b.numbers else letters
    added, removed = len(b.bag - a.bag), len(a.bag - b.bag)
    differ = bool(a.numbers and b.numbers and a.numbers != b.numbers)
    other = max(len(b.numbers - a.numbers), len(a.numbers - b.numbers))
    negated = (a.counts[_CUE["negation"]] > 0, b.counts[_CUE["negation"]] > 0)
    one_negated = negated[0] != negated[1]
    ratio = np.log((len(new) + 4) / (len(old) + 4))
    found: list[float] = [
        like, shared, both / max(len(a.bag), 1), both / max(len(b.bag), 1), letters, _order(a.words, b.words), frame,
        max(ratio, 0.0), max(-ratio, 0.0), a.bag == b.bag, bool(a.numbers and b.numbers),
        bool(a.numbers) and a.numbers == b.numbers, differ, bool(b.numbers - a.numbers), bool(a.numbers - b.numbers),
        bool(a.units & b.units), frame * differ, bool(a.names and b.names), bool(a.names & b.names),
        bool(a.names and b.names and not a.names & b.names), bool(b.names - a.names), bool(a.names - b.names),
        one_negated, all(negated), shared * one_negated, differ and a.frame == b.frame, differ and other == 1, differ and other > 1,
        a.labels != b.labels, a.plain == b.plain, bool(a.key) and a.key == b.key, both == 0, a.plain[:4] == b.plain[:4],
        min(added, 12) / 6, min(removed, 12) / 6, a.bag == b.bag and a.plain != b.plain, added == removed == 1,
    ]  # fmt: skip
    found += kinship.measures(old, new)
    for name in _SIGNS:
        was, now = min(a.counts[_CUE[name]], 2), min(b.counts[_CUE[name]], 2)
        found += [now, was, max(now - was, 0), max(was - now, 0)]
    return [float(value) for value in (*found, *b.shape, *a.shape)]


def _order(old: tuple[str, ...], new: tuple[str, ...]) -> float:
    """How far the shared words stand in the same order: 1 when they do, 0 when they are turned around."""
    places = {word: at for at, word in enumerate(new)}
    at = [places[word] for word in dict.fromkeys(old) if word in places]
    pairs = len(at) - 1
    return 1.0 if pairs < 1 else sum(one < two for one, two in pairwise(at)) / pairs


def changed(old: str, new: str) -> tuple[str, str]:
    """The words that only the new line has, and those only the old one has, as texts to hash."""
    a, b = told(old), told(new)
    return " ".join(word for word in b.words if word not in a.bag), " ".join(w for w in a.words if w not in b.bag)
