"""What most hosts are given: the words that start our MCP server, the command of a hook, and the skill that tells an agent about us."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reverie.core.errors import BadInput
from reverie.hosts.host import JsonLines, Line, NewFile, Setup
from reverie.lang.messages import say


def folder_of(host: str) -> Path:
    """Where the files that we bring along for a host lie: in the installed package, or in the repository beside it."""
    package = Path(__file__).parents[1]
    for base in (package / "integrations", package.parents[1] / "integrations"):
        if (base / host).is_dir():
            return base / host
    raise BadInput(say("integrate.not_installed", host=host))


def server(setup: Setup) -> dict[str, Any]:
    """The MCP server, as most hosts name one."""
    return {"command": setup.program, "args": ["mcp", *_where(setup)]}


def hook_command(setup: Setup, host: str) -> str:
    return shlex.join([setup.program, "hook", host, *_where(setup)])


def _where(setup: Setup) -> list[str]:
    return ["--workspace", str(setup.workspace)] if setup.workspace is not None else []


def hooks(path: Path, setup: Setup, host: str, limits: Mapping[str, int]) -> JsonLines:
    """A command for each event, in the form that Claude Code began and others took over; with how long each may take."""
    command = hook_command(setup, host)
    return JsonLines(
        path,
        tuple(
            Line(("hooks", event), {"hooks": [{"type": "command", "command": command, "timeout": limit}]}, append=True)
            for event, limit in limits.items()
        ),
    )


def skill(setup: Setup, skills: Path) -> NewFile:
    """Our skill in a host's folder of skills. Agents work in any folder, and `dream` alone would take the one it stands in."""
    text = (folder_of("claude-code") / "skills" / "reverie" / "SKILL.md").read_text("utf-8")
    words = shlex.join([setup.program, "brief", *_where(setup)])
    lies = f"lies in `{setup.workspace}`" if setup.workspace else "is the one of the project you work in"
    text += f"- This memory {lies}: call `{words}`, and the others alike.\n"
    return NewFile(skills / "reverie" / "SKILL.md", text)
