"""`dream due`: seed 001's check, exit code 0 or 1 with the reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Build, tree
from reverie.apply.lock import held
from reverie.core.layout import LAST_DREAM
from reverie.core.ports import fixed
from reverie.core.settings import Settings
from reverie.features.schedule.nightshift import due
from reverie.features.schedule.when import switch
from reverie.night import commands
from reverie.workspace.values import Workspace
from terminal import call

MORNING = "2026-11-15T08:00:00+01:00"
SETTINGS = Settings(timezone="Europe/Berlin")


@pytest.fixture
def workspace(build: Build) -> Workspace:
    files = {"MEMORY.md": "- tea\n", "memory/2026-11-14.md": "- 散步\n", LAST_DREAM: "2026-11-14T02:04:00Z\n"}
    return build(files, SETTINGS)  # type: ignore[arg-type]


def lines(workspace: Workspace, now: str = MORNING) -> list[str]:
    return list(due(workspace, fixed(now)).lines)


def test_a_night_has_passed_and_a_note_is_new(workspace: Workspace) -> None:
    told = lines(workspace)

    assert told[:2] == ["CHECK: the last dream was 28 hours ago", "CHECK: 1 new file, 2 new entries in all"]
    assert told[2].startswith("READY: the night of 2026-11-15 03:00")


def test_too_soon(workspace: Workspace) -> None:
    (workspace.root / LAST_DREAM).write_text("2026-11-15T02:04:00Z\n")

    assert lines(workspace) == [
        "CHECK: the last dream was 4 hours ago",
        "SKIP: the night of 2026-11-15 03:00 is settled",
    ]


def test_nothing_new(workspace: Workspace) -> None:
    commands.review(workspace, fixed("2026-11-14T03:04:00+01:00"))

    assert lines(workspace)[-1] == "SKIP: nothing new since the last dream"


def test_an_edit_of_the_memory_is_something_new(workspace: Workspace) -> None:
    commands.review(workspace, fixed("2026-11-14T03:04:00+01:00"))
    (workspace.root / "MEMORY.md").write_text("- tea\n- 咖啡也可以\n")

    assert lines(workspace)[1:2] == ["CHECK: 0 new files, 1 new entry in all"]
    assert lines(workspace)[-1].startswith("READY: ")


def test_a_dream_that_is_running(workspace: Workspace) -> None:
    with held(workspace.root, "review", "now", 0):
        told = lines(workspace)

    assert told[1] == "WARN: a dream is running"
    assert told[2].startswith("SKIP: the workspace is held by `dream review`")


def test_switched_off(workspace: Workspace) -> None:
    switch(workspace, on=False)

    assert lines(workspace)[-1].startswith("SKIP: dreaming is off")


def test_a_clock_that_was_wrong_is_warned_about(workspace: Workspace) -> None:
    (workspace.root / LAST_DREAM).write_text("2027-01-01T00:00:00Z\n")

    assert lines(workspace)[0].startswith("WARN: the last dream lies in the future")
    assert lines(workspace)[-1].startswith("READY: ")


def test_the_first_dream_needs_only_a_note(build: Build) -> None:
    told = lines(build({"memory/2026-11-14.md": "- tea\n"}, SETTINGS))

    assert told == ["CHECK: there was no dream yet", "CHECK: 1 new file, 1 new entry in all", "READY: the first dream"]


def test_it_writes_nothing_and_its_exit_code_says_it(workspace: Workspace, tmp_path: Path) -> None:
    before = tree(workspace.root, without=())

    ready = call("due", "--workspace", workspace.root, "--now", MORNING, "--json")
    skip = call("due", "--workspace", workspace.root, "--now", "2026-11-14T09:00:00+01:00")

    assert (ready.code, json.loads(ready.out)["due"]) == (0, True)
    assert skip.code == 1 and skip.out.split("\n")[-2].startswith("SKIP: ")
    assert tree(workspace.root, without=()) == before
