"""Cron expressions: five fields, and the moments at which they come in a zone. Reads no clock.

The expressions are cronsim's, over the clock on the wall; what a zone does to that clock is ours. A wall time that a spring
night skips comes once, at the first moment after the gap. One that an autumn night has twice comes once, the first time.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

from reverie.core import errors

_SHORT = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_EARLY = timedelta(days=2)  # how far a wall clock may be off: islands have skipped a whole day when they changed sides


def parse_cron(text: str) -> str:
    """An expression such as `30 3 * * mon-fri`, as it is read. Raises ValueError with what is wrong with it."""
    from cronsim import CronSim, CronSimError  # only for those who set it, or are due

    cron = _SHORT.get(text.strip().lower(), text.strip())
    if len(cron.split()) != 5:  # cronsim would take a sixth for seconds
        raise ValueError(errors.sentence("cron.five_fields", count=len(cron.split())))
    try:
        CronSim(cron.encode("ascii", "replace").decode(), datetime(2000, 1, 1))  # it would read digits of any script
    except CronSimError as error:  # "Bad day-of-month"
        raise ValueError(errors.sentence(f"cron.{str(error).removeprefix('Bad ')}")) from None
    return cron


def next_fire(cron: str, after: datetime, zone: tzinfo) -> datetime | None:
    """The first moment after `after` (aware) at which it comes, told in the zone; None where the calendar ends."""
    return _fire(cron, after, zone, forward=True)


def last_fire(cron: str, until: datetime, zone: tzinfo) -> datetime | None:
    """The last moment up to and including `until` (aware) at which it came, told in the zone."""
    return _fire(cron, until, zone, forward=False)


def _fire(cron: str, around: datetime, zone: tzinfo, *, forward: bool) -> datetime | None:
    from cronsim import CronSim

    moment, wall = around.astimezone(UTC), around.astimezone(zone).replace(tzinfo=None)
    try:
        for found in CronSim(cron, wall - _EARLY if forward else wall + _EARLY, reverse=not forward):
            fire = moment_of(found, zone)
            if fire > moment if forward else fire <= moment:
                return fire.astimezone(zone)
    except OverflowError:  # the calendar ends
        pass
    return None


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
