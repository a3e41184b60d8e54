"""A second look at what nights wrote: told in a report, asked in the inbox, changed only by a yes."""

from __future__ import annotations

from datetime import timedelta

from conftest import NOW, Make, answering, memory_of, review, write
from reverie.features.inbox import answer_cards, inbox
from reverie.features.refine import refine

NOTE = "memory/2026-03-30.md"
REPORT = "memory/dreaming/verify/2026-04-01.md"
LATER = NOW + timedelta(days=1)
ADDED = [
    {"op": "add", "from": ["n1"], "text": "Valve: number 12", "section": "A"},
    {"op": "add", "from": ["n2"], "text": "the barge sleeps six", "section": "A"},
]


def test_a_newer_value_is_asked_about_once_and_changed_by_a_yes(workspace: Make) -> None:
    layout = workspace("## A\n- Pump: 9\n", {NOTE: "- Valve: number 12\n- the barge sleeps six\n"})
    review(layout, NOW, answering(*ADDED))
    write(layout, "memory/2026-03-31.md", "- Valve: number 31\n- Pump: 10\n")
    before = memory_of(layout)
    (finding,) = refine(layout, LATER).findings
    assert (finding.what, finding.line.place, memory_of(layout)) == ("outdated", "MEMORY.md:3", before)
    assert "## Outdated\n- MEMORY.md:3: Valve: number 12" in (layout.root / REPORT).read_text()
    assert refine(layout, LATER).run is None
    (card,) = inbox(layout, LATER)
    answer_cards(layout, LATER, {card.id: "yes"})
    assert memory_of(layout) == before.replace("12", "31")
    assert refine(layout, LATER).findings == ()


def test_a_note_that_changed_is_told_and_a_no_is_kept(workspace: Make) -> None:
    layout = workspace("## A\n- Pump: 9\n", {NOTE: "- Valve: number 12\n- the barge sleeps six\n"})
    review(layout, NOW, answering(*ADDED))
    write(layout, NOTE, "- the barge sleeps four\n")
    write(layout, "memory/2026-03-31.md", "- Valve: number 31\n")
    assert [finding.what for finding in refine(layout, LATER).findings] == ["gone", "gone", "outdated"]
    answer_cards(layout, LATER, {card.id: "no" for card in inbox(layout, LATER)})
    assert refine(layout, LATER).run is None


def test_the_owners_own_lines_are_never_doubted(workspace: Make) -> None:
    layout = workspace("## A\n- Pump: 9\n- Pump: 8\n", {NOTE: "- Pump: 10\n"})
    assert refine(layout, NOW).findings == ()
    assert not (layout.root / "memory/dreaming").exists()
