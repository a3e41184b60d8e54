"""The scheduled night: what a cron job calls, as often as it likes.

Most calls look at four small files and end; none of the rooms is loaded for them. The hibernating one lists names besides,
and writes nothing at all.
"""

from __future__ import annotations

from collections.abc import Mapping

from reverie.core.ports import Clock, Idle
from reverie.core.settings import Settings
from reverie.core.when import Do, State
from reverie.features.schedule.outlook import DEFERRED, Watch, outlook, transcripts_of
from reverie.workspace.values import Workspace

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
    from reverie.workspace.idle import AgentStatus, AnyOf, RecentWrites  # processes, only for those who ask

    ways: list[Idle] = []
    if settings.schedule.quiet_minutes and settings.transcripts:
        ways.append(RecentWrites(transcripts_of(settings), settings.schedule.quiet_minutes, clock))
    if settings.schedule.ask_agent:
        ways.append(AgentStatus(environ=environ))
    return AnyOf(tuple(ways))


__all__ = ["DEFERRED", "Watch", "idle_of", "outlook", "watch"]
