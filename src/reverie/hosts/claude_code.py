"""Claude Code: hooks in its settings, a skill, our MCP server, and a command for a night with nobody there."""

from __future__ import annotations

import json
import shlex

from reverie.hosts.host import Addition, Host, JsonLines, Line, NewFile, Setup
from reverie.hosts.packaged import folder_of
from reverie.hosts.timers import AGENT_NIGHT
from reverie.workspace.settings_files import claude_folder

_HOOKS = {"SessionStart": 20, "UserPromptSubmit": 20, "PreCompact": 60, "SessionEnd": 60}  # seconds each may take
_NIGHT_TOOLS = ("dream_brief", "dream_answer", "dream_review")
_LONGEST_BRIEF = 60_000  # tokens; Claude Code would cut a first night over months at 25,000


def _additions(setup: Setup) -> tuple[Addition, ...]:
    root, project = str(setup.workspace), setup.project
    base = project / ".claude" if project else claude_folder(setup.environ).parent
    settings = base / ("settings.local.json" if project else "settings.json")
    hooks = JsonLines(settings, _hooks(setup.program, root))
    skill = NewFile(base / "skills" / "reverie" / "SKILL.md", _skill(setup.program, root))
    if project is None:
        return hooks, skill
    return hooks, skill, JsonLines(project / ".mcp.json", (_server(setup.program, root),))


def _yours(setup: Setup) -> tuple[str, ...]:
    root = str(setup.workspace)
    night = _night(setup.program, root)
    if setup.project:
        return (night,)
    # Claude Code keeps the servers of all projects in a file that it rewrites as it works.
    add = ["claude", "mcp", "add", "--scope", "user", "reverie", "--", setup.program, "mcp", "--workspace", root]
    return night, shlex.join(add)


def _hooks(program: str, workspace: str) -> tuple[Line, ...]:
    command = shlex.join([program, "hook", "claude-code", "--workspace", workspace])
    return tuple(
        Line(("hooks", event), {"hooks": [{"type": "command", "command": command, "timeout": limit}]}, append=True)
        for event, limit in _HOOKS.items()
    )


def _skill(program: str, workspace: str) -> str:
    """Claude Code works in any folder, and `dream` alone would take the one it stands in."""
    skill = (folder_of("claude-code") / "skills" / "reverie" / "SKILL.md").read_text("utf-8")
    words = shlex.join([program, "brief", "--workspace", workspace])
    return skill + f"- This memory lies in `{workspace}`: call `{words}`, and the others alike.\n"


def _server(program: str, workspace: str) -> Line:
    """The MCP server, as a project's `.mcp.json` names it."""
    args = ["mcp", "--workspace", workspace]
    return Line(("mcpServers", "reverie"), {"type": "stdio", "command": program, "args": args})


def _night(program: str, workspace: str) -> str:
    """What starts a night without anybody there, from a crontab or by hand: an agent with three tools of ours, and nothing else.

    No shell: Claude Code lets no JSON through it, so no answer either. No transcript: the night would read it as something
    that its owner said.
    """
    server = json.dumps({"mcpServers": {"reverie": _server(program, workspace).value}})
    words = ["env", f"MAX_MCP_OUTPUT_TOKENS={_LONGEST_BRIEF}", "claude", "-p", AGENT_NIGHT, "--no-session-persistence"]
    words += ["--tools", "", "--strict-mcp-config", "--mcp-config", server]
    return shlex.join([*words, "--allowedTools", *(f"mcp__reverie__{name}" for name in _NIGHT_TOOLS)])


HOST = Host(
    "claude-code",
    "claude",
    lambda environ: claude_folder(environ).parent,
    _additions,
    _yours,
    in_projects=True,
)
