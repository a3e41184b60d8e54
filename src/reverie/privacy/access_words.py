"""Where the words of access stand in a line: every language, every group, in one walk over its words.

A word of the lists may be open at an end (`*password*`) or have several parts (`seed phrase`). A line is cut into words once,
and what a word can begin is remembered, so that an ordinary line costs a few lookups and nothing is compiled for it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from reverie.lang import words
from reverie.lang.lexicon import GLUED

Span = tuple[int, int]
GROUPS = (
    "names", "codes", "acts", "with", "worded", "keys", "alone", "logins", "locks", "networks", "other", "digits", "tens",
    "changed", "usual", "questions", "answers", "asked", "turns", "entered", "guests", "drawn",
)  # fmt: skip
_TOKEN = re.compile(rf"[^\W\d_{GLUED}]+")
_GLUED = re.compile(f"[{GLUED}]")
_NOTHING: Mapping[str, tuple[Span, ...]] = {}


@dataclass(frozen=True)
class _Word:
    """One word of the lists: its text in small letters, at which ends it is open, and what it is listed as."""

    body: str
    stem: str  # the letters by which it is looked up
    before: bool
    after: bool
    groups: tuple[str, ...]

    @property
    def is_plain(self) -> bool:
        return self.stem == self.body or (" " not in self.body and is_undivided(self.body))


@dataclass(frozen=True)
class _Index:
    """The words of the lists by their first letters, by what they hold inside, and by their first sign."""

    first: Mapping[str, tuple[_Word, ...]]
    inside: tuple[_Word, ...]
    glued: Mapping[str, tuple[_Word, ...]]
    signs: re.Pattern[str]


@cache
def _index() -> _Index:
    listed: dict[str, list[str]] = {}
    for group in GROUPS:
        for one in words(f"access.{group}"):
            listed.setdefault(one.lower(), []).append(group)
    first: dict[str, list[_Word]] = {}
    glued: dict[str, list[_Word]] = {}
    inside = []
    for one, groups in listed.items():
        body = one.strip("*")
        letters = _TOKEN.match(body)
        stem = letters[0] if letters else body[0]
        word = _Word(body, stem, one.startswith("*"), one.endswith("*"), tuple(groups))
        if _GLUED.match(word.body):
            glued.setdefault(word.body[0], []).append(word)
        elif word.before:
            inside.append(word)
        else:
            first.setdefault(word.stem, []).append(word)
    return _Index(
        {stem: tuple(every) for stem, every in first.items()},
        tuple(inside),
        {sign: tuple(every) for sign, every in glued.items()},
        re.compile(f"[{''.join(map(re.escape, glued))}]"),
    )


def folded(text: str) -> str:
    """Small letters, each at its place: a letter whose small form is two stays as it is."""
    low = text.lower()
    return low if len(low) == len(text) else re.sub("[A-Z]+", lambda found: found[0].lower(), text)


@lru_cache(maxsize=16)
def words_of_access(line: str) -> Mapping[str, tuple[Span, ...]]:
    """Where the words of each group stand in a line, in order."""
    low = folded(line)
    found: dict[str, set[Span]] = {}
    for token in _TOKEN.finditer(low):
        for word, at in _begun_by(token[0]):
            _note(found, word, low, token.start() + at)
    for sign in _index().signs.finditer(low):
        for word in _index().glued[sign[0]]:
            if not word.is_plain or low.startswith(word.body, sign.start()):
                _note(found, word, low, sign.start())
    return {group: tuple(sorted(spans)) for group, spans in found.items()} if found else _NOTHING


@lru_cache(maxsize=20_000)
def _begun_by(token: str) -> tuple[tuple[_Word, int], ...]:
    """The words of the lists that may begin in this one, and where."""
    index = _index()
    starts = (word for size in range(1, len(token) + 1) for word in index.first.get(token[:size], ()))
    begun = [(word, 0) for word in starts if len(word.stem) == len(token) or word.after or "*" in word.body]
    for word in index.inside:
        at = token.find(word.stem)
        if at >= 0 and (word.after or not word.is_plain or at + len(word.stem) == len(token)):
            begun.append((word, at))
    return tuple(begun)


def _note(found: dict[str, set[Span]], word: _Word, low: str, start: int) -> None:
    if word.is_plain:
        end = start + len(word.body)
    else:
        whole = _pattern(word).match(low, start)
        if not whole or not (word.after or is_undivided(word.body) or _closed().match(low, whole.end())):
            return
        end = whole.end()
    for group in word.groups:
        found.setdefault(group, set()).add((start, end))


@cache
def _pattern(word: _Word) -> re.Pattern[str]:
    return re.compile(written(word.body))


@cache
def _closed() -> re.Pattern[str]:
    return re.compile(closed())  # once: the set of large scripts in it takes longer to build than a line to read


def written(word: str) -> str:
    """A word of several parts as a pattern: blanks, strokes and lines below join them alike."""
    return re.escape(word.strip("*").lower()).replace(r"\ ", r"[\s_-]").replace(r"\*", r"\w*")


def closed() -> str:
    """No letter goes on behind a word; signs of languages that do not divide words may."""
    return rf"(?![^\W\d_{GLUED}])"


def any_apart(every: tuple[str, ...]) -> str:
    """Any of these words, standing apart, in small letters; what is asked around them is asked once."""
    apart = sorted((one for one in every if not _GLUED.match(one)), key=len, reverse=True)
    return rf"(?<![^\W\d_{GLUED}])(?:{'|'.join(map(written, apart))}){closed()}"


def is_undivided(word: str) -> bool:
    """Whether a word is of a language that does not divide words."""
    return _GLUED.match(word) is not None
