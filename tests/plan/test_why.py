"""The story of a line: what dreams did with it, where it stands, what the archive holds."""

from __future__ import annotations

from hashlib import md5

import pytest

from conftest import Build
from reverie.core.ports import FixedClock, fixed
from reverie.night import commands
from reverie.plan.ledger import Archived
from reverie.plan.show import Story, StoryChapter
from reverie.workspace.values import Workspace
from terminal import call

ID = md5(b"- likes tea").hexdigest()[:8]
WHY = "the same words stand in MEMORY.md:2"
BLOCK = Archived(ID, "2026-11-15 03:00", "duplicate", ("- likes tea",), "MEMORY.md:4", WHY)
LATER = fixed("2026-11-16T03:00:00+01:00")


@pytest.fixture
def dreamt(build: Build, clock: FixedClock) -> Workspace:
    workspace = build({"MEMORY.md": "# Me\n- likes tea\n- lives in Bern\n- likes tea\n"})
    commands.review(workspace, clock)
    return workspace


def chapter(undone_by: str = "") -> StoryChapter:
    sources = ("MEMORY.md:4",)
    return StoryChapter(
        "0001-2026-11-15", "2026-11-15T03:00:00+01:00", ID, "duplicate", "archived", "- likes tea", WHY, sources, undone_by, "end", "built-in"
    )  # fmt: skip


@pytest.mark.parametrize("asked", [ID, "likes tea", "LIKES   TEA", "- likes tea"])
def test_a_line_is_found_by_its_id_and_by_its_words(dreamt: Workspace, asked: str) -> None:
    assert commands.why(dreamt, asked) == Story(asked, (chapter(),), ("MEMORY.md:2",), (BLOCK,))


def test_a_line_no_dream_touched_stands_where_it_stands(dreamt: Workspace) -> None:
    assert commands.why(dreamt, "lives in Bern") == Story("lives in Bern", (), ("MEMORY.md:3",), ())


@pytest.mark.parametrize("asked", ["nothing of the kind", "00000000", "", "   "])
def test_what_nobody_knows_has_an_empty_story(dreamt: Workspace, asked: str) -> None:
    assert commands.why(dreamt, asked) == Story(asked, (), (), ())


@pytest.mark.parametrize("files", [{}, {"MEMORY.md": "# Me\n"}, {"dream-vault/ledger.md": "# Ledger\n\n"}])
def test_a_workspace_without_an_archive_has_empty_stories(build: Build, files: dict[str, str | bytes]) -> None:
    assert commands.why(build(files), "tea").empty


def test_the_story_of_an_exchanged_value_tells_what_it_was(build: Build, clock: FixedClock) -> None:
    files = {
        "MEMORY.md": "# Me\n\n## Boat\n- Winch: Harken 32\n",
        "memory/2026-11-14.md": "## Boat\n- Winch: Harken 40\n",
    }
    workspace = build(dict(files))
    commands.review(workspace, clock)

    (story,) = commands.why(workspace, "Harken 40").chapters

    assert (story.text, story.was) == ("- Winch: Harken 40", "- Winch: Harken 32")
    assert "    was: - Winch: Harken 32\n" in call("why", "Harken 40", "--workspace", workspace.root).out


def test_an_undo_is_a_chapter_too(dreamt: Workspace) -> None:
    commands.undo(dreamt, LATER)

    story = commands.why(dreamt, "likes tea")

    assert [(c.run, c.did, c.undone_by) for c in story.chapters] == [
        ("0001-2026-11-15", "archived", "0002-2026-11-16"),
        ("0002-2026-11-16", "brought back", ""),
    ]
    assert (story.stands, story.archived) == (("MEMORY.md:2", "MEMORY.md:4"), ())


def test_the_story_of_an_entry_with_sub_items_tells_all_its_lines(build: Build, clock: FixedClock) -> None:
    item = "- the boat\n  - is blue\n"
    workspace = build({"MEMORY.md": f"# Me\n{item}- x y\n{item}"})
    commands.review(workspace, clock)

    story = commands.why(workspace, "is blue")

    assert [c.text for c in story.chapters] == ["- the boat\n  - is blue"]
    assert story.stands == ("MEMORY.md:2",)
