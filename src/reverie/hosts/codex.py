"""Codex: our MCP server in `config.toml`, hooks beside it, a skill, and the memory in `AGENTS.md`.

Formats: developers.openai.com/codex, the pages `mcp` and `config-reference` (`[mcp_servers.NAME]`), `hooks` (`hooks.json`, in Claude
Code's form; seconds), `skills` and `guides/agents-md` (`~/.codex/AGENTS.md`, then the project's). A skill in `~/.agents/skills` would
be read by other hosts beside their own, so it lies in Codex' folder, which 0.166 reads as well.
Its conversations are in a form of their own that no night reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from reverie.hosts.host import MARKDOWN, Addition, Host, Projection, Setup, TomlTable
from reverie.hosts.parts import hooks, server, skill
from reverie.lang.messages import say
from reverie.workspace.settings_files import home

_HOOKS = {"SessionStart": 20, "UserPromptSubmit": 20}  # seconds each may take


def _folder(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("CODEX_HOME") or home(environ) / ".codex").expanduser()


def _additions(setup: Setup) -> tuple[Addition, ...]:
    base = setup.project / ".codex" if setup.project else _folder(setup.environ)
    return (
        TomlTable(base / "config.toml", ("mcp_servers", "reverie"), server(setup)),
        hooks(base / "hooks.json", setup, "codex", _HOOKS),
        skill(setup, setup.project / ".agents" / "skills" if setup.project else base / "skills"),
        Projection((setup.project or base) / "AGENTS.md", MARKDOWN),
    )


def _yours(setup: Setup) -> tuple[str, ...]:
    return (f"codex  # {say('hosts.codex_hooks')}",)


HOST = Host("codex", "Codex", "codex", _folder, _additions, _yours, in_projects=True)
