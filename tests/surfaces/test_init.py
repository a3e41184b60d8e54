"""The first day: a vault, and MEMORY.md from five answers where there is none."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from conftest import Build, tree
from reverie.core.errors import RefusedPlan
from reverie.core.ports import FixedClock
from reverie.core.settings import Memory, Settings
from reverie.night import commands
from terminal import DREAM, call

NOW = ("--now", "2026-11-15T03:00:00+01:00")
FLAGS = (
    "--tools",
    "a lathe",
    "--environment",
    "a shed",
    "--project",
    "a boat",
    "--values",
    "honesty",
    "--people",
    "Bob",
)
FIRST = """# Long-Term Memory

## Current State
<!-- Active projects, unresolved decisions, recent important changes -->
- **Most important project:** a boat

## Stable Knowledge
<!-- Tech stack, work environment, decision style, core preferences, validated judgements -->
- **Tools:** a lathe
- **Work environment:** a shed
- **Core values:** honesty

## Relationships & Context
<!-- Important people, ongoing collaborations, key external context -->
- **Key people:** Bob

## Dream
<!-- Kept by Reverie: the last five entries of the permanent archive. Do not edit by hand -->
"""
VAULT = {
    "dream-vault/ledger.md": b"# Ledger\n\n",
    "dream-vault/ledger-index.json": b"[]\n",
    "dream-vault/meta/removed-entries.json": b"[]\n",
    "dream-vault/meta/active-days.json": b"[]\n",
    "dream-vault/meta/dream-state.txt": b"active\n",
    "dream-vault/obsidian-index/_index.md": b"# Content index\n\n",
}


def test_the_answers_come_from_flags(tmp_path: Path) -> None:
    assert call("init", "--workspace", tmp_path, *FLAGS, *NOW).code == 0

    assert tree(tmp_path) == {"MEMORY.md": FIRST.encode(), **VAULT}


def test_the_answers_come_from_standard_input(tmp_path: Path) -> None:
    call("init", "--workspace", tmp_path, *NOW, stdin="a lathe\na shed\na boat\nhonesty\nBob\n")

    assert (tmp_path / "MEMORY.md").read_text() == FIRST


def test_on_a_terminal_what_is_missing_is_asked(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    command = [DREAM, "init", "--workspace", str(tmp_path), *FLAGS[:6], *NOW]
    with subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        os.close(theirs)
        os.write(ours, b"honesty\nBob\n")
        out, err = process.communicate(timeout=20)
    os.close(ours)

    assert (process.returncode, (tmp_path / "MEMORY.md").read_text()) == (0, FIRST), out + err
    assert "Which judgements and values guide you?" in err and "Which tools do you prefer?" not in err


def test_no_answers_are_an_answer(tmp_path: Path) -> None:
    call("init", "--workspace", tmp_path, *NOW)

    kept = [line for line in FIRST.split("\n") if not line.startswith("- **")]
    assert (tmp_path / "MEMORY.md").read_text() == "\n".join(kept)


def test_an_answer_of_several_lines_becomes_a_list(build: Build, clock: FixedClock) -> None:
    workspace = build({})

    commands.init(workspace, clock, {"tools": "a lathe\n\n  a   plane\n"})

    assert "- **Tools:**\n  - a lathe\n  - a plane\n" in (workspace.root / "MEMORY.md").read_text()


@pytest.mark.parametrize("memory", [b"# mine\r\n- \xff, no newline", b"\xef\xbb\xbf- x", b"x"])
@pytest.mark.parametrize("name", ["MEMORY.md", "memory.md"])
def test_an_existing_memory_is_untouched_byte_for_byte(
    build: Build, clock: FixedClock, name: str, memory: bytes
) -> None:
    workspace = build({name: memory, "memory/2026-11-14.md": "- walked\n"})

    commands.init(workspace, clock, {"tools": "a lathe"})

    assert tree(workspace.root) == {name: memory, "memory/2026-11-14.md": b"- walked\n", **VAULT}


@pytest.mark.parametrize(
    ("memory", "start"), [(b"", b"# Long"), (b"\n \n", b"# Long"), (b"\xef\xbb\xbf\r\n", b"\xef\xbb\xbf# Long")]
)
def test_an_empty_memory_is_filled_in_its_own_style(
    build: Build, clock: FixedClock, memory: bytes, start: bytes
) -> None:
    workspace = build({"MEMORY.md": memory})

    commands.init(workspace, clock, {})
    now = (workspace.root / "MEMORY.md").read_bytes()

    assert now.startswith(start) and (b"\r\n" in now) == (b"\r\n" in memory)


def test_twice_changes_nothing(tmp_path: Path) -> None:
    call("init", "--workspace", tmp_path, *FLAGS, *NOW)
    before = tree(tmp_path, without=())

    done = call("init", "--workspace", tmp_path, "--tools", "something else", *NOW)

    assert done.out.startswith(f"Everything is there already in {tmp_path}; nothing was changed.\n")
    assert tree(tmp_path, without=()) == before


def test_an_existing_archive_is_left_alone(build: Build, clock: FixedClock) -> None:
    workspace = build({"dream-vault/ledger.md": "mine", "dream-vault/meta/dream-state.txt": "hibernating"})

    commands.init(workspace, clock, {})

    assert (workspace.vault / "ledger.md").read_text() == "mine"
    assert (workspace.vault / "meta/dream-state.txt").read_text() == "hibernating"


@pytest.mark.parametrize("answer", ["password = Abc12345x", "ghp_" + "Ab1" * 12, "key is ***"])
def test_a_secret_in_an_answer_is_refused_and_nothing_is_written(build: Build, clock: FixedClock, answer: str) -> None:
    workspace = build({})

    with pytest.raises(RefusedPlan, match="nothing_secret_enters") as refused:
        commands.init(workspace, clock, {"tools": answer})

    assert tree(workspace.root) == {} and (answer not in str(refused.value) or "***" in answer)


def test_init_can_be_undone(tmp_path: Path) -> None:
    call("init", "--workspace", tmp_path, *FLAGS, *NOW)

    call("undo", "--workspace", tmp_path, *NOW)

    assert tree(tmp_path) == {}


def test_a_memory_over_its_limit_does_not_keep_the_vault_from_being_made(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": "- fact\n" * 500}, Settings(memory=Memory(truncation=1000)))

    assert commands.init(workspace, clock, {}).run


@pytest.mark.parametrize("named", [("--workspace", "new/deep"), ()])
def test_a_folder_that_was_named_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)

    done = call("init", *named, *FLAGS, *NOW, OPENCLAW_WORKSPACE="" if named else "new/deep")

    assert (done.code, (tmp_path / "new/deep/MEMORY.md").read_text()) == (0, FIRST)


def test_a_tilde_means_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    call("init", *FLAGS, *NOW, OPENCLAW_WORKSPACE="~/agent")

    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("MEMORY.md")] == ["home/agent/MEMORY.md"]


def test_where_nobody_named_a_folder_it_is_this_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert (call("init", *NOW, *FLAGS).code, (tmp_path / "MEMORY.md").read_text()) == (0, FIRST)


@pytest.mark.parametrize("words", [("init",), ("integrate", "codex", "--yes")])
def test_what_claude_code_has_not_begun_is_not_begun_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    theirs = Path(os.environ["HOME"]) / ".claude" / "projects"
    theirs.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)

    assert call(*words).code == 0

    assert (tmp_path / "MEMORY.md").exists() and list(theirs.rglob("*")) == []


def test_the_first_night_after_init_fills_the_dream_section(build: Build, clock: FixedClock) -> None:
    workspace = build({})
    commands.init(workspace, clock, {"tools": "a lathe"})
    path = workspace.root / "MEMORY.md"
    path.write_text(path.read_text().replace("## Dream", "- likes tea\n- likes tea\n\n## Dream"))

    commands.review(workspace, clock)

    assert path.read_text().endswith("hand -->\n- 2026-11-15 [duplicate] likes tea <!-- dream:77b568c4 -->\n")


def test_a_chinese_newcomer_gets_a_chinese_memory_and_nights_find_its_sections(tmp_path: Path) -> None:
    where = ("--workspace", tmp_path, *NOW)
    call("init", *where, *FLAGS, LC_ALL="zh_CN.UTF-8")
    memory = (tmp_path / "MEMORY.md").read_text("utf-8")

    assert memory.startswith("# 长期记忆\n\n## 当前状态\n<!-- 进行中的项目")
    assert "- **工具:** a lathe" in memory and "## Dream\n<!-- 由 Reverie 维护" in memory
    assert "Stable" not in memory and "Kept by" not in memory


def test_the_first_lines_of_a_night_stand_in_sections_of_the_language_that_is_spoken(build: Build) -> None:
    workspace = build(
        {"memory/2026-11-14.md": "- 我们决定账单数据库使用 Postgres 16\n", "reverie.toml": 'language = "zh"\n'}
    )
    where = ("--workspace", workspace.root, *NOW)
    call("review", *where)
    (card, *_) = json.loads(call("suggestions", "--json", *where).out)["suggestions"]

    assert call("suggestions", "--yes", card["id"], *where).code == 0
    assert "## 稳定知识\n<!-- 技术栈" in (workspace.root / "MEMORY.md").read_text("utf-8")
    assert call("review", *where).code == 0
