"""A judge that answers carelessly, forced to lead: it may be wrong about what matters, but it breaks no promise.

The careless answers were given once, by a model that was told to answer badly (2026-11-16). The exam keeps such a model from
leading (`tests/judge/test_exam.py`); these nights do without it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from conftest import tree
from reverie.core.ports import fixed
from reverie.judge.brief import Brief
from reverie.judge.by_agent import text_for_agent
from reverie.night.agent import keep_answer
from reverie.night.briefing import brief_of
from reverie.night.commands import undo
from reverie.night.night import review
from reverie.surfaces.configure import configured
from scripts import nights

Answer = Callable[[Path, Brief], str]


def careless(case: Path, brief: Brief) -> str:
    return nights.renamed(
        (case / "careless.json").read_text("utf-8"), (case / "brief.txt").read_text("utf-8"), text_for_agent(brief)
    )


def ends_everything(case: Path, brief: Brief) -> str:
    """The inverted oracle: every line of memory leaves, because of the first note."""
    return json.dumps(
        {"operations": [{"op": "end", "memory": [m.id], "from": [brief.notes[0].id]} for m in brief.memory]}
    )


def adds_everything(case: Path, brief: Brief) -> str:
    section = brief.sections[0]
    adds = [{"op": "add", "from": [n.id], "section": section, "text": n.claim.text} for n in brief.notes]
    return json.dumps({"operations": adds})


@pytest.mark.parametrize("case", ["de-verein", "zh-ops"])
@pytest.mark.parametrize("answer", [careless, ends_everything, adds_everything])
def test_a_weak_judge_that_is_forced_to_lead_breaks_no_promise(case: str, answer: Answer, tmp_path: Path) -> None:
    source, root = nights.NIGHTS / case, tmp_path / "workspace"
    wanted = json.loads((source / "wanted.json").read_text("utf-8"))
    shutil.copytree(source / "workspace", root)
    workspace = configured(root, {"HOME": str(tmp_path), "DREAM_MODEL": "agent"})
    clock = fixed(wanted["now"], ZoneInfo(wanted["timezone"]))
    before, brief = tree(root), brief_of(workspace, clock)
    keep_answer(workspace, clock, answer(source, brief))

    review(workspace, clock, force=True)

    after = (root / "MEMORY.md").read_text("utf-8")
    if answer is ends_everything:  # one note cannot end what it does not speak of
        assert sum(line.entry.text in after for line in brief.memory) > len(brief.memory) / 2
    ledger = (workspace.vault / "ledger.md").read_text("utf-8") if (workspace.vault / "ledger.md").is_file() else ""
    lines, archived = after.split("\n"), ledger.split("\n")
    assert all(line.entry.text in after for line in brief.memory if line.fixed)
    gone = [line for line in before["MEMORY.md"].decode().split("\n") if line.strip() and line not in lines]
    assert [line for line in gone if not any(line.strip() in kept for kept in archived)] == []
    assert len(after) <= workspace.settings.memory.hard_limit
    assert list(nights._leaks(source, root, wanted)) == []
    undo(workspace, clock)
    assert {path: text for path, text in tree(root).items() if path in before} == before
