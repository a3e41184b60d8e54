"""The house: imports go downwards only, and a command says its errors in a sentence."""

from __future__ import annotations

import ast
from pathlib import Path

from click.testing import CliRunner
from reverie.cli import cli, main

import reverie
from conftest import ABC, Make, memory_of

FLOORS = [
    "errors",
    "text",
    "privacy",
    "operations",
    "settings",
    "workspace",
    "archive",
    "search",
    "judge",
    "plan",
    "store",
    "night",
    "cli",
]
SOURCE = Path(reverie.__file__).parent if reverie.__file__ else Path()


def test_imports_go_downwards_only() -> None:
    for path in SOURCE.rglob("*.py"):
        here = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("reverie."):
                room = str(node.module).split(".")[1]
                assert FLOORS.index(room) <= FLOORS.index(here), f"{path.name} imports {node.module}"


def test_the_command_reviews_asks_undoes_and_finds(workspace: Make) -> None:
    layout = workspace(ABC + "- a1\n")
    run = CliRunner()

    def dream(*args: str, text: str = "") -> str:
        result = run.invoke(cli, ["-w", str(layout.root), *args], input=text, catch_exceptions=False)
        assert result.exit_code == 0
        return result.output

    assert "[m4] a1" in dream("brief", "--now", "2026-03-31")
    assert "1 decisions" in dream(
        "review", "--answer", "-", "--now", "2026-03-31", text='{"operations": [{"op": "end", "memory": "m2"}]}'
    )
    assert memory_of(layout) == "## A\n- a1\n- a3\n- a1\n"
    assert "is undone" in dream("undo")
    assert "MEMORY.md:3" in dream("search", "a2")


def test_an_error_is_a_sentence_and_a_number(workspace: Make, monkeypatch, capsys) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("sys.argv", ["dream", "-w", "/nowhere/at/all", "review"])
    try:
        main()
    except SystemExit as left:
        assert left.code == 11
    assert capsys.readouterr().err == "dream: /nowhere/at/all is no folder.\n"
