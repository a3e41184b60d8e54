"""`dream promote` and `promote-explain`: the recall lane for people who ask.

Looking brings the index and the recall store up to date, which are derived; only applying touches MEMORY.md, through the
one writer and the promises, as a run that can be undone. Notes that no night has judged stay unjudged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from reverie.apply.files import Disk
from reverie.core.errors import BadInput
from reverie.core.layout import STATE_DIR, review_log
from reverie.core.ports import Clock
from reverie.evidence.claims import Evidence, Observed
from reverie.evidence.recall_store import mark_promoted
from reverie.judge.operation import Op
from reverie.judge.proposals import weigh as weigh_notes
from reverie.judge.worth import LineToWeigh, Worth, worth_of
from reverie.lang.messages import say
from reverie.night.briefing import make_brief
from reverie.night.commands import Night
from reverie.night.live_lines import read_remembered, recall_state
from reverie.night.night import plan_dream
from reverie.night.remember import evidence_of, sweep
from reverie.night.transaction import transaction
from reverie.openclaw.deep import GATES, Weighed, profile_of, promotions_in, weigh
from reverie.openclaw.recall_lane import Audit, audit_of, note_promotions
from reverie.openclaw.score import Profile, with_gates
from reverie.plan.build import build_plan, plan_of
from reverie.plan.promises import check_promises
from reverie.plan.splices import hashes_after, texts_after
from reverie.text.terms import plain
from reverie.workspace.reader import reread
from reverie.workspace.values import Intent, Plan, Snapshot, Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Gates:
    """What somebody asked for instead of the settings; None leaves a gate as it is."""

    min_score: float | None = None
    min_recall_count: int | None = None
    min_unique_queries: int | None = None
    limit: int | None = None  # without one, a command shows and applies all that pass


@dataclass(frozen=True, slots=True)
class Ranking:
    """Every candidate with its verdict, best first, and by which rules."""

    snapshot: Snapshot
    profile: Profile
    audit: Audit
    everything: tuple[Weighed, ...]
    candidates: tuple[Weighed, ...]  # those that pass every gate, as many as were asked for
    evidence: Evidence


def ranking(workspace: Workspace, clock: Clock, gates: Gates, *, include_promoted: bool = False) -> Ranking:
    """What would be promoted now, and what would not and why. Changes no file of the owner's."""
    sweep(workspace, clock, asleep=False)
    return _ranked(read_remembered(workspace), clock, gates, include_promoted=include_promoted)


def promote(
    workspace: Workspace, clock: Clock, gates: Gates, *, include_promoted: bool = False, disk: Disk | None = None
) -> tuple[Ranking, Night]:
    """Let the candidates enter MEMORY.md, as a run. Nothing to enter means that nothing is written."""
    with transaction(workspace, clock, "promote", disk) as work:
        sweep(workspace, clock, asleep=False)

        def decide(snapshot: Snapshot) -> tuple[tuple[Ranking, Night], Plan]:
            found = _ranked(snapshot, clock, gates, include_promoted=include_promoted)
            plan = _plan(snapshot, found.candidates, clock.now())
            check_promises(snapshot, plan, lambda before, first: _again(before, first, found, clock))
            return (found, Night(snapshot, plan)), plan

        (found, night), run = work.write(decide, read=read_remembered)
        night = replace(night, run=run, recovered=work.recovered, projected=work.refresh())
        if run is None:
            return found, night
        at = clock.now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        marks = {one.key: at for one in found.candidates if not one.reason}
        mark_promoted(workspace.root, marks, known=recall_state(workspace).recalls)
        return replace(found, audit=audit_of(workspace.root, recall_state(workspace))), night


def left_by_the_night(found: Ranking, clock: Clock) -> tuple[Weighed, ...]:
    """The candidates that the next night would not take by itself: it knows them already, or asks about them first."""
    may = [one for one in found.candidates if not one.reason]
    night = plan_dream(found.snapshot.workspace, clock, found.snapshot, ask=False) if may else None
    taken = {plain(one.text) for one in night.operations if one.op is Op.ADD} if night else set()
    return tuple(one for one in may if plain(one.text) not in taken)


