"""The power is cut before the steps of a write, and once more while the damage is being mended."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import laws
import pytest
from laws import EVENING, MORNING, Act, Stage, cut, every_cut, hold, hold_next_morning, leftovers, unlike, whole
from power import STEPS, Loses, PowerCut, PowerDisk, SteppedDisk

from reverie.features.forget import find_forgettable, forget
from reverie.features.inbox import answer_cards, inbox
from reverie.features.note import note
from reverie.store.disk import Disk
from reverie.workspace.layout import MEMORY, Layout

Prepare = Callable[[Path], Stage]
every_loss = pytest.mark.parametrize("loses", list(Loses), ids=[loss.name.lower() for loss in Loses])
every_stage = pytest.mark.parametrize(
    "prepare", [laws.first_night, laws.later_night, laws.vault_elsewhere, laws.topic_night, laws.no_memory_yet]
)


@every_loss
@every_stage
def test_a_night_that_is_cut_at_any_step_happens_whole_or_not_at_all(
    tmp_path: Path, prepare: Prepare, loses: Loses
) -> None:
    stage = prepare(tmp_path)
    earlier, nights = laws.before(stage), laws.undisturbed(stage, laws.review)

    for layout in every_cut(stage, laws.review, loses):
        hold(layout, earlier, nights)
        hold_next_morning(layout, earlier, nights)


@pytest.mark.parametrize("loses", [Loses.NOTHING, Loses.NAMES])
def test_a_second_cut_while_the_first_is_being_mended_changes_nothing_about_that(tmp_path: Path, loses: Loses) -> None:
    stage = laws.later_night(tmp_path)
    earlier, nights = laws.before(stage), laws.undisturbed(stage, laws.review)

    for first in range(1 + (loses is Loses.NAMES), len(laws.steps_of(stage)) + 1, 1 if laws.EXPLORE else 4):
        second, mended = first % 29 + 1, False  # another few of the second cuts for every first one
        while not mended:
            with stage.copied() as layout:
                cut(layout, laws.review, first, loses)
                mended = cut(layout, laws.review, second, loses, MORNING) is None
                hold_next_morning(layout, earlier, nights)
            second += 3 if laws.EXPLORE else 29


@every_loss
@every_stage
def test_an_undo_that_is_cut_at_any_step_happens_whole_or_not_at_all(
    tmp_path: Path, prepare: Prepare, loses: Loses
) -> None:
    stage = prepare(tmp_path)
    theirs = laws.before(stage, laws.memory_of)
    laws.review(stage.layout, EVENING, SteppedDisk())
    dreamed, undone = laws.before(stage), laws.undisturbed(stage, laws.undo)

    for layout in every_cut(stage, laws.undo, loses):
        laws.mend(layout)
        assert whole(layout) in (dreamed, *undone), unlike(whole(layout), [dreamed, *undone])
        if laws.memory_of(layout) != theirs:
            laws.undo(layout, MORNING, SteppedDisk())
        assert laws.memory_of(layout) == theirs, unlike(laws.memory_of(layout), [theirs])
        assert whole(layout) in undone, unlike(whole(layout), undone)
        assert leftovers(layout) == []


@every_loss
def test_a_first_day_that_is_cut_at_any_step_happens_whole_or_not_at_all(tmp_path: Path, loses: Loses) -> None:
    stage = laws.empty_folder(tmp_path)
    days = laws.undisturbed(stage, laws.init)

    for layout in every_cut(stage, laws.init, loses):
        assert laws.memory_of(layout).get(MEMORY) in [None, *(day[MEMORY] for day in days)]
        laws.init(layout, MORNING, SteppedDisk())
        laws.mend(layout)
        assert whole(layout) in days, unlike(whole(layout), days)
        assert leftovers(layout) == []
        laws.undo(layout, MORNING, SteppedDisk())
        assert laws.memory_of(layout) == {}


@every_loss
def test_a_vault_made_beside_an_old_memory_survives_a_cut(tmp_path: Path, loses: Loses) -> None:
    stage = laws.first_night(tmp_path)
    theirs, days = laws.before(stage, laws.memory_of), laws.undisturbed(stage, laws.init)

    for layout in every_cut(stage, laws.init, loses):
        laws.init(layout, MORNING, SteppedDisk())
        assert whole(layout) in days, unlike(whole(layout), days)
        assert (laws.memory_of(layout), leftovers(layout)) == (theirs, [])


def say(layout: Layout, now: datetime, disk: Disk) -> object:
    return note(layout, now, "Decision: the bow is painted in RAL 3003", disk=disk)


def forget_tea(layout: Layout, now: datetime, disk: Disk) -> object:
    return forget(layout, now, find_forgettable(layout, "tea").lines, disk=disk)


def answer(layout: Layout, now: datetime, disk: Disk) -> object:
    return answer_cards(layout, now, {card.id: "yes" for card in inbox(layout, now.date())}, disk=disk)


@every_loss
@pytest.mark.parametrize("act", [say, forget_tea, answer])
def test_what_its_owner_says_happens_whole_or_not_at_all(tmp_path: Path, act: Act, loses: Loses) -> None:
    stage = laws.topic_night(tmp_path)
    laws.review(stage.layout, EVENING, SteppedDisk())
    earlier, done = laws.before(stage), laws.undisturbed(stage, act)
    assert earlier[MEMORY] != done[0][MEMORY]

    for layout in every_cut(stage, act, loses):
        laws.mend(layout)
        assert whole(layout) in (earlier, done[0]), unlike(whole(layout), [earlier, done[0]])
        assert leftovers(layout) == []
        if whole(layout) == earlier:
            act(layout, EVENING, SteppedDisk())
        assert whole(layout) == done[0], unlike(whole(layout), done)
        laws.undo(layout, MORNING, SteppedDisk())
        assert laws.long_term(laws.memory_of(layout), layout) == laws.long_term(earlier, layout)


def test_a_crash_is_named_to_the_owner(tmp_path: Path) -> None:
    stage = laws.first_night(tmp_path)
    named = {
        laws.review(layout, MORNING, SteppedDisk()).notices
        for layout in every_cut(stage, laws.review, Loses.NOTHING)
    }

    assert named == {(), ("Finished the run 0001-review, which a crash had interrupted.",)}


def test_a_machine_that_is_off_stays_off(tmp_path: Path) -> None:
    with laws.first_night(tmp_path).copied() as layout:
        disk = PowerDisk(layout, at=1)
        for _ in range(2):
            with pytest.raises(PowerCut):
                disk.create(layout.root / "x", b"")
        assert not (layout.root / "x").exists()


@pytest.mark.parametrize(("steps", "left"), [(("create",), b""), (("create", "sync"), None)])
def test_what_was_not_synced_is_lost(tmp_path: Path, steps: tuple[str, ...], left: bytes | None) -> None:
    with laws.first_night(tmp_path).copied() as layout:
        file, disk = layout.root / "x", PowerDisk(layout, at=4, loses=Loses.NAMES)
        disk.create(file, b"1234")
        if "sync" in steps:
            disk.sync(file)
        else:
            disk.sync_folder(layout.root)
        disk.remove(layout.root / "USER.md")
        with pytest.raises(PowerCut):
            disk.sync_folder(layout.root)

        assert (file.read_bytes() if file.exists() else None) == left
        assert (layout.root / "USER.md").read_text() == "# Kim\n"


def test_every_step_of_the_disk_can_be_cut() -> None:
    composed = {"write", "replace", "append_once"}
    assert {name for name in vars(Disk) if not name.startswith("_")} == {*STEPS, *composed}
