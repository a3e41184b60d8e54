"""The owner's hand on one line of MEMORY.md: unpin and edit are runs like any other, and a fact is followed through all of them."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from conftest import Build
from reverie.core.errors import BadInput, RefusedPlan
from reverie.core.layout import LEDGER
from reverie.core.ports import FixedClock
from reverie.judge.operation import Question, as_record
from reverie.night import commands
from reverie.night.commands import edit_line, pin, seen_as
from reverie.plan.build import plan_of
from reverie.plan.promises import check_promises
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Author, Edit, Intent, Workspace

PAGE = Author("owner", "page")
MEMORY = """# Ada

- green tea is for guests
- 📌 the gate is locked at ten
- a long line that
  goes on
"""


@pytest.fixture
def workspace(build: Build) -> Workspace:
    return build({"MEMORY.md": MEMORY})


def memory(workspace: Workspace) -> str:
    return (workspace.root / "MEMORY.md").read_text("utf-8")


def test_a_pin_is_taken_off_again_and_the_run_says_by_whom(workspace: Workspace, clock: FixedClock) -> None:
    night = pin(workspace, clock, 4, seen_as("- 📌 the gate is locked at ten"), off=True, by=PAGE)

    assert memory(workspace) == MEMORY.replace("📌 ", "")
    assert night.run and [edit.by for edit in night.run.plan.edits] == ["owner (page)"]
    commands.undo(workspace, clock, night.run.id)
    assert memory(workspace) == MEMORY


def test_in_the_name_of_an_unpin_no_word_changes(workspace: Workspace, clock: FixedClock) -> None:
    snapshot = read_workspace(workspace)
    old, new = "- 📌 the gate is locked at ten\n", "- the gate is never locked\n"
    edit = Edit("0", "MEMORY.md", 3, (old,), (new,), "pin", "you took the pin off")

    with pytest.raises(RefusedPlan, match="protected_lines_stay"):
        check_promises(snapshot, plan_of(snapshot, Intent.PIN, [edit], clock.now()))


def test_an_edit_keeps_the_bullet_archives_the_old_words_and_can_be_undone(
    workspace: Workspace, clock: FixedClock
) -> None:
    night = edit_line(workspace, clock, 3, seen_as("- green tea is for guests"), "black tea is for guests", by=PAGE)

    assert "- black tea is for guests\n" in memory(workspace) and "green tea" not in memory(workspace)
    assert "- green tea is for guests" in read_workspace(workspace).text_of(LEDGER)
    assert night.run and night.run.plan.intent is Intent.EDIT
    commands.undo(workspace, clock, night.run.id)
    assert memory(workspace) == MEMORY


def test_a_statement_of_two_lines_is_seen_whole(workspace: Workspace, clock: FixedClock) -> None:
    with pytest.raises(BadInput):
        edit_line(workspace, clock, 5, seen_as("- a long line that"), "short")
    edit_line(workspace, clock, 5, seen_as("- a long line that\n  goes on"), "short")

    assert memory(workspace).endswith("- short\n")


def test_a_line_that_changed_meanwhile_is_not_edited(workspace: Workspace, clock: FixedClock) -> None:
    (workspace.root / "MEMORY.md").write_text(MEMORY.replace("green", "white"), "utf-8")

    with pytest.raises(BadInput, match="line 3"):
        edit_line(workspace, clock, 3, seen_as("- green tea is for guests"), "black tea")
    assert "white tea" in memory(workspace)


@pytest.mark.parametrize("text", ["", "  ", "green tea is for guests", "```", "all <!-- the rest"])
def test_an_edit_stays_one_line_of_its_kind(workspace: Workspace, clock: FixedClock, text: str) -> None:
    with pytest.raises(BadInput):
        edit_line(workspace, clock, 3, seen_as("- green tea is for guests"), text)
    assert memory(workspace) == MEMORY


def test_promises_hold_for_the_owners_own_edit(workspace: Workspace, clock: FixedClock) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    with pytest.raises(RefusedPlan, match="nothing_secret_enters"):
        edit_line(workspace, clock, 3, seen_as("- green tea is for guests"), f"the token is {secret}")
    with pytest.raises(RefusedPlan, match="protected_lines_stay"):
        edit_line(workspace, clock, 4, seen_as("- 📌 the gate is locked at ten"), "the gate is open")


def test_a_fact_is_followed_through_its_versions(workspace: Workspace, clock: FixedClock) -> None:
    edit_line(workspace, clock, 3, seen_as("- green tea is for guests"), "black tea is for guests")
    pin(workspace, clock, 3, seen_as("- black tea is for guests"))
    pin(workspace, clock, 3, seen_as("- 📌 black tea is for guests"), off=True)
    night = edit_line(workspace, clock, 3, seen_as("- black tea is for guests"), "white tea is for guests")
    assert night.run
    commands.undo(workspace, clock, night.run.id)

    for words in ("green tea is for guests", "white tea is for guests"):
        told = [(one.did, one.old, one.new) for one in commands.timeline(workspace, words)]
        assert told == [
            ("edited", "green tea is for guests", "black tea is for guests"),
            ("pinned", "black tea is for guests", "📌 black tea is for guests"),
            ("unpinned", "📌 black tea is for guests", "black tea is for guests"),
            ("edited", "black tea is for guests", "white tea is for guests"),
            ("taken back", "white tea is for guests", "black tea is for guests"),
        ]
    assert commands.timeline(workspace, "the gate is locked at ten") == ()


def test_a_question_that_is_put_off_comes_back_after_a_week(build: Build, clock: FixedClock) -> None:
    asked = as_record(Question("5f0c1a77", "tea is green", "tea is black", "both cannot hold"))
    workspace = build({"MEMORY.md": MEMORY, "dream-vault/meta/questions.json": json.dumps([asked])})

    commands.answer(workspace, clock, "5f0c1a77", "later")

    today = clock.now().date()
    assert commands.questions(workspace, today=today + timedelta(days=6)) == ()
    assert [one.id for one in commands.questions(workspace, today=today + timedelta(days=7))] == ["5f0c1a77"]
    assert len(commands.questions(workspace)) == 1 and memory(workspace) == MEMORY
