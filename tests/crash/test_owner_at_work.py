"""The owner, or a program of theirs, writes into MEMORY.md in the tiniest windows of a write. Their bytes win."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TextIO

import laws
import pytest
from laws import EVENING, MORNING, Stage, leftovers, lines_in_neither, whole
from power import BusyDisk, Loses, PowerCut, PowerDisk, SteppedDisk

from conftest import EXPLORE
from reverie.apply.recover import recover
from reverie.core.errors import StalePlan, UndoCollision, WriteFailed
from reverie.core.settings import Settings
from reverie.night import commands
from reverie.workspace.values import Workspace

THOUGHT = "- had a thought in between\n"
AGAIN = "- lives in Bern\n"  # stands in MEMORY.md already; said once more, it is there twice until a night archives one
Edit = Callable[[Path], None]


def append(memory: Path) -> None:
    with memory.open("a") as file:
        file.write(THOUGHT)


def say_again(memory: Path) -> None:
    with memory.open("a") as file:
        file.write(AGAIN)


def rewrite_in_place(memory: Path) -> None:
    memory.write_text(memory.read_text().replace("- lives in Bern\n", "- lives in Thun, by the lake\n"))


def save_like_an_editor(memory: Path) -> None:
    fresh = memory.with_name("4913~")
    fresh.write_text(memory.read_text().replace("# Kim\n", "# Kim\n\nCall me at noon.\n"))
    os.replace(fresh, memory)


def save_and_append(memory: Path) -> None:
    save_like_an_editor(memory)
    append(memory)


def rewrite_what_leaves(memory: Path) -> None:
    """Does nothing any more once the line has left."""
    memory.write_text(memory.read_text().replace("the red release on 2026-05-11", "the RED release on 2026-05-12"))


every_edit = pytest.mark.parametrize("edit", [append, rewrite_in_place, save_like_an_editor, save_and_append])
every_stage = pytest.mark.parametrize("prepare", [laws.first_night, laws.later_night])


@every_edit
@every_stage
def test_an_edit_at_any_moment_of_a_night_leads_to_the_same_memory(
    tmp_path: Path, prepare: Callable[[Path], Stage], edit: Edit
) -> None:
    stage = prepare(tmp_path)
    wanted = dreamed_over(stage, edit)

    for workspace in nights_with(stage, edit):
        commands.review(workspace, MORNING, disk=SteppedDisk())
        assert told(workspace) == wanted
        assert leftovers(workspace) == []


@every_edit
def test_an_undo_keeps_what_the_owner_wrote_at_any_moment_of_the_night(tmp_path: Path, edit: Edit) -> None:
    stage = laws.first_night(tmp_path)
    with stage.copied() as workspace:
        edit(workspace.root / "MEMORY.md")
        wanted = memory(workspace)

    for workspace in nights_with(stage, edit):
        commands.undo(workspace, MORNING, disk=SteppedDisk())
        assert memory(workspace) == wanted


@every_edit
def test_an_edit_at_any_moment_of_an_undo_survives(tmp_path: Path, edit: Edit) -> None:
    stage = laws.first_night(tmp_path)
    with stage.copied() as workspace:
        edit(workspace.root / "MEMORY.md")
        wanted = memory(workspace)
    commands.review(laws.workspace_in(stage.folder), EVENING)

    for workspace in nights_with(stage, edit, laws.undo):
        recover(workspace, SteppedDisk())
        assert memory(workspace) == wanted
        assert leftovers(workspace) == []


def test_words_written_at_any_moment_while_an_undo_takes_the_file_away_survive(tmp_path: Path) -> None:
    (tmp_path / "stage" / "workspace").mkdir(parents=True)
    stage = Stage(tmp_path / "stage")
    laws.init(laws.workspace_in(stage.folder), EVENING, SteppedDisk())

    for workspace in nights_with(stage, append, laws.undo):
        recover(workspace, SteppedDisk())
        assert THOUGHT in memory(workspace)


def save_anew(memory: Path) -> None:
    """Does nothing once the file is gone: who saves then makes a new one, which nobody takes away."""
    if memory.exists():
        memory.with_name("4915~").write_text(THOUGHT + memory.read_text())
        os.replace(memory.with_name("4915~"), memory)


def write_over(memory: Path) -> None:
    if memory.exists():
        memory.write_text(THOUGHT)


@pytest.mark.parametrize("edit", [save_anew, write_over])
def test_a_file_that_an_undo_takes_away_is_looked_at_first(tmp_path: Path, edit: Edit) -> None:
    (tmp_path / "stage" / "workspace").mkdir(parents=True)
    stage = Stage(tmp_path / "stage")
    laws.init(laws.workspace_in(stage.folder), EVENING, SteppedDisk())
    came_in_time = 0

    for moment in moments(stage, laws.undo):
        with stage.copied() as workspace:
            edited: list[Path] = []

            def save(memory: Path, edited: list[Path] = edited) -> None:
                edited += [memory] if memory.exists() else []
                edit(memory)

            with suppress(UndoCollision):  # before anything was decided, a rewritten file stops the undo
                night_with(workspace, save, moment, laws.undo)
            recover(workspace, SteppedDisk())
            kept = "".join(file.read_text() for file in workspace.root.rglob("kept-*"))
            there = memory(workspace) if (workspace.root / "MEMORY.md").exists() else ""
            assert not edited or THOUGHT in there + kept
            came_in_time += bool(edited)
    assert came_in_time > 3


def test_a_line_that_leaves_and_is_edited_meanwhile_is_lost_in_neither_form(tmp_path: Path) -> None:
    stage = laws.first_night(tmp_path)
    with stage.copied() as workspace:
        before = whole(workspace)
        rewrite_what_leaves(workspace.root / "MEMORY.md")
        edited = whole(workspace)

    for workspace in nights_with(stage, rewrite_what_leaves):
        came_in_time = "RED release" in memory(workspace) or "RED release" in ledger(workspace)
        assert lines_in_neither(workspace, edited if came_in_time else before) == []
        commands.undo(workspace, MORNING, disk=SteppedDisk())
        assert lines_in_neither(workspace, edited if came_in_time else before) == []


@every_edit
def test_an_edit_while_the_machine_is_off_survives_the_mending(tmp_path: Path, edit: Edit) -> None:
    stage = laws.first_night(tmp_path)
    wanted = dreamed_over(stage, edit)

    for workspace in laws.every_cut(stage, laws.review, Loses.NOTHING):
        edit(workspace.root / "MEMORY.md")
        commands.review(workspace, MORNING, disk=SteppedDisk())
        assert told(workspace) == wanted
        assert leftovers(workspace) == []


class HeldOpen(PowerDisk):
    """Some program has MEMORY.md open, and writes into it straight after it was displaced; then the power goes."""

    def __init__(self, workspace: Workspace, at: int, words: str) -> None:
        super().__init__(workspace, at)
        self.words = words
        self.file: TextIO | None = (workspace.root / "MEMORY.md").open("a")

    def made(self, kind: str, *paths: Path) -> None:
        super().made(kind, *paths)
        if kind == "swap" and self.file:
            self.file.write(self.words)
            self.file.close()
            self.file = None


@pytest.mark.parametrize(("edit", "words"), [(append, THOUGHT), (say_again, AGAIN)])
def test_late_words_are_there_once_even_if_the_power_goes_while_they_are_carried_over(
    tmp_path: Path, edit: Edit, words: str
) -> None:
    stage = laws.first_night(tmp_path)
    wanted = dreamed_over(stage, edit)
    at = next(n for n, step in enumerate(laws.steps_of(stage), 1) if step.startswith("swap"))
    off = True

    while off:
        at += 1
        with stage.copied() as workspace:
            disk = HeldOpen(workspace, at, words)
            with suppress(PowerCut):
                commands.review(workspace, EVENING, disk=disk)
            disk.close()
            off = disk.off
            commands.review(workspace, MORNING, disk=SteppedDisk())
            assert told(workspace) == wanted
            assert leftovers(workspace) == []


class EditedAndCut(PowerDisk):
    """The owner saves in the last instant before MEMORY.md is exchanged; a little later the power goes."""

    def __init__(self, workspace: Workspace, at: int, edit: Edit) -> None:
        super().__init__(workspace, at)
        self.edit, self.memory, self.edited = edit, workspace.root / "MEMORY.md", False

    def step(self, kind: str, *paths: Path) -> None:
        super().step(kind, *paths)
        if kind == "swap" and not self.edited:
            self.edited = True
            self.edit(self.memory)


@every_edit
def test_an_edit_in_the_last_instant_survives_even_if_the_power_goes_straight_after(tmp_path: Path, edit: Edit) -> None:
    stage = laws.first_night(tmp_path)
    wanted = dreamed_over(stage, edit)
    at = next(n for n, step in enumerate(laws.steps_of(stage), 1) if step.startswith("swap"))
    off = True

    while off:
        at += 1
        with stage.copied() as workspace:
            disk = EditedAndCut(workspace, at, edit)
            with suppress(PowerCut):
                commands.review(workspace, EVENING, disk=disk)
            disk.close()
            off = disk.off
            print(f"The power was cut before step {at}: {disk.took[min(at, len(disk.took)) - 1]}")
            commands.review(workspace, MORNING, disk=SteppedDisk())
            assert told(workspace) == wanted
            assert leftovers(workspace) == []


LAST = "- and one more\n"


def append_last(memory: Path) -> None:
    with memory.open("a") as file:
        file.write(LAST)


def rewrite_last(memory: Path) -> None:
    memory.write_text(memory.read_text().replace("## Boat\n", f"## Boat\n{LAST}"))


def save_last(memory: Path) -> None:
    memory.with_name("4914~").write_text(LAST + memory.read_text())
    os.replace(memory.with_name("4914~"), memory)


@pytest.mark.parametrize("second", [append_last, rewrite_last, save_last])
@pytest.mark.parametrize(
    ("first", "word"), [(append, THOUGHT), (save_like_an_editor, "Call me at noon."), (rewrite_in_place, "Thun")]
)
def test_edits_just_before_and_just_after_an_exchange_both_survive(
    tmp_path: Path, first: Edit, word: str, second: Edit
) -> None:
    with laws.first_night(tmp_path).copied() as workspace:
        memory_file, edits = workspace.root / "MEMORY.md", [second, first]

        def at_a_swap(edit: Edit) -> Callable[..., None]:
            return lambda kind, *_: edits.pop()(memory_file) if kind == "swap" and edits[-1:] == [edit] else None

        commands.review(workspace, EVENING, disk=BusyDisk(at_a_swap(first), at_a_swap(second)))
        commands.review(workspace, MORNING)

        kept = "".join(file.read_text() for file in workspace.root.rglob("kept-*"))
        assert (edits, word in memory(workspace) + kept, LAST in memory(workspace) + kept) == ([], True, True)
        assert second is not append_last or max(told(workspace)[1].values()) == 1


def test_a_program_that_appends_all_night_loses_no_line(tmp_path: Path) -> None:
    with laws.first_night(tmp_path).copied() as small:
        workspace = replace(small, settings=Settings())
        said: list[str] = []

        def talk(*_: object) -> None:
            said.append(f"- said {len(said)} words\n")
            with (workspace.root / "MEMORY.md").open("a") as file:
                file.write(said[-1])

        def talk_once_decided(kind: str, *paths: Path) -> None:
            if list(workspace.root.glob("memory/.dreams/runs/*/COMMIT")):
                talk()

        commands.review(workspace, EVENING, disk=BusyDisk(talk_once_decided, talk_once_decided))
        commands.review(workspace, MORNING)

        counted = Counter(line for line in memory(workspace).splitlines(keepends=True) if line in said)
        assert len(said) > 60
        assert counted == Counter(said)


@pytest.mark.parametrize(("edit", "words"), [(append, THOUGHT), (say_again, AGAIN)])
def test_a_program_that_holds_the_old_file_open_may_write_into_it_at_any_moment(
    tmp_path: Path, edit: Edit, words: str
) -> None:
    stage = laws.first_night(tmp_path)
    wanted = dreamed_over(stage, edit)

    for moment in moments(stage):
        with stage.copied() as workspace, (workspace.root / "MEMORY.md").open("a") as file:

            def write(_memory: Path, file=file) -> None:  # type: ignore[no-untyped-def]
                file.write(words)
                file.flush()

            night_with(workspace, write, moment)
            commands.review(workspace, MORNING, disk=SteppedDisk())
            assert told(workspace) == wanted


def test_late_words_that_the_owner_takes_out_again_stay_out(tmp_path: Path) -> None:
    with laws.first_night(tmp_path).copied() as workspace:
        held = HeldOpen(workspace, 0, THOUGHT)
        commands.review(workspace, EVENING, disk=held)
        held.close()
        carried_over = memory(workspace)
        (workspace.root / "MEMORY.md").write_text(carried_over.replace(THOUGHT, ""))

        recover(workspace)

        assert THOUGHT in carried_over
        assert THOUGHT not in memory(workspace)


@pytest.mark.parametrize("since", ["swap", "rename", "create"])
def test_a_program_that_holds_the_old_file_open_may_write_into_it_many_times(tmp_path: Path, since: str) -> None:
    with laws.first_night(tmp_path).copied() as small, (small.root / "MEMORY.md").open("a") as file:
        workspace = replace(small, settings=Settings())
        said: list[str] = []

        def talk(kind: str, *paths: Path) -> None:
            decided = list(workspace.root.glob("memory/.dreams/runs/*/COMMIT"))
            if (decided and kind == since and paths[-1].name != "COMMIT") or said:
                said.append(f"- said {len(said)} words\n")
                file.write(said[-1])
                file.flush()

        commands.review(workspace, EVENING, disk=BusyDisk(after=talk))
        commands.review(workspace, MORNING)

        counted = Counter(line for line in memory(workspace).splitlines(keepends=True) if line in said)
        assert counted == Counter(said)


@pytest.mark.parametrize("edit", [append, rewrite_in_place, save_like_an_editor, Path.unlink])
def test_an_edit_after_a_plan_was_saved_stops_it_before_anything_is_written(tmp_path: Path, edit: Edit) -> None:
    with laws.first_night(tmp_path).copied() as workspace:
        plan = commands.plan_dream(workspace, EVENING).plan
        edit(workspace.root / "MEMORY.md")
        before, disk = whole(workspace), SteppedDisk()

        with pytest.raises(StalePlan, match=r"MEMORY.md changed since it was read\. Nothing was applied"):
            commands.apply_plan(workspace, plan, EVENING, disk=disk)

        assert (whole(workspace), disk.took) == (before, [])


def test_an_edit_while_new_files_are_staged_stops_a_saved_plan_and_leaves_nothing(tmp_path: Path) -> None:
    stage = laws.first_night(tmp_path)
    commit = next(n for n, step in enumerate(laws.steps_of(stage), 1) if step == "create COMMIT.dream-tmp")
    for at in range(1, commit):
        with stage.copied() as workspace:
            plan = commands.plan_dream(workspace, EVENING).plan
            disk = busy(workspace, append, (at, "before"))
            with pytest.raises(StalePlan):
                commands.apply_plan(workspace, plan, EVENING, disk=disk)

            assert memory(workspace) == laws.FILES["MEMORY.md"] + THOUGHT
            assert [path for path in whole(workspace) if path.startswith("vault") or "dream" in path] == []
            assert list(workspace.root.glob("memory/.dreams/runs/*")) == []


def test_words_written_into_a_new_memory_before_its_first_day_is_over_survive_an_undo(tmp_path: Path) -> None:
    (tmp_path / "stage" / "workspace").mkdir(parents=True)
    stage = Stage(tmp_path / "stage")
    with stage.copied() as workspace:
        memory_file = workspace.root / "MEMORY.md"
        disk = BusyDisk(after=lambda kind, *paths: append(memory_file) if paths[-1] == memory_file else None)
        laws.init(workspace, EVENING, disk)
        commands.undo(workspace, MORNING)

        assert memory_file.exists()
        assert THOUGHT in memory(workspace)


def test_a_memory_that_the_owner_makes_at_the_same_moment_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "stage" / "workspace").mkdir(parents=True)
    stage = Stage(tmp_path / "stage")

    for workspace in nights_with(stage, append, laws.init):
        recover(workspace, SteppedDisk())
        assert THOUGHT in memory(workspace)
        assert leftovers(workspace) == []


Moment = tuple[int, str]


def nights_with(stage: Stage, edit: Edit, act: laws.Act = laws.review) -> Iterator[Workspace]:
    """The workspace after a night (or an undo) in which the owner made an edit, once for every moment of it."""
    for moment in moments(stage, act):
        with stage.copied() as workspace:
            night_with(workspace, edit, moment, act)
            yield workspace


def night_with(workspace: Workspace, edit: Edit, moment: Moment, act: laws.Act = laws.review) -> None:
    disk = busy(workspace, edit, moment)
    try:
        act(workspace, EVENING, disk)
    except (StalePlan, WriteFailed) as refusal:
        assert act is not laws.review, refusal
        act(workspace, EVENING, SteppedDisk())
    print(f"The owner's edit came {moment[1]} step {moment[0]}: {disk.took[moment[0] - 1]}")


def busy(workspace: Workspace, edit: Edit, moment: Moment) -> BusyDisk:
    def at(when: str) -> Callable[..., None]:
        def hook(*_: object) -> None:
            if (len(disk.took), when) == moment:
                edit(workspace.root / "MEMORY.md")

        return hook

    disk = BusyDisk(at("before"), at("after"))
    return disk


def moments(stage: Stage, act: laws.Act = laws.review) -> list[Moment]:
    """Before every other step since the run is being decided (but a sync, which changes no name and no byte), and before some of
    the many that only prepare it; and straight after those that move a name, before anybody has looked at what they did."""
    steps = laws.steps_of(stage, act)
    commit = steps.index("create COMMIT.dream-tmp") + 1
    deciding = [n for n, step in enumerate(steps, 1) if n >= commit and not step.startswith("sync")]
    moves = [n for n, step in enumerate(steps, 1) if step.split()[0] in ("rename", "swap", "place")]
    few = 1 if EXPLORE else 2
    return [(n, "before") for n in [*range(1, commit, 11), *deciding[::few]]] + [(n, "after") for n in moves]


def dreamed_over(stage: Stage, edit: Edit) -> tuple[str, Counter[str]]:
    """What a night leads to if the edit came well before it."""
    with stage.copied() as workspace:
        edit(workspace.root / "MEMORY.md")
        commands.review(workspace, EVENING)
        return told(workspace)


def told(workspace: Workspace) -> tuple[str, Counter[str]]:
    """MEMORY.md, and what the ledger holds how often; the day of a crash does not matter."""
    kept = Counter(line for line in ledger(workspace).splitlines() if line.startswith("Content: "))
    return memory(workspace).replace("2026-11-16", "2026-11-15"), kept


def memory(workspace: Workspace) -> str:
    return (workspace.root / "MEMORY.md").read_text()


def ledger(workspace: Workspace) -> str:
    return (workspace.vault / "ledger.md").read_text()
