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

Build = Callable[..., Plan]  # of operations; with `told=False` without the pages that tell of them


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
        plan = build(kept, told=False)
        verdict: Verdict = weigh(snapshot, plan, asked) if steps_of(snapshot, plan) else Verdict()
        at_fault = [(one, why) for one in kept if (why := _blamed(one, plan, verdict))]
        if not at_fault:
            numbers = (verdict.before, verdict.after) if steps_of(snapshot, plan) else None
            plan = _with_pages(snapshot, kept, build)
            return Promised(replace(plan, probes=numbers), tuple(kept), tuple(dropped))
        dropped += [Dropped(one, why) for one, why in at_fault]
        kept = [one for one in kept if one not in [fault for fault, _ in at_fault]]


def _with_pages(snapshot: Snapshot, operations: Sequence[Operation], build: Build) -> Plan:
    """The whole plan; without the pages where what they tell would break a promise: a diary never costs the night."""
    plan = build(operations)
    try:
        check_promises(snapshot, plan)
    except ReverieError:
        return build(operations, told=False)
    return plan


def keeping_promises(
    snapshot: Snapshot, operations: list[Operation], build: Build
) -> tuple[list[Operation], list[Dropped]]:
    """Without the operations that break a promise: each alone first, then the least worth until the rest holds."""
    dropped = _at_fault(snapshot, operations, build)
    faulty = {id(one.operation) for one in dropped}
    kept = [one for one in operations if id(one) not in faulty]
    while kept and (why := breach(snapshot, build, kept)):
        worst = min(kept, key=lambda one: one.worth)
        kept.remove(worst)
        dropped.append(Dropped(worst, why))
    return kept, dropped


def _at_fault(snapshot: Snapshot, operations: Sequence[Operation], build: Build) -> list[Dropped]:
    """The operations that break a promise by themselves, found by halving: most nights there is none, and one look is enough."""
    why = breach(snapshot, build, operations)
    if not why or len(operations) < 2:
        return [Dropped(one, why) for one in operations] if why else []
    half = len(operations) // 2
    return [found for part in (operations[:half], operations[half:]) for found in _at_fault(snapshot, part, build)]


def breach(snapshot: Snapshot, build: Build, operations: Sequence[Operation]) -> str:
    """The promise that a plan of these operations would break, in words; empty when it keeps them all."""
    try:
        check_promises(snapshot, build(operations, told=False))
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
