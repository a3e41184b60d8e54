"""What `dream integrate` adds to a host's settings, as values: which keys of which file get which value. No file is touched."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

HOOKED = {"SessionStart": 20, "UserPromptSubmit": 20, "PreCompact": 60, "SessionEnd": 60}  # seconds each may take

# One turn of an agent that nobody talks to; the skills tell the same at length.
_NIGHT = (
    "Do the memory's night now, in one turn. Call dream_brief and judge by what it says. Give your operations to dream_answer; correct "
    "what is refused and hand that in once more. Then call dream_review with apply, and answer with two sentences about what changed. "
    "If there is nothing to judge, only do the last."
)
_NIGHT_TOOLS = ("dream_brief", "dream_answer", "dream_review")
_LONGEST_BRIEF = 60_000  # tokens; Claude Code would cut a first night over months at 25,000


@dataclass(frozen=True, slots=True)
class Line:
    """A value for the keys of a JSON file; with `append`, a new item of the array there."""

    path: tuple[str, ...]
    value: Any
    append: bool = False


def claude_hooks(program: str, workspace: str) -> tuple[Line, ...]:
    """The hooks for Claude Code's settings."""
    command = shlex.join([program, "hook", "claude-code", "--workspace", workspace])
    return tuple(
        Line(("hooks", event), {"hooks": [{"type": "command", "command": command, "timeout": limit}]}, append=True)
        for event, limit in HOOKED.items()
    )


def claude_server(program: str, workspace: str) -> tuple[Line, ...]:
    """The MCP server for a project's `.mcp.json`."""
    args = ["mcp", "--workspace", workspace]
    return (Line(("mcpServers", "reverie"), {"type": "stdio", "command": program, "args": args}),)


def claude_commands(program: str, workspace: str) -> tuple[str, ...]:
    """What the owner runs for the MCP server of all projects: Claude Code keeps those in a file it rewrites as it works."""
    return (
        shlex.join(
            ["claude", "mcp", "add", "--scope", "user", "reverie", "--", program, "mcp", "--workspace", workspace]
        ),
    )


def claude_night(program: str, workspace: str) -> tuple[str, ...]:
    """What starts a night without anybody there, from a crontab or by hand: an agent with three tools of ours, and nothing else.

    No shell: Claude Code lets no JSON through it, so no answer either. No transcript: the night would read it as something
    that its owner said.
    """
    [server] = claude_server(program, workspace)
    only_ours = [
        "--tools",
        "",
        "--strict-mcp-config",
        "--mcp-config",
        json.dumps({"mcpServers": {"reverie": server.value}}),
    ]
    allowed = ["--allowedTools", *(f"mcp__reverie__{name}" for name in _NIGHT_TOOLS)]
    words = ["env", f"MAX_MCP_OUTPUT_TOKENS={_LONGEST_BRIEF}", "claude", "-p", _NIGHT, "--no-session-persistence"]
    return (shlex.join([*words, *only_ours, *allowed]),)


def openclaw_plugin(
    folder: str, program: str, *, listed: bool, narrowed: str = "", tools: Sequence[str] = ()
) -> tuple[Line, ...]:
    """The plugin for `openclaw.json`. The recall hook reads the message, so the host asks for `allowConversationAccess`.

    Where the owner keeps a list of plugins it must name ours (`listed`); where their settings narrow what agents may use, the list
    `narrowed` under `tools` must name our tools, or a night that the agent leads would find none of them.
    """
    entry = {"enabled": True, "hooks": {"allowConversationAccess": True}, "config": {"command": program}}
    lines = [Line(("plugins", "load", "paths"), folder, append=True), Line(("plugins", "entries", "reverie"), entry)]
    lines += [Line(("plugins", "allow"), "reverie", append=True)] if listed else []
    lines += [Line(("tools", narrowed), name, append=True) for name in tools] if narrowed else []
    return tuple(lines)


def openclaw_commands() -> tuple[str, ...]:
    """What the owner may run: OpenClaw reads its settings when the gateway starts, and dreams itself until it is told not to."""
    off: Sequence[str] = ("openclaw", "config", "set", "plugins.entries.memory-core.config.dreaming.enabled", "false")
    night = (
        "openclaw",
        "cron",
        "add",
        "--name",
        "reverie",
        "--cron",
        "0 3 * * *",
        "--session",
        "isolated",
        "--no-deliver",
    )
    return (shlex.join(off), "openclaw gateway restart", shlex.join([*night, "--message", _NIGHT]))
