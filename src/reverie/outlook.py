"""What the schedule says about a workspace at this moment, from small state files. Writes nothing, ever.

Kept apart from what is done about it, so that a look stays cheap: it loads none of the rooms, unless the workspace
hibernates, when names and times of notes and conversations are listed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from reverie.glance import is_on
from reverie.layout import DREAM_STATE, LAST_DREAM, VAULT, WATCHED
from reverie.model import Run, Workspace
from reverie.ports import Clock, MachineZone
from reverie.settings import Settings
from reverie.watched import with_watched
from reverie.when import Decision, Do, Seen, State, whether_due

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
    from reverie.workspace.lately import last_word  # only for those asleep

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


__all__ = ["DEFERRED", "Watch", "look", "outlook", "state_of", "transcripts_of", "zone_of"]
