"""`dream index`: each page once, newest first, and an undo takes it out again."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

import reverie
from conftest import NOW, Make
from reverie.errors import ReverieError

INDEX, TOPICS = "dream-vault/obsidian-index/_index.md", "dream-vault/obsidian-index/topics"
PAGE = """\
# Pumps for small boats

A valve pump keeps a boat dry. It needs no power. See https://example.org/pumps/(small) for more. #boats
Small pumps clog.
"""
LINE = "- 2026-03-31 [Pumps for small boats](https://example.org/pumps/(small)) (page.md) — A valve pump keeps a boat dry. #boats #pumps #small"


def test_a_page_gets_one_line_in_the_index_and_in_each_of_its_topics(workspace: Make) -> None:
    layout = workspace()
    line = reverie.index(layout, NOW, PAGE, source="page.md").line
    assert line.partition(" <!-- index:")[0] == LINE
    for again in ({"text": "See HTTPS://EXAMPLE.org/pumps/(small)/"}, {"text": "x", "title": "pumps for SMALL boats"}):
        assert reverie.index(layout, NOW + timedelta(days=1), **again).run is None
    assert (layout.root / INDEX).read_text("utf-8") == f"# Content index\n\n{line}\n"
    assert (layout.root / TOPICS / "boats.md").read_text("utf-8") == f"# boats\n\n{line}\n"
    assert reverie.status(layout, NOW).indexed == 1
    assert reverie.index(layout, NOW, "x", title="Pumps for small boats", url="https://example.net/pumps").run


def test_the_newest_stands_first_and_every_byte_comes_back(workspace: Make) -> None:
    layout = workspace(files={INDEX: "\ufeff# Mine\r\n\r\n- 2026-03-20 **Old** — old\r\nmy own words"})
    files = {path: path.read_bytes() for path in layout.root.rglob("*.md")}
    for title, day in (("New", None), ("Between", date(2026, 3, 25)), ("Oldest", date(2026, 3, 1))):
        reverie.index(layout, NOW, "I prefer hand pumps.", title=title, day=day, topics=["boats"])
    lines = (layout.root / INDEX).read_bytes().decode().split("\r\n")
    assert [line.partition(" — ")[0] for line in lines] == [
        "\ufeff# Mine", "", "- 2026-03-31 **New**", "- 2026-03-25 **Between**", "- 2026-03-20 **Old**", "my own words",
        "- 2026-03-01 **Oldest**", "",
    ]  # fmt: skip
    reverie.undo_to(layout, NOW, NOW.date())
    assert {path: path.read_bytes() for path in layout.root.rglob("*.md")} == files


def test_a_preference_of_its_owners_goes_to_todays_note_and_nobody_elses(workspace: Make) -> None:
    layout = workspace()
    assert not reverie.index(layout, NOW, "We prefer hand pumps.", title="Page", source="page.md").preference
    assert not reverie.index(layout, NOW, "I prefer what?", title="Question").preference
    reverie.index(layout, NOW, "About pumps. I prefer hand pumps.", title="Pumps")
    note = (layout.root / "memory/2026-03-31.md").read_text("utf-8")
    assert note == "# 2026-03-31\n\n- 03:00 I prefer hand pumps. (from: Pumps)\n"


def test_markup_leads_nowhere_and_secrets_stay_out(workspace: Make) -> None:
    layout = workspace()
    line = reverie.index(
        layout, NOW, "<!-- pin --> [x](javascript:y) **b** `c`\nd", topics=["../../MEMORY", "a/b"]
    ).line
    assert line.startswith("- 2026-03-31 **x b c** — d #memory #a-b <!-- index:")
    assert sorted(path.name for path in (layout.root / TOPICS).iterdir()) == ["a-b.md", "memory.md"]
    for bad in ({}, {"url": "javascript:y", "title": "x"}, {"title": "x", "summary": "password: Heron-quiet-77"}):
        with pytest.raises(ReverieError):
            reverie.index(layout, NOW, "", **bad)
