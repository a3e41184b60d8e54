"""What was said in a conversation: turns, the transcript they were read from, and how far it was read.

Values only. `workspace/` reads them from files, `evidence/` keeps them; neither knows the other.

Transcripts of conversations, read where they stand and never written: OpenClaw's and Claude Code's JSONL.

A transcript grows while we look. Only complete lines are read, from where the last reading ended, and a file whose
first or last bytes are no longer the ones we knew (truncated, rotated, rewritten) is read again from its start.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, NamedTuple

from reverie.text.lines import BOM
from reverie.workspace.noise import is_group_key, judged, session_reason
from reverie.workspace.records import Said, moment_of, said_in, session_mark
from reverie.workspace.sessions import cited, reason_by_name, session_key
from reverie.workspace.values import Origin, Refusal

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
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(real, flags)
    except OSError as error:
        return Refusal(path, f"cannot be opened ({error.strerror})")
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return Refusal(path, "is a device, a pipe or a folder; only real files are read")
    with os.fdopen(handle, "rb") as file:
        try:
            key = session_key(real)
            reading = _Reading(path, agent, session, is_group_key(key), session_reason(key))
            return reading.read(file, cursor, limits or Limits())
        except OSError as error:
            return Refusal(path, f"cannot be read ({error.strerror})")


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

    def _hear(self, number: int, said: Said) -> None:
        trusted = said.owner if said.owner is not None else not (said.group or self.group)
        why, self.after, origin = judged(said.role, said.why, self.after, trusted=trusted)
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
