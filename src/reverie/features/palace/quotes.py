"""Everything a workspace says that may be told again, and which projects it speaks of. What palace and sublimate are made of.

Memory, classified files, todos, the archive and the notes; only what the owner or the agent wrote. A line that holds a secret
or personal data that is masked is left out whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from reverie.core.layout import LEDGER, TODOS, Kind
from reverie.features.classify.memories import (
    LINK,
    PROJECT,
    MemoryItem,
    cut,
    headed,
    is_labelled,
    is_named,
    is_state,
    is_task,
    items_of,
    key_of,
    name_of,
    project_name,
    spoken_of,
)
from reverie.features.classify.sorting import STATE, Sort, classify
from reverie.judge.compose import plain_line
from reverie.judge.vetoes import unfit
from reverie.judge.worth import THRESHOLDS, LineToWeigh, Worth, worth_of
from reverie.lang import ENGLISH, table, words
from reverie.lang.detect import language_of
from reverie.lang.lexicon import either
from reverie.plan.ledger import ledger_lines, read_ledger
from reverie.plan.quoting import Quote
from reverie.privacy.redact import holds_mask, holds_secret, redacted
from reverie.text.lines import plain_heading
from reverie.text.markdown import Shape
from reverie.text.marks import days_in, is_done, is_footer, is_generic, is_history
from reverie.text.sections import OURS, area_of
from reverie.text.terms import bag, is_negated, plain
from reverie.workspace.values import File, Origin, Snapshot, Source, Statement

_LONGEST = 240  # characters of a quotation; the rest stands where the link leads
_CHANGES = ("decision", "update", "correction", "project")
_SURE = 0.5  # of the judge's belief that a line of a note decides or changes something
_ORDER = (Kind.MEMORY, Kind.CLASSIFIED, Kind.PROFILE, Kind.TOPIC)
_KINDS = frozenset({Kind.MEMORY, Kind.CLASSIFIED, Kind.DAILY, Kind.TOPIC})
_STANDS_ELSEWHERE = frozenset({"classified", "todo", "duplicate"})  # words of the ledger for lines that are not gone
_STRUCK = re.compile(r"~~([^~]+)~~")
_LINKED = " ([MEMORY.md:1](../MEMORY.md#L1))"  # with a link behind it a harmless line may look like a secret
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,9}[.)])\s+(?:\[[^\]]\]\s+)?")
Judged = Mapping[Quote, Worth]
Finished = Mapping[str, Sequence[str]]  # projects that were finished when a night looked, with the words of their lines
NONE_KNOWN: Finished = MappingProxyType({})


def quotes_in(snapshot: Snapshot, *, noted: bool = True) -> tuple[Quote, ...]:
    """All of them: memory first, then what is classified, open tasks and (`noted`) the notes by their days, the archive."""
    kinds = snapshot.workspace.settings.privacy.kinds
    wanted = _KINDS if noted else _KINDS - {Kind.DAILY}
    read = (file for file in snapshot.files.values() if file.place.kind in wanted or file.path == TODOS)
    made = (_quote(file, one, kinds) for file in sorted(read, key=_order) for one in file.entries)
    return (*filter(None, made), *_archived(snapshot.text_of(LEDGER), kinds))


def _order(file: File) -> tuple[int, str]:
    kind = file.place.kind
    return (_ORDER.index(kind) if kind in _ORDER else len(_ORDER)), file.path


def _quote(file: File, one: Statement, kinds: frozenset[str]) -> Quote | None:
    if one.origin is not Origin.OWNER or one.block.shape in (Shape.QUOTE, Shape.CODE):
        return None
    # The words under the title of MEMORY.md tell how the file is kept.
    frame = file.place.kind is Kind.MEMORY and one.block.shape is Shape.PARAGRAPH and len(one.headings) < 2
    text = "" if frame or is_footer(one.text) or LINK.match(one.text) else _quotable(one.text, kinds)
    if not text:
        return None
    return Quote(
        text,
        one,
        one.day or _day_in(one.text),
        noted=file.place.kind is Kind.DAILY,
        done=one.text.startswith("~~") or is_done(one.text, checked=one.block.checked),
        open=is_task(one),
        state=is_state(one) and bool(one.parents or _project_above(one)),
    )


def _archived(ledger: str, kinds: frozenset[str]) -> Iterator[Quote]:
    """What has left memory. What was superseded did not happen on the day it was archived, so it has only its own day."""
    for block, line in zip(read_ledger(ledger), ledger_lines(ledger), strict=True):
        content = block.content[0]
        text = _quotable(_ITEM.sub("", content, count=1), kinds)
        if text and block.category not in _STANDS_ELSEWHERE:
            ended = block.category == "completed" or is_done(text, checked=None)
            named = _day_in(content)
            day = named or (block.archived[:10] if ended else "")
            first = (
                line + 4 if named or not ended else line + 2
            )  # the day it was archived stands two lines above its words
            statement = Statement(content, Source(LEDGER, first, line + 4))
            yield Quote(text, statement, day, archived=True, done=ended)


def _day_in(text: str) -> str:
    named = days_in(text)
    return named[0].isoformat() if named else ""


def _quotable(text: str, kinds: frozenset[str]) -> str:
    """A text as it may be told again, on one line; nothing when it must not be."""
    bare = _STRUCK.sub(r"\1:", OURS.sub("", text)).strip().removesuffix(":")
    cells = [cell.strip() for cell in bare.split("|")] if bare.startswith("|") else [bare]
    said = plain_line(" · ".join(filter(None, cells))).lstrip("📌⚠️✅☑✔ ")
    if holds_secret(text) or holds_secret(said + _LINKED) or holds_mask(text) or redacted(said, kinds) != said:
        return ""
    return cut(said, _LONGEST)


def unique(quotes: Iterable[Quote]) -> list[Quote]:
    """Each wording once, where it stands first."""
    found: dict[str, Quote] = {}
    for one in quotes:
        found.setdefault(plain(one.text), one)
    return list(found.values())


def page_words(snapshot: Snapshot) -> Mapping[str, str]:
    """What the headings of pages are called in the language of the memory."""
    memory = snapshot.files.get(snapshot.memory_path)
    return page_words_in(language_of([one.text for one in memory.entries]) if memory else ENGLISH)


def page_words_in(language: str) -> Mapping[str, str]:
    """The same in a language that is named; English for a word that its file does not have yet."""
    return {**table(ENGLISH, "palace"), **table(language, "palace")}


# What the judge says of lines of notes


def judged_notes(snapshot: Snapshot, quotes: Sequence[Quote]) -> Judged:
    """The judge's word about every line of a note that could matter."""
    embedder = snapshot.workspace.embedder
    fit = [one for one in quotes if one.noted and not unfit(one.text)]
    lines = [LineToWeigh(one.text, " > ".join((*one.headings[-2:], *one.statement.parents))) for one in fit]
    return dict(zip(fit, worth_of(lines, embedder.embed if embedder else None), strict=True))


