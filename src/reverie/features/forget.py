"""`dream forget`: take out what somebody describes, from memory, topics, notes and logs. Clear matches only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from reverie.archive.records import read_records
from reverie.archive.tombstones import tombstone_of
from reverie.errors import NotFound, ReverieError
from reverie.operations import Op, Operation
from reverie.plan.plan import build_plan
from reverie.store.disk import Disk
from reverie.store.erase import Erased, erase
from reverie.store.journal import commit, writing
from reverie.store.runs import Run
from reverie.store.views import settle
from reverie.text.terms import numbers, terms
from reverie.workspace.layout import LONG_TERM, FileKind, Layout
from reverie.workspace.protection import is_protected, is_secret
from reverie.workspace.read import read
from reverie.workspace.snapshot import File, Snapshot, Statement

MOST = 200  # lines that one description may take
NEAR = 5  # lines that are named when they may be meant too
_PLACE = re.compile(r"(.+?):(\d{1,7})(?:-(\d{1,7}))?")
_REQUEST = set(terms("forget remove delete erase everything all about the a an of my me please memory"))
MESSAGE = "Removed from memory. The permanent archive is unaffected."


@dataclass(frozen=True)
class Forgettable:
    """What a description means."""

    lines: tuple[Statement, ...] = ()
    kept: tuple[Statement, ...] = ()  # protected: take the mark away first
    near: tuple[Statement, ...] = ()  # only alike: name them by their place


@dataclass(frozen=True)
class Forgotten:
    lines: tuple[Statement, ...]
    run: Run | None = None  # None: a purge keeps no record of the words
    erased: Erased | None = None


def find_forgettable(layout: Layout, description: str) -> Forgettable:
    """The lines that are clearly meant, those that are protected, and those that only look alike."""
    snapshot = read(layout)
    files = [*snapshot.of_kind(*LONG_TERM), *snapshot.of_kind(FileKind.NOTE, FileKind.LOG)]
    if (place := _PLACE.fullmatch(description.strip())) and place[1] in snapshot.files:
        first, last = int(place[2]) - 1, int(place[3] or place[2])
        lines = [line for line in snapshot.files[place[1]].statements if line.start < last and line.end > first]
        return _sorted_out(lines, [], snapshot)
    words = set(terms(description)) - _REQUEST
    if not words:
        raise ReverieError("Say which lines are meant, in words that stand in them, or as FILE:LINE.")
    meant = [line for file in files for line in _outermost(file, words, numbers(description))]
    if len(meant) > MOST:
        raise ReverieError(f"{len(meant)} lines would go; describe what is meant more narrowly.")
    near = [] if meant else _alike(files, words)
    return _sorted_out(meant, near, snapshot)


def forget(layout: Layout, now: datetime, description: str, *, forever: bool = False, purge: bool = False) -> Forgotten:
    """Take out what a description clearly means."""
    meant = find_forgettable(layout, description).lines
    if purge and not meant:
        return purge_words(layout, now, description)
    return forget_lines(layout, now, meant, forever=forever, purge=purge)


def forget_lines(
    layout: Layout,
    now: datetime,
    lines: Sequence[Statement],
    *,
    forever: bool = False,
    purge: bool = False,
    disk: Disk | None = None,
) -> Forgotten:
    """Take these lines out. A later day may say them again; `forever`: never; `purge`: no byte of them is kept."""
    disk = disk or Disk()
    if not lines:
        raise NotFound("Nothing says that. `dream show` prints what memory holds.")
    if not purge and any(map(is_secret, lines)):
        raise ReverieError(
            "One of the lines may hold a secret, and an undo would have to keep it. Use `dream forget --purge`."
        )
    with writing(layout, "forget", disk):
        settle(layout, disk)
        snapshot = read(layout)
        wishes = [Operation(Op.END, "its owner forgot it", (line.ref,), judge="forget") for line in lines]
        plan = build_plan(snapshot, wishes, now, {}, read_records(layout), accept=True)
        if plan.refused:
            raise ReverieError(f"{plan.refused[0].why} Nothing was changed.")
        stones = tuple(tombstone_of(line.text) for line in lines) if forever or purge else ()
        run = commit(replace(plan, tombstones=stones), now, "forget", disk)
        erased = erase(layout, [line.text for line in lines], run, now, disk) if purge else None
        settle(layout, disk)
    return Forgotten(tuple(lines), None if purge else run, erased)


def purge_words(layout: Layout, now: datetime, words: str, disk: Disk | None = None) -> Forgotten:
    """Erase words that no line says any more, from the archive, the records and the logs."""
    disk = disk or Disk()
    with writing(layout, "forget", disk):
        settle(layout, disk)
        erased = erase(layout, [words], None, now, disk)
        settle(layout, disk)
    return Forgotten((), None, erased)


def _outermost(file: File, words: set[str], figures: set[str]) -> list[Statement]:
    """The lines of a file that say all of it, with their parents and headings; what hangs under one goes along."""
    found: list[Statement] = []
    end = 0
    for line in file.statements:
        said = f"{' '.join(line.headings[1:] if len(line.headings) > 1 else ())} {' '.join(line.parents)} {line.text}"
        if line.start >= end and words <= set(terms(said)) and figures <= numbers(said):
            found.append(line)
            end = line.tail
    return found


def _alike(files: Sequence[File], words: set[str]) -> list[Statement]:
    """The lines that share most of the words."""
    rated = [(len(words & set(terms(line.text))), line) for file in files for line in file.statements]
    close = [(count, line) for count, line in rated if count * 2 >= len(words)]
    return [line for _, line in sorted(close, key=lambda pair: -pair[0])[:NEAR]]


def _sorted_out(lines: Sequence[Statement], near: Sequence[Statement], snapshot: Snapshot) -> Forgettable:
    kept = [line for line in lines if is_protected(line, snapshot.settings) or _holds_protected(line, snapshot)]
    return Forgettable(tuple(line for line in lines if line not in kept), tuple(kept), tuple(near))


def _holds_protected(line: Statement, snapshot: Snapshot) -> bool:
    return any(is_protected(below, snapshot.settings) for below in snapshot.file(line.path).below(line))
