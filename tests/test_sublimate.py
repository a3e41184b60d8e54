"""Memories that became knowledge: proposed once, made with a yes, and what a page says stays there."""

from __future__ import annotations

from conftest import NOW, Make, memory_of, review, write
from reverie.features.inbox import answer_cards, inbox
from reverie.features.sublimate import sublimate
from reverie.store.undo import undo

MEMORY = "# Me\n## Feedback\n- answers in short sentences\n- no tables in answers\n- answers begin with the result\n- tea is fine\n"
PROJECT = "## Projects\n- Barge: a hull of oak\n  - Status: done\n  - [x] paint\n  - [x] rigging\n- Orchard: two ladders\n  - Status: waiting for twine\n"
STYLE = "knowledge/user-work-style-guide.md"


def test_a_page_is_proposed_made_with_a_yes_and_taken_back(workspace: Make) -> None:
    layout = workspace(MEMORY)
    review(layout, NOW)
    (card,) = inbox(layout, NOW)
    assert card.question == f"Found 3 related feedback entries: merge them into {STYLE}?"
    answer_cards(layout, NOW, {card.id: "yes"})
    page = (layout.root / STYLE).read_text()
    assert "- no tables in answers ([MEMORY.md:4](../MEMORY.md#L4))" in page and "tea" not in page
    assert memory_of(layout) == MEMORY
    review(layout, NOW)
    assert inbox(layout, NOW) == []
    undo(layout, NOW)
    assert not (layout.root / STYLE).read_text() if (layout.root / STYLE).exists() else True


def test_a_no_is_not_asked_again_although_there_is_more(workspace: Make) -> None:
    layout = workspace(MEMORY)
    review(layout, NOW)
    answer_cards(layout, NOW, {card.id: "no" for card in inbox(layout, NOW)})
    write(layout, "MEMORY.md", MEMORY + "- answers without apologies\n")
    review(layout, NOW)
    assert (inbox(layout, NOW), (layout.root / STYLE).exists()) == ([], False)


def test_finished_projects_and_states_go_to_their_pages_and_stay_there(workspace: Make) -> None:
    layout = workspace(PROJECT, {"knowledge/project-tracker.md": "# Mine\nmy words\n"})
    assert sublimate(layout, NOW).proposed == (
        "Found 4 lines on finished projects: merge them into knowledge/project-postmortem.md?",
    )
    sublimate(layout, NOW, apply=True)
    tracker = (layout.root / "knowledge/project-tracker.md").read_text()
    assert tracker.startswith("# Mine\nmy words\n") and "## Orchard\n- Status: waiting for twine" in tracker
    assert "- a hull of oak" not in (postmortem := (layout.root / "knowledge/project-postmortem.md").read_text())
    assert "## Barge\n- Barge: a hull of oak ([MEMORY.md:2](../MEMORY.md#L2))" in postmortem
    assert sublimate(layout, NOW, apply=True).run is None

    write(layout, "MEMORY.md", "## Projects\n- Orchard: two ladders\n  - Status: pruned\n")
    sublimate(layout, NOW, apply=True)
    tracker = (layout.root / "knowledge/project-tracker.md").read_text()
    assert "Status: pruned" in tracker and "waiting" not in tracker and "## Barge" in tracker
    assert (layout.root / "knowledge/project-postmortem.md").read_text() == postmortem
