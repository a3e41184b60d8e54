"""Sublimation: what has ripened becomes a page of quotations; it is proposed first, and nothing is deleted."""

from __future__ import annotations

import json

import pytest

from conftest import NIGHT, Build, tree
from reverie.core.errors import RefusedSuggestion
from reverie.core.ports import fixed
from reverie.evidence.claims import claims_of
from reverie.features.classify.classify import sort_memories
from reverie.features.sublimate import related, sublimate
from reverie.night import commands, suggesting
from reverie.plan.quoting import Quote
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Workspace, stated
from terminal import call

CLOCK = fixed(NIGHT)
MEMORY = """# Ada

## About me
- data analyst, works mostly in Python
- lives on a houseboat in Gent
- speaks Dutch with the neighbours

## Rules
- Answers in the chat have three lines at most
- Replies need no greeting
- Put the number first in every answer
- Never deploy on a Friday

## Projects
- **Harbour map** (tiles for the port office)
  - Status: done
  - Harbour map runs on vector tiles; raster was too slow
  - [x] 2026-10-02 Harbour map handed over to the port office
- **Tide clock** (for the lock keeper)
  - Status: active
  - [ ] Order the brass hands
  - Tide clock shows low water only
  - Tide clock has a face of slate
"""


@pytest.fixture
def ada(build: Build) -> Workspace:
    note = "# 2026-09-01\n\n## Harbour map\n- **Decision:** we take vector tiles instead of raster\n"
    return build({"MEMORY.md": MEMORY, "memory/2026-09-01.md": note})


def page(workspace: Workspace, path: str) -> str:
    return (workspace.root / "knowledge" / path).read_text("utf-8")


def test_it_is_only_proposed_until_the_owner_says_so(ada: Workspace) -> None:
    before = tree(ada.root, without=())

    found = sublimate(ada, CLOCK)

    assert tree(ada.root, without=()) == before
    assert {one.path: one.about for one in found.proposed} == {
        "knowledge/postmortems/harbour-map.md": "3 memories of a finished project (Harbour map)",
        "knowledge/work-style-guide.md": "3 related feedback entries (3 about How answers look)",
        "knowledge/playbook.md": "3 memories about the user",
        "knowledge/project-tracker.md": "the state of 2 projects",
    }


def test_a_finished_project_becomes_a_postmortem_whose_lines_lead_to_their_sources(ada: Workspace) -> None:
    sublimate(ada, CLOCK, apply=True)

    text = page(ada, "postmortems/harbour-map.md")
    assert "Harbour map runs on vector tiles; raster was too slow ([MEMORY.md:17](../../MEMORY.md#L17))" in text
    assert "- 2026-09-01: Decision: we take vector tiles instead of raster ([memory/2026-09-01.md:4]" in text
    assert "brass" not in text
    assert not (ada.root / "knowledge" / "postmortems" / "tide-clock.md").exists()  # it goes on


def test_two_of_a_kind_are_not_dense_enough(build: Build) -> None:
    workspace = build(
        {
            "MEMORY.md": "# A\n\n## Rules\n- Replies need no greeting\n- Answers are short and begin with a number\n\n## About me\n- keeps two bees\n"
        }
    )

    assert sublimate(workspace, CLOCK).pages == ()


def test_nothing_is_deleted_the_second_time_nothing_changes_and_undo_brings_every_byte_back(ada: Workspace) -> None:
    before = tree(ada.root)

    assert sublimate(ada, CLOCK, apply=True).run
    after = tree(ada.root)
    assert {path: after[path] for path in before} == before
    assert sublimate(ada, CLOCK, apply=True).run is None

    commands.undo(ada, CLOCK)
    assert tree(ada.root) == before


def test_the_owners_words_on_a_page_stay_and_only_our_block_changes(ada: Workspace) -> None:
    mine = "# Playbook\n\nMy own words.\n"
    (ada.root / "knowledge").mkdir()
    (ada.root / "knowledge" / "playbook.md").write_text(mine)
    sublimate(ada, CLOCK, apply=True)
    (ada.root / "knowledge" / "playbook.md").write_text(page(ada, "playbook.md") + "\nAnd below.\n")
    memory = ada.root / "MEMORY.md"
    memory.write_text(MEMORY.replace("houseboat in Gent", "houseboat in Brugge"))

    sublimate(ada, CLOCK, apply=True)

    text = page(ada, "playbook.md")
    assert text.startswith(mine)
    assert text.endswith("\nAnd below.\n")
    assert ("Brugge" in text, "Gent" in text) == (True, False)


