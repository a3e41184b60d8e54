"""What was said in a conversation: turns, the transcript they were read from, and how far it was read.

Values only. `workspace/` reads them from files, `evidence/` keeps them; neither knows the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from types import MappingProxyType

from reverie.model import Origin

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
