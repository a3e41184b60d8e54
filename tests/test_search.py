"""Search: memory, notes and the archive by their words; nothing secret, nothing that is not there."""

from __future__ import annotations

from conftest import NOW, Make, answering, end, write
from reverie.night import review
from reverie.search import index
from reverie.workspace.layout import Layout
from reverie.workspace.read import read


def asked(layout: Layout, question: str) -> list[str]:
    with index.open_index(layout) as db:
        index.update(db, read(layout))
        return [hit.text for hit in index.search(db, question)]


def test_the_archive_is_found(workspace: Make) -> None:
    layout = workspace("## A\n- Anna likes Obsidian\n- b\n")
    review(layout, NOW, answering(end("m1")))
    assert asked(layout, "Obsidian") == ["- Anna likes Obsidian"]


def test_a_hit_shows_what_was_indexed_however_old_the_snapshot(workspace: Make) -> None:
    layout = workspace("## A\n- zebra\n")
    old = read(layout)
    write(layout, "MEMORY.md", "## A\n- p\n- q\n- zebra\n")
    with index.open_index(layout) as db:
        index.update(db, read(layout))
        assert [(hit.place, hit.text) for hit in index.search(db, "zebra")] == [("MEMORY.md:4", "zebra")]
        index.update(db, old)
        assert [hit.place for hit in index.search(db, "zebra")] == ["MEMORY.md:2"]


def test_the_index_lies_in_the_cache_and_holds_no_secret(workspace: Make) -> None:
    layout = workspace("## A\n- wifi password: Moor-88x!\n- tea\n")
    assert asked(layout, "wifi tea") == ["tea"]
    assert not (layout.root / "memory/.dreams").exists()
    folder = index.index_path(layout).parent
    assert all(b"Moor-88x" not in path.read_bytes() for path in folder.iterdir())


def test_a_damaged_or_newer_index_is_made_anew(workspace: Make) -> None:
    layout = workspace("## A\n- zebra\n")
    assert asked(layout, "zebra")
    index.index_path(layout).write_bytes(b"no database at all" * 100)
    assert asked(layout, "zebra") == ["zebra"]
    with index.open_index(layout) as db:
        db.execute("PRAGMA user_version=99")
    assert asked(layout, "zebra") == ["zebra"]


def test_any_question_is_a_question(workspace: Make) -> None:
    layout = workspace("## A\n- web-03.local runs 门禁密码\n")
    for question in ('"', "AND OR NOT", "web-03.local", "a:b", "*", "", "禁密"):
        asked(layout, question)
    assert asked(layout, "web-03.local")
