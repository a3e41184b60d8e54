"""Claude Code: hooks in its settings, a skill, our MCP server, and a command for a night with nobody there."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reverie.hosts.host import Addition, Host, JsonLines, Line, Setup
from reverie.hosts.parts import hooks, server, skill
from reverie.hosts.timers import AGENT_NIGHT
from reverie.workspace.settings_files import claude_folder, home, text_of, value_at

_HOOKS = {"SessionStart": 20, "UserPromptSubmit": 20, "PreCompact": 60, "SessionEnd": 60}  # seconds each may take
_NIGHT_TOOLS = ("dream_brief", "dream_answer", "dream_review", "dream_more")
_LONGEST_BRIEF = 60_000  # tokens; Claude Code would cut a first night over months at 25,000


def _folder(environ: Mapping[str, str]) -> Path:
    return claude_folder(environ).parent


def _additions(setup: Setup) -> tuple[Addition, ...]:
    project = setup.project
    base = project / ".claude" if project else _folder(setup.environ)
    settings = base / ("settings.local.json" if project else "settings.json")
    both = hooks(settings, setup, "claude-code", _HOOKS), skill(setup, base / "skills")
    if project is None:
        return both
    return *both, JsonLines(project / ".mcp.json", (Line(("mcpServers", "reverie"), _server(setup)),))


def _yours(setup: Setup) -> tuple[str, ...]:
    if setup.project:
        return (_night(setup),)
    # Claude Code keeps the servers of all projects in a file that it rewrites as it works.
    add = ["claude", "mcp", "add", "--scope", "user", "reverie", "--", setup.program, *server(setup)["args"]]
    return _night(setup), shlex.join(add)


def _server(setup: Setup) -> dict[str, Any]:
    return {"type": "stdio", **server(setup)}


def _night(setup: Setup) -> str:
    """What starts a night without anybody there, from a crontab or by hand: an agent with three tools of ours, and nothing else.

    No shell: Claude Code lets no JSON through it, so no answer either. No transcript: the night would read it as something
    that its owner said.
    """
    servers = json.dumps({"mcpServers": {"reverie": _server(setup)}})
    words = ["env", f"MAX_MCP_OUTPUT_TOKENS={_LONGEST_BRIEF}", "claude", "-p", AGENT_NIGHT, "--no-session-persistence"]
    words += ["--tools", "", "--strict-mcp-config", "--mcp-config", servers]
    return shlex.join([*words, "--allowedTools", *(f"mcp__reverie__{name}" for name in _NIGHT_TOOLS)])


def _taken_back(environ: Mapping[str, str]) -> tuple[str, ...]:
    """What takes our server out of the file that Claude Code rewrites as it works, where the owner let it in."""
    base = Path(environ["CLAUDE_CONFIG_DIR"]).expanduser() if environ.get("CLAUDE_CONFIG_DIR") else home(environ)
    try:
        servers = value_at(json.loads(text_of(base / ".claude.json") or "{}"), "mcpServers")
    except (ValueError, RecursionError):
        return ()
    there = isinstance(servers, dict) and "reverie" in servers
    return ("claude mcp remove --scope user reverie",) if there else ()


HOST = Host("claude-code", "Claude Code", "claude", _folder, _additions, _yours, _taken_back, in_projects=True)
