"""What a statement says, in one spelling for whoever compares two: its words, the names and the values, each with all its readings.

    1,450 EUR · 1450 euro · fourteen hundred and fifty · €1.450         one value
    14 March · 14.03. · 3/14                                            one day (or two: a value may be read in several ways)
    four-four-seven-one · 4-4-7-1 · 44 71                               one number

For comparing only: nothing of it is shown.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from reverie.judge.figures import Figure, figures_in, measured
from reverie.judge.specifics import SpecificKind, normal, specifics_of
from reverie.judge.written_dates import WrittenDay, days_in, times_in, weekdays_in
from reverie.lang import words
from reverie.lang.detect import language_of
from reverie.lang.lexicon import either, valued
from reverie.text.lookalikes import unmasked
from reverie.text.terms import is_negated, stem, terms

_MARK = re.compile(r"<!--.*?-->")
_LEAD = re.compile(
    r"^\s*(?:>\s*)*(?:(?:[-*+•]|\d{1,9}[.)])\s+)?(?:\[[ xX]\]\s+)?(?:[\[(]?\d{1,2}[:：]\d{2}[\])]?(?:\s*[-–—:|])?\s+(?=\S))?"
)
_CODED = re.compile(r"(?<![A-Za-z\d])[A-Za-z]{0,3}\d[A-Za-z\d]*(?:[ -][A-Za-z]?[ -]?\d+)*(?![A-Za-z\d])")
_NUMERALS = re.compile("[\u3007\u96f6\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d]{3,}")  # one a digit
_SHORT_DAY = re.compile(r"(?<![\d-])0?(\d{1,2})-0?(\d{1,2})(?![\d-])")  # or a range, or a number
_POINTED = re.compile(r"0?(\d{1,2})\.0?(\d{1,2})")
_YEAR = re.compile(r"(?:19|20)\d\d")
_WHOLE = frozenset({SpecificKind.CODED, SpecificKind.CODE, SpecificKind.ADDRESS, SpecificKind.PATH})
_TELLING = 4  # characters of a number or code from which few things share it


@dataclass(frozen=True, slots=True)
class SaidValue:
    """A number, day, time or code: all that it may mean, and whether it is one that few things have."""

    readings: frozenset[str]
    telling: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    words: frozenset[str]
    names: frozenset[str]
    values: tuple[SaidValue, ...]
    negated: bool


def bare_statement(text: str) -> str:
    """A line's words: without its bullet, its time of day and our mark."""
    return " ".join(_LEAD.sub("", _MARK.sub(" ", text)).split())


@lru_cache(maxsize=20_000)
def said_in(text: str) -> Said:
    """What a text says, whatever way it is written."""
    said = normal(unmasked(text))
    language = language_of((said,))
    found = specifics_of(said, language)
    names = (stem(one.shown.casefold().partition("'")[0]) for one in found if one.kind is SpecificKind.NAME)
    whole = [_value(re.sub(r"\W", "", one.shown.casefold())) for one in found if one.kind in _WHOLE]
    values = tuple(dict.fromkeys((*whole, *_dated(said, language))))
    return Said(
        frozenset(word for word in terms(said) if not word.isdigit()), frozenset(names), values, is_negated(said)
    )


def _value(*readings: str) -> SaidValue:
    telling = any(len(one) >= _TELLING and one[0] not in "dmwt" and not _YEAR.fullmatch(one) for one in readings)
    return SaidValue(frozenset(readings), telling)


def _dated(text: str, language: str) -> Iterator[SaidValue]:
    """Days, weekdays and times, and the numbers of what is left."""
    days = [day for day in days_in(text) if day.month]
    for day in days:
        yield from _of_day(day)
    text = _without(text, [(day.start, day.end) for day in days])
    yield from (_value(f"d{one}-{two}", f"d{two}-{one}", one + two) for one, two in _SHORT_DAY.findall(text))
    text = _SHORT_DAY.sub(lambda hit: " " * len(hit[0]), text)
    weekdays = weekdays_in(text, language)
    yield from (_value(f"w{day.weekday}") for day in weekdays)
    text = _without(text, [(day.start, day.end) for day in weekdays])
    clocks = times_in(text)
    for clock in clocks:
        full = (str(clock.hour), str(clock.hour % 12)) if not clock.minute else ()
        yield _value(f"t{clock.hour % 12}:{clock.minute}", *full)
    yield from _counted(_without(text, [(clock.start, clock.end) for clock in clocks]))


