"""What of a line its source does not say: numbers, days, paths, names, words. A second reading, independent of the night's.

A line of a dream is made of its source's own words, so that whatever stands in the one and not in the other was changed or
invented. Words are compared as they are written, not by their stems: Vidal is not Vidales, and 80 is not 8080.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from reverie.sense import is_negated, values_in
from reverie.stopwords import STOP_WORDS

_GLUED = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_MARKUP = re.compile(r"<!--.*?-->|\*\*|__|~~|`")
_PATH = re.compile(
    rf"(?:~|\.{{1,2}})?(?:/[^\s/,;:()'\"`{_GLUED}]+)+/?|[\w.~-]+(?:/[\w.-]+)+/?|\b[\w-]+\.[a-z]{{2,4}}\b", re.A
)
_DAY = re.compile(r"\d{4}-\d{2}(?:-\d{2})?")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_THOUSANDS = re.compile(r"(?<=\d)[., \u00a0\u202f](?=\d{3}(?!\d))")
_WORD = re.compile(rf"[^\W\d_{_GLUED}]+(?:['’][^\W\d_{_GLUED}]+)*")
_RUN = re.compile(f"[{_GLUED}]+")
SOME = 0.3  # of a line's common words may be others: a note whose typing errors were mended says the same


@dataclass(frozen=True, slots=True)
class Unsaid:
    """What a source does not have of a line."""

    numbers: tuple[str, ...] = ()
    days: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    most: bool = False  # so many words that it says something else
    turned: bool = False  # the one says "not", and the other never does

    @property
    def specifics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.numbers, *self.days, *self.paths, *self.names)))

    def __bool__(self) -> bool:
        return bool(self.specifics) or self.most or self.turned


def unsaid(line: str, told: str) -> Unsaid:
    """What this line has and this text has not; false if the text says the line."""
    line, told = _plain(line), _plain(told)
    low = told.casefold()
    paths = tuple(path for path in _PATH.findall(line) if path.casefold() not in low)
    rest = _PATH.sub(" ", line)
    days = tuple(day for day in _DAY.findall(rest) if day not in told)
    rest = _DAY.sub(" ", rest)
    have = numbers_in(_DAY.sub(" ", told))  # the 19 of a note's own day is no number that it tells
    numbers = tuple(number for number in numbers_in(rest) if number not in have)
    numbers += tuple(
        sorted(v for v in values_in(rest) - values_in(told) if not _has_digit(v) and v.casefold() not in low)
    )
    names, words, share = _words(rest, told)
    return Unsaid(numbers, days, paths, names, words, share > SOME, is_negated(line) and not is_negated(told))


@lru_cache(maxsize=20_000)
def numbers_in(text: str) -> tuple[str, ...]:
    """The numbers of a text, each once, without the marks that only group their digits."""
    return tuple(dict.fromkeys(_NUMBER.findall(_THOUSANDS.sub("", text))))


def _words(line: str, told: str) -> tuple[tuple[str, ...], tuple[str, ...], float]:
    """Names, other words, and the share of all of them that the text does not have."""
    have = set(_WORD.findall(told.casefold()))
    said = [word for word in _WORD.findall(line) if len(word) > 1]
    missing = [word for word in said if word.casefold() not in have and word.casefold() not in STOP_WORDS]
    glued = [run for run in _RUN.findall(line) if len(run) > 1]
    strange = [part for run in glued for part in _strange(run, told)]
    names = tuple(word for word in missing if not word[0].islower()) + tuple(strange)  # Korean has no capitals
    lost, every = len(missing) + sum(map(len, strange)) / 2, len(said) + sum(map(len, glued)) / 2
    return names, tuple(word for word in missing if word[0].islower()), lost / every if every else 0.0


def _strange(run: str, told: str) -> list[str]:
    """The parts of a run without spaces whose pairs of characters the text does not have."""
    new = [run[i : i + 2] not in told for i in range(len(run) - 1)]
    parts, begin = [], None
    for i, strange in enumerate([*new, False]):
        if strange and begin is None:
            begin = i
        elif not strange and begin is not None:
            parts.append(run[begin : i + 1])
            begin = None
    return parts


def _has_digit(text: str) -> bool:
    return any(char.isdigit() for char in text)


@lru_cache(maxsize=20_000)
def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", _MARKUP.sub("", text))
