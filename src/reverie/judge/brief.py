"""BRIEF → VERDICT: everything a night has to decide on, the port `Judge` that decides, and what it answers.

The brief is one value with an id for each line, the same for all judges: MEMORY.md by its sections (`m12`), what came back from the
archive (`a3`), and what is new by day and heading (`n41`). The same words on several days are one line with its days; machine
lines are only counted; strangers' words are marked; a line that speaks of access is not there at all. Nothing is resolved or
reworded before a judge has seen it.

A judge that writes may add prose in the same answer: a paragraph for the diary, and what runs through several notes. Whether it may
stand anywhere is for `reverie.features.diary.entry`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from reverie.core.model_calls import Use
from reverie.core.ports import Embedder
from reverie.judge.operation import Operation
from reverie.workspace.named_paths import MissingPath
from reverie.workspace.openclaw_format import Promoted
from reverie.workspace.values import File, Removed, Source, Statement

if TYPE_CHECKING:
    from reverie.judge.recurring import LogRecord

DIARY, REFLECTIONS = "diary", "reflections"  # the prose that a judge may add
INDEX = "index"  # why a line that leads to a host's topic is fixed


@dataclass(frozen=True, slots=True)
class MemoryLine:
    """A line of MEMORY.md. `fixed` says why it may not change; empty if it may."""

    id: str
    entry: Statement
    fixed: str = ""
    made_from: frozenset[Source] = frozenset()  # where the words stand that a run made it of

    @property
    def text(self) -> str:
        return self.entry.text

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
    recalled: str = ""  # why the recall lane brings it, in a sentence
    beside: str = ""  # the line of memory that has the same key
    by: str = ""  # which agent or program noted it (`Author`), where nobody else said so; empty for what stands in the owner's files

    @property
    def text(self) -> str:
        return self.claim.text


@dataclass(frozen=True, slots=True)
class ReturnedLine:
    """Something that left MEMORY.md and that a new note seems to say again."""

    id: str
    removed: Removed
    note: str  # the id of the note line

    @property
    def text(self) -> str:
        return self.removed.text


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
    logged: tuple[LogRecord, ...] = ()  # every record of the agent's logs about itself
    asked: frozenset[str] = frozenset()  # ids of questions that were asked before
    reminded: frozenset[str] = frozenset()  # keys of the reminders that were given …
    settled: Mapping[str, str] = field(default_factory=dict)  # … and of those that were archived, with the day
    machine: int = 0  # lines that machines wrote, left out
    too_old: int = 0  # lines of days before `dream.lookback_days`, left out
    language: str = "en"
    since: str = ""  # the day of the last night; none before the first
    diary_language: str = ""  # where the owner wants the diary in another one
    diary_style: str = ""  # how the owner wants it told, in a word or a sentence
    tells: tuple[str, ...] = ()  # the prose that the owner wants of a judge who writes: DIARY, REFLECTIONS
    leaning: Mapping[str, float] = field(default_factory=dict)  # how far your answers move what is alike, -0.1 to 0.1
    missing: Mapping[str, MissingPath] = field(
        default_factory=dict
    )  # by the id of a memory line: the file it names is not there
    file: File | None = field(default=None, compare=False, repr=False)  # MEMORY.md as it was read
    topics: tuple[File, ...] = field(default=(), compare=False, repr=False)  # a host's topic files, memory as well
    embedder: Embedder | None = field(default=None, compare=False, repr=False)

    @property
    def files(self) -> tuple[File, ...]:
        """The files that memory stands in."""
        return (*((self.file,) if self.file else ()), *self.topics)

    @property
    def lines(self) -> Mapping[str, MemoryLine | NoteLine | ReturnedLine]:
        """Every line by its id."""
        everything: Sequence[MemoryLine | NoteLine | ReturnedLine] = (*self.memory, *self.notes, *self.returned)
        return {line.id: line for line in everything}


MOST_REFLECTIONS = 3
_ASKED = {
    DIARY: (
        ' Add a field "diary" to the answer: three to five calm sentences in the first person, as the agent whose memory this is, '
        "about what changes tonight; only what your operations say, no secret, no list."
    ),
    REFLECTIONS: (
        ' Add a field "reflections" to it: at most three [{"text":"…","from":["n3","n17"]}], each one sentence about what runs '
        "through at least two of the notes and is no operation: a subject that returns, a worry, a change of direction."
    ),
}


@dataclass(frozen=True, slots=True)
class Reflection:
    """A sentence about what runs through several notes, and the notes."""

    text: str
    cites: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Prose:
    """What a judge tells of a night."""

    diary: str = ""
    reflections: tuple[Reflection, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.diary or self.reflections)


def asked_for(brief: Brief) -> str:
    """The sentences that ask a judge for the prose its owner wants; empty where none is wanted."""
    return "".join(_ASKED[kind] for kind in brief.tells)


def prose_in(answer: Any, brief: Brief) -> Prose:
    """What an answer tells. What is no prose, or speaks of no notes of the brief, is left out without a word."""
    if not isinstance(answer, Mapping):
        return Prose()
    listed = answer.get("reflections")
    found = [one for item in (listed if isinstance(listed, list) else ()) if (one := _reflection(item, brief))]
    return Prose(_line(answer.get("diary")), tuple(found[:MOST_REFLECTIONS]))


def joined(parts: Iterable[Prose]) -> Prose:
    """The prose of several windows as that of one night."""
    parts = tuple(parts)
    reflections = [one for part in parts for one in part.reflections]
    return Prose(" ".join(part.diary for part in parts if part.diary), tuple(reflections[:MOST_REFLECTIONS]))


def _reflection(item: Any, brief: Brief) -> Reflection | None:
    if not isinstance(item, Mapping) or not isinstance(names := item.get("from"), list):
        return None
    lines = [brief.lines.get(str(name).strip("[] ")) for name in names]
    claims = tuple(dict.fromkeys(line.claim for line in lines if isinstance(line, NoteLine)))
    text = _line(item.get("text"))
    return Reflection(text, claims) if text and len(claims) > 1 else None


def _line(said: Any) -> str:
    return " ".join(said.split()) if isinstance(said, str) else ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge made of a brief: what it wants, what it would not take (how many, by reason), and what it cost."""

    operations: tuple[Operation, ...] = ()
    ignored: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    use: Use | None = None  # the receipt of a model
    prose: Prose = field(default_factory=Prose)  # what a model tells of the night, unchecked
    unread: tuple[str, ...] = ()  # ids of note lines that nobody judged: a window without an answer


class Judge(Protocol):
    """Decides what should happen to a memory. Opens no file, reads no clock."""

    @property
    def name(self) -> str:
        """Who decides, as operations and receipts call it."""
        ...

    def judge(self, brief: Brief) -> Verdict: ...


class ScriptedJudge:
    """The published fake: wants these operations, whatever the brief says."""

    name = "scripted"

    def __init__(self, operations: Sequence[Operation] = ()) -> None:
        self.operations = tuple(operations)
        self.briefs: list[Brief] = []

    def judge(self, brief: Brief) -> Verdict:
        self.briefs.append(brief)
        return Verdict(self.operations)
