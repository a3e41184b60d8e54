"""What a host tells us while it works, and what we say back: the hooks of Claude Code.

The host hands over an event as JSON and adds what we return to the conversation. Nothing here may get in its way: what is
recalled comes in time or not at all, and an event we do not know is passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from reverie.core.errors import BadInput
from reverie.core.ports import Clock
from reverie.surfaces.first_words import first_words
from reverie.workspace.values import Workspace

AGENT = "claude-code"
LONGEST = 9_500  # characters; what is longer than 10,000 the host puts into a file instead of the conversation
PATIENCE = 5_000  # milliseconds of a recall: somebody waits for the reply
_KEEP = ("Stop", "PreCompact", "SessionEnd")


def answered(workspace: Workspace, clock: Clock, event: Mapping[str, Any]) -> dict[str, Any]:
    """What the host should hear about this event; empty when that is nothing."""
    name = event.get("hook_event_name")
    if name == "SessionStart":
        resumed = event.get("source") == "resume"  # what was said at the start still stands in a resumed conversation
        return {} if resumed else _context(name, first_words(workspace, clock, LONGEST))
    if name == "UserPromptSubmit":
        return _context(name, _recalled(workspace, clock, str(event.get("prompt") or "")))
    if name in _KEEP:
        _keep(workspace, clock, event)
    return {}


def _context(name: str, text: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}} if text else {}


def _recalled(workspace: Workspace, clock: Clock, prompt: str) -> str:
    if not prompt.strip() or prompt.lstrip().startswith("/"):  # a command to the host, nothing that was said to us
        return ""
    from reverie.features.recall.recall import Chat, recall  # numpy and the index

    active = workspace.settings.active
    hurried = replace(active, timeout_ms=min(active.timeout_ms, PATIENCE))
    return recall(workspace, clock, prompt, settings=hurried, chat=Chat(AGENT)).text


def _keep(workspace: Workspace, clock: Clock, event: Mapping[str, Any]) -> None:
    """What was said goes into the session corpus, from where the nights read it."""
    named = event.get("transcript_path")
    if not isinstance(named, str) or not named:
        raise BadInput(f"{event.get('hook_event_name')} names no transcript_path.")
    from reverie.features.overhearing import overhear

    path = Path(named).expanduser()
    if path.is_file():  # a conversation that ended before it began has none
        overhear(workspace, clock, path)
