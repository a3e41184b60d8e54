"""What a scheduled call does once it is decided: dream, defer, settle, hibernate, wake; and what it keeps in mind of it.

A night that needs nothing more is settled in `watched.json`, so that an undo in the morning does not make it due again.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from reverie.apply.lock import held
from reverie.apply.recover import recover
from reverie.apply.state import put_state, put_watched
from reverie.apply.writer import write_run
from reverie.core.errors import Busy, ReverieError
from reverie.core.layout import DREAM_STATE, JOURNAL, PEER_JOURNAL, REVIEWED, review_log
from reverie.core.ports import Clock, Idle
from reverie.core.when import TRIES, Decision, Do, Seen, State, whether_due, whether_now
from reverie.evidence.attempts import Attempt, Outcome, record
from reverie.evidence.ingest import read_cursors
from reverie.features.schedule import proof
from reverie.features.schedule.outlook import Watch, state_of, transcripts_of, watched_text
from reverie.plan.promises import check_promises
from reverie.plan.splices import changes_of
from reverie.plan.watch import told_plan
from reverie.text.lines import count_units
from reverie.workspace.lately import unheard
from reverie.workspace.news import unjudged
from reverie.workspace.reader import read_changes, read_workspace
from reverie.workspace.values import Origin, Snapshot, Workspace

PATIENCE = timedelta(days=2)  # so old may a note become that waits for the host agent
WAITS = "the host agent has not judged the new notes yet (`dream brief`, `dream answer`)"
_PEOPLE = frozenset({Origin.OWNER, Origin.SESSION, Origin.QUOTED, Origin.FENCED})  # a heartbeat is no sign of life


def act(workspace: Workspace, clock: Clock, idle: Idle, seen: Seen, decision: Decision) -> Watch:
    """Do what was decided, and keep it in mind. While somebody dreams here by hand, look again later."""
    try:
        return _act(workspace, clock, idle, seen, decision)
    except Busy as error:
        again = seen.now + timedelta(minutes=workspace.settings.schedule.defer_minutes)
        return Watch(Decision(Do.DEFER, str(error).partition(". ")[0], again, decision.night))


def _act(workspace: Workspace, clock: Clock, idle: Idle, seen: Seen, decision: Decision) -> Watch:
    if decision.do is Do.WAKE:
        awake = replace(seen, state=State.ACTIVE, asleep_since=None)
        seen = _settle(workspace, _alive(awake, seen.heard), seen.heard)
        _tell(workspace, clock.now(), f"Awake: {decision.why}.", State.ACTIVE)
        woken, decision = decision, whether_due(seen, workspace.settings)
        if decision.do is Do.WAIT:
            return Watch(replace(woken, until=decision.until))
    if decision.do is Do.DUE:
        return _due(workspace, clock, idle, seen, decision)
    if decision.do is Do.TOO_SOON:
        _settle(workspace, seen, clock.now())
    if state_of(workspace) is State.PENDING:
        _say(workspace, State.ACTIVE)  # the night it waited for is over, or somebody dreamt by hand
    return Watch(decision)


def _due(workspace: Workspace, clock: Clock, idle: Idle, seen: Seen, due: Decision) -> Watch:
    settings, now = workspace.settings, clock.now()
    busy = idle.busy()
    decision = whether_now(seen, settings, due, fresh=0, busy=busy)
    if decision.do is Do.DEFER:
        if seen.state is not State.PENDING:
            _tell(workspace, now, f"Deferred: {decision.why}.", State.PENDING)
        return Watch(decision)
    snapshot = read_workspace(workspace)
    fresh = how_much_is_new(snapshot, seen)
    decision = whether_now(seen, settings, due, fresh=fresh, busy=busy)
    if decision.do is Do.DREAM and (why := _awaited(snapshot, clock)):
        if seen.state is not State.PENDING:
            _tell(workspace, now, f"Deferred: {why}.", State.PENDING)
        return Watch(Decision(Do.DEFER, why, seen.now + timedelta(minutes=settings.schedule.defer_minutes), due.night))
    if decision.do is Do.DREAM:
        return _dream(workspace, clock, seen, decision)
    looked = Attempt(now.isoformat(timespec="seconds"), proof.SCHEDULE, Outcome.NOTHING_NEW, len(snapshot.files))
    record(workspace.root, looked)  # proof of life, also of a night without news
    if fresh or not (seen.last_dream or seen.quiet_since):
        seen = _alive(seen, now)
    if decision.do is Do.HIBERNATE:
        _settle(workspace, replace(seen, asleep_since=now), now)
        _tell(workspace, now, f"Hibernating: {decision.why}.", State.HIBERNATING)
    else:
        _settle(workspace, seen, now)
        _say(workspace, State.ACTIVE)
    return Watch(decision)


def _awaited(snapshot: Snapshot, clock: Clock) -> str:
    """That the host agent leads and has not judged what is new. Its night waits for it, but no note waits longer than two nights."""
    mind = snapshot.workspace.settings.model
    if mind.kind != "agent" or not mind.leads:
        return ""
    from reverie.night.agent import kept_answer  # the prompts, only where an agent leads

    oldest = min((file.place.day for file in unjudged(snapshot) if file.place.day), default=None)
    late = oldest is not None and clock.now().date() - oldest > PATIENCE
    return "" if late or oldest is None or kept_answer(snapshot.workspace, clock) is not None else WAITS


def _dream(workspace: Workspace, clock: Clock, seen: Seen, decision: Decision) -> Watch:
    try:
        night = proof.review(workspace, clock, by=proof.SCHEDULE)
    except Busy:  # no failure of this night
        raise
    except ReverieError:
        _failed(workspace, seen, decision)
        raise
    _settle(workspace, _alive(seen, seen.now), clock.now())
    _say(workspace, State.ACTIVE)
    return Watch(decision, night.run, night.proposed)


def _failed(workspace: Workspace, seen: Seen, decision: Decision) -> None:
    """Try again in a while; after some tries leave it to the next night, and to `dream doctor` to tell why."""
    night = decision.night.astimezone(UTC) if decision.night else None
    tries = seen.tries + 1 if seen.tried and seen.tried.astimezone(UTC) == night else 1
    put_watched(workspace, watched_text(replace(seen, tried=night, tried_at=seen.now, tries=tries)))
    _say(workspace, State.PENDING if tries < TRIES else State.ACTIVE)


def how_much_is_new(snapshot: Snapshot, seen: Seen) -> int:
    """How much is new, by content: entries of people, conversations, the owner's edits of memory, what was asked for."""
    workspace = snapshot.workspace
    count = sum(1 for file in unjudged(snapshot) for entry in file.entries if entry.origin in _PEOPLE)
    memory = snapshot.text_of(snapshot.memory_path)
    if memory and count_units(memory) != _characters(snapshot.text_of(REVIEWED)):
        count += 1
    heard = {path: cursor.size for path, cursor in read_cursors(workspace.root).items()}
    count += unheard(transcripts_of(workspace.settings), heard)
    marks = [mark.timestamp() for mark in (seen.last_dream, seen.settled) if mark and mark <= seen.now]
    since = max(marks, default=float("-inf"))
    return count + any(_time(workspace.root / journal) > since for journal in (JOURNAL, PEER_JOURNAL))