def decides(one: Quote, judged: Judged) -> bool:
    """Whether a line tells a decision or a change: by its own label, or because the judge is sure."""
    if one.open:
        return False
    if not one.noted:
        return bool(one.day) and (one.done or is_history(one.text))
    found = judged.get(one)
    if found is None:
        return False
    under_decisions = any(plain_heading(heading) in words("sorting.decided") for heading in one.headings[-1:])
    if is_labelled(one.text, "decided") or under_decisions:
        return True
    return found.keep >= THRESHOLDS["recalled"] and sum(found.kinds[kind] for kind in _CHANGES) >= _SURE


# Projects


@dataclass(frozen=True, slots=True)
class Project:
    """A project by its name, and every line about it."""

    name: str
    lines: tuple[Quote, ...] = ()
    finished: bool = False

    @property
    def states(self) -> tuple[Quote, ...]:
        return tuple(one for one in self.lines if one.state)

    @property
    def tasks(self) -> tuple[Quote, ...]:
        return tuple(one for one in self.lines if one.open)

    @property
    def remembered(self) -> tuple[Quote, ...]:
        """What memory and archive say about it, besides states and tasks."""
        return tuple(one for one in self.lines if not (one.noted or one.open or one.state))


def projects_in(snapshot: Snapshot, quotes: Sequence[Quote], past: Finished = NONE_KNOWN) -> tuple[Project, ...]:
    """The projects of a workspace, in the order of MEMORY.md, then those that only have a file; then what is told of no project.

    A project is an item of MEMORY.md with a state or open tasks below it, a heading of its own with its state or tasks under it, a named item
    under a heading of projects or that reads like one, what a line about the state of work speaks of, or a classified project file. A line belongs to it when all words of
    its name stand in the line, its parents or its headings; of one that is `past`, also when it was its line before it was archived.
    """
    found: dict[str, list[bool]] = {}  # what tells whether it is finished
    loose: list[MemoryItem] = []
    for item, reads_like in _read(snapshot):
        titled = _project_above(item.statement)
        name = titled or (name_of(item) if _is_project(item) else project_name(item) if reads_like else "")
        if name and (titled or _is_project(item) or reads_like == STATE or is_named(item)):
            known = next((other for other in found if _is_same_name(name, other)), name)
            found.setdefault(known, []).extend(_ends(item))
        elif reads_like:
            loose.append(item)
    for file in snapshot.files.values():
        if file.place.kind is Kind.CLASSIFIED and file.path.startswith("memory/project/"):
            name = spoken_of(_name_in_front_matter(file.text))
            labels = name.casefold() in words("sorting.decided")  # "Decision" names no project
            if name and not labels and not any(_is_same_name(name, other) for other in found):
                found[name] = [True for one in file.entries if _says_done(one.text)]
    archived: dict[str, set[str]] = {}
    for name, texts in past.items():
        known = next((other for other in found if _is_same_name(name, other)), name)
        found.setdefault(known, []).append(True)
        archived[known] = {plain(text) for text in texts}
    around = [(one, bag(one.text), bag(" ".join((*one.headings, *one.statement.parents, one.text)))) for one in quotes]
    projects = []
    for name, ends in found.items():
        its, gone = bag(name), archived.get(name, set())
        lines = tuple(
            one
            for one, own, all_ in around
            if (its <= all_ and own != its) or (one.archived and plain(one.text) in gone)
        )
        ends += [True for one in lines if one.done and one.source.path == TODOS]
        finished = bool(ends) and all(ends) and not any(one.open for one in lines)
        projects += [Project(name, lines, finished)] if its else []
    told = {one for project in projects for one in project.lines}
    places = {(item.statement.path, line) for item in loose for line in range(item.first + 1, item.end + 1)}
    left = tuple(one for one in quotes if (one.source.path, one.source.first) in places and one not in told)
    return (*projects, *([Project(page_words(snapshot)["others"], left)] if left else ()))


