"""The power is cut before the steps of a write, and once more while the damage is being mended."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import laws
import pytest
from laws import EVENING, EXPLORE, MORNING, Act, Stage, cut, every_cut, hold, leftovers, memory_of, unlike, whole
from power import STEPS, Loses, PowerCut, PowerDisk, SteppedDisk

from reverie.features.classify import classify
from reverie.features.edit import edit
from reverie.features.forget import find_forgettable, forget
from reverie.features.inbox import answer_cards, inbox
from reverie.features.index import index
from reverie.features.note import note
from reverie.features.session import session_end
from reverie.hosts.connect import connect, connected, disconnect
from reverie.store.disk import Disk
from reverie.workspace.layout import MEMORY, Layout
from reverie.workspace.read import read

Prepare = Callable[[Path], Stage]
STAGES = [laws.first_night, laws.later_night, laws.vault_elsewhere, laws.topic_night, laws.no_memory_yet]
every_loss = pytest.mark.parametrize("loses", list(Loses), ids=[loss.name.lower() for loss in Loses])
every_stage = pytest.mark.parametrize("prepare", STAGES)


@every_loss
@every_stage
def test_a_night_that_is_cut_at_any_step_happens_whole_or_not_at_all(
    tmp_path: Path, prepare: Prepare, loses: Loses
) -> None:
    stage = prepare(tmp_path)
    earlier, nights = laws.before(stage), laws.undisturbed(stage, laws.review)

    for layout in every_cut(stage, laws.review, loses):
        hold(layout, earlier, nights)


@pytest.mark.parametrize("loses", [Loses.NOTHING, Loses.NAMES])
def test_a_second_cut_while_the_first_is_being_mended_changes_nothing_about_that(tmp_path: Path, loses: Loses) -> None:
    stage = laws.later_night(tmp_path)
    earlier, nights = laws.before(stage), laws.undisturbed(stage, laws.review)

    for first in range(1 + (loses is Loses.NAMES), len(laws.steps_of(stage)) + 1, 1 if EXPLORE else 4):
        second, mended = first % 29 + 1, False  # another few of the second cuts for every first one
        while not mended:
            with stage.copied() as layout:
                cut(layout, laws.review, first, loses)
                mended = cut(layout, laws.review, second, loses, MORNING)
                hold(layout, earlier, nights)
            second += 3 if EXPLORE else 29


@every_loss
@every_stage
def test_an_undo_that_is_cut_at_any_step_happens_whole_or_not_at_all(
    tmp_path: Path, prepare: Prepare, loses: Loses
) -> None:
    stage = prepare(tmp_path)
    theirs = laws.before(stage, memory_of)
    laws.review(stage.layout, EVENING, SteppedDisk())
    dreamed, undone = laws.before(stage), laws.undisturbed(stage, laws.undo)

    for layout in every_cut(stage, laws.undo, loses):
        laws.mend(layout)
        assert unlike(whole(layout), dreamed, *undone) == []
        if unlike(memory_of(layout), theirs):
            laws.undo(layout, MORNING, SteppedDisk())
        assert (unlike(memory_of(layout), theirs), unlike(whole(layout), *undone), leftovers(layout)) == ([], [], [])


@every_loss
@pytest.mark.parametrize("files", [{}, laws.FILES], ids=["nothing yet", "an old memory"])
def test_a_first_day_that_is_cut_at_any_step_happens_whole_or_not_at_all(
    tmp_path: Path, files: dict[str, str], loses: Loses
) -> None:
    stage = laws.staged(tmp_path, files)
    theirs, days = laws.before(stage, memory_of), laws.undisturbed(stage, laws.init)

    for layout in every_cut(stage, laws.init, loses):
        assert memory_of(layout).get(MEMORY) in [theirs.get(MEMORY), *(day[MEMORY] for day in days)]
        laws.init(layout, MORNING, SteppedDisk())
        laws.mend(layout)
        assert (unlike(whole(layout), *days), leftovers(layout)) == ([], [])
        if not files:
            laws.undo(layout, MORNING, SteppedDisk())
        assert unlike(memory_of(layout), theirs) == []


def say(layout: Layout, now: datetime, disk: Disk) -> object:
    return note(layout, now, "Decision: the bow is painted in RAL 3003", disk=disk)


def forget_tea(layout: Layout, now: datetime, disk: Disk) -> object:
    return forget(layout, now, find_forgettable(layout, "tea").lines, disk=disk)


def answer(layout: Layout, now: datetime, disk: Disk) -> object:
    return answer_cards(layout, now, {card.id: "yes" for card in inbox(layout, now)}, disk=disk)


def sort_into_files(layout: Layout, now: datetime, disk: Disk) -> object:
    lines = read(layout).file(MEMORY).statements
    return classify(layout, now, {line.place: "user" for line in lines if "tea" in line.text}, apply=True, disk=disk)


def keep_a_page(layout: Layout, now: datetime, disk: Disk) -> object:
    return index(layout, now, "Pumps are best primed by hand. #pumps", title="Pumps", disk=disk)


def write_anew(layout: Layout, now: datetime, disk: Disk) -> object:
    (line,) = (line for line in read(layout).file(MEMORY).statements if "tea" in line.text)
    return edit(layout, now, line.place, line.ref.mark, "likes green tea", disk=disk)


def end_a_talk(layout: Layout, now: datetime, disk: Disk) -> object:
    return session_end(layout, EVENING, "- the shop moves to Thun\n- Mara has the keys", disk)


ACTS = [say, forget_tea, answer, sort_into_files, keep_a_page, write_anew, end_a_talk]


@every_loss
@pytest.mark.parametrize("act", ACTS)
def test_what_its_owner_says_happens_whole_or_not_at_all(tmp_path: Path, act: Act, loses: Loses) -> None:
    stage = laws.topic_night(tmp_path)
    laws.review(stage.layout, EVENING, SteppedDisk())
    earlier, done = laws.before(stage), laws.undisturbed(stage, act)[0]
    assert unlike(earlier, done)

    for layout in every_cut(stage, act, loses):
        laws.mend(layout)
        assert (unlike(whole(layout), earlier, done), leftovers(layout)) == ([], [])
        if whole(layout) == earlier:
            act(layout, EVENING, SteppedDisk())
        assert unlike(whole(layout), done) == []
        laws.undo(layout, MORNING, SteppedDisk())
        assert laws.long_term(memory_of(layout), layout) == laws.long_term(earlier, layout)


def purge_tea(layout: Layout, now: datetime, disk: Disk) -> object:
    if lines := find_forgettable(layout, "tea").lines:
        return forget(layout, now, lines, purge=True, disk=disk)
    return forget(layout, now, "likes tea", purge=True, disk=disk)


@every_loss
def test_a_purge_that_is_cut_and_made_again_leaves_no_word(tmp_path: Path, loses: Loses) -> None:
    stage = laws.topic_night(tmp_path)
    laws.review(stage.layout, EVENING, SteppedDisk())

    for layout in every_cut(stage, purge_tea, loses):
        purge_tea(layout, MORNING, SteppedDisk())
        laws.mend(layout)
        files = [path for path in layout.root.rglob("*") if path.is_file()]
        assert [path.name for path in files if b"likes tea" in path.read_bytes()] == leftovers(layout) == []


def test_a_crash_is_named_to_the_owner(tmp_path: Path) -> None:
    stage = laws.first_night(tmp_path)
    named = {
        laws.review(layout, MORNING, SteppedDisk()).notices for layout in every_cut(stage, laws.review, Loses.NOTHING)
    }
    assert named == {(), ("Finished the run 0001-review, which a crash had interrupted.",)}


@pytest.mark.parametrize(("is_synced", "left"), [(False, b""), (True, None)])
def test_what_was_not_synced_is_lost_and_a_machine_that_is_off_stays_off(
    tmp_path: Path, is_synced: bool, left: bytes | None
) -> None:
    with laws.first_night(tmp_path).copied() as layout:
        file, disk = layout.root / "x", PowerDisk(layout, at=4, loses=Loses.NAMES)
        disk.create(file, b"1234")
        disk.sync(file) if is_synced else disk.sync_folder(layout.root)
        disk.remove(layout.root / "USER.md")
        for _ in range(2):
            with pytest.raises(PowerCut):
                disk.sync_folder(layout.root)

        assert (file.read_bytes() if file.exists() else None) == left
        assert (layout.root / "USER.md").read_text() == "# Kim\n"
    assert {name for name in vars(Disk) if not name.startswith("_")} == {*STEPS, "write", "replace", "append_once"}


def test_a_connection_that_is_cut_at_any_step_is_taken_out_to_the_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, settings = laws.topic_night(tmp_path), tmp_path / ".claude/settings.json"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    settings.parent.mkdir()
    settings.write_text(before := '{\n  // mine\n  "model": "x"\n}\n')

    at, was_cut = 1, True
    while was_cut:
        was_cut = not cut(
            stage.layout, lambda layout, _, disk: connect("claude-code", layout, disk=disk), at, Loses.NOTHING
        )
        if connected("claude-code", stage.layout):
            assert not any("by hand" in fate for fate in disconnect("claude-code", stage.layout).values())
        assert settings.read_text() == before and not connected("claude-code", stage.layout)
        at += 1
    assert at > 5
