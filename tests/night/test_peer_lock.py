"""`memory/.dream_lock`: a night and seed 001's tools never dream over each other."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

import pytest

from conftest import NIGHT, Build
from reverie.apply.peer_lock import peers_wait
from reverie.core.errors import Busy
from reverie.core.layout import SEED_LOCK
from reverie.core.ports import fixed
from reverie.core.settings import Settings
from reverie.features.schedule.nightshift import due
from reverie.features.status import as_lines, glance
from reverie.night.night import review
from reverie.workspace.values import Workspace

TWICE = "- likes tea\n- likes tea\n"
NOW = datetime.fromisoformat(NIGHT)


def locked(build: Build, minutes: int) -> Workspace:
    """A workspace in which another tool began to dream some minutes ago."""
    workspace = build({"MEMORY.md": TWICE, SEED_LOCK: "theirs\n"}, Settings(timezone="Europe/Berlin"))
    began = NOW.timestamp() - 60 * minutes
    os.utime(workspace.root / SEED_LOCK, (began, began))
    return workspace


def test_while_another_tool_dreams_ours_waits_and_says_so(build: Build) -> None:
    workspace = locked(build, 12)

    with pytest.raises(Busy, match="dream_lock, 12 min"):
        review(workspace, fixed(NIGHT))
    seen = glance(workspace.root, workspace.vault, workspace.settings, NOW)

    assert (workspace.root / "MEMORY.md").read_text("utf-8") == TWICE
    assert "System state: active; another tool dreams here (memory/.dream_lock, 12 min)" in as_lines(seen)
    assert due(workspace, fixed(NIGHT)).ready is False


def test_an_old_lock_is_passed_over_and_stays_where_it_is(build: Build) -> None:
    workspace = locked(build, 31)

    assert review(workspace, fixed(NIGHT)).run is not None
    assert (workspace.root / SEED_LOCK).read_text("utf-8") == "theirs\n"


def test_the_tools_see_our_night_and_what_a_killed_one_left_is_swept(tmp_path: Path) -> None:
    (tmp_path / "memory/.dreams").mkdir(parents=True)
    lock = tmp_path / SEED_LOCK
    lock.write_text("reverie 1\n")

    with peers_wait(tmp_path, NOW):
        assert lock.read_text("utf-8") == f"reverie {os.getpid()}\n"
    assert not lock.exists()