def _of_day(day: WrittenDay) -> Iterator[SaidValue]:
    number = (day.shown.rstrip(".").replace(",", "."),) if not day.year else ()  # 2.4 may be a day or a number
    yield _value(*(f"d{month}-{its}" if its else f"m{month}" for _, month, its in day.readings), *number)
    if day.day and any(map(str.isalpha, day.shown)):
        yield _value(*(f"m{month}" for _, month, _ in day.readings))
    if day.year:
        yield _value(str(day.year), str(day.year % 100))


def _counted(text: str) -> Iterator[SaidValue]:
    for hit in _NUMERALS.findall(text):
        yield _value("".join(str(int(unicodedata.numeric(char))) for char in hit))
    text = _syllables().sub(_in_digits, _NUMERALS.sub(lambda hit: " " * len(hit[0]), text))
    text = _one_by_one().sub(_told_digits, text)
    for run in _runs(text, figures_in(text)):
        whole = ["".join(f"{max(one.values):.0f}" if one.spelt else one.shown for one in run)] if len(run) > 1 else []
        if whole or not run[0].spelt or max(run[0].values) > 1:
            yield _value(*whole, *(reading for one in run for reading in _readings(one)))
    for hit in _CODED.findall(text):
        glued = re.sub(r"[ -]", "", hit).casefold()
        if not glued.isdigit():
            yield _value(glued, re.sub(r"\D", "", glued))


def _readings(figure: Figure) -> Iterator[str]:
    """A number with its unit or without; of a year also its last two digits; and the day that 3.14 may be."""
    if parts := _POINTED.fullmatch(figure.shown):
        yield from (f"d{parts[1]}-{parts[2]}", f"d{parts[2]}-{parts[1]}")
    for one in measured(figure):
        yield one
        if _YEAR.fullmatch(one):
            yield one[2:]


@cache
def _digit_words() -> Mapping[str, int]:
    """The words for one to nine and nought, in any language."""
    numbers = {form: int(value) for form, value in valued("numbers") if value < 10}
    return {form: 1 for form, value in valued("hints") if value == 1} | numbers


@cache
def _one_by_one() -> re.Pattern[str]:
    """Digits told one by one in words."""
    one = f"(?:{either(form for form in _digit_words() if form.isalpha())})"
    return re.compile(rf"{one}(?:[ ,-]{{1,2}}{one}){{2,}}", re.I)


def _told_digits(found: re.Match[str]) -> str:
    return "".join(str(_digit_words()[word]) for word in re.split("[ ,-]+", found[0].casefold()))


@cache
def _syllables() -> re.Pattern[str]:
    """A number of a script without spaces in words: digits and magnitudes, at least one of each."""
    digits = "".join(words("specifics.syllables"))
    times = "".join(form for form, _ in valued("magnitudes") if "\uac00" <= form <= "\ud7af")
    return re.compile(f"[{digits}][{times}][{digits}{times}]*|[{times}][{digits}][{digits}{times}]*")


def _in_digits(found: re.Match[str]) -> str:
    digits, times = words("specifics.syllables"), dict(valued("magnitudes"))
    total = section = digit = 0.0
    for char in found[0]:
        if char in digits:
            digit = digits.index(char) + 1.0
        elif times[char] >= 10_000:
            total, section, digit = total + (section + digit or 1.0) * times[char], 0.0, 0.0
        else:
            section, digit = section + (digit or 1.0) * times[char], 0.0
    return f" {total + section + digit:.0f} "


def _runs(text: str, figures: Sequence[Figure]) -> Iterator[list[Figure]]:
    """Numbers with nothing but a space or hyphen between them are one: digits told one by one, a year in two halves."""
    run: list[Figure] = []
    for figure in figures:
        if run and (text[run[-1].end : figure.start].strip(" -") or run[-1].unit):
            yield run
            run = []
        run.append(figure)
    if run:
        yield run


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text
