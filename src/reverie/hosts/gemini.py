"""Gemini CLI: our MCP server and hooks in `settings.json`, a skill, and the memory in `GEMINI.md`.

Formats: geminicli.com/docs, the pages `reference/configuration` (`mcpServers`, `GEMINI_CLI_HOME`), `hooks/reference` (milliseconds;
`BeforeAgent` is the prompt), `cli/skills` and `cli/gemini-md`. Its conversations are in a form of their own that no night reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from reverie.hosts.host import GEMINI_MD, Addition, Host, JsonLines, Line, Projection, Setup
from reverie.hosts.parts import hooks, server, skill
from reverie.workspace.settings_files import home

_HOOKS = {"SessionStart": 20_000, "BeforeAgent": 20_000}  # milliseconds each may take


def _folder(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("GEMINI_CLI_HOME") or home(environ)).expanduser() / ".gemini"


def _additions(setup: Setup) -> tuple[Addition, ...]:
    base = setup.project / ".gemini" if setup.project else _folder(setup.environ)
    called = hooks(base / "settings.json", setup, "gemini", _HOOKS)
    return (
        JsonLines(called.path, (Line(("mcpServers", "reverie"), server(setup)), *called.lines)),
        skill(setup, base / "skills"),
        Projection((setup.project or base) / "GEMINI.md", GEMINI_MD),
    )


HOST = Host("gemini", "Gemini CLI", "gemini", _folder, _additions, in_projects=True)
