"""What `openclaw.json` says about dreaming and Active Memory, as settings of ours, and whether OpenClaw dreams over a folder itself.

Read only. A key that has no counterpart here, or a value that makes no sense, is passed over: the file is another program's, and
nothing of ours may stop because of it. Its switches count for OpenClaw's own workspaces: those that it names, or any folder
where it names none. A plugin that is switched off says nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from reverie.core.settings import Active
from reverie.workspace.settings_files import (
    agents_of,
    openclaw_agents,
    openclaw_file,
    openclaw_table,
    value_at,
    workspaces_of_openclaw,
)

_DREAMING = {  # below `dreaming` of OpenClaw's memory plugin
    "enabled": "dreaming.enabled",
    "frequency": "schedule.cron",
    "timezone": "timezone",
    "model": "model.model",
    "storage.mode": "storage.mode",
    "storage.separateReports": "storage.reports",
    "phases.light.lookbackDays": "dreaming.light_lookback_days",
    "phases.light.limit": "dreaming.light_limit",
    "phases.rem.lookbackDays": "dreaming.rem_lookback_days",
    "phases.deep.limit": "dreaming.limit",
    "phases.deep.minScore": "dreaming.min_score",
    "phases.deep.minRecallCount": "dreaming.min_recall_count",
    "phases.deep.minUniqueQueries": "dreaming.min_unique_queries",
    "phases.deep.recencyHalfLifeDays": "dreaming.half_life_days",
    "phases.deep.maxAgeDays": "dreaming.max_age_days",
}
_PHASES = ("light", "rem", "deep")
_MEMORY, _ACTIVE, _OURS = "memory-core", "active-memory", "reverie"
_ON_BY_ITSELF = (2026, 8, 1)  # from this version on OpenClaw dreams unless it is told not to
_USUAL = "0 3 * * *"


@dataclass(frozen=True, slots=True)
class HostSwitch:
    """One setting of ours that OpenClaw's file decides, and which line of it does."""

    key: str
    value: Any
    where: str


@dataclass(frozen=True, slots=True)
class HostDreaming:
    """OpenClaw's own dreaming over a folder: whether it is on, when it comes, and what says so."""

    on: bool
    where: str
    cron: str = _USUAL
    zone: str = ""


@dataclass(frozen=True, slots=True)
class HostSays:
    """What one file of OpenClaw's says about a folder. `trusted`: it is the owner's own, not one that lies in the workspace."""

    switches: tuple[HostSwitch, ...]
    dreaming: HostDreaming | None
    trusted: bool
    fault: str = ""  # why it says nothing, where it cannot be read
    agent: str = ""  # whose workspace the folder is, where it is one agent's alone


def host_says(root: Path, environ: Mapping[str, str]) -> tuple[HostSays, ...]:
    """The word of each `openclaw.json` that concerns a folder, the last of them counting most."""
    files = dict.fromkeys((openclaw_file(environ), root.parent / "openclaw.json", root / "openclaw.json"))
    read = {file: openclaw_table(file) for file in files}
    faults = tuple(HostSays((), None, False, fault) for _, fault in read.values() if fault)
    own = next(iter(files))
    return *faults, *(
        _said(file, table, root, environ, trusted=file == own) for file, (table, _) in read.items() if table
    )


def _said(file: Path, table: Mapping[str, Any], root: Path, environ: Mapping[str, str], *, trusted: bool) -> HostSays:
    default, *_ = workspaces_of_openclaw(table, environ)
    named = [name for name, home in agents_of(table, environ) if _same(home, root)]
    agent = next(iter(named), "main" if _same(default, root) else "")
    alone = agent if len(named) <= 1 and not (named and _same(default, root)) else ""
    switches = [HostSwitch(key, value, f"{file}: {path}") for path, key, value in _limits(table, agent)]
    if trusted and not _concerns(table, root, environ):
        return HostSays(tuple(switches), None, trusted, agent=alone)
    plugin = value_at(table, "plugins", "slots", "memory") or _MEMORY
    place, dreaming = f"plugins.entries.{plugin}.config.dreaming", _config(table, plugin, "dreaming")
    own = _own_dreaming(table, str(plugin), dreaming, f"{file}: {place}.enabled")
    found = {key: (f"{place}.{path}", value) for path, key, value in _dreaming(dreaming)}
    if (zone := value_at(table, "agents", "defaults", "userTimezone")) is not None:
        found.setdefault("timezone", ("agents.defaults.userTimezone", zone))
    for path, key, value in _active(_config(table, _ACTIVE)):
        found[key] = f"plugins.entries.{_ACTIVE}.config.{path}", value
    if _is_plugged_in(table):  # what is off there was left to us, as `dream integrate` says
        for key in ("dreaming.enabled", "active.enabled"):
            found.pop(key, None)
    switches += [HostSwitch(key, value, f"{file}: {path}") for key, (path, value) in found.items()]
    return HostSays(tuple(switches), own, trusted, agent=alone)


