"""Which folders are somebody's memory, and that one which fails stops nobody else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reverie.apply.folders import keep_in_mind
from reverie.core.errors import Busy
from reverie.core.settings import Settings
from reverie.night.workspaces import FoundWorkspace, WorkspaceOutcome, discover, over_all
from reverie.workspace.settings_files import folders_file


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in (".openclaw/workspace", ".openclaw/workspace-scribe", "agents/ops", "notes"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path


def found(home: Path, *named: str, **environ: str) -> list[tuple[str, str, str]]:
    seen = discover({"HOME": str(home), **environ}, Settings(workspaces=named))
    return [(str(one.root.relative_to(home)), one.label, one.source) for one in seen]


def openclaw(home: Path, text: str) -> None:
    (home / ".openclaw/openclaw.json").write_text(text, "utf-8")


def test_without_any_settings_the_hosts_default_is_found(home: Path) -> None:
    assert found(home) == [(".openclaw/workspace", "main", "openclaw")]


def test_every_agent_has_its_workspace_and_comments_do_not_matter(home: Path) -> None:
    openclaw(
        home,
        """{ // as people write it
          agents: { defaults: { workspace: "~/.openclaw/workspace" }, list: [
            { id: "main" }, { id: "scribe" }, { id: "ops", workspace: "~/agents/ops" }, { id: "gone", workspace: "~/nowhere" }, 7, ] } }""",
    )

    assert found(home) == [
        (".openclaw/workspace", "main", "openclaw"),
        (".openclaw/workspace-scribe", "scribe", "openclaw"),
        ("agents/ops", "ops", "openclaw"),
    ]


def test_the_same_real_folder_is_found_once(home: Path) -> None:
    (home / "link").symlink_to(home / "agents/ops")
    agents = [
        {"id": "a", "workspace": str(home / "link")},
        {"id": "b", "workspace": str(home / "agents/../agents/ops")},
    ]
    openclaw(home, json.dumps({"agents": {"list": agents}}))

    assert found(home, "~/agents/ops") == [
        ("agents/ops", "ops", "settings"),
        (".openclaw/workspace", "main", "openclaw"),
    ]


def test_project_memories_of_claude_code_that_hold_a_note_are_found(home: Path) -> None:
    (home / ".claude/projects/-home-me-shop/memory").mkdir(parents=True)
    (home / ".claude/projects/-home-me-shop/memory/MEMORY.md").write_text("- 喜欢喝茶\n")
    (home / ".claude/projects/-home-me-empty/memory").mkdir(parents=True)
    (home / ".claude/projects/stray.jsonl").write_text("{}")

    assert found(home)[1:] == [(".claude/projects/-home-me-shop/memory", "home-me-shop", "claude-code")]


def test_a_folder_named_without_a_place_is_not_guessed(home: Path) -> None:
    assert found(home, "notes", "", "~/notes") == [
        ("notes", "notes", "settings"),
        (".openclaw/workspace", "main", "openclaw"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{\n  agents: {\n    defaults: oops }\n}",
        '{"agents": 3}',
        '{"agents": {"list": {"id": "x"}, "defaults": {"workspace": 5}}}',
    ],
)
def test_a_host_file_of_another_shape_or_none_at_all_says_nothing(home: Path, text: str) -> None:
    openclaw(home, text)

    assert found(home) == [(".openclaw/workspace", "main", "openclaw")]


def test_one_that_fails_never_stops_the_others() -> None:
    four = [FoundWorkspace(Path(name), name, "settings") for name in ("a", "busy", "broken", "d")]

    def do(one: FoundWorkspace) -> str:
        if one.label == "busy":
            raise Busy("another dream")
        return one.label.upper() if one.label != "broken" else str(1 // 0)

    outcomes = over_all(four, do)

    assert [(one.value, one.kind, one.exit_code) for one in outcomes] == [
        ("A", "", 0),
        (None, "Busy", 6),
        (None, "ZeroDivisionError", 1),
        ("D", "", 0),
    ]
    assert [one.failed for one in outcomes] == [False, True, True, False]
    assert outcomes[0] == WorkspaceOutcome(four[0], "A")


def test_a_folder_of_nobody_is_found_once_its_nights_were_asked_for(home: Path) -> None:
    environ = {"HOME": str(home)}
    keep_in_mind(home / "agents/ops", environ, nights=False)
    keep_in_mind(home / "notes", environ, nights=True)
    with open(folders_file(environ), "a", encoding="utf-8") as file:
        file.write('{"folder": 7}\n{"torn')

    assert found(home) == [(".openclaw/workspace", "main", "openclaw"), ("notes", "notes", "asked")]
