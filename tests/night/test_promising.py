"""Edits that meet: one bad one leaves and none because of it, and each line enters under its own heading."""

from __future__ import annotations

from conftest import NIGHT, Build
from reverie.core.ports import fixed
from reverie.core.settings import Memory, Settings
from reverie.judge.operation import Op, Operation
from reverie.night.briefing import make_brief
from reverie.night.promising import keeping_promises
from reverie.night.remember import evidence_of
from reverie.plan.build import build_plan
from reverie.workspace.reader import read_workspace

NOW = fixed(NIGHT).now()
MEMORY = f"""# Memory

## Workshop
- The clay store is kept at 8 degrees.
- In May the old shed was cleared out, {"box by box, " * 60}and nothing of it is needed.
"""
NOTE = """# 2026-11-13

## Workshop
- The clay store is kept at 11 degrees, and nobody opens it at night.
- The old shed is gone.
"""


def test_what_makes_room_is_asked_first_so_that_no_update_is_blamed_for_a_memory_that_was_too_long(
    build: Build,
) -> None:
    workspace = build({"MEMORY.md": MEMORY, "memory/2026-11-13.md": NOTE}, Settings(memory=Memory(truncation=600)))
    snapshot = read_workspace(workspace)
    brief = make_brief(snapshot, evidence_of(snapshot), NOW)
    (cold, shed), (warm, gone) = brief.memory, brief.notes
    longer = Operation(
        Op.UPDATE,
        "warmer",
        (warm.claim,),
        (cold.entry,),
        old="8 degrees",
        new="11 degrees, and nobody opens it at night",
    )
    invented = Operation(Op.ADD, "no note says it", (warm.claim,), text="Viktor lent us 950 EUR.", section="Workshop")
    end = Operation(Op.END, "it is gone", (gone.claim,), (shed.entry,))

    kept, dropped = keeping_promises(
        snapshot, [longer, invented, end], lambda chosen, **_: build_plan(snapshot, chosen, NOW)
    )

    assert kept == [longer, end] and [one.operation for one in dropped] == [invented]
