"""What an agent is asked and what became of its answers: the same value for people, programs and MCP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reverie.agent_answers import SENTENCE, ForAgent, Outcome, Taken
from reverie.counsel import use_as_dict
from reverie.privacy.redact import shown
from reverie.receipt_words import receipt_lines

NONE_OPEN = "No question is open: no new line is unsure, or all of them are answered."


def bundle_as_dict(found: ForAgent) -> dict[str, Any]:
    return {
        "instructions": found.instructions,
        "how_to_answer": SENTENCE,
        "schema": dict(found.schema),
        "questions": [
            {"id": one.id, "language": one.bundle.language, "answered": one.answered, "data": one.bundle.data()}
            for one in found.questions
        ],
        "answered": found.answered,
        "notice": found.notice or None,
    }


def bundle_lines(found: ForAgent) -> Iterator[tuple[str, str]]:
    """For an agent that reads text: what to do, the questions, how to answer."""
    if not found.questions:
        yield "plain", NONE_OPEN
    else:
        yield "plain", found.instructions.rstrip()
        for one in found.questions:
            yield "path", f"\nQuestion {one.id}"
            yield "plain", one.ask.user.rstrip()
        yield "path", "\nHow to answer"
        yield "plain", f"{SENTENCE} Write it to a file and run `dream answer --json FILE`; `-` reads standard input."
    if found.notice:
        yield "why", found.notice


def taken_as_dict(found: Taken) -> dict[str, Any]:
    return {
        "taken": [
            {
                "question": one.question,
                "operations": one.operations,
                "accepted": one.accepted,
                "dropped": [
                    {"operation": place or None, "why": why, "count": count} for place, why, count in one.dropped
                ],
            }
            for one in found.taken
        ],
        "refused": [{"question": shown(name), "why": why} for name, why in found.refused],
        "night": use_as_dict(found.night) if found.night else None,
        "open": found.open,
        "notice": found.notice or None,
    }


def taken_lines(found: Taken) -> Iterator[tuple[str, str]]:
    for one in found.taken:
        yield "add", f"{one.question}: taken; {one.accepted} of {one.operations} operations passed the gates."
        yield from (("cut", f"  {line}") for line in _dropped(one))
    for line in receipt_lines(found.night):
        yield "plain", line
    if found.night:
        yield "plain", "That is what a night would make of it now; nothing of your files was changed."
    yield "plain", f"{found.open} {'question is' if found.open == 1 else 'questions are'} still open."
    if found.notice:
        yield "why", found.notice


def refused_sentence(found: Taken) -> str:
    """The answers that were not taken, each with its reason, for standard error."""
    parts = [f"{shown(name[:40]) or 'An answer'}: {why}" for name, why in found.refused]
    return "Not taken: " + " ".join(parts) + " `dream questions --for-agent` lists what is open."


def _dropped(one: Outcome) -> Iterator[str]:
    for place, why, count in one.dropped:
        yield f"operation {place} was dropped: it {_said(why)}." if place else f"{count} dropped together: {why}."


def _said(why: str) -> str:
    return f"is {why}" if why == "too long" else why
