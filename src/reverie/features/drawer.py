"""What left memory last, for the drawer of the page: whole, with the reason and with what stands in its place now."""

from collections.abc import Sequence
from dataclasses import dataclass

from reverie.archive.ledger import Entry, read_ledger, short_hash
from reverie.errors import Unreadable
from reverie.operations import Op, mark_of
from reverie.store.disk import tail_of
from reverie.store.runs import Run
from reverie.text.lines import strip_eol
from reverie.text.markdown import without_bullet
from reverie.workspace.layout import LEDGER, Layout
from reverie.workspace.snapshot import Snapshot, Statement

_TAIL = 200_000  # bytes of the ledger that are looked at


@dataclass(frozen=True)
class Archived:
    entry: Entry
    words: str
    instead: Statement | None = None  # what superseded it, as it stands now
    comes_back: bool = False  # whether a run that is known archived it


def drawer(layout: Layout, snapshot: Snapshot, known: Sequence[Run], most: int = 12) -> list[Archived]:
    """The last lines that left, newest first."""
    try:
        text = tail_of(layout.real(LEDGER), max(0, _size(layout) - _TAIL)).decode("utf-8", "replace")
    except (OSError, Unreadable):
        return []
    entries = list(reversed(read_ledger(text)[-most:]))
    wanted, by_run = {entry.id for entry in entries}, dict[str, Statement | None]()
    for run in known if entries else ():
        updates = {operation.id for operation in run.operations if operation.op in (Op.UPDATE, Op.MERGE)}
        for splice in run.splices if not run.undoes else ():
            left = {short_hash("".join(splice.old)), *map(short_hash, splice.old)} & wanted if splice.by else set[str]()
            fresh = [line for line in splice.new if line not in splice.old] if splice.by in updates else []
            by_run |= dict.fromkeys(left, _standing(snapshot, splice.path, fresh[0]) if fresh else None)
    return [Archived(e, without_bullet(e.content).strip("| "), by_run.get(e.id), e.id in by_run) for e in entries]


def _standing(snapshot: Snapshot, path: str, line: str) -> Statement | None:
    file = snapshot.files.get(path)
    mark = mark_of(strip_eol(line))
    return next((found for found in file.statements if mark_of(found.raw) == mark), None) if file else None


def _size(layout: Layout) -> int:
    ledger = layout.real(LEDGER)
    return ledger.stat().st_size if ledger.is_file() else 0
