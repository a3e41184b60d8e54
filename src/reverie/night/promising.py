"""OPERATIONS → PLAN that harms nobody and keeps every promise. One bad edit leaves; the rest goes on.

What breaks a promise is found by asking each operation alone, then by leaving the least worth out until the rest holds. So a
night is never refused because of one edit, and each that left is named with its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from reverie.errors import ReverieError, StalePlan
from reverie.judge.operation import Operation
from reverie.model import Plan, Snapshot
from reverie.night.harm import Asked, Verdict, steps_of, weigh
from reverie.plan.promises import check_promises

Build = Callable[[Sequence[Operation]], Plan]


@dataclass(frozen=True, slots=True)
class Dropped:
    """An operation that does not happen, and why."""

    operation: Operation
    why: str


@dataclass(frozen=True, slots=True)
class Promised:
    plan: Plan
    operations: tuple[Operation, ...]
    dropped: tuple[Dropped, ...] = ()


def promised(snapshot: Snapshot, operations: Sequence[Operation], build: Build, asked: Asked) -> Promised:
    """The plan of all these operations that hold together, and those that had to leave."""
    kept, dropped = list(operations), list[Dropped]()
    while True:
        kept, broken = keeping_promises(snapshot, kept, build)
        dropped += broken
        plan = build(kept)
        verdict: Verdict = weigh(snapshot, plan, asked) if steps_of(snapshot, plan) else Verdict()
        at_fault = [(one, why) for one in kept if (why := _blamed(one, plan, verdict))]
        if not at_fault:
            numbers = (verdict.before, verdict.after) if steps_of(snapshot, plan) else None
            return Promised(replace(plan, probes=numbers), tuple(kept), tuple(dropped))
        dropped += [Dropped(one, why) for one, why in at_fault]
        kept = [one for one in kept if one not in [fault for fault, _ in at_fault]]


def keeping_promises(
    snapshot: Snapshot, operations: list[Operation], build: Build
) -> tuple[list[Operation], list[Dropped]]:
    """Without the operations that break a promise: each alone first, then the least worth until the rest holds."""
    if not breach(snapshot, build, operations):
        return operations, []
    alone = {id(one): breach(snapshot, build, [one]) for one in operations}
    dropped = [Dropped(one, alone[id(one)]) for one in operations if alone[id(one)]]
    kept = [one for one in operations if not alone[id(one)]]
    while kept and (why := breach(snapshot, build, kept)):
        worst = min(kept, key=lambda one: one.worth)
        kept.remove(worst)
        dropped.append(Dropped(worst, why))
    return kept, dropped


def breach(snapshot: Snapshot, build: Build, operations: Sequence[Operation]) -> str:
    """The promise that a plan of these operations would break, in words; empty when it keeps them all."""
    try:
        check_promises(snapshot, build(operations))
    except StalePlan:
        return "its lines cannot be changed together with others"
    except ReverieError as refused:
        return str(refused)
    return ""


def _blamed(operation: Operation, plan: Plan, verdict: Verdict) -> str:
    """Why the probes want this operation to leave. Edits are known by their ids, operations by the lines they touch."""
    ids = {operation.id}
    first = {entry.block.first for entry in operation.memory}
    ids |= {edit.id for edit in plan.edits if edit.op and edit.at in first and edit.old}
    return next((why for name, why in verdict.at_fault.items() if name in ids), "")


__all__ = ["Dropped", "Promised", "breach", "keeping_promises", "promised"]
