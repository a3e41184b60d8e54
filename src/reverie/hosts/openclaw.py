"""OpenClaw: a plugin in `openclaw.json`, which calls us before each prompt and brings our tools. Its workspace is its memory."""

from __future__ import annotations

import json

from reverie.hosts.host import Addition, Host, JsonLines, Line, Setup
from reverie.hosts.parts import folder_of
from reverie.hosts.timers import openclaw
from reverie.workspace.settings_files import openclaw_file, openclaw_folder, read_openclaw, value_at


def _additions(setup: Setup) -> tuple[Addition, ...]:
    """The plugin. The recall hook reads the message, so the host asks for `allowConversationAccess`.

    Where the owner keeps a list of plugins it must name ours; where their settings narrow what agents may use, a list under
    `tools` must name our tools, or a night that the agent leads would find none of them. OpenClaw takes `allow` or `alsoAllow`,
    never both.
    """
    file, folder = openclaw_file(setup.environ), folder_of("openclaw")
    table = read_openclaw(file)
    entry = {"enabled": True, "hooks": {"allowConversationAccess": True}, "config": {"command": setup.program}}
    lines = [
        Line(("plugins", "load", "paths"), str(folder), append=True),
        Line(("plugins", "entries", "reverie"), entry),
    ]
    if value_at(table, "plugins", "allow") is not None:
        lines.append(Line(("plugins", "allow"), "reverie", append=True))
    allowed, profile = value_at(table, "tools", "allow"), value_at(table, "tools", "profile")
    if narrowed := "allow" if allowed is not None else "alsoAllow" if profile is not None else "":
        manifest = json.loads((folder / "openclaw.plugin.json").read_text("utf-8"))
        required = (name for name in manifest["contracts"]["tools"] if name not in manifest["toolMetadata"])
        lines += [Line(("tools", narrowed), name, append=True) for name in required]
    return (JsonLines(file, tuple(lines)),)


def _yours(setup: Setup) -> tuple[str, ...]:
    """OpenClaw reads its settings when the gateway starts, and dreams itself until it is told not to."""
    off = "openclaw config set plugins.entries.memory-core.config.dreaming.enabled false"
    return off, "openclaw gateway restart", openclaw(model=_cheap_model(setup))


def _cheap_model(setup: Setup) -> str:
    """The model that the owner chose for sub-agents, which is what a night is; no other name is sure to exist there."""
    named = value_at(read_openclaw(openclaw_file(setup.environ)), "agents", "defaults", "subagents", "model")
    named = named.get("primary") if isinstance(named, dict) else named
    return named if isinstance(named, str) else ""


HOST = Host("openclaw", "OpenClaw", "openclaw", openclaw_folder, _additions, _yours)
