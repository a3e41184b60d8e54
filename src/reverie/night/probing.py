"""A small search over statements in memory, for the probes of `harm`: words first, vectors beside them when there are any.

It weighs as `dream search` does, but holds the statements before and after a plan side by side, so that a question is
scored once and answered twice. Nothing is read and nothing is kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from heapq import heapify, heappop
from math import log
from typing import Any

from reverie.text.terms import plain, terms

Embed = Callable[[Sequence[str]], Any]
FIRST = 6  # results that people and agents look at
TELLING = 10  # words of a question that count; the rarest tell most
LEXICAL, VECTOR = 0.7, 0.3
NEAR = 0.45  # cosine from which a statement may answer without a word of the question
NEAREST = 4 * FIRST  # statements that vectors alone may bring in; some of them are only there before or after


class Where(IntEnum):
    """Where a statement stands. Of two that answer equally well the one in MEMORY.md comes first."""

    MEMORY = 0
    ARCHIVE = 1
    NOTE = 2


@dataclass(frozen=True)  # no slots: what was computed is kept
class Said:
    """A statement, what it stands under, and whether it is there before the plan, after it, or both."""

    text: str
    context: str
    where: Where
    before: bool = True
    after: bool = True

    @cached_property
    def plain(self) -> str:
        return plain(self.text)

    def says(self, wanted: str) -> bool:
        """The very words, perhaps with more around them."""
        return bool(wanted) and f" {wanted} " in f" {self.plain} "


class Library:
    """Statements that can be asked."""

    def __init__(self, said: Sequence[Said], embed: Embed | None = None) -> None:
        self.said = said
        self._words = [frozenset(terms(f"{one.context} {one.text}")) for one in said]
        self._brevity = [1.0 - min(len(words), 200) / 1000 for words in self._words]
        self._at: dict[str, list[int]] = defaultdict(list)
        for number, words in enumerate(self._words):
            for word in words:
                self._at[word].append(number)
        self._weights: dict[str, float] = {}
        self._where = [one.where for one in said]
        self._before = {n for n, one in enumerate(said) if one.before}
        self._after = {n for n, one in enumerate(said) if one.after}
        self._embed = embed

    def telling(self, words: Iterable[str]) -> tuple[str, ...]:
        """The rarest of some terms: what somebody who half remembers would type."""
        return tuple(sorted(set(words), key=lambda word: (-self._weight(word), word))[:TELLING])

    def nearness(self, questions: Sequence[str]) -> Any:
        """Cosines of every question with every statement; None without an embedder, or when it fails."""
        if self._embed is None or not questions or not self.said:
            return None
        import numpy as np  # only where vectors are

        try:
            rows, others = (np.asarray(self._embed(texts)) for texts in (questions, [one.text for one in self.said]))
            return rows @ others.T
        except Exception:  # noqa: BLE001  an embedder may be anything, and words alone can answer too
            return None

    def scores(self, wanted: Sequence[str], near: Any = None) -> dict[int, float]:
        """Every statement that has to do with these terms, with how well it answers them."""
        # A word that nothing says counts half: it may be a way of asking, as many pairs of Chinese characters are.
        whole = sum(self._weight(word) * (1.0 if word in self._at else 0.5) for word in wanted) or 1.0
        found: dict[int, float] = defaultdict(float)
        for word in wanted:
            weight = self._weight(word) / whole
            for number in self._at.get(word, ()):
                found[number] += weight
        lexical = {n: share * self._brevity[n] for n, share in found.items()}
        if near is None:
            return lexical
        cosines = near.tolist()
        close = [n for n in near.argsort()[-NEAREST:].tolist() if cosines[n] >= NEAR]
        return {n: LEXICAL * lexical.get(n, 0.0) + VECTOR * max(cosines[n], 0.0) for n in {*lexical, *close}}

    def hits(self, scores: Mapping[int, float], *, after: bool) -> Iterator[tuple[float, Said]]:
        """The first results, best first, before or after the plan. The same words are one result, wherever they stand."""
        there = self._after if after else self._before
        found = [(-int(score * 1e6), self._where[n], n) for n, score in scores.items() if n in there]
        heapify(found)  # few are looked at, so few need to be in order
        seen: set[str] = set()
        while found:
            number = heappop(found)[2]
            seen.add(self.said[number].plain)
            if len(seen) > FIRST:
                return
            yield scores[number], self.said[number]

    def _weight(self, word: str) -> float:
        if word not in self._weights:
            self._weights[word] = log(1.0 + (len(self.said) + 1) / (1 + len(self._at.get(word, ()))))
        return self._weights[word]
