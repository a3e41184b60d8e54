"""What a message asks for before a reply: the words to look for, how sure a match must be, how the answer is told.

The names of modes and styles, the limits and the form of the output are the peer's (OpenClaw's Active Memory).
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from reverie.core.settings import Active
from reverie.text.lines import count_units

LONGEST = 480  # characters of a question
SHORT = 12  # characters; a shorter message leans on the turn before it
LEAD = 120  # characters of that turn
TAG = "active_memory_plugin"
STYLES = {"message": "strict", "recent": "balanced", "full": "contextual"}
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.S)
_GLUED = re.compile("[\u2e80-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class Bar:
    """How relevant a fact must be: for any message, and for one that asks for memory."""

    strong: float
    asked: float
    kinds: tuple[str, ...] = ()  # empty: any kind of fact


# The numbers are shares of `relevance.Relevance.value`; `benchmarks/recall.py` says what each of them lets through.
BARS = {
    "strict": Bar(0.50, 0.46),
    "balanced": Bar(0.42, 0.38),
    "contextual": Bar(0.40, 0.35),
    "recall-heavy": Bar(0.36, 0.31),
    "precision-heavy": Bar(0.56, 0.52),
    "preference-only": Bar(0.36, 0.31, ("preference", "rule", "correction")),
}


@dataclass(frozen=True, slots=True)
class Said:
    """One turn of the conversation before the message."""

    role: str  # user or assistant
    text: str


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for, and what was said before it."""

    message: str
    before: str = ""


def style_of(settings: Active) -> str:
    return settings.prompt_style or STYLES[settings.query_mode]


def query_of(message: str, turns: Sequence[Said], settings: Active) -> Query:
    """The question behind a message, by the query mode: the message alone, with the last turns, or with all of them."""
    said = cleaned(message)[:LONGEST]
    if settings.query_mode == "message":
        return Query(said)
    before = list(turns) if settings.query_mode == "full" else _recent(turns, settings)
    earlier = next((cleaned(turn.text) for turn in reversed(turns) if turn.role == "user"), "")
    if _length(said) < SHORT and earlier:
        said = f"{earlier[:LEAD]} {said}"[:LONGEST]
    return Query(said, " ".join(cleaned(turn.text) for turn in before))


def cleaned(text: str) -> str:
    """A message without code."""
    return " ".join(_FENCE.sub(" ", text).split())


def summary_of(facts: Sequence[str], limit: int) -> tuple[str, int]:
    """As many facts as fit, whole, and how many they are; only the first may be cut."""
    out = ""
    for number, fact in enumerate(facts):
        told = fact.rstrip(" .。;；")
        longer = f"{out}{_between(out)}{told}" if out else told
        if count_units(longer) > limit:
            return (out, number) if out else (_cut(told, limit), 1)
        out = longer
    return out, len(facts)


def fenced(summary: str) -> str:
    """A summary as it stands before a reply: marked as context, escaped, so that nothing in it speaks for itself."""
    return f"Context:\n<{TAG}>\n{html.escape(summary, quote=False)}\n</{TAG}>" if summary else ""


def status_line(status: str, seconds: float, mode: str, summary: str) -> str:
    told = f" summary={count_units(summary)} chars" if summary else ""
    return f"🧩 Active Memory: status={status} elapsed={seconds * 1000:.0f}ms query={mode}{told}"


def _recent(turns: Sequence[Said], settings: Active) -> list[Said]:
    limits = {
        "user": (settings.recent_user_turns, settings.recent_user_chars),
        "assistant": (settings.recent_assistant_turns, settings.recent_assistant_chars),
    }
    kept: list[Said] = []
    for turn in reversed(turns):
        most, longest = limits.get(turn.role, (0, 0))
        if sum(1 for one in kept if one.role == turn.role) < most:
            kept.append(Said(turn.role, cleaned(turn.text)[:longest]))
    return kept[::-1]


def _length(text: str) -> int:
    """Characters; one of a script without spaces says as much as three others."""
    return sum(3 if _GLUED.match(char) else 1 for char in text)


def _between(text: str) -> str:
    return "；" if _GLUED.match(text[-1]) else "; "


def _cut(text: str, limit: int) -> str:
    while count_units(text) > limit - 1:
        shorter = text[: -max(1, (count_units(text) - limit) // 2)]
        text = shorter
    head, space, _ = text.rpartition(" ")
    return (head if space and len(head) > limit // 2 else text).rstrip(" ,;，；、") + "…"
