"""The days and times of day that a text writes down, in any form, and whether they follow from what was said on which day.

A day may be written in part (5 March, 2026-04, the 12th). It follows from a source that names it, from the source's own day,
or from words such as "tomorrow" in a note of a known day; a year or month that the source leaves out is the nearest one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache, lru_cache

from reverie.dates.relative import find_dates
from reverie.judge.figures import figures_in, hinted_in
from reverie.lang import LANGUAGES, table, words
from reverie.lang.detect import language_of
from reverie.lang.lexicon import any_of, calendar, either, full_names, one_of, valued

_YEAR = r"(?:19|20)\d\d"
_NEAR = 200  # days: a month without a year lies at most this far behind the day on which it was written …
_AHEAD = 366  # … or at most this far before it
_BESIDE = 45  # days: a number without a month
_CLOCK = re.compile(r"(?<![\d:.])(?P<h>[01]?\d|2[0-4])(?:[:：]|[hH](?=\d))(?P<m>[0-5]\d)(?![\d:])")


@dataclass(frozen=True, slots=True)
class WrittenDay:
    """A day as a text writes it; what it leaves out is zero. `other` is a second way to read it (03/04)."""

    shown: str
    start: int
    end: int
    year: int = 0
    month: int = 0
    day: int = 0
    weekday: int = 0  # from one, Monday
    other: tuple[int, int] = (0, 0)  # month and day the other way round

    @property
    def readings(self) -> tuple[tuple[int, int, int], ...]:
        first = (self.year, self.month, self.day)
        return (first, (self.year, *self.other)) if self.other != (0, 0) else (first,)


@dataclass(frozen=True, slots=True)
class TimeOfDay:
    """A time of day."""

    shown: str
    start: int
    end: int
    hour: int
    minute: int


def times_in(text: str) -> tuple[TimeOfDay, ...]:
    return tuple(TimeOfDay(f[0], f.start(), f.end(), int(f["h"]), int(f["m"])) for f in _CLOCK.finditer(text))


@lru_cache(maxsize=5_000)
def days_in(text: str, language: str = "") -> tuple[WrittenDay, ...]:
    """The days of a text in order. With a language only names that nobody takes for another word; without, every form."""
    found = [day for form in _forms(language) for day in _read(form, text, language)]
    apart: list[WrittenDay] = []
    for one in sorted(found, key=lambda day: (day.start, -day.end)):
        if not apart or one.start >= apart[-1].end:
            apart.append(one)
    return tuple(apart)


@lru_cache(maxsize=5_000)
def weekdays_in(text: str, language: str = "") -> tuple[WrittenDay, ...]:
    """The weekdays of a text. With a language only full names, and short ones with a capital; without, every form."""
    found = []
    for hit in _week(language).finditer(text):
        one = WrittenDay(hit[0], hit.start(), hit.end(), weekday=_place(hit[0], calendar("weekdays", language)))
        if not language or hit[0].casefold() in _full(language) or (hit[0][0].isupper() and len(hit[0]) > 2):
            found += [one, *_listed(text, one)]
    return tuple(found)


def _listed(text: str, first: WrittenDay) -> Iterator[WrittenDay]:
    """The others of a list that names the week once, as Chinese does."""
    head, end = first.shown[:-1], first.end
    if not head or first.shown[-1].isascii():
        return
    names = calendar("weekdays")
    while (more := _more_days().match(text, end)) and (place := names.get(head + more[1])):
        yield WrittenDay(more[1], more.start(1), more.end(1), weekday=place)
        end = more.end()


@cache
def _more_days() -> re.Pattern[str]:
    return re.compile(rf"(?:[、, ]|{one_of('specifics.list_joins')}){{0,2}}([^\W\d_])")


@cache
def _week(language: str) -> re.Pattern[str]:
    more = "".join(form for form, _ in valued("magnitudes") if len(form) == 1 and not form.isascii())
    # A numeral that goes on is no weekday.
    return re.compile(f"(?:{either(calendar('weekdays', language))})(?![{more}])", re.I)


@cache
def _full(language: str) -> frozenset[str]:
    long = (form for form in calendar("weekdays", language) if len(form) > 3 or not form.isascii())
    return frozenset((*long, *full_names("weekdays", language)))


class Calendar:
    """Every day that some texts name or mean, read on the days on which they were said."""

    def __init__(self, said: Sequence[str], days: Sequence[str]) -> None:
        language = language_of(said)
        self.told = tuple(d for text in said for d in (*days_in(text), *days_in(text, language), *_short_days(text)))
        self.seats = tuple(seat for day in dict.fromkeys(days) if (seat := _day(day)))
        self.weekdays = {one.weekday for text in said for one in weekdays_in(text)}
        self.bare = {int(re.findall(r"\d+", n)[-1]) for text in said for n in _bare_days().findall(text)}
        counted = (n for text in said for one in figures_in(text) if one.unit in ("", "d") for n in one.values)
        ordinal = (n for text in said for n in hinted_in(text))
        self.counted = {int(n) for n in (*counted, *ordinal) if n == int(n) and 1 <= n <= 31}
        if any(any_of("specifics.weekends").search(text) for text in said):
            self.weekdays |= {6, 7}
        self.meant = frozenset(self._meant(said)) | {*self.seats}
        self.away = frozenset(self._away(said))
        self.years = {day.year for day in self.told if day.year} | {day.year for day in self.meant}
        for group, way in (("seasons", 1), ("year_after", 1), ("year_before", -1)):
            if any(any_of(f"specifics.{group}").search(text) for text in said):
                self.years |= {seat.year + way for seat in self.seats}
        self.years |= {year for year, _, _ in self.away}
        self.years |= {2000 + int(n) for text in said for n in re.findall(r"['’](\d\d)(?!\d)", text)}
        self.years |= {int(n) for text in said for n in re.findall(rf"(?<!\d){_YEAR}(?!\d)", text)}

    def has(self, wanted: WrittenDay) -> bool:
        """Whether a day follows from what was said."""
        if wanted.weekday:
            return wanted.weekday in self.weekdays or wanted.weekday in {day.isoweekday() for day in self._dated()}
        return any(self._has(*reading) for reading in wanted.readings)

    def _has(self, year: int, month: int, day: int) -> bool:
        if not month:
            return year in self.years
        if any(self._is(year, month, day, one) for one in self.meant):
            return True
        if any(month == m and year in (0, y) and (not day or day == d) for y, m, d in self.away):
            return True
        for y, m, d in (reading for told in self.told for reading in told.readings):
            apart = day in self.bare or (not d and day in self.counted)  # the day stands elsewhere: "the 12th, in May"
            if month == m and (not day or day == d or apart) and self._year_fits(year, month, day, y):
                return True
        return bool(day) and day in self.bare and any(self._near(year, month, day, seat) for seat in self.seats)

    def _is(self, year: int, month: int, day: int, one: date) -> bool:
        return month == one.month and (not day or day == one.day) and (not year or year == one.year)

    def _year_fits(self, year: int, month: int, day: int, told: int) -> bool:
        if not year or year == told:
            return True
        if told:
            return False
        if not self.seats:
            return year in self.years
        return any(seat.year == year or -_NEAR <= _ahead(year, month, day, seat) <= _AHEAD for seat in self.seats)

    def _near(self, year: int, month: int, day: int, seat: date) -> bool:
        """A bare number is a day of the note's month, or of the one beside it."""
        beside = min((month - seat.month) % 12, (seat.month - month) % 12) <= 1
        return beside and (not year or abs(_ahead(year, month, day, seat)) <= _BESIDE)

    def _dated(self) -> Iterator[date]:
        yield from self.meant
        yield from self.named()

    def named(self) -> Iterator[date]:
        """The days that are written out, in the note's year where none is named."""
        years = {seat.year for seat in self.seats} or self.years
        for y, m, d in (reading for told in self.told for reading in told.readings):
            for year in {y} if y else years:
                if m and d and (one := _safe(year, m, d)):
                    yield one

    def _meant(self, said: Sequence[str]) -> Iterator[date]:
        for seat in self.seats:
            for text in said:
                for dated in find_dates(_spelt_out(text), seat):
                    span = (dated.last - dated.first).days
                    yield from (dated.first + timedelta(n) for n in range(min(span, 31) + 1))
                    yield dated.last
                # A bare weekday may be the last or the next one; which of them, its reader knew.
                for one in weekdays_in(text):
                    yield from (
                        seat + timedelta(n) for n in range(-7, 14) if (seat + timedelta(n)).isoweekday() == one.weekday
                    )

    def _away(self, said: Sequence[str]) -> Iterator[tuple[int, int, int]]:
        """Days so many days, weeks, months or years from the note's day or from one that is named: in six weeks, 2 days before."""
        years = {seat.year for seat in self.seats}
        named = [(y or year, m, d) for told in self.told for y, m, d in told.readings if m for year in years or {0}]
        spans = {(n, one.unit) for text in said for one in figures_in(text) for n in one.values if one.unit in _SPANS}
        anchors = {*named[:_MOST], *((seat.year, seat.month, seat.day) for seat in self.seats)}
        for count, unit in sorted(spans)[:_MOST]:
            for anchor in anchors if count == int(count) and count <= _FAR else ():
                yield from _moved(anchor, int(count), unit)


