"""What in a conversation was said by machines to machines, and the word for each kind.

Heartbeats, cron, notices, replies that say nothing, and memory that was only injected: none of it is what the
owner said, and a corpus that keeps it promotes it. A message is judged after its envelopes are off.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from reverie.model import Origin
from reverie.workspace.envelopes import Opened, opened

MACHINES = frozenset({"cron", "heartbeat", "system", "dreaming"})  # a reply to one of these is routine too
STRANGER = "stranger"
LARGEST_TURN = 64_000  # characters; nobody types that much, and what was pasted is not a statement
_ACK = 300  # how much may stand beside HEARTBEAT_OK in an acknowledgement (the peer's ackMaxChars)

_SAID_TO_AGENT = tuple(
    (why, re.compile(rf"\s*(?:{pattern})", re.I))
    for why, pattern in (
        ("heartbeat", r"(?:read|check) heartbeat\.md\b|\[(?:openclaw )?heartbeat\b|heartbeat poll\W*\Z"),
        ("dreaming", r".{0,80}__openclaw_memory_core_|write a dream diary entry|\[managed-by=memory-core"),
        ("cron", r"\[cron[:\] ]|\[scheduled\b|a scheduled (?:reminder|task|job) (?:has been|was) triggered"),
        ("exec", r"an async command (?:you ran|did not)|exec (?:completed|failed|finished|denied) \("),
        ("inter-session", r"\[inter-?session message|\[internal task completion|\[queued (?:announce|messages)|\[agent-to-agent"),
        ("sub-agent", r"\[subagent context\]|you are (?:running as )?a sub-?agent\b"),
        ("summary", r"this session is being continued from a previous|the conversation history before this point"),
        ("command", r"caveat: the messages below were generated|base directory for this skill:|/[a-z][\w:-]*\s*\Z"),
        (
            "system",
            r"a new session was started via|\[system(?: message| notification)?\]|system(?: \(untrusted\))?: \["
            r"|pre-compaction memory flush|\[?post-compaction|\[request interrupted by user|\[retry after the previous"
            r"|continue where you left off\. the previous",
        ),
    )
)  # fmt: skip
_NOTICE = tuple(
    (why, re.compile(pattern, re.I))
    for why, pattern in (
        ("dreaming", r"__openclaw_memory_core_"),
        ("exec", r"\bexec (?:completed|failed|finished|denied|running)"),
        ("heartbeat", r"\bheartbeat"),
        ("cron", r"\bcron\b|scheduled (?:reminder|task)"),
    )
)
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
    return Heard("" if why else inner.text, why, inner.sender, inner.group)


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
        return next((why for why, rule in _SAID_TO_AGENT if rule.match(text)), "")
    return "system" if _API_ERROR.match(text) else ""


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
