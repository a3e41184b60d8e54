"""The cursor: every statement is judged once; what nobody judged comes again."""

from __future__ import annotations

from conftest import ABC, NOW, Make, answering, end, memory_of, review, tonight, write
from reverie.judge.answer import read_answer
from reverie.night import answer, brief
from reverie.workspace.layout import Layout


def new_lines(layout: Layout) -> list[str]:
    return [line.statement.text for line in tonight(layout).notes]


def test_a_second_night_over_the_same_material_writes_nothing(workspace: Make) -> None:
    layout = workspace()
    assert review(layout, NOW).run
    assert review(layout, NOW).run is None


def test_no_answer_reads_no_note(workspace: Make) -> None:
    layout = workspace()
    review(layout, NOW, lambda brief: read_answer("Sorry, I cannot help.", brief.saved()))
    assert new_lines(layout) == ["y"]


def test_a_typo_in_an_old_note_is_not_the_old_value_again(workspace: Make) -> None:
    old = {"memory/2026-03-20.md": "- Valve: number 12\n- helo\n", "memory/2026-03-29.md": "- Valve: number 31\n"}
    layout = workspace("- **Valve:** number 5\n", old)
    review(layout, NOW)
    write(layout, "memory/2026-03-20.md", "- Valve: number 12\n- hello\n")
    assert new_lines(layout) == ["hello"]
    review(layout, NOW)
    assert "31" in memory_of(layout)


def test_an_item_that_goes_on_is_new(workspace: Make) -> None:
    layout = workspace()
    review(layout, NOW, answering())
    write(layout, "memory/2026-03-30.md", "- y\n  and Anna moved to Bern\n")
    assert new_lines(layout) == ["y and Anna moved to Bern"]


def test_a_note_without_its_last_line_end_grows(workspace: Make) -> None:
    layout = workspace(ABC, {"memory/2026-03-30.md": "- one\n- two"})
    review(layout, NOW, answering())
    write(layout, "memory/2026-03-30.md", "- one\n- two\n- three\n")
    assert new_lines(layout) == ["three"]


def test_the_first_night_looks_back_two_weeks(workspace: Make) -> None:
    layout = workspace(ABC, {"memory/2025-01-01.md": "- long ago\n"})
    assert new_lines(layout) == ["y"]
    review(layout, NOW, answering())
    assert new_lines(layout) == []


def test_a_lost_cursor_is_made_again_from_the_runs(workspace: Make) -> None:
    layout = workspace()
    review(layout, NOW, answering())
    (layout.root / "memory/.dreams/state.json").unlink()
    assert new_lines(layout) == []


def test_an_answer_means_the_lines_that_were_shown(workspace: Make) -> None:
    note = "- the parking permit is over\n"
    layout = workspace("## A\n- passport in the blue box\n- parking permit 2024\n", {"memory/2026-03-30.md": note})
    brief(layout, NOW)
    write(layout, "MEMORY.md", "## A\n- typed meanwhile\n- passport in the blue box\n- parking permit 2024\n")
    write(layout, "memory/2026-03-30.md", note + "- written meanwhile\n")
    answer(layout, NOW, '{"operations": [{"op": "end", "memory": ["m2"], "from": ["n1"]}]}')
    assert memory_of(layout) == "## A\n- typed meanwhile\n- passport in the blue box\n"
    assert new_lines(layout) == ["written meanwhile"]


def test_a_line_that_is_gone_is_missed(workspace: Make) -> None:
    layout = workspace("## A\n- [x] alpha\n- [x] beta\n- [x] gamma\n")
    brief(layout, NOW)
    write(layout, "MEMORY.md", "## A\n- [x] alpha\n- [x] gamma\n")
    night = answer(layout, NOW, '{"operations": [{"op": "end", "memory": ["m2"]}, {"op": "end", "memory": ["m3"]}]}')
    assert len(night.missed) == 1 and memory_of(layout) == "## A\n- [x] alpha\n"


def test_what_was_archived_and_said_again_is_shown(workspace: Make) -> None:
    layout = workspace("## A\n- Anna likes Obsidian\n- b\n")
    review(layout, NOW, answering(end("m1")))
    write(layout, "memory/2026-04-02.md", "- Anna likes Obsidian.\n")
    assert [entry[0]["summary"] for entry in tonight(layout).returned] == ["Anna likes Obsidian"]
