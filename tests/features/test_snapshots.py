"""`dream snapshot` and `dream restore`: memory as it was, and nothing of what came since is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Build
from reverie.apply.snapshots import snapshots
from reverie.core.ports import FixedClock, fixed
from reverie.core.sealing import is_sealed
from reverie.features.seal import seal
from reverie.features.snapshots import restore, take
from reverie.judge.forgotten import as_record, tombstone
from reverie.night import commands
from reverie.workspace.values import Workspace
from terminal import call

MEMORY = "# Me\n\n## Notes\n- the pump is blue\n- tea at four\n- the door code is 4711\n- a boat in Spiez\n"
SINCE = "# Me\n\n## Notes\n- the pump is red\n- the door code is 4711\n- 📌 never sail on Friday\n- a boat in Spiez\n\n## New\n- a lamp\n"
LATER = fixed("2026-11-16T03:00:00+01:00")


@pytest.fixture
def memory(build: Build, clock: FixedClock) -> Workspace:
    workspace = build({"MEMORY.md": MEMORY})
    take(workspace, clock, "harbour")
    (workspace.root / "MEMORY.md").write_text(SINCE)
    return workspace


def test_memory_comes_back_and_what_came_since_is_archived(memory: Workspace) -> None:
    done = call("restore", "harbour", "--yes", "--workspace", memory.root)

    assert done.code == 0
    assert (memory.root / "MEMORY.md").read_text() == MEMORY.replace("4711\n", "4711\n- 📌 never sail on Friday\n")
    ledger = (memory.vault / "ledger.md").read_text()
    assert "the pump is red" in ledger and "a lamp" in ledger

    commands.undo(memory, LATER)

    assert (memory.root / "MEMORY.md").read_text() == SINCE


def test_it_shows_first_and_writes_nothing_where_nobody_answers(memory: Workspace) -> None:
    done = call("restore", "harbour", "--workspace", memory.root)

    assert done.code == 14 and "+ - the pump is blue" in done.out
    assert (memory.root / "MEMORY.md").read_text() == SINCE


def test_no_secret_is_copied_and_the_record_of_the_run_has_none(memory: Workspace, clock: FixedClock) -> None:
    restore(memory, clock, "harbour")

    ours = [path for folder in (memory.root / "memory", memory.vault) for path in folder.rglob("*") if path.is_file()]
    assert ours and not [path for path in ours if b"4711" in path.read_bytes()]


def test_what_was_forgotten_for_good_does_not_come_back(memory: Workspace, clock: FixedClock) -> None:
    stones = [as_record(tombstone("tea at four", "2026-11-16", forever=True))]
    (memory.vault / "meta").mkdir(parents=True)
    (memory.vault / "meta/tombstones.json").write_text(json.dumps(stones))

    restore(memory, LATER, "harbour")

    assert "tea" not in (memory.root / "MEMORY.md").read_text()


def test_a_name_is_used_once_and_an_unknown_one_names_those_there_are(memory: Workspace) -> None:
    taken, unknown, bad = (
        call(*words, "--workspace", memory.root)
        for words in (("snapshot", "harbour"), ("restore", "lake"), ("snapshot", "../x"))
    )

    assert [one.code for one in (taken, unknown, bad)] == [14, 14, 14] and "harbour" in unknown.err
    assert "harbour" in call("snapshot", "--list", "--workspace", memory.root).out


def test_a_name_may_be_written_in_any_script(memory: Workspace) -> None:
    assert call("snapshot", "搬家前", "--workspace", memory.root).code == 0
    assert call("snapshot", "перед-отъездом", "--workspace", memory.root).code == 0
    assert "搬家前" in call("snapshot", "--list", "--workspace", memory.root).out
    assert [call("snapshot", name, "--workspace", memory.root).code for name in ("a b", ".x", "x/y", "_")] == [14] * 4


def test_a_sealed_memory_has_sealed_snapshots(memory: Workspace, clock: FixedClock, tmp_path: Path) -> None:
    seal(memory, clock, tmp_path / "dream.key")
    take(memory, LATER, "lake")

    kept = list((memory.root / "memory/.dreams/snapshots").iterdir())
    assert len(kept) == 2 and all(is_sealed(path.read_bytes()) for path in kept)
    assert [one.name for one in snapshots(memory)] == ["harbour", "lake"]
