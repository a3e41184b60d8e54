"""Cron expressions as a value: five fields, and the moments at which they come in a zone. Pure; reads no clock.

A wall time that a spring night skips comes once, at the first moment after the gap. One that an autumn night has twice
comes once, the first time. Day of month and day of week: where both are named, either is enough (as cron has always done).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_NAMES = {
    "month": {name: n for n, name in enumerate(_MONTHS, 1)},
    "day of week": {name: n for n, name in enumerate(_DAYS)},
}
_FIELDS = (("minute", 0, 59), ("hour", 0, 23), ("day of month", 1, 31), ("month", 1, 12), ("day of week", 0, 7))
_LONGEST = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_SHORT = {
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
}  # fmt: skip
_PART = re.compile(r"(?P<first>\*|\w+)(?:-(?P<last>\w+))?(?:/(?P<step>\d+))?", re.A)
HORIZON = 366 * 9  # days: from 2096 the next 29th of February is eight years away


@dataclass(frozen=True, slots=True)
class Cron:
    """When something comes, by the wall clock. Made by `parse_cron`, which knows that it comes at all."""

    text: str
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]  # Sunday is 0
    either: bool  # day of month and day of week are both named

    def on(self, day: date) -> bool:
        """Whether it comes on this day."""
        by_date, by_week = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        return day.month in self.months and (by_date or by_week if self.either else by_date and by_week)


@lru_cache(maxsize=64)
def parse_cron(text: str) -> Cron:
    """Read an expression such as `30 3 * * mon-fri`. Raises ValueError with a sentence that names the field."""
    words = _SHORT.get(text.strip().lower(), text).split()
    if len(words) != len(_FIELDS):
        raise ValueError(f"a cron expression has five fields, and {text.strip()!r} has {len(words)}")
    found = [_field(word, *about) for word, about in zip(words, _FIELDS, strict=True)]
    minutes, hours, days, months = found[:4]
    weekdays = frozenset(day % 7 for day in found[4])  # Sunday is 0 and 7
    named_day, named_week = not words[2].startswith("*"), not words[4].startswith("*")
    if not (named_day and named_week) and not any(day <= _LONGEST[month - 1] for day in days for month in months):
        raise ValueError(f"{text.strip()!r} names a day that no month has")
    return Cron(
        " ".join(words), tuple(sorted(minutes)), tuple(sorted(hours)), frozenset(days), frozenset(months), weekdays,
        either=named_day and named_week,
    )  # fmt: skip


def _field(word: str, name: str, low: int, high: int) -> set[int]:
    values: set[int] = set()
    for part in word.split(","):
        found = _PART.fullmatch(part)
        if found is None:
            raise ValueError(f"{part!r} is not a {name}")
        first, last, step = found["first"], found["last"], int(found["step"] or 1)
        if step == 0 or (first == "*" and last):
            raise ValueError(f"{part!r} is not a {name}")
        start = low if first == "*" else _number(first, name)
        end = high if first == "*" or (found["step"] and not last) else start
        end = _number(last, name) if last else end
        if not low <= start <= end <= high:
            raise ValueError(f"{part!r} is not a {name} between {low} and {high}")
        values.update(range(start, end + 1, step))
    return values


def _number(word: str, name: str) -> int:
    named = _NAMES.get(name, {}).get(word.lower()[:3]) if word.isalpha() and len(word) == 3 else None
    if named is None and not word.isdecimal():
        raise ValueError(f"{word!r} is not a {name}")
    return int(word) if named is None else named


def next_fire(cron: Cron, after: datetime, zone: tzinfo) -> datetime | None:
    """The first moment after `after` (aware) at which it comes, told in the zone; None if it lies years away."""
    moment = after.astimezone(UTC)
    for fire in _fires(cron, _days(after, zone, 1), zone, forward=True):
        if fire > moment:
            return fire.astimezone(zone)
    return None


def last_fire(cron: Cron, until: datetime, zone: tzinfo) -> datetime | None:
    """The last moment up to and including `until` (aware) at which it came, told in the zone."""
    moment = until.astimezone(UTC)
    for fire in _fires(cron, _days(until, zone, -1), zone, forward=False):
        if fire <= moment:
            return fire.astimezone(zone)
    return None


def _days(around: datetime, zone: tzinfo, step: int) -> Iterator[date]:
    """The days to look at; it begins two early, because islands have skipped a whole day when they changed sides."""
    day = around.astimezone(zone).date()
    for offset in range(-2, HORIZON):
        try:
            yield day + timedelta(days=offset * step)
        except OverflowError:  # the calendar ends
            return


def _fires(cron: Cron, days: Iterable[date], zone: tzinfo, *, forward: bool) -> Iterator[datetime]:
    """The moments of these days in UTC, in the order asked for."""
    order = 1 if forward else -1
    for day in days:
        if cron.on(day):
            for hour in cron.hours[::order]:
                for minute in cron.minutes[::order]:
                    yield moment_of(datetime.combine(day, time(hour, minute)), zone)


def moment_of(wall: datetime, zone: tzinfo) -> datetime:
    """When the clock on the wall shows this (naive), in UTC: the first time, or the end of the gap that skips it."""
    early = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if early.astimezone(zone).replace(tzinfo=None) == wall:
        return early
    before = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)  # in a gap the two readings lie on either side of it
    offset = early.astimezone(zone).utcoffset()
    while early - before > timedelta(seconds=1):
        middle = before + (early - before) / 2
        if middle.astimezone(zone).utcoffset() == offset:
            early = middle
        else:
            before = middle
    return early.replace(microsecond=0)
