"""`dream promote` and the commands beside it, by the judgement of the night; values have OpenClaw's names where it prints the same."""

from collections.abc import Iterable
from contextlib import nullcontext
from datetime import datetime
from typing import Any

import msgspec

from reverie.archive.records import read_records
from reverie.errors import Busy, NotFound
from reverie.plan.plan import build_plan
from reverie.signals.weigh import Recalls, Weighed, about, open_recalls
from reverie.store.disk import DISK, Disk
from reverie.store.journal import commit, opened
from reverie.store.views import settle
from reverie.workspace.layout import RECALLS, Layout
from reverie.workspace.read import read

Value = dict[str, Any]


def promote(
    layout: Layout, now: datetime, *, apply: bool = False, include_promoted: bool = False, disk: Disk = DISK, **gates: Any
) -> Value:  # fmt: skip
    """What passes the gates, best first; with `apply` it enters memory as a night would let it."""
    with opened(layout, "promote", disk) if apply else nullcontext():
        recalls = open_recalls(read(layout), now, **gates)
        weighed, audit = recalls.weighed(include_promoted=include_promoted), _audit(recalls)
        more = {"apply": _applied(recalls, weighed, now, disk)} if apply else {}
    candidates = [candidate_value(found) for found in weighed]
    return with_workspace(
        layout, storePath=audit["storePath"], audit=audit, candidates=candidates, rests=recalls.rests, **more
    )


def _applied(recalls: Recalls, weighed: Iterable[Weighed], now: datetime, disk: Disk) -> Value:
    """One run with all that enters, through the checks of every other plan."""
    if recalls.peer.is_at_work(recalls.now):
        raise Busy("OpenClaw is dreaming at this moment. Try again when it has finished.")
    wishes = {found.operation.id: found.scored.entry.key for found in weighed if found.operation}
    operations, snapshot = [found.operation for found in weighed if found.operation], recalls.snapshot
    plan = build_plan(snapshot, operations, now, recalls.declined, read_records(snapshot.layout))
    run = commit(plan, now, "promote", disk) if plan.splices else None
    settle(snapshot.layout, disk, snapshot)
    done = {"applied": len(plan.done), "appended": len(plan.done), "run": run.id if run else ""}
    refused = [{"text": text, "reason": why} for text, why in (refusal.as_pair for refusal in plan.refused)]
    return done | {"appliedCandidates": [wishes[wish.id] for wish in plan.done], "rejectedCandidates": refused}


def explain(layout: Layout, now: datetime, text: str) -> Value:
    """Why a line would or would not be promoted, whether or not it passes the gates."""
    found = about(open_recalls(read(layout), now), text)
    if found is None:
        raise NotFound(f"Nothing that was recalled fits {text!r}. `dream why` knows the rest.")
    gates = found.scored.gates.items()
    thresholds, passes = ({name: gate[which] for name, gate in gates} for which in (1, 2))
    return with_workspace(layout, thresholds=thresholds, candidate=candidate_value(found), passes=passes)


def memory_status(layout: Layout, now: datetime) -> Value:
    """The short-term store in figures, the gates, and whether OpenClaw dreams here itself."""
    from reverie.features.schedule import due
    from reverie.features.status import status

    recalls = open_recalls(read(layout), now)
    phased = [(signal.last_light, signal.last_rem) for signal in recalls.signals.values()]
    light, rem = (
        max(filter(None, times), default=None) for times in (zip(*phased, strict=True) if phased else ((), ()))
    )
    night = due(layout, now)
    staged, today = sum(bool(e.grounded) for e in recalls.store.entries.values()), now.date()
    return with_workspace(
        layout, audit=_audit(recalls), deep=recalls.profile, rests=recalls.rests, grounded=staged, signals=len(phased), lastLightAt=light,
        lastRemAt=rem, dreaming=status(layout, now).dreaming, next=f"{night.until:%Y-%m-%d %H:%M}" if night.until else night.reason, promotedToday=sum(k.day == today for k in recalls.state.added.values()), doubts=recalls.peer.doubts,
    )  # fmt: skip


def with_workspace(layout: Layout, **more: Any) -> Value:
    return {"workspaceDir": str(layout.root), **more}


def candidate_value(found: Weighed) -> Value:
    """A candidate in OpenClaw's fields, with what enters and what keeps it out behind them."""
    entry, rated = found.scored.entry, found.scored
    value: Value = msgspec.to_builtins(entry)
    return value | {
        "signalCount": entry.signals, "avgScore": entry.average, "uniqueQueries": rated.queries, "ageDays": rated.age_days,
        "score": rated.score, "components": rated.components._asdict(), "phaseBoost": rated.boost,
        "enters": found.operation.text if found.operation else "", "refusedFor": found.why_not,
    }  # fmt: skip


def _audit(recalls: Recalls) -> Value:
    """The health of the stores, ours and OpenClaw's, as OpenClaw counts it."""
    entries = [*recalls.store.entries.values(), *recalls.peer.entries.values()]
    return {
        "storePath": recalls.peer.store or RECALLS, "exists": bool(entries), "entryCount": len(entries),
        "promotedCount": sum(e.promoted is not None for e in entries), "spacedEntryCount": sum(len(e.days) > 1 for e in entries),
        "conceptTaggedEntryCount": sum(bool(e.tags) for e in entries), "invalidEntryCount": recalls.peer.skipped,
    }  # fmt: skip
