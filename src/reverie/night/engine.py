"""What surfaces call besides the night itself: apply a saved plan, undo, init, the content index, why.

A surface calls one function here and shows what it returns. Everything a function needs comes in as a value:
the workspace with its settings, and the clock.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date

from reverie.apply.files import Disk
from reverie.apply.history import find_run, runs
from reverie.core.errors import BadPlanFile, StalePlan
from reverie.core.ports import Clock
from reverie.night.night import Night, carried_out, memory_is_readable, plan_dream, review
from reverie.night.proposing import part_of, probed, refuse_if_large, waiting, withdraw
from reverie.night.suggesting import waiting_cards
from reverie.night.transaction import transaction
from reverie.plan.content import Item, content_plan, item_of
from reverie.plan.promises import check_promises
from reverie.plan.seed import QUESTIONS, init_plan, wants_answers
from reverie.plan.show import as_diff, as_prose, sizes
from reverie.plan.splices import hashes_after, texts_after
from reverie.plan.undo import undo_plan
from reverie.plan.why import Story, story_of
from reverie.workspace.reader import read_workspace, reread
from reverie.workspace.values import Intent, Plan, Run, Snapshot, Workspace


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
    with transaction(workspace, clock, "apply", disk) as work:

        def decide(snapshot: Snapshot) -> tuple[Night, Plan]:
            for path in plan.paths:
                if plan.base.get(path) != snapshot.hash_of(path):
                    raise StalePlan(path)
            check_promises(snapshot, plan)  # first of all: a promise is named by its name
            part = probed(snapshot, part_of(snapshot, plan, only, without, clock.now(), none=none))
            if not (asked or force):
                refuse_if_large(snapshot, part)
            return Night(snapshot, part), part

        night, run = work.write(decide, tries=1)
        if asked:
            withdraw(workspace, disk)
        return replace(night, run=run, recovered=work.recovered, projected=work.refresh())


def undo(
    workspace: Workspace, clock: Clock, name: str = "", *, dry_run: bool = False, disk: Disk | None = None
) -> Night:
    """Take a run back (the newest one, or the one named). Itself a run, so it can be undone too."""

    def plan(snapshot: Snapshot) -> Plan:
        return undo_plan(snapshot, find_run(workspace, name), clock.now())

    return carried_out(workspace, clock, "undo", plan, disk, dry_run=dry_run)


def init(workspace: Workspace, clock: Clock, answers: Mapping[str, str], *, disk: Disk | None = None) -> Night:
    """Create the vault and, where there is none, a first MEMORY.md. Doing it twice changes nothing."""

    def plan(snapshot: Snapshot) -> Plan:
        memory_is_readable(snapshot)
        return init_plan(snapshot, answers, clock.now())

    return carried_out(workspace, clock, "init", plan, disk)


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
    return item, carried_out(
        workspace, clock, "index", lambda snapshot: content_plan(snapshot, item, clock.now()), disk
    )


def needs_answers(workspace: Workspace) -> bool:
    """Whether `init` would write a first MEMORY.md and so has something to ask."""
    snapshot = read_workspace(workspace)
    memory_is_readable(snapshot)
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


def waiting_suggestions(night: Night) -> int:
    """How many suggestions wait for an answer once this plan is carried out; of other runs nobody asks."""
    if night.plan.intent not in (Intent.DREAM, Intent.SUGGESTION):
        return 0
    after = reread(night.snapshot, texts_after(night.snapshot, night.plan), hashes_after(night.snapshot, night.plan))
    return len(waiting_cards(after, date.fromisoformat(night.plan.made[:10])))


def list_runs(workspace: Workspace) -> tuple[Run, ...]:
    return runs(workspace)


__all__ = [
    "QUESTIONS", "Item", "Night", "Story", "apply_plan", "diff_of", "index_content", "init", "list_runs", "needs_answers", "plan_dream", "prose_of",
    "review", "sizes_of", "undo", "waiting_suggestions", "why",
]  # fmt: skip
