"""Hermes: our MCP server and a hook in `config.yaml`, and a skill. Its memory is `memories/MEMORY.md` and `USER.md`, entries apart by §.

Formats: hermes-agent.nousresearch.com/docs, the pages `user-guide/features/mcp`, `hooks` (`pre_llm_call` is the prompt; it asks once
before it runs one), `memory` (2,200 and 1,375 characters) and `skills`; read again in the package hermes-agent 0.19.0.
"""

from __future__ import annotations

from reverie.hosts.host import Addition, Host, Setup, YamlEntry
from reverie.hosts.parts import hook_command, server, skill
from reverie.workspace.settings_files import hermes_folder


def _additions(setup: Setup) -> tuple[Addition, ...]:
    base = hermes_folder(setup.environ)
    call = {"command": hook_command(setup, "hermes"), "timeout": 20}
    return (
        YamlEntry(base / "config.yaml", "mcp_servers", "reverie", server(setup)),
        YamlEntry(base / "config.yaml", "hooks", "pre_llm_call", [call]),
        skill(setup, base / "skills"),
    )


HOST = Host("hermes", "Hermes", "hermes", hermes_folder, _additions)
