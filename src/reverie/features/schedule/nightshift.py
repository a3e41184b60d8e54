"""What a scheduled call does once it is time: dream, defer, settle, hibernate, wake; and `dream due`, which only looks.

A night that needs nothing more is settled in `watched.json`, so that an undo in the morning does not make it due again.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from reverie.apply.lock import holder_of
from reverie.apply.peer_lock import peer_minutes
from reverie.apply.state import put_state, put_watched
from reverie.core.errors import Busy, ReverieError
from reverie.core.layout import DREAM_STATE, JOURNAL, PEER_JOURNAL, REVIEWED, SEED_LOCK, review_log
from reverie.core.ports import Clock, FixedClock, Idle
from reverie.evidence.attempts import Attempt, Outcome, record
from reverie.evidence.session_corpus import read_cursors
from reverie.features.schedule import recorded
from reverie.features.schedule.when import (
    TRIES,
    Do,
    NightDecision,
    ScheduledCall,
    ScheduleState,
    State,
    outlook,
    state_of,
    transcripts_of,
    watched_text,
    whether_due,
    whether_now,
)
from reverie.lang.messages import say
from reverie.night.transaction import transact
from reverie.openclaw.host import host_turn
from reverie.plan.build import plan_of
from reverie.plan.splices import VIEW
from reverie.text.lines import appended, count_units, split_lines
from reverie.workspace.news import unheard, unjudged
from reverie.workspace.reader import read_changes, read_workspace
from reverie.workspace.values import Edit, Intent, Origin, Plan, Snapshot, Workspace

PATIENCE = timedelta(days=2)  # so old may a note become that waits for the host agent
_PEOPLE = frozenset({Origin.OWNER, Origin.SESSION, Origin.QUOTED, Origin.FENCED})  # a heartbeat is no sign of life


@dataclass(frozen=True, slots=True)
class Due:
    """Whether to dream now, the reason, and what was looked at on the way, in the words of seed 001's script."""

    ready: bool
    why: str
    checks: tuple[str, ...]
    notes: int
    until: datetime | None = None

    @property
    def lines(self) -> tuple[str, ...]:
        return (*self.checks, f"{'READY' if self.ready else 'SKIP'}: {self.why}")


def due(workspace: Workspace, clock: Clock) -> Due:
    """READY when a night is due, nobody is dreaming, and a note is new; else SKIP with the reason."""
    seen, decision = outlook(workspace, clock)
    checks = [_last(seen)]
    if decision.do not in (Do.DUE, Do.WAKE):
        return Due(False, decision.why, tuple(checks), 0, decision.until)
    minutes = peer_minutes(workspace.root, clock.now())
    theirs = say("peer_lock.holder", path=SEED_LOCK, n=minutes) if minutes is not None else ""
    if holder := holder_of(workspace.root)[0] or theirs:
        return Due(False, say("schedule.held", holder=holder), (*checks, f"WARN: {say('schedule.running')}"), 0)
    snapshot, least = read_workspace(workspace), max(1, workspace.settings.schedule.min_new_entries)
    notes, new = len(unjudged(snapshot)), how_much_is_new(snapshot, seen)
    entries = say("schedule.new_entries", n=new)
    checks.append(f"CHECK: {say('schedule.found', files=say('count.new_file', n=notes), entries=entries)}")
    if new < least:
        why = say("schedule.too_few", n=least) if new else say("schedule.nothing_new")
        return Due(False, why, tuple(checks), notes, decision.until)
    return Due(True, decision.why, tuple(checks), notes)