def _spelt_out(text: str) -> str:
    """A text whose short words for days are written in full: tmrw."""
    for full, forms in _short_forms():
        text = forms.sub(full, text)
    return text


@cache
def _short_forms() -> tuple[tuple[str, re.Pattern[str]], ...]:
    tables = (table(code, "specifics.short_days") for code in LANGUAGES)
    return tuple((full, re.compile(either(forms), re.I)) for one in tables for full, forms in one.items())


_SPANS = {"d": 1, "week": 7, "month": 0, "year": 0}
_MOST = 12  # days and spans that are tried together
_FAR = 400


def _moved(anchor: tuple[int, int, int], count: int, unit: str) -> Iterator[tuple[int, int, int]]:
    year, month, day = anchor
    for way in (count, -count):
        if unit in ("month", "year"):
            months = year * 12 + month - 1 + way * (12 if unit == "year" else 1)
            yield months // 12, months % 12 + 1, day
        elif (one := _safe(year, month, day)) is not None:
            with suppress(OverflowError):  # beyond the calendar's end there is no day
                moved = one + timedelta(way * _SPANS[unit])
                yield moved.year, moved.month, moved.day


@cache
def _bare_days() -> re.Pattern[str]:
    """A day of the month by its ordinal, or behind a weekday or an article: the 12th, zum 26., Fri 3, el 9."""
    ordinal = "|".join(map(re.escape, (*words("specifics.ordinals"), *words("specifics.day_marks"))))
    months = one_of("specifics.month_marks")
    before = "|".join((either(calendar("weekdays")), one_of("specifics.joins"), one_of("specifics.day_articles")))
    return re.compile(
        rf"(?<![\d.,:-])\d{{1,2}}(?=(?: ?(?!{months})\D ?\d{{1,2}})? ?(?:{ordinal})|\.(?!\d))|(?:{before})[.,]? \d{{1,2}}(?![\d:%]|[.,-]\d)",
        re.I,
    )


