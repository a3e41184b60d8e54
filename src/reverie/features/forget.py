"""`dream forget`: take out what somebody describes, from memory, topics, notes and logs. Clear matches only."""

import re
from dataclasses import dataclass, replace
from datetime import datetime

from reverie.archive.records import Records, read_records, tombstone_of
from reverie.errors import NotFound, ReverieError
from reverie.operations import Op, Operation
from reverie.plan.dream_list import dream_splices
from reverie.plan.plan import build_plan
from reverie.store.disk import DISK, Disk
from reverie.store.erase import Erased, archived_ids, erase
from reverie.store.journal import commit, opened
from reverie.store.runs import Run
from reverie.text.terms import numbers, terms
from reverie.workspace.layout import LONG_TERM, MEMORY, FileKind, Layout
from reverie.workspace.protection import as_shown, is_protected, is_secret
from reverie.workspace.read import read
from reverie.workspace.sections import DREAM_LINES
from reverie.workspace.snapshot import Snapshot, Statement

MOST = 200  # lines that one description may take
NEAR = 5  # lines that are named when they may be meant too
Lines = tuple[Statement, ...]
_PLACE = re.compile(r"(.+?):(\d{1,7})(?:-(\d{1,7}))?")
_REQUEST = set(terms("forget remove delete erase everything all about the a an of my me please memory"))


@dataclass(frozen=True)
class Forgettable:
    lines: Lines
    kept: Lines  # protected: take the mark away first
    near: Lines  # only alike: name them by their place
    unread: dict[str, str]  # files that were left alone, and why

    @property
    def shown(self) -> "Forgettable":
        return Forgettable(as_shown(self.lines), as_shown(self.kept), as_shown(self.near), self.unread)


@dataclass(frozen=True)
class Forgotten:
    lines: Lines
    run: Run | None = None  # None: a purge keeps no record of the words
    erased: Erased | None = None


def find_forgettable(layout: Layout, description: str) -> Forgettable:
    """The lines that are clearly meant, those that are protected, and those that only look alike."""
    snapshot = read(layout, whole=True)
    files = snapshot.of_kind(*LONG_TERM, FileKind.NOTE, FileKind.LOG)
    words, near = set(terms(description)) - _REQUEST, list[Statement]()
    if (meant := lines_at(snapshot, description)) is None:
        if not words:
            raise ReverieError("Say which lines are meant, in words that stand in them, or as FILE:LINE.")
        meant = list[Statement]()
        for line in (line for file in files for line in file.statements):
            said = f"{' '.join((*line.headings[1:], *line.parents))} {line.text}"
            # What hangs under a line that is meant goes along.
            is_below = meant and line.path == meant[-1].path and line.start < meant[-1].tail
            if not is_below and words <= set(terms(said)) and numbers(description) <= numbers(said):
                meant.append(line)
        rated = [(len(words & set(terms(line.text))), line) for file in files for line in file.statements]
        close = [(count, line) for count, line in rated if count * 2 >= len(words) and not meant]
        near = [line for _, line in sorted(close, key=lambda pair: -pair[0])[:NEAR]]
    if len(meant) > MOST:
        raise ReverieError(f"{len(meant)} lines would go; describe what is meant more narrowly.")
    meant = [line for line in meant if "<!-- dream:" not in line.raw]  # these tell of the archive
    with_below = [(line, (line, *snapshot.file(line.path).below(line))) for line in meant]
    kept = tuple(line for line, below in with_below if any(is_protected(part, snapshot.settings) for part in below))
    return Forgettable(tuple(line for line in meant if line not in kept), kept, tuple(near), snapshot.unread)


def lines_at(snapshot: Snapshot, place: str) -> list[Statement] | None:
    """The lines at FILE:LINE or FILE:FIRST-LAST; None where the words are no place."""
    if not (found := _PLACE.fullmatch(place.strip())) or found[1] not in snapshot.files:
        return None
    first, last = int(found[2]) - 1, int(found[3] or found[2])
    return [line for line in snapshot.files[found[1]].statements if line.start < last and line.end > first]


def forget(
    layout: Layout, now: datetime, meant: str | Lines, *, forever: bool = False, purge: bool = False, disk: Disk = DISK
) -> Forgotten:
    """Take out these lines, or what a description clearly means. A later day may say them again.
    `forever`: never. `purge`: no byte of them is kept, also where only the archive or a record says them."""
    lines = find_forgettable(layout, meant).lines if isinstance(meant, str) else meant
    if not lines and not purge:
        raise NotFound("Nothing says that. `dream show` prints what memory holds.")
    if not purge and any(map(is_secret, lines)):
        raise ReverieError("One of the lines may hold a secret, and an undo would keep it. Use `dream forget --purge`.")
    texts, erased = [line.text for line in lines] or [str(meant)], None
    with opened(layout, "forget", disk):
        snapshot, records = read(layout), read_records(layout)
        wishes = [Operation(Op.END, "its owner forgot it", (line.ref,), judge="forget") for line in lines]
        plan = build_plan(snapshot, wishes, now, {}, None if purge else records, accept=True)
        if plan.refused:
            raise ReverieError(f"{plan.refused[0].why} Nothing was changed.")
        if purge:
            ids = archived_ids(layout, texts)
            gone = tuple(record for record in records.removed if record.get("id") not in ids)
            latest = Records(records.index, gone).latest(DREAM_LINES)
            plan = replace(plan, splices=(*plan.splices, *dream_splices(snapshot.file(MEMORY), latest)))
        stones = tuple(tombstone_of(line.text) for line in lines) if forever or purge else ()
        run = commit(replace(plan, tombstones=stones), now, "forget", disk)
        if purge:
            erased = erase(layout, texts, run, now, disk)
    return Forgotten(lines, None if purge else run, erased)
