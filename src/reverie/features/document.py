"""Memory as a document: every line with where it comes from, what a night did to it, and what is asked about it.
A value for people to look at; it is made anew from files and runs, and nothing is written."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from hashlib import sha256
from itertools import groupby
from typing import NamedTuple

from reverie.errors import Unreadable
from reverie.features.decisions import Decision, decision_of
from reverie.features.inbox import inbox
from reverie.features.nights import NIGHTLY, records
from reverie.operations import Op, Operation, Ref, mark_of
from reverie.plan.splices import marks_after, relocated, reversed_splices, spliced, whole_lines
from reverie.privacy.secrets import WITHHELD, holds_secret
from reverie.store.runs import Run
from reverie.store.state import read_state
from reverie.store.undo import standing
from reverie.text.lines import strip_eol
from reverie.text.markdown import Block, Kind, blocks, cells, without_bullet
from reverie.text.regions import Region
from reverie.workspace.layout import MEMORY, FileKind, Layout, note_day
from reverie.workspace.protection import is_protected, is_secret
from reverie.workspace.read import read
from reverie.workspace.sections import body_end, dream_section, find_place, front_matter
from reverie.workspace.snapshot import File, Snapshot, Statement
from reverie.workspace.statements import parse


@dataclass(frozen=True)
class Source:
    place: str
    day: date | None
    words: str = ""  # empty: not looked up, or not to be shown


@dataclass(frozen=True)
class Line:
    place: str  # empty: it does not stand there (yet, or any more)
    words: str  # as people read it, without its bullet
    mark: str = ""  # a hash of the words that were seen
    form: str = "item"  # item, text, row, quote
    depth: int = 0
    ticked: bool | None = None
    sign: str = ""  # new, changed, gone, ask; empty: it is as it was
    before: str = ""  # the words that changed
    decision: Decision | None = None  # what brought it last; for an ask, what is asked
    sources: tuple[Source, ...] = ()
    others: tuple[str, ...] = ()  # lines that left by the same decision
    is_pinned: bool = False
    is_protected: bool = False
    is_secret: bool = False


@dataclass
class Part:
    form: str  # lines, rows, code
    head: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    text: str = ""


@dataclass
class Section:
    title: str
    level: int
    name: str  # for links within the page
    parts: list[Part] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        signs = [line.sign for part in self.parts for line in part.lines for _ in (line, *line.others)]
        return {sign: count for sign in ("new", "changed", "gone", "ask") if (count := signs.count(sign))}


@dataclass(frozen=True)
class Chapter:
    path: str
    title: str
    sections: list[Section]


@dataclass(frozen=True)
class Document:
    chapters: list[Chapter]
    runs: tuple[str, ...]  # of the night whose changes are shown
    day: date | None  # of that night
    is_past: bool  # memory as it stood then; nothing can be done to it
    unread: dict[str, str]
    notes: int  # daily notes that lie beside it
    topics: int


class _Change(NamedTuple):
    sign: str
    before: str
    decision: Decision
    cites: tuple[Ref, ...]


Stories = dict[tuple[str, str], tuple[Run, Operation]]
Marked = tuple[dict[int, _Change], dict[int, list[tuple[str, _Change]]]]  # lines that stand; lines that left, by place


def document(layout: Layout, now: datetime, day: date | None = None) -> Document:
    """MEMORY.md and its topic files as chapters. With a day: as they stood after the night of that day."""
    snapshot, known = read(layout), records(layout)
    shown = [run for run in known if run.command in NIGHTLY and (run.operations or run.waiting)]
    shown = [run for run in shown if day is None or run.at.date() == day]
    shown = [run for run in shown if run.at.date() == shown[-1].at.date()]
    later = [run for run in known if day and run.at.date() > day]
    last, undos = bool(later), [run for run in known if run.undoes and run not in later]
    stories, chapters = _stories(known), list[Chapter]()
    asks = {} if last else _asks(snapshot, inbox(layout, now), layout)
    for file in (*snapshot.of_kind(FileKind.MEMORY), *snapshot.topics):
        past = _lines_before(later, file) if last else file.lines
        pages = _Pages(snapshot, _with_lines(file, past) if last else file, stories, asks.get(file.path, {}))
        title, sections = pages.made(_marked(shown, file.path, past, undos))
        chapters.append(Chapter(file.path, title, sections))
    when = day or (shown[-1].at.date() if shown else None)
    beside = len(snapshot.of_kind(FileKind.NOTE)), len(snapshot.topics)
    return Document(chapters, tuple(run.id for run in shown), when, last, snapshot.unread, *beside)


def _with_lines(file: File, lines: Sequence[str]) -> File:
    data = "".join(lines).encode("utf-8", "surrogateescape")
    return File(file.path, file.kind, "", lambda _: data, parse)


def sources_of(snapshot: Snapshot, cites: Iterable[Ref], *, with_words: bool = True) -> tuple[Source, ...]:
    """The notes that a decision rests on, with what they say there."""
    found = list[Source]()
    for ref in cites:
        line = None
        with suppress(Unreadable):
            line = snapshot.find(ref) if with_words else None
        words = "" if line is None or is_secret(line) else line.text
        found.append(Source(line.place if line else ref.place, note_day(ref.path), words))
    return tuple(found)


def _stories(known: Iterable[Run]) -> Stories:
    """Which run and operation wrote a line last, by its file and words."""
    found = Stories()
    for run in known:
        operations = {operation.id: operation for operation in run.operations} if not run.undoes else {}
        for splice in run.splices:
            if operation := operations.get(splice.by):
                fresh = (line for line in splice.new if line not in splice.old)
                found |= {(splice.path, mark_of(strip_eol(line))): (run, operation) for line in fresh}
    return found


def _lines_before(later: Sequence[Run], file: File) -> list[str]:
    """The lines of a file with what these runs did taken back, the newest first; what their owner typed stays."""
    lines = list(file.lines)
    for run in reversed(later):
        for change in (change for change in run.changes if change.path == file.path):
            mine = [splice for splice in run.splices if splice.path == file.path]
            back = reversed_splices(mine)
            if change.after != sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest():
                pairs = relocated(back, marks_after(change.marks, mine), lines)
                back = whole_lines((here for _, here in pairs if here), lines)
            with suppress(ValueError):
                lines = spliced(lines, back)
    return lines


def _marked(shown: Iterable[Run], path: str, lines: Sequence[str], undos: Sequence[Run]) -> Marked:
    """What these runs changed, found on the lines of today: the lines that stand, and where others stood."""
    stands, left = dict[int, _Change](), defaultdict[int, list[tuple[str, _Change]]](list)
    for run in shown:
        standing_ids, operations = standing(run, undos), {operation.id: operation for operation in run.operations}
        for change in (change for change in run.changes if change.path == path):
            mine = [splice for splice in run.splices if splice.path == path]
            for done, here in relocated(reversed_splices(mine), marks_after(change.marks, mine), lines):
                if here is None or done.by not in standing_ids:
                    continue
                operation = operations[done.by]
                decision = decision_of(operation, run=run.id, at=run.at)
                old, new = ([strip_eol(line) for line in side] for side in (done.new, done.old))
                is_changed = operation.op in {Op.UPDATE, Op.MERGE} and len(new) == 1
                gone = [line for line in old if line not in new and line.strip()]
                for offset, line in enumerate(new):
                    if line not in old and line.strip():
                        about = ("changed", gone[0]) if is_changed and gone else ("new", "")
                        stands[here.at + offset] = _Change(*about, decision, operation.cites)
                left[here.at] += [(line, _Change("gone", "", decision, operation.cites)) for line in gone[is_changed:]]
    return stands, left


def _asks(snapshot: Snapshot, cards: Iterable[Decision], layout: Layout) -> dict[str, dict[str, list[_Change]]]:
    """What waits for a word, by file: at the line that it is about (`=LINE`), or where it would stand (`+LINE`)."""
    wishes, found = read_state(layout).cards, defaultdict[str, dict[str, list[_Change]]](lambda: defaultdict(list))
    for card in cards:
        wish = wishes[card.id].operation
        asked, first = _Change("ask", "", card, wish.cites), wish.lines[0] if wish.lines else None
        with suppress(Unreadable):
            if first and (line := snapshot.find(first)):
                found[line.path][f"={line.start}"].append(asked)
            elif not first:
                place = find_place(snapshot, wish.under) or body_end(snapshot.file(MEMORY))
                found[place.path][f"+{place.at}"].append(asked)
    return found


class _Pages:
    """The sections of one file while they are made."""

    def __init__(self, snapshot: Snapshot, file: File, stories: Stories, asks: dict[str, list[_Change]]) -> None:
        self.snapshot, self.file, self.stories, self.asks = snapshot, file, stories, asks
        self.sections = [Section("", 1, f"{file.path}-0")]

    def made(self, marked: Marked) -> tuple[str, list[Section]]:
        """The title of the file and its sections, with the lines that left where they stood."""
        stands, left = marked
        found, statements = blocks(self.file.lines), {line.start: line for line in self.file.statements}
        dream, waiting = dream_section(self.file) or (0, 0), sorted(left)
        for block in found:
            while waiting and waiting[0] <= block.start:
                self._leave(left[waiting.pop(0)])
            self._ask_at(block.start)
            if block.kind is Kind.HEADING:
                self.sections.append(Section(block.text, block.level, f"{self.file.path}-{len(self.sections)}"))
            elif block.kind is Kind.HEAD:
                self._part("rows").head[:] = cells(self.file.lines[block.start])
            elif block.kind is Kind.CODE:
                text = "".join(self.file.lines[block.start : block.end])
                self.sections[-1].parts.append(Part("code", text=WITHHELD if holds_secret(text) else text))
            elif line := statements.get(block.start):
                if "<!-- dream:" not in line.raw or not dream[0] <= block.start < dream[1]:
                    self._stand(line, stands.get(line.start), _depth(found, block))
            elif block.region is Region.CONFLICT:
                self.sections[-1].parts.append(Part("code", text="".join(self.file.lines[block.start : block.end])))
        for at in waiting:
            self._leave(left[at])
        self._ask_at(len(self.file.lines))
        first = next((section for section in self.sections if section.title), None)
        title = front_matter(self.file).get("name", "") or (first.title if first and first.level == 1 else "")
        return title or self.file.path, [section for section in self.sections if section.title or section.parts]

    def _stand(self, line: Statement, change: _Change | None, depth: int) -> None:
        """A line that stands, with what was done to it or is asked about it."""
        asked = self.asks.get(f"={line.start}", ())
        form = "row" if line.is_row else "quote" if line.raw.lstrip().startswith(">") else "item"
        is_item, hidden = without_bullet(line.raw) != line.raw, is_secret(line)
        form = "text" if form == "item" and not is_item else form
        guarded = is_protected(line, self.snapshot.settings)
        fixed = Line(
            line.place, WITHHELD if hidden else line.text, mark_of(line.raw), form, depth, line.ticked,
            is_pinned="📌" in line.raw, is_protected=guarded, is_secret=hidden,
        )  # fmt: skip
        where = "rows" if form == "row" else "lines"
        if hidden:
            return self._add(where, fixed)
        for number, ask in enumerate(asked):  # each question stands for itself
            words = words_of(ask.decision.after) if number == 0 and ask.decision.what != Op.ADD else ""
            shown = self._changed(fixed, ask)
            is_other = words not in ("", line.text)
            self._add(where, replace(shown, before=line.text, words=words) if is_other else shown)
        if change and not asked:
            return self._add(where, self._changed(fixed, change))
        if not asked:
            story = self.stories.get((line.path, mark_of(strip_eol(line.raw.partition("\n")[0]))))
            decision = decision_of(story[1], run=story[0].id, at=story[0].at) if story else None
            cites = sources_of(self.snapshot, story[1].cites, with_words=False) if story else ()
            self._add(where, replace(fixed, decision=decision, sources=cites))
        return None

    def _ask_at(self, at: int) -> None:
        """The new lines that are asked about and would stand here."""
        for asked in self.asks.get(f"+{at}", ()):
            self._add("lines", self._changed(Line("", asked.decision.after.removeprefix("- ")), asked))

    def _leave(self, gone: Sequence[tuple[str, _Change]]) -> None:
        """Lines that left: those of one decision together."""
        for _, group in groupby(gone, key=lambda pair: pair[1].decision.id):
            (first, change), *more = group
            form = "row" if first.startswith("|") else "item"
            line = self._changed(Line("", words_of(first), form=form), change)
            self._add(
                "rows" if form == "row" else "lines", replace(line, others=tuple(words_of(raw) for raw, _ in more))
            )

    def _changed(self, line: Line, change: _Change) -> Line:
        sources, before = sources_of(self.snapshot, change.cites), words_of(change.before)
        return replace(line, sign=change.sign, before=before, decision=change.decision, sources=sources)

    def _part(self, form: str) -> Part:
        parts = self.sections[-1].parts
        if not parts or parts[-1].form != form:
            parts.append(Part(form))
        return parts[-1]

    def _add(self, form: str, line: Line) -> None:
        self._part(form).lines.append(line)


def words_of(raw: str) -> str:
    """A line as people read it: without its bullet, or the edges of its row."""
    bare = without_bullet(raw).strip()
    return bare.strip("|").strip() if bare.startswith("|") else bare


def _depth(found: Sequence[Block], block: Block) -> int:
    """Under how many items it hangs."""
    depth = 0
    while block.parent is not None:
        block = found[block.parent]
        depth += block.kind is Kind.ITEM
    return depth
