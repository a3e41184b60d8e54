from __future__ import annotations

import json
import sys
from typing import Any

import click

from reverie.core.errors import BadInput
from reverie.surfaces.cli.common import Asked, command


@command
@click.argument("host", type=click.Choice(["claude-code"]))
def hook(asked: Asked, *, host: str) -> None:
    """Answer a hook of a host: reads its event from standard input, prints what the host adds to the conversation.

    Claude Code calls it: at the start of a session it says what to read, before a reply what is remembered, and before a
    compaction and at the end it keeps what was said. `dream integrate` writes the lines that call it.
    """
    from reverie.surfaces.hooks import answered

    event = _event(sys.stdin.read())
    workspace = asked.workspace()
    said = answered(workspace, asked.clock(workspace.settings.timezone), event)
    asked.answer(said, [("plain", json.dumps(said))] if said else [])


def _event(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise BadInput(
            'Standard input holds no event. A host calls this with a JSON object such as {"hook_event_name": …}.'
        )
    return value
