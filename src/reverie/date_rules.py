"""What a rule of dates is: words to look for, and the days they mean in a given sentence of a given day."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache
from typing import NamedTuple

from reverie.calendar_spans import Span, one


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
