"""What happened night by night: thirty days at a glance, and one night whole: what it read, decided, refused, and why."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path

from reverie.errors import NotFound, Unreadable
from reverie.features.decisions import Decision, decision_of
from reverie.features.why import RunLine, runs
from reverie.plan import diary
from reverie.store.disk import bytes_of
from reverie.store.logs import counts_of, diary_path
from reverie.store.runs import Run, read_run, run_files
from reverie.store.undo import standing
from reverie.workspace.layout import NOTES, FileKind, Layout
from reverie.workspace.read import read

SHOWN = 30  # nights
NIGHTLY = ("review", "promote")  # the commands of a night
_FARTHEST = 62  # days before a night whose notes it may have read


@dataclass(frozen=True)
class Day:
    day: date
    runs: tuple[str, ...]  # that still stand, at least in part; empty: no night came
    entered: int = 0
    changed: int = 0
    archived: int = 0


@dataclass(frozen=True)
class NoteRead:
    path: str
    lines: int
    gave: int  # decisions that rest on it


@dataclass(frozen=True)
class NightStory:
    run: RunLine
    asked: tuple[Decision, ...]
    read: tuple[NoteRead, ...]


@dataclass(frozen=True)
class DiaryEntry:
    stamp: str  # its day as it is written there
    words: str
    is_backfilled: bool


def records(layout: Layout) -> list[Run]:
    """The runs, oldest first; one that cannot be read is left out. A record that stayed is not decoded again."""
    found = list[Run]()
    for path in run_files(layout):
        with suppress(Unreadable, OSError):
            about = path.stat()
            found.append(_record(path, about.st_size, about.st_mtime_ns))
    return found


@lru_cache(maxsize=4_000)
def _record(path: Path, _size: int, _modified: int) -> Run:
    return read_run(path)


def nights(known: Sequence[Run], today: date) -> list[Day]:
    """The last thirty days with what their nights did and nobody took back."""
    undos, days = [run for run in known if run.undoes], list[Day]()
    for back in range(SHOWN - 1, -1, -1):
        day, counts, ids = today - timedelta(days=back), Counter[str](), list[str]()
        for run in known:
            if run.command in NIGHTLY and run.at.date() == day:
                left = standing(run, undos)
                counts += counts_of(operation for operation in run.operations if operation.id in left)
                ids.append(run.id)
        entered = counts["added"] + counts["re-emerged"]
        days.append(Day(day, tuple(ids), entered, counts["updated"], counts["archived"]))
    return days


def night(layout: Layout, run_id: str = "") -> NightStory:
    """A night by its number, or the last one. NotFound: there was none."""
    known = [run for run in records(layout) if run.command in NIGHTLY and run_id in ("", run.id)]
    if not known:
        raise NotFound(f"There is no night {run_id}." if run_id else "No night was run yet.")
    run, fingerprints = known[-1], set(known[-1].read)
    cited = Counter(path for wish in run.operations for path in {ref.path for ref in wish.cites})
    oldest, notes = run.at.date() - timedelta(days=_FARTHEST), list[NoteRead]()
    for file in read(layout).of_kind(FileKind.NOTE, FileKind.LOG) if fingerprints else ():
        if Path(file.path).name >= str(oldest) or file.kind is FileKind.LOG:
            with suppress(Unreadable):
                lines = sum(line.fingerprint in fingerprints for line in file.statements)
                notes += [NoteRead(file.path, lines, cited[file.path])] * bool(lines)
    asked = tuple(decision_of(wish, run=run.id, at=run.at) for wish in run.waiting)
    return NightStory(runs(layout, run.id)[0], asked, tuple(notes))


def diary_of(layout: Layout, year: int = 0) -> tuple[list[DiaryEntry], list[int]]:
    """The entries of DREAMS.md, or of the diary of an older year, newest first; and the years that have one of their own."""
    folder = layout.root / NOTES / "dreaming"
    years = sorted((int(path.stem[6:]) for path in folder.glob("diary-[0-9][0-9][0-9][0-9].md")), reverse=True)
    path = folder / f"diary-{year}.md" if year in years else diary_path(layout)
    text = ""
    with suppress(Unreadable):
        text = (bytes_of(path) or b"").decode("utf-8", "replace")
    return [DiaryEntry(*entry) for entry in diary.entries(text)][::-1], years
