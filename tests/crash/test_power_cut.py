"""The power is cut before the steps of a write, and once more while the damage is being mended."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import laws
import pytest
from laws import (
    EVENING,
    MORNING,
    Stage,
    cut,
    every_cut,
    leftovers,
    lines_in_neither,
    memory_of,
    undisturbed,
    unlike,
    whole,
)
from power import STEPS, Loses, PowerCut, PowerDisk, SteppedDisk

from reverie.apply.files import Disk
from reverie.apply.recover import recover
from reverie.night import commands
from reverie.workspace.values import Workspace

OUTSIDE = "elsewhere/vault"
STAGES: dict[str, Callable[[Path], Stage]] = {
    "first night": laws.first_night,
    "later night": laws.later_night,
    "vault outside": lambda tmp_path: laws.first_night(tmp_path, OUTSIDE),
}
every_loss = pytest.mark.parametrize("loses", list(Loses), ids=[loss.name.lower() for loss in Loses])
every_stage = pytest.mark.parametrize(
    ("stage", "loses"),
    [
        pytest.param(name, loss, id=f"{name}-{loss.name.lower()}")
        for name in STAGES
        for loss in Loses
        if name != "vault outside" or loss in (Loses.NAMES, Loses.FILES)
    ],
    indirect=["stage"],
)


@pytest.fixture
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Stage:
    return STAGES[request.param](tmp_path)


@every_stage
def test_a_night_that_is_cut_at_any_step_happens_whole_or_not_at_all(stage: Stage, loses: Loses) -> None:
    with stage.copied() as workspace:
        before = whole(workspace)
    nights = undisturbed(stage, laws.review)

    for workspace in every_cut(stage, laws.review, loses):
        assert memory_of(whole(workspace)) in [memory_of(state) for state in (before, *nights)]
        assert lines_in_neither(workspace, before) == []
        _the_morning_after(workspace, before, nights)


@pytest.mark.parametrize("loses", [Loses.NOTHING, Loses.NAMES])
def test_a_second_cut_while_the_first_is_being_mended_changes_nothing_about_that(tmp_path: Path, loses: Loses) -> None:
    stage = laws.later_night(tmp_path)
    with stage.copied() as workspace:
        before = whole(workspace)
    nights = undisturbed(stage, laws.review)
    first, finished = -(loses is Loses.NAMES), False

    while not finished:
        first += 11
        second, mended = first % 37 + 1, False  # another few of the second cuts for every first one
        while not mended:
            with stage.copied() as workspace:
                finished = cut(workspace, laws.review, first, loses) is None
                mended = cut(workspace, laws.review, second, loses, MORNING) is None
                _the_morning_after(workspace, before, nights)
            second += 37


@every_stage
def test_an_undo_that_is_cut_at_any_step_happens_whole_or_not_at_all(stage: Stage, loses: Loses) -> None:
    with stage.copied() as workspace:
        before = whole(workspace)
    commands.review(laws.workspace_in(stage.folder, stage.vault), EVENING)
    with stage.copied() as workspace:
        dreamed = whole(workspace)

    for workspace in every_cut(stage, laws.undo, loses):
        recover(workspace, SteppedDisk())
        assert whole(workspace) in (before, dreamed)
        if whole(workspace) != before:
            commands.undo(workspace, MORNING, disk=SteppedDisk())
        assert whole(workspace) == before, unlike(whole(workspace), [before])
        assert leftovers(workspace) == []


@every_loss
def test_a_first_day_that_is_cut_at_any_step_happens_whole_or_not_at_all(tmp_path: Path, loses: Loses) -> None:
    (tmp_path / "stage" / "workspace").mkdir(parents=True)
    stage = Stage(tmp_path / "stage")
    days = undisturbed(stage, laws.init)

    for workspace in every_cut(stage, laws.init, loses):
        laws.init(workspace, MORNING, SteppedDisk())
        assert whole(workspace) in days, unlike(whole(workspace), days)
        assert leftovers(workspace) == []
        commands.undo(workspace, MORNING, disk=SteppedDisk())
        assert whole(workspace) == {}


@every_loss
def test_a_vault_made_beside_an_old_memory_survives_a_cut(tmp_path: Path, loses: Loses) -> None:
    stage = laws.first_night(tmp_path)
    with stage.copied() as workspace:
        before = whole(workspace)
    days = undisturbed(stage, laws.init)

    for workspace in every_cut(stage, laws.init, loses):
        laws.init(workspace, MORNING, SteppedDisk())
        assert whole(workspace) in days, unlike(whole(workspace), days)
        commands.undo(workspace, MORNING, disk=SteppedDisk())
        assert whole(workspace) == before, unlike(whole(workspace), [before])


def test_a_crash_is_told_to_the_owner(tmp_path: Path) -> None:
    stage = laws.first_night(tmp_path)
    told = {
        commands.review(workspace, MORNING, disk=SteppedDisk()).recovered
        for workspace in every_cut(stage, laws.review, Loses.NOTHING)
    }

    assert told == {
        (),
        ("forgot the run 0001-2026-11-15, which a crash had stopped before it began",),
        ("finished the run 0001-2026-11-15, which a crash had interrupted",),
    }


def test_a_machine_that_is_off_stays_off(tmp_path: Path) -> None:
    with laws.first_night(tmp_path).copied() as workspace:
        disk = PowerDisk(workspace, at=1)
        for _ in range(2):
            with pytest.raises(PowerCut):
                disk.create(workspace.root / "x", b"")
        assert not (workspace.root / "x").exists()


@pytest.mark.parametrize(("steps", "left"), [(("create",), b""), (("create", "sync"), None)])
def test_what_was_not_synced_is_lost(tmp_path: Path, steps: tuple[str, ...], left: bytes | None) -> None:
    with laws.first_night(tmp_path).copied() as workspace:
        file, disk = workspace.root / "x", PowerDisk(workspace, at=4, loses=Loses.NAMES)
        disk.create(file, b"1234")
        if "sync" in steps:
            disk.sync(file)
        else:
            disk.sync_folder(workspace.root)
        disk.remove(workspace.root / "USER.md")
        with pytest.raises(PowerCut):
            disk.sync_folder(workspace.root)

        assert (file.read_bytes() if file.exists() else None) == left
        assert (workspace.root / "USER.md").read_text() == "# Kim\n"


def test_every_step_of_the_disk_can_be_cut() -> None:
    composed = {"write"}
    assert {name for name in vars(Disk) if not name.startswith("_")} == {*STEPS, *composed}


def _the_morning_after(workspace: Workspace, before: dict[str, bytes], nights: list[dict[str, bytes]]) -> None:
    """Start again: the night is whole, nothing lies around, and all of it can still be taken back."""
    commands.review(workspace, MORNING, disk=SteppedDisk())
    assert whole(workspace) in nights, unlike(whole(workspace), nights)
    assert lines_in_neither(workspace, before) == []
    assert leftovers(workspace) == []
    assert commands.review(workspace, MORNING, disk=SteppedDisk()).run is None

    commands.undo(workspace, MORNING, disk=SteppedDisk())
    assert whole(workspace) == before, unlike(whole(workspace), [before])
    assert leftovers(workspace) == []
