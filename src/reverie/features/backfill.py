"""What old notes say that should last, into DREAMS.md and the short-term store, and a night of REM and deep that writes nothing."""

from collections.abc import Iterable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from reverie.errors import NotFound
from reverie.features.promote import Value, candidate_value, with_workspace
from reverie.plan import diary
from reverie.signals.grounded import Grounded, grounded
from reverie.signals.journal import line_claim, query_hash
from reverie.signals.phases import considered, rem_lines, truths
from reverie.signals.score import Entry, changed
from reverie.signals.store import counted, joined, load, save
from reverie.signals.weigh import noted, open_recalls, with_words
from reverie.store.disk import DISK, Disk, bytes_of
from reverie.store.journal import writing
from reverie.store.logs import diary_path
from reverie.workspace.files import read_bytes
from reverie.workspace.layout import FileKind, Layout, note_day
from reverie.workspace.read import read
from reverie.workspace.snapshot import File, Snapshot
from reverie.workspace.statements import parse

_MOST_FILES, _LARGEST = 512, 1_000_000  # notes of a backfill, and bytes of one
_STAGED = {"lasting-update": (0.92, 2), "candidate": (0.82, 1)}  # score and signals, as OpenClaw stages them
_QUERY, _MARK = "__dreaming_grounded_backfill__:", "<!-- openclaw:dreaming:backfill-entry"


def rehearse(layout: Layout, now: datetime, path: str = "", *, with_grounded: bool = False) -> Value:
    """What REM and deep would make of the workspace, or of old notes at a path. Writes nothing."""
    snapshot = read(layout)
    recalls, files = open_recalls(snapshot, now), _notes(snapshot, path)
    if path:
        said, lines = noted(files.values())
        entries = with_words(said, lines.values())
    else:
        entries = considered(recalls.worded(), recalls.signals, recalls.profile, recalls.now)
    recent = [entry.tagged() for entry in entries]
    found, looked = truths(recent), (map(grounded, files.values()) if with_grounded else ())
    candidates = [] if path else [candidate_value(weighed) for weighed in recalls.weighed()]
    lasting = [{"snippet": entry.snippet, "confidence": sure, "evidence": entry.place} for sure, entry in found]
    rem = {"candidateTruths": lasting, "bodyLines": rem_lines(recent, found)}
    shown = [{"path": note.path, "renderedMarkdown": note.text} for note in looked]
    return with_workspace(layout, sourceFiles=list(files), rem=rem, deep={"candidates": candidates}, grounded=shown)


def backfill(layout: Layout, now: datetime, path: str, *, stage: bool = False, disk: Disk = DISK) -> Value:
    """What old notes say that should last, into DREAMS.md, and with `stage` into the short-term store. It replaces the last one."""
    snapshot = read(layout)
    found = [note for note in map(grounded, _notes(snapshot, path).values()) if note.candidates]
    texts = [(day, note.path, note.text) for note in found if (day := note_day(note.path))]
    staged = _staged(snapshot, found, now) if stage else {}
    with writing(layout, "backfill", disk):
        old, new = _change_diary(layout, lambda text: diary.with_backfill(text, texts), disk)
        if stage:
            store = load(layout).without_staged()
            save(layout, changed(store, entries=store.entries | staged), disk)
    return with_workspace(layout, writtenEntries=new, replacedEntries=old, stagedShortTermEntries=len(staged))


def roll_back(layout: Layout, *, entries: bool, short_term: bool, disk: Disk = DISK) -> Value:
    """Take a backfill back: its entries in DREAMS.md, what it staged, or both. Nothing else goes."""
    value = with_workspace(layout)
    with writing(layout, "backfill", disk):
        if entries:
            value["removedEntries"] = _change_diary(layout, diary.without_backfill, disk)[0]
        if short_term:
            store = load(layout)
            save(layout, store.without_staged(), disk)
            value["removedShortTermEntries"] = len(store.entries) - len(store.without_staged().entries)
    return value


def _notes(snapshot: Snapshot, path: str) -> dict[str, File]:
    """The daily notes at a path, by their names in a workspace; those of another place are read as if they lay here."""
    real, root = Path(path).expanduser().resolve(), snapshot.layout.root
    found = sorted(real.glob("*.md")) if real.is_dir() else [real]
    names = {f.relative_to(root).as_posix() if f.is_relative_to(root) else f"memory/{f.name}": f for f in found if path}
    files = {
        name: File(name, FileKind.NOTE, str(f), partial(read_bytes, largest=_LARGEST), parse)
        for name, f in names.items()
        if note_day(name)
    }
    if path and not files:
        raise NotFound(f"{path} holds no daily note. Name a file YYYY-MM-DD.md, or a folder of them.")
    return dict(list(files.items())[-_MOST_FILES:])


def _staged(snapshot: Snapshot, found: Iterable[Grounded], now: datetime) -> dict[str, Entry]:
    """What should last, as entries of the store; lines that do not lie in the workspace are no evidence here."""
    entries = dict[str, Entry]()
    for note, kind in ((note, kind) for note in found if note.path in snapshot.files for kind in _STAGED):
        for line in note.lasting if kind == "lasting-update" else note.candidates:
            (score, count), claim, days = _STAGED[kind], line_claim(line.text), [line.day] if line.day else []
            name, query = f"memory:grounded:{claim}", query_hash(_QUERY + kind)
            counts: Any = {"grounded": count, "query": query, "claim": claim}
            fresh = counted(line.path, line.start + 1, name, now.astimezone(), days, score, **counts)
            entries[name] = joined(entries.get(name), fresh)
    return entries


def _change_diary(layout: Layout, change: Any, disk: Disk) -> tuple[int, int]:
    """Change DREAMS.md, which may come and go; how many backfilled entries it had, and has."""
    path = diary_path(layout)
    data = bytes_of(path)
    before = None if data is None else data.decode("utf-8", "surrogateescape")
    after = change(before)
    if after is None and before is not None:
        disk.remove(path)
    elif after is not None and after != before:
        disk.replace(path, after.encode("utf-8", "surrogateescape"))
    return (before or "").count(_MARK), (after or "").count(_MARK)
