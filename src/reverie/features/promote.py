"""`dream promote` and the commands beside it, by the judgement of the night; values have OpenClaw's names where it prints the same."""

from collections.abc import Iterable
from contextlib import nullcontext
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from reverie.archive.records import read_records
from reverie.errors import Busy, NotFound
from reverie.features.schedule import due
from reverie.features.status import status
from reverie.plan import diary
from reverie.plan.plan import build_plan
from reverie.signals.grounded import Grounded, grounded
from reverie.signals.journal import line_claim, query_hash
from reverie.signals.phases import considered, rem_lines, truths
from reverie.signals.score import Entry, changed
from reverie.signals.store import counted, joined, load, save
from reverie.signals.weigh import Lane, Weighed, about, noted, open_lane
from reverie.store.disk import Disk, bytes_of
from reverie.store.journal import commit, writing
from reverie.store.logs import diary_path
from reverie.store.views import settle
from reverie.workspace.files import read_bytes
from reverie.workspace.layout import RECALLS, FileKind, Layout, note_day
from reverie.workspace.read import read
from reverie.workspace.snapshot import File, Snapshot
from reverie.workspace.statements import parse

_MOST_FILES, _LARGEST = 512, 1_000_000  # notes of a backfill, and bytes of one
_STAGED = {"lasting-update": (0.92, 2), "candidate": (0.82, 1)}  # score and signals, as OpenClaw stages them
_QUERY, _MARK = "__dreaming_grounded_backfill__:", "<!-- openclaw:dreaming:backfill-entry"
Value = dict[str, Any]


def promote(
    layout: Layout, now: datetime, *, apply: bool = False, include_promoted: bool = False, disk: Disk | None = None, **gates: Any
) -> Value:  # fmt: skip
    """What passes the gates, best first; with `apply` it enters memory as a night would let it."""
    disk = disk or Disk()
    with writing(layout, "promote", disk) if apply else nullcontext():
        if apply:
            settle(layout, disk)
        lane = open_lane(read(layout), now, **gates)
        weighed, audit = lane.weighed(include_promoted=include_promoted), _audit(lane)
        more = {"apply": _applied(lane, weighed, now, disk)} if apply else {}
    candidates = [_candidate(found) for found in weighed]
    return _value(layout, storePath=audit["storePath"], audit=audit, candidates=candidates, rests=lane.rests, **more)


def _applied(lane: Lane, weighed: Iterable[Weighed], now: datetime, disk: Disk) -> Value:
    """One run with all that enters, through the checks of every other plan."""
    if lane.peer.is_at_work(lane.now):
        raise Busy("OpenClaw is dreaming at this moment. Try again when it has finished.")
    wishes = {found.operation.id: found.scored.entry.key for found in weighed if found.operation}
    operations, snapshot = [found.operation for found in weighed if found.operation], lane.snapshot
    plan = build_plan(snapshot, operations, now, lane.declined, read_records(snapshot.layout))
    run = commit(plan, now, "promote", disk) if plan.splices else None
    settle(snapshot.layout, disk, snapshot)
    done = {"applied": len(plan.done), "appended": len(plan.done), "run": run.id if run else ""}
    refused = [{"text": text, "reason": why} for text, why in (refusal.told for refusal in plan.refused)]
    return done | {"appliedCandidates": [wishes[wish.id] for wish in plan.done], "rejectedCandidates": refused}


def explain(layout: Layout, now: datetime, text: str) -> Value:
    """Why a line would or would not be promoted, whether or not it passes the gates."""
    found = about(open_lane(read(layout), now), text)
    if found is None:
        raise NotFound(f"Nothing that was recalled fits {text!r}. `dream why` knows the rest.")
    gates = found.scored.gates.items()
    thresholds, passes = ({name: gate[which] for name, gate in gates} for which in (1, 2))
    return _value(layout, thresholds=thresholds, candidate=_candidate(found), passes=passes)


def memory_status(layout: Layout, now: datetime) -> Value:
    """The short-term store in figures, the gates, and whether OpenClaw dreams here itself."""
    lane = open_lane(read(layout), now)
    met = [(signal.last_light, signal.last_rem) for signal in lane.signals.values()]
    light, rem = (max(filter(None, times), default=None) for times in (zip(*met, strict=True) if met else ((), ())))
    night = due(layout, now)
    staged, today = sum(bool(e.grounded) for e in lane.store.entries.values()), now.date()
    return _value(
        layout, audit=_audit(lane), deep=lane.profile, rests=lane.rests, grounded=staged, signals=len(met), lastLightAt=light,
        lastRemAt=rem, dreaming=status(layout, now).dreaming, next=f"{night.until:%Y-%m-%d %H:%M}" if night.until else night.reason, promotedToday=sum(k.day == today for k in lane.state.added.values()), doubts=lane.peer.doubts,
    )  # fmt: skip


