"""The nouns, as frozen values that carry their origin. No behaviour beyond their own consistency.

*Workspace*, *Statement* (one thing said and where it was read), *Plan*, *Run*; Source, Snapshot, File, Edit and Notice are parts
of these. *Evidence* is in `evidence/claims.py`, *Operation* in `judge/operation.py`. A statement that cannot say where it was
read does not exist.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from reverie.core.layout import PROJECT, TEAM, TOPICS, VAULT, Kind, Place, holds_memory
from reverie.core.ports import Embedder, Model
from reverie.core.settings import Settings
from reverie.text.lines import BOM
from reverie.text.lines import short_id as short_id  # every room above knows it from here
from reverie.text.managed import without_managed
from reverie.text.markdown import Block, Document, Shape
from reverie.text.terms import plain

if TYPE_CHECKING:
    from reverie.core.model_calls import Use
    from reverie.workspace.openclaw_switches import HostDreaming

NOWHERE = Block(Shape.PARAGRAPH, 0, 0, "")
SCRUBBED = "scrubbed"  # in place of a hash: the record of a run lost what it would need to bring this file back
ABSENT = "absent"  # stands where a hash would, for a file that is not there


class Origin(StrEnum):
    """Who is speaking. Only OWNER text (the owner's and the agent's own notes) is trusted as evidence."""

    OWNER = "owner"
    MACHINE = "machine"  # a host's own text, logs, "all normal"
    SESSION = "session"  # what the agent said in a conversation; the owner's turns are OWNER
    TEAM = "team"  # what a team shares: true for all of them, and no word of the owner's
    QUOTED = "quoted"  # mails, pasted articles, strangers, anything behind >
    FENCED = "fenced"  # code and logs
    DREAM = "dream"  # what a dream wrote, ours or the peer's
    RECALLED = "recalled"  # what a host injected into a conversation, memory above all, and somebody wrote down again
    TRANSPORT = "transport"  # message ids, session keys, channel metadata


class Intent(StrEnum):
    """Which command a plan serves. It decides what the plan may touch."""

    DREAM = "dream"
    INIT = "init"
    UNDO = "undo"
    INDEX = "index"  # `dream index`: the content index, and one line of today's note
    FORGET = "forget"  # `dream forget`: lines of memory and notes leave, at the owner's word
    NOTE = "note"  # `dream note`: a line of today's note, and of MEMORY.md if it is worth it at once
    ANSWER = "answer"  # `dream answer`: one of two lines leaves, or both give way to the owner's words
    SUGGESTION = "suggestion"  # `dream suggestions`: what somebody said yes to is done, and each answer is remembered
    BACKFILL = "backfill"  # `dream rem-backfill`: entries of the diary about days long past
    CLASSIFY = "classify"  # `dream classify`: memories get files of their own; in the index shape links replace them
    PALACE = "palace"  # `dream palace --rebuild`: the views
    WATCH = "watch"  # `dream review --scheduled`: a line in the review log about a night that was not dreamt
    TOOLS = "tools"  # `dream-tools`: one step of a script, such as a block for the ledger
    REFINE = "refine"  # `dream refine`: a second look, its report, and what it mends for certain
    SUBLIMATE = "sublimate"  # `dream sublimate`: what belongs together becomes a page of knowledge
    SCRUB = "scrub"  # `dream scrub`: a line in the review log about how much was masked
    PIN = "pin"  # a line of MEMORY.md gets or loses the owner's pin, and nothing else
    IMPORT = "import"  # `dream import`: what another system kept, into notes of their own
    SHARE = "share"  # `dream share`: a line of MEMORY.md, for the team's folder too
    RESTORE = "restore"  # `dream restore`: memory as a snapshot has it; what came since goes to the archive
    EDIT = "edit"  # the owner's own words take the place of one line of MEMORY.md


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder of Markdown, the vault its archive lives in, and how its owner wants it treated."""

    root: Path
    vault: Path
    settings: Settings = field(default_factory=Settings)
    embedder: Embedder | None = field(default=None, compare=False, repr=False)  # without one, words must do
    peer_db: Path | None = field(default=None, compare=False)  # OpenClaw's database of recalls; read, never written
    model: Model | None = field(default=None, compare=False, repr=False)  # without one, the built-in judge decides
    exams: Path | None = field(default=None, compare=False)  # results of exams; without a place none is asked for
    host: HostDreaming | None = field(
        default=None, compare=False
    )  # OpenClaw's own dreaming here, where it says anything
    home: Path | None = None  # where a host keeps MEMORY.md and its topic files itself; `root` is then a folder of ours
    project: Path | None = (
        None  # the project that such a memory is about: what its owner wrote there is read as context
    )

    team: Path | None = None  # the folder of a memory that is shared: read, and written by `dream share` alone

    @property
    def folder(self) -> Path:
        """The folder that its owner knows it by."""
        return self.home or self.root

    @property
    def name(self) -> str:
        """What it is called: its project where a host keeps it for one, else its folder."""
        if self.home is None:
            return self.root.name
        return self.project.name if self.project is not None else self.home.parent.name.strip("-")

    def lies(self, path: str) -> tuple[Path, str]:
        """The folder in which a path of the layout lies, and its name in there."""
        if path.startswith(VAULT):
            return self.vault, path.removeprefix(VAULT)
        if self.team is not None and path.startswith(TEAM):
            return self.team, path.removeprefix(TEAM)
        if self.project is not None and path.startswith(PROJECT):
            return self.project, path.removeprefix(PROJECT)
        if self.home is not None and holds_memory(path):
            return self.home, path.removeprefix(TOPICS)
        return self.root, path


