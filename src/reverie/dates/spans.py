"""Days, weeks, months, quarters and years as spans of days, counted from one day. Weeks begin on Monday."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta
from typing import NamedTuple


class Span(NamedTuple):
    """The days a phrase means, both ends included, and how to write them where a plain date would lose a word.

    `form` is a template such as "the evening of {}"; `led` is the same with the preposition a sentence needs before it.
    """

    first: date
    last: date
    grain: str  # day, weekend, week, part (of a month or year), month, quarter, year
    form: str = "{}"
    led: str = ""


def one(day: date, shift: int = 0) -> Span:
    moved = day + timedelta(days=shift)
    return Span(moved, moved, "day")


def week(day: date, shift: int = 0) -> Span:
    monday = day + timedelta(days=7 * shift - day.weekday())
    return Span(monday, monday + timedelta(days=6), "week")


def weekend(day: date, shift: int = 0) -> Span:
    monday = week(day, shift).first
    return Span(monday + timedelta(days=5), monday + timedelta(days=6), "weekend")


def month(day: date, shift: int = 0) -> Span:
    year, index = divmod(day.year * 12 + day.month - 1 + shift, 12)
    return Span(date(year, index + 1, 1), date(year, index + 1, monthrange(year, index + 1)[1]), "month")


def quarter(day: date, shift: int = 0) -> Span:
    begin = month(day, -((day.month - 1) % 3) + 3 * shift).first
    return Span(begin, month(begin, 2).last, "quarter")


def year(day: date, shift: int = 0) -> Span:
    return Span(date(day.year + shift, 1, 1), date(day.year + shift, 12, 31), "year")


SPANS = {"week": week, "weekend": weekend, "month": month, "quarter": quarter, "year": year}


def moved(day: date, unit: str, count: int) -> Span:
    """So many units away: days and weeks to the day, months and years no more exactly than that month or year."""
    if unit in ("month", "year"):
        return SPANS[unit](day, count)
    return one(day, count * {"day": 1, "week": 7, "fortnight": 14}[unit])


def end_of(span: Span) -> Span:
    return Span(span.last, span.last, "day")


def start_of(span: Span) -> Span:
    """The beginning of a month is its first ten days, of a year its first month; a quarter's is not said that way."""
    if span.grain == "month":
        return tenth(span, 0)
    return Span(span.first, month(span.first).last, "month")


def tenth(span: Span, index: int) -> Span:
    """The first, middle or last ten days of a month."""
    last = span.last if index == 2 else span.first + timedelta(days=10 * index + 9)
    return Span(span.first + timedelta(days=10 * index), last, "part")


def same_day(day: date, months: int) -> Span | None:
    """This day of another month; nothing where that month is too short."""
    return day_in(month(day, months), day.day)


def day_in(span: Span, number: int) -> Span | None:
    """The 15th of that month, if it has one."""
    found = span.first + timedelta(days=number - 1)
    return one(found) if number >= 1 and found <= span.last else None


def nth_weekday(span: Span, weekday: int, nth: int) -> Span | None:
    """The second Tuesday of that month; -1 is the last one."""
    if nth == -1:
        return one(span.last, -((span.last.weekday() - weekday) % 7))
    found = span.first + timedelta(days=(weekday - span.first.weekday()) % 7 + 7 * (nth - 1))
    return one(found) if found <= span.last else None


def before(day: date, weekday: int) -> Span:
    """The nearest such weekday before this day."""
    return one(day, -((day.weekday() - weekday - 1) % 7 + 1))


def after(day: date, weekday: int) -> Span:
    """The nearest such weekday after this day."""
    return one(day, (weekday - day.weekday() - 1) % 7 + 1)


def named_month(day: date, number: int, tense: int) -> Span | None:
    """The last or the next month of that name; without a direction, nothing."""
    if not tense or number == day.month:
        return None
    shift = (number - day.month) % 12
    return month(day, shift if tense > 0 else shift - 12)
