"""A night that a model leads: what it wants and may want happens, what it may not is told, and everything can be taken back."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from conftest import NIGHT, Build, tree
from reverie.core.layout import MODEL_ANSWERS
from reverie.core.model_calls import Status
from reverie.core.ports import ScriptedModel, fixed
from reverie.core.settings import Mind
from reverie.night.commands import plan_dream, review, undo
from reverie.workspace.values import Workspace

CLOCK = fixed(NIGHT)
MEMORY = """# Memory

## Workshop
- **Kiln supplier:** Brandner in Ulm, delivery in ten days.
- The clay store is kept at 8 degrees.
- 📌 Never fire without the cone check.
"""
NOTE = """# 2026-11-13

## Workshop
- The clay store is kept at 11 degrees from now on.
- Brandner delivers within four days now.
- Swept the yard.
- Anke Behrend collects the seconds every Thursday.
"""
WARMER = {"op": "update", "memory": ["m2"], "from": ["n1"], "old": "8 degrees", "new": "11 degrees", "why": "warmer"}
ANKE = {"op": "add", "from": ["n4"], "section": "Workshop", "text": "Anke Behrend collects the seconds every Thursday.", "why": "recurring"}  # fmt: skip


@pytest.fixture
def workspace(build: Build) -> Workspace:
    return build({"MEMORY.md": MEMORY, "memory/2026-11-13.md": NOTE})


def led_by(workspace: Workspace, *answers: Any) -> Workspace:
    settings = replace(workspace.settings, model=Mind(kind="command", write=False))
    return replace(workspace, settings=settings, model=ScriptedModel(*answers))


def said(*operations: Any) -> str:
    return json.dumps({"operations": list(operations)})


def memory_of(workspace: Workspace) -> str:
    return (workspace.root / "MEMORY.md").read_text()


def test_its_operations_are_the_night_and_undo_takes_them_back(workspace: Workspace) -> None:
    before = tree(workspace.root)

    night = review(led_by(workspace, said(WARMER, ANKE)), CLOCK)

    after = memory_of(workspace)
    assert (
        "- The clay store is kept at 11 degrees.\n" in after
        and "- Anke Behrend collects the seconds every Thursday." in after
    )
    assert "Swept" not in after and "delivery in ten days" in after  # silence means: leave it
    assert night.plan.use and dict(night.plan.use.accepted) == {"update": 1, "add": 1}
    undo(workspace, CLOCK)
    assert {path: text for path, text in tree(workspace.root).items() if path in before} == before


@pytest.mark.parametrize(
    "harm",
    [
        {**WARMER, "new": "14 degrees"},
        {**WARMER, "new": "11 degrees, says Viktor"},
        {"op": "end", "memory": ["m3"], "from": ["n3"]},
        {"op": "update", "memory": ["m3"], "from": ["n1"], "old": "Never fire", "new": "Fire"},
        {**ANKE, "text": "Anke Behrend collects the seconds every Monday."},
        {**ANKE, "text": "Anke Behrend never collects the seconds on Thursday."},
        {**ANKE, "section": "Passwords"},
        {**ANKE, "from": ["n9"]},
    ],
    ids=lambda one: str(one.get("new") or one.get("text") or one["op"])[:30],
)
def test_what_it_may_not_want_is_dropped_and_counted_and_the_rest_happens(
    workspace: Workspace, harm: dict[str, Any]
) -> None:
    good = ANKE if harm.get("memory") else WARMER

    night = review(led_by(workspace, said(good, harm), said(harm)), CLOCK)

    after = memory_of(workspace)
    assert (
        "Anke Behrend collects" if good is ANKE else "11 degrees"
    ) in after and "📌 Never fire without the cone check." in after
    assert not any(word in after for word in ("14 degrees", "Viktor", "Monday", "never collects", "Passwords"))
    assert night.plan.use and sum(night.plan.use.dropped.values()) == 1


@pytest.mark.parametrize("trouble", [Status.SLOW, Status.REFUSED, "no JSON", "{}"])
def test_without_an_answer_the_night_is_the_built_in_judges(workspace: Workspace, build: Build, trouble: Any) -> None:
    alone = build({"MEMORY.md": MEMORY, "memory/2026-11-13.md": NOTE})
    review(alone, CLOCK)

    night = review(led_by(workspace, trouble), CLOCK)

    assert memory_of(workspace) == memory_of(alone) and night.plan.use and night.plan.use.calls == 1


def test_a_dry_run_keeps_the_answer_so_that_the_night_costs_nothing(workspace: Workspace) -> None:
    plan_dream(led_by(workspace, said(WARMER)), CLOCK)
    assert (workspace.root / MODEL_ANSWERS).exists() and memory_of(workspace) == MEMORY

    night = review(led_by(workspace), CLOCK)

    assert (
        "11 degrees" in memory_of(workspace)
        and night.plan.use
        and (night.plan.use.calls, night.plan.use.cached) == (0, 1)
    )


def test_a_look_asks_nobody(workspace: Workspace) -> None:
    model = ScriptedModel(said(WARMER))

    plan_dream(replace(led_by(workspace), model=model), CLOCK, ask=False)

    assert model.asked == []
