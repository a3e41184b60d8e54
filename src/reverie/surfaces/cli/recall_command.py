from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from reverie.core.errors import BadInput
from reverie.core.settings import Active
from reverie.surfaces.cli.common import Asked, command

_MODES = ("message", "recent", "full")
_STYLES = ("balanced", "strict", "contextual", "recall-heavy", "precision-heavy", "preference-only")
_CHATS = ("direct", "group", "channel", "explicit")


@command
@click.argument("words", nargs=-1, metavar="MESSAGE")
@click.option("--mode", type=click.Choice(_MODES), help="How much of the conversation is looked at (default recent).")
@click.option("--style", type=click.Choice(_STYLES), help="How sure a match must be (default by mode).")
@click.option("--turns", metavar="FILE", help='Turns before the message: JSON [{"role": "user", "text": "…"}], - for stdin.')  # fmt: skip
@click.option("--timeout", type=click.IntRange(250, 120_000), metavar="MS", help="When an answer is due (default 15000).")  # fmt: skip
@click.option("--max-chars", type=click.IntRange(40, 1_000), help="Characters of the summary (default 220).")
@click.option("--agent", default="", help="Which agent asks.")
@click.option("--chat-type", type=click.Choice(_CHATS), default="direct", help="Where the message was said.")
@click.option("--chat-id", default="", help="In which chat.")
@click.option("--no-record", is_flag=True, help="Leave no trace in the recall journal.")
def recall(
    asked: Asked,
    *,
    words: tuple[str, ...],
    mode: str | None,
    style: str | None,
    turns: str | None,
    timeout: int | None,
    max_chars: int | None,
    agent: str,
    chat_type: str,
    chat_id: str,
    no_record: bool,
) -> None:
    """What memory knows about a message, before the reply: a short summary, fenced as data, or nothing."""
    from reverie.features.recall import recall  # numpy and the index, only for those who recall

    message = " ".join(words)
    if not message.strip():
        raise BadInput("There is no message. Say `dream recall MESSAGE`.")
    workspace = asked.workspace()
    found = recall.recall(
        workspace,
        asked.clock(workspace.settings.timezone),
        message,
        turns=[recall.Said(role, text) for role, text in _turns(turns)],
        settings=_settings(workspace.settings.active, mode, style, timeout, max_chars),
        chat=recall.Chat(agent, chat_type, chat_id),
        record=not no_record,
    )
    asked.answer(recalled_as_dict(found), _lines(found))


def _settings(
    active: Active, mode: str | None, style: str | None, timeout: int | None, max_chars: int | None
) -> Active:
    return replace(
        active,
        query_mode=mode or active.query_mode,
        prompt_style=style or active.prompt_style,
        timeout_ms=timeout or active.timeout_ms,
        max_summary_chars=max_chars or active.max_summary_chars,
    )


def _turns(name: str | None) -> list[tuple[str, str]]:
    """The turns of a JSON file: a list of {role, text}; `content` is understood too."""
    if name is None:
        return []
    try:
        given = json.loads(sys.stdin.read() if name == "-" else Path(name).read_text("utf-8"))
    except OSError as error:
        raise BadInput(f"{name} cannot be read ({error.strerror}).") from None
    except (ValueError, RecursionError):
        raise BadInput(f"{name} holds no JSON. Turns are a list such as [{_EXAMPLE}].") from None
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise BadInput(f"{name} holds no list of turns such as [{_EXAMPLE}].")
    return [(str(one.get("role", "user")), str(one.get("text", one.get("content", "")))) for one in given]


_EXAMPLE = '{"role": "user", "text": "…"}'


def recalled_as_dict(found: Any) -> dict[str, Any]:
    return {
        "status": found.status,
        "summary": found.summary,
        "context": found.text,
        "facts": [
            {"text": fact.text, "place": fact.place, "day": fact.hit.claim.day or None, "relevance": round(fact.value, 3)}
            for fact in found.facts
        ],
        "elapsedMs": round(found.elapsed * 1000),
        "query": found.query,
        "queryMode": found.mode,
        "promptStyle": found.style,
        "why": found.why or None,
        "statusLine": found.line,
    }  # fmt: skip


def _lines(found: Any) -> Iterator[tuple[str, str]]:
    if found.text:
        yield "plain", found.text
    yield "path", found.line
    for fact in found.facts:
        yield "why", f"    {fact.place}  {fact.value:.2f}"
    if found.why:
        yield "why", f"    {found.why}"
