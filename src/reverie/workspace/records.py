"""One line of a transcript → what was said in it. Knows the records of OpenClaw and of Claude Code, and no files.

OpenClaw: `{"type": "message", "message": {"role", "content", "timestamp"?}, "timestamp"}` after a `session` record.
Claude Code: `{"type": "user" | "assistant", "message": {…}, "isMeta", "isSidechain", "timestamp", "sessionId"}`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from reverie.workspace.noise import heard, session_reason

_SECONDS = 1e11  # the peer reads smaller numbers as seconds, larger ones as milliseconds
_EARLIEST, _LATEST = datetime(1990, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
_SUMMARIES = frozenset({"compaction", "branch_summary", "summary"})
_FLAGS = (("isSidechain", "sub-agent"), ("isMeta", "meta"), ("isCompactSummary", "summary"), ("isApiErrorMessage", "system"))  # fmt: skip
Record = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Said:
    """What a record holds: words, or the reason why they are left out; nothing at all without a role."""

    role: str = ""
    text: str = ""
    why: str = ""
    at: datetime | None = None
    sender: str = ""
    group: bool = False
    owner: bool | None = None  # what the host says about the sender, if it says anything


def said_in(record: Record) -> Said:
    """What somebody said in this record."""
    kind, message = record.get("type"), record.get("message")
    at = moment_of(record)
    if kind in _SUMMARIES:
        return Said("system", why="summary", at=at)
    if kind in ("custom_message", "system"):
        return Said("system", why="system", at=at)
    if kind not in ("message", "user", "assistant") or not isinstance(message, Mapping):
        return Said(at=at)
    role = message.get("role", kind)
    if role not in ("user", "assistant"):
        return Said("system", why="tool" if "tool" in str(role).lower() else "system", at=at)
    why = _flagged(record, message)
    text, silent = _words(message.get("content"))
    if why or not text.strip():
        return Said(str(role), why=why or silent, at=at)
    found = heard(str(role), text)
    return Said(
        str(role),
        found.text,
        found.why,
        at,
        _sender(record, message) or found.sender,
        found.group,
        _owner(record, message),
    )


def session_mark(record: Record) -> str:
    """Why the session this record belongs to is left out whole, if the record says so."""
    for part in _parts(record, "data"):
        for key in ("sessionKey", "runId", "spawnedBy", "parentSessionKey"):
            if isinstance(value := part.get(key), str) and (why := session_reason(value)):
                return why
    return ""


def moment_of(record: Record) -> datetime | None:
    """When it was said: ISO text, seconds or milliseconds, in the message or around it."""
    for part in _parts(record, "message", inner_first=True):
        if (found := moment(part.get("timestamp"))) is not None:
            return found
    return None


def moment(value: object) -> datetime | None:
    """A moment as hosts write it; None for what cannot be one."""
    try:
        if isinstance(value, str):
            found = datetime.fromisoformat(value.strip())
            found = found if found.tzinfo else found.replace(tzinfo=UTC)
        elif isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            found = datetime.fromtimestamp(value if value < _SECONDS else value / 1000, UTC)
        else:
            return None
        return found.astimezone(UTC) if _EARLIEST <= found <= _LATEST else None
    except (ValueError, OverflowError, OSError):
        return None


def _parts(record: Record, name: str, *, inner_first: bool = False) -> Iterator[Record]:
    inner = record.get(name)
    both = [record, inner] if isinstance(inner, Mapping) else [record]
    yield from reversed(both) if inner_first else both


def _flagged(record: Record, message: Record) -> str:
    for flag, why in _FLAGS:
        if record.get(flag) is True:
            return why
    if message.get("model") == "<synthetic>":
        return "system"
    provenance = message.get("provenance")
    kind = provenance.get("kind") if isinstance(provenance, Mapping) else None
    return {"inter_session": "inter-session", "internal_system": "system"}.get(str(kind), "")


def _words(content: object) -> tuple[str, str]:
    """The text parts of a message, and the word for it when there are none."""
    if isinstance(content, str):
        return content, "empty"
    parts = [part for part in content if isinstance(part, Mapping)] if isinstance(content, list) else []
    texts = [text for part in parts if part.get("type") == "text" and isinstance(text := part.get("text"), str)]
    kinds = " ".join(str(part.get("type")) for part in parts).lower()
    return "\n".join(texts), "tool" if "tool" in kinds else "thinking" if "thinking" in kinds else "empty"


def _sender(record: Record, message: Record) -> str:
    for part in (message, record):
        for key in ("senderName", "sender", "senderId"):
            if isinstance(value := part.get(key), str) and value.strip():
                return value.strip()[:120]
    return ""


def _owner(record: Record, message: Record) -> bool | None:
    provenance = message.get("provenance")
    for part in (message, record, provenance if isinstance(provenance, Mapping) else {}):
        if isinstance(value := part.get("senderIsOwner"), bool):
            return value
        if part.get("originClass") in ("owner", "untrusted"):
            return part.get("originClass") == "owner"
    return None
