"""What was said in conversations, read where they stand and never written: OpenClaw's and Claude Code's JSONL, and dumps.

A transcript grows while we look. Only complete lines are read, from where the last reading ended, and a file whose first or
last bytes are no longer the ones we knew (truncated, rotated, rewritten) is read again from its start. Records of OpenClaw
are `{"type": "message", "message": {"role", "content", "timestamp"?}, "timestamp"}` after a `session` record; of Claude Code
`{"type": "user" | "assistant", "message": {…}, "isMeta", "isSidechain", "timestamp", "sessionId"}`. A dump is a conversation
that OpenClaw's hook wrote into `memory/` as Markdown: a transcript, not a note.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, NamedTuple

from reverie.core.durable import NotPlain, open_plain
from reverie.core.layout import Place
from reverie.lang.messages import say
from reverie.text.lines import BOM, bare, clipped, split_lines
from reverie.text.markdown import Block, Shape, opaque_lines
from reverie.workspace.origins import heard, is_group_key, session_reason, turn_origin
from reverie.workspace.sessions import cited, reason_by_name, session_key
from reverie.workspace.values import Origin, Refusal, Source, Statement

EDGE = 4096  # bytes at each end by which a file is known again


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing somebody said, without what machines wrapped around it."""

    agent: str
    session: str  # the session as it is cited: `sessions/abc.jsonl`
    line: int  # from one
    role: str  # user or assistant
    text: str
    at: datetime | None = None  # aware
    sender: str = ""  # as the channel named them; empty where it did not
    origin: Origin = Origin.OWNER


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a growing file was read, and by which bytes it is recognised."""

    size: int = 0  # bytes up to the end of the last complete line
    lines: int = 0
    head: str = ""  # sha256 of the first bytes, at most EDGE
    tail: str = ""  # sha256 of the last bytes before `size`, at most EDGE
    after: str = ""  # whom the next reply answers: the owner (empty), a stranger, a machine
    excluded: str = ""  # why the whole session is left out


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was new in one file: the turns worth keeping, and how many were left out, by reason."""

    path: str  # by which its cursor is kept
    agent: str
    session: str
    turns: tuple[Turn, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    cursor: Cursor | None = None  # None: nothing to continue, the file is judged by its name or is read whole
    started: datetime | None = None  # the first moment the file knows
    day: date | None = None  # the day it is filed under, where the owner's files say so
    more: bool = False  # the file is longer than one reading; read again from the cursor


_HEAD = 64 * 1024  # how far a session may take to say when it began


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a file is held in memory, in bytes."""

    line: int = 8 * 1024 * 1024  # a pasted picture; a longer line is passed over
    reading: int = 64 * 1024 * 1024  # of one file per call; the cursor stands where the next one goes on


def read_transcript(
    real: Path, path: str, agent: str, cursor: Cursor | None = None, limits: Limits | None = None
) -> Transcript | Refusal:
    """What is new in a transcript since the cursor; the whole of it when there is none or the file is another one."""
    session = cited(path)
    if why := reason_by_name(real.name):
        return Transcript(path, agent, session, left_out=MappingProxyType({why: 1}))
    try:
        handle = open_plain(real)
    except NotPlain:
        return Refusal(path, say("read.special"))
    except OSError as error:
        return Refusal(path, say("read.unopened", why=error.strerror))
    with os.fdopen(handle, "rb") as file:
        try:
            key = session_key(real)
            reading = _Reading(path, agent, session, is_group_key(key), session_reason(key))
            return reading.read(file, cursor, limits or Limits())
        except OSError as error:
            return Refusal(path, say("read.unread", why=error.strerror))


@dataclass(slots=True)
class _Reading:
    """One pass over one file: what was heard so far, and the bytes by which the place will be known again."""

    path: str
    agent: str
    session: str
    group: bool
    excluded: str
    turns: list[Turn] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    started: datetime | None = None
    after: str = ""
    head: bytes = b""
    tail: bytes = b""

    def read(self, file: BinaryIO, cursor: Cursor | None, limits: Limits) -> Transcript:
        known = self._resumed(file, cursor)
        size, lines = (known.size, known.lines) if known else (0, 0)
        file.seek(size)
        enough, more = size + limits.reading, False
        for line in _complete_lines(file, limits.line):
            size, lines = size + line.length, lines + 1
            self.head, self.tail = (self.head + line.first)[:EDGE], (self.tail + line.last)[-EDGE:]
            self._line(lines, line.data)
            if more := size >= enough:
                break
        if self.excluded:
            self.left_out[self.excluded] += len(self.turns)
            self.turns = []
        left_out = MappingProxyType({why: count for why, count in sorted(self.left_out.items()) if count})
        end = Cursor(size, lines, _hash(self.head), _hash(self.tail), self.after, self.excluded)
        return Transcript(
            self.path, self.agent, self.session, tuple(self.turns), left_out, end, self.started, more=more
        )

    def _resumed(self, file: BinaryIO, cursor: Cursor | None) -> Cursor | None:
        """The cursor, if the bytes before it are still the ones it was made from."""
        if cursor is None or cursor.size <= 0 or os.fstat(file.fileno()).st_size < cursor.size:
            return None
        edge = min(cursor.size, EDGE)
        head = file.read(edge)
        file.seek(cursor.size - edge)
        tail = file.read(edge)
        if (_hash(head), _hash(tail)) != (cursor.head, cursor.tail):
            return None
        self.head, self.tail, self.after = head, tail, cursor.after
        self.excluded = self.excluded or cursor.excluded
        file.seek(0)
        for line in file.read(_HEAD).split(b"\n")[:-1]:
            if (record := _record(line)) is not None and (at := moment_of(record)) is not None:
                self.started = at
                break
        return cursor

    def _line(self, number: int, data: bytes | None) -> None:
        if data is None:
            self.left_out["huge"] += 1
            return
        if not data.strip():
            return
        record = _record(data)
        if record is None:
            self.left_out["damaged"] += 1
            return
        self.excluded = self.excluded or session_mark(record)
        said = said_in(record)
        self.started = self.started or said.at
        if said.role:
            self._hear(number, said)

    def _hear(self, number: int, said: SpokenRecord) -> None:
        trusted = said.owner if said.owner is not None else not (said.group or self.group)
        why, self.after, origin = turn_origin(said.role, said.why, self.after, trusted=trusted)
        if why:
            self.left_out[why] += 1
        else:
            turn = Turn(self.agent, self.session, number, said.role, said.text, said.at, said.sender, origin)
            self.turns.append(turn)


class _Line(NamedTuple):
    data: bytes | None  # None: too long to be kept
    length: int
    first: bytes
    last: bytes


def _complete_lines(file: BinaryIO, longest: int) -> Iterator[_Line]:
    """The lines that end; a half-written last one is left for the next reading."""
    while data := file.readline(longest):
        if data.endswith(b"\n"):
            yield _Line(data, len(data), data[:EDGE], data[-EDGE:])
            continue
        length, first, last = len(data), data[:EDGE], data[-EDGE:]
        while piece := file.readline(longest):
            length, last = length + len(piece), (last + piece)[-EDGE:]
            if piece.endswith(b"\n"):
                yield _Line(None, length, first, last)
                break
        else:
            return


def _record(data: bytes) -> Mapping[str, object] | None:
    try:
        found = json.loads(data.decode("utf-8", "replace").removeprefix(BOM))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


_SECONDS = 1e11  # the peer reads smaller numbers as seconds, larger ones as milliseconds
_EARLIEST, _LATEST = datetime(1990, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
_SUMMARIES = frozenset({"compaction", "branch_summary", "summary"})
_FLAGS = {"isSidechain": "sub-agent", "isMeta": "meta", "isCompactSummary": "summary", "isApiErrorMessage": "system"}
Record = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class SpokenRecord:
    """What a record holds: words, or the reason why they are left out; nothing at all without a role."""

    role: str = ""
    text: str = ""
    why: str = ""
    at: datetime | None = None
    sender: str = ""
    group: bool = False
    owner: bool | None = None  # what the host says about the sender, if it says anything


def said_in(record: Record) -> SpokenRecord:
    """What somebody said in this record."""
    kind, message = record.get("type"), record.get("message")
    at = moment_of(record)
    if kind in _SUMMARIES:
        return SpokenRecord("system", why="summary", at=at)
    if kind in ("custom_message", "system"):
        return SpokenRecord("system", why="system", at=at)
    if kind not in ("message", "user", "assistant") or not isinstance(message, Mapping):
        return SpokenRecord(at=at)
    role = message.get("role", kind)
    if role not in ("user", "assistant"):
        return SpokenRecord("system", why="tool" if "tool" in str(role).lower() else "system", at=at)
    why = _flagged(record, message)
    text, silent = _words(message.get("content"))
    if why or not text.strip():
        return SpokenRecord(str(role), why=why or silent, at=at)
    found = heard(str(role), text)
    sender = _sender(record, message) or found.sender
    return SpokenRecord(str(role), found.text, found.why, at, sender, found.group, _owner(record, message))


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
    for flag, why in _FLAGS.items():
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


_SUMMARY = re.compile(r"##\s+conversation summary\s*$", re.I)
_KEY = re.compile(r"\s*[-*]?\s*\**session key\**\s*:\**\s*(?P<key>\S.*?)\s*$", re.I)
_SPOKEN = re.compile(r"(?:\*\*)?(?P<role>user|assistant|system|tool|toolresult)(?:\*\*)?:(?:\*\*)?(?:\s|$)", re.I)


def turns_of_dump(text: str, path: str, day: date | None) -> Transcript:
    """The turns of a dumped conversation, filed under the day of its file. The lines about it are only counted."""
    lines = [bare(line) for line in split_lines(text)]
    begins = next((i + 1 for i, line in enumerate(lines) if _SUMMARY.match(line)), None)
    if begins is None:
        begins = next((i for i, line in enumerate(lines) if _SPOKEN.match(line)), len(lines))
    key = next((found["key"] for line in lines[:begins] if (found := _KEY.match(line))), "")
    left_out = Counter({"metadata": sum(1 for line in lines[:begins] if line.strip())})
    agent = key.split(":")[1] if key.startswith("agent:") and key.count(":") > 1 else "main"
    turns, after = [], ""
    excluded, group = session_reason(key), is_group_key(key)
    for number, role, words in _spoken(lines, begins):
        said = heard(role, words)
        why = said.why if role in ("user", "assistant") else "tool" if "tool" in role else "system"
        why, after, origin = turn_origin(role, why, after, trusted=not (group or said.group))
        if why or excluded:
            left_out[excluded or why] += 1
            continue
        turns.append(Turn(agent, path, number, role, said.text, None, said.sender, origin))
    counts = MappingProxyType({why: count for why, count in sorted(left_out.items()) if count})
    return Transcript(path, agent, path, tuple(turns), counts, day=day)


def is_session_dump(text: str) -> bool:
    """A dated file that OpenClaw's session hook wrote: it says so in its first lines."""
    start = text[:4_000].lower()
    if "# session:" not in start and "**session key**" not in start:
        return False  # nearly every note
    head = [line.strip() for line in split_lines(start)[:12]]
    return any(line.startswith("# session:") or "**session key**" in line for line in head)


def spoken_in(path: str, place: Place, text: str) -> tuple[Statement, ...]:
    """What was said in a dump, turn by turn, as the statements of its file. Lines about the session are none."""
    lines = [bare(line) for line in split_lines(text)]
    starts = [*sorted(_turns_begin(lines)), len(lines)]
    found = []
    for turn in turns_of_dump(text, path, place.day).turns:
        first = turn.line - 1
        end = starts[bisect_right(starts, first)]
        while end > first + 1 and not lines[end - 1].strip():
            end -= 1
        block = Block(Shape.PARAGRAPH, first, end, clipped(" ".join(turn.text.split())), tail=end)
        found.append(
            Statement(
                block.text,
                Source(path, first + 1, end),
                turn.origin,
                day=str(place.day or ""),
                sender=turn.sender,
                block=block,
            )
        )
    return tuple(found)


def _spoken(lines: list[str], begins: int) -> Iterator[tuple[int, str, str]]:
    """(line from one, role, words) of each turn; a turn goes on until the next one begins."""
    number, role, words = 0, "", [""]
    turns = _turns_begin(lines)
    for i in range(begins, len(lines)):
        if i in turns and (found := _SPOKEN.match(lines[i])):
            if role:
                yield number, role, "\n".join(words)
            number, role, words = i + 1, found["role"].lower(), [lines[i][found.end() :]]
        else:
            words.append(lines[i])
    if role:
        yield number, role, "\n".join(words)


def _turns_begin(lines: list[str]) -> frozenset[int]:
    """Where turns begin. A note that a host injected may hold a conversation too; that one is over."""
    injected = {i for i, what in opaque_lines(lines)[0].items() if what is Shape.RECALLED}
    return frozenset(
        i for i, line in enumerate(lines) if _SPOKEN.match(line) and not (i in injected and i - 1 in injected)
    )
