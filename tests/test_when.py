"""When to dream: each decision with its reason, and laws that hold for any week a machine may live through."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.errors import BadSettings
from reverie.features.when import Do, Due, Known, Night, Phase, checked_cron, deadline, decide, night_at, zone_of
from reverie.settings import Dream, Schedule, Settings, load_settings

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = ["Europe/Berlin", "Asia/Tokyo", "America/Los_Angeles", "Australia/Lord_Howe", "Pacific/Kiritimati"]
CRONS = ["0 3 * * *", "30 2 * * *", "0 22 * * *", "0 3,15 * * *", "0 3 1 * mon", "15 * * * *"]


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN)


def rules(cron: str = "0 3 * * *", hours: int = 24) -> Settings:
    return Settings(schedule=Schedule(cron=cron), dream=Dream(min_hours_between_dreams=hours))


def asked(now: str, last: str = "", wanted: Settings | None = None, new: int = 5, busy: str = "", **more: Any) -> Due:
    known = Known(last_dream=at(last) if last else None, **more)
    return decide(known, wanted or rules(), at(now), BERLIN, lambda: busy, lambda: new)


@pytest.mark.parametrize(
    ("now", "last", "do", "night"),
    [
        ("11-15T03:00", "11-14T03:04", Do.DREAM, "11-15T03:00"), ("11-15T02:59", "11-14T03:04", Do.WAIT, "11-14T03:00"),
        ("11-15T03:15", "11-15T03:04", Do.WAIT, "11-15T03:00"), ("11-15T03:00", "11-14T06:10", Do.DREAM, "11-15T03:00"),
        ("11-15T03:00", "11-14T22:00", Do.SETTLE, "11-15T03:00"), ("11-15T21:00", "11-14T21:00", Do.DREAM, "11-15T03:00"),
        ("11-20T09:00", "11-14T03:00", Do.DREAM, "11-20T03:00"), ("03-29T03:00", "03-28T03:01", Do.DREAM, "03-29T03:00"),
        ("10-25T03:00", "10-24T03:01", Do.DREAM, "10-25T03:00"), ("11-15T03:00", "12-31T03:00", Do.DREAM, "11-15T03:00"),
        ("11-15T02:50", "11-15T03:04", Do.WAIT, "11-14T03:00"), ("11-15T03:00", "", Do.DREAM, "11-15T03:00"),
    ],
)  # fmt: skip
def test_a_dream_belongs_to_the_night_before_it(now: str, last: str, do: Do, night: str) -> None:
    found = asked(f"2026-{now}", last and f"2026-{last}")
    assert (found.do, found.night) == (do, at(f"2026-{night}"))


def test_the_night_after_the_short_one_comes_and_an_hour_that_comes_twice_is_one_night() -> None:
    early = rules("30 2 * * *")
    assert asked("2026-03-30T02:30", "2026-03-29T03:00", early).do is Do.DREAM
    first, second = (at("2026-10-25T02:30").replace(fold=fold) for fold in (0, 1))
    again = decide(Known(last_dream=first), early, second, BERLIN, str, lambda: 5)
    assert (again.do, again.reason) == (Do.WAIT, "the night of 2026-10-25 02:30 is settled")


def test_the_hours_between_dreams_hold_and_a_waiting_decision_says_until_when() -> None:
    assert asked("2026-11-17T03:00", "2026-11-15T03:20", rules(hours=72)).do is Do.WAIT
    assert asked("2026-11-18T03:00", "2026-11-15T03:20", rules(hours=72)).do is Do.DREAM
    assert asked("2026-11-16T02:00", "2026-11-15T03:20", rules("0 * * * *")).do is Do.WAIT
    assert asked("2026-11-15T14:00", "2026-11-15T03:04").until == at("2026-11-16T03:00")


def test_a_busy_agent_defers_the_night_until_six_and_no_longer() -> None:
    moments = [f"2026-11-15T{hour:02}:{minute:02}" for hour in range(3, 7) for minute in (0, 50)]
    found = [asked(moment, "2026-11-14T03:00", busy="the agent is at work") for moment in moments]
    assert [due.do for due in found] == [Do.DEFER] * 6 + [Do.DREAM] * 2
    assert (found[0].until, found[5].until) == (at("2026-11-15T03:15"), at("2026-11-15T06:00"))
    assert found[6].reason.endswith("5 lines are new; it waits no longer, though the agent is at work")
    late = Night(datetime(2026, 11, 15, 22), at("2026-11-15T22:00").astimezone(UTC))
    assert deadline(late, BERLIN) == at("2026-11-16T06:00")


def test_without_anything_new_a_night_is_settled_and_a_week_of_it_hibernates() -> None:
    nights = [asked(f"2026-11-{day}T03:00", "2026-11-14T03:00", new=0).do for day in range(15, 22)]
    assert nights == [Do.SETTLE] * 6 + [Do.HIBERNATE]
    assert asked("2026-11-21T03:00", "2026-11-14T03:00", new=1).do is Do.DREAM
    assert asked("2026-11-21T03:00", new=0, alive=date(2026, 11, 14)).do is Do.HIBERNATE
    assert asked("2026-11-25T03:00", "2026-11-14T03:00", new=0, alive=date(2026, 11, 20)).do is Do.SETTLE
    assert asked("2026-11-21T03:00", new=0).do is Do.SETTLE


def test_a_night_that_failed_is_tried_three_times_and_then_left_to_the_next() -> None:
    night = at("2026-11-15T03:00").astimezone(UTC)
    failed: dict[str, Any] = {"last": "2026-11-14T03:00", "tried": night, "tried_at": night}
    assert asked("2026-11-15T03:10", tries=1, **failed).until == at("2026-11-15T03:15")
    doing = [asked(f"2026-11-{when}", tries=tries, **failed).do for when, tries in
             (("15T03:10", 1), ("15T03:15", 1), ("15T09:00", 3), ("16T03:00", 3))]  # fmt: skip
    assert doing == [Do.DEFER, Do.DREAM, Do.WAIT, Do.DREAM]


@pytest.mark.parametrize("cron", ["0 3 * *", "0 0 3 * * *", "٣ 3 * * *", "0 25 * * *", "", "@daily", "0 3 * * * *"])
def test_only_five_plain_fields_are_an_expression(cron: str) -> None:
    with pytest.raises(BadSettings, match=r"schedule\.cron"):
        checked_cron(rules(cron))
    with pytest.raises(BadSettings, match=r"schedule\.timezone"):
        zone_of(Settings(schedule=Schedule(timezone="Europe/Nowhere")))


def test_dream_md_may_set_the_hour_with_all_its_stars(tmp_path: Any) -> None:
    text = "## Settings\n- cron: `30 4 * * *`\n- timezone: Asia/Tokyo\n- min_hours_between_dreams: **36**\n"
    found = load_settings(tmp_path, text)
    assert (found.schedule, found.dream.min_hours_between_dreams) == (Schedule("30 4 * * *", "Asia/Tokyo"), 36)


@dataclass
class Machine:
    """A workspace under a scheduler, as values: what a call would leave behind, without any file."""

    zone: ZoneInfo = BERLIN
    settings: Settings = field(default_factory=rules)
    known: Known = field(default_factory=Known)
    dreams: list[datetime] = field(default_factory=list)

    def call(self, now: datetime, new: int = 1, heard: datetime | None = None) -> Do:
        self.known = msgspec.structs.replace(self.known, heard=heard)
        do = decide(self.known, self.settings, now, self.zone, str, lambda: new).do
        after: dict[Do, dict[str, Any]] = {
            Do.DREAM: {"last_dream": now}, Do.SETTLE: {"settled": now},
            Do.HIBERNATE: {"settled": now, "phase": Phase.HIBERNATING}, Do.WAKE: {"settled": heard, "phase": Phase.ACTIVE},
        }  # fmt: skip
        self.known = msgspec.structs.replace(self.known, **after.get(do, {}))
        self.dreams += [now] * (do is Do.DREAM)
        return do


@given(st.lists(st.integers(1, 60 * 60), min_size=1, max_size=60), st.sampled_from(ZONES), st.sampled_from(CRONS))
def test_never_twice_a_night_and_never_too_soon(gaps: list[int], zone: str, cron: str) -> None:
    machine = Machine(ZoneInfo(zone), rules(cron))
    now = datetime(2026, 3, 20, 12, tzinfo=UTC)
    for gap in gaps:
        now += timedelta(minutes=gap)
        machine.call(now)
    nights = [night for dream in machine.dreams if (night := night_at(cron, dream, machine.zone))]
    assert len(set(nights)) == len(machine.dreams)
    assert all(b.wall - a.wall >= timedelta(hours=24) for a, b in pairwise(nights))
    assert all(b - a >= timedelta(hours=12) for a, b in pairwise(machine.dreams))


@settings(max_examples=20)
@given(
    st.sampled_from(ZONES), st.integers(0, 14), st.sampled_from(["03-05", "03-26", "04-02", "10-01", "10-22", "10-29"])
)
def test_nights_do_not_drift_and_clocks_that_change_cost_none(zone: str, late: int, week: str) -> None:
    machine, start = Machine(ZoneInfo(zone), rules("30 2 * * *")), datetime.fromisoformat(f"2026-{week}T12:00+00:00")
    for quarter in range(7 * 96):
        machine.call(start + timedelta(minutes=15 * quarter + late))
    walls = [dream.astimezone(machine.zone) for dream in machine.dreams[1:]]
    assert len(machine.dreams) in (7, 8)
    assert all(timedelta(hours=2) <= timedelta(hours=wall.hour) <= timedelta(hours=4) for wall in walls)


@settings(max_examples=30)
@given(st.sampled_from(ZONES), st.sampled_from(ZONES), st.integers(0, 96))
def test_a_flight_costs_no_night_more_than_one_and_brings_none_twice(home: str, away: str, flown: int) -> None:
    machine, start = Machine(ZoneInfo(home)), datetime(2026, 6, 1, tzinfo=UTC)
    for hour in range(24 * 10):
        machine.zone = ZoneInfo(home if hour < flown else away)
        machine.call(start + timedelta(hours=hour))
    assert 8 <= len(machine.dreams) <= 12  # ten nights, one that was missed before, and one of the flight
    assert all(b - a >= timedelta(hours=12) for a, b in pairwise(machine.dreams))


@given(st.integers(7, 400), st.integers(1, 48))
def test_a_hibernating_machine_sleeps_until_somebody_speaks_and_then_dreams_once(days: int, hours: int) -> None:
    machine, first = Machine(), at("2026-01-02T03:00")
    machine.call(first)
    answers = [machine.call(first + timedelta(days=n), new=0) for n in range(1, days + 1)]
    spoke = first + timedelta(days=days, hours=hours)
    assert answers == [Do.SETTLE] * 6 + [Do.HIBERNATE] + [Do.SLEEP] * (days - 7)
    assert machine.call(spoke, heard=spoke) is Do.WAKE
    assert machine.call(spoke) is Do.WAIT  # the night that comes, not the middle of their conversation
    night = night_at("0 3 * * *", spoke, BERLIN, after=True)
    assert (
        night and machine.call(night.moment) is Do.DREAM and machine.call(night.moment + timedelta(hours=1)) is Do.WAIT
    )


@settings(max_examples=20)
@given(st.lists(st.integers(-400 * 24, 400 * 24), min_size=1, max_size=6))
def test_a_clock_that_jumps_costs_at_most_one_dream_a_jump_and_never_stops_them(jumps: list[int]) -> None:
    machine, now = Machine(), at("2026-06-01T00:10")
    for jump in jumps:
        now, before = now + timedelta(hours=jump), len(machine.dreams)
        for hour in range(24 * 4):
            machine.call(now + timedelta(hours=hour))
        now += timedelta(days=4)
        assert 1 <= len(machine.dreams) - before <= 5
