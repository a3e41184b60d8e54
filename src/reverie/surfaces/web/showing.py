"""What a page shows of a memory beyond what commands print: a plan by its items, MEMORY.md line by line, the diary by month.

Engine level. Looks and writes nothing; every value says where it was read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from reverie.apply.history import runs
from reverie.apply.holder import holder_of
from reverie.apply.proposal import read_proposal
from reverie.core.layout import LEDGER, Kind
from reverie.evidence.attempts import Attempt, attempts
from reverie.judge.operation import Op, Operation, words_after
from reverie.night.proposing import share
from reverie.plan.diary_file import END, START
from reverie.plan.ledger import Archived, read_ledger
from reverie.plan.part import decisions
from reverie.plan.show import sizes
from reverie.text.lines import bare, count_units, split_lines
from reverie.text.markdown import STATEMENTS, Shape
from reverie.text.marks import is_pinned
from reverie.text.sections import AREAS, OURS, name_of, own_lines
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Plan, Run, Snapshot, Source, Workspace

_OLD_DIARIES = "memory/dreaming/diary-"
LONGEST = 4  # lines of a source that are quoted
_ENTRY = re.compile(r"^---[ \t]*\r?\n(?:[ \t]*\r?\n)*\*([^*\r\n]+)\*[ \t]*\r?$", re.M)
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)[-年./](\d{1,2})")
_LONG_DAY = re.compile(rf"\b({'|'.join(_MONTHS)})\b[^\d]{{0,3}}\d{{0,2}},? ((?:19|20)\d\d)", re.I)


@dataclass(frozen=True, slots=True)
class Quoted:
    """A source and the words that stand there now; none when the file has gone or grown shorter."""

    source: Source
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """One decision of a plan: what it does, what stood there, why, and what it rests on."""

    id: str
    op: Op
    by: str
    tag: str
    text: str
    old: tuple[str, ...]
    why: str
    section: str
    evidence: tuple[Quoted, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """A plan laid out for a person: its items, its two sizes, and whether the files have moved on since it was made."""

    plan: Plan
    items: tuple[Item, ...]
    before: int
    after: int
    limit: int
    share: float  # of the statements of MEMORY.md that would change
    others: tuple[str, ...]  # files that follow from the items
    stale: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """Who wrote a line: the run, its reason and its sources."""

    run: str
    at: str
    tag: str
    why: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of MEMORY.md."""

    number: int
    text: str
    level: int = 0  # of a heading
    entry: bool = False  # whether a statement begins here
    id: str = ""  # of a line that a dream wrote
    pinned: bool = False
    protected: bool = False
    ours: bool = False  # of the `## Dream` section, which each night writes anew
    can_pin: bool = False
    told: Told | None = None


@dataclass(frozen=True, slots=True)
class Memory:
    path: str
    lines: tuple[Line, ...]
    characters: int
    limit: int


@dataclass(frozen=True, slots=True)
class DiaryEntry:
    month: str  # 2026-11, or empty when its date cannot be read
    stamp: str
    words: str


def waiting_plan(workspace: Workspace) -> Plan | None:
    """The plan that waits for the owner's word, if one does."""
    return read_proposal(workspace)


def laid_out(workspace: Workspace, plan: Plan) -> Layout:
    """A plan by its items, each with the words it rests on."""
    snapshot = read_workspace(workspace)
    stale = tuple(path for path in plan.paths if plan.base.get(path) != snapshot.hash_of(path))
    moved = snapshot.memory_path in stale
    limit = workspace.settings.memory.hard_limit
    now = count_units(snapshot.text_of(snapshot.memory_path))
    before, after = (now, now) if moved else sizes(snapshot, plan)
    items = () if moved else tuple(_item(snapshot, one.id, one.operation) for one in decisions(snapshot, plan))
    others = tuple(path for path in plan.paths if path != snapshot.memory_path)
    return Layout(plan, items, before, after, limit, 0.0 if moved else share(snapshot, plan), others, stale)


