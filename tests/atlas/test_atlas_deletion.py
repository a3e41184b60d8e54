"""What was deleted is found by no way there is, after every job has run, and in no copy that was made of it before."""

from __future__ import annotations

from pathlib import Path

import pytest
from remembering import Memory, holding

from terminal import dream

GLAZE, TIDE = "ZQ-7741-KV", "MW-2083-TL"
QUESTION = "which recipe is the celadon glaze?"


@pytest.fixture
def ada(tmp_path: Path) -> Memory:
    ada = Memory(tmp_path / "ada")
    ada.write("MEMORY.md", "# Ada", "", "## Facts", "- Ada keeps bees", "- Ada keeps bees")
    ada.noted(f"Decision: the celadon glaze is recipe {GLAZE}", f"Decision: the tide table of Porto is {TIDE}")
    ada.eager_night()
    assert {"search", "recall", "session", "mcp"} <= set(holding(GLAZE, ada.prompts(QUESTION)))
    return ada


def test_14_nothing_that_runs_afterwards_brings_back_what_was_purged(ada: Memory) -> None:
    ada.dream("forget", "the celadon glaze recipe", "--purge", "--yes")

    ada.eager_night()
    ada.night()
    for words in (("palace", "--rebuild"), ("reindex", "--force"), ("classify", "--apply"), ("refine", "--apply")):
        ada.dream(*words)
    anew = dream("search", "celadon glaze", "--json", "--workspace", ada.root, "--now", ada.today.isoformat())

    assert holding(GLAZE, ada.prompts(QUESTION) | ada.files() | {"a new process": anew.out}) == []
    assert [run["intent"] for run in ada.told("runs")].count("forget") == 1
    assert TIDE in ada.text and TIDE in ada.recalled("which is the tide table of Porto?")


def test_17_deleting_reaches_the_copy_that_another_host_reads(ada: Memory) -> None:
    copy = ada.shared()
    assert GLAZE in copy.read_text("utf-8")

    ada.dream("forget", "the celadon glaze recipe", "--purge", "--yes")

    assert GLAZE not in copy.read_text("utf-8")
    assert TIDE in copy.read_text("utf-8") and "bees" in copy.read_text("utf-8")


def test_17_neither_a_saved_plan_nor_an_undo_brings_it_back(ada: Memory, tmp_path: Path) -> None:
    ada.noted(raku := "The raku glaze is recipe PX-5512-HB")
    ada.answered({"op": "add", "from": ["n1"], "section": "Facts", "text": raku, "why": "said"})
    saved = tmp_path / "saved.json"
    saved.write_text(ada.dream("plan", "--json", DREAM_MODEL="agent"), "utf-8")
    assert raku in saved.read_text("utf-8")

    ada.dream("forget", "the raku glaze recipe", "--purge", "--yes")
    late = ada.tried("apply", saved)
    for run in ada.told("runs"):
        ada.tried("undo", run["id"])

    assert late.code != 0 and holding("PX-5512-HB", ada.files()) == []
    assert "bees" in ada.text
