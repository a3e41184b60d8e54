"""Hermes' own memory as the workspace: its budget, its entries apart by §, and nothing that Hermes would take for damage."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from reverie.surfaces.configure import find_workspace
from reverie.text.lines import with_frame
from reverie.workspace.reader import read_workspace
from reverie.workspace.settings_files import discover
from terminal import call

MINE = "Ada's lathe runs at 900 rpm\n§\nThis machine runs Ubuntu 22.04\n§\nAda prefers short answers"  # Hermes ends no last line
NOTE = (
    "- The lathe runs at 1,100 rpm now.\n- Ada is allergic to hazelnuts\n- This machine runs Ubuntu 22.04 no more\n"
    "- Ada prefers short answers no more\n- Ada's lathe is sold\n"
)
SAYS = {"m1": "n5", "m2": "n3", "m3": "n4"}  # which line of the note ends which entry
UPDATE = {"op": "update", "memory": ["m1"], "from": ["n1"], "old": "900 rpm", "new": "1,100 rpm", "why": "new belt"}
ADD = {"op": "add", "from": ["n2"], "text": "Ada is allergic to hazelnuts", "why": "health"}


@pytest.fixture
def memories() -> Path:
    root = Path(os.environ["HOME"]) / ".hermes" / "memories"
    (root / "memory").mkdir(parents=True)
    (root.parent / "config.yaml").write_text("model: x\n")
    (root / "MEMORY.md").write_text(MINE)
    (root / "memory" / "2026-11-14.md").write_text(NOTE)
    return root


def roundtrip(text: str) -> str:
    """What Hermes reads and would write: it refuses to touch a file in which the two differ."""
    return "\n§\n".join(one.strip() for one in text.split("\n§\n") if one.strip())


def dreamt(root: Path, *operations: object) -> str:
    where = ("--workspace", root, "--now", "2026-11-15T03:00:00+01:00")
    (root.parent / "config.yaml").write_text("model: x\n")
    settings = Path(os.environ["HOME"]) / ".config" / "reverie" / "reverie.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('[model]\nkind = "agent"\n')
    assert call("answer", "-", *where, stdin=json.dumps({"operations": operations})).code == 0
    done = call("review", *where)
    assert done.code == 0, done
    assert "§" not in done.out
    return (root / "MEMORY.md").read_text()


def test_its_entries_are_statements_and_its_budget_holds(memories: Path) -> None:
    workspace = find_workspace(str(memories), os.environ, memories)

    assert [one.text for one in read_workspace(workspace).files["MEMORY.md"].entries] == MINE.split("\n§\n")
    assert (workspace.settings.memory.truncation, workspace.settings.memory.shape) == (2_200, "entries")
    (memories.parent / "config.yaml").write_text("memory:\n  memory_char_limit: 3000  # more\n")
    assert find_workspace(str(memories), os.environ, memories).settings.memory.truncation == 3_000
    assert memories in [one.root for one in discover(os.environ)]


def test_a_night_keeps_its_shape_and_is_undone_to_the_byte(memories: Path) -> None:
    text = dreamt(memories, UPDATE, {"op": "end", "memory": ["m2"], "from": ["n3"], "why": "gone"}, ADD)

    said = ["Ada's lathe runs at 1,100 rpm", "Ada prefers short answers", "Ada is allergic to hazelnuts"]
    assert [one.partition(" <!--")[0] for one in text.strip().split("\n§\n")] == said
    assert text.strip() == roundtrip(text)
    assert call("undo", "--workspace", memories).code == 0
    assert (memories / "MEMORY.md").read_text() == MINE


@pytest.mark.parametrize("gone", [["m1"], ["m3"], ["m1", "m2"], ["m2", "m3"], ["m1", "m3"]])
def test_whatever_leaves_takes_its_sign_along(memories: Path, gone: list[str]) -> None:
    text = dreamt(memories, *({"op": "end", "memory": [one], "from": [SAYS[one]], "why": "gone"} for one in gone))

    kept = [one for number, one in enumerate(MINE.split("\n§\n"), 1) if f"m{number}" not in gone]
    assert text.strip() == "\n§\n".join(kept)


def test_so_does_what_is_forgotten(memories: Path) -> None:
    assert call("forget", "This machine runs Ubuntu 22.04", "--workspace", memories).code == 0

    assert (memories / "MEMORY.md").read_text() == MINE.replace("This machine runs Ubuntu 22.04\n§\n", "")


@pytest.mark.parametrize(
    ("lines", "leaves", "with_it"),
    [("a||b||c", (2, 3), (2, 4)), ("a|b|c", (1, 2), (1, 2)), ("a|§|b", (0, 1), (0, 2)), ("a|§|b|§|c", (2, 3), (1, 3))],
)
def test_what_stood_between_goes_once(lines: str, leaves: tuple[int, int], with_it: tuple[int, int]) -> None:
    assert with_frame(lines.split("|"), *leaves) == with_it
