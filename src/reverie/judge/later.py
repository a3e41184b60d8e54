"""Which later statement changes an earlier one: shared words find what to look at, and `relation` alone says what it does."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable

from reverie.judge.compose import plain_line
from reverie.judge.relation import Kind, key_of, relation
from reverie.text.comparing import bag
from reverie.workspace.values import Source, Statement

CHANGING = frozenset({Kind.UPDATE, Kind.TURNED})
LIKE = 0.5  # of an older line's words; a newer one with fewer of them is another sentence


def says_otherwise(old: str, new: str) -> bool:
    """Whether the newer line is the older one with another value, or turned round."""
    return relation(old, new).kind in CHANGING


def says_the_same(one: str, other: str) -> bool:
    return relation(one, other).kind is Kind.SAME


class Later:
    """Statements by their words and keys, the newest first."""

    def __init__(self, claims: Iterable[Statement]) -> None:
        self._claims = sorted(claims, key=lambda claim: claim.day, reverse=True)
        self._words: dict[str, list[int]] = defaultdict(list)
        self._keys: dict[str, list[int]] = defaultdict(list)
        for at, claim in enumerate(self._claims):
            for word in bag(plain_line(claim.text)):
                self._words[word].append(at)
            if key := key_of(claim.text):
                self._keys[key].append(at)

    def changing(self, text: str, day: str, besides: Collection[Source] = ()) -> Statement | None:
        """The newest statement after this day that says the line otherwise; None if none does."""
        words = bag(text)
        met = Counter(at for word in words for at in self._words.get(word, ()))
        alike = {at for at, count in met.items() if count >= LIKE * len(words)}
        for at in sorted(alike.union(self._keys.get(key_of(text), ()))):
            claim = self._claims[at]
            if claim.day > day and claim.source not in besides and says_otherwise(text, plain_line(claim.text)):
                return claim
        return None


__all__ = ["CHANGING", "Later", "says_otherwise", "says_the_same"]
