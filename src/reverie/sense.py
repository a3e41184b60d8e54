"""When two lines say the same, and when they only look alike. Small certain things: values, negation, shared words.

The same frame with another number, name or a "not" is another fact, whatever a vector says.
"""

from __future__ import annotations

import re
from functools import lru_cache

from reverie.terms import terms

_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
# Numbers with what hangs on them (7a, v2, 3.11), single letters that name a thing (field A), and Chinese numerals.
_NUMBER = re.compile(
    r"\b[a-z]?\d+(?:[.,:]\d+)*[a-z]?\b|\d+|(?<![\w'’])[B-HJ-Z](?![\w'’])|[一二三四五六七八九十百千万两甲乙丙丁]+", re.I
)
_NOT = re.compile(
    r"\b(?:not|no|never|none|without|cannot|\w+n't|nicht|kein\w*|nie|ohne|nunca|jamás|jamais|pas|sans|sem|não|sin|не|нет|без|никогда)\b"
    r"|不|没|沒|未|无|無|别|ない|ません|なし|않|안 |없",
    re.I,
)


@lru_cache(maxsize=20_000)
def values_in(text: str) -> frozenset[str]:
    """The numbers of a line: prices, times, ports, counts. A day in ISO form says when, not how much."""
    return frozenset(_NUMBER.findall(_DAY.sub(" ", text)))


def is_negated(text: str) -> bool:
    return bool(_NOT.search(text))


@lru_cache(maxsize=20_000)
def bag(text: str) -> frozenset[str]:
    """The words that carry a line, without numbers."""
    return frozenset(term for term in terms(_DAY.sub(" ", text)) if not term.isdigit())


def shared(one: str, other: str) -> float:
    """How many of their words two lines have in common, from 0 to 1 (Jaccard)."""
    first, second = bag(one), bag(other)
    return len(first & second) / len(first | second) if first or second else 0.0


def same_sense(one: str, other: str, cosine: float = 1.0) -> bool:
    """Whether one line is the other, perhaps with a word more: the same values, negation and order. Who pays whom matters."""
    if values_in(one) != values_in(other) or is_negated(one) != is_negated(other) or cosine < 0.6:
        return False
    first, second = bag(one), bag(other)
    fewer, more = sorted((first, second), key=len)
    if not fewer or not fewer <= more or len(more) - len(fewer) > max(1, len(more) // 4):
        return False
    return in_order(one, fewer) == in_order(other, fewer)


def in_order(text: str, words: frozenset[str]) -> list[str]:
    """These words in the order in which the text has them first."""
    return list(dict.fromkeys(term for term in terms(_DAY.sub(" ", text)) if term in words))
