"""The scheduled night: dreams when it is time, waits for a busy agent, hibernates without a trace, wakes by itself."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Build, tree
from reverie.apply.lock import held
from reverie.core.errors import WriteFailed
from reverie.core.ports import MachineZone, ScriptedIdle, fixed
from reverie.core.settings import Diary, Mind, Schedule, Settings, Storage
from reverie.features.schedule.when import (
    Do,
    ScheduledCall,
    ScheduleState,
    idle_of,
    scheduled_night,
    switch,
    watched_text,
    with_watched,
)
from reverie.night import commands
from reverie.night.agent import keep_answer
from reverie.workspace.values import Workspace
from terminal import DREAM, call

STRACE = shutil.which("strace") or ""
SETTINGS = Settings(timezone="Europe/Berlin", diary=Diary(enabled=False), storage=Storage(dream_log=False))
NOTE = "# 2026-11-14\n\n- Decided: the workshop closes on Mondays from now on.\n- The new supplier of spruce is in Mittenwald.\n"
FILES: dict[str, str | bytes] = {
    "MEMORY.md": "# Memory\n\n## Stable Knowledge\n\n- The workshop is in Cremona.\n",
    "memory/2026-11-14.md": NOTE,
}


def at(moment: str, workspace: Workspace, *busy: str) -> ScheduledCall:
    """A scheduled call at this moment, local time; the agent is at work for so many questions."""
    return scheduled_night(workspace, fixed(f"2026-{moment}:00", workspace_zone(workspace)), ScriptedIdle(*busy))


def workspace_zone(workspace: Workspace):  # type: ignore[no-untyped-def]
    from reverie.features.schedule.when import zone_of

    return zone_of(workspace.settings)


def state(workspace: Workspace) -> str:
    path = workspace.vault / "meta" / "dream-state.txt"
    return path.read_text().strip() if path.exists() else "active"


def write(workspace: Workspace, day: str, text: str) -> None:
    path = workspace.root / "memory" / f"2026-{day}.md"
    path.write_text(f"# 2026-{day}\n\n{text}\n", "utf-8")
    noon = datetime.fromisoformat(f"2026-{day}T12:00:00+01:00").timestamp()
    os.utime(path, (noon, noon))


@pytest.fixture
def workspace(build: Build) -> Workspace:
    found = build(FILES, SETTINGS)
    past = datetime.fromisoformat("2026-11-14T12:00:00+01:00").timestamp()
    for path in found.root.rglob("*.md"):
        os.utime(path, (past, past))
    return found


def test_a_week_of_nights_dreams_once_for_every_day_with_news(workspace: Workspace) -> None:
    found = [at("11-15T03:00", workspace), at("11-15T03:15", workspace), at("11-15T14:00", workspace)]
    found.append(at("11-16T03:00", workspace))
    write(workspace, "11-16", "- Decided: varnish is mixed on Thursdays only.\n- 决定：以后周五不接新的修琴订单。")
    found += [at("11-17T03:00", workspace), at("11-17T03:15", workspace)]

    assert [one.decision.do for one in found] == [Do.DREAM, Do.WAIT, Do.WAIT, Do.NOTHING_NEW, Do.DREAM, Do.WAIT]
    assert [bool(one.run) for one in found] == [True, False, False, False, True, False]
    assert state(workspace) == "active"


def test_a_busy_agent_makes_it_pending_and_six_o_clock_ends_that(workspace: Workspace) -> None:
    first, again = at("11-15T03:00", workspace, "the agent is at work"), at("11-15T03:15", workspace, "still at work")

    assert (first.exit_code, again.exit_code, state(workspace)) == (75, 75, "pending")
    log = (workspace.vault / "meta" / "review-2026-11.md").read_text("utf-8")
    assert (
        log == "### 2026-11-15 03:00\nDeferred: the agent is at work.\n\n"
    )  # one paragraph a night, however often it waits

    forced = at("11-15T06:00", workspace, "still at work")

    assert (forced.decision.do, forced.decision.forced, bool(forced.run), state(workspace)) == (
        Do.DREAM,
        True,
        True,
        "active",
    )


def test_a_night_that_the_agent_leads_waits_for_it_two_nights_and_no_longer(workspace: Workspace) -> None:
    led = replace(workspace, settings=replace(SETTINGS, model=Mind(kind="agent")))

    nights = [at(f"11-{day}T03:00", led) for day in (15, 16)]
    keep_answer(led, fixed("2026-11-16T09:00:00+01:00"), '{"operations": []}')
    answered = at("11-16T09:15", led)
    write(led, "11-17", "- Decided: varnish is mixed on Thursdays only.")
    late = [at(f"11-{day}T03:00", led).decision.do for day in (18, 19, 20)]

    assert [(one.decision.do, one.run) for one in nights] == [(Do.DEFER, None)] * 2 and "host agent" in nights[
        0
    ].decision.why
    assert answered.decision.do is Do.DREAM
    assert late == [Do.DEFER, Do.DEFER, Do.DREAM]


def test_an_undo_in_the_morning_does_not_make_the_night_due_again(workspace: Workspace) -> None:
    at("11-15T03:00", workspace)
    commands.undo(workspace, fixed("2026-11-15T09:00:00+01:00"))

    assert at("11-15T09:15", workspace).decision.do is Do.WAIT
    assert at("11-16T03:00", workspace).decision.do is Do.DREAM


def test_an_undo_takes_back_the_dream_and_not_the_line_about_waiting(workspace: Workspace) -> None:
    at("11-15T03:00", workspace)
    before = (workspace.root / "MEMORY.md").read_bytes()
    write(workspace, "11-15", "- Decided: bows are repaired by the pupil from now on.")
    at("11-16T03:00", workspace)
    at("11-17T03:00", workspace, "busy")
    write(workspace, "11-17", "- hello")
    at("11-18T03:00", workspace, "busy")

    night = commands.undo(workspace, fixed("2026-11-18T09:00:00+01:00"))

    assert night.plan.undoes.endswith("2026-11-16")
    assert (workspace.root / "MEMORY.md").read_bytes() == before


def test_a_week_without_news_hibernates_and_the_first_new_note_wakes(workspace: Workspace) -> None:
    at("11-15T03:00", workspace)
    week = [at(f"11-{day}T03:00", workspace).decision.do for day in range(16, 23)]
    asleep = tree(workspace.root, without=())
    slept = [at(f"11-{day}T03:00", workspace).decision.do for day in range(23, 31)]

    assert week == [Do.NOTHING_NEW] * 6 + [Do.HIBERNATE]
    assert slept == [Do.SLEEP] * 8
    assert (state(workspace), tree(workspace.root, without=())) == ("hibernating", asleep)

    write(workspace, "11-30", "- Decided: the old bench is sold.")
    awake = at("11-30T14:00", workspace)

    assert (awake.decision.do, awake.run, state(workspace)) == (Do.WAKE, None, "active")
    assert at("12-01T03:00", workspace).decision.do is Do.DREAM
    told = (workspace.vault / "meta" / "review-2026-11.md").read_text("utf-8")
    assert re.findall(r"^(Hibernating|Awake): .*$", told, re.M) == ["Hibernating", "Awake"]


def test_heartbeats_of_machines_are_no_sign_of_life(workspace: Workspace) -> None:
    at("11-15T03:00", workspace)
    write(workspace, "11-15", "- 03:10 heartbeat: HEARTBEAT_OK\n- 04:10 heartbeat: HEARTBEAT_OK")

    assert at("11-16T03:00", workspace).decision.do is Do.NOTHING_NEW


def test_words_make_a_note_new_and_the_time_of_its_file_does_not(workspace: Workspace) -> None:
    at("11-15T03:00", workspace)
    (workspace.root / "memory" / "2026-11-14.md").touch()

    assert at("11-16T03:00", workspace).decision.do is Do.NOTHING_NEW


def test_what_the_owner_writes_into_memory_by_hand_is_something_new(workspace: Workspace) -> None:
    at("11-15T03:00", workspace)
    with open(workspace.root / "MEMORY.md", "a", encoding="utf-8") as memory:
        memory.write("- The workshop is in Cremona.\n")

    assert at("11-16T03:00", workspace).decision.do is Do.DREAM


def test_a_person_who_speaks_wakes_it_and_the_machines_own_session_does_not(
    workspace: Workspace, tmp_path: Path
) -> None:
    heard = replace(workspace, settings=replace(SETTINGS, transcripts=(str(tmp_path / "agents"),)))
    sessions = tmp_path / "agents" / "main" / "sessions"
    sessions.mkdir(parents=True)
    at("11-15T03:00", heard)
    for day in range(16, 23):
        at(f"11-{day}T03:00", heard)

    def spoke(name: str, key: str) -> None:
        path = sessions / f"{name}.jsonl"
        path.write_text('{"type":"message","message":{"role":"user","content":"hello"}}\n')
        (sessions / "sessions.json").write_text(json.dumps({key: {"sessionId": name, "sessionFile": path.name}}))
        moment = datetime.fromisoformat("2026-11-25T12:00:00+01:00").timestamp()
        os.utime(path, (moment, moment))

    spoke("job", "agent:main:cron:nightly")
    assert at("11-26T03:00", heard).decision.do is Do.SLEEP
    spoke("talk", "agent:main:telegram:direct:ada")
    assert at("11-26T03:15", heard).decision.do is Do.DREAM  # they spoke yesterday: this very night is due
    assert at("11-27T03:00", heard).decision.do is Do.NOTHING_NEW  # and what they said is heard once
    assert state(heard) == "active"


MOMENTS = st.none() | st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)).map(
    lambda one: one.replace(microsecond=0, tzinfo=UTC)
)


@given(MOMENTS, MOMENTS, MOMENTS, MOMENTS, st.integers(0, 9), st.none() | st.dates())
def test_what_the_schedule_keeps_in_mind_comes_back_as_it_was(settled, asleep, tried, tried_at, tries, quiet) -> None:  # type: ignore[no-untyped-def]
    bare = ScheduleState(now=datetime(2026, 11, 15, tzinfo=UTC), zone=UTC)
    kept = replace(
        bare, settled=settled, asleep_since=asleep, tried=tried, tried_at=tried_at, tries=tries, quiet_since=quiet
    )

    assert with_watched(bare, watched_text(kept)) == kept


@given(st.text(max_size=40) | st.recursive(st.none() | st.integers() | st.text(max_size=5), st.lists).map(json.dumps))
def test_no_text_in_its_place_can_stop_it(text: str) -> None:
    assert with_watched(ScheduleState(now=datetime(2026, 11, 15, tzinfo=UTC), zone=UTC), text).tries == 0


def test_a_night_that_fails_is_told_and_tried_three_times(workspace: Workspace) -> None:
    (workspace.root / "memory/.dreams").mkdir()
    (workspace.root / "memory/.dreams/runs").write_text("a file where a folder should be")

    for moment in ("11-15T03:00", "11-15T03:15", "11-15T03:30"):
        with pytest.raises(WriteFailed):
            at(moment, workspace)
        assert at(f"{moment[:-1]}5", workspace).decision.do in (Do.DEFER, Do.WAIT)

    assert at("11-15T12:00", workspace).decision.why == "the night of 2026-11-15 03:00 failed 3 times"
    with pytest.raises(WriteFailed):
        at("11-16T03:00", workspace)


def test_somebody_else_who_dreams_is_waited_for(workspace: Workspace) -> None:
    patient = Workspace(workspace.root, workspace.vault, Settings(timezone="Europe/Berlin", lock_wait=0))
    with held(workspace.root, "review", "2026-11-15T03:00:00", 0):
        found = at("11-15T03:00", patient)

    assert (found.decision.do, found.exit_code) == (Do.DEFER, 75)
    assert at("11-15T03:15", patient).decision.do is Do.DREAM


def test_off_is_off(workspace: Workspace) -> None:
    switch(workspace, on=False)

    assert at("11-15T03:00", workspace).decision.why == "dreaming is off; `dream on` switches it on"


def test_damaged_state_only_means_that_nothing_is_remembered(workspace: Workspace) -> None:
    at("11-15T03:00", workspace)
    (workspace.root / "memory" / ".dreams" / "watched.json").write_bytes(b'{"settled": [], "tries": "x", \xff')
    (workspace.vault / "meta" / "dream-state.txt").write_text("???")

    assert at("11-15T03:15", workspace).decision.do is Do.WAIT  # .last_dream still knows


def test_two_ways_to_know_that_the_agent_is_at_work_each_with_its_setting() -> None:
    clock = fixed("2026-11-15T03:00:00+01:00")
    both = Settings(transcripts=("/nowhere",))
    neither = Settings(transcripts=("/nowhere",), schedule=Schedule(quiet_minutes=0, ask_agent=False))

    assert [type(way).__name__ for way in idle_of(both, clock, {}).idles] == ["RecentWrites", "AgentStatus"]  # type: ignore[attr-defined]
    assert idle_of(neither, clock, {}).busy() == ""


# ── as a command ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_command_is_silent_and_its_exit_code_can_be_used(workspace: Workspace, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "openclaw"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho status: active\n")
    program.chmod(0o755)
    mine = Path(os.environ["HOME"]) / ".config" / "reverie" / "reverie.toml"
    mine.parent.mkdir(parents=True)
    mine.write_text('timezone = "Europe/Berlin"\n[search]\nembedder = "off"\n')
    args = ("review", "--scheduled", "--workspace", workspace.root)

    busy = call(*args, REVERIE_NOW="2026-11-15T03:00:00+01:00", PATH=f"{program.parent}:/usr/bin:/bin")
    done = call(*args, REVERIE_NOW="2026-11-15T06:00:00+01:00", PATH=f"{program.parent}:/usr/bin:/bin")
    later = call(*args, "--json", REVERIE_NOW="2026-11-15T06:15:00+01:00", PATH="/usr/bin:/bin")

    assert (busy.code, busy.out, busy.err) == (75, "", "")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert (later.code, json.loads(later.out)["until"]) == (0, "2026-11-16T03:00:00+01:00")


def test_all_workspaces_have_their_night_and_one_that_is_broken_stops_nobody(build: Build) -> None:
    one, two = build(FILES), build(FILES)
    (one.root / "reverie.toml").write_text("nonsense = 1\n")
    mine = Path(os.environ["HOME"]) / ".config" / "reverie" / "reverie.toml"
    mine.parent.mkdir(parents=True)
    mine.write_text(
        f'workspaces = ["{one.root}", "{two.root}"]\n[search]\nembedder = "off"\n[schedule]\nask_agent = false\n'
    )

    done = call("review", "--all", "--scheduled", REVERIE_NOW="2026-11-15T03:00:00+01:00")

    assert (done.code, done.out) == (15, "")
    assert "nonsense" in done.err
    assert (two.root / "memory" / ".last_dream").exists()


def test_a_scheduled_call_decides_by_itself(workspace: Workspace) -> None:
    assert call("review", "--scheduled", "--force", "--workspace", workspace.root).code == 14


@pytest.mark.skipif(not STRACE, reason="strace is not installed: system calls cannot be counted")
def test_the_hibernating_call_writes_nothing_and_opens_no_note(workspace: Workspace, tmp_path: Path) -> None:
    at("11-15T03:00", workspace)
    for day in range(16, 23):
        at(f"11-{day}T03:00", workspace)
    assert state(workspace) == "hibernating"
    log, calls = tmp_path / "calls", "trace=%file,%desc"
    words = [
        STRACE,
        "-f",
        "-qq",
        "-y",
        "-o",
        log,
        "-e",
        calls,
        DREAM,
        "review",
        "--scheduled",
        "--workspace",
        workspace.root,
    ]
    env = os.environ | {
        "REVERIE_NOW": "2026-12-01T03:00:00+01:00",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PATH": "/usr/bin:/bin",
    }

    done = subprocess.run([str(word) for word in words], env=env, capture_output=True, timeout=120)
    inside = [line for line in log.read_text("utf-8", "replace").split("\n") if str(workspace.root) in line]

    assert (done.returncode, done.stdout) == (0, b"")
    wrote = re.compile(
        r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|\b(?:rename|unlink|mkdir|rmdir|link|symlink|truncate|chmod|utime|write|fsync)\w*\("
    )
    assert [line for line in inside if wrote.search(line)] == []
    opened = {
        match[1]
        for line in inside
        if "ENOENT" not in line
        for match in [re.search(r'openat\([^"]*"([^"]*)"', line)]
        if match
    }
    names = {str(Path(path).relative_to(workspace.root)) for path in opened}
    assert names <= {
        ".",
        "MEMORY.md",  # its beginning: which language the owner speaks
        "memory",
        ".learnings",
        "memory/.last_dream",
        "memory/.dreams/watched.json",
        "dream-vault/meta/dream-state.txt",
    }


@pytest.mark.skipif(sys.platform == "win32", reason="the zone of the process cannot be set")
def test_the_machines_zone_knows_its_summer_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        winter, summer = (
            datetime.fromisoformat(f"2026-{month}-15T03:00:00+00:00").astimezone(MachineZone())
            for month in ("01", "07")
        )
        twice = [datetime(2026, 10, 25, 2, 30, tzinfo=MachineZone(), fold=fold).utcoffset() for fold in (0, 1)]
    finally:
        monkeypatch.undo()
        time.tzset()

    assert (winter.hour, summer.hour) == (4, 5)
    assert [str(offset) for offset in twice] == ["2:00:00", "1:00:00"]