_SHORT = re.compile(r"(?<![\d.,:/-])(\d{1,2})\.(\d{1,2})(?![\d.%]|\s?[^\W\d_]{0,2}%)")


def _short_days(text: str) -> Iterator[WrittenDay]:
    """What may be a day and a month with nothing to say so: 4.3."""
    for hit in _SHORT.finditer(text):
        first, second = int(hit[1]), int(hit[2])
        for month, day in ((first, second), (second, first)):
            if 1 <= month <= 12 and 1 <= day <= 31:
                yield WrittenDay(hit[0], hit.start(), hit.end(), 0, month, day)


@cache
def _forms(language: str) -> tuple[re.Pattern[str], ...]:
    name = either(_months(language))
    join = f"(?:{one_of('specifics.joins')}[ ]+)*"
    ordinal = f"(?:{'|'.join(map(re.escape, words('specifics.ordinals')))}|\\.)?"
    y, m, d = (one_of(f"specifics.{mark}_marks") for mark in ("year", "month", "day"))
    han = "|".join(
        form for form, value in (*valued("numbers"), *valued("magnitudes")) if len(form) == 1 and 1 <= value <= 10
    )
    shapes = (
        rf"(?<!\d)(?P<y>{_YEAR})[-/.](?P<m>\d{{1,2}})[-/.](?P<d>\d{{1,2}})(?!\d)",
        rf"(?<![\d.])(?P<d>\d{{1,2}})[./-](?P<m>\d{{1,2}})[./-](?P<y>{_YEAR}|2\d|3\d)(?!\d|\.\d)",
        rf"(?<!\d)(?P<y>\d{{4}}|\d\d)\s?{y}\s?(?P<m>\d{{1,2}})\s?{m}(?:\s?(?P<d>\d{{1,2}})(?:\s?{d})?(?![\d:]))?",
        rf"(?P<han>(?:{han}){{1,2}}){m}(?!\d)",
        rf"(?<!\d)(?P<m>\d{{1,2}})\s?{m}(?:\s?(?P<d>\d{{1,2}})(?:\s?{d})?(?![\d:]))?",
        rf"(?<!\d)(?P<y>\d{{4}})\s?{y}",
        rf"(?<![\d.,])(?P<d>\d{{1,2}}){ordinal} ?{join}(?P<name>{name})\.?(?:,? ?{join}(?P<y>{_YEAR}|['’]\d\d)(?!\d))?",
        rf"(?P<name>{name})\.?(?: {join}(?P<d>\d{{1,2}}){ordinal}(?![\d:%]))(?:,? (?P<y>{_YEAR})(?!\d))?",
        rf"(?P<name>{name})\.?(?:,? ?{join}(?P<y>{_YEAR}|['’]\d\d)(?!\d))?",
        rf"(?<![\d-])(?P<y>{_YEAR})-(?P<m>0[1-9]|1[0-2])(?![\d-])",
        rf"(?<![\d./])(?P<m>0?[1-9]|1[0-2])[./](?P<y>{_YEAR})(?!\d)",
        r"(?<![\d.,])(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?!\d)",
        r"(?<![\d./])(?P<d>\d{1,2})/(?P<m>\d{1,2})(?![\d/.%])",
        rf"(?<![\d.,:/$€£¥+_-])(?P<y>{_YEAR})(?![\d:/%]|[.,-]\d)",
    )
    return tuple(re.compile(shape, re.I) for shape in shapes)


