"""Whether OpenClaw's own dreaming is at work over a workspace now. Two that tidy one file take turns: it first, then we."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from reverie.core.cron import last_fire, parse_cron
from reverie.core.ports import MachineZone
from reverie.lang.messages import say
from reverie.workspace.openclaw_state import lock_times, peer_state
from reverie.workspace.values import Workspace

SWEEP = timedelta(minutes=30)  # what a sweep of OpenClaw's takes at most; it says so when its last phase is done
_DONE = "memory.dream.completed"


def host_writes(workspace: Workspace) -> bool:
    """Whether OpenClaw holds a lock of its own on this memory at this moment."""
    now = time.time()  # against times of files, which no clock of ours has set
    return any(0 <= now - taken < stale for taken, stale in lock_times(workspace))


def host_turn(workspace: Workspace, now: datetime) -> str:
    """Why a night should let OpenClaw finish first, in a sentence; empty when it rests."""
    if host_writes(workspace):
        return say("claws.writes")
    host = workspace.host
    if host is None or not host.on:
        return ""
    try:
        zone = ZoneInfo(host.zone) if host.zone else MachineZone()
        began = last_fire(parse_cron(host.cron), now, zone)
    except (ValueError, OSError, KeyError):  # a cadence or a zone that nobody can read brings no sweep
        return ""
    if began is None or now - began >= SWEEP:
        return ""
    deep = (one.at for one in peer_state(workspace).events if one.kind == _DONE and one.about.get("phase") == "deep")
    return "" if any(at and at >= began for at in deep) else say("claws.their_turn", time=f"{began:%H:%M}")
