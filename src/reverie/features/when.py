"""When to dream: one decision about values, with its reason. A night is a moment of a cron expression in the owner's zone.

A dream belongs to the night that came last before it, so a dream at 03:34 does not make the next 03:30 too early, as a plain
"24 hours since the last dream" would. Gaps lie between nights, on the clock on the wall: days of 23 hours change nothing. A
dream less than half a gap ago (`dream review` at bedtime, a flight west) has served a night already.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum
from typing import Annotated, NamedTuple

import msgspec

from reverie.errors import BadSettings
from reverie.settings import Settings

PAUSE = timedelta(minutes=15)  # between two looks at a busy agent, and after a failure (seed 000)
LATEST = time(6)  # a night waits no longer than until then (seed 000)
QUIET_DAYS = 7  # until it hibernates (seed 000)
TRIES = 3  # a night that fails so often is left to the next one
_AHEAD = timedelta(days=1)  # a mark farther in the future was made by a clock that was wrong
_EARLY = timedelta(days=2)  # how far two walls may differ: islands skipped a whole day when they changed sides
Zone = tzinfo | None  # None: as this computer has it, summer time included
_Moment = Annotated[datetime, msgspec.Meta(tz=True)]


class Phase(StrEnum):
    """What `dream-state.txt` says (seed 000)."""

    ACTIVE = "active"
    PENDING = "pending"
    HIBERNATING = "hibernating"


class Do(StrEnum):
    DREAM = "dream"
    WAIT = "wait"  # no night is due
    DEFER = "defer"  # due, but not now
    SETTLE = "settle"  # due, and there is nothing to dream about
    HIBERNATE = "hibernate"  # the same, for so long that nobody looks any more
    SLEEP = "sleep"  # hibernating
    WAKE = "wake"  # hibernating, and something was written


class Known(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a decision rests on."""

    settled: _Moment | None = None  # when a look last found that a night needs no dream any more
    tried: _Moment | None = None  # the night that failed
    tried_at: _Moment | None = None
    tries: int = 0
    waited: int = 0  # nights that waited for the host's agent
    waits_since: _Moment | None = None  # the dream after which they did
    alive: date | None = None  # the last day with a sign of life
    since: _Moment | None = None  # when the phase began
    last_dream: _Moment | None = None  # whoever asked for it
    phase: Phase = Phase.ACTIVE
    heard: _Moment | None = None  # when something was written during the sleep


@dataclass(frozen=True)
class Due:
    """What to do, why, and when to look again. `night` is the moment that it is about."""

    do: Do
    reason: str
    until: datetime | None = None
    night: datetime | None = None


class Night(NamedTuple):
    wall: datetime  # as the expression says it, also where a spring night skips that hour
    moment: datetime  # in UTC


