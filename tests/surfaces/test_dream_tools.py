"""`dream-tools`: seed 000's fourteen flags, the same answers, and right where the script was not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from conftest import tree
from reverie.core.errors import RefusedFile
from reverie.core.ports import fixed
from reverie.features.tools import layout_path
from reverie.night import commands
from reverie.surfaces.tools import TOOLS, main
from reverie.workspace.values import Workspace

NOW = "2026-11-15T10:00:00+01:00"
CLOCK = fixed(NOW)


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str


class Tools:
    """The script in this process, in one workspace."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root, self.vault, self._capsys = root, root / "dream-vault", capsys

    def __call__(self, *args: str | Path) -> Said:
        code = 0
        try:
            main([str(arg) for arg in args])
        except SystemExit as stop:
            code = int(stop.code or 0)
        heard = self._capsys.readouterr()
        return Said(code, heard.out, heard.err)

    def json(self, path: str) -> list[dict[str, object]]:
        found = json.loads((self.vault / path).read_text("utf-8"))
        assert isinstance(found, list)
        return found


@pytest.fixture
def tools(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Tools:
    root = tmp_path / "agent"
    root.mkdir()
    (root / "MEMORY.md").write_text("# 我\n- 喜欢喝茶\n- likes tea\n", "utf-8")
    monkeypatch.setenv("OPENCLAW_WORKSPACE", str(root))
    monkeypatch.setenv("REVERIE_NOW", NOW)
    return Tools(root, capsys)


def test_there_are_fourteen_of_them_and_help_names_each(tools: Tools) -> None:
    assert len(TOOLS) == 14
    assert all(f"  {flag} " in tools("--help").out for flag in TOOLS)


def test_the_document_tells_the_same_flags() -> None:
    page = (Path(__file__).parents[2] / "docs/internals/scripting.md").read_text("utf-8")

    assert re.findall(r"^\| `(--[a-z-]+)", page.partition("## `dream-tools`")[2].partition("\n## ")[0], re.M) == list(
        TOOLS
    )


def test_the_size_is_counted_in_characters_not_in_bytes(tools: Tools) -> None:
    (tools.root / "MEMORY.md").write_text("茶" * 6_000, "utf-8")  # 18,000 bytes

    assert tools("--check-size").out == "6000 16000 18000 ok\n"


@pytest.mark.parametrize(("size", "word"), [(0, "ok"), (16_000, "ok"), (16_001, "warn"), (18_001, "critical")])
def test_the_size_has_three_words(tools: Tools, size: int, word: str) -> None:
    (tools.root / "MEMORY.md").write_text("x" * size)

    assert tools("--check-size").out == f"{size} 16000 18000 {word}\n"


def test_a_hash_is_the_start_of_the_md5(tools: Tools) -> None:
    assert tools("--hash", "hello").out == "5d41402a\n"
    assert tools("--hash", "你好").out == "7eca689f\n"


def test_the_archive_takes_a_block_and_its_index_follows(tools: Tools) -> None:
    assert tools("--ledger-append", "a3f8c201", "decision", "用 Obsidian，不用 Notion").out == "ok\n"
    assert tools("--ledger-append", "a3f8c201", "decision", "用 Obsidian，不用 Notion", "once more").out == "ok\n"

    text = (tools.vault / "ledger.md").read_text("utf-8")
    assert "ID: a3f8c201\nArchived: 2026-11-15 10:00\nCategory: [decision]\nContent: 用 Obsidian，不用 Notion\n" in text
    assert "Note: First archived\n---\n" in text and "Note: once more\n---\n" in text
    (record,) = tools.json("ledger-index.json")
    assert (record["id"], record["status"], len(record["events"])) == ("a3f8c201", "active", 2)  # type: ignore[arg-type]


def test_a_search_sees_the_whole_archive_and_parts_of_chinese_words(tools: Tools) -> None:
    long = "Chose the blue van because " + "it was nearer and " * 10 + "had the better hitch for the trailer"
    tools("--ledger-append", "11111111", "decision", long)
    tools("--ledger-append", "22222222", "贡献", "决定把笔记迁移到黑曜石，数据留在本地")

    assert tools("--ledger-search", "trailer hitch").out == f"[11111111] 2026-11-15 [decision] {long}\n"
    assert tools("--ledger-search", "黑曜石").out.startswith("[22222222] 2026-11-15 [贡献] ")
    assert tools("--ledger-search", "zebra") == Said(0, "", "")


def test_what_left_comes_back_only_when_it_is_said_again(tools: Tools) -> None:
    tools("--ledger-append", "33333333", "completed", "- The bakery on Elm Street sells rye bread on Fridays")
    tools("--record-removed", "33333333", "The bakery on Elm Street sells rye bread on Fridays", "ab12")
    tools("--record-removed", "44444444", "每周五晚上和小林打羽毛球", "cd34")

    again = tools("--check-reemergence", "The little bakery on Elm Street still sells rye bread on Fridays").out
    assert again == "matched 33333333 The bakery on Elm Street sells rye bread on Fridays\n"
    assert tools("--check-reemergence", "每周五晚上和小林打羽毛球。").out.startswith("matched 44444444 ")
    # the script matched any of the first five words
    assert tools("--check-reemergence", "The bakery where my sister works is hiring").out == "no-match\n"
    assert tools("--check-reemergence", "每周五交周报").out == "no-match\n"


def test_a_return_is_told_in_three_places(tools: Tools) -> None:
    tools("--ledger-append", "55555555", "completed", "ski trip to Tyrol")
    tools("--record-removed", "55555555", "ski trip to Tyrol", "ef56")

    assert tools("--ledger-mark-reemergence", "55555555").out == "ok\n"

    assert (
        "ID: 55555555\nUpdated: 2026-11-15 10:00\nEvent: re-emerged\nNote: " in (tools.vault / "ledger.md").read_text()
    )
    assert tools.json("ledger-index.json")[0]["status"] == "re-emerged"
    assert tools.json("meta/removed-entries.json")[0]["reemergence_count"] == 1
    assert tools("--ledger-mark-reemergence", "99999999").code == 14


def test_active_days_are_a_sorted_set(tools: Tools) -> None:
    (tools.vault / "meta").mkdir(parents=True)
    (tools.vault / "meta/active-days.json").write_text('["2026-11-20", "2026-11-01", "2026-11-10"]')

    for _ in range(2):
        assert tools("--record-active-day").out == "ok\n"

    assert tools.json("meta/active-days.json") == ["2026-11-01", "2026-11-10", "2026-11-15", "2026-11-20"]
    assert tools("--active-days-since", "2026-11-10").out == "3\n"
    assert tools("--active-days-since", "soon").code == 14


def test_the_content_index_knows_a_link_whatever_its_slash(tools: Tools) -> None:
    workspace = Workspace(tools.root, tools.vault)
    item, _ = commands.index_content(workspace, CLOCK, "https://example.org/Notes An essay on notes")

    assert tools("--dedup-index", "https://EXAMPLE.org/Notes/").out == "exists\n"
    assert tools("--dedup-index", item.id).out == "exists\n"
    assert tools("--dedup-index", "https://example.org/notes").out == "new\n"
    assert tools("--dedup-index", "00000000").out == "new\n"


def test_init_and_status_answer_in_any_folder(tools: Tools) -> None:
    assert tools("--init").out == "ok\n"
    assert (tools.vault / "meta/dream-state.txt").read_text() == "active\n"
    assert tools("--status").out.startswith("🌙 Dream Status — 2026-11-15 10:00\n")


def fresh(tools: Tools, text: str) -> Path:
    path = tools.root / "new.tmp"
    path.write_text(text, "utf-8")
    return path


def test_a_new_memory_takes_the_old_ones_place_and_nothing_is_lost(tools: Tools) -> None:
    assert tools("--atomic-write", "MEMORY.md", fresh(tools, "# 我\n- likes coffee\n")).out == "ok\n"

    assert (tools.root / "MEMORY.md").read_text("utf-8") == "# 我\n- likes coffee\n"
    assert "Content: - 喜欢喝茶\n- likes tea\n" in (tools.vault / "ledger.md").read_text("utf-8")
    assert not (tools.root / "new.tmp").exists()


def test_it_can_be_taken_back_byte_for_byte(tools: Tools) -> None:
    before = tree(tools.root)
    tools("--atomic-write", tools.root / "MEMORY.md", fresh(tools, "# other\n"))

    commands.undo(Workspace(tools.root, tools.vault), CLOCK)

    assert tree(tools.root) == before


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x" * 18_001, 5),  # over the limit
        ("茶" * 18_001, 5),
        (" \n", 14),  # nothing
        ("# 我\n- key: ghp_" + "Ab1" * 12 + "\n", 4),  # a secret
    ],
)
def test_what_is_refused_leaves_both_files(tools: Tools, text: str, code: int) -> None:
    source = fresh(tools, text)
    before = tree(tools.root)

    assert tools("--atomic-write", "MEMORY.md", source).code == code
    assert tree(tools.root) == before


