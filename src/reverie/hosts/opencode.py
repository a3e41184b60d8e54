"""opencode: our MCP server in `opencode.json`, a skill, and the memory in `AGENTS.md`.

Formats: opencode.ai/docs, the pages `config` (JSON with comments; `opencode.jsonc` too), `mcp-servers` (program and arguments in one
list), `rules` and `skills`. It calls programs only through plugins of code, so there is no hook.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from reverie.hosts.host import MARKDOWN, Addition, Host, JsonLines, Line, Projection, Setup
from reverie.hosts.parts import server, skill
from reverie.workspace.settings_files import home


def _folder(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("XDG_CONFIG_HOME") or home(environ) / ".config").expanduser() / "opencode"


def _additions(setup: Setup) -> tuple[Addition, ...]:
    base = setup.project or _folder(setup.environ)
    settings = next((file for file in (base / "opencode.json", base / "opencode.jsonc") if file.exists()), None)
    words = server(setup)
    entry = {"type": "local", "command": [words["command"], *words["args"]], "enabled": True}
    skills = setup.project / ".opencode" / "skills" if setup.project else base / "skills"
    return (
        JsonLines(settings or base / "opencode.json", (Line(("mcp", "reverie"), entry),)),
        skill(setup, skills),
        Projection(base / "AGENTS.md", MARKDOWN),
    )


HOST = Host("opencode", "opencode", "opencode", _folder, _additions, in_projects=True)
