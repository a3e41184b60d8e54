"""`dream index`: each page once, newest first, and an undo takes it out again."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

import reverie
from conftest import NOW, Make
from reverie.errors import ReverieError
from reverie.store.disk import Disk
from reverie.workspace.layout import Layout

INDEX, TOPICS = "dream-vault/obsidian-index/_index.md", "dream-vault/obsidian-index/topics"
PAGE = """\
# Pumps for small boats

A valve pump keeps a boat dry. It needs no power. See https://example.org/pumps/(small) for more. #boats
Small pumps clog.
"""
LINE = "- 2026-03-31 [Pumps for small boats](https://example.org/pumps/(small)) (page.md) — A valve pump keeps a boat dry. #boats #pumps #small <!-- index:{} -->"


def text(layout: Layout, path: str) -> str:
    real = layout.root / path
    return real.read_bytes().decode() if real.exists() else ""


def test_a_page_gets_a_line_in_the_index_and_in_each_of_its_topics(workspace: Make) -> None:
    layout = workspace()
    line = reverie.index(layout, NOW, PAGE, source="page.md").line
    assert line.startswith(LINE.partition("{")[0])
    assert text(layout, INDEX) == f"# Content index\n\n{line}\n"
    assert text(layout, f"{TOPICS}/boats.md") == f"# boats\n\n{line}\n"
    assert reverie.status(layout, NOW).indexed == 1


def test_the_same_address_or_title_is_indexed_once(workspace: Make) -> None:
    layout = workspace()
    reverie.index(layout, NOW, PAGE)
    before = text(layout, INDEX)
    for again in ("HTTPS://EXAMPLE.org/pumps/(small)/", "pumps for SMALL boats"):
        assert reverie.index(layout, NOW + timedelta(days=1), again, title="" if "org" in again else again).run is None
    assert text(layout, INDEX) == before
    assert reverie.index(layout, NOW, "x", title="Pumps for small boats", url="https://example.net/pumps").run


def test_the_newest_stands_first_and_line_ends_stay(workspace: Make) -> None:
    layout = workspace(files={INDEX: "\ufeff# Mine\r\n\r\n- 2026-03-20 **Old** — old\r\nmy own words"})
    for title, day in (("New", None), ("Between", date(2026, 3, 25)), ("Oldest", date(2026, 3, 1))):
        reverie.index(layout, NOW, "Something said.", title=title, day=day)
    lines = text(layout, INDEX).split("\r\n")
    assert [line.partition(" — ")[0] for line in lines] == [
        "\ufeff# Mine", "", "- 2026-03-31 **New**", "- 2026-03-25 **Between**", "- 2026-03-20 **Old**", "my own words",
        "- 2026-03-01 **Oldest**", "",
    ]  # fmt: skip


def test_an_undo_takes_it_out_to_the_byte_and_archives_nothing(workspace: Make) -> None:
    layout = workspace(files={INDEX: "# Mine\n\n- 2026-03-20 **Old** — old"})
    files = {path: path.read_bytes() for path in layout.root.rglob("*.md")}
    run = reverie.index(layout, NOW, "I prefer hand pumps. They need no power.", topics=["boats"]).run
    assert run and run.changes
    reverie.undo(layout, NOW)
    assert {path: path.read_bytes() for path in layout.root.rglob("*.md")} == files


def test_a_preference_of_the_owners_goes_to_todays_note_and_nobody_elses(workspace: Make) -> None:
    layout = workspace()
    assert reverie.index(layout, NOW, "We prefer hand pumps.", title="Page", source="page.md").preference == ""
    assert reverie.index(layout, NOW, "I prefer what?", title="Question").preference == ""
    reverie.index(layout, NOW, "About pumps. I prefer hand pumps.", title="Pumps")
    assert text(layout, "memory/2026-03-31.md") == "# 2026-03-31\n\n- 03:00 I prefer hand pumps. (from: Pumps)\n"


def test_markup_leads_nowhere_and_secrets_stay_out(workspace: Make) -> None:
    layout = workspace()
    line = reverie.index(
        layout, NOW, "<!-- pin --> [x](javascript:y) **b** `c`\nd", topics=["../../MEMORY", "a/b"]
    ).line
    assert line.startswith("- 2026-03-31 **x b c** — d #MEMORY".replace("MEMORY", "memory")) and line.count("<!--") == 1
    assert sorted(path.name for path in (layout.root / TOPICS).iterdir()) == ["a-b.md", "memory.md"]
    for bad in ({"text": ""}, {"text": "x", "url": "javascript:y"},
                {"text": "x", "summary": "password: Heron-quiet-77"}):  # fmt: skip
        with pytest.raises(ReverieError):
            reverie.index(layout, NOW, **bad)  # type: ignore[arg-type]


def test_a_full_disk_leaves_nothing_behind(workspace: Make) -> None:
    class Full(Disk):
        def create(self, path, data, like=None, *, private=True):  # type: ignore[no-untyped-def]
            if "boats" in path.name:
                raise OSError(28, "No space left on device", str(path))
            super().create(path, data, like, private=private)

    layout = workspace()
    with pytest.raises(ReverieError):
        reverie.index(layout, NOW, PAGE, disk=Full())
    assert not [path for path in (layout.root / "dream-vault").rglob("*") if path.is_file()]
