"""Undo: to the byte, one decision or a run, and what was taken back stays so until a later note says it again."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from conftest import ABC, NOW, Make, answering, end, memory_of, review, write
from reverie.errors import ReverieError
from reverie.judge.budget import Excess, evictions
from reverie.night import read_memory, run_night
from reverie.store.undo import undo

INVOICES = "- Decision: invoices go out on the first\n"
FULL = "## A\n" + "".join(
    f"- 2025-01-{i % 28 + 1:02} fact number {i} about something long enough to matter\n" for i in range(300)
)


@pytest.mark.parametrize(
    "memory",
    [
        "## A\n\n- a\n- b\n\n## B\n- c\n",
        "- a\n- b",
        "- a\r\n- b\n- c\r\n",
        "\ufeff- a\n- b\n",
        "- a\u2028b\n- c\n",
        "## Beta\n- b\n\n## A\n- x\n\n\n",
        "",
    ],
)
def test_a_night_is_undone_to_the_byte(workspace: Make, memory: str) -> None:
    layout = workspace(memory, {"memory/2026-03-30.md": "- valve came\n- pump came\n"})
    wishes = [
        {"op": "add", "from": ["n1"], "section": "A", "text": "valve came"},
        {"op": "add", "from": ["n2"], "text": "pump"},
    ]
    wishes += [{"op": "update", "memory": "m1", "from": ["n1"], "text": "valve"}, end("m2")] if memory else []
    night = review(layout, NOW, answering(*wishes))
    assert len(night.plan.done) == len(wishes)
    undo(layout, NOW)
    assert memory_of(layout) == memory


def test_an_undo_takes_away_the_file_that_a_night_made(workspace: Make) -> None:
    layout = workspace(None, {"memory/2026-03-30.md": INVOICES})
    review(layout, NOW)
    assert memory_of(layout) == "## Current State\n- Decision: invoices go out on the first\n"
    undo(layout, NOW)
    assert not (layout.root / "MEMORY.md").exists()


def test_one_decision_is_undone_and_then_the_rest(workspace: Make) -> None:
    layout = workspace()
    night = review(layout, NOW, answering(end("m1"), end("m3")))
    write(layout, "MEMORY.md", memory_of(layout) + "- typed by hand\n")
    undo(layout, NOW, decision=night.plan.done[0].id)
    assert memory_of(layout) == "## A\n- a1\n- a2\n- typed by hand\n"
    rest = undo(layout, NOW).run
    assert rest and night.run and rest.undoes == night.run.id
    assert memory_of(layout) == ABC + "- typed by hand\n"


def test_a_run_is_not_undone_twice(workspace: Make) -> None:
    layout = workspace()
    run = review(layout, NOW, answering(end("m2"))).run
    assert run
    undo(layout, NOW, run.id)
    with pytest.raises(ReverieError, match="undone already"):
        undo(layout, NOW, run.id)
    assert memory_of(layout) == ABC


def test_an_undo_is_undone(workspace: Make) -> None:
    layout = workspace()
    review(layout, NOW, answering(end("m2")))
    back = undo(layout, NOW).run
    assert back
    undo(layout, NOW, back.id)
    assert memory_of(layout) == "## A\n- a1\n- a3\n"
    undo(layout, NOW)
    assert memory_of(layout) == ABC


def test_undo_passes_over_a_night_that_only_asked(workspace: Make) -> None:
    layout = workspace()
    review(layout, NOW, answering(end("m1")))
    write(layout, "memory/2026-03-31.md", "- z\n")
    night = review(layout, NOW, answering({"op": "ask", "from": ["n1"], "question": "which?"}))
    assert night.run and [operation.question for operation in night.run.waiting] == ["which?"]
    undo(layout, NOW)
    assert memory_of(layout) == ABC


def test_a_line_with_a_secret_is_moved_by_nobody(workspace: Make) -> None:
    memory = "## A\n- wifi password: Moor-88x!\n- House\n  - alarm code is 4711\n- b\n"
    layout = workspace(memory)
    night = review(layout, NOW, answering(end("m1"), end("m2")))
    assert memory_of(layout) == memory and len(night.plan.refused) == 2
    for path in layout.root.rglob("*"):
        assert path.is_dir() or path.name == "MEMORY.md" or not re.search(b"Moor|4711", path.read_bytes())


def test_two_values_of_one_line_change_and_go_back_together(workspace: Make) -> None:
    layout = workspace("## A\n- port 1, host a\n", {"memory/2026-03-30.md": "- port 2 and host b\n"})
    wish = {"op": "update", "memory": "m1", "from": ["n1"]}
    review(layout, NOW, answering(wish | {"old": "port 1", "new": "port 2"}, wish | {"old": "host a", "new": "host b"}))
    assert memory_of(layout) == "## A\n- port 2, host b\n"
    undo(layout, NOW)
    assert memory_of(layout) == "## A\n- port 1, host a\n"


def test_what_was_undone_stays_undone(workspace: Make) -> None:
    layout = workspace()
    review(layout, NOW, answering(end("m2")))
    undo(layout, NOW)
    night = review(layout, NOW, answering(end("m2")))
    assert memory_of(layout) == ABC and "declined on 2026-03-31" in night.plan.refused[0].why


def test_a_note_of_a_later_day_lifts_what_was_undone(workspace: Make) -> None:
    layout = workspace()
    review(layout, NOW, answering(end("m2")))
    undo(layout, NOW)
    write(layout, "memory/2026-04-02.md", "- a2 is over\n")
    review(layout, NOW + timedelta(days=3), answering(end("m2") | {"from": ["n1"]}))
    assert memory_of(layout) == "## A\n- a1\n- a3\n"


def test_an_overfull_memory_loses_first_what_is_over_and_last_what_stands_beside_a_pin(workspace: Make) -> None:
    lines = [
        "## Yard", "- [x] the slip is greased", "- the mast was stepped on 2026-02-01", "- the keel was cast on 2025-02-01",
        "- Decision: varnish comes from Bergen", "## Crane", "- 📌 NEVER lift in wind", "- the crane was painted on 2024-01-01",
    ]  # fmt: skip
    snapshot = read_memory(workspace("\n".join(lines) + "\n", {"reverie.toml": "[dream]\nevict = 1.0\n"}))
    leaving = [wish.lines[0].words for wish in evictions(snapshot, Excess(10**6, 0), ())]
    assert leaving == [lines[number] for number in (1, 3, 2, 4, 7)]


def test_an_eviction_stays_undone(workspace: Make) -> None:
    layout = workspace(FULL)
    assert review(layout, NOW, answering()).plan.done
    undo(layout, NOW)
    assert not review(layout, NOW, answering()).plan.done
    assert memory_of(layout) == FULL


def test_an_owner_may_ask_anew_what_was_taken_back(workspace: Make) -> None:
    layout = workspace(ABC, {"memory/2026-03-30.md": INVOICES})
    run_night(layout, NOW)
    undo(layout, NOW)
    assert run_night(layout, NOW).run is None
    run_night(layout, NOW, again=True)
    assert memory_of(layout) == ABC + INVOICES
