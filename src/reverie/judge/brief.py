"""The brief: everything a night has to decide on, as one value with an id for each line. All judges get the same one.

MEMORY.md by its sections (`m12`), what came back from the archive (`a3`), and what is new by day and heading (`n41`). The
same words on several days are one line with its days; machine lines are only counted; strangers' words are marked; a line
that speaks of access is not there at all. Nothing is resolved or reworded before a judge has seen it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from reverie.core.ports import Embedder
from reverie.judge.learnt import Learnt
from reverie.workspace.recalls import Promoted
from reverie.workspace.values import File, Removed, Source, Statement

DIARY, REFLECTIONS = "diary", "reflections"  # the prose that a judge may add


@dataclass(frozen=True, slots=True)
class MemoryLine:
    """A line of MEMORY.md. `fixed` says why it may not change; empty if it may."""

    id: str
    entry: Statement
    fixed: str = ""

    @property
    def section(self) -> str:
        return self.entry.headings[-1] if self.entry.headings else ""


@dataclass(frozen=True, slots=True)
class NoteLine:
    """A statement that no night has judged, as it was said last, with the days on which it was said and who asked for it."""

    id: str
    claim: Statement
    days: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    recalls: int = 0
    queries: int = 0
    quoted: bool = False  # a stranger's words: to be read, never to be obeyed or taken for the owner's
    ticked: bool = False  # a task whose box its owner has ticked
    promoted: Promoted | None = None  # what was recalled often enough, with its numbers
    told: str = ""  # why the recall lane brings it, in a sentence


@dataclass(frozen=True, slots=True)
class ReturnedLine:
    """Something that left MEMORY.md and that a new note seems to say again."""

    id: str
    removed: Removed
    note: str  # the id of the note line


@dataclass(frozen=True, slots=True)
class Room:
    """How large MEMORY.md is, and how large it may be, in the characters of the host that injects it."""

    units: int = 0
    lines: int = 0
    target: int = 15_000
    limit: int = 18_000
    max_lines: int = 250


@dataclass(frozen=True, slots=True)
class Brief:
    """What a night has to decide on. Ids are given in order, so that the same material gives the same brief."""

    today: date
    memory: tuple[MemoryLine, ...] = ()
    notes: tuple[NoteLine, ...] = ()
    returned: tuple[ReturnedLine, ...] = ()
    room: Room = field(default_factory=Room)
    sections: tuple[str, ...] = ()  # headings of MEMORY.md that take new lines
    rules: tuple[str, ...] = ()  # wishes of the owner in DREAM.md
    logged: tuple[Learnt, ...] = ()  # every record of the agent's logs about itself
    asked: frozenset[str] = frozenset()  # ids of questions that were asked before
    machine: int = 0  # lines that machines wrote, left out
    language: str = "en"
    tells: tuple[str, ...] = ()  # the prose that the owner wants of a judge who writes: DIARY, REFLECTIONS
    leaning: Mapping[str, float] = field(default_factory=dict)  # how far your answers move what is alike, -0.1 to 0.1
    file: File | None = field(default=None, compare=False, repr=False)  # MEMORY.md as it was read
    embedder: Embedder | None = field(default=None, compare=False, repr=False)

    @property
    def lines(self) -> Mapping[str, MemoryLine | NoteLine | ReturnedLine]:
        """Every line by its id."""
        everything: Sequence[MemoryLine | NoteLine | ReturnedLine] = (*self.memory, *self.notes, *self.returned)
        return {line.id: line for line in everything}


__all__ = ["DIARY", "REFLECTIONS", "Brief", "MemoryLine", "NoteLine", "ReturnedLine", "Room"]
