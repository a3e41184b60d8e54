"""OPERATIONS → PLAN that harms nobody and keeps every promise. One bad edit leaves; the rest goes on.

What breaks a promise is found by taking the operations in one after the other, by halving. So a night is never refused because of
one edit, no other edit leaves because of it, and each that left is named with its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from reverie.core.errors import ReverieError, StalePlan
from reverie.judge.operation import Op, Operation
from reverie.lang.messages import say
from reverie.night.probing import ProbeQuestions, ProbeResult, steps_of, weigh
from reverie.plan.promises import check_promises
from reverie.workspace.values import Plan, Snapshot

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


def promised(snapshot: Snapshot, operations: Sequence[Operation], build: Build, asked: ProbeQuestions) -> Promised:
    """The plan of all these operations that hold together, and those that had to leave."""
    kept, dropped = list(operations), list[Dropped]()
    while True:
        kept, broken = keeping_promises(snapshot, kept, build)
        dropped += broken
        plan = build(kept, told=False)
        verdict: ProbeResult = weigh(snapshot, plan, asked) if steps_of(snapshot, plan) else ProbeResult()
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
    """Without the operations that break a promise. What makes room is asked first, then what is worth most.

    An operation is blamed for what it breaks beside those before it, never for what it would break alone: an update of a memory
    that is over its limit is fine on a night on which enough leaves.
    """
    if not breach(snapshot, build, operations):
        return operations, []
    kept, dropped = list[Operation](), list[Dropped]()
    _join(snapshot, build, kept, sorted(operations, key=lambda one: (one.op is not Op.END, -one.worth)), dropped)
    names = {id(one) for one in kept}
    return [one for one in operations if id(one) in names], dropped


def _join(
    snapshot: Snapshot, build: Build, kept: list[Operation], more: Sequence[Operation], dropped: list[Dropped]
) -> None:
    """Take in what keeps the promises together with what is kept, by halving: where nothing is wrong, one look is enough."""
    why = breach(snapshot, build, [*kept, *more])
    if not why:
        kept += more
    elif (
        len(more) < 2
    ):  # none: what breaks the promise is no operation's, and is told where the plan is asked as a whole
        dropped += [Dropped(one, why) for one in more]
    else:
        half = len(more) // 2
        _join(snapshot, build, kept, more[:half], dropped)
        _join(snapshot, build, kept, more[half:], dropped)


def breach(snapshot: Snapshot, build: Build, operations: Sequence[Operation]) -> str:
    """The promise that a plan of these operations would break, in words; empty when it keeps them all."""
    try:
        check_promises(snapshot, build(operations, told=False))
    except StalePlan:
        return say("refused.collides")
    except ReverieError as refused:
        return str(refused)
    return ""


def _blamed(operation: Operation, plan: Plan, verdict: ProbeResult) -> str:
    """Why the probes want this operation to leave. Edits are known by their ids, operations by the lines they touch."""
    ids = {operation.id}
    first = {(entry.path, entry.block.first) for entry in operation.memory}
    ids |= {edit.id for edit in plan.edits if edit.op and (edit.path, edit.at) in first and edit.old}
    return next((why for name, why in verdict.at_fault.items() if name in ids), "")


__all__ = ["Dropped", "Promised", "breach", "keeping_promises", "promised"]