def rehearse(layout: Layout, now: datetime, path: str = "", *, with_grounded: bool = False) -> Value:
    """What REM and deep would make of the workspace, or of old notes at a path. Writes nothing."""
    snapshot = read(layout)
    lane, files = open_lane(snapshot, now), _notes(snapshot, path)
    worded = [entry for entry in lane.entries.values() if entry.snippet]
    entries = noted(files.values()) if path else considered(worded, lane.signals, lane.profile, lane.now)
    recent = [entry.tagged() for entry in entries]
    found, looked = truths(recent), (map(grounded, files.values()) if with_grounded else ())
    candidates = [] if path else [_candidate(weighed) for weighed in lane.weighed()]
    lasting = [{"snippet": entry.snippet, "confidence": sure, "evidence": entry.place} for sure, entry in found]
    rem = {"candidateTruths": lasting, "bodyLines": rem_lines(recent, found)}
    shown = [{"path": note.path, "renderedMarkdown": note.text} for note in looked]
    return _value(layout, sourceFiles=list(files), rem=rem, deep={"candidates": candidates}, grounded=shown)


def backfill(layout: Layout, now: datetime, path: str, *, stage: bool = False, disk: Disk | None = None) -> Value:
    """What old notes say that should last, into DREAMS.md, and with `stage` into the short-term store. It replaces the last one."""
    disk, snapshot = disk or Disk(), read(layout)
    found = [note for note in map(grounded, _notes(snapshot, path).values()) if note.candidates]
    texts = [(day, note.path, note.text) for note in found if (day := note_day(note.path))]
    staged = _staged(snapshot, found, now) if stage else {}
    with writing(layout, "backfill", disk):
        old, new = _change_diary(layout, lambda text: diary.with_backfill(text, texts), disk)
        if stage:
            store = load(layout).without_staged()
            save(layout, changed(store, entries=store.entries | staged), disk)
    return _value(layout, writtenEntries=new, replacedEntries=old, stagedShortTermEntries=len(staged))


def roll_back(layout: Layout, *, entries: bool, short_term: bool, disk: Disk | None = None) -> Value:
    """Take a backfill back: its entries in DREAMS.md, what it staged, or both. Nothing else goes."""
    disk, value = disk or Disk(), _value(layout)
    with writing(layout, "backfill", disk):
        if entries:
            value["removedEntries"] = _change_diary(layout, diary.without_backfill, disk)[0]
        if short_term:
            store = load(layout)
            save(layout, store.without_staged(), disk)
            value["removedShortTermEntries"] = len(store.entries) - len(store.without_staged().entries)
    return value


def _value(layout: Layout, **more: Any) -> Value:
    return {"workspaceDir": str(layout.root), **more}


def _candidate(found: Weighed) -> Value:
    """A candidate in OpenClaw's fields, with what enters and what keeps it out behind them."""
    entry, rated = found.scored.entry, found.scored
    told: Value = msgspec.to_builtins(entry)
    return told | {
        "signalCount": entry.signals, "avgScore": entry.average, "uniqueQueries": rated.queries, "ageDays": rated.age_days,
        "score": rated.score, "components": rated.components._asdict(), "phaseBoost": rated.boost,
        "enters": found.operation.text if found.operation else "", "refusedFor": found.why_not,
    }  # fmt: skip


def _audit(lane: Lane) -> Value:
    """The health of the stores, ours and OpenClaw's, as OpenClaw counts it."""
    entries = [*lane.store.entries.values(), *lane.peer.entries.values()]
    return {
        "storePath": lane.peer.store or RECALLS, "exists": bool(entries), "entryCount": len(entries),
        "promotedCount": sum(e.promoted is not None for e in entries), "spacedEntryCount": sum(len(e.days) > 1 for e in entries),
        "conceptTaggedEntryCount": sum(bool(e.tags) for e in entries), "invalidEntryCount": lane.peer.skipped,
    }  # fmt: skip


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
