"""`dream-tools`: the flags of seed 000's script, the same answers, and right where the script was not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Make, memory_of
from reverie.store.undo import undo
from reverie.surfaces.tools import TOOLS, main
from reverie.workspace.layout import ACTIVE_DAYS, LEDGER, LEDGER_INDEX, REMOVED, Layout

Tools = Callable[..., tuple[int, str, str]]
BAKERY = "The bakery on Elm Street sells rye bread on Fridays"


@pytest.fixture
def layout(workspace: Make, monkeypatch: pytest.MonkeyPatch) -> Layout:
    made = workspace("# 我\n- 喜欢喝茶\n- likes tea\n")
    monkeypatch.setenv("OPENCLAW_WORKSPACE", str(made.root))
    monkeypatch.setenv("REVERIE_NOW", "2026-11-15T10:00")
    monkeypatch.setenv("PATH", "")
    return made


@pytest.fixture
def tools(layout: Layout, capsys: pytest.CaptureFixture[str]) -> Tools:
    def run(*words: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main([str(word) for word in words])
        return int(stop.value.code or 0), *capsys.readouterr()

    return run


def test_help_names_fourteen_flags_and_a_wrong_call_is_told(tools: Tools) -> None:
    assert len(TOOLS) == 14 and all(f"{flag} " in tools()[2] for flag in TOOLS)
    for words in (("--nothing",), ("--hash",), ("--hash", "a", "b"), ("--ledger-append", "1", "2", "3", "4", "5")):
        assert tools(*words)[:2] == (2, "")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("", "0 16000 18000 ok"), ("茶" * 6_000, "6000 16000 18000 ok"), ("x" * 16_000, "16000 16000 18000 ok"),
        ("🌙" * 8_001, "16002 16000 18000 warn"), ("é" * 18_001, "18001 16000 18000 critical"),
    ],
)  # fmt: skip
def test_the_size_is_counted_in_characters_and_has_three_words(
    layout: Layout, tools: Tools, text: str, answer: str
) -> None:
    (layout.root / "MEMORY.md").write_text(text, "utf-8")
    assert tools("--check-size") == (0, f"{answer}\n", "")


def test_idle_hash_days_and_init(layout: Layout, tools: Tools) -> None:
    assert tools("--check-idle") == (0, "idle\n", "")
    (layout.root / "memory/.dream_lock").write_text("")
    assert tools("--check-idle")[1] == "idle\n"  # the time is given, and the lock is younger than that time
    assert [tools("--hash", text)[1] for text in ("hello", "你好")] == ["5d41402a\n", "7eca689f\n"]
    assert [tools("--record-active-day")[1] for _ in range(2)] == ["ok\n", "ok\n"]
    assert layout.real(ACTIVE_DAYS).read_text() == '[\n  "2026-11-15"\n]\n'
    assert [tools("--active-days-since", day)[1] for day in ("2026-11-15", "2026-11-16")] == ["1\n", "0\n"]
    before = memory_of(layout)
    assert tools("--init")[1] == "ok\n" and memory_of(layout) == before and layout.real(LEDGER).exists()
    assert tools("--status")[1].startswith(
        "🌙 Dream Status — 2026-11-15 10:00\nMEMORY.md: 23 chars / 18,000 limit (0%)"
    )


def test_the_archive_takes_a_block_and_the_same_id_is_an_event(
    layout: Layout, tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tools("--ledger-append", "a3f8c201", "decision", "用 Obsidian，不用 Notion") == (0, "ok\n", "")
    monkeypatch.setenv("REVERIE_NOW", "2026-11-16T10:00")
    assert tools("--ledger-append", "a3f8c201", "[decision]", "用 Obsidian，不用 Notion", "once more") == (
        0,
        "ok\n",
        "",
    )
    block = "---\nID: a3f8c201\nArchived: 2026-11-15 10:00\nCategory: [decision]\nContent: 用 Obsidian，不用 Notion\nSource: \nNote: "
    assert (
        layout.real(LEDGER).read_text("utf-8")
        == f"{block}First archived\n---\n{block.replace('15 10', '16 10')}once more\n---\n"
    )
    (record,) = json.loads(layout.real(LEDGER_INDEX).read_text("utf-8"))
    assert record == {
        "id": "a3f8c201", "category": "decision", "summary": "用 Obsidian，不用 Notion", "first_archived": "2026-11-15 10:00",
        "last_updated": "2026-11-16 10:00", "status": "active", "events": [{"time": "2026-11-16 10:00", "note": "once more"}],
    }  # fmt: skip
    for words in (
        ("x y", "c", "text"),
        ("1", "c", " "),
        ("1", "c\nID: 2", "text"),
        ("1", "c", "the pin of the gate is 4711"),
    ):
        assert tools("--ledger-append", *words)[:2] == (10, "")


def test_a_search_sees_the_whole_archive_and_parts_of_chinese_words(layout: Layout, tools: Tools) -> None:
    long = "Chose the blue van because " + "it was nearer and " * 10 + "had the better hitch for the trailer"
    tools("--ledger-append", "11111111", "decision", long)
    tools("--ledger-append", "22222222", "贡献", "决定把笔记迁移到黑曜石，数据留在本地")
    assert tools("--ledger-search", "trailer HITCH") == (0, f"[11111111] 2026-11-15 [decision] {long}\n", "")
    assert (
        tools("--ledger-search", "黑曜石")[1] == "[22222222] 2026-11-15 [贡献] 决定把笔记迁移到黑曜石，数据留在本地\n"
    )
    assert tools("--ledger-search", "zebra") == (0, "", "")


def test_what_left_is_known_again_in_other_words_and_an_unrelated_sentence_is_not(layout: Layout, tools: Tools) -> None:
    assert tools("--record-removed", "33333333", BAKERY, "ab12")[1] == "ok\n"
    assert tools("--record-removed", "44444444", "每周五晚上和小林打羽毛球", "cd34")[1] == "ok\n"
    assert (
        tools("--check-reemergence", "On Fridays the bakery on Elm Street sells rye bread")[1]
        == f"matched 33333333 {BAKERY}\n"
    )
    assert tools("--check-reemergence", "每周五晚上和小林打羽毛球")[1].startswith("matched 44444444 ")
    assert tools("--check-reemergence", "The van on Elm Street is blue")[1] == "no-match\n"
    assert tools("--ledger-mark-reemergence", "33333333")[0] == 18
    tools("--ledger-append", "33333333", "completed", BAKERY)
    assert tools("--ledger-mark-reemergence", "33333333")[1] == "ok\n"
    assert "Updated: 2026-11-15 10:00\nEvent: re-emerged\nNote: said again\n---\n" in layout.real(LEDGER).read_text()
    (record,) = json.loads(layout.real(LEDGER_INDEX).read_text())
    assert record["status"] == "re-emerged" and [r["id"] for r in json.loads(layout.real(REMOVED).read_text())] == [
        "44444444"
    ]


def test_a_new_memory_is_written_whole_what_it_loses_is_archived_and_undo_brings_it_back(
    layout: Layout, tools: Tools
) -> None:
    fresh = layout.root / "fresh.tmp"
    fresh.write_bytes("# 我\r\n- likes coffee\r\n".encode())
    before = memory_of(layout)
    assert tools("--atomic-write", "MEMORY.md", fresh) == (0, "ok\n", "")
    assert (memory_of(layout), fresh.exists()) == ("# 我\r\n- likes coffee\r\n", False)
    assert tools("--ledger-search", "tea")[1].endswith("[replaced] - likes tea\n")
    undo(layout, __import__("conftest").NOW)
    assert memory_of(layout) == before


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("MEMORY.md", ""), ("MEMORY.md", "x" * 18_001), ("MEMORY.md", "a\0b"), ("MEMORY.md", "# 我\n- likes tea\n"),
        ("MEMORY.md", "- 📌 NEVER\n- the pin of the gate is 4711\n"), ("../out.md", "x\n"), ("memory/2026-03-30.md", "x\n"),
    ],
)  # fmt: skip
def test_what_may_not_be_written_changes_nothing(layout: Layout, tools: Tools, target: str, text: str) -> None:
    (layout.root / "MEMORY.md").write_text("# 我\n- 📌 NEVER\n- likes tea\n", "utf-8")
    fresh = layout.root / "fresh.tmp"
    fresh.write_text(text, "utf-8")
    code, out, _ = tools("--atomic-write", target, fresh)
    assert (code in (10, 14), out, fresh.read_text("utf-8")) == (True, "", text)
    assert memory_of(layout) == "# 我\n- 📌 NEVER\n- likes tea\n" and not (layout.root.parent / "out.md").exists()
    assert tools("--atomic-write", "MEMORY.md", layout.root / "missing")[0] == 15


def test_the_index_says_whether_it_has_something(layout: Layout, tools: Tools) -> None:
    index = Path("dream-vault/obsidian-index/_index.md")
    (layout.root / index).parent.mkdir(parents=True)
    tools("--hash", "x")
    line = "- 2026-11-15 [A page](https://example.org/page) — words <!-- index:0123abcd -->\n"
    (layout.root / index).write_text(line)
    answers = [
        tools("--dedup-index", what)[1] for what in ("0123abcd", "89abcdef", "A page", "https://example.org/other")
    ]
    assert answers == ["exists\n", "new\n", "exists\n", "new\n"]