@dataclass(frozen=True, slots=True)
class Source:
    """Lines of a file, counted from one, both ends included."""

    path: str
    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.path}:{self.first}" + (f"-{self.last}" if self.last > self.first else "")


class Group(StrEnum):
    """Where a result comes from, as people are told."""

    MEMORY = "memory"
    ARCHIVE = "archive"
    CONTENT = "content"
    TEAM = "team"


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing said: its words, where they stand, who says them and when. The same value from the reader to the writer.

    What leaves the reader holds the owner's words as they are; what is kept as evidence (`evidence/claims.py`) holds none that
    must be hidden, and is otherwise the same.
    """

    text: str
    source: Source
    origin: Origin = Origin.OWNER
    headings: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()  # the items of lists and tables it stands under, the topmost first
    day: str = ""  # as YYYY-MM-DD, where its file is of one day
    protected: bool = False
    group: Group = Group.MEMORY
    sender: str = ""  # who said it in a room with others, as the channel named them
    block: Block = field(default=NOWHERE, compare=False, repr=False)  # its place among the blocks of its file

    @property
    def key(self) -> str:
        """Its name: its words and its parents', whatever the line."""
        return _key(f"{self.lead} {self.text}")

    @property
    def heading(self) -> str:
        """The two headings nearest to it, in one line."""
        return " > ".join(self.headings[-2:])

    @property
    def lead(self) -> str:
        """What it stands under, in one line."""
        return " > ".join(self.parents)

    @property
    def context(self) -> str:
        return " ".join(filter(None, (self.heading, self.lead)))

    @property
    def path(self) -> str:
        return self.source.path

    @property
    def first(self) -> int:
        return self.source.first

    @property
    def last(self) -> int:
        return self.source.last


@lru_cache(maxsize=20_000)  # the checks of one night ask for the same keys a hundred thousand times
def _key(words: str) -> str:
    return hashlib.sha1(to_bytes(plain(words)), usedforsecurity=False).hexdigest()[:16]


def stated(
    path: str,
    first: int,
    last: int,
    text: str,
    heading: str = "",
    parents: str = "",
    day: str = "",
    origin: str = Origin.OWNER,
    group: str = Group.MEMORY,
) -> Statement:
    """A statement out of plain values, as an index or a test has them; headings and parents are each one line."""
    headings, above = (tuple(filter(None, one.split(" > "))) for one in (heading, parents))
    return Statement(text, Source(path, first, last), Origin(origin), headings, above, day, group=Group(group))


Parsed = tuple[Document, tuple[Statement, ...]]


@dataclass(frozen=True)  # no slots: what was parsed is kept
class File:
    """One file as it was read, once: its bytes' hash, its text, and what stands in it when somebody asks.

    A night reads every note, because only bytes say whether it changed, but parses those that are new.
    """

    path: str
    place: Place
    hash: str
    text: str  # UTF-8 with surrogateescape: any bytes survive the round trip
    parse: Callable[[], Parsed] = field(compare=False, repr=False)  # a function of the text and the place alone

    @cached_property
    def parsed(self) -> Parsed:
        return self.parse()

    @cached_property
    def written_hash(self) -> str:
        """The hash of what people wrote: a block that a dream put into a note makes it no new note. Empty if they wrote nothing."""
        if self.place.kind is not Kind.DAILY:
            return self.hash
        written = without_managed(self.text).removeprefix(BOM).rstrip()
        return hash_text(written) if written else ""

    @property
    def document(self) -> Document:
        return self.parsed[0]

    @property
    def entries(self) -> tuple[Statement, ...]:
        return self.parsed[1]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A path that was not read, and the plain reason."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A workspace at one moment. Everything later in the walk is computed from this value."""

    workspace: Workspace
    files: Mapping[str, File]
    refused: tuple[Refusal, ...] = ()

    def hash_of(self, path: str) -> str:
        file = self.files.get(path)
        return file.hash if file else ABSENT

    def text_of(self, path: str) -> str:
        file = self.files.get(path)
        return file.text if file else ""

    @property
    def memories(self) -> tuple[File, ...]:
        """The files that memory stands in: MEMORY.md, where there is one, and a host's topic files."""
        first = (self.files[self.memory_path],) if self.memory_path in self.files else ()
        if self.workspace.home is None:
            return first
        topics = (file for file in self.files.values() if file.place.kind is Kind.MEMORY_TOPIC)
        return (*first, *sorted(topics, key=lambda file: file.path))

    @property
    def memory_path(self) -> str:
        """The file that is injected into conversations; an old lower-case name is honoured."""
        return "memory.md" if "memory.md" in self.files and "MEMORY.md" not in self.files else "MEMORY.md"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a person should know. Nothing moves because of it."""

    tag: str
    text: str
    why: str
    sources: tuple[Source, ...] = ()
    target: Statement | None = None  # the line of MEMORY.md it is about


@dataclass(frozen=True, slots=True)
class Author:
    """Who wrote something down, and by which surface it came. What a text says of itself makes nobody its author."""

    who: str  # owner, agent or program
    surface: str  # cli, page, mcp, session, library

    def __str__(self) -> str:
        return f"{self.who} ({self.surface})"

    @property
    def is_owner(self) -> bool:
        return self.who == "owner"


A_PROGRAM = Author("program", "library")  # whoever does not say otherwise: the least that can be


def author_named(name: str) -> Author:
    """Who a record says it was; whoever it does not name rightly is a program."""
    who, _, surface = name.removesuffix(")").partition(" (")
    return Author(who, surface) if who in ("owner", "agent") and surface else A_PROGRAM


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the lines `old`, which stand at `at` (from zero), by `new`. Both keep their line endings."""

    id: str
    path: str
    at: int
    old: tuple[str, ...]
    new: tuple[str, ...]
    tag: str
    why: str
    sources: tuple[Source, ...] = ()
    around: tuple[str, str] = ("", "")  # hashes of the neighbours, so that a later undo finds the place
    op: str = ""  # of MEMORY.md: which kind of operation it carries out …
    by: str = ""  # … and who judged; of a note: who wrote it down (`Author`)
    detail: str = ""  # the numbers behind the reason, for those who ask why
    drops: tuple[str, ...] = ()  # what the judge left out of a line on purpose


