"""Nights that happen by themselves: real files, a clock that is given, and what each call leaves behind."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from conftest import Make, memory_of, review, write
from reverie.errors import ReverieError
from reverie.features import schedule
from reverie.features.schedule import due, scheduled, switch, wakeup
from reverie.features.session import session_start
from reverie.features.status import status
from reverie.features.when import Do
from reverie.hosts.connect import connect
from reverie.store.lock import held
from reverie.surfaces.cli import main
from reverie.workspace.layout import ACTIVE_DAYS, DREAM_STATE, LAST_DREAM, LAST_REVIEW, RUNS, SCHEDULE, Layout

NIGHT = datetime(2026, 3, 31, 3, 30)
NEW = "- Decision: invoices go out on the first of the month\n"
Dream = Callable[..., tuple[int, str, str]]
opened: list[str] = []
sys.addaudithook(lambda event, details: opened.append(str(details[0])) if event == "open" else None)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("OPENCLAW_WORKSPACE", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "home").mkdir()
    (tmp_path / "bin").mkdir()
    return tmp_path / "home"


@pytest.fixture
def dream(capsys: pytest.CaptureFixture[str]) -> Dream:
    def run(*words: str | Path, now: datetime = NIGHT) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main([*map(str, words), "--now", now.isoformat()])
        return int(stop.value.code or 0), *capsys.readouterr()

    return run


def program(home: Path, text: str) -> None:
    """An `openclaw` on the PATH."""
    path = home.parent / "bin/openclaw"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def state_of(layout: Layout) -> str:
    path = layout.real(DREAM_STATE)
    return path.read_text() if path.exists() else ""


def files_of(layout: Layout) -> dict[Path, tuple[bytes, int]]:
    return {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in layout.root.rglob("*") if p.is_file()}


def nights(layout: Layout) -> list[str]:
    return sorted(path.name for path in layout.real(RUNS).glob("*-review.json"))


def asleep(make: Make, day: datetime = NIGHT) -> Layout:
    """A workspace after a night and seven quiet days."""
    layout = make(files={"memory/2026-03-30.md": NEW})
    said = [scheduled(layout.root, day + timedelta(days=n)).due.do for n in range(8)]
    assert said == [Do.DREAM] + [Do.SETTLE] * 6 + [Do.HIBERNATE]
    return layout


def test_a_busy_agent_defers_the_night_in_silence_until_six(workspace: Make, home: Path, dream: Dream) -> None:
    layout = workspace(files={"memory/2026-03-30.md": NEW})
    program(home, "echo 'agent main: busy'")
    answers = [
        dream("review", "--scheduled", "-w", layout.root, now=NIGHT + timedelta(minutes=15 * n)) for n in range(10)
    ]
    assert answers == [(75, "", "")] * 10 and state_of(layout) == "pending\n" and not nights(layout)
    assert status(layout, NIGHT + timedelta(minutes=40)).state == "pending (deferred, waiting 40 min)"
    assert dream("due", "-w", layout.root)[:2] == (
        1, "SKIP: OpenClaw says that the agent is at work; the next look is due at 2026-03-31 03:45\n")  # fmt: skip
    assert dream("review", "--scheduled", "-w", layout.root, now=datetime(2026, 3, 31, 6)) == (0, "", "")
    assert (state_of(layout), nights(layout)) == ("active\n", ["0001-review.json"])
    assert dream("review", "--scheduled", "-w", layout.root, now=datetime(2026, 3, 31, 6, 15)) == (0, "", "")
    assert nights(layout) == ["0001-review.json"]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("echo active", "busy"), ("echo '{\"status\": \"running\", \"queued\": 0}'", "busy"), ("echo 状态：忙", "busy"),
        ("echo 'active (idle)'", "idle"), ("echo inactive", "idle"), ("echo '0 active sessions'", "idle"),
        ("echo not running", "idle"), ("echo busy; exit 1", "idle"), ("pwd", "idle"), ("exec sleep 9", "busy"),
    ],
)  # fmt: skip
def test_what_the_agents_own_command_says(
    workspace: Make, home: Path, text: str, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{home.parent}/bin{os.pathsep}.{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setattr("reverie.features.idle._SECONDS", 0.3)
    program(home, f"pwd > {home}/where; {text}")
    layout, begun = workspace(), time.monotonic()
    assert ("busy" if schedule.busy(layout, NIGHT) else "idle") == word and time.monotonic() - begun < 3
    assert not (home / "where").read_text().startswith(str(layout.root))


def test_a_program_in_the_present_folder_is_never_started(
    workspace: Make, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = workspace()
    program(home, "echo busy")
    os.rename(home.parent / "bin/openclaw", layout.root / "openclaw")
    monkeypatch.chdir(layout.root)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.pathsep}bin")
    assert schedule.busy(layout, NIGHT) == ""


def test_a_conversation_a_lock_and_another_dream_are_signs_of_work(workspace: Make, home: Path) -> None:
    layout, sessions = workspace(), home / ".openclaw/agents/main/sessions"
    sessions.mkdir(parents=True)
    (home / ".openclaw/openclaw.json").write_text(f"{{agents: {{list: [{{id: 'main', workspace: '{layout.root}'}}]}}}}")
    for path, minutes in (
        (layout.root / "memory/.dream_lock", 29),
        (sessions / "a.jsonl", 9),
        (sessions / "a.jsonl.lock", 9),
    ):
        path.write_text("")
        for name in sessions.iterdir():
            os.utime(name, (0, 0))
        os.utime(path, (NIGHT.timestamp() - minutes * 60,) * 2)
        assert due(layout, NIGHT).do is Do.DEFER and due(layout, NIGHT + timedelta(minutes=2)).do is not Do.DEFER
        os.utime(path, (0, 0))


def test_what_several_workspaces_print_as_json_is_one_value(workspace: Make, home: Path, dream: Dream) -> None:
    code, out, err = dream("review", "--scheduled", "--json", "-w", home / "nowhere", "-w", workspace().root)
    assert code == 11 and len(json.loads(out)) == 1 and "nowhere" in err


def test_without_new_notes_only_the_stamp_moves_and_seven_quiet_days_hibernate(workspace: Make) -> None:
    layout = asleep(workspace)
    assert state_of(layout) == "hibernating\n" and nights(layout) == ["0001-review.json"]
    assert layout.real(LAST_REVIEW).read_text() == "2026-04-07 03:30\n"
    assert layout.real(ACTIVE_DAYS).read_text() == '[\n  "2026-03-31"\n]\n'
    assert status(layout, NIGHT + timedelta(days=10)).state == "hibernating (dormant 3 days)"


def test_a_hibernating_call_opens_and_writes_nothing(workspace: Make, home: Path, dream: Dream) -> None:
    layout, sessions = asleep(workspace), home / ".openclaw/agents/main/sessions"
    sessions.mkdir(parents=True)
    (sessions / "old.jsonl").write_text("{}")
    os.utime(sessions / "old.jsonl", (0, 0))
    write(layout, "reading list.md", "- something of its owner's\n")
    dream("review", "--scheduled", "-w", layout.root, now=NIGHT + timedelta(days=8))  # what is imported is imported now
    before = files_of(layout)
    opened.clear()
    assert dream("review", "--scheduled", "-w", layout.root, now=NIGHT + timedelta(days=9)) == (0, "", "")
    assert [name for name in opened if str(home.parent) in name] == []
    assert files_of(layout) == before
    assert dream("due", "-w", layout.root, now=NIGHT + timedelta(days=9))[0] == 1


def test_a_new_note_wakes_it_for_the_next_night_and_deletes_nothing(workspace: Make) -> None:
    layout = asleep(workspace)
    before = memory_of(layout)
    write(layout, "memory/2026-04-20.md", "- the ferry is sold to Kern\n")
    noon = datetime(2026, 4, 20, 12)
    os.utime(layout.root / "memory/2026-04-20.md", (noon.timestamp(),) * 2)
    os.utime(layout.real(DREAM_STATE), ((NIGHT + timedelta(days=7)).timestamp(),) * 2)
    assert scheduled(layout.root, noon + timedelta(minutes=15)).due.do is Do.WAIT
    assert (state_of(layout), memory_of(layout)) == ("active\n", before)
    assert scheduled(layout.root, datetime(2026, 4, 21, 3, 30)).due.do is Do.DREAM
    assert scheduled(layout.root, datetime(2026, 4, 22, 3, 30)).due.do is Do.SETTLE


def test_what_programs_write_wakes_nobody(workspace: Make) -> None:
    layout = asleep(workspace)
    write(layout, "memory/2026-04-08.md", "- HEARTBEAT_OK\n")
    assert scheduled(layout.root, NIGHT + timedelta(days=9)).due.do is Do.SLEEP and state_of(layout) == "hibernating\n"


def test_the_first_conversation_is_told_what_was_and_wakes_it(workspace: Make) -> None:
    layout = workspace(
        "## A\n- a1\n- a1\n- a2\n## B\n- b1\n- the pin of the gate is 4711\n", {"memory/2026-03-30.md": NEW}
    )
    review(layout, NIGHT)
    layout.real(DREAM_STATE).write_text("hibernating\n")
    write(layout, "memory/2026-04-20.md", "- tea\n- coffee\n")
    before, text = memory_of(layout), session_start(layout, datetime(2026, 4, 20, 12)).text
    for said in (
        "Archived last:",
        "[merged] a1",
        "Memory holds ",
        "- A › a2",
        "New since the last night: 2 lines in 1 files.",
    ):
        assert said in text
    assert "4711" not in text and (state_of(layout), memory_of(layout)) == ("active\n", before)
    assert "Archived last" not in session_start(layout, datetime(2026, 4, 20, 13)).text
    assert not wakeup(layout, datetime(2026, 4, 20, 14)).was_asleep


def test_off_holds_until_on(workspace: Make, dream: Dream) -> None:
    layout = workspace(files={"memory/2026-03-30.md": NEW})
    assert dream("off", "-w", layout.root)[0] == 0 and status(layout, NIGHT).state == "off"
    for night in (NIGHT, NIGHT + timedelta(days=40)):
        assert dream("review", "--scheduled", "-w", layout.root, now=night) == (0, "", "")
    assert dream("due", "-w", layout.root)[1] == "SKIP: nothing happens by itself until `dream on`\n" and not nights(
        layout
    )
    assert switch(layout, on=True) and not switch(layout, on=True)
    assert scheduled(layout.root, NIGHT).due.do is Do.DREAM


def test_an_undo_in_the_morning_makes_no_second_night(workspace: Make, dream: Dream) -> None:
    layout = workspace(files={"memory/2026-03-30.md": NEW})
    scheduled(layout.root, NIGHT)
    assert "invoices" in memory_of(layout)
    dream("undo", "-w", layout.root, now=NIGHT + timedelta(hours=5))
    layout.real(LAST_DREAM).unlink()
    assert scheduled(layout.root, NIGHT + timedelta(hours=6)).due.do is Do.WAIT and "invoices" not in memory_of(layout)


def test_a_night_that_fails_is_tried_three_times_and_the_lock_of_another_command_is_no_failure(
    workspace: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = workspace(files={"memory/2026-03-30.md": NEW})
    with held(layout, "review"):
        assert scheduled(layout.root, NIGHT).due.do is Do.DEFER
    monkeypatch.setattr("reverie.night.review", _broken)
    for quarter in range(3):
        with pytest.raises(OSError, match="torn"):
            scheduled(layout.root, NIGHT + timedelta(minutes=15 * quarter))
        assert scheduled(layout.root, NIGHT + timedelta(minutes=15 * quarter + 5)).due.do is (
            Do.WAIT if quarter == 2 else Do.DEFER
        )
    assert state_of(layout) == "active\n"
    monkeypatch.setattr("reverie.night.review", _killed)
    with pytest.raises(KeyboardInterrupt):
        scheduled(layout.root, NIGHT + timedelta(days=1))
    assert due(layout, NIGHT + timedelta(days=1, minutes=5)).reason == "the last try failed"
    monkeypatch.undo()
    assert scheduled(layout.root, NIGHT + timedelta(days=1, minutes=15)).due.do is Do.DREAM


def _broken(*_: object, **__: object) -> None:
    raise OSError(5, "torn")


def _killed(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_one_workspace_that_fails_stops_no_other_and_each_dreams_once(
    workspace: Make, home: Path, dream: Dream
) -> None:
    layout, broken = workspace(files={"memory/2026-03-30.md": NEW}), home / "broken"
    (broken / "memory").mkdir(parents=True)
    (broken / "MEMORY.md").write_bytes(b"\xff\xfe\x00")
    (broken / "memory/2026-03-30.md").write_text(NEW)
    where = ("-w", broken, "-w", layout.root, "-w", f"{layout.root}/../workspace", "-w", home / "nowhere")
    code, out, err = dream("review", "--scheduled", *where)
    assert (code, out, len(err.splitlines())) == (15, "", 2) and nights(layout) == ["0001-review.json"]


def test_without_a_path_the_workspaces_of_openclaws_agents_dream(workspace: Make, home: Path, dream: Dream) -> None:
    layout, other = workspace(files={"memory/2026-03-30.md": NEW}), home / "other"
    (other / "memory").mkdir(parents=True)
    (other / "MEMORY.md").write_text("# Me\n")
    (other / "memory/2026-03-30.md").write_text(NEW)
    agents = ", ".join(
        f"{{id: 'a{n}', workspace: '{path}'}}" for n, path in enumerate((layout.root, other, layout.root))
    )
    (home / ".openclaw").mkdir()
    (home / ".openclaw/openclaw.json").write_text(f"{{agents: {{list: [{agents}]}}}}")
    assert dream("review", "--scheduled") == (0, "", "")
    assert nights(layout) == ["0001-review.json"] and "invoices" in (other / "MEMORY.md").read_text()


def test_one_archive_for_several_workspaces_and_a_dry_run_are_refused(
    home: Path, dream: Dream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DREAM_VAULT_PATH", str(home / "vault"))
    with pytest.raises(ReverieError, match="DREAM_VAULT_PATH"):
        schedule.scheduled_workspaces([str(home), str(home.parent)])
    assert dream("review", "--scheduled", "--dry-run")[0] == 10


@pytest.mark.parametrize("text", ["", "[]", '{"settled": 7}', '{"settled": "2026-03-31T03:30:00"}', "\0", "{" * 5_000])
def test_a_damaged_small_file_says_nothing(workspace: Make, text: str) -> None:
    layout = workspace(files={"memory/2026-03-30.md": NEW, SCHEDULE: text, ACTIVE_DAYS: text, DREAM_STATE: text})
    assert scheduled(layout.root, NIGHT).due.do is Do.DREAM


def test_a_night_waits_two_nights_for_the_agent_of_a_connected_host_and_no_longer(workspace: Make, home: Path) -> None:
    layout = workspace("## Money\n- a\n", {"memory/2026-03-30.md": NEW})
    (home / ".codex").mkdir()
    connect("codex", layout)
    for day in range(2):
        assert scheduled(layout.root, NIGHT + timedelta(days=day)).run == ""
        assert scheduled(layout.root, NIGHT + timedelta(days=day, hours=1)).due.do is Do.WAIT
        assert "dream_brief" in session_start(layout, NIGHT + timedelta(days=day, hours=5)).night
    assert scheduled(layout.root, NIGHT + timedelta(days=2)).run
    assert "invoices" in memory_of(layout) and session_start(layout, NIGHT + timedelta(days=2, hours=5)).night == ""
    write(layout, "memory/2026-04-02.md", "- Decision: refunds take a week\n")
    assert scheduled(layout.root, NIGHT + timedelta(days=3)).run == ""  # after each dream it has two nights again
    assert scheduled(layout.root, NIGHT + timedelta(days=4), model="none").run
