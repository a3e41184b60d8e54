"""One decision of a run is taken back: the others stay, what came later stays, and no night makes it again."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from conftest import Build
from reverie.core.errors import BadInput, UndoCollision
from reverie.core.ports import FixedClock, fixed
from reverie.judge import proposals, worth
from reverie.night import commands
from reverie.night.commands import take_back
from reverie.surfaces.web import memory
from reverie.workspace.values import Workspace
from terminal import call

MEMORY = """# Memory

## Stable Knowledge

- The studio opens at nine.
- The kiln is serviced every spring by the man from Aachen.
- The studio opens at nine.
- [x] Done: 2026-01-04 the old kiln was sold
"""
SAID = "- We decided that glazes are ordered from Limoges from now on, because the old supplier closed.\n"
LATER = fixed("2026-11-16T03:00:00+01:00")


@pytest.fixture(autouse=True)
def sure(monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge is sure of what is said of Limoges."""

    def known(lines: Sequence[worth.LineToWeigh], embed: object, *, quick: bool = False) -> list[worth.Worth]:
        return [worth.Worth(float("Limoges" in line.text), "fact") for line in lines]

    monkeypatch.setattr(proposals, "worth_of", known)


@pytest.fixture
def workspace(build: Build, clock: FixedClock) -> Workspace:
    """A memory after one night: a copy left, a line came."""
    workspace = build({"MEMORY.md": MEMORY, "memory/2026-11-13.md": SAID, "memory/2026-11-14.md": SAID})
    assert commands.review(workspace, clock, force=True).run
    memory = read(workspace)
    assert memory.count("nine") == 1 and memory.count("Limoges") == 1
    return workspace


def read(workspace: Workspace) -> str:
    return (workspace.root / "MEMORY.md").read_text("utf-8")


def id_of(workspace: Workspace, words: str) -> str:
    edits = commands.list_runs(workspace)[0].plan.edits
    edit = next(
        edit for edit in edits if edit.path == "MEMORY.md" and any(words in line for line in (*edit.old, *edit.new))
    )
    line = next(line for line in memory.memory_view(workspace).lines if words in line.text)
    return line.id or edit.id


def test_a_line_that_left_comes_back_and_the_other_decision_stays(workspace: Workspace, clock: FixedClock) -> None:
    item = id_of(workspace, "nine")

    take_back(workspace, clock, "1", item)

    assert read(workspace).count("- The studio opens at nine.\n") == 2 and "Limoges" in read(workspace)
    assert commands.list_runs(workspace)[0].undone_by == ""


def test_a_line_that_came_goes_and_the_other_decision_stays(workspace: Workspace, clock: FixedClock) -> None:
    take_back(workspace, clock, "", id_of(workspace, "Limoges"))

    assert "Limoges" not in read(workspace) and read(workspace).count("nine") == 1


@pytest.mark.parametrize("words", ["nine", "Limoges"])
def test_no_later_night_makes_it_again(workspace: Workspace, clock: FixedClock, words: str) -> None:
    take_back(workspace, clock, "1", id_of(workspace, words))
    after = read(workspace).count(words)

    (workspace.root / "memory" / "2026-11-15.md").write_text(f"- The rain was loud.\n{SAID}")
    commands.review(workspace, LATER, force=True)

    assert read(workspace).count(words) == after


@pytest.mark.parametrize("words", ["nine", "Limoges"])
def test_later_words_of_the_owner_stay(workspace: Workspace, clock: FixedClock, words: str) -> None:
    item = id_of(workspace, words)
    memory = workspace.root / "MEMORY.md"
    memory.write_text(read(workspace) + "- The courtyard is swept on Fridays.\n", "utf-8")

    take_back(workspace, clock, "1", item)

    assert "- The courtyard is swept on Fridays.\n" in read(workspace)


@pytest.mark.parametrize("words", ["nine", "Limoges"])
def test_it_can_be_undone_to_the_byte(workspace: Workspace, clock: FixedClock, words: str) -> None:
    before = read(workspace)
    run = take_back(workspace, clock, "1", id_of(workspace, words)).run
    assert run and read(workspace) != before

    commands.undo(workspace, clock)

    assert read(workspace) == before


def test_what_the_owner_hung_on_a_line_keeps_it(workspace: Workspace, clock: FixedClock) -> None:
    item = id_of(workspace, "Limoges")
    lines = read(workspace).split("\n")
    place = next(n for n, line in enumerate(lines) if "Limoges" in line)
    memory = "\n".join([*lines[: place + 1], "  - ask for Madame Roux", *lines[place + 1 :]])
    (workspace.root / "MEMORY.md").write_text(memory, "utf-8")

    with pytest.raises(UndoCollision):
        take_back(workspace, clock, "1", item)
    assert read(workspace) == memory


def test_the_command_takes_one_decision_back(workspace: Workspace) -> None:
    item, before = id_of(workspace, "nine"), read(workspace)

    first = call("undo", "1", "--only", item, "--dry-run", "--workspace", str(workspace.root))
    assert first.code == 0 and read(workspace) == before
    call("undo", "1", "--only", item, "--workspace", str(workspace.root))

    assert read(workspace).count("nine") == 2


@pytest.mark.parametrize("item", ["", "00000000", "view"])
def test_what_the_run_did_not_decide_cannot_be_taken_back(workspace: Workspace, clock: FixedClock, item: str) -> None:
    before = read(workspace)

    with pytest.raises(BadInput):
        take_back(workspace, clock, "1", item)
    assert read(workspace) == before
