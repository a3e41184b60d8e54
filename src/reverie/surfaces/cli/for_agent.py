"""What an agent is given to judge and what became of its answer: the same value for people, programs and MCP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from reverie.judge.brief import Brief
from reverie.night.agent import NOTHING_NEW, Refused, Taken, hash_of, is_something, text_for_agent
from reverie.privacy.redact import shown

_LONGEST = 160  # characters of a refused operation that are shown


def brief_as_dict(brief: Brief, notice: str) -> dict[str, Any]:
    return {
        "brief": hash_of(brief),
        "memory": len(brief.memory),
        "new": len(brief.notes),
        "text": text_for_agent(brief) if is_something(brief) else NOTHING_NEW,
        "notice": notice or None,
    }


def brief_lines(brief: Brief, notice: str) -> Iterator[tuple[str, str]]:
    yield "plain", text_for_agent(brief).rstrip() if is_something(brief) else NOTHING_NEW
    if notice:
        yield "why", notice


def taken_as_dict(found: Taken) -> dict[str, Any]:
    return {
        "brief": found.brief,
        "taken": len(found.taken),
        "refused": [
            {"operation": one.place or None, "given": shown(_given(one)), "why": shown(one.why)}
            for one in found.refused
        ],
        "waiting": found.waiting,
        "notice": found.notice or None,
    }


def taken_lines(found: Taken) -> Iterator[tuple[str, str]]:
    yield "add", f"{len(found.taken)} {'operation was' if len(found.taken) == 1 else 'operations were'} taken."
    for one in found.refused:
        place = f"Operation {one.place}" if one.place else "Refused"
        yield "cut", f"{place}: {shown(one.why)}. {shown(_given(one))}".rstrip()
    if found.refused:
        yield "plain", "Hand in what was refused once more, corrected, or leave it out; what was taken stays."
    yield (
        "plain",
        f"{found.waiting} {'waits' if found.waiting == 1 else 'wait'} for the next night; no file of yours was changed.",
    )
    if found.notice:
        yield "why", found.notice


def _given(one: Refused) -> str:
    text = one.given if isinstance(one.given, str) else json.dumps(one.given, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
