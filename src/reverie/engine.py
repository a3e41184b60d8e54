"""One dream, start to finish; also undo, why, status and init. The only module that knows all the rooms.

A surface calls one function here and shows what it returns. Everything a function needs comes in as a value:
the workspace with its settings, and the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from reverie.apply.files import Disk
from reverie.apply.history import find_run, runs
from reverie.apply.lock import held
from reverie.apply.recover import recover
from reverie.apply.writer import write_run
from reverie.claim import Evidence
from reverie.dreaming import dream_over
from reverie.errors import BadPlanFile, RefusedFile, RefusedPlan, StalePlan
from reverie.layout import Kind
from reverie.model import Intent, Plan, Run, Snapshot, Workspace
from reverie.plan.content import Item, content_plan, item_of
from reverie.plan.dream_log import with_receipt
from reverie.plan.promises import check_promises
from reverie.plan.seed import QUESTIONS, init_plan, wants_answers
from reverie.plan.show import as_diff, as_prose, sizes
from reverie.plan.undo import undo_plan
from reverie.plan.why import Story, story_of
from reverie.ports import Clock
from reverie.projecting import Projected, refreshed
from reverie.proposals import (
    gated,
    is_up_to_date,
    must_ask,
    part_of,
    probed,
    propose,
    refuse_if_large,
    waiting,
    withdraw,
)
from reverie.remember import evidence_of, sweep
from reverie.settling import second_night, settled
from reverie.splice import changes_of
from reverie.workspace.reader import read_workspace

TRIES = 5  # an owner who types while we dream gets the last word, and we look again


@dataclass(frozen=True, slots=True)
class Night:
    """What a review came to: the plan, the snapshot it was made on, and the run if it was applied."""

    snapshot: Snapshot
    plan: Plan
    run: Run | None = None
    recovered: tuple[str, ...] = ()
    proposed: str = ""  # the file to look at, when the plan waits for the owner's word
    projected: tuple[Projected, ...] = ()  # what came of the other hosts that get this memory


def plan_dream(
    workspace: Workspace,
    clock: Clock,
    previous: Snapshot | None = None,
    on_read: Callable[[int], None] | None = None,
    *,
    keep: bool = False,
    ask: bool = True,
) -> Night:
    """Decide what to change. Writes nothing; with `keep` the index, which is derived, is brought up to date.

    A model is asked, and what it answers is kept; without `ask` only what it answered before counts.
    """
    snapshot = read_workspace(workspace, previous, on_read)
    _memory_is_readable(snapshot)
    evidence = _advised(snapshot, evidence_of(snapshot, keep=keep), clock, ask=ask)
    try:
        plan = _promised(snapshot, evidence, clock)
    except RefusedPlan as refused:
        if not evidence.counsel.operations:
            raise
        from reverie.judging import without_operations  # counsel that would break a promise is no counsel

        evidence = without_operations(evidence, refused.promise)
        plan = _promised(snapshot, evidence, clock)
    plan, more = settled(snapshot, plan, clock)
    if workspace.settings.palace.nightly:
        from reverie.palaces import (
            with_views,
        )  # the judge and its weights, only for those who want the views each night

        plan = with_views(snapshot, plan)
    if evidence.counsel.use is not None:
        from reverie.judging import receipt  # only for those who have a model

        plan = with_receipt(snapshot, replace(plan, use=receipt(plan, evidence.counsel)))
    check_promises(snapshot, plan, lambda *_: more)
    return Night(snapshot, plan)


def review(
    workspace: Workspace,
    clock: Clock,
    *,
    dry_run: bool = False,
    force: bool = False,
    disk: Disk | None = None,
    on_read: Callable[[int], None] | None = None,
) -> Night:
    """The night: recover, read, notice, plan, promise, write. Nothing to change means that nothing is written.

    What the owner wants to be asked about, and what is too large a change, is only proposed unless `force` accepts it.
    """
    if dry_run:
        return plan_dream(workspace, clock, on_read=on_read)
    told: tuple[str, ...] = ()
    with _holding(workspace, clock, "review"):
        told = recover(workspace, disk)
        sweep(workspace, clock)
        previous = None
        for attempt in range(1, TRIES + 1):
            night = plan_dream(workspace, clock, previous, on_read, keep=True)
            if must_ask(night.snapshot, night.plan) and not force:
                return Night(night.snapshot, night.plan, None, told, propose(night.snapshot, night.plan, disk))
            if not night.plan.edits:
                withdraw(workspace, disk)
                return Night(night.snapshot, night.plan, None, told, projected=refreshed(workspace, disk))
            try:
                run = write_run(workspace, night.plan, changes_of(night.snapshot, night.plan), disk)
                withdraw(workspace, disk)
                return Night(night.snapshot, night.plan, run, told, projected=refreshed(workspace, disk))
            except StalePlan:
                if attempt == TRIES:
                    raise
                previous = night.snapshot
    raise AssertionError("a review returns or raises")


def apply_plan(
    workspace: Workspace,
    plan: Plan | None,
    clock: Clock,
    *,
    only: Sequence[str] = (),
    without: Sequence[str] = (),
    none: bool = False,
    force: bool = False,
    disk: Disk | None = None,
) -> Night:
    """Apply a plan that was saved, or the one that waits (None), or a part of it: the items that are not chosen are declined.

    It must still fit the bytes on disk, keep every promise and harm nobody.
    """
    asked = plan is None
    plan = waiting(workspace) if plan is None else plan
    if plan.intent is not Intent.DREAM:  # an undo is excused from promises because we build it from our own records
        raise BadPlanFile(f"The plan is for `dream {plan.intent}`. Only what `dream plan --json` saved can be applied.")
    with _holding(workspace, clock, "apply"):
        told = recover(workspace, disk)
        snapshot = read_workspace(workspace)
        for path in plan.paths:
            if plan.base.get(path) != snapshot.hash_of(path):
                raise StalePlan(path)
        same = is_up_to_date(snapshot, plan) or not asked  # a proposal waits while its owner writes on
        check_promises(snapshot, plan)  # first of all: a promise is named by its name
        plan = probed(snapshot, part_of(snapshot, plan, only, without, clock.now(), none=none))
        check_promises(snapshot, plan, _again(clock) if same else None)
        if not (asked or force):
            refuse_if_large(snapshot, plan)
        run = write_run(workspace, plan, changes_of(snapshot, plan), disk) if plan.edits else None
        if asked:
            withdraw(workspace, disk)
        return Night(snapshot, plan, run, told, projected=refreshed(workspace, disk))


def undo(
    workspace: Workspace, clock: Clock, name: str = "", *, dry_run: bool = False, disk: Disk | None = None
) -> Night:
    """Take a run back (the newest one, or the one named). Itself a run, so it can be undone too."""
    if dry_run:
        snapshot = read_workspace(workspace)
        return Night(snapshot, undo_plan(snapshot, find_run(workspace, name), clock.now()))
    with _holding(workspace, clock, "undo"):
        told = recover(workspace, disk)
        snapshot = read_workspace(workspace)
        plan = undo_plan(snapshot, find_run(workspace, name), clock.now())
        check_promises(snapshot, plan)
        run = write_run(workspace, plan, changes_of(snapshot, plan), disk)
        return Night(snapshot, plan, run, told, projected=refreshed(workspace, disk))


def init(workspace: Workspace, clock: Clock, answers: Mapping[str, str], *, disk: Disk | None = None) -> Night:
    """Create the vault and, where there is none, a first MEMORY.md. Doing it twice changes nothing."""
    with _holding(workspace, clock, "init"):
        told = recover(workspace, disk)
        snapshot = read_workspace(workspace)
        _memory_is_readable(snapshot)
        plan = init_plan(snapshot, answers, clock.now())
        check_promises(snapshot, plan)
        if not plan.edits:
            return Night(snapshot, plan, None, told)
        return Night(snapshot, plan, write_run(workspace, plan, changes_of(snapshot, plan), disk), told)


def index_content(
    workspace: Workspace,
    clock: Clock,
    content: str,
    title: str = "",
    topics: Sequence[str] = (),
    *,
    disk: Disk | None = None,
) -> tuple[Item, Night]:
    """Put a link or a text into the content index, once. What is known already changes nothing."""
    item = item_of(content, title, topics)
    with _holding(workspace, clock, "index"):
        told = recover(workspace, disk)
        snapshot = read_workspace(workspace)
        plan = content_plan(snapshot, item, clock.now())
        check_promises(snapshot, plan)
        if not plan.edits:
            return item, Night(snapshot, plan, None, told)
        return item, Night(snapshot, plan, write_run(workspace, plan, changes_of(snapshot, plan), disk), told)


def needs_answers(workspace: Workspace) -> bool:
    """Whether `init` would write a first MEMORY.md and so has something to ask."""
    snapshot = read_workspace(workspace)
    _memory_is_readable(snapshot)
    return wants_answers(snapshot)


def why(workspace: Workspace, asked: str) -> Story:
    """The story of a line, by its id or its text."""
    return story_of(read_workspace(workspace), runs(workspace), asked)


def diff_of(night: Night, *, everything: bool = False) -> Iterator[tuple[str, str]]:
    """The plan as a diff: lines with their role, the reason beside each change."""
    return as_diff(night.snapshot, night.plan, everything=everything)


def prose_of(night: Night) -> Iterator[tuple[str, str]]:
    """The plan in sentences, lines with their role."""
    return as_prose(night.snapshot, night.plan)


def sizes_of(night: Night) -> tuple[int, int]:
    """Characters of MEMORY.md before and after the plan."""
    return sizes(night.snapshot, night.plan)


def list_runs(workspace: Workspace) -> tuple[Run, ...]:
    return runs(workspace)


def _advised(snapshot: Snapshot, evidence: Evidence, clock: Clock, *, ask: bool) -> Evidence:
    """The evidence with a model's counsel, where there is a model."""
    if snapshot.workspace.model is None and snapshot.workspace.settings.model.kind != "agent":
        return evidence
    from reverie.judging import counselled  # prompts and the asker, only for those who have a model

    return counselled(snapshot, evidence, clock, ask=ask)


