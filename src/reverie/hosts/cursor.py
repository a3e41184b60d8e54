"""Cursor: our MCP server in `mcp.json`, a hook at the start of a session, a skill; in a project also a rule that holds the memory.

Formats: cursor.com/docs, the pages `context/mcp`, `hooks` (version 1; `sessionStart` may add to the context, a prompt's hook may not),
`context/skills` and `context/rules` (`.mdc` with front matter). Rules for all projects live in Cursor's own settings, where no file of
ours reaches: outside a project the hook hands the memory over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from reverie.hosts.host import CURSOR_RULE, Addition, Host, JsonLines, Line, Projection, Setup
from reverie.hosts.parts import hook_command, server, skill
from reverie.workspace.settings_files import home

_SECONDS = 20  # for the hook


def _folder(environ: Mapping[str, str]) -> Path:
    return home(environ) / ".cursor"


def _additions(setup: Setup) -> tuple[Addition, ...]:
    base = (setup.project or home(setup.environ)) / ".cursor"
    both = (
        JsonLines(base / "mcp.json", (Line(("mcpServers", "reverie"), server(setup)),)),
        skill(setup, base / "skills"),
    )
    if setup.project:
        return *both, Projection(base / "rules" / "reverie.mdc", CURSOR_RULE)
    return *both, JsonLines(base / "hooks.json", tuple(_hook(setup, base / "hooks.json")))


def _hook(setup: Setup, path: Path) -> Iterator[Line]:
    if not path.exists():
        yield Line(("version",), 1)
    call = {"command": hook_command(setup, "cursor"), "timeout": _SECONDS}
    yield Line(("hooks", "sessionStart"), call, append=True)


HOST = Host("cursor", "Cursor", "cursor", _folder, _additions, in_projects=True)
