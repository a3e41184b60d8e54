"""`dream on`, `dream off`: whether anything happens by itself. A review by hand always works.

What the schedule keeps in mind (`watched.json`), as values and as text.

What the schedule says about a workspace at this moment, from small state files. Writes nothing, ever.

Kept apart from what is done about it, so that a look stays cheap: it loads none of the rooms, unless the workspace
hibernates, when names and times of notes and conversations are listed.

The scheduled night: what a cron job calls, as often as it likes.

Most calls look at four small files and end; none of the rooms is loaded for them. The hibernating one lists names besides,
and writes nothing at all.
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
from reverie.core.when import Decision, Do, Seen, State, whether_due
from reverie.features.status import is_on
from reverie.workspace.values import Run, Workspace


def switch(workspace: Workspace, *, on: bool, disk: Disk | None = None) -> bool:
    """Switch dreaming on or off. False when it was so already; then nothing is written."""
    if is_on(workspace.root) == on:
        return False
    return put_state(workspace, SWITCH, "on" if on else "off", disk)


def with_watched(seen: Seen, text: str) -> Seen:
    """What was kept, laid over what was seen. A damaged file only means that nothing is remembered."""
    try:
        kept = json.loads(text) if text else {}
    except ValueError:
        kept = {}
    if not isinstance(kept, dict):
        return seen
    tries = kept.get("tries")
    return replace(
        seen,
        settled=_moment(kept.get("settled")),
        asleep_since=_moment(kept.get("asleep_since")),
        tried=_moment(kept.get("tried")),
        tried_at=_moment(kept.get("tried_at")),
        tries=tries if type(tries) is int and tries >= 0 else 0,
        quiet_since=_day(kept.get("quiet_since")),
    )


def watched_text(seen: Seen) -> str:
    """The same, as it is kept: moments with their offset, so that a move to another zone changes nothing."""
    kept: dict[str, Any] = {
        name: moment.isoformat(timespec="seconds") if moment else None
        for name, moment in (
            ("settled", seen.settled),
            ("asleep_since", seen.asleep_since),
            ("tried", seen.tried),
            ("tried_at", seen.tried_at),
        )
    }
    kept |= {"tries": seen.tries, "quiet_since": seen.quiet_since.isoformat() if seen.quiet_since else None}
    return json.dumps({"version": 1, **kept}, indent=1) + "\n"


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


DEFERRED = 75  # what sysexits calls a temporary failure: call again
_SMALL = 64 * 1024  # no state file is larger


@dataclass(frozen=True, slots=True)
class Watch:
    """What a scheduled call came to: the decision, and the run if it dreamt something."""

    decision: Decision
    run: Run | None = None
    proposed: str = ""

    @property
    def exit_code(self) -> int:
        return DEFERRED if self.decision.do is Do.DEFER else 0


def outlook(workspace: Workspace, clock: Clock) -> tuple[Seen, Decision]:
    """What the schedule says at this moment, from small state only. Writes nothing."""
    seen = look(workspace, clock.now())
    if not is_on(workspace.root):
        return seen, Decision(Do.WAIT, "dreaming is off; `dream on` switches it on")
    return seen, whether_due(seen, workspace.settings)


def look(workspace: Workspace, now: datetime) -> Seen:
    """What a decision rests on. Of the hibernating only names and times are looked at besides."""
    said = state_of(workspace)
    seen = Seen(now=now, zone=zone_of(workspace.settings), last_dream=_last_dream(workspace.root), state=said)
    seen = with_watched(seen, _text(workspace.root / WATCHED))
    if said is not State.HIBERNATING:
        return seen
    from reverie.workspace.news import last_word  # only for those asleep

    return replace(seen, heard=last_word(workspace.root, transcripts_of(workspace.settings), seen.asleep_since))


def state_of(workspace: Workspace) -> State:
    """What the state file says; without one, or with a word nobody knows, the workspace is active."""
    said = _text(workspace.vault / DREAM_STATE.removeprefix(VAULT)).strip().lower()
    return State(said) if said in set(State) else State.ACTIVE


def zone_of(settings: Settings) -> tzinfo:
    return ZoneInfo(settings.timezone) if settings.timezone else MachineZone()


def transcripts_of(settings: Settings) -> tuple[Path, ...]:
    return tuple(Path(folder).expanduser() for folder in settings.transcripts)


def _last_dream(root: Path) -> datetime | None:
    try:
        moment = datetime.fromisoformat(_text(root / LAST_DREAM).strip())
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _text(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(_SMALL).decode("utf-8", "replace")
    except OSError:
        return ""


_IDLE = frozenset({Do.SLEEP, Do.DEFER})  # nothing is done about these


def watch(workspace: Workspace, clock: Clock, idle: Idle) -> Watch:
    """Dream if it is time. What goes wrong is kept in mind, so that the night is tried again, and raised."""
    seen, decision = outlook(workspace, clock)
    if decision.do in _IDLE or (decision.do is Do.WAIT and seen.state is State.ACTIVE):
        return Watch(decision)
    from reverie.features.schedule import nightshift  # the rooms, only when there is something to do

    return nightshift.act(workspace, clock, idle, seen, decision)


def idle_of(settings: Settings, clock: Clock, environ: Mapping[str, str]) -> Idle:
    """How this machine can tell whether its agent is at work, the cheap way first."""
    from reverie.workspace.sessions import AgentStatus, AnyOf, RecentWrites  # processes, only for those who ask

    ways: list[Idle] = []
    if settings.schedule.quiet_minutes and settings.transcripts:
        ways.append(RecentWrites(transcripts_of(settings), settings.schedule.quiet_minutes, clock))
    if settings.schedule.ask_agent:
        ways.append(AgentStatus(environ=environ))
    return AnyOf(tuple(ways))


__all__ = [
    "DEFERRED",
    "Watch",
    "idle_of",
    "is_on",
    "look",
    "outlook",
    "state_of",
    "switch",
    "transcripts_of",
    "watch",
    "zone_of",
]
