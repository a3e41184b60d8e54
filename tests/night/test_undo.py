"""Undo: byte for byte while nothing happened since, around later changes when something did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Build, tree
from reverie.core.errors import UndoCollision, UnknownRun
from reverie.core.ports import FixedClock, fixed
from reverie.core.settings import Memory, Settings
from reverie.night import commands
from reverie.workspace.values import Workspace

MEMORY = "# Me\n\n## Notes\n- likes tea\n- lives in Bern\n- likes tea\n\n## Work\n- uses vim\n"
LATER = fixed("2026-11-16T03:00:00+01:00")


@pytest.fixture
def dreamt(build: Build, clock: FixedClock) -> Workspace:
    workspace = build({"MEMORY.md": MEMORY, "memory/2026-11-14.md": "- walked\n"})
    commands.review(workspace, clock)
    return workspace


def memory(workspace: Workspace) -> Path:
    return workspace.root / "MEMORY.md"


def edit(workspace: Workspace, old: str, new: str) -> None:
    text = memory(workspace).read_bytes().decode()
    assert old in text
    memory(workspace).write_bytes(text.replace(old, new, 1).encode())


def test_the_last_run_is_undone_to_the_byte_with_files_and_cursors(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": MEMORY})
    before = tree(workspace.root, without=("memory/.dreams/runs", "memory/.dreams/lock"))
    commands.review(workspace, clock)

    commands.undo(workspace, LATER)

    assert tree(workspace.root, without=("memory/.dreams/runs", "memory/.dreams/lock")) == before


def test_what_was_undone_stays_undone(dreamt: Workspace) -> None:
    commands.undo(dreamt, LATER)

    commands.review(dreamt, LATER)

    assert memory(dreamt).read_text() == MEMORY


def test_the_owners_edits_elsewhere_are_kept(dreamt: Workspace) -> None:
    edit(dreamt, "- uses vim\n", "- uses helix\n- owns a dog\n")
    edit(dreamt, "# Me\n", "# Me, myself\n")

    commands.undo(dreamt, LATER)

    wanted = MEMORY.replace("- uses vim\n", "- uses helix\n- owns a dog\n").replace("# Me\n", "# Me, myself\n")
    assert memory(dreamt).read_text() == wanted


def test_an_older_run_is_undone_around_a_later_one(dreamt: Workspace) -> None:
    edit(dreamt, "- uses vim\n", "- uses vim\n- uses vim\n")
    commands.review(dreamt, LATER)

    commands.undo(dreamt, LATER, "1")

    assert memory(dreamt).read_text() == MEMORY
    ledger = (dreamt.vault / "ledger.md").read_text()
    assert ("likes tea" in ledger, "uses vim" in ledger) == (False, True)
    assert [r["summary"] for r in json.loads((dreamt.vault / "ledger-index.json").read_text())] == ["uses vim"]
    assert (dreamt.root / "memory/.last_dream").read_text() == "2026-11-16T02:00:00Z\n"


def test_lines_that_left_side_by_side_come_back_in_their_order(build: Build, clock: FixedClock) -> None:
    block = "- a one\n- b two\n- c three\n- d four\n"
    workspace = build({"MEMORY.md": f"# Me\n{block}- between\n{block}- the end\n"})
    commands.review(workspace, clock)
    edit(workspace, "- the end\n", "- the end\n- added\n")

    commands.undo(workspace, LATER)

    assert memory(workspace).read_text() == f"# Me\n{block}- between\n{block}- the end\n- added\n"


def test_a_whole_example_night_is_undone_around_a_new_line(lived_in: Workspace, clock: FixedClock) -> None:
    before = memory(lived_in).read_text()
    commands.review(lived_in, clock)
    memory(lived_in).write_text(memory(lived_in).read_text() + "- a new line\n")

    commands.undo(lived_in, LATER)

    assert memory(lived_in).read_text() == before + "- a new line\n"


@pytest.mark.parametrize("ledger", ["# Ledger", "# Ledger\r\nold", "# Ledger\n"])
def test_a_ledger_whose_last_line_was_unfinished_loses_only_that_runs_block(
    build: Build, clock: FixedClock, ledger: str
) -> None:
    workspace = build({"MEMORY.md": MEMORY, "dream-vault/ledger.md": ledger})
    commands.review(workspace, clock)
    first = (workspace.vault / "ledger.md").read_bytes().decode()
    edit(workspace, "- uses vim\n", "- uses vim\n- uses vim\n")
    commands.review(workspace, LATER)
    second = (workspace.vault / "ledger.md").read_bytes().decode().removeprefix(first)

    commands.undo(workspace, LATER, "1")

    ending = "\r\n" if "\r" in ledger else "\n"
    assert (workspace.vault / "ledger.md").read_bytes().decode() == ledger.rstrip("\n") + ending + second


def test_a_last_line_without_ending_comes_back_as_a_line(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": "# Me\n- likes tea\n- lives in Bern\n- likes tea"})
    commands.review(workspace, clock)
    memory(workspace).write_text(memory(workspace).read_text() + "- owns a dog\n")

    commands.undo(workspace, LATER)

    assert memory(workspace).read_text() == "# Me\n- likes tea\n- lives in Bern\n- likes tea\n- owns a dog\n"


def test_an_index_laid_out_by_another_tool_is_taken_back_item_by_item(build: Build, clock: FixedClock) -> None:
    theirs = [{"id": "a3f8c201", "category": "decision", "summary": "Obsidian", "events": [{"time": "t", "note": "n"}]}]
    workspace = build({"MEMORY.md": MEMORY, "dream-vault/ledger-index.json": json.dumps(theirs, indent=2)})
    commands.review(workspace, clock)
    edit(workspace, "- uses vim\n", "- uses vim\n- uses vim\n")
    commands.review(workspace, LATER)

    commands.undo(workspace, LATER, "1")

    records = json.loads((workspace.vault / "ledger-index.json").read_text())
    assert (records[0], [record["summary"] for record in records]) == (theirs[0], ["Obsidian", "uses vim"])


def test_a_collision_names_the_line_and_writes_nothing(dreamt: Workspace) -> None:
    memory(dreamt).write_text("# Something else entirely\n")
    before = tree(dreamt.root)

    with pytest.raises(UndoCollision, match=r"MEMORY.md was changed later at the line “- likes tea”") as refused:
        commands.undo(dreamt, LATER)

    assert (refused.value.exit_code, tree(dreamt.root)) == (11, before)


def test_a_ledger_block_that_somebody_changed_is_a_collision(dreamt: Workspace) -> None:
    ledger = dreamt.vault / "ledger.md"
    ledger.write_text(ledger.read_text().replace("Note: the same", "Note: really the same"))

    with pytest.raises(UndoCollision, match=r"vault:ledger.md was changed later"):
        commands.undo(dreamt, LATER)


def test_an_undo_is_a_run_and_can_be_undone(dreamt: Workspace) -> None:
    after = tree(dreamt.root)
    commands.undo(dreamt, LATER)

    commands.undo(dreamt, LATER, "2")

    assert tree(dreamt.root) == after
    assert [(run.id[:4], run.undone_by[:4]) for run in commands.list_runs(dreamt)] == [
        ("0001", ""), ("0002", "0003"), ("0003", ""),
    ]  # fmt: skip


def test_a_run_is_undone_once(dreamt: Workspace) -> None:
    commands.undo(dreamt, LATER)

    with pytest.raises(UnknownRun, match="`dream undo 0002-2026-11-16` brings it back"):
        commands.undo(dreamt, LATER)
    with pytest.raises(UnknownRun, match="0001-2026-11-15 was already undone by 0002-2026-11-16") as refused:
        commands.undo(dreamt, LATER, "0001-2026-11-15")

    assert refused.value.exit_code == 10


def test_a_run_brought_back_to_life_can_be_undone_again(dreamt: Workspace) -> None:
    commands.undo(dreamt, LATER)
    commands.undo(dreamt, LATER, "2")

    commands.undo(dreamt, LATER, "1")

    assert memory(dreamt).read_text() == MEMORY


@pytest.mark.parametrize("name", ["7", "0001-2025-01-01", "x", "-1", "²", "0001-2026-11-15/../.."])
def test_an_unknown_run_is_said_to_be_unknown(dreamt: Workspace, name: str) -> None:
    with pytest.raises(UnknownRun, match="There is no run '"):
        commands.undo(dreamt, LATER, name)


@pytest.mark.parametrize("name", ["1", "01", "0001", "0001-2026-11-15"])
def test_a_run_is_found_by_number_and_by_name(dreamt: Workspace, name: str) -> None:
    assert commands.undo(dreamt, LATER, name, dry_run=True).plan.undoes == "0001-2026-11-15"


def test_a_dry_undo_shows_the_way_back_and_writes_nothing(dreamt: Workspace) -> None:
    before = tree(dreamt.root, without=())

    night = commands.undo(dreamt, LATER, dry_run=True)

    assert (night.run, tree(dreamt.root, without=())) == (None, before)
    assert "vault:ledger.md" in night.plan.removes


def test_a_file_the_run_created_and_the_owner_changed_stays(dreamt: Workspace) -> None:
    days = dreamt.vault / "meta/active-days.json"
    days.write_text('["2020-01-01"]\n')

    commands.undo(dreamt, LATER)

    assert (days.read_text(), (dreamt.vault / "ledger.md").exists()) == ('["2020-01-01"]\n', False)


def test_undoing_nothing_is_an_unknown_run(build: Build, clock: FixedClock) -> None:
    with pytest.raises(UnknownRun, match="There is no run to undo"):
        commands.undo(build({"MEMORY.md": MEMORY}), clock)


def test_the_dream_section_is_not_in_the_way_of_an_older_undo(build: Build, clock: FixedClock) -> None:
    text = "# Me\n- likes tea\n- likes tea\n- uses vim\n\n## Dream\n"
    workspace = build({"MEMORY.md": text}, Settings(memory=Memory(truncation=5000)))
    commands.review(workspace, clock)
    edit(workspace, "- uses vim\n", "- uses vim\n- uses vim\n")
    commands.review(workspace, LATER)

    commands.undo(workspace, LATER, "1")

    assert (
        memory(workspace).read_text().startswith("# Me\n- likes tea\n- likes tea\n- uses vim\n\n## Dream\n- 2026-11-16")
    )


def test_a_decision_that_was_taken_back_alone_does_not_come_back_twice(build: Build, clock: FixedClock) -> None:
    before = "# Me\n- likes tea\n- lives in Bern\n- likes tea\n- rides a bike\n- rides a bike\n"
    workspace = build({"MEMORY.md": before})
    night = commands.review(workspace, clock)
    assert night.run

    commands.take_back(workspace, clock, night.run.id, next(e.id for e in night.plan.edits if e.path == "MEMORY.md"))
    commands.undo(workspace, clock, night.run.id)

    assert (workspace.root / "MEMORY.md").read_text() == before
