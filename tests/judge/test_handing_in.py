"""The host agent end to end: `dream brief`, `dream answer`, the night that does it, and the same through the tools."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conftest import NIGHT, Build
from reverie.core.layout import MODEL_LOG
from reverie.core.ports import FixedClock, fixed
from reverie.night.agent import agent_judge, answer_used, keep_answer, kept_answer
from reverie.night.briefing import brief_of
from reverie.surfaces.configure import configured
from reverie.surfaces.mcp.server import Tools
from reverie.surfaces.mcp.serving import Door
from reverie.workspace.values import Workspace
from terminal import TOKEN, call, dream

CLOCK: FixedClock = fixed(NIGHT)
MEMORY = "# Me\n\n## Workshop\n\n- The lathe runs at 900 rpm.\n- The kiln is serviced by Maren Holt.\n"
NOTE = f"""# 2026-11-13

## Workshop

- The lathe runs at 1,100 rpm since the new belt.
- Swept the floor and emptied the bins.
- Johann prefers to be called in the morning.
- The relay token is {TOKEN}
"""
FASTER = {"op": "update", "memory": ["m1"], "from": ["n1"], "old": "900 rpm", "new": "1,100 rpm", "why": "new belt"}
JOHANN = {"op": "add", "from": ["n3"], "section": "Workshop", "text": "Johann prefers to be called in the morning.", "why": "a wish"}  # fmt: skip


@pytest.fixture
def workspace(build: Build, tmp_path: Path) -> Workspace:
    root = build({"MEMORY.md": MEMORY, "memory/2026-11-13.md": NOTE}).root
    return configured(root, {"HOME": str(tmp_path / "nobody"), "DREAM_MODEL": "agent"})


def said(*operations: Any) -> str:
    return json.dumps({"operations": list(operations)})


def test_an_agent_reads_answers_corrects_and_the_night_does_it(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DREAM_MODEL", "agent")
    here = ("--workspace", workspace.root, "--now", NIGHT)

    text = call("brief", *here).out
    assert (
        "[m1] The lathe runs at 900 rpm." in text and "[n1] The lathe runs at 1,100 rpm" in text and TOKEN not in text
    )

    (workspace.root.parent / "a.json").write_text(said({**FASTER, "new": "1,200 rpm"}, JOHANN))
    first = call("answer", "--json", workspace.root.parent / "a.json", *here)
    told = json.loads(first.out)
    assert first.code == 14 and (told["taken"], told["waiting"], told["refused"][0]["operation"]) == (1, 1, 1)
    assert "1,200" in told["refused"][0]["why"]

    (workspace.root.parent / "b.json").write_text(said(FASTER))
    assert json.loads(dream("answer", "--json", workspace.root.parent / "b.json", *here).out)["waiting"] == 2
    assert (workspace.root / "MEMORY.md").read_text() == MEMORY

    dream("review", *here)
    after = (workspace.root / "MEMORY.md").read_text()
    assert "- The lathe runs at 1,100 rpm.\n" in after and "- Johann prefers to be called in the morning." in after
    assert "emptied" not in after and TOKEN not in after


def test_what_is_handed_in_waits_until_it_is_used(workspace: Workspace) -> None:
    taken = keep_answer(workspace, CLOCK, said(FASTER))

    assert (len(taken.taken), taken.waiting, taken.notice) == (1, 1, "")
    tomorrow = fixed("2026-11-16T03:00:00+01:00")
    verdict = agent_judge(workspace, tomorrow).judge(brief_of(workspace, tomorrow))
    assert [one.new for one in verdict.operations] == ["1,100 rpm"] and verdict.unread == ()
    answer_used(workspace, tomorrow)
    assert kept_answer(workspace, tomorrow) is None
    assert agent_judge(workspace, tomorrow).judge(brief_of(workspace, tomorrow)).unread == ("n1", "n2", "n3")


def test_an_answer_that_is_no_json_changes_nothing_that_waits(workspace: Workspace) -> None:
    keep_answer(workspace, CLOCK, said(FASTER))

    taken = keep_answer(workspace, CLOCK, "Good night!")

    assert ([one.why for one in taken.refused], taken.waiting) == (["the answer is not JSON"], 1)


def test_an_empty_answer_says_that_nothing_is_to_be_done(workspace: Workspace) -> None:
    keep_answer(workspace, CLOCK, said())

    verdict = agent_judge(workspace, CLOCK).judge(brief_of(workspace, CLOCK))
    assert (verdict.operations, verdict.unread) == ((), ())


def test_no_secret_is_kept_and_the_others_are(workspace: Workspace) -> None:
    taken = keep_answer(workspace, CLOCK, said({**JOHANN, "why": f"token {TOKEN}"}, FASTER))

    assert [one.old for one in taken.taken] == ["900 rpm"] and len(taken.refused) == 1
    kept = json.dumps(kept_answer(workspace, CLOCK)) + (workspace.root / MODEL_LOG).read_text()
    assert TOKEN not in kept


def test_where_no_night_would_use_it_the_agent_hears_so(workspace: Workspace) -> None:
    off = replace(workspace, settings=replace(workspace.settings, model=replace(workspace.settings.model, kind="off")))

    assert 'model.kind is "off"' in keep_answer(off, CLOCK, said(FASTER)).notice


def test_the_tools_give_the_same_and_only_the_owner_may_answer(workspace: Workspace) -> None:
    tools = Tools(lambda: workspace, lambda _: CLOCK, Door())

    assert "[n1]" in tools.dream_brief()["text"]
    assert tools.dream_answer(None, [FASTER])["taken"] == 1
    with pytest.raises(Exception, match="Only the owner"):
        Tools(lambda: workspace, lambda _: CLOCK, Door(untrusted=True)).dream_answer(None, [FASTER])
