"""What `dream doctor` looked at, and what it can say about it, as values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

from reverie.evidence.attempts import Attempt


class Level(IntEnum):
    GOOD = 0
    NOTE = 1  # worth knowing; nothing is broken
    BAD = 2  # somebody should do something


@dataclass(frozen=True, slots=True)
class Sign:
    """One answer: a short status that no other trouble shares, a sentence, and the command that mends it."""

    about: str
    status: str
    says: str
    mend: str = ""
    level: Level = Level.GOOD


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """Everything the doctor looked at, as values."""

    now: datetime
    on: bool = True
    state: str = "active"
    attempts: tuple[Attempt, ...] = ()
    last_dream: datetime | None = None
    read: int = 0  # files of the workspace that can be read
    notes: int = 0  # dated notes and conversations among them
    fresh: int = 0  # those that no night has judged
    refused: tuple[tuple[str, str], ...] = ()  # path and why
    doubts: tuple[tuple[str, str], ...] = ()
    damaged: tuple[str, ...] = ()  # state files that cannot be understood
    unfinished: tuple[str, ...] = ()  # runs that a crash left
    broken_runs: tuple[str, ...] = ()
    index: str = "good"  # good, missing, stale, damaged, off
    behind: int = 0  # files that changed since they were indexed
    holder: str = ""  # who holds the workspace now
    killed: str = ""  # a command that died while it held it
    free: int = 1 << 40  # bytes on the disk
    size: int = 0  # characters of MEMORY.md
    limit: int = 18_000
    truncation: int = 20_000
    embedder: str = ""  # what is wrong with it
    waiting: bool = False  # a proposal waits for the owner's word
    questions: int = 0  # open ones
    kept: int = 0  # other versions of files that lie beside a run
    scheduled: str | None = ""  # what starts the nights; None when nothing does, empty when nobody could look
    dead_daemon: str = ""  # since when a daemon that should run gives no sign of life
    refused_hosts: tuple[str, ...] = ()  # projections that may not be written, each with why
    stale_hosts: tuple[str, ...] = ()  # projections that MEMORY.md has left behind
    model: str = ""  # who leads besides the built-in judge, or why nobody does, in a sentence
    model_leads: bool = True
    next_time: str = ""  # what the schedule says about the next night


def counted(number: int, what: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number:,} {what}{'s' if number != 1 else ''}"