def _last(seen: ScheduleState) -> str:
    if seen.last_dream is None:
        return f"CHECK: {say('schedule.never')}"
    hours = int((seen.now - seen.last_dream).total_seconds() // 3600)
    if hours < 0:
        return f"WARN: {say('schedule.clock')}"
    return f"CHECK: {say('schedule.last', hours=say('count.hour', n=hours))}"


def act(workspace: Workspace, clock: Clock, idle: Idle, seen: ScheduleState, decision: NightDecision) -> ScheduledCall:
    """Do what was decided, and keep it in mind. While somebody dreams here by hand, look again later."""
    try:
        return _act(workspace, clock, idle, seen, decision)
    except Busy as error:
        again = seen.now + timedelta(minutes=workspace.settings.schedule.defer_minutes)
        return ScheduledCall(NightDecision(Do.DEFER, str(error).partition(". ")[0], again, decision.night))


def _act(workspace: Workspace, clock: Clock, idle: Idle, seen: ScheduleState, decision: NightDecision) -> ScheduledCall:
    if decision.do is Do.WAKE:
        awake = replace(seen, state=State.ACTIVE, asleep_since=None)
        seen = _settle(workspace, _alive(awake, seen.heard), seen.heard)
        _log(workspace, clock.now(), say("schedule.log_awake", why=decision.why), State.ACTIVE)
        woken, decision = decision, whether_due(seen, workspace.settings)
        if decision.do is Do.WAIT:
            return ScheduledCall(replace(woken, until=decision.until))
    if decision.do is Do.DUE:
        return _due(workspace, clock, idle, seen, decision)
    if decision.do is Do.TOO_SOON:
        _settle(workspace, seen, clock.now())
    if state_of(workspace) is State.PENDING:
        _put_state(workspace, State.ACTIVE)  # the night it waited for is over, or somebody dreamt by hand
    return ScheduledCall(decision)


def _due(workspace: Workspace, clock: Clock, idle: Idle, seen: ScheduleState, due: NightDecision) -> ScheduledCall:
    settings, now = workspace.settings, clock.now()
    busy = host_turn(workspace, now) or idle.busy()
    decision = whether_now(seen, settings, due, fresh=0, busy=busy)
    if decision.do is Do.DEFER:
        return _defer(workspace, seen, decision, now)
    snapshot = read_workspace(workspace)
    fresh = how_much_is_new(snapshot, seen)
    decision = whether_now(seen, settings, due, fresh=fresh, busy=busy)
    if decision.do is Do.DREAM and (why := _awaited(snapshot, clock)):
        later = seen.now + timedelta(minutes=settings.schedule.defer_minutes)
        return _defer(workspace, seen, NightDecision(Do.DEFER, why, later, due.night), now)
    if decision.do is Do.DREAM:
        return _dream(workspace, clock, seen, decision)
    looked = Attempt(now.isoformat(timespec="seconds"), recorded.SCHEDULE, Outcome.NOTHING_NEW, len(snapshot.files))
    record(workspace.root, looked)  # proof of life, also of a night without news
    if fresh or not (seen.last_dream or seen.quiet_since):
        seen = _alive(seen, now)
    if decision.do is Do.HIBERNATE:
        _settle(workspace, replace(seen, asleep_since=now), now)
        _log(workspace, now, say("schedule.log_hibernating", why=decision.why), State.HIBERNATING)
    else:
        _settle(workspace, seen, now)
        _put_state(workspace, State.ACTIVE)
    return ScheduledCall(decision)


def _defer(workspace: Workspace, seen: ScheduleState, decision: NightDecision, now: datetime) -> ScheduledCall:
    """Not now. The log says so once a night, however often it is called."""
    if seen.state is not State.PENDING:
        _log(workspace, now, say("schedule.log_deferred", why=decision.why), State.PENDING)
    return ScheduledCall(decision)


def _awaited(snapshot: Snapshot, clock: Clock) -> str:
    """That the host agent leads and has not judged what is new. Its night waits for it, but no note waits longer than two nights."""
    mind = snapshot.workspace.settings.model
    if mind.kind != "agent" or not mind.leads:
        return ""
    from reverie.night.agent import kept_answer  # the prompts, only where an agent leads

    oldest = min((file.place.day for file in unjudged(snapshot) if file.place.day), default=None)
    late = oldest is not None and clock.now().date() - oldest > PATIENCE
    return (
        ""
        if late or oldest is None or kept_answer(snapshot.workspace, clock) is not None
        else say("schedule.agent_waits")
    )


def _dream(workspace: Workspace, clock: Clock, seen: ScheduleState, decision: NightDecision) -> ScheduledCall:
    try:
        night = recorded.review(workspace, clock, by=recorded.SCHEDULE)
    except Busy:  # no failure of this night
        raise
    except ReverieError:
        _failed(workspace, seen, decision)
        raise
    _settle(workspace, _alive(seen, seen.now), clock.now())
    _put_state(workspace, State.ACTIVE)
    return ScheduledCall(decision, night.run, night.proposed)


def _failed(workspace: Workspace, seen: ScheduleState, decision: NightDecision) -> None:
    """Try again in a while; after some tries leave it to the next night, and to `dream doctor` to tell why."""
    night = decision.night.astimezone(UTC) if decision.night else None
    tries = seen.tries + 1 if seen.tried and seen.tried.astimezone(UTC) == night else 1
    put_watched(workspace, watched_text(replace(seen, tried=night, tried_at=seen.now, tries=tries)))
    _put_state(workspace, State.PENDING if tries < TRIES else State.ACTIVE)


def how_much_is_new(snapshot: Snapshot, seen: ScheduleState) -> int:
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


def _alive(seen: ScheduleState, at: datetime | None) -> ScheduleState:
    """There was a sign of life: the days without any are counted from here."""
    return replace(seen, quiet_since=at.astimezone(seen.zone).date()) if at else seen


def _settle(workspace: Workspace, seen: ScheduleState, at: datetime | None) -> ScheduleState:
    """The nights up to this moment need nothing more."""
    seen = replace(seen, settled=at, tried=None, tried_at=None, tries=0)
    put_watched(workspace, watched_text(seen))
    return seen


def _put_state(workspace: Workspace, state: State) -> None:
    if state_of(workspace) is not state:
        put_state(workspace, DREAM_STATE, str(state))


def _log(workspace: Workspace, now: datetime, said: str, state: State) -> None:
    """A paragraph of the review log through the one writer, then the word of state."""
    path = review_log(now.date())

    def look(_workspace: Workspace, _known: Snapshot | None) -> Snapshot:
        found, _, refused = read_changes(workspace, {}, only=(path,))
        return Snapshot(workspace, {path: one.file for path, one in found.items()}, refused)

    def decide(snapshot: Snapshot) -> tuple[None, Plan]:
        at, old, new = appended(split_lines(snapshot.text_of(path)), (f"### {now:%Y-%m-%d %H:%M}", said, ""))
        edit = Edit("log", path, at, old, new, VIEW, say("schedule.log_why"))
        return None, plan_of(snapshot, Intent.WATCH, [edit], now)

    transact(workspace, FixedClock(now), "review", decide, read=look)
    _put_state(workspace, state)


def _characters(text: str) -> int:
    """How large MEMORY.md was when the last night left it; -1 when nobody knows."""
    try:
        kept = json.loads(text)["memory"]["characters"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return -1
    return kept if type(kept) is int else -1


def _time(path: Path) -> float:
    try:
        return os.stat(path, follow_symlinks=False).st_mtime
    except OSError:
        return float("-inf")