def test_pages_of_ours_are_never_evidence(ada: Workspace) -> None:
    sublimate(ada, CLOCK, apply=True)

    pages = [file for path, file in read_workspace(ada).files.items() if path.startswith("knowledge/")]

    assert len(pages) == 4
    assert [claim for file in pages for claim in claims_of(file)] == []


def test_a_state_that_left_memory_stays_in_the_tracker(ada: Workspace) -> None:
    sublimate(ada, CLOCK, apply=True)
    memory = ada.root / "MEMORY.md"
    memory.write_text(
        MEMORY.replace("  - Status: active\n", "  - Status: waiting for brass\n").replace("  - Status: done\n", "")
    )

    sublimate(ada, CLOCK, apply=True)

    tracker = page(ada, "project-tracker.md")
    assert "- Status: waiting for brass ([MEMORY.md:19]" in tracker
    assert "- Status: active" not in tracker
    assert "## Harbour map\n\n- Status: done" in tracker


def test_classified_memories_ripen_too(ada: Workspace) -> None:
    sort_memories(ada, CLOCK, apply=True)
    (ada.root / "MEMORY.md").write_text("# Ada\n")

    found = sublimate(ada, CLOCK)

    assert {"knowledge/work-style-guide.md", "knowledge/playbook.md"} <= {one.path for one in found.proposed}


def test_memories_about_one_word_belong_together_in_chinese_as_in_english() -> None:
    texts = (
        "报价单先给客户看",
        "报价单写明日期",
        "每张报价单都留底",
        "the customer signs first",
        "ask the customer twice",
        "customers pay in advance",
        "alone",
    )
    lines = [Quote(text, stated("MEMORY.md", i, i, text)) for i, text in enumerate(texts, 1)]

    groups = dict(related(lines, "Answers"))

    assert sorted(map(len, groups.values())) == [3, 3]
    assert "Customer" in groups


def test_the_command_tells_which_pages_it_proposes(ada: Workspace) -> None:
    told = call("sublimate", "--workspace", ada.root, "--now", NIGHT)
    value = json.loads(call("sublimate", "--workspace", ada.root, "--now", NIGHT, "--json").out)

    assert "3 related feedback entries" in told.out
    assert "Proposed only" in told.out
    assert value["pages"][0]["sources"][0] == "MEMORY.md:15"
    assert "Run 0001" in call("sublimate", "--apply", "--workspace", ada.root, "--now", NIGHT).out
    assert "Nothing to propose" in call("sublimate", "--workspace", ada.root, "--now", NIGHT).out


def test_a_night_suggests_the_page_and_a_yes_writes_it_and_undo_asks_again(build: Build) -> None:
    rules = "".join(f"- Answers: {text}\n" for text in ("short ones only", "no greeting at the top", "never a table"))
    note = "# 2026-11-14\n\n- Sailed to the island\n"
    workspace = build({"MEMORY.md": f"# Ada\n\n## Rules\n{rules}", "memory/2026-11-14.md": note})
    (told,) = [page.about for page in sublimate(workspace, CLOCK).proposed]

    commands.review(workspace, CLOCK)

    (card,) = [one for one in suggesting.suggestions(workspace, CLOCK) if one.section.startswith("knowledge/")]
    assert card.text == f"Found {told}: merge them into one page?"
    assert commands.review(workspace, CLOCK).run is None
    suggesting.accept(workspace, CLOCK, card.id)
    assert "never a table" in (workspace.root / card.section).read_text("utf-8")
    assert card not in suggesting.suggestions(workspace, CLOCK)
    commands.undo(workspace, CLOCK)
    assert card in suggesting.suggestions(workspace, CLOCK) and not (workspace.root / card.section).exists()


FINISHED = {
    "boxes": "## Projects\n- [x] Harbour map: tiles bought\n- [x] Harbour map: office signed\n- [x] Harbour map: delivered\n",
    "its own heading": "## Harbour map\n- Vector tiles were faster\n- The port paid late\n- Soundings come from Tom\n- Status: finished on 2026-11-10\n",
    "the tasks of todos.md": "## Projects\n- Harbour map: vector tiles\n- Harbour map: paid by the port\n- Harbour map: licence until May\n",
}


