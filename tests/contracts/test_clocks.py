"""One suite for every clock: the moment always knows its zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from reverie.core.ports import Clock, FixedClock, SystemClock, fixed

SHANGHAI = ZoneInfo("Asia/Shanghai")
CLOCKS: list[Clock] = [
    SystemClock(),
    SystemClock("Asia/Shanghai"),
    FixedClock(datetime(2026, 11, 15, 3, tzinfo=UTC)),
    FixedClock(datetime(2026, 11, 15, 3)),
    fixed("2026-11-15T03:00:00+01:00"),
    fixed("2026-11-15T03:00:00"),
    fixed("2026-11-15", SHANGHAI),
]


@pytest.mark.parametrize("clock", CLOCKS, ids=repr)
def test_now_always_knows_its_zone(clock: Clock) -> None:
    assert clock.now().utcoffset() is not None


@pytest.mark.parametrize("clock", CLOCKS, ids=repr)
def test_time_never_runs_backwards(clock: Clock) -> None:
    moments = [clock.now() for _ in range(5)]

    assert moments == sorted(moments)


@pytest.mark.parametrize("zone", ["", "UTC", "Asia/Shanghai", "America/Los_Angeles"])
def test_the_system_clock_tells_the_same_moment_in_any_zone(zone: str) -> None:
    assert abs(SystemClock(zone).now() - datetime.now(UTC)) < timedelta(seconds=5)


def test_the_system_clock_tells_the_owners_day() -> None:
    assert SystemClock("Asia/Shanghai").now().utcoffset() == timedelta(hours=8)


@pytest.mark.parametrize("clock", CLOCKS[2:], ids=repr)
def test_a_fixed_clock_stands_still(clock: Clock) -> None:
    assert clock.now() == clock.now()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("2026-11-15T03:00:00", "2026-11-15T03:00:00+08:00"),
        ("2026-11-15T03:00:00+01:00", "2026-11-15T10:00:00+08:00"),
        ("2026-11-15T03:00:00Z", "2026-11-15T11:00:00+08:00"),
    ],
)
def test_a_moment_without_an_offset_is_read_where_the_owner_lives(said: str, told: str) -> None:
    assert fixed(said, SHANGHAI).now().isoformat() == told
