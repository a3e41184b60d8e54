"""A workspace is the boundary: what one holds is never read, reached or mixed into by another."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from remembering import Memory, holding

from reverie.surfaces.mcp.serving import Door
from terminal import call

ADAS, BENS = "ZQ-7741-KV", "MW-2083-TL"


@pytest.fixture
def ada(tmp_path: Path) -> Memory:
    ada = Memory(tmp_path / "ada")
    ada.write("MEMORY.md", "# Ada", "", "## Facts", f"- The kiln takes glaze {ADAS}", *["- The clay is red"] * 2)
    return ada


@pytest.fixture
def ben(tmp_path: Path) -> Memory:
    ben = Memory(tmp_path / "ben")
    ben.write("MEMORY.md", "# Ben", "", "## Facts", f"- The kiln takes glaze {BENS}")
    return ben


def test_01_what_one_workspace_holds_is_not_found_from_another(ada: Memory, ben: Memory) -> None:
    question = f"which glaze does the kiln take, {ADAS}?"

    assert holding(ADAS, ben.prompts(question)) == []
    assert {"search", "recall", "session"} <= set(holding(ADAS, ada.prompts(question)))


def test_02_no_argument_of_a_program_reaches_another_workspace(ada: Memory, ben: Memory) -> None:
    before, there = ben.files(), str(ben.root)
    (ada.root / "memory").mkdir()
    (ada.root / "memory" / "2026-11-13.md").symlink_to(ben.root / "MEMORY.md")
    ways = (f"{there}/MEMORY.md", "../ben/MEMORY.md", "memory/../../ben/MEMORY.md", "vault:../../ben/MEMORY.md", "*", "")  # fmt: skip

    heard = [ada.program("memory_get", path=path) for path in (*ways, "memory/2026-11-13.md")]
    heard += [ada.program("memory_search", query="glaze of the kiln", workspace=where) for where in (there, "*", "")]
    heard += [ada.program("memory_note", text="Decision: Ben's kiln is sold", workspace=there)]
    heard += [ada.program("dream_approve", plan=_aimed_at(ben, json.dumps(ada.told("plan"))))]

    assert [told for told in heard if BENS in told] == []
    assert (ben.files(), heard[-1][:7]) == (before, "refused")
    assert ADAS in ada.program("memory_get", path="MEMORY.md") and ADAS in ada.recalled(
        "which glaze does the kiln take?"
    )


def _aimed_at(other: Memory, plan: str) -> Any:
    """A plan of ours that would rather write there."""
    return json.loads(plan.replace('"MEMORY.md"', json.dumps(f"{other.root}/MEMORY.md")))


def test_02_a_program_that_is_not_trusted_changes_nothing(ada: Memory) -> None:
    before, stranger = ada.text, Door(untrusted=True)

    heard = [
        ada.program("memory_note", stranger, text="Decision: the kiln is mine"),
        ada.program("memory_forget", stranger, description="the kiln"),
        ada.program("dream_review", stranger, apply=True),
    ]

    assert (ada.text, [told[:7] for told in heard]) == (before, ["refused"] * 3)
    assert "memory/2026-11-15.md" in ada.program("memory_note", text="Decision: the kiln is fired on Mondays")
    assert "fired on Mondays" in ada.files()["memory/2026-11-15.md"]


def test_03_a_night_over_all_workspaces_mixes_nothing(ada: Memory, ben: Memory, tmp_path: Path) -> None:
    settings = Path(os.environ["HOME"]) / ".config" / "reverie" / "reverie.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f"workspaces = {json.dumps([str(ada.root), str(ben.root)])}\n", "utf-8")
    for memory, token in ((ada, ADAS), (ben, BENS)):
        memory.noted(f"Decision: glaze {token} is ordered from Kern from now on")

    done = call("review", "--all", "--json", "--now", ada.today.isoformat())
    for memory in (ada, ben):
        memory.dream("palace", "--rebuild")
        memory.dream("reindex", "--force")

    assert done.code == 0
    places = [tmp_path, Path(os.environ["HOME"]), Path(os.environ["XDG_CACHE_HOME"])]
    for memory, token in ((ada, ADAS), (ben, BENS)):
        holders = {
            path
            for place in places
            for path in place.rglob("*")
            if path.is_file() and token.encode() in path.read_bytes()
        }
        assert holders and all(path.is_relative_to(memory.root) for path in holders)
        assert token in memory.recalled("where is the glaze ordered from?")