@dataclass(frozen=True, slots=True)
class Plan:
    """The edits a dream wants, and the bytes they were decided on. A value: print, save, refuse or apply it."""

    intent: Intent
    made: str
    base: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    edits: tuple[Edit, ...] = ()
    removes: tuple[
        str, ...
    ] = ()  # files that go: of an undo, what its run created; of a `forget`, what said nothing else
    flags: tuple[Notice, ...] = ()
    counts: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    refused: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))  # candidates by the reason
    undoes: str = ""
    use: Use | None = None  # what a model was asked for it, and what became of its words
    probes: tuple[int, int] | None = None  # questions that memory and archive answer before it, and after it

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(sorted({edit.path for edit in self.edits} | set(self.removes)))


@dataclass(frozen=True, slots=True)
class Change:
    """One file of a plan as bytes: the hash it must still have, and what it becomes (None: it goes away)."""

    path: str
    before: str
    after: bytes | None
    size: int = 0  # bytes before, so that what was appended meanwhile can be told apart
    decided: str = ""  # the hash after, where the bytes themselves cannot be had any more

    @property
    def after_hash(self) -> str:
        return self.decided or (ABSENT if self.after is None else hash_bytes(self.after))


@dataclass(frozen=True, slots=True)
class Run:
    """A plan that happened."""

    id: str
    plan: Plan
    at: str
    after: Mapping[str, str]
    left: tuple[
        tuple[str, int], ...
    ] = ()  # edits (path, line) whose lines the owner changed meanwhile; their bytes won
    undone_by: str = ""


def hash_bytes(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def hash_text(text: str) -> str:
    return hash_bytes(to_bytes(text))


_HEX, _LETTERS = "0123456789abcdef", "ghijklmnopqrstuv"


def lettered(digest: str) -> str:
    """A hash in letters alone: four digits of the owner's stand in a page of hexadecimal by chance, in letters never."""
    return digest.translate(str.maketrans(_HEX, _LETTERS)) if set(digest) <= set(_HEX) else digest


def hexadecimal(letters: str) -> str:
    """The hash as everybody else writes it; what is none stays as it is."""
    return letters.translate(str.maketrans(_LETTERS, _HEX)) if set(letters) <= set(_LETTERS) else letters


def to_text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def to_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def json_object(data: str | bytes | None) -> dict[str, Any]:
    """The JSON object that a text holds; an empty one for anything else."""
    try:
        found = json.loads(data) if data else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


MARK = "[re-emerged]"
# Why something left and does not return by itself: it was wrong, or it is still there. Any other word may be one of the owner's
# or of seed 000's script, which files what left by what it was ("decision").
STAYS_GONE = frozenset({"superseded", "duplicate", "retracted", "contradiction", "classified", "todo"})


@dataclass(frozen=True, slots=True)
class Removed:
    """An entry of `removed-entries.json` with the words the ledger keeps of it."""

    id: str
    text: str
    category: str
    at: str  # local, `YYYY-MM-DD HH:MM`
    source: Source | None = None  # its block in the ledger, if it has one
    section: str = ""  # the heading it stood under


def is_reemerged(text: str) -> bool:
    """The line came back once; what was missed is worth more than what never left."""
    return MARK in text