@cache
def _months(language: str) -> dict[str, int]:
    """Names of months: all of them, or, for a text whose language is known, the full ones of every language."""
    if not language:
        return dict(calendar("months"))
    return {name: place for code in LANGUAGES for name, place in full_names("months", code).items()}


def _read(form: re.Pattern[str], text: str, language: str) -> Iterator[WrittenDay]:
    for found in form.finditer(text):
        groups = {name: value for name, value in found.groupdict().items() if value}
        year, day = _year(groups.get("y", "")), int(groups.get("d", 0))
        name = groups.get("name", "")
        month = _place(name, calendar("months")) if name else int(groups.get("m", 0)) or _counted(groups.get("han", ""))
        if name and language and not (day or year):
            english = name.casefold() in full_names("months", "en")
            if (english and not name[0].isupper()) or not _is_month_of(name, language):
                continue  # "we may", "march on", the planet Mars
        other = (day, month) if "/" in found[0] and day and 1 <= day <= 12 and month <= 31 else (0, 0)
        no_day = ("d" in groups and not 1 <= day <= 31) or ("m" in groups and not 1 <= month <= 12)
        if no_day and other == (0, 0):
            if (year and len(groups) == 3) or name:
                yield WrittenDay(found[0], found.start(), found.end(), year, 99, 99)  # written as a day, and none
            continue
        if month > 12:
            month, day, other = *other, (0, 0)
        if month or year:
            shown = found[0].rstrip(". ") if name else found[0]
            yield WrittenDay(shown, found.start(), found.end(), year, month, day, other=other)


def _is_month_of(name: str, language: str) -> bool:
    return _place(name, full_names("months", language)) > 0 or _place(name, full_names("months", "en")) > 0


def _counted(numeral: str) -> int:
    """The month of a numeral of one or two characters; zero if it is none."""
    value = max((value for figure in figures_in(numeral) for value in figure.values), default=0.0)
    return int(value) if 1 <= value <= 12 else 0


def _year(said: str) -> int:
    digits = said.lstrip("'’")
    return int(digits) + (2000 if len(digits) == 2 else 0) if digits else 0


def _place(name: str, names: Mapping[str, int]) -> int:
    low = name.casefold()
    stars = (place for form, place in names.items() if low == form or (form[-1] == "*" and low.startswith(form[:-1])))
    return next(stars, 0)


def _day(said: str) -> date | None:
    try:
        return date.fromisoformat(said[:10])
    except ValueError:
        return None


def _safe(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _ahead(year: int, month: int, day: int, seat: date) -> int:
    one = _safe(year, month, day or 15) or _safe(year, month, 28)
    return (one - seat).days if one else 10_000
