"""A memory as a question sees it: through the index, or without one through every claim that was read.

Both answer the same four things, so that who asks need not know which of them is there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

from reverie.evidence.days import claims_of_days
from reverie.evidence.index import Index
from reverie.evidence.relevance import Background, background
from reverie.evidence.search import Answer, Hit, scan, search
from reverie.text.terms import terms
from reverie.workspace.values import Group, Statement

SAMPLE = 2_000  # lines whose nearness says what is usual
_COUNTED = 5_000  # a word that stands in more lines than this tells nothing apart
_FEW = 500  # whether a word is rare is known when so many lines have it
_RAREST = 6  # words of a line by which others like it are found
_MEMORY = ("MEMORY.md", "memory.md")


class View(Protocol):
    """What can be asked of a memory."""

    def find(self, question: str, limit: int) -> Answer: ...

    def like(self, texts: Sequence[str], limit: int) -> Sequence[Hit]:
        """Lines that say something like one of these."""
        ...

    def few(self, term: str) -> int:
        """In how many lines a term stands; counting may stop when it is no longer rare."""
        ...

    def usual(self, answer: Answer) -> Background:
        """What is usual here, as far as the answer to a question tells."""
        ...

    def noted(self, days: Sequence[str]) -> Sequence[Statement]: ...


class Indexed:
    """Through an open index."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._few: dict[str, int] = {}

    def find(self, question: str, limit: int) -> Answer:
        return search(self._index, question, limit, sample=SAMPLE)

    def like(self, texts: Sequence[str], limit: int) -> Sequence[Hit]:
        words: dict[str, None] = {}
        for text in texts:
            rarest = sorted(dict.fromkeys(terms(text)), key=self.few)
            rare = [term for term in rarest[:_RAREST] if self.few(term) < _FEW]  # one that stands everywhere only costs
            words |= dict.fromkeys(rare or rarest[:2])
        return search(self._index, " ".join(words), limit).hits if words else ()

    def few(self, term: str) -> int:
        if term not in self._few:
            self._few[term] = self._index.frequency(term, _FEW)
        return self._few[term]

    def usual(self, answer: Answer) -> Background:
        return background(self._index.roughly(), lambda term: self._index.frequency(term, _COUNTED), answer.cosines)

    def noted(self, days: Sequence[str]) -> Sequence[Statement]:
        return claims_of_days(self._index, days)


class Scanned:
    """Through the claims themselves: slow, and always there."""

    def __init__(self, claims: Sequence[Statement], trouble: str) -> None:
        self._claims, self._trouble = claims, trouble

    def find(self, question: str, limit: int) -> Answer:
        return scan(self._claims, question, limit, self._trouble)

    def like(self, texts: Sequence[str], limit: int) -> Sequence[Hit]:
        return self.find(" ".join(texts), limit).hits

    def few(self, term: str) -> int:
        return self._often[term]

    def usual(self, _answer: Answer) -> Background:
        return Background(len(self._claims), lambda term: self._often[term])

    def noted(self, days: Sequence[str]) -> Sequence[Statement]:
        return [claim for claim in self._claims if claim.day in days]

    @cached_property
    def _often(self) -> Counter[str]:
        return Counter(term for claim in self._claims for term in set(terms(f"{claim.context} {claim.text}")))


def is_memory(claim: Statement) -> bool:
    """Whether a claim is a line of MEMORY.md."""
    return claim.path in _MEMORY and claim.group == Group.MEMORY.value