def memory_of(workspace: Workspace) -> Memory:
    """MEMORY.md line by line, each with what is known about where it came from."""
    snapshot = read_workspace(workspace)
    file, limit = snapshot.files.get(snapshot.memory_path), workspace.settings.memory.hard_limit
    if file is None:
        return Memory(snapshot.memory_path, (), 0, limit)
    told = _authors(runs(workspace), snapshot.memory_path)
    ours = set(own_lines(file.document))
    heads = {block.first: block.level for block in file.document.blocks if block.shape is Shape.HEADING}
    entries = {entry.block.first: entry for entry in file.entries if entry.block.shape in STATEMENTS}
    lines = []
    for at, raw in enumerate(file.document.lines):
        text, entry = bare(raw), entries.get(at)
        mark = OURS.search(text)
        simple = entry is not None and entry.block.shape in (Shape.BULLET, Shape.NUMBERED, Shape.PARAGRAPH)
        line = Line(
            at + 1, OURS.sub("", text).rstrip(), heads.get(at, 0), entry is not None, mark[1] if mark else "", is_pinned(text),
            entry.protected if entry else False, at in ours, simple and at not in ours and not is_pinned(text), told.get(text),
        )  # fmt: skip
        lines.append(line)
    return Memory(snapshot.memory_path, tuple(lines), count_units(file.text), limit)


def diary_of(workspace: Workspace) -> tuple[DiaryEntry, ...]:
    """Every entry of the diary and of the years it has laid away, newest last."""
    snapshot = read_workspace(workspace)
    texts = [
        file.text
        for path, file in sorted(snapshot.files.items())
        if file.place.kind is Kind.DIARY or path.startswith(_OLD_DIARIES)
    ]
    found = [entry for text in texts for entry in _entries(text)]
    return tuple(sorted(found, key=lambda entry: entry.month))  # within a month, as they stand


def archive_of(workspace: Workspace, last: int = 0) -> tuple[Archived, ...]:
    """What left MEMORY.md and is kept, oldest first; or only the `last` ones."""
    found = tuple(read_ledger(read_workspace(workspace).text_of(LEDGER)))
    return found[-last:] if last else found


def nights_of(workspace: Workspace) -> tuple[Attempt, ...]:
    """Every try to dream that is on record, oldest first."""
    return attempts(workspace.root)


def held_by(workspace: Workspace) -> str:
    """Who is at work in the workspace at this moment; empty when nobody is."""
    return holder_of(workspace.root)[0]


def month_of(stamp: str) -> str:
    """The month of a date line, written in English or in figures: 2026-11. Empty when it cannot be read."""
    if found := _DAY.search(stamp):
        return f"{found[1]}-{int(found[2]):02}" if 1 <= int(found[2]) <= 12 else ""
    if found := _LONG_DAY.search(stamp):
        return date(int(found[2]), _MONTHS.index(found[1].lower()) + 1, 1).strftime("%Y-%m")
    return ""


def _item(snapshot: Snapshot, its_id: str, one: Operation) -> Item:
    block = one.target.block if one.target else None
    memory = split_lines(snapshot.text_of(snapshot.memory_path))
    old = (
        tuple(OURS.sub("", bare(line)).rstrip() for line in memory[block.first : block.tail] if line.strip())
        if block
        else ()
    )
    evidence = tuple(_quoted(snapshot, source) for source in one.sources)
    home = name_of(one.section, "en") if one.section in AREAS else one.section
    return Item(its_id, one.op, one.by, one.tag, words_after(one), old, one.why, home, evidence)


def _quoted(snapshot: Snapshot, source: Source) -> Quoted:
    lines = split_lines(snapshot.text_of(source.path))[source.first - 1 : min(source.last, source.first + LONGEST - 1)]
    return Quoted(source, tuple(bare(line) for line in lines if line.strip()))


def _authors(history: tuple[Run, ...], path: str) -> dict[str, Told]:
    """The run that last wrote a line, by the line as it stands."""
    found: dict[str, Told] = {}
    for run in history:
        if run.undone_by or run.plan.undoes:
            continue
        for edit in run.plan.edits:
            if edit.path == path:
                told = Told(run.id, run.at, edit.tag, edit.why, tuple(map(str, edit.sources)))
                found |= {bare(line): told for line in edit.new if line.strip() and line not in edit.old}
    return found


def _entries(text: str) -> list[DiaryEntry]:
    inside = text.partition(START)[2].partition(END)[0] if START in text else ""
    marks = list(_ENTRY.finditer(inside))
    ends = [*(mark.start() for mark in marks[1:]), len(inside)]
    return [
        DiaryEntry(month_of(mark[1]), mark[1].strip(), _plain(inside[mark.end() : end]))
        for mark, end in zip(marks, ends, strict=False)
    ]


def _plain(words: str) -> str:
    return re.sub(r"<!--.*?-->", "", words, flags=re.S).strip()


__all__ = [
    "Archived", "Attempt", "DiaryEntry", "Item", "Layout", "Line", "Memory", "Quoted", "Told", "archive_of", "diary_of", "held_by", "laid_out",
    "memory_of", "month_of", "nights_of", "waiting_plan",
]  # fmt: skip