def _alive(seen: Seen, at: datetime | None) -> Seen:
    """There was a sign of life: the days without any are counted from here."""
    return replace(seen, quiet_since=at.astimezone(seen.zone).date()) if at else seen


def _settle(workspace: Workspace, seen: Seen, at: datetime | None) -> Seen:
    """The nights up to this moment need nothing more."""
    seen = replace(seen, settled=at, tried=None, tried_at=None, tries=0)
    put_watched(workspace, watched_text(seen))
    return seen


def _say(workspace: Workspace, state: State) -> None:
    if state_of(workspace) is not state:
        put_state(workspace, DREAM_STATE, str(state))


def _tell(workspace: Workspace, now: datetime, said: str, state: State) -> None:
    """A paragraph of the review log through the one writer, then the word of state."""
    with held(workspace.root, "review", now.isoformat(timespec="seconds"), workspace.settings.lock_wait):
        recover(workspace)
        found, _, refused = read_changes(workspace, {}, only=(review_log(now.date()),))
        snapshot = Snapshot(workspace, {path: one.file for path, one in found.items()}, refused)
        plan = told_plan(snapshot, said, now)
        check_promises(snapshot, plan)
        write_run(workspace, plan, changes_of(snapshot, plan))
    _say(workspace, state)


def _characters(text: str) -> int:
    """How large MEMORY.md was when the last night left it; -1 when nobody knows."""
    try:
        kept = json.loads(text)["memory"]["characters"]
    except (ValueError, KeyError, TypeError):
        return -1
    return kept if type(kept) is int else -1


def _time(path: Path) -> float:
    try:
        return os.stat(path, follow_symlinks=False).st_mtime
    except OSError:
        return float("-inf")


__all__ = ["act", "how_much_is_new"]
