"""What starts the nights on this machine, why none comes, and what OpenClaw's file decides here. Loads nothing that a glance does without."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

from reverie.core.layout import SWITCH
from reverie.core.ports import Clock
from reverie.evidence.attempts import attempts
from reverie.features.doctor.signs import NightStarter
from reverie.features.status import LATE, Glance, glance, said_in
from reverie.lang.messages import say
from reverie.surfaces.configure import host_nonsense, host_of, host_switches, said_where, state_root
from reverie.surfaces.daemon import heartbeat_file, last_beat, started_by
from reverie.workspace.openclaw_switches import HostSwitch
from reverie.workspace.values import Workspace


def night_starter(workspace: Workspace, clock: Clock) -> NightStarter:
    """What starts the nights on this machine, as far as can be told, since when a daemon is dead, and what switches them off."""
    by = started_by(os.environ, clock.now(), workspace.folder)
    beat = None if by else last_beat(heartbeat_file(os.environ))
    dead = beat.at[:16].replace("T", " ") if beat and not (beat.stopped or beat.is_alive(clock.now())) else ""
    seen = glance(workspace.root, workspace.vault, workspace.settings, clock.now(), workspace.home)
    stuck = _stuck(workspace, seen, by, dead, clock)
    off_by = "" if seen.on or said_in(workspace.root / SWITCH) else place_of_switch(workspace.folder)
    return NightStarter(by, dead, stuck, off_by, host_sets(workspace.folder))


def blocked(workspace: Workspace, seen: Glance, clock: Clock) -> str:
    """Why no night comes although notes wait, in a few words; empty where nights come."""
    return night_starter(workspace, clock).blocked if seen.overdue else ""


def _stuck(workspace: Workspace, seen: Glance, by: str | None, dead: str, clock: Clock) -> str:
    calls = [one.moment for one in attempts(workspace.root) if one.by == "schedule" and one.moment]
    put_off = (
        seen.state == "pending" and timedelta(minutes=seen.waiting) < LATE
    )  # something called, and was told to wait
    if not seen.overdue or put_off or (calls and clock.now() - calls[-1] < LATE):
        return ""
    if dead:
        return say("claws.daemon_dead", since=dead)
    if by and (calls or seen.last_review):  # a timer of today has not had its first night
        since = f"{calls[-1]:%Y-%m-%d %H:%M}" if calls else say("status.never")
        return say("claws.timer_silent", by=by, since=since)
    return "" if by else say("claws.nothing_starts")


def place_of_switch(folder: Path) -> str:
    """The file and key that switch dreaming off."""
    return said_where(state_root(folder, os.environ), os.environ).get("dreaming.enabled", "dreaming.enabled")


def host_sets(folder: Path, *, on: bool = True, most: int = 0) -> tuple[str, ...]:
    """What each file of OpenClaw's decides here, as `FILE: key = value, …`, and what of it makes no sense; with `most` no longer list.

    Who is off has been told already what says so.
    """
    sets = [one for one in host_switches(folder, os.environ) if on or one.key != "dreaming.enabled"]
    told = [f"{file}: {its}" for file, its in _by_file(sets, most)]
    return (
        *told,
        *(say("claws.says_nothing", why=one.fault) for one in host_of(folder, os.environ) if one.fault),
        *(
            say("claws.passed_over", where=file, settings=its)
            for file, its in _by_file(host_nonsense(folder, os.environ), most)
        ),
    )


def _by_file(switches: Sequence[HostSwitch], most: int) -> Iterator[tuple[str, str]]:
    by_file: dict[str, list[str]] = {}
    for one in switches:
        by_file.setdefault(one.where.partition(": ")[0], []).append(f"{one.key} = {json.dumps(one.value)}")
    for file, its in by_file.items():
        rest = [say("time.more", n=len(its) - most)] if most and len(its) > most else []
        yield file, ", ".join([*(its[:most] if rest else its), *rest])
