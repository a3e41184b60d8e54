"""`dream due`: is it time to dream? Seed 001's two checks, for a script or a heartbeat: time enough, and something new.

Looks and writes nothing. The night's hour, the gap and hibernation are `when`'s business; what is new is told by content.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from reverie.apply.holder import holder_of
from reverie.core.ports import Clock
from reverie.core.when import Decision, Do, Seen
from reverie.features.schedule.nightshift import how_much_is_new
from reverie.features.schedule.outlook import outlook
from reverie.workspace.news import unjudged
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Workspace


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
    holder, _ = holder_of(workspace.root)
    if holder:
        return Due(False, f"the workspace is held by {holder}", (*checks, "WARN: a dream is running"), 0)
    snapshot, least = read_workspace(workspace), max(1, workspace.settings.schedule.min_new_entries)
    notes, new = len(unjudged(snapshot)), how_much_is_new(snapshot, seen)
    checks.append(
        f"CHECK: {notes} new file{'s' if notes != 1 else ''}, {new} new entr{'ies' if new != 1 else 'y'} in all"
    )
    if new < least:
        why = f"fewer than {least} new entries" if new else "nothing new since the last dream"
        return Due(False, why, tuple(checks), notes, decision.until)
    return Due(True, decision.why, tuple(checks), notes)


def _last(seen: Seen) -> str:
    if seen.last_dream is None:
        return "CHECK: there was no dream yet"
    hours = int((seen.now - seen.last_dream).total_seconds() // 3600)
    if hours < 0:
        return "WARN: the last dream lies in the future; a clock is or was wrong"
    return f"CHECK: the last dream was {hours} hour{'s' if hours != 1 else ''} ago"


def next_night(decision: Decision, zone_now: datetime) -> str:
    """What the schedule says, in a sentence for people."""
    if decision.do is Do.DUE:
        return f"A dream is due ({decision.why}); the next call of the schedule looks whether anything is new."
    if decision.do is Do.SLEEP:
        return "Nothing while it hibernates; the first new conversation wakes it."
    if decision.do is Do.WAKE:
        return f"It wakes at the next call of the schedule: {decision.why}."
    until = f" until {decision.until.astimezone(zone_now.tzinfo):%Y-%m-%d %H:%M}" if decision.until else ""
    return f"Nothing{until}: {decision.why}."


__all__ = ["Due", "due", "next_night"]
