"""A night that is recorded: what it came to is written down, also when nothing changed or it failed.

Surfaces and the schedule call `review` here rather than the night's own, so that `dream doctor` knows every try.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from reverie.core.errors import Busy, ReverieError
from reverie.core.layout import OWN_OUTPUT, Kind
from reverie.core.ports import Clock
from reverie.evidence.attempts import (
    Attempt,
    Outcome,
    attempts,
    fingerprint,
    headline,
    night_outcome,
    record,
    without_quotes,
)
from reverie.evidence.state_files import changed_since, stamps_of
from reverie.lang.messages import say
from reverie.night import commands
from reverie.night.commands import Night
from reverie.openclaw.host import host_writes
from reverie.workspace.news import unjudged
from reverie.workspace.values import Plan, Snapshot, Workspace

OWNER, SCHEDULE = "owner", "schedule"


def review(
    workspace: Workspace,
    clock: Clock,
    *,
    by: str = OWNER,
    dry_run: bool = False,
    force: bool = False,
    on_read: Callable[[int], None] | None = None,
) -> Night:
    """The night of the engine, recorded. A dry run leaves no trace, and neither does one that another dream kept out.

    What was brought up to date under `memory/.dreams` on the way stands in `derived`, so that no receipt says too little.
    """
    before = stamps_of(workspace.root)
    if dry_run:
        night = commands.review(workspace, clock, dry_run=True, on_read=on_read)
        return replace(night, derived=changed_since(workspace.root, before))
    if host_writes(workspace):
        raise Busy(say("claws.writes_now"))
    started, moment = time.monotonic(), clock.now().isoformat(timespec="seconds")
    try:
        night = commands.review(workspace, clock, force=force, on_read=on_read)
    except Busy:
        raise
    except Exception as error:  # recorded and raised again: a failure nobody sees is the worst kind
        said = without_quotes(str(error)) if isinstance(error, ReverieError) else ""
        spent = time.monotonic() - started
        record(
            workspace.root,
            Attempt(moment, by, Outcome.FAILED, seconds=spent, error=type(error).__name__, message=said),
        )
        raise
    done = _attempt(night, by, moment, time.monotonic() - started, attempts(workspace.root))
    record(workspace.root, replace(done, health=_health(workspace, clock)))
    if night.run and workspace.settings.refine.after_night:
        _second_look(workspace, clock)
    return replace(night, derived=changed_since(workspace.root, before))


def _health(workspace: Workspace, clock: Clock) -> int:
    """The score of the memory as the night left it, for the curve of many nights; -1 where there is nothing to judge."""
    from reverie.features.figures import quality  # reads every line once more, which only a night can afford

    with suppress(ReverieError):
        score = quality(workspace, clock).score
        return -1 if score is None else score
    return -1


def approve(
    workspace: Workspace,
    clock: Clock,
    plan: Plan | None,
    *,
    only: Sequence[str] = (),
    without: Sequence[str] = (),
    none: bool = False,
    force: bool = False,
) -> Night:
    """A plan that the owner said yes to, or the parts of it: a night like any other, and recorded as one."""
    started, moment = time.monotonic(), clock.now().isoformat(timespec="seconds")
    night = commands.apply_plan(workspace, plan, clock, only=only, without=without, none=none, force=force)
    # What the owner wants once more after taking it back is no night that repeats itself: no night before it counts.
    done = _attempt(night, OWNER, moment, time.monotonic() - started, ())
    record(workspace.root, replace(done, health=_health(workspace, clock)))
    return night


def _second_look(workspace: Workspace, clock: Clock) -> None:
    """The report of `dream refine`. The night is done and recorded; what goes wrong here must not make it a failed one."""
    from reverie.features.refine.refine import refine  # the judge and its weights, only for those who want it

    with suppress(ReverieError):
        refine(workspace, clock)


def outcome_of(workspace: Workspace) -> Attempt | None:
    """What the last try came to."""
    known = attempts(workspace.root)
    return known[-1] if known else None


def _attempt(night: Night, by: str, moment: str, spent: float, before: tuple[Attempt, ...]) -> Attempt:
    fresh = len(unjudged(night.snapshot))
    run = night.run.id if night.run else ""
    last = next((one for one in reversed(before) if one.did), None)
    outcome = night_outcome(
        night.plan, last, material=_material(night.snapshot), fresh=fresh, run=run, proposed=bool(night.proposed)
    )
    return Attempt(
        moment, by, outcome, len(night.snapshot.files), fresh, len(night.snapshot.refused),
        night.plan.counts, night.plan.refused, run, spent, fingerprint(night.plan) if run else "",
    )  # fmt: skip


def _material(snapshot: Snapshot) -> int:
    """Files that say something of the owner's: an empty MEMORY.md and our own output say nothing."""
    return sum(
        1
        for file in snapshot.files.values()
        if file.place.kind not in OWN_OUTPUT and file.place.kind is not Kind.CONFIG and file.text.strip()
    )


__all__ = ["headline"]