def _read(snapshot: Snapshot) -> Iterator[tuple[MemoryItem, str]]:
    """The memories, and which of them read like a project or its state."""
    embedder = snapshot.workspace.embedder
    items = items_of(snapshot.files.get(snapshot.memory_path))
    for one in classify(items, embed=embedder.embed if embedder else None):
        state = one.sort is Sort.STATE and one.item.statement in one.states
        state = state or (_under_projects(one.item) and any(_ends(one.item)))
        yield one.item, STATE if state else PROJECT if one.kind == PROJECT else ""


def _is_project(item: MemoryItem) -> bool:
    if item.is_table or is_task(item.statement):
        return False
    parts = [part for part in item.parts if part.block.depth == 1]
    named = is_named(item)
    boxes = any(part.block.checked is not None for part in parts)
    return any(map(is_state, parts)) or bool(named and (boxes or _under_projects(item)))


def _project_above(one: Statement) -> str:
    """The heading whose own state a line of MEMORY.md tells: `## Kite app`, `- Status: finished`, or `## Project Kite`, `- [x] flown`.

    A heading for many things has none.
    """
    heading = one.headings[-1] if len(one.headings) > 1 and not one.parents else ""
    called = one.block.checked is not None and _called_project().match(heading)
    heading = heading if called or (is_state(one) and is_labelled(one.text, "status")) else ""
    many = not heading or is_generic(heading) or area_of(heading) or plain_heading(heading) in words("sorting.project")
    return spoken_of(heading) if called or not many else ""


@cache
def _called_project() -> re.Pattern[str]:
    return re.compile(rf"(?:{either(words('sorting.project'))})[\s:：]+\w", re.I)


def _under_projects(item: MemoryItem) -> bool:
    return any(headed(heading) == PROJECT for heading in item.statement.headings[1:])


def _ends(item: MemoryItem) -> Iterator[bool]:
    """What an item tells about the end of its project: that it is done, its status, its boxes. Nothing where it tells none."""
    checked = item.statement.block.checked
    if checked is not None or is_done(item.text, checked=checked):
        yield is_done(item.text, checked=checked)
    elif not item.parts and _ended().search(item.text):
        yield not is_negated(item.text)  # "the harbour map is finished since 2026-05-04"
    told = (one for one in (item.statement, *item.parts) if is_labelled(one.text, "status"))
    yield from (_says_done(one.text) for one in told)
    yield from (part.block.checked for part in item.parts if part.block.checked is not None)


def _says_done(text: str) -> bool:
    """`Status: done (since May)`, `Status: finished on 4 May 2026`"""
    rest = re.split(r" \(|（|,", key_of(text)[1], maxsplit=1)[0]
    return is_labelled(text, "status") and bool(_ended().match(rest.strip(" *_")))


@cache
def _ended() -> re.Pattern[str]:
    """A word that says the end, last in a line or with nothing but its day behind it."""
    day = r"(?=.*\d{4})(?:\s+[^\W\d_]+){0,3}\s*\d[\w .,/-]*"
    return re.compile(rf"(?:{either(words('notes.done'))})(?:{day})?[\s.。*_!！]*\Z", re.I)


def _name_in_front_matter(text: str) -> str:
    lines = text[:2_000].split("\n")
    return next((line[5:].strip() for line in lines if line.startswith("name:")), "").strip("\"'")


def _is_same_name(one: str, other: str) -> bool:
    fewer, more = sorted((bag(one), bag(other)), key=len)
    return fewer == more or (len(fewer) > 1 and fewer <= more)