def _limits(table: Mapping[str, Any], agent: str) -> Iterator[tuple[str, str, Any]]:
    """Where OpenClaw cuts MEMORY.md, which holds for every folder; an agent may have a limit of its own."""
    own = next((one for one in openclaw_agents(table) if one.get("id") == agent), {}) if agent else {}
    for path, value in (
        ("agents.defaults.bootstrapMaxChars", value_at(table, "agents", "defaults", "bootstrapMaxChars")),
        (f"agents.entries.{agent}.bootstrapMaxChars", own.get("bootstrapMaxChars")),
    ):
        if isinstance(value, int) and not isinstance(value, bool):
            yield path, "memory.truncation", value


def _concerns(table: Mapping[str, Any], root: Path, environ: Mapping[str, str]) -> bool:
    """Whether this folder is one of OpenClaw's; where none of those it names is there, every folder may be."""
    if said := environ.get("OPENCLAW_WORKSPACE"):
        return _same(Path(said).expanduser(), root)
    there = [folder for folder in workspaces_of_openclaw(table, environ) if folder.is_dir()]
    return not there or any(_same(folder, root) for folder in there)


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _config(table: Mapping[str, Any], plugin: Any, *keys: str) -> Mapping[str, Any]:
    """The settings of a plugin; nothing where it, or every plugin, is switched off."""
    entry = value_at(table, "plugins", "entries", str(plugin))
    if value_at(table, "plugins", "enabled") is False or value_at(entry, "enabled") is False:
        return {}
    found = value_at(entry, "config", *keys)
    return found if isinstance(found, dict) else {}


def _is_plugged_in(table: Mapping[str, Any]) -> bool:
    entry = value_at(table, "plugins", "entries", _OURS)
    return isinstance(entry, dict) and entry.get("enabled") is not False


def _own_dreaming(
    table: Mapping[str, Any], plugin: str, dreaming: Mapping[str, Any], where: str
) -> HostDreaming | None:
    """None where nobody can tell: an OpenClaw of before 2026.8 that was not asked to, or another memory plugin."""
    entry, on = value_at(table, "plugins", "entries", plugin), dreaming.get("enabled")
    silent = value_at(table, "plugins", "enabled") is False or value_at(entry, "enabled") is False
    if plugin != _MEMORY or silent:
        return None
    if not isinstance(on, bool):
        version, where = value_at(table, "meta", "lastTouchedVersion"), where.partition(": ")[0]
        parts = tuple(map(int, re.findall(r"\d+", version)[:3])) if isinstance(version, str) else ()
        if parts < _ON_BY_ITSELF:
            return None
        on = True
    cron, zone = dreaming.get("frequency"), dreaming.get("timezone")
    zone = zone or value_at(table, "agents", "defaults", "userTimezone")
    return HostDreaming(
        on, where, *(one if isinstance(one, str) else usual for one, usual in ((cron, _USUAL), (zone, "")))
    )


def _dreaming(dreaming: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    for path, key in _DREAMING.items():
        if (value := value_at(dreaming, *path.split("."))) is not None:
            yield path, key, value
    off = [phase for phase in _PHASES if value_at(dreaming, "phases", phase, "enabled") is False]
    if off:
        yield f"phases.{off[0]}.enabled", "dreaming.skip", off
    if isinstance(cron := dreaming.get("frequency"), str) and (hours := _hours_between(cron)):
        yield "frequency", "dream.min_hours_between_dreams", hours  # a cadence of six hours means each of them


def _hours_between(cron: str) -> int:
    """The hours between two nights of a cadence, at most a day; 0 where nobody can read it."""
    from reverie.core.cron import next_fire, parse_cron  # only for those who set one

    try:
        first = next_fire(parse_cron(cron), datetime(2026, 1, 1, tzinfo=UTC), UTC)
        second = next_fire(parse_cron(cron), first, UTC) if first else None
    except ValueError:
        return 0
    return min(24, max(1, (second - first) // timedelta(hours=1))) if first and second else 0


def _active(config: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Active Memory has the same names in both houses, written in another way."""
    for item in fields(Active):
        path = re.sub(r"_(\w)", lambda found: found[1].upper(), item.name)
        if (value := config.get(path)) is not None:
            yield path, f"active.{item.name}", value
