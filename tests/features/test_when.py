"""When to dream: each decision with its reason, and the laws that hold for any week a machine may live through."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.core.cron import last_fire, parse_cron
from reverie.core.settings import Dream, Schedule, Settings
from reverie.features.schedule.when import Do, NightDecision, ScheduleState, State, deadline, whether_due, whether_now

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = ["Europe/Berlin", "Asia/Tokyo", "America/Los_Angeles", "Australia/Lord_Howe", "Pacific/Kiritimati"]


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN)


def seen(now: str, last: str = "", **more: object) -> ScheduleState:
    return ScheduleState(now=at(now), zone=BERLIN, last_dream=at(last) if last else None, **more)  # type: ignore[arg-type]


def decide(about: ScheduleState, settings: Settings | None = None, fresh: int = 5, busy: str = "") -> NightDecision:
    settings = settings or Settings()
    due = whether_due(about, settings)
    return whether_now(about, settings, due, fresh=fresh, busy=busy) if due.do is Do.DUE else due


@pytest.mark.parametrize(
    ("now", "last", "do", "why"),
    [
        ("2026-11-15T03:00", "2026-11-14T03:04", Do.DREAM, "the night of 2026-11-15 03:00 is due; 5 new entries"),
        ("2026-11-15T02:59", "2026-11-14T03:04", Do.WAIT, "the night of 2026-11-14 03:00 is settled"),
        ("2026-11-15T03:15", "2026-11-15T03:04", Do.WAIT, "the night of 2026-11-15 03:00 is settled"),
        ("2026-11-15T03:00", "2026-11-14T06:10", Do.DREAM, "the night of 2026-11-15 03:00 is due; 5 new entries"),
        ("2026-11-15T03:00", "2026-11-14T22:00", Do.TOO_SOON, "the dream 5 hours ago served this night"),
        ("2026-11-15T21:00", "2026-11-14T21:00", Do.DREAM, "the night of 2026-11-15 03:00 is due, late; 5 new entries"),
        ("2026-11-20T09:00", "2026-11-14T03:00", Do.DREAM, "the night of 2026-11-20 03:00 is due; 5 new entries"),
        ("2026-03-29T03:00", "2026-03-28T03:01", Do.DREAM, "the night of 2026-03-29 03:00 is due; 5 new entries"),
        ("2026-10-25T03:00", "2026-10-24T03:01", Do.DREAM, "the night of 2026-10-25 03:00 is due; 5 new entries"),
        ("2026-11-15T03:00", "", Do.DREAM, "the first dream; 5 new entries"),
    ],
)
def test_a_dream_belongs_to_the_night_before_it(now: str, last: str, do: Do, why: str) -> None:
    found = decide(seen(now, last))

    assert (found.do, found.why) == (do, why)


def test_the_night_after_the_short_one_comes_though_it_is_half_an_hour_early() -> None:
    half_past_two = replace(Settings(), schedule=Schedule(cron="30 2 * * *"))

    assert decide(seen("2026-03-30T02:30", "2026-03-29T03:00"), half_past_two).do is Do.DREAM


def test_a_failure_in_the_hour_that_comes_twice_is_remembered() -> None:
    half_past_two = replace(Settings(), schedule=Schedule(cron="30 2 * * *"))
    night = datetime.fromisoformat("2026-10-25T02:30:00+02:00")  # as it is kept, with its offset
    failed = seen("2026-10-25T02:40", "2026-10-24T02:30", tried=night, tries=1, tried_at=night)

    assert decide(failed, half_past_two).why == "the last try failed"


def test_a_waiting_decision_says_until_when() -> None:
    assert decide(seen("2026-11-15T14:00", "2026-11-15T03:04")).until == at("2026-11-16T03:00")


def test_a_longer_gap_is_counted_in_nights() -> None:
    three = replace(Settings(), dream=Dream(min_hours_between_dreams=72))

    assert decide(seen("2026-11-17T03:00", "2026-11-15T03:20"), three).do is Do.WAIT
    assert decide(seen("2026-11-18T03:00", "2026-11-15T03:20"), three).do is Do.DREAM


def test_a_busy_agent_defers_the_night_until_six_and_no_longer() -> None:
    asked = [
        seen(f"2026-11-15T{hour:02}:{minute:02}", "2026-11-14T03:00") for hour in range(3, 7) for minute in (0, 50)
    ]
    found = [decide(one, busy="the agent is at work") for one in asked]

    assert [one.do for one in found] == [Do.DEFER] * 6 + [Do.DREAM] * 2
    assert found[0].until == at("2026-11-15T03:15")
    assert found[5].until == at("2026-11-15T06:00")
    assert found[6].forced and found[6].why.endswith("; the agent is at work, but it is 06:00")


def test_a_night_before_midnight_is_deferred_into_the_next_morning() -> None:
    assert deadline(at("2026-11-15T22:00"), "06:00", BERLIN) == at("2026-11-16T06:00")
    assert deadline(at("2026-11-15T06:00"), "06:00", BERLIN) == at("2026-11-15T06:00")


def test_without_anything_new_the_night_is_settled_and_a_week_of_it_hibernates() -> None:
    assert decide(seen("2026-11-15T03:00", "2026-11-14T03:00"), fresh=0).do is Do.NOTHING_NEW
    assert decide(seen("2026-11-20T03:00", "2026-11-14T03:00"), fresh=0).do is Do.NOTHING_NEW
    assert decide(seen("2026-11-21T03:00", "2026-11-14T03:00"), fresh=0).do is Do.HIBERNATE
    assert decide(seen("2026-11-21T03:00", "2026-11-14T03:00"), fresh=1).do is Do.DREAM


def test_a_workspace_that_never_dreamt_is_quiet_since_it_was_first_looked_at() -> None:
    empty = seen("2026-11-21T03:00", quiet_since=date(2026, 11, 14))

    assert decide(empty, fresh=0) == NightDecision(Do.HIBERNATE, "nothing new for 7 days", None, at("2026-11-21T03:00"))
    assert decide(replace(empty, quiet_since=None), fresh=0).do is Do.NOTHING_NEW


def test_who_spoke_without_saying_anything_new_is_a_sign_of_life_too() -> None:
    spoke = seen("2026-11-25T03:00", "2026-11-14T03:00", quiet_since=date(2026, 11, 20))

    assert decide(spoke, fresh=0).do is Do.NOTHING_NEW
    assert decide(replace(spoke, now=at("2026-11-27T03:00")), fresh=0).do is Do.HIBERNATE


def test_few_new_entries_wait_for_company_but_nobody_hibernates_over_them() -> None:
    five = replace(Settings(), schedule=Schedule(min_new_entries=5))

    found = decide(seen("2026-11-25T03:00", "2026-11-14T03:00"), five, fresh=4)

    assert (found.do, found.why) == (Do.NOTHING_NEW, "4 new entries; `schedule.min_new_entries` wants 5")


def test_only_somebody_who_speaks_wakes_the_hibernating() -> None:
    asleep = seen("2026-12-15T03:00", "2026-11-14T03:00", state=State.HIBERNATING, asleep_since=at("2026-11-21T03:00"))

    assert decide(asleep).do is Do.SLEEP
    assert decide(replace(asleep, heard=at("2026-11-13T10:00"))).do is Do.SLEEP
    assert decide(replace(asleep, heard=at("2026-12-14T10:00"))).do is Do.WAKE


def test_a_night_that_failed_is_tried_again_three_times_and_then_given_up() -> None:
    night = at("2026-11-15T03:00")
    failed = seen("2026-11-15T03:10", "2026-11-14T03:00", tried=night, tries=1, tried_at=night)

    assert decide(failed) == NightDecision(Do.DEFER, "the last try failed", at("2026-11-15T03:15"), night)
    assert decide(replace(failed, now=at("2026-11-15T03:15"))).do is Do.DREAM
    assert decide(replace(failed, now=at("2026-11-15T09:00"), tries=3)).do is Do.WAIT
    assert decide(replace(failed, now=at("2026-11-16T03:00"), tries=3)).do is Do.DREAM


def test_a_dream_of_the_far_future_was_dated_by_a_wrong_clock_and_one_just_ahead_was_not() -> None:
    assert decide(seen("2026-11-15T03:00", "2031-01-01T03:00")).do is Do.DREAM
    assert decide(seen("2026-11-15T02:50", "2026-11-15T03:04")).do is Do.WAIT


# ── laws ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Machine:
    """A workspace under a scheduler, as values: what a scheduled call would leave behind, without any file."""

    zone: ZoneInfo = BERLIN
    settings: Settings = field(default_factory=Settings)
    about: ScheduleState = field(default_factory=lambda: ScheduleState(now=at("2026-01-01T12:00"), zone=BERLIN))
    dreams: list[datetime] = field(default_factory=list)

    def call(self, now: datetime, fresh: int = 1, busy: str = "", heard: datetime | None = None) -> Do:
        self.about = replace(self.about, now=now, zone=self.zone, heard=heard)
        found = decide(self.about, self.settings, fresh, busy)
        if found.do is Do.DREAM:
            self.dreams.append(now)
            self.about = replace(self.about, last_dream=now, state=State.ACTIVE)
        elif found.do in (Do.NOTHING_NEW, Do.TOO_SOON):
            self.about = replace(self.about, settled=now)
        elif found.do is Do.HIBERNATE:
            self.about = replace(self.about, settled=now, state=State.HIBERNATING, asleep_since=now)
        elif found.do is Do.WAKE:
            self.about = replace(self.about, state=State.ACTIVE, settled=heard)
        return found.do


GAPS = st.lists(st.integers(1, 60 * 60), min_size=1, max_size=60)  # minutes between two calls of the scheduler


@given(
    GAPS,
    st.sampled_from(ZONES),
    st.sampled_from(["0 3 * * *", "30 2 * * *", "0 22 * * *", "0 3,15 * * *", "0 3 1 * mon"]),
)
def test_never_twice_a_night(gaps: list[int], zone: str, cron: str) -> None:
    machine = Machine(ZoneInfo(zone), replace(Settings(), schedule=Schedule(cron=cron)))
    now = datetime(2026, 3, 20, 12, tzinfo=machine.zone)
    for gap in gaps:
        now += timedelta(minutes=gap)
        machine.call(now)

    nights = [last_fire(parse_cron(cron), dream, machine.zone) for dream in machine.dreams]
    assert len(set(nights)) == len(nights)
    assert all(b - a >= timedelta(hours=12) for a, b in zip(machine.dreams, machine.dreams[1:], strict=False))


@given(st.integers(1, 60), st.integers(0, 23 * 60))
def test_after_any_number_of_missed_nights_there_is_exactly_one_dream(missed: int, minute: int) -> None:
    machine = Machine()
    machine.call(at("2026-03-01T03:00"))
    back = at("2026-03-01T03:30") + timedelta(days=missed, minutes=minute)
    for quarter in range(4 * 4):
        machine.call(back + timedelta(minutes=15 * quarter))

    due = last_fire(parse_cron("0 3 * * *"), back + timedelta(hours=3, minutes=45), BERLIN)
    assert len(machine.dreams) == (
        3 if due and machine.dreams[1] < due and due - machine.dreams[1] >= timedelta(hours=12) else 2
    )


@given(st.integers(7, 400), st.integers(1, 48))
def test_a_hibernating_machine_answers_sleep_until_somebody_speaks_and_then_dreams_once(days: int, hours: int) -> None:
    machine = Machine()
    machine.call(at("2026-01-02T03:00"))
    answers = [machine.call(at("2026-01-02T03:00") + timedelta(days=n), fresh=0) for n in range(1, days + 1)]
    spoke = machine.about.now + timedelta(hours=hours)

    assert answers == [Do.NOTHING_NEW] * 6 + [Do.HIBERNATE] + [Do.SLEEP] * (days - 7)
    assert machine.call(spoke, heard=spoke) is Do.WAKE
    assert machine.call(spoke) is Do.WAIT  # the night that comes, not the middle of their conversation
    night = last_fire(parse_cron("0 3 * * *"), spoke + timedelta(days=1), BERLIN)
    assert night is not None and machine.call(night, heard=spoke) is Do.DREAM


@settings(max_examples=40)
@given(st.lists(st.integers(-400 * 24, 400 * 24), min_size=1, max_size=6))
def test_a_clock_that_jumps_costs_at_most_one_dream_a_jump_and_never_stops_them(jumps: list[int]) -> None:
    machine, now = Machine(), at("2026-06-01T00:10")
    for jump in jumps:
        now += timedelta(hours=jump)
        before = len(machine.dreams)
        for hour in range(24 * 4):
            machine.call(now + timedelta(hours=hour))
        now += timedelta(days=4)

        # The nights of four days and one for the jump; less those that were dreamt before the clock went back a little.
        assert 1 <= len(machine.dreams) - before <= 5
