"""Proof of life: what each try to dream came to, also when nothing changed. Only a change is a success."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conftest import Build
from reverie.apply.lock import held
from reverie.core.errors import Busy, RefusedFile
from reverie.core.layout import ATTEMPTS
from reverie.core.ports import FixedClock, fixed
from reverie.core.settings import Review, Settings
from reverie.evidence.attempts import (
    MOST,
    Attempt,
    Outcome,
    as_dict,
    attempts,
    from_dict,
    in_a_row,
    record,
    without_quotes,
)
from reverie.features.schedule import recorded
from reverie.workspace.values import Workspace
from terminal import call

TWICE = "# Me\n- likes tea\n- likes tea\n"
LATER = fixed("2026-11-16T03:00:00+01:00")


def words(workspace: Workspace) -> list[str]:
    return [str(one.outcome) for one in attempts(workspace.root)]


def test_a_night_that_changed_something_is_the_only_success(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": TWICE})

    recorded.review(workspace, clock)

    (one,) = attempts(workspace.root)
    assert (one.outcome, one.by, dict(one.counts), one.run) == ("changed", "owner", {"duplicate": 1}, "0001-2026-11-15")


def test_an_empty_folder_was_not_dreamt_over(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": " \n"})

    recorded.review(workspace, clock)

    assert words(workspace) == ["read nothing"]


def test_the_same_material_again_is_nothing_new(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": TWICE})

    for night in (clock, LATER):
        recorded.review(workspace, night, by=recorded.SCHEDULE)

    assert words(workspace) == ["changed", "nothing new"]


def test_notes_of_which_nothing_was_worth_keeping(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": "- likes tea\n", "memory/2026-11-14.md": "- ok\n- HEARTBEAT_OK\n"})

    recorded.review(workspace, clock)

    assert words(workspace) == ["kept nothing"]
    assert attempts(workspace.root)[0].fresh == 1


def test_a_change_that_somebody_takes_back_each_day_is_no_progress(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": TWICE})

    recorded.review(workspace, clock)
    (workspace.root / "MEMORY.md").write_text(TWICE)
    recorded.review(workspace, LATER)

    assert words(workspace) == ["changed", "repeated"]


def test_what_waits_for_the_owner_is_not_done(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": TWICE}, Settings(review=Review(mode="propose")))

    recorded.review(workspace, clock)

    assert words(workspace) == ["proposed"]


def test_a_memory_behind_a_link_fails_by_name(build: Build, clock: FixedClock, tmp_path: Path) -> None:
    workspace = build({"memory/2026-11-14.md": "- x\n"})
    (workspace.root / "MEMORY.md").symlink_to(tmp_path / "elsewhere.md")

    with pytest.raises(RefusedFile):
        recorded.review(workspace, clock)

    one = attempts(workspace.root)[-1]
    assert (one.outcome, one.error) == ("failed", "RefusedFile")


def test_a_dry_run_and_a_closed_door_leave_no_trace(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": TWICE}, Settings(lock_wait=0.0))

    recorded.review(workspace, clock, dry_run=True)
    with held(workspace.root, "note", "now", 0.0), pytest.raises(Busy):
        recorded.review(workspace, clock)

    assert attempts(workspace.root) == ()


def test_a_torn_line_is_passed_over_and_the_record_is_bounded(tmp_path: Path) -> None:
    one = Attempt("2026-11-15T03:00:00+01:00", "schedule", Outcome.NOTHING_NEW, 3, refused={"code": 2})
    (tmp_path / "memory/.dreams").mkdir(parents=True)
    (tmp_path / ATTEMPTS).write_text('{"at": "2026-\n[]\n')

    for n in range(MOST + 5):
        record(tmp_path, replace(one, read=n))

    kept = attempts(tmp_path)
    assert (len(kept), kept[0].read, kept[-1].read) == (MOST, 5, MOST + 4)
    assert from_dict(as_dict(kept[-1])) == kept[-1]
    assert in_a_row(kept, Outcome.NOTHING_NEW) == MOST


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("MEMORY.md would lose a protected line: “never lend it”.", "MEMORY.md would lose a protected line: “…”."),
        ("计划会丢失 “永远不要借出”。", "计划会丢失 “…”。"),
        ("The limit is 900.", "The limit is 900."),
    ],
)
def test_what_is_kept_of_a_sentence_holds_no_quotation(said: str, kept: str) -> None:
    assert without_quotes(said) == kept


@pytest.mark.parametrize(
    ("files", "first"),
    [
        ({"MEMORY.md": TWICE}, "🌙 Distillation complete"),
        ({}, "There was nothing to read yet."),
        (
            {"memory/2026-11-14.md": "- 待办:\n"},
            "🌙 Nothing entered memory by itself: 1 new note read; left out: 1 ",
        ),
    ],
)
def test_who_calls_for_a_night_is_told_what_it_came_to(build: Build, files: dict[str, str | bytes], first: str) -> None:
    root = build(files).root

    assert call("review", "--workspace", root).out.startswith(first)


def test_a_night_by_hand_while_dreaming_is_off_says_so(build: Build) -> None:
    root = build({"MEMORY.md": TWICE}).root
    call("off", "--workspace", root)

    assert "Dreaming is off; this night came because you asked." in call("review", "--workspace", root).out
