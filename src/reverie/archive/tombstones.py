"""What its owner forgot for ever: hashes of words, so that a line is known again and nobody can read what it was."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import msgspec

from reverie.text.terms import key, numbers, terms

_MOST_ALIKE = 0.8  # of its words
_FEW = 5  # words: a shorter line must have them all


class Tombstone(msgspec.Struct, frozen=True, array_like=True):
    whole: str  # SHA-256 of its words
    words: tuple[str, ...]  # four hexadecimal digits of each: thousands of words share them
    figures: tuple[str, ...]


def tombstone_of(text: str) -> Tombstone:
    words = tuple(sorted({_short(word) for word in terms(text)}))
    return Tombstone(_whole(text), words, tuple(sorted(map(_short, numbers(text)))))


def is_forgotten(text: str, tombstones: Sequence[Tombstone]) -> bool:
    """Whether a line says what was forgotten for ever: the same words, or nearly all of them and every figure."""
    if not tombstones:
        return False
    whole = _whole(text)
    words, figures = set(map(_short, terms(text))), set(map(_short, numbers(text)))
    return any(stone.whole == whole or _is_alike(stone, words, figures) for stone in tombstones)


def _is_alike(stone: Tombstone, words: set[str], figures: set[str]) -> bool:
    wanted = len(stone.words) if len(stone.words) < _FEW else _MOST_ALIKE * len(stone.words)
    return bool(stone.words) and figures.issuperset(stone.figures) and len(words.intersection(stone.words)) >= wanted


def _whole(text: str) -> str:
    return sha256(key(text).encode()).hexdigest()


def _short(word: str) -> str:
    return sha256(word.encode()).hexdigest()[:4]
