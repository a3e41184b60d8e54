"""What an owner does to a line that is in view: write it anew, pin it, bring it back. Never to another line than the one
that was seen: it is named by its place and a hash of its words, and where memory moved on, nothing is written."""

from datetime import datetime

from reverie.archive.ledger import short_hash
from reverie.archive.records import read_records
from reverie.errors import Changed, NotFound, ReverieError
from reverie.operations import Op, Operation, Ref
from reverie.plan.plan import build_plan
from reverie.store.disk import DISK, Disk
from reverie.store.journal import commit, opened
from reverie.store.runs import Run, read_runs
from reverie.store.undo import Undone, standing, undo
from reverie.workspace.layout import LONG_TERM, Layout
from reverie.workspace.protection import is_secret
from reverie.workspace.read import read
from reverie.workspace.snapshot import Snapshot, Statement

PIN = "📌"


def line_seen(snapshot: Snapshot, place: str, mark: str) -> Statement:
    """The line of memory that somebody saw at a place. Changed: memory does not say it any more."""
    path, _, number = place.rpartition(":")
    near = int(number) - 1 if number.isdecimal() and len(number) < 8 else 0
    if path not in snapshot.files or snapshot.layout.kind(path) not in LONG_TERM:
        raise NotFound(f"{place[:80]!r} is no line of memory.")
    line = snapshot.find(Ref(path, mark, near))
    if line is None or is_secret(line):
        raise Changed(f"{path} has changed since, and that line is not there any more. Nothing was written.")
    return line


def edit(layout: Layout, now: datetime, place: str, mark: str, text: str, *, disk: Disk = DISK) -> Run | None:
    """Put other words into a line; its bullet and its box stay. The archive gets the line as it was."""
    words = " ".join(text.encode("utf-8", "replace").decode().split())
    with opened(layout, "edit", disk):
        snapshot = read(layout)
        line = line_seen(snapshot, place, mark)
        wish = Operation(Op.UPDATE, "its owner wrote it anew", (line.ref,), text=words, judge="owner")
        plan = build_plan(snapshot, [wish], now, {}, read_records(layout), accept=True)
        if plan.refused:
            raise ReverieError(f"{plan.refused[0].why} Nothing was changed.")
        run = commit(plan, now, "edit", disk)
    return run


def pin(layout: Layout, now: datetime, place: str, mark: str) -> Run | None:
    """Pin a line, so that no night touches it; a pinned one is free again."""
    line = line_seen(read(layout), place, mark)
    text = line.text.replace(PIN, "") if PIN in line.text else f"{line.text} {PIN}"
    return edit(layout, now, place, mark, text)


def bring_back(layout: Layout, now: datetime, entry_id: str) -> Undone:
    """Undo the decision by which a line of the archive left memory."""
    undos = read_runs(layout, "undo")
    for run in reversed(read_runs(layout)):
        left = standing(run, undos) if not run.undoes else set[str]()
        for splice in run.splices:
            gone = (line for line in splice.old if line not in splice.new)
            if splice.by in left and entry_id in {short_hash("".join(splice.old)), *map(short_hash, gone)}:
                return undo(layout, now, run.id, splice.by)
    raise NotFound("No run that still stands archived this line; it can be written anew.")