def _promised(snapshot: Snapshot, evidence: Evidence, clock: Clock) -> Plan:
    """What the night decides, without what would harm; raises RefusedPlan if it breaks a promise, named by its name."""
    plan = gated(snapshot, dream_over(snapshot, evidence, clock))
    check_promises(snapshot, plan)
    return plan


def _again(clock: Clock) -> Callable[[Snapshot, Plan], Plan]:
    """How the ninth promise asks for a second night: over the files as this plan would leave them."""

    return lambda snapshot, plan: second_night(snapshot, plan, clock)[1]


def _memory_is_readable(snapshot: Snapshot) -> None:
    """A MEMORY.md that we may not read is not an empty one."""
    for refusal in snapshot.refused:
        if refusal.path.lower() == "memory.md" or refusal.path == "memory":
            raise RefusedFile(f"{refusal.path} {refusal.why}. Put a real file there, then run again.")
    memory = snapshot.files.get(snapshot.memory_path)
    if memory is not None and memory.place.kind is Kind.PROJECTION:
        raise RefusedFile(
            f"{memory.path} is a projection of another memory, which dreams for it. Nothing is to do here."
        )


def _holding(workspace: Workspace, clock: Clock, command: str) -> AbstractContextManager[None]:
    return held(workspace.root, command, clock.now().isoformat(timespec="seconds"), workspace.settings.lock_wait)


__all__ = [
    "QUESTIONS", "Item", "Night", "Story", "apply_plan", "diff_of", "dream_over", "index_content", "init", "list_runs", "needs_answers", "plan_dream", "prose_of",
    "review", "sizes_of", "undo", "why",
]  # fmt: skip