@pytest.mark.parametrize("memory", FINISHED.values(), ids=FINISHED)
def test_a_finished_project_with_three_memories_is_worth_a_postmortem(build: Build, memory: str) -> None:
    workspace = build({"MEMORY.md": f"# Ada\n\n{memory}", "todos.md": "- [x] Harbour map: send the invoice\n"})

    assert sublimate(workspace, CLOCK).proposed[0].path == "knowledge/postmortems/harbour-map.md"
    (workspace.root / "todos.md").write_text("- [ ] Harbour map: send the invoice\n")
    left = [page.path for page in sublimate(workspace, CLOCK).proposed]
    assert "knowledge/postmortems/harbour-map.md" not in left  # something is still to do


TIDY = """# Ada

## Projects
- The sauna stove project is finished since 2026-11-08
- Sauna stove: soapstone keeps the heat longest
- [x] Sauna stove: chimney swept
- [x] Sauna stove: hearth bricked
- [x] Sauna stove: first fire lit
"""


def test_what_the_night_itself_archives_is_in_the_page_it_suggests(build: Build) -> None:
    workspace = build({"MEMORY.md": TIDY, "memory/2026-11-14.md": "# 2026-11-14\n\n- Sailed to the island\n"})

    commands.review(workspace, CLOCK)

    assert "chimney" not in (workspace.root / "MEMORY.md").read_text("utf-8")
    (card,) = [one for one in suggesting.suggestions(workspace, CLOCK) if one.section.startswith("knowledge/")]
    suggesting.accept(workspace, CLOCK, card.id)
    text = page(workspace, "postmortems/sauna-stove.md")
    assert "chimney swept" in text and "soapstone" in text


TICKED = {
    "its own heading": "## Project Sail loft\n- [x] canvas came from Kern\n- [x] both jibs are cut\n- [x] delivered to Ove\n",
    "an item": "## Projects\n- Sail loft\n  - [x] canvas came from Kern\n  - [x] both jibs are cut\n  - [x] delivered to Ove\n",
    "lines": "## Projects\n- [x] Sail loft: canvas came from Kern\n- [x] Sail loft: both jibs are cut\n- [x] Sail loft: delivered to Ove\n",
}


@pytest.mark.parametrize("memory", TICKED.values(), ids=TICKED)
def test_a_night_that_archives_all_that_tells_of_a_project_still_suggests_its_page(build: Build, memory: str) -> None:
    workspace = build({"MEMORY.md": f"# Ada\n\n{memory}", "memory/2026-11-14.md": "- Sailed to the island\n"})
    commands.review(workspace, CLOCK)
    (workspace.root / "memory/2026-11-15.md").write_text("- Rain all day\n")
    commands.review(workspace, fixed("2026-11-16T03:00:00+01:00"))

    assert commands.review(workspace, fixed("2026-11-16T03:00:00+01:00")).run is None
    assert "jibs" not in (workspace.root / "MEMORY.md").read_text("utf-8")
    (card,) = [one for one in suggesting.suggestions(workspace, CLOCK) if one.section.startswith("knowledge/")]
    suggesting.accept(workspace, CLOCK, card.id)

    text = (workspace.root / card.section).read_text("utf-8")
    assert "Sail loft: Postmortem" in text and "both jibs are cut ([ledger.md:" in text


def test_a_heading_for_several_projects_is_none_and_one_with_an_open_task_goes_on(build: Build) -> None:
    tasks = "- [x] canvas came from Kern\n- [x] both jibs are cut\n- [x] delivered to Ove\n"
    memory = f"# Ada\n\n## Active projects\n{tasks}\n## Project Tide clock\n{tasks}- [ ] send the bill\n"

    assert not sublimate(build({"MEMORY.md": memory}), CLOCK).proposed


def test_a_page_that_is_not_worth_making_any_more_says_so_and_keeps_waiting(build: Build) -> None:
    workspace = build({"MEMORY.md": TIDY, "memory/2026-11-14.md": "# 2026-11-14\n\n- Sailed to the island\n"})
    commands.review(workspace, CLOCK)
    (card,) = [one for one in suggesting.suggestions(workspace, CLOCK) if one.section.startswith("knowledge/")]
    (workspace.root / "MEMORY.md").write_text("# Ada\n\n## Projects\n- [ ] Sauna stove: replace the door\n")

    with pytest.raises(RefusedSuggestion):
        suggesting.accept(workspace, CLOCK, card.id)

    assert not (workspace.root / card.section).exists()
    assert card.status == suggesting.OPEN
