"""What in a conversation was said by machines to machines, and the word for each kind.

Heartbeats, cron, notices, replies that say nothing, and memory that was only injected: none of it is what the
owner said, and a corpus that keeps it promotes it. A message is judged after its envelopes are off.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from reverie.workspace.envelopes import Opened, opened
from reverie.workspace.harness_text import opening_of
from reverie.workspace.pasted import pasted
from reverie.workspace.values import Origin

MACHINES = frozenset({"cron", "heartbeat", "system", "dreaming"})  # a reply to one of these is routine too
STRANGER = "stranger"
LARGEST_TURN = 64_000  # characters; nobody types that much, and what was pasted is not a statement
_ACK = 300  # how much may stand beside HEARTBEAT_OK in an acknowledgement (the peer's ackMaxChars)

_COMMAND = re.compile(r"/[a-z][\w:-]*\s*\Z", re.I)  # `/status`, alone
_POLL = re.compile(r"\s*heartbeat poll\W*\Z", re.I)
_NOTICE = tuple(
    (why, re.compile(pattern, re.I))
    for why, pattern in (
        ("dreaming", r"__openclaw_memory_core_"),
        ("exec", r"\bexec (?:completed|failed|finished|denied|running)"),
        ("heartbeat", r"\bheartbeat"),
        ("cron", r"\bcron\b|scheduled (?:reminder|task)"),
    )
)
_BLANK = re.compile(r"\n[ \t\r]*\n")
_SILENT = re.compile(r"[\W_]*NO_?REPLY[\W_]*|\{\s*\"action\"\s*:\s*\"NO_REPLY\"\s*\}", re.I)
_API_ERROR = re.compile(r"API Error: \d{3}\b|no response requested\.?\s*\Z", re.I)


@dataclass(frozen=True, slots=True)
class Heard:
    """The words of one message, or the reason why they are left out."""

    text: str = ""
    why: str = ""
    sender: str = ""
    group: bool = False


def heard(role: str, text: str) -> Heard:
    """What a person (`user`) or the agent (`assistant`) really said in this message."""
    inner = opened(text, inbound=role == "user")
    why = _reason(role, inner)
    if not why and role == "user":
        inner = replace(inner, text=_typed(inner.text))
        why = "" if inner.text else "pasted"
    return Heard("" if why else inner.text, why, inner.sender, inner.group)


def _typed(text: str) -> str:
    """What a person typed around an article that they pasted."""
    paragraphs = _BLANK.split(text)
    article = pasted(paragraphs)
    return "\n\n".join(part for i, part in enumerate(paragraphs) if i not in article) if article else text


def _reason(role: str, inner: Opened) -> str:
    text = inner.text
    if not text:
        if inner.notices:
            return next((why for why, rule in _NOTICE if rule.search(inner.notices[-1])), "system")
        return inner.blocks[0] if inner.blocks else "empty"
    if len(text) > LARGEST_TURN:
        return "huge"
    if _SILENT.fullmatch(text):
        return "silent"
    if "HEARTBEAT_OK" in text and _is_heartbeat(role, text):
        return "heartbeat"
    if role == "user":
        return _said_to_agent(text)
    return "system" if _API_ERROR.match(text) else ""


def _said_to_agent(text: str) -> str:
    if _POLL.match(text):
        return "heartbeat"
    if "__openclaw_memory_core_" in text[:120]:
        return "dreaming"
    return "command" if _COMMAND.match(text) else opening_of(text, spoken=True)


def _is_heartbeat(role: str, text: str) -> bool:
    """A long answer may well mention the token; an acknowledgement is short, a prompt names the file."""
    if role == "user":
        return "HEARTBEAT.md" in text or text.strip() == "HEARTBEAT_OK"
    return len(text.replace("HEARTBEAT_OK", "")) <= _ACK


def judged(role: str, why: str, after: str, *, trusted: bool) -> tuple[str, str, Origin]:
    """(why a turn is left out after all, whom the next reply answers, whose words these are).

    A reply belongs to what it answers: to the owner (`after` is empty), to a stranger, or to a machine.
    """
    if role == "user" and (not why or why in MACHINES):
        after = why or ("" if trusted else STRANGER)
    elif role == "assistant" and after in MACHINES:
        why = why or after
    if after == STRANGER:
        return why, after, Origin.QUOTED
    return why, after, Origin.OWNER if role == "user" else Origin.SESSION


def session_reason(key: str) -> str:
    """Why a whole session is left out, by its key (`agent:main:cron:job:run:1`); empty if it is a conversation."""
    low = key.lower()
    if "dreaming-narrative-" in low or "memory-dreaming" in low:
        return "dreaming"
    if ":cron:" in low or low.startswith("cron:"):
        return "cron"
    if ":subagent:" in low or low.startswith("subagent:"):
        return "sub-agent"
    if ":heartbeat" in low:
        return "heartbeat"
    return ""


def is_group_key(key: str) -> bool:
    """Whether a session is a room with other people in it."""
    return any(part in key.lower() for part in (":group:", ":channel:"))
