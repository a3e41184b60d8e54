"""When to dream: what the schedule says about a workspace now, the switch, and the call that a cron job makes as often as it likes.

Most calls read four small files and end; nothing of the night is loaded for them. One that hibernates also lists the names and
times of notes and conversations, and writes nothing at all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from reverie.apply.files import Disk
from reverie.apply.state import put_state
from reverie.core.layout import DREAM_STATE, LAST_DREAM, SWITCH, VAULT, WATCHED
from reverie.core.ports import Clock, Idle, MachineZone
from reverie.core.settings import Settings
from reverie.features.schedule.when import Do, NightDecision, ScheduleState, State, whether_due
from reverie.features.status import is_on, said_in
from reverie.lang.messages import say
from reverie.workspace.values import Run, Workspace

DEFERRED = 75  # what sysexits calls a temporary failure: call again
_MOMENTS = ("settled", "asleep_since", "tried", "tried_at")


@dataclass(frozen=True, slots=True)
class ScheduledCall:
    """What a scheduled call came to: the decision, and the run if it dreamt something."""

    decision: NightDecision
    run: Run | None = None
    proposed: str = ""

    @property
    def exit_code(self) -> int:
        return DEFERRED if self.decision.do is Do.DEFER else 0


def scheduled_night(workspace: Workspace, clock: Clock, idle: Idle) -> ScheduledCall:
    """Dream if it is time. What goes wrong is kept in mind, so that the night is tried again, and raised."""
    seen, decision = outlook(workspace, clock)
    if decision.do in (Do.SLEEP, Do.DEFER) or (decision.do is Do.WAIT and seen.state is State.ACTIVE):
        return ScheduledCall(decision)
    from reverie.features.schedule import nightshift  # the whole night, only when there is something to do

    return nightshift.act(workspace, clock, idle, seen, decision)


def outlook(workspace: Workspace, clock: Clock) -> tuple[ScheduleState, NightDecision]:
    """What the schedule says at this moment, from small state files only."""
    seen = look(workspace, clock.now())
    if not is_on(workspace.root):
        return seen, NightDecision(Do.WAIT, say("schedule.off"))
    return seen, whether_due(seen, workspace.settings)


def next_night(decision: NightDecision, zone_now: datetime) -> str:
    """What the schedule says, in a sentence for people."""
    if decision.do in (Do.DUE, Do.SLEEP, Do.WAKE):
        return say(f"schedule.{decision.do}", why=decision.why)
    if decision.until is None:
        return say("schedule.nothing", why=decision.why)
    until = f"{decision.until.astimezone(zone_now.tzinfo):%Y-%m-%d %H:%M}"
    return say("schedule.nothing_until", until=until, why=decision.why)


def look(workspace: Workspace, now: datetime) -> ScheduleState:
    """What a decision rests on."""
    state = state_of(workspace)
    seen = ScheduleState(now=now, zone=zone_of(workspace.settings), last_dream=_last_dream(workspace.root), state=state)
    seen = with_watched(seen, said_in(workspace.root / WATCHED))
    if state is not State.HIBERNATING:
        return seen
    from reverie.workspace.news import last_word  # lists files, only for those asleep

    return replace(seen, heard=last_word(workspace.root, transcripts_of(workspace.settings), seen.asleep_since))


def state_of(workspace: Workspace) -> State:
    """What the state file says; without one, or with an unknown word, the workspace is active."""
    said = said_in(workspace.vault / DREAM_STATE.removeprefix(VAULT)).lower()
    return State(said) if said in set(State) else State.ACTIVE


def switch(workspace: Workspace, *, on: bool, disk: Disk | None = None) -> bool:
    """Switch on or off what happens by itself. False when it was so already; then nothing is written."""
    if is_on(workspace.root) == on:
        return False
    return put_state(workspace, SWITCH, "on" if on else "off", disk)


def with_watched(seen: ScheduleState, text: str) -> ScheduleState:
    """What `watched.json` remembers, laid over what was seen. A damaged file only means that nothing is remembered."""
    try:
        kept = json.loads(text) if text else {}
    except ValueError:
        kept = {}
    if not isinstance(kept, dict):
        return seen
    tries = kept.get("tries")
    moments: dict[str, Any] = {name: _moment(kept.get(name)) for name in _MOMENTS}
    tries = tries if type(tries) is int and tries >= 0 else 0
    return replace(seen, **moments, tries=tries, quiet_since=_day(kept.get("quiet_since")))


def watched_text(seen: ScheduleState) -> str:
    """The same, as it is kept: moments with their offset, so that a move to another zone changes nothing."""
    moments: dict[str, datetime | None] = {name: getattr(seen, name) for name in _MOMENTS}
    kept = {name: moment.isoformat(timespec="seconds") if moment else None for name, moment in moments.items()}
    quiet = seen.quiet_since.isoformat() if seen.quiet_since else None
    return json.dumps({"version": 1, **kept, "tries": seen.tries, "quiet_since": quiet}, indent=1) + "\n"


def _moment(value: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment if moment and moment.tzinfo else None


def _day(value: Any) -> date | None:
    try:
        return date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _last_dream(root: Path) -> datetime | None:
    try:
        moment = datetime.fromisoformat(said_in(root / LAST_DREAM))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def zone_of(settings: Settings) -> tzinfo:
    return ZoneInfo(settings.timezone) if settings.timezone else MachineZone()


def transcripts_of(settings: Settings) -> tuple[Path, ...]:
    return tuple(Path(folder).expanduser() for folder in settings.transcripts)


def idle_of(settings: Settings, clock: Clock, environ: Mapping[str, str]) -> Idle:
    """How this machine can tell whether its agent is at work, the cheap way first."""
    from reverie.workspace.sessions import AgentStatus, AnyOf, RecentWrites  # processes, only for those who ask

    ways: list[Idle] = []
    if settings.schedule.quiet_minutes and settings.transcripts:
        ways.append(RecentWrites(transcripts_of(settings), settings.schedule.quiet_minutes, clock))
    if settings.schedule.ask_agent:
        ways.append(AgentStatus(environ=environ))
    return AnyOf(tuple(ways))
