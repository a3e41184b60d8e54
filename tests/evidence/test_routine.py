"""A machine's log in a note: thousands of lines with one frame are told as a number, and people's lines are heard."""

from __future__ import annotations

from conftest import Build
from reverie.core.ports import FixedClock
from reverie.evidence.claims import frame_of, without_routine
from reverie.night import commands
from reverie.workspace.values import Statement, stated

DAY = "memory/2026-11-14.md"


def said(*texts: str) -> list[Statement]:
    return [stated(DAY, n, n, text) for n, text in enumerate(texts, 1)]


def test_a_frame_that_comes_back_with_other_numbers_is_a_machines() -> None:
    log = said(*(f"worker-{n % 9} processed batch {n} in {n * 7} ms" for n in range(500)), "Ada keeps the books")

    assert without_routine(log) == ([log[-1]], {DAY: 500})


def test_what_a_person_writes_in_a_day_is_heard_however_alike() -> None:
    people = said(*(f"Room {n} needs new curtains" for n in range(19)), *["Ada keeps the books"] * 40)

    assert without_routine(people) == (people, {})


def test_words_with_digits_are_left_open_in_every_script() -> None:
    assert frame_of("Job a81f fertig nach 12s") == "job # fertig nach #" == frame_of("job b2 fertig nach 9s")
    assert frame_of("温度 23度 正常") == frame_of("温度 ２５度 正常")
    assert frame_of("托管费每月750元") == frame_of("托管费每月900元") != frame_of("水池能装300升")


def test_a_night_tells_how_much_it_did_not_weigh(build: Build, clock: FixedClock) -> None:
    log = "".join(f"- cache miss for key user:{n}\n" for n in range(60))
    workspace = build({"MEMORY.md": "# Ada\n", DAY: log})

    night = commands.plan_dream(workspace, clock)

    assert f"60 lines of {DAY} say the same with other numbers." in [flag.text for flag in night.plan.flags]
