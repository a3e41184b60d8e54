"""A brief that is too large comes in windows of days; nothing is lost between them, and what they disagree about is decided again."""

from __future__ import annotations

from dataclasses import replace

from briefs import brief, memory, notes, operations_in

from reverie.core.ports import HashEmbedder
from reverie.judge.asker import estimate_tokens
from reverie.judge.brief import Brief, Room
from reverie.judge.brief_text import around, contested, halves, settled, windows
from reverie.judge.operation import Operation

TOOLS = ("lathe", "kiln", "bandsaw", "anvil", "furnace", "loom", "router", "press")
OLD = memory(
    "## Machines",
    *(f"The {tool} stands in hall {number}, bought from a dealer in the north." for number, tool in enumerate(TOOLS)),
    "Blankets lie in the attic.",
    "## Rules",
    "!NEVER lend out keys.",
)
DAYS = [
    line
    for number, tool in enumerate(TOOLS, 1)
    for line in (
        f"## 2026-05-0{number}",
        f"The {tool} got a new belt and was oiled.",
        f"Somebody asked for the {tool} twice.",
    )
]
LARGE = brief(OLD, notes(*DAYS), room=Room(16_000, 10))


def of(answer: list[dict[str, object]], whole: Brief = LARGE) -> list[Operation]:
    found, refused = operations_in(answer, whole, "t")
    assert not refused
    return list(found)


def test_what_fits_is_one_window() -> None:
    (one,) = windows(LARGE)

    assert (one.brief, one.shrink, one.of) == (LARGE, 1_000, 1)


def test_windows_are_whole_days_within_the_size_and_hold_every_line_under_its_own_id() -> None:
    parts = windows(LARGE, 200)

    assert len(parts) > 2 and all(estimate_tokens(part.text) <= 300 for part in parts)
    assert [line for part in parts for line in part.brief.notes] == list(LARGE.notes)
    assert {line for part in parts for line in part.brief.memory} == set(LARGE.memory)
    for part in parts:
        days = [line.claim.day for line in part.brief.notes]
        assert all(days.count(day) == 2 for day in days)


def test_a_window_brings_the_lines_that_it_could_concern_and_always_the_fixed_ones() -> None:
    first, *_ = windows(LARGE, 200)
    shown = [line.entry.text for line in first.brief.memory]

    assert any("lathe" in text for text in shown) and "NEVER lend out keys." in shown
    assert not any("Blankets" in text for text in shown) and "## Machines" in first.text
    assert "Blankets" in windows(LARGE, 200)[-1].text


def test_meaning_brings_lines_along_where_an_embedder_is_there() -> None:
    close = replace(LARGE, embedder=HashEmbedder())

    assert {line for part in windows(close, 200) for line in part.brief.memory} == set(LARGE.memory)


def test_all_windows_together_make_the_memory_shorter_by_what_is_too_much() -> None:
    parts = windows(LARGE, 200)

    assert 990 <= sum(part.shrink for part in parts) <= 1_000
    assert all(f"{part.shrink:,} characters shorter" in part.text for part in parts if part.shrink)


def test_a_day_that_is_too_large_is_cut_too() -> None:
    day = brief(
        OLD,
        notes(
            "## 2026-05-01", *(f"The {tool} rattles in some new way, number {n}." for n in range(12) for tool in TOOLS)
        ),
    )

    parts = windows(day, 400)

    assert len(parts) > 2 and [line for part in parts for line in part.brief.notes] == list(day.notes)


def test_halves_part_a_window_and_leave_one_line_alone() -> None:
    (whole,) = windows(LARGE)
    (line,) = windows(brief(new=notes("## 2026-05-01", "One line.")))

    assert len(halves(whole)) > 1 and sum(part.shrink for part in halves(whole)) <= whole.shrink
    assert halves(line) == (line,)


def test_windows_that_want_different_things_of_one_line_are_heard_again_over_these_lines_alone() -> None:
    early = of(
        [
            {"op": "update", "memory": "m1", "from": "n1", "old": "hall 0", "new": "hall 5"},
            {"op": "end", "memory": "m9"},
        ]
    )
    late = of([{"op": "end", "memory": "m1", "from": "n16"}])

    small, torn = contested(LARGE, [early, late])

    assert small and {line.id for line in small.memory} == {"m1"} and {"n1", "n16"} <= {line.id for line in small.notes}
    assert torn == (early[0], late[0]) and settled(torn) == (late[0],)


def test_windows_that_add_the_same_are_heard_again_and_without_an_answer_the_later_note_counts() -> None:
    early = of([{"op": "add", "from": "n1", "text": "The lathe has a new belt.", "section": "Machines"}])
    late = of([{"op": "add", "from": "n15", "text": "New belt: the lathe has it.", "section": "Machines"}])
    other = of([{"op": "add", "from": "n3", "text": "Somebody else wants the kiln.", "section": "Machines"}])

    small, torn = contested(LARGE, [early, late, other])

    assert small and torn == (early[0], late[0]) and settled(torn) == (late[0],)


def test_windows_that_agree_need_no_second_look() -> None:
    swap = {"op": "update", "memory": "m1", "from": "n1"}
    answers = [of([{**swap, "old": "hall 0", "new": "hall 5"}]), of([{**swap, "old": "the north", "new": "the south"}])]

    assert contested(LARGE, answers) == (None, ())
    assert contested(LARGE, [of([{"op": "end", "memory": "m9"}]), of([{"op": "end", "memory": "m9"}])]) == (None, ())


def test_around_a_line_stand_its_neighbours_and_what_words_could_mean() -> None:
    found = around(LARGE, {"n1"}, ["something about the anvil"])

    assert {line.id for line in found.notes} >= {"n1", "n2", "n7"} and {line.id for line in found.memory} == {"m4"}
