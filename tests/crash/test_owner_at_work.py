"""The owner, or a program of theirs, writes into MEMORY.md in the tiniest windows of a write. Their bytes win."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import laws
import pytest
from laws import EVENING, EXPLORE, MORNING, Stage, leftovers, lines_in_neither, memory_of, review
from power import BusyDisk, Hook, Loses, PowerCut, PowerDisk, SteppedDisk

from reverie.errors import Changed
from reverie.workspace.layout import MEMORY, Layout

THOUGHT, LAST = "- had a thought in between\n", "- and one more\n"
AGAIN = "- lives in Bern\n"  # stands in MEMORY.md already; said once more, it is there twice
Edit = Callable[[Path], None]


def append(memory: Path, words: str = THOUGHT) -> None:
    with memory.open("a") as file:
        file.write(words)


def say_again(memory: Path) -> None:
    append(memory, AGAIN)


def rewrite_in_place(memory: Path) -> None:
    memory.write_text(memory.read_text().replace("- lives in Bern\n", "- lives in Thun, by the lake\n"))


def save_like_an_editor(memory: Path) -> None:
    fresh = memory.with_name("4913~")
    fresh.write_text(memory.read_text().replace("# Kim\n", "# Kim\n\nCall me at noon.\n"))
    os.replace(fresh, memory)


def save_and_append(memory: Path) -> None:
    save_like_an_editor(memory)
    append(memory)


EDITS: list[Edit] = [append, rewrite_in_place, save_like_an_editor, save_and_append]
every_edit = pytest.mark.parametrize("edit", EDITS)


@every_edit
@pytest.mark.parametrize("prepare", [laws.first_night, laws.later_night])
def test_an_edit_at_any_moment_of_a_night_leads_to_the_same_memory_and_an_undo_keeps_it(
    tmp_path: Path, prepare: Callable[[Path], Stage], edit: Edit
) -> None:
    stage = prepare(tmp_path)
    wanted, alone = dreamed_over(stage, edit), edited(stage, edit)

    for layout in acts_with(stage, edit):
        review(layout, MORNING, SteppedDisk())
        assert seen(layout) == wanted
        assert leftovers(layout) == []
        laws.undo(layout, MORNING, SteppedDisk())
        assert text_of(layout) == alone


@every_edit
def test_an_edit_at_any_moment_of_an_undo_survives(tmp_path: Path, edit: Edit) -> None:
    stage = laws.first_night(tmp_path)
    wanted = edited(stage, edit)
    review(stage.layout, EVENING, SteppedDisk())

    for layout in acts_with(stage, edit, laws.undo):
        laws.mend(layout)
        assert (text_of(layout), leftovers(layout)) == (wanted, [])


def save_anew(memory: Path) -> None:
    memory.with_name("4915~").write_text(THOUGHT + (memory.read_text() if memory.exists() else ""))
    os.replace(memory.with_name("4915~"), memory)


def write_over(memory: Path) -> None:
    memory.write_text(THOUGHT)


@pytest.mark.parametrize("edit", [append, save_anew, write_over])
def test_words_written_at_any_moment_while_a_memory_is_made_or_taken_away_survive(tmp_path: Path, edit: Edit) -> None:
    stage = laws.staged(tmp_path, {})
    for act in (laws.init, laws.undo):
        for layout in acts_with(stage, edit, act):
            laws.mend(layout)
            assert THOUGHT in text_of(layout) + kept(layout)
            assert leftovers(layout) == []
        laws.init(stage.layout, EVENING, SteppedDisk())


def test_a_line_that_leaves_and_is_edited_meanwhile_is_lost_in_neither_form(tmp_path: Path) -> None:
    def edit(memory: Path) -> None:  # does nothing any more once the line has left
        memory.write_text(memory.read_text().replace("the red release on 2026-05-11", "the RED release on 2026-05-12"))

    stage = laws.first_night(tmp_path)
    with stage.copied() as layout:
        earlier = memory_of(layout)
        edit(layout.root / MEMORY)
        later = memory_of(layout)

    for layout in acts_with(stage, edit):
        came_in_time = b"RED release" in text_of(layout).encode() + laws.ledger_of(layout)
        assert lines_in_neither(layout, later if came_in_time else earlier) == []
        laws.undo(layout, MORNING, SteppedDisk())
        assert lines_in_neither(layout, later if came_in_time else earlier) == []


@every_edit
def test_an_edit_while_the_machine_is_off_survives_the_mending(tmp_path: Path, edit: Edit) -> None:
    stage = laws.first_night(tmp_path)
    wanted = dreamed_over(stage, edit)

    for layout in laws.every_cut(stage, review, Loses.NOTHING):
        edit(layout.root / MEMORY)
        review(layout, MORNING, SteppedDisk())
        assert (seen(layout), leftovers(layout)) == (wanted, [])


class TouchedAndCut(PowerDisk):
    """The owner saves in the last instant before MEMORY.md is exchanged, or a program that has it open writes into what was
    just displaced; a little later the power goes."""

    def __init__(self, layout: Layout, at: int, loses: Loses, edit: Edit | None, words: str = "") -> None:
        super().__init__(layout, at, loses)
        self.memory, self.edit, self.words = layout.root / MEMORY, edit, words
        self.held = self.memory.open("a")

    def step(self, kind: str, *paths: Path) -> None:
        super().step(kind, *paths)
        if kind == "swap" and self.edit:
            self.edit(self.memory)
            self.edit = None

    def made(self, kind: str, *paths: Path) -> None:
        super().made(kind, *paths)
        if kind == "swap" and not self.held.closed:
            self.held.write(self.words)
            self.held.close()


TOUCHES = [(Loses.NOTHING, edit, edit, "") for edit in EDITS] + [
    (loses, edit, None, words)
    for loses in (Loses.NOTHING, Loses.NAMES, Loses.RECORD, Loses.FILES)
    for edit, words in ((append, THOUGHT), (say_again, AGAIN))
]


@pytest.mark.parametrize(("loses", "same", "edit", "words"), TOUCHES)
def test_an_edit_in_the_last_instant_and_late_words_are_there_once_even_if_the_power_goes_straight_after(
    tmp_path: Path, loses: Loses, same: Edit, edit: Edit | None, words: str
) -> None:
    stage = laws.first_night(tmp_path)
    wanted = dreamed_over(stage, same)
    swap = next(n for n, step in enumerate(laws.steps_of(stage), 1) if step.startswith("swap"))
    for at in range(swap + 1, swap + (45 if EXPLORE else 16)):
        with stage.copied() as layout:
            disk = TouchedAndCut(layout, at, loses, edit, words)
            with suppress(PowerCut):
                review(layout, EVENING, disk)
            disk.close()
            print(f"The power was cut before step {at}: {disk.took[min(at, len(disk.took)) - 1]}")
            review(layout, MORNING, SteppedDisk())
            assert (seen(layout), leftovers(layout)) == (wanted, [])


def append_last(memory: Path) -> None:
    append(memory, LAST)


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
    with laws.first_night(tmp_path).copied() as layout:
        edits = [second, first]

        def at_a_swap(edit: Edit) -> Hook:
            return lambda kind, *_: (
                edits.pop()(layout.root / MEMORY) if (kind, edits[-1:]) == ("swap", [edit]) else None
            )

        review(layout, EVENING, BusyDisk(at_a_swap(first), at_a_swap(second)))
        review(layout, MORNING, SteppedDisk())

        there = text_of(layout) + kept(layout)
        assert (edits, word in there, LAST in there) == ([], True, True)
        assert second is not append_last or max(seen(layout)[1].values()) == 1


@pytest.mark.parametrize("since", ["swap", "rename", "create"])
@pytest.mark.parametrize("is_held", [False, True], ids=["by name", "held open"])
def test_a_program_that_writes_all_night_loses_no_line(tmp_path: Path, since: str, is_held: bool) -> None:
    with laws.first_night(tmp_path).copied() as layout, (layout.root / MEMORY).open("a", buffering=1) as held:
        (layout.root / "reverie.toml").write_text("[dream]\nbrake = 1.0\n")
        said: list[str] = []

        def talk(kind: str, *_: Path) -> None:
            is_decided = next(layout.state.glob("runs/*.commit"), None) is not None
            if said or (is_decided and kind == since):
                said.append(f"- said {len(said)} words\n")
                held.write(said[-1]) if is_held else append(layout.root / MEMORY, said[-1])

        review(layout, EVENING, BusyDisk(after=talk))
        review(layout, MORNING, SteppedDisk())

        assert len(said) > 20
        assert Counter(line for line in text_of(layout).splitlines(keepends=True) if line in said) == Counter(said)


@pytest.mark.parametrize(("edit", "words"), [(append, THOUGHT), (say_again, AGAIN)], ids=["thought", "again"])
def test_late_words_at_any_moment_are_there_once_and_stay_out_when_the_owner_takes_them_out(
    tmp_path: Path, edit: Edit, words: str
) -> None:
    stage = laws.first_night(tmp_path)
    wanted = dreamed_over(stage, edit)
    came_at_once = 0

    for moment in moments(stage):
        with stage.copied() as layout, (layout.root / MEMORY).open("a", buffering=1) as held:
            act_with(layout, lambda _, held=held: held.write(words), moment)  # type: ignore[misc]
            taken_out = "".join(text_of(layout).rsplit(words, 1))
            if text_of(layout) == wanted[0]:
                came_at_once += 1
                (layout.root / MEMORY).write_text(taken_out)
            review(layout, MORNING, SteppedDisk())
            assert text_of(layout) in (wanted[0], taken_out)
            assert seen(layout)[1] == wanted[1]
    assert came_at_once > 3


def test_a_program_that_rewrites_the_displaced_file_loses_nothing(tmp_path: Path) -> None:
    with laws.first_night(tmp_path).copied() as layout, (layout.root / MEMORY).open("r+") as held:

        def rewrite(kind: str, *paths: Path) -> None:
            if kind == "rename" and paths[-1].parent.name == "late":
                held.truncate(0)
                held.write("# Kim, all anew\n")
                held.flush()

        review(layout, EVENING, BusyDisk(after=rewrite))
        review(layout, MORNING, SteppedDisk())
        assert kept(layout).endswith("# Kim, all anew\n")


Moment = tuple[int, str]


def acts_with(stage: Stage, edit: Edit, act: laws.Act = review) -> Iterator[Layout]:
    """The workspace after an act in which the owner made an edit, once for every moment of it."""
    for moment in moments(stage, act):
        with stage.copied() as layout:
            act_with(layout, edit, moment, act)
            yield layout


def act_with(layout: Layout, edit: Edit, moment: Moment, act: laws.Act = review) -> None:
    def at(when: str) -> Hook:
        return lambda *_: edit(layout.root / MEMORY) if (len(disk.took), when) == moment else None

    disk = BusyDisk(at("before"), at("after"))
    try:
        act(layout, EVENING, disk)
    except Changed:
        assert act is not review  # a night plans again by itself
        act(layout, EVENING, SteppedDisk())
    print(f"The owner's edit came {moment[1]} step {moment[0]}: {disk.took[moment[0] - 1]}")


def moments(stage: Stage, act: laws.Act = review) -> list[Moment]:
    """Before every other step while the run is being done, before some of the many before and after that, and straight
    after those that move a name, before anybody has looked at what they did."""
    steps = laws.steps_of(stage, act)
    decided = next(n for n, step in enumerate(steps, 1) if step.endswith(".commit.dream-tmp"))
    done = next(n for n, step in enumerate(steps, 1) if step.startswith("remove") and step.endswith(".commit"))
    doing = [n for n in range(decided, done + 1) if not steps[n - 1].startswith("sync")]
    moves = [n for n in doing if steps[n - 1].split()[0] in ("rename", "swap", "place")]
    apart = [*range(1, decided, 1 if EXPLORE else 3), *range(done + 1, len(steps), 1 if EXPLORE else 15)]
    return [(n, "before") for n in [*apart, *doing[:: 1 if EXPLORE else 2]]] + [(n, "after") for n in moves]


def edited(stage: Stage, edit: Edit) -> str:
    with stage.copied() as layout:
        edit(layout.root / MEMORY)
        return text_of(layout)


def dreamed_over(stage: Stage, edit: Edit) -> tuple[str, Counter[str]]:
    """What a night leads to if the edit came well before it."""
    with stage.copied() as layout:
        edit(layout.root / MEMORY)
        review(layout, EVENING, SteppedDisk())
        return seen(layout)


def seen(layout: Layout) -> tuple[str, Counter[str]]:
    """MEMORY.md, and what the ledger holds how often; the day of a crash does not matter."""
    lines = laws.ledger_of(layout).decode().splitlines()
    content = Counter(line for line in lines if line.startswith("Content: "))
    return text_of(layout).replace("2026-11-16", "2026-11-15"), content


def text_of(layout: Layout) -> str:
    memory = layout.root / MEMORY
    return memory.read_text() if memory.exists() else ""


def kept(layout: Layout) -> str:
    return "".join(file.read_text() for file in layout.state.rglob("kept-*"))