def test_a_pin_cannot_be_lost(tools: Tools) -> None:
    (tools.root / "MEMORY.md").write_text("# Me\n- 📌 allergic to nuts\n")

    assert tools("--atomic-write", "MEMORY.md", fresh(tools, "# Me\n- fine\n")).code == 4


def test_no_path_leads_outside(tools: Tools, tmp_path: Path) -> None:
    workspace = Workspace(tools.root, tools.vault)
    (tmp_path / "elsewhere").mkdir()
    (tools.root / "link").symlink_to(tmp_path / "elsewhere")

    assert layout_path(workspace, "dream-vault/ledger.md") == "vault:ledger.md"
    for target in ("../elsewhere/MEMORY.md", "link/MEMORY.md", str(tmp_path / "MEMORY.md")):
        with pytest.raises(RefusedFile):
            layout_path(workspace, target)
    assert tools("--atomic-write", "memory/2026-11-15.md", fresh(tools, "- not yours\n")).code == 4


@pytest.mark.parametrize(
    "args", [("--hash",), ("--hash", "a", "b"), ("--nonsense",), ("hello",), ("--ledger-append", "a", "b")]
)
def test_a_wrong_call_is_told(tools: Tools, args: tuple[str, ...]) -> None:
    said = tools(*args)

    assert said.code == 2
    assert "`dream-tools --help` lists them." in said.err


@pytest.mark.parametrize("its_id", ["a b", "", "../x", "a\nID: b"])
def test_an_id_is_one_word(tools: Tools, its_id: str) -> None:
    assert tools("--ledger-append", its_id, "x", "content of it").code == 14


def test_many_scripts_at_once_lose_nothing(tools: Tools) -> None:
    call = [sys.executable, "-c", "from reverie.surfaces.tools import main; main()", "--ledger-append"]
    running = [
        subprocess.Popen([*call, f"id-{n}", "note", f"entry number {n}"], stdout=subprocess.PIPE) for n in range(8)
    ]

    for one in running:
        assert one.communicate()[0] == b"ok\n"
    assert {record["id"] for record in tools.json("ledger-index.json")} == {f"id-{n}" for n in range(8)}


def test_whether_the_agent_is_busy(tools: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = tmp_path / "bin" / "openclaw"
    command.parent.mkdir()
    monkeypatch.setenv("PATH", f"{command.parent}:/usr/bin:/bin")

    def says(word: str) -> str:
        command.write_text(f"#!/bin/sh\necho 'status: {word}'\n")
        command.chmod(0o755)
        return tools("--check-idle").out

    assert says("active") == "busy\n"
    assert says("inactive") == "idle\n", "the script read this as busy"