def explain(
    workspace: Workspace, clock: Clock, selector: str, *, include_promoted: bool = True
) -> tuple[Ranking, Weighed, Worth]:
    """The candidate somebody means, by its key, its place or its words, with what the judge makes of it."""
    found = ranking(workspace, clock, Gates(), include_promoted=include_promoted)
    one = selected(found.everything, selector)
    if one is None:
        raise BadInput(say("promote.no_candidate", text=selector))
    return found, one, _judged(found.snapshot, one, clock.now())


def _judged(snapshot: Snapshot, one: Weighed, now: datetime) -> Worth:
    """What the night makes of it: the same note, weighed beside the same memory."""
    claim, embedder = one.claim, snapshot.workspace.embedder
    seen = (Observed(claim, claim.key, (claim.day,), (claim.source,)),) if claim else ()
    weighed = weigh_notes(make_brief(snapshot, Evidence(seen, embedder=embedder), now)) if seen else ()
    if weighed:
        return weighed[0].worth
    text = one.text or one.scored.entry.snippet
    return worth_of([LineToWeigh(text)], embedder.embed if embedder else None, quick=True)[0]


def selected(everything: Sequence[Weighed], selector: str) -> Weighed | None:
    """The first candidate that is meant: its key, its place, its words as they stand, then all of the words in any order."""
    wanted, words = selector.strip(), plain(selector)
    tests: tuple[Callable[[Weighed], bool], ...] = (
        lambda one: wanted in (one.key, one.scored.entry.place, one.scored.entry.claim),
        lambda one: bool(words) and words in plain(one.scored.entry.snippet),
        lambda one: bool(wanted) and wanted.casefold() in one.scored.entry.path.casefold(),
        lambda one: bool(words) and set(words.split()) <= set(plain(one.scored.entry.snippet).split()),
    )
    return next((one for test in tests for one in everything if test(one)), None)


def _ranked(snapshot: Snapshot, clock: Clock, gates: Gates, *, include_promoted: bool) -> Ranking:
    workspace = snapshot.workspace
    note_promotions(workspace, recall_state(workspace))
    state = recall_state(workspace)
    evidence = evidence_of(snapshot, keep=(workspace.root / STATE_DIR).is_dir())
    profile = replace(
        with_gates(
            profile_of(workspace.settings.dreaming),
            min_score=gates.min_score,
            min_signals=gates.min_recall_count,
            min_queries=gates.min_unique_queries,
        ),
        limit=None,
    )
    everything = weigh(evidence, snapshot, profile=profile, now=clock.now(), include_promoted=include_promoted)
    passing = tuple(one for one in everything if one.reason not in GATES)
    audit = audit_of(workspace.root, state)
    return Ranking(snapshot, profile, audit, everything, passing[: gates.limit], evidence)


def _plan(snapshot: Snapshot, candidates: Sequence[Weighed], now: datetime) -> Plan:
    """The lines that enter and the log that says so; the cursors of a night stay where they are."""
    operations = promotions_in(candidates)
    refused = Counter(one.reason for one in candidates if one.reason and one.reason not in GATES)
    if not operations:
        return plan_of(snapshot, Intent.DREAM, (), now, refused=refused)
    whole = build_plan(snapshot, operations, now, refused=refused)
    kept = [edit for edit in whole.edits if edit.path in (snapshot.memory_path, review_log(now.date()))]
    return plan_of(snapshot, Intent.DREAM, kept, now, flags=whole.flags, refused=whole.refused)


def _again(before: Snapshot, first: Plan, found: Ranking, clock: Clock) -> Plan:
    """The same candidates over what the first plan leaves: each must now be known."""
    after = reread(before, texts_after(before, first), hashes_after(before, first))
    entered = {one.key for one in found.candidates if not one.reason}
    now = clock.now()
    more = weigh(found.evidence, after, profile=found.profile, now=now)
    return _plan(after, [one for one in more if one.key in entered], now)
