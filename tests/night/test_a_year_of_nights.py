"""A year under a fake clock: busy nights, holidays, a dead week, nights with the lid closed, two moves to other zones.

The calls come as a scheduler makes them. What should happen is worked out beside it in a few lines that know nothing of
`when`: of every night, the first moment at which it could be dreamt decides, and it dreams if there is anything new by then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from reverie.core.settings import Schedule, Settings
from reverie.features.schedule.when import Do, ScheduleState, State, whether_due, whether_now

BERLIN, TOKYO, ANGELES = ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Tokyo"), ZoneInfo("America/Los_Angeles")
MOVES = [(date(2027, 5, 1), TOKYO), (date(2027, 9, 1), ANGELES)]
HOLIDAYS = [
    (date(2027, 2, 1), date(2027, 2, 21)),
    (date(2027, 7, 10), date(2027, 7, 19)),
    (date(2027, 12, 20), date(2027, 12, 31)),
]
DEAD = (datetime(2027, 3, 8, tzinfo=BERLIN), datetime(2027, 3, 15, 10, tzinfo=BERLIN))  # the machine


def zone_at(moment: datetime) -> ZoneInfo:
    zone = BERLIN
    for day, there in MOVES:  # they land at noon
        if moment >= datetime(day.year, day.month, day.day, 12, tzinfo=there):
            zone = there
    return zone


def wrote(day: date) -> bool:
    """Sundays and holidays bring nothing."""
    return day.isoweekday() != 7 and not any(first <= day <= last for first, last in HOLIDAYS)


def is_on(moment: datetime) -> bool:
    """Off for a week, and every eleventh night the lid is closed until nine."""
    local = moment.astimezone(zone_at(moment))
    return not DEAD[0] <= moment < DEAD[1] and not (local.toordinal() % 11 == 0 and local.hour < 9)


def is_busy(moment: datetime) -> bool:
    """Every fifth night until ten past four; every seventeenth until eight."""
    local = moment.astimezone(zone_at(moment))
    minutes = local.hour * 60 + local.minute
    return (local.toordinal() % 5 == 0 and minutes < 250) or (local.toordinal() % 17 == 0 and minutes < 480)


def calls() -> Iterator[datetime]:
    """Every quarter of an hour at night and every hour by day, seconds late as crontabs always are."""
    moment = datetime(2027, 1, 1, 0, 0, 7, tzinfo=UTC)
    while moment < datetime(2028, 1, 1, tzinfo=UTC):
        if is_on(moment):
            yield moment
        moment += timedelta(minutes=15 if moment.astimezone(zone_at(moment)).hour < 7 else 60)


def note_times() -> list[datetime]:
    days = [date(2027, 1, 1) + timedelta(days=n) for n in range(365)]
    return [
        datetime(
            day.year, day.month, day.day, 18, tzinfo=zone_at(datetime(day.year, day.month, day.day, 18, tzinfo=BERLIN))
        )
        for day in days
        if wrote(day)
    ]


def dreamt(settings: Settings, notes: list[datetime]) -> tuple[list[datetime], Counter[Do]]:
    """The year as scheduled calls live through it; what each leaves behind is what `nightshift` keeps."""
    seen = ScheduleState(
        now=datetime(2027, 1, 1, tzinfo=UTC), zone=BERLIN, settled=datetime(2026, 12, 31, 22, tzinfo=UTC)
    )
    dreams: list[datetime] = []
    answers: Counter[Do] = Counter()
    for now in calls():
        heard = max((note for note in notes if note <= now), default=None) if seen.state is State.HIBERNATING else None
        seen = replace(seen, now=now, zone=zone_at(now), heard=heard)
        found = whether_due(seen, settings)
        if found.do is Do.DUE:
            fresh = sum(
                1 for note in notes if (dreams[-1] if dreams else datetime.min.replace(tzinfo=UTC)) < note <= now
            )
            found = whether_now(seen, settings, found, fresh=fresh, busy="at work" if is_busy(now) else "")
        answers[found.do] += 1
        if found.do is Do.DREAM:
            dreams.append(now)
            seen = replace(seen, last_dream=now, settled=now)
        elif found.do in (Do.NOTHING_NEW, Do.TOO_SOON):
            seen = replace(seen, settled=now)
        elif found.do is Do.HIBERNATE:
            seen = replace(seen, settled=now, asleep_since=now, state=State.HIBERNATING)
        elif found.do is Do.WAKE:
            seen = replace(seen, settled=heard, asleep_since=None, state=State.ACTIVE)
    return dreams, answers


def expected(hour: int, notes: list[datetime]) -> list[datetime]:
    """One dream for every night that has something new at the first moment at which it may be dreamt."""
    dreams: list[datetime] = []
    night, done = "", True
    for now in calls():
        local = now.astimezone(zone_at(now))
        tonight = f"{local - timedelta(hours=hour):%Y-%m-%d}"
        if tonight > night:  # a move to the west repeats an hour of the calendar, not a night
            night, done = tonight, False
        if done or (is_busy(now) and local.hour < 6):
            continue
        done = True
        if any((dreams[-1] if dreams else datetime.min.replace(tzinfo=UTC)) < note <= now for note in notes):
            dreams.append(now)
    return dreams


@pytest.mark.parametrize("hour", [3, 2])  # two o'clock is the hour that spring skips and autumn has twice
def test_a_year_has_exactly_one_dream_for_every_night_that_is_due(hour: int) -> None:
    notes = note_times()

    dreams, answers = dreamt(replace(Settings(), schedule=Schedule(cron=f"0 {hour} * * *")), notes)

    assert dreams == expected(hour, notes)
    assert 260 <= len(dreams) <= 300
    assert (answers[Do.HIBERNATE], answers[Do.WAKE]) == (3, 2)  # the year ends asleep
    assert answers[Do.SLEEP] > 1000 and answers[Do.DEFER] > 300
