"""Days, weeks, months, quarters and years as spans of days, counted from one day. Weeks begin on Monday.

What a rule of dates is: words to look for, and the days they mean in a given sentence of a given day.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache
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


def end_of(span: Span) -> Span:
    return Span(span.last, span.last, "day")


def start_of(span: Span) -> Span:
    """The beginning of a month is its first ten days, of a year its first month; a quarter's is not said that way."""
    if span.grain == "month":
        return tenth(span, 0)
    return Span(span.first, month(span.first).last, "month")


def tenth(span: Span, index: int) -> Span:
    """The first, middle or last ten days of a month (上旬, 中旬, 下旬)."""
    last = span.last if index == 2 else span.first + timedelta(days=10 * index + 9)
    return Span(span.first + timedelta(days=10 * index), last, "part")


def same_day(day: date, months: int) -> Span | None:
    """This day of another month; nothing where that month is too short."""
    target = month(day, months)
    moved = target.first + timedelta(days=day.day - 1)
    return one(moved) if moved <= target.last else None


def day_in(span: Span, number: int) -> Span | None:
    """The 15th of that month, if it has one."""
    moved = span.first + timedelta(days=number - 1)
    return one(moved) if number >= 1 and moved <= span.last else None


def nth_weekday(span: Span, weekday: int, nth: int) -> Span | None:
    """The second Tuesday of that month; -1 is the last one."""
    if nth == -1:
        return one(span.last, -((span.last.weekday() - weekday) % 7))
    moved = span.first + timedelta(days=(weekday - span.first.weekday()) % 7 + 7 * (nth - 1))
    return one(moved) if moved <= span.last else None


def before(day: date, weekday: int) -> Span:
    """The nearest such weekday before this day."""
    return one(day, -((day.weekday() - weekday - 1) % 7 + 1))


def after(day: date, weekday: int) -> Span:
    """The nearest such weekday after this day."""
    return one(day, (weekday - day.weekday() - 1) % 7 + 1)


def in_week(day: date, weekday: int, shift: int) -> Span:
    return one(week(day, shift).first, weekday)


def named_month(day: date, number: int, tense: int) -> Span | None:
    """The last or the next month of that name; without a direction, nothing."""
    if not tense or number == day.month:
        return None
    shift = (number - day.month) % 12
    return month(day, shift if tense > 0 else shift - 12)


class Seat(NamedTuple):
    """Where a phrase stands: the day and hour of the note, and what its sentence says of time."""

    day: date
    time: time | None = None
    zone: tzinfo | None = None
    tense: int = 0  # -1 the clause tells of the past, 1 of what is to come, 0 unclear
    habit: bool = False  # the sentence speaks of a rule or of what always happens

    @property
    def after_midnight(self) -> bool:
        return self.time is not None and self.time < time(5)


@cache
def shape(pattern: str) -> re.Pattern[str]:
    """A pattern, compiled when it is first needed: importing these tables costs nothing."""
    return re.compile(pattern)


Resolve = Callable[[re.Match[str], Seat], Span | None]


class Rule(NamedTuple):
    """Words and their meaning. Compiled when a text of its language is first read, so that starting costs nothing."""

    shape: str
    resolve: Resolve

    def compiled(self) -> re.Pattern[str]:
        # What is only left alone has nothing to tell of its parts, and may name one of them twice.
        shape = re.sub(r"\(\?P<\w+>", "(?:", self.shape) if self.resolve is leave else self.shape
        return re.compile(shape, re.IGNORECASE)


# A word of an alphabet does not begin or end inside a longer word, an identifier, a path or a domain.
_LETTERS = "A-Za-z0-9_À-ɏЀ-ӿ"
_BEGIN = rf"(?<![{_LETTERS}@#$/\\=])(?<![{_LETTERS}][-.+])(?<!--)"
_END = rf"(?![{_LETTERS}@/\\=(])(?![-.:+][{_LETTERS}])"


def worded(shape: str, resolve: Resolve) -> Rule:
    """A rule of a language written with spaces."""
    return Rule(f"{_BEGIN}(?:{shape}){_END}", resolve)


def glued(shape: str, resolve: Resolve) -> Rule:
    """A rule of a language written without spaces: the shape itself says where it ends."""
    return Rule(shape, resolve)


def leave(_match: re.Match[str], _seat: Seat) -> None:
    """The phrase is known and means no day of its own; nothing inside it is resolved either."""
    return


def days(shift: int) -> Resolve:
    return lambda _match, seat: one(seat.day, shift)


def evening(shift: int, form: str, led: str = "") -> Resolve:
    """A part of a day that is over or to come. After midnight people still call the day before by these words."""

    def resolve(_match: re.Match[str], seat: Seat) -> Span | None:
        if shift or not seat.after_midnight:
            return one(seat.day, shift)._replace(form=form, led=led)
        # At 00:40 "tonight we had dinner" was yesterday; "tonight I will" is not; anything else is a guess.
        if not seat.tense:
            return None
        return one(seat.day, -1 if seat.tense < 0 else 0)._replace(form=form, led=led)

    return resolve


def moments(seat: Seat, back: timedelta) -> Span | None:
    """The day on which it was so many hours before the hour of the note, across a change of clocks too."""
    if seat.time is None:
        return None
    here = datetime.combine(seat.day, seat.time, seat.zone)
    then = here - back if seat.zone is None else (here.astimezone(UTC) - back).astimezone(seat.zone)
    return one(then.date())
