"""One suite for everything that says whether the agent is at work; commands are real child processes."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from reverie.core.ports import Idle, ScriptedIdle, SystemClock
from reverie.workspace.sessions import AgentStatus, AnyOf, RecentWrites, says_busy

posix = pytest.mark.skipif(sys.platform == "win32", reason="the pretended command is a shell script")


def pretended(folder: Path, script: str) -> AgentStatus:
    """A command `openclaw` that does what the script says."""
    program = folder / "openclaw"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return AgentStatus(limit=1.0, environ={"PATH": f"{folder}:/usr/bin:/bin"})


def transcript(folder: Path, minutes_ago: float, name: str = "a.jsonl") -> tuple[Path, ...]:
    path = folder / "main" / "sessions" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}\n")
    os.utime(path, (time.time() - minutes_ago * 60,) * 2)
    return (folder,)


@pytest.fixture(
    params=["scripted", "no command", "silent command", "no transcripts", "old transcripts", "nobody", "several"]
)
def resting(request: pytest.FixtureRequest, tmp_path: Path) -> Idle:
    found: dict[str, Idle] = {
        "scripted": ScriptedIdle(),
        "no command": AgentStatus(environ={"PATH": str(tmp_path)}),
        "silent command": pretended(tmp_path, "exit 0"),
        "no transcripts": RecentWrites((tmp_path / "nowhere",), 10, SystemClock()),
        "old transcripts": RecentWrites(transcript(tmp_path, 11), 10, SystemClock()),
        "nobody": AnyOf(()),
        "several": AnyOf((ScriptedIdle(), ScriptedIdle())),
    }
    return found[request.param]


@pytest.fixture(params=["scripted", "command", "hanging command", "transcripts", "several"])
def working(request: pytest.FixtureRequest, tmp_path: Path) -> Idle:
    found: dict[str, Idle] = {
        "scripted": ScriptedIdle("the agent is thinking", "the agent is thinking"),
        "command": pretended(tmp_path, "echo status: active"),
        "hanging command": AgentStatus(command=("sleep", "30"), limit=0.2),
        "transcripts": RecentWrites(transcript(tmp_path, 2), 10, SystemClock()),
        "several": AnyOf((ScriptedIdle(), ScriptedIdle("writing", "writing"))),
    }
    return found[request.param]


@posix
def test_rest_is_an_empty_word_as_often_as_one_asks(resting: Idle) -> None:
    assert [resting.busy(), resting.busy()] == ["", ""]


@posix
def test_work_is_told_in_a_clause_as_often_as_one_asks(working: Idle) -> None:
    said = working.busy()

    assert said and said == said.strip() and not said.endswith(".")
    assert working.busy() == said


@posix
@pytest.mark.parametrize(
    ("script", "busy"),
    [
        ("echo inactive", False),
        ("echo 'Agent main: inactive (0 active sessions)'", False),
        ("echo active", True),
        ("echo 'agent main   RUNNING   pid 4711'", True),
        ("echo busy; exit 1", False),  # a command that fails tells nothing
        ("exit 127", False),
        ("""echo '{"agents": [{"id": "a", "status": "idle"}, {"id": "b", "status": "busy"}]}'""", True),
        ("""echo '{"status": "inactive", "active": 0}'""", False),
        ("printf '\\377\\376 busy'", True),
    ],
)
def test_a_real_command_is_understood(tmp_path: Path, script: str, busy: bool) -> None:
    assert bool(pretended(tmp_path, script).busy()) is busy


@posix
def test_a_command_that_hangs_is_ended_with_its_children_after_its_time(tmp_path: Path) -> None:
    slow = pretended(tmp_path, f"(sleep 1.5; echo late > {tmp_path}/late) & sleep 30")
    began = time.monotonic()

    assert slow.busy() == "the agent did not answer in 1 seconds"
    assert time.monotonic() - began < 3
    time.sleep(0.8)
    assert not (tmp_path / "late").exists()


@pytest.mark.parametrize(
    ("text", "busy"),
    [
        ("status: active", True),
        ("Status: Running (2 tasks)", True),
        ("the agent is not running", False),
        ("active: no", False),
        ("busy: false", False),
        ("No active sessions", False),
        ("isn't running", False),
        ("deactivated", False),
        ("proactive mode on", False),
        ("状态：忙碌", True),
        ("状态：运行中", True),
        ("状态：未运行", False),
        ("智能体空闲", False),
        ('{"state": {"status": "not running"}}', False),
        ('{"busy": true}', True),
        ('{"version": "active-2"}', False),
        ("", False),
    ],
)
def test_a_status_is_read_by_whole_words(text: str, busy: bool) -> None:
    assert says_busy(text) is busy


def test_the_session_that_calls_us_at_night_is_not_the_agent_at_work(tmp_path: Path) -> None:
    folders = transcript(tmp_path, 0, "night.jsonl")
    listed = tmp_path / "main" / "sessions" / "sessions.json"
    listed.write_text('{"agent:main:cron:dream-nightly": {"sessionId": "night", "sessionFile": "night.jsonl"}}')

    assert RecentWrites(folders, 10, SystemClock()).busy() == ""
