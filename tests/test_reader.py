"""The reader: what a workspace states. Nothing is followed, nothing is guessed, and nothing takes long."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import NOW, Make, answering, end, memory_of, review, tonight
from reverie.archive.ledger import block_text, entry_of, read_ledger
from reverie.night import read_memory
from reverie.privacy.secrets import holds_secret
from reverie.text.markdown import blocks
from reverie.text.terms import key, plain
from reverie.workspace.layout import FileKind, layout_of
from reverie.workspace.read import read


def test_a_link_is_never_followed(workspace: Make) -> None:
    layout = workspace()
    os.symlink("/etc/passwd", layout.root / "memory/2026-03-29.md")
    assert read(layout).unread == {"memory/2026-03-29.md": "a link is not followed"}


def test_a_byte_order_mark_hides_no_heading(workspace: Make) -> None:
    assert read(workspace("\ufeff## A\n- x\n")).memory[0].headings == ("A",)


def test_system_is_a_word_in_memory(workspace: Make) -> None:
    assert len(tonight(workspace("## Setup\n- System: Debian 13\n- likes tea\n")).memory) == 2


def test_a_note_with_a_broken_byte_is_still_read(workspace: Make) -> None:
    layout = workspace()
    (layout.root / "memory/2026-03-30.md").write_bytes(b"- caf\xe9\n- tea\n")
    assert [line.statement.text for line in tonight(layout).notes] == ["caf�", "tea"]


def test_the_memory_of_claude_code_is_memory_and_gets_no_files_of_ours(tmp_path: Path) -> None:
    root = tmp_path / "claude"
    root.mkdir()
    (root / "MEMORY.md").write_text("- [Testing](feedback_testing.md) — how to test\n")
    (root / "feedback_testing.md").write_text(
        "---\nname: testing\ndescription: how\ntype: feedback\n---\n- use pytest\n- use nose\n"
    )
    layout = layout_of(root)
    snapshot = read_memory(layout)
    assert [file.kind for file in snapshot.files.values()] == [FileKind.MEMORY, FileKind.TOPIC]
    review(layout, NOW, answering(end("m3")))
    assert (root / "feedback_testing.md").read_text().endswith("---\n- use pytest\n")
    assert sorted(path.name for path in root.iterdir()) == ["MEMORY.md", "feedback_testing.md"]


def test_the_ledger_is_read_from_both_ends(workspace: Make) -> None:
    entries = [
        entry_of("- a\n---\nNote: not a field\nID: 7", "ended", "x:1", "why\nnot", NOW),
        entry_of("- b", "merged", "", "", NOW),
    ]
    text = block_text(entries) + "---\nID: 1\nUpdated: 2026-01-01 00:00\nEvent: re-emerged\n---\n"
    assert [(one.content, one.source, one.note) for one in read_ledger("\ufeff" + text.replace("\n", "\r\n"))] == [
        ("- a\n---\nNote: not a field\nID: 7", "x:1", "why not"),
        ("- b", "", ""),
    ]


def test_words_that_differ_in_a_sign_differ() -> None:
    assert len({key(words) for words in ("off below -5", "off below 5", "C++", "C#", "C")}) == 5
    assert key("**Tea**, please.") == key("tea please")


@pytest.mark.parametrize(
    "hostile",
    {
        "spaces below a row": lambda: list(blocks(["| a |\n", " " * 60_000 + "x\n"])),
        "a heading of spaces": lambda: list(blocks(["# a" + " " * 60_000 + "b\n"])),
        "managed starts": lambda: list(blocks(["<!-- dream start -->\n"] * 20_000)),
        "managed starts and headings": lambda: list(blocks(["<!-- dream start -->\n", "## a\n"] * 10_000)),
        "a long comment": lambda: list(blocks(["<!-- dream " + "a " * 60_000 + "\n"])),
        "brackets": lambda: plain("[" * 100_000),
        "comments": lambda: plain("-->" + "<!--" * 50_000),
        "letters behind password": lambda: holds_secret("password " + "a" * 100_000),
        "words behind password": lambda: holds_secret("password " + "a." * 50_000),
        "spaces behind password": lambda: holds_secret("password is" + " " * 100_000 + "x y"),
    }.values(),
)
def test_time_is_linear(hostile: Callable[[], object]) -> None:
    start = time.process_time()
    hostile()
    assert time.process_time() - start < 1.5


def test_topic_files_are_memory_too(workspace: Make) -> None:
    layout = workspace("- a\n", {"memory/user/tea.md": "---\nname: tea\n---\n- black\n- green\n"})
    review(layout, NOW, answering(end("m3")))
    assert (layout.root / "memory/user/tea.md").read_text() == "---\nname: tea\n---\n- black\n"
    assert memory_of(layout) == "- a\n"
