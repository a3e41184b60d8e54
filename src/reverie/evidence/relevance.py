"""What a question asks: its telling words, the day it is about, and how far a line answers it.

A raw similarity says little, because every embedder has its own scale and every memory its own subjects. So a word counts by
how rare it is in this memory, and a similarity by how far it stands out from those of all the other lines. Of days, relative
words are read by `dates`, which would rather leave a phrase alone than guess; a day of the calendar without a year is the
last such day. A question that asks for nothing but the day asks for its whole note.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache, lru_cache

from reverie.dates.relative import find_dates
from reverie.lang import LANGUAGES, words, words_in
from reverie.lang.lexicon import any_of, calendar, full_names
from reverie.text.terms import asked, stop_words, terms
from reverie.workspace.values import Statement

USUAL = 0.15, 0.15  # nearness of any line to any question, and its spread
FEW = 10  # lines for which that counts, so that it is forgotten in a memory of hundreds
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


def telling(message: str) -> list[str]:
    """The words of a message that say what it is about, and not how the question is put; none, if it only asks."""
    found = asked(_cut("asking.cut").sub(" ", message))
    return [term for term in found if term not in _stems("asking.frames") and term not in stop_words()]


@cache
def framing() -> frozenset[str]:
    """The terms of words that put a question or hold a sentence together, in any language: used, going, anything."""
    return (
        stop_words()
        | _stems("text.stop_words")
        | _stems("asking.frames")
        | _stems("asking.doing")
        | _stems("asking.asks")
    )


@cache
def _stems(group: str) -> frozenset[str]:
    return frozenset(stem for word in words(group) for stem in asked(word))


@cache
def _cut(group: str) -> re.Pattern[str]:
    """Words of scripts without spaces, the longest first: cut out, so that no pair is made across them."""
    return re.compile("|".join(map(re.escape, sorted(words(group), key=len, reverse=True))))


def background(lines: int, often: Callable[[str], int], cosines: Sequence[float]) -> Background:
    """From a sample of lines; of a few lines what is usual elsewhere. Without any nothing is known of meaning."""
    if not cosines:
        return Background(lines, often)
    count = len(cosines) + FEW
    mean = (sum(cosines) + FEW * USUAL[0]) / count
    spread = math.sqrt((sum((one - mean) ** 2 for one in cosines) + FEW * USUAL[1] ** 2) / count)
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

    def share(self, claim: Statement) -> float:
        """How much of what the message says this line says, rare words counting more."""
        said, above = _said(f"{claim.lead} {claim.text}"), _said(claim.heading)
        covers = {word: _covers(word, said, above) for word in self._weights}
        covered = sum(weight * covers[word] for word, weight in self._weights.items())
        share = covered / self._whole if self._whole else 0.0
        alone = len(covers) > 1 and sum(map(bool, covers.values())) == 1
        return max(0.0, share - ALONE) if alone else share

    def _weight(self, word: str) -> float:
        count = self._usual.often(word)
        rarity = math.log((self._usual.lines + 1) / (count + 0.5))
        return max(rarity, 0.1) * (ACCIDENT if not count and _GLUED.match(word) else 1.0)


@dataclass(frozen=True, slots=True)
class _Said:
    """The terms of a text, also without the ending of a plural, and those long enough to be a part of another."""

    terms: frozenset[str]
    singular: frozenset[str]
    joined: str
    parts: tuple[str, ...]


@lru_cache(maxsize=5_000)
def _said(text: str) -> _Said:
    found = frozenset(terms(text))
    parts = tuple(term for term in found if len(term) > _SHORTEST_PART)
    return _Said(found, frozenset(term.removesuffix("s") for term in found), " ".join(found), parts)


def _covers(word: str, said: _Said, above: _Said) -> float:
    if word in said.terms:
        return 1.0
    if _part_of(word, said):
        return PART
    return HEADING if word in above.terms else HEADING * PART if _part_of(word, above) else 0.0


def _part_of(word: str, others: _Said) -> bool:
    """Inside a longer word, or the other way round; short words are inside everything, and only have a plural."""
    if word.removesuffix("s") in others.singular:
        return True
    if len(word) < _SHORTEST_PART or not word.isalpha():
        return False
    return word in others.joined or any(other in word for other in others.parts)


LONGEST = 14  # days; more is no day
_GRAINS = frozenset({"day", "weekend", "week"})


@dataclass(frozen=True, slots=True)
class AskedDay:
    """The days a question is about, both ends included, what it asks besides, and whether that is all it asks."""

    first: date
    last: date
    rest: str
    whole: bool

    def holds(self, day: str) -> bool:
        """Whether an ISO day is one of them."""
        return self.first.isoformat() <= day <= self.last.isoformat()

    @property
    def days(self) -> tuple[str, ...]:
        span = (self.last - self.first).days + 1
        return tuple((self.first + timedelta(days=count)).isoformat() for count in range(span))


def asked_day(question: str, today: date) -> AskedDay | None:
    """The day that a question of today asks about; None where it names none, several, or one that is not certain."""
    found = _written(question, today) or _relative(question, today)
    if found is None or (found[3] - found[2]).days >= LONGEST:
        return None
    start, end, first, last = found
    rest = " ".join(f"{_leading().sub('', question[:start])} {question[end:]}".split())
    return AskedDay(first, last, rest, _asks_for_the_day(rest, question))


def _relative(question: str, today: date) -> tuple[int, int, date, date] | None:
    dated = find_dates(question, today)
    for language, speaks in _speaking().items():
        if not dated and speaks.search(question):
            dated = find_dates(question, today, lang=language)
    if len(dated) != 1 or dated[0].grain not in _GRAINS:
        return None
    return dated[0].start, dated[0].end, dated[0].first, dated[0].last


def _written(question: str, today: date) -> tuple[int, int, date, date] | None:
    """A day of the calendar, in figures or by the name of its month. Two of them are no day."""
    found: list[tuple[int, int, date]] = []
    for shape in _shapes():
        for match in shape.finditer(question):
            day = _calendar_day(match, today)
            if day is not None and not any(match.start() < end and start < match.end() for start, end, _ in found):
                found.append((match.start(), match.end(), day))
    return (*found[0], found[0][2]) if len(found) == 1 else None


def _calendar_day(match: re.Match[str], today: date) -> date | None:
    parts = match.groupdict()
    if any_of("asking.month_or_verb").match(match[0]) and re.match(r"\s*\w", match.string[match.end() :]):
        return None  # "May 5 people come?"
    month = _month(parts["name"]) if parts.get("name") else int(parts["month"])
    try:
        if parts["year"]:
            return date(int(parts["year"]), month, int(parts["day"]))
        this = date(today.year, month, int(parts["day"]))
        return this if this <= today else date(today.year - 1, month, int(parts["day"]))
    except ValueError:  # there is no 31 November
        return None


@cache
def _months() -> Mapping[str, int]:
    """Names of months, abbreviated ones only in English: "3 out" is no day in October. A star is any ending."""
    found = dict(calendar("months", "en"))
    for language in LANGUAGES:
        first = {number: name for name, number in full_names("months", language).items()}
        for name, number in calendar("months", language).items():
            if name == first[number] or not first[number].startswith(name):
                found.setdefault(name, number)
    return found


def _month(name: str) -> int:
    low = name.casefold()
    return _months().get(low) or next(
        number for form, number in _months().items() if form.endswith("*") and low.startswith(form[:-1])
    )


@cache
def _shapes() -> tuple[re.Pattern[str], ...]:
    names = "|".join(re.escape(name).replace(r"\*", r"\w*") for name in sorted(_months(), key=len, reverse=True))
    inside = "|".join(words("asking.in_dates"))
    endings = "|".join(words("asking.day_endings"))
    year = rf"(?:,?\s+(?:(?:{inside})\s+)?(?P<year>(?:19|20)\d\d)\b)?"
    years, months, days = ("".join(words(f"specifics.{name}_marks")) for name in ("year", "month", "day"))
    return (
        re.compile(r"(?<![\d-])(?P<year>(?:19|20)\d\d)[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)"),
        re.compile(
            rf"(?<!\w)(?P<day>\d{{1,2}})(?:{endings}|\.)?\s+(?:(?:{inside})\s+)?(?P<name>{names})\b\.?{year}", re.I
        ),
        re.compile(
            rf"\b(?P<name>{names})\.?\s+(?:(?:{inside})\s+)?(?P<day>\d{{1,2}})(?:{endings})?(?![\d:]){year}", re.I
        ),
        re.compile(
            rf"(?:(?P<year>(?:19|20)\d\d)\s*[{years}]\s*)?(?P<month>\d{{1,2}})\s*[{months}]\s*(?P<day>\d{{1,2}})\s*[{days}]"
        ),
    )


@cache
def _leading() -> re.Pattern[str]:
    return re.compile(rf"(?:\b(?:{'|'.join(words('asking.before_day'))})\s+)+$", re.I)


@cache
def _speaking() -> Mapping[str, re.Pattern[str]]:
    """How questions begin in languages whose words for a day are words of another one, too."""
    listed = {language: words_in("asking.speaks", language) for language in LANGUAGES}
    return {
        language: re.compile(rf"\b(?:{'|'.join(map(re.escape, begins))})", re.I)
        for language, begins in listed.items()
        if begins
    }


def _asks_for_the_day(rest: str, question: str) -> bool:
    """Nothing is left but words for doing, and somebody asks; or the question is the day and nothing else."""
    if not asked(rest):
        return True
    if not ("?" in question or "？" in question or any_of("asking.asks").search(question)):
        return False
    return not set(telling(_cut("asking.doing_cut").sub(" ", rest))) - _stems("asking.doing")
