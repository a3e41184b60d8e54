"""Cron expressions: what they mean, what is refused, and when they come in a zone that moves its clocks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.cron import last_fire, next_fire, parse_cron

BERLIN, APIA = ZoneInfo("Europe/Berlin"), ZoneInfo("Pacific/Apia")
ZONES = [
    ZoneInfo(name) for name in ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Shanghai")
]
MOMENTS = st.datetimes(datetime(2000, 1, 1), datetime(2060, 1, 1)).map(lambda moment: moment.replace(tzinfo=UTC))
SCHEDULES = [
    "0 3 * * *",
    "30 2 * * *",
    "30 3 * * mon-fri",
    "*/20 * * * *",
    "15 1,2,3 1 * *",
    "0 0 29 2 *",
    "5 4 13 * 5",
]


def fires(text: str, start: str, count: int, zone: ZoneInfo = BERLIN) -> list[str]:
    moment, found = datetime.fromisoformat(start).replace(tzinfo=zone), []
    for _ in range(count):
        following = next_fire(parse_cron(text), moment, zone)
        assert following is not None
        found.append(f"{following:%a %Y-%m-%d %H:%M %z}")
        moment = following
    return found


@pytest.mark.parametrize(
    ("text", "start", "expected"),
    [
        ("0 3 * * *", "2026-11-15T03:00", ["Mon 2026-11-16 03:00 +0100"]),
        ("30 3 * * *", "2026-11-15T03:00", ["Sun 2026-11-15 03:30 +0100"]),
        ("@daily", "2026-11-15T03:00", ["Mon 2026-11-16 00:00 +0100"]),
        ("0 3 * JAN,mar Sun", "2026-11-15T03:00", ["Sun 2027-01-03 03:00 +0100"]),
        ("0 3 * * 7", "2026-11-15T03:00", ["Sun 2026-11-22 03:00 +0100"]),
        ("10-30/10 3 * * *", "2026-11-15T03:10", ["Sun 2026-11-15 03:20 +0100", "Sun 2026-11-15 03:30 +0100"]),
        ("0 3/8 * * *", "2026-11-15T03:10", ["Sun 2026-11-15 11:00 +0100", "Sun 2026-11-15 19:00 +0100"]),
        # both days named: either is enough
        ("0 0 13 * fri", "2026-11-07T00:00", ["Fri 2026-11-13 00:00 +0100", "Fri 2026-11-20 00:00 +0100"]),
        ("0 0 14 * fri", "2026-11-07T00:00", ["Fri 2026-11-13 00:00 +0100", "Sat 2026-11-14 00:00 +0100"]),
        # a step over all days names none of them, so both must hold
        ("0 0 */2 * fri", "2026-11-14T00:00", ["Fri 2026-11-27 00:00 +0100"]),
        # leap days, also over the century that has none
        ("0 3 29 2 *", "2096-03-01T00:00", ["Fri 2104-02-29 03:00 +0100"]),
        # the hour that spring skips comes once, just after; the one that autumn repeats comes once, the first time
        ("30 2 * * *", "2026-03-28T12:00", ["Sun 2026-03-29 03:00 +0200", "Mon 2026-03-30 02:30 +0200"]),
        ("30 2 * * *", "2026-10-24T12:00", ["Sun 2026-10-25 02:30 +0200", "Mon 2026-10-26 02:30 +0100"]),
        ("*/30 1-3 * * *", "2026-03-29T01:00", ["Sun 2026-03-29 01:30 +0100", "Sun 2026-03-29 03:00 +0200"]),
    ],
)
def test_it_comes_when_it_says(text: str, start: str, expected: list[str]) -> None:
    assert fires(text, start, len(expected)) == expected


def test_a_day_that_an_island_skipped_comes_when_the_next_one_begins() -> None:
    assert fires("0 3 * * *", "2011-12-29T12:00", 2, APIA) == [
        "Sat 2011-12-31 00:00 +1400",
        "Sat 2011-12-31 03:00 +1400",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0 3 * *", "five fields"),
        ("60 3 * * *", "minute"),
        ("0 3-1 * * *", "hour"),
        ("0 3 * * noon", "day of the week"),
        ("*/0 3 * * *", "minute"),
        ("0 3 ٣ * *", "day of the month"),
        ("0 3 31 2,4 *", "day of the month"),
        ("", "five fields"),
    ],
)
def test_what_means_nothing_is_refused_with_the_field(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_cron(text)


@given(st.sampled_from(SCHEDULES), MOMENTS, st.sampled_from(ZONES))
def test_between_the_last_and_the_next_there_is_none(text: str, moment: datetime, zone: ZoneInfo) -> None:
    cron = parse_cron(text)
    before, after = last_fire(cron, moment, zone), next_fire(cron, moment, zone)

    assert before is not None and after is not None and before <= moment < after
    assert next_fire(cron, before, zone) == after
    assert last_fire(cron, after, zone) == after
    assert last_fire(cron, after - timedelta(seconds=1), zone) == before


@given(MOMENTS, st.sampled_from(ZONES))
def test_a_daily_hour_comes_once_on_every_day_of_every_zone(moment: datetime, zone: ZoneInfo) -> None:
    days = []
    for _ in range(40):
        following = next_fire(parse_cron("30 2 * * *"), moment, zone)
        assert following is not None
        days.append(following.date())
        moment = following

    assert days == [days[0] + timedelta(days=n) for n in range(40)]
