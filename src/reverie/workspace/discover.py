"""Which folders on this machine are somebody's memory: OpenClaw's, Claude Code's, and those the owner names.

Looks at settings and names of folders only; no note is opened. What is not there is not found, and the same real folder
is found once, by whoever named it first.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reverie.workspace.hosts import claude_folder, home, openclaw_file, openclaw_folder, read_openclaw, value_at

SETTINGS, OPENCLAW, CLAUDE = "settings", "openclaw", "claude-code"


@dataclass(frozen=True, slots=True)
class Found:
    """A folder of Markdown that somebody works with: where it lies, what to call it, and who named it."""

    root: Path
    label: str
    source: str


def discover(environ: Mapping[str, str], named: Sequence[str] = ()) -> tuple[Found, ...]:
    """Every workspace there is: first those the owner names, then OpenClaw's, then Claude Code's."""
    seen: dict[str, Found] = {}
    for found in (*_named(environ, named), *_of_openclaw(environ), *_of_claude(environ)):
        if found.root.is_dir():
            real = Path(os.path.realpath(found.root))
            seen.setdefault(os.path.normcase(real), Found(real, found.label, found.source))
    return tuple(seen.values())


def _named(environ: Mapping[str, str], folders: Sequence[str]) -> Iterator[Found]:
    for folder in folders:
        root = _expanded(folder, environ)
        if folder.strip() and root.is_absolute():  # relative to what, at three in the morning?
            yield Found(root, root.name, SETTINGS)


def _of_openclaw(environ: Mapping[str, str]) -> Iterator[Found]:
    """The default workspace, and that of every agent; an agent without one of its own has `workspace-<id>`."""
    table, state = read_openclaw(openclaw_file(environ)), openclaw_folder(environ)
    said = value_at(table, "agents", "defaults", "workspace") or value_at(table, "agent", "workspace")
    default = _expanded(said, environ) if isinstance(said, str) and said else home(environ) / ".openclaw" / "workspace"
    yield Found(default, "main", OPENCLAW)
    for agent in _agents(value_at(table, "agents", "list")):
        name, own = agent.get("id"), agent.get("workspace")
        if isinstance(own, str) and own:
            yield Found(_expanded(own, environ), str(name or Path(own).name), OPENCLAW)
        elif isinstance(name, str) and name.replace("-", "").replace("_", "").isalnum():
            yield Found(state / f"workspace-{name}", name, OPENCLAW)


def _agents(listed: Any) -> Iterator[dict[str, Any]]:
    yield from (agent for agent in listed if isinstance(agent, dict)) if isinstance(listed, list) else ()


def _of_claude(environ: Mapping[str, str]) -> Iterator[Found]:
    """`projects/<project>/memory`, where there is a note in it: an empty one is nobody's memory yet."""
    folder = claude_folder(environ)
    try:
        projects = sorted(item.name for item in os.scandir(folder) if item.is_dir())
    except OSError:
        return
    for name in projects:
        memory = folder / name / "memory"
        if any(memory.glob("*.md")):
            yield Found(memory, name.strip("-"), CLAUDE)


def _expanded(folder: str, environ: Mapping[str, str]) -> Path:
    """`~` is the home of the environment we were given, not of whoever runs the test."""
    if folder == "~" or folder.startswith(("~/", "~\\")):
        return home(environ) / folder[2:]
    return Path(folder).expanduser()