def decide(
    known: Known, settings: Settings, now: datetime, zone: Zone, busy: Callable[[], str], new: Callable[[], int]
) -> Due:
    """What a call at `now` has to do. `busy` says what the agent is at, `new` counts lines; only a due night asks them."""
    now = now.astimezone(UTC)  # within a zone Python compares the clocks on the wall, and an hour may come twice
    if known.phase is Phase.HIBERNATING:
        reason = "it hibernates until something is written"
        return Due(Do.WAKE, "something was written") if known.heard else Due(Do.SLEEP, reason)
    cron = checked_cron(settings)
    night, coming = night_at(cron, now, zone), night_at(cron, now, zone, after=True)
    until = coming and coming.moment.astimezone(zone)
    if night is None:
        return Due(Do.WAIT, "no night of the schedule has come yet", until)
    name, last = f"the night of {night.moment.astimezone(zone):%Y-%m-%d %H:%M}", known.last_dream
    gap = timedelta(hours=settings.dream.min_hours_between_dreams)
    marks = [mark for mark in (last, known.settled) if mark and mark <= now + _AHEAD]
    served = night_at(cron, max(marks), zone) if marks else None
    if served and served.moment >= night.moment:
        return Due(Do.WAIT, f"{name} is settled", until, night.moment)
    if served and night.wall - served.wall < gap:
        return Due(Do.WAIT, f"less than {gap // timedelta(hours=1)} hours after the last night", until, night.moment)
    if last in marks and last and now - last < gap / 2:
        return Due(Do.SETTLE, f"the last dream has served {name}", until, night.moment)
    if known.tried == night.moment and known.tried_at and known.tried_at <= now:
        again = known.tried_at + PAUSE
        if known.tries >= TRIES:
            return Due(Do.WAIT, f"{name} failed {known.tries} times", until, night.moment)
        if known.tries and now < again:
            return Due(Do.DEFER, "the last try failed", again.astimezone(zone), night.moment)
    work, latest = busy(), deadline(night, zone)
    if work and now < latest:
        return Due(Do.DEFER, work, min(now + PAUSE, latest).astimezone(zone), night.moment)
    if lines := new():
        though = f"; it waits no longer, though {work}" if work else ""
        return Due(Do.DREAM, f"{name} has come, and {lines} lines are new{though}", None, night.moment)
    today = now.astimezone(zone).date()
    signs = [day for day in (known.alive, last and last.astimezone(zone).date()) if day and day <= today + _AHEAD]
    if signs and (today - max(signs)).days >= QUIET_DAYS:  # a dream at night is about the day before
        return Due(Do.HIBERNATE, f"nothing was new for {(today - max(signs)).days} days", None, night.moment)
    return Due(Do.SETTLE, "nothing is new since the last night", until, night.moment)


def deadline(night: Night, zone: Zone) -> datetime:
    """When a night waits no longer: the first time the clock on the wall shows six at or after it."""
    wall = datetime.combine(night.wall.date(), LATEST)
    return _moment_of(wall if wall >= night.wall else wall + timedelta(days=1), zone)


def checked_cron(settings: Settings) -> str:
    """The expression of the settings, if it is one: five fields in ASCII; cronsim would take a sixth for seconds."""
    from cronsim import CronSim, CronSimError  # a session's start needs neither this nor zones

    cron, why = settings.schedule.cron.strip(), "it has not five fields of plain characters"
    try:
        if len(cron.split()) == 5 and cron.isascii():
            CronSim(cron, datetime(2000, 1, 1))
            return cron
    except CronSimError as error:
        why = str(error).lower()
    raise BadSettings(f"schedule.cron: {cron!r} is no cron expression ({why}). Write it like `30 3 * * *`.")


def zone_of(settings: Settings) -> Zone:
    """Where the owner lives: as the settings say, else as this computer does."""
    from zoneinfo import ZoneInfo

    name = settings.schedule.timezone.strip()
    try:
        return ZoneInfo(name) if name else None
    except (OSError, ValueError, KeyError):
        why = f"schedule.timezone: nobody knows the zone {name!r}. Write it like `Europe/Berlin`."
        raise BadSettings(why) from None


def night_at(cron: str, moment: datetime, zone: Zone, *, after: bool = False) -> Night | None:
    """The last night up to and including a moment, or the first one after it; None where there is none."""
    from cronsim import CronSim

    wall = moment.astimezone(zone).replace(tzinfo=None)
    walls = CronSim(cron, wall - _EARLY if after else wall + _EARLY, reverse=not after)
    try:
        nights = (Night(wall, _moment_of(wall, zone)) for wall in walls)
        return next((night for night in nights if (night.moment > moment) is after), None)
    except OverflowError:  # the calendar ends
        return None


def _moment_of(wall: datetime, zone: Zone) -> datetime:
    """When the clock on the wall shows this, in UTC: the first time, or the end of the gap that skips it."""
    early, late = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    if early.astimezone(zone).replace(tzinfo=None) == wall:
        return early
    offset = early.astimezone(zone).utcoffset()  # in a gap the two readings lie on either side of it
    while early - late > timedelta(seconds=1):
        middle = late + (early - late) / 2
        early, late = (middle, late) if middle.astimezone(zone).utcoffset() == offset else (early, middle)
    return early.replace(microsecond=0)
