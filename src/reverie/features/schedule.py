"""`dream review --scheduled`: dreams if it is time, and keeps in mind what was decided.

A hibernating memory is looked at by names, sizes and times alone: of `dream-state.txt`, whose size tells what it says, of
notes and logs, and of conversations. Only when one of them is newer than its sleep is anything opened.
"""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from reverie.archive.records import read_records
from reverie.errors import Busy, ReverieError, Unreadable
from reverie.features.idle import busy
from reverie.features.when import PAUSE, TRIES, Do, Due, Known, Phase, decide, zone_of
from reverie.judge.brief import Judge
from reverie.settings import load_settings
from reverie.store.disk import DISK, Disk
from reverie.store.lock import held
from reverie.store.state import read_state, unread_statements
from reverie.text.lines import clipped
from reverie.workspace import layout as files
from reverie.workspace.files import candidates, decoded, read_bytes
from reverie.workspace.layout import DREAM_STATE, FileKind, Layout, holds_memory, layout_of, open_workspace
from reverie.workspace.origins import Origin
from reverie.workspace.protection import is_secret
from reverie.workspace.read import read, require_workspace
from reverie.workspace.snapshot import Statement
from reverie.workspace.transcripts import agent_workspaces, newest_session

_ENTRIES, _PER_SECTION, _LONGEST = 3, 3, 100  # what is told at a wake-up: entries of the archive, lines, their length
_ASLEEP = range(len(Phase.HIBERNATING), len(Phase.HIBERNATING) + 3)  # bytes: with or without a line end
AGENT_NIGHTS = 2  # that wait for the host's agent; after them the rules do what is certain
_OFF = Due(Do.WAIT, "nothing happens by itself until `dream on`")


@dataclass(frozen=True)
class Outcome:
    workspace: str
    due: Due
    run: str = ""  # of the night, if there was one
    judged_by: str = ""  # the model, and how much was asked of it
    refused: int = 0  # operations of the night that checks refused


@dataclass(frozen=True)
class Awake:
    lines: tuple[str, ...]
    was_asleep: bool


def scheduled(root: Path, now: datetime, disk: Disk = DISK, model: str = "") -> Outcome:
    """Dream if it is time, led by this model (or the one that DREAM_MODEL names, or the agent of a host that is connected).
    What goes wrong is kept in mind, so that the night is tried again, and raised."""
    by_names, name = layout_of(root, opens=False), str(root)
    if is_off(by_names):
        return Outcome(name, _OFF)
    if is_asleep(by_names) and not _newest(by_names):
        return Outcome(name, Due(Do.SLEEP, "it hibernates until something is written"))
    layout = layout_of(root)
    known, found = _look(layout, now)
    if found.do is Do.WAKE:
        _wake(layout, min(known.heard or now.astimezone(), now.astimezone()), disk)
        known, found = _look(layout, now)
    if found.do is Do.DREAM:
        from reverie.features.lead import judge_of, scheduled_model  # only where there is a night

        leader = scheduled_model(layout, model)
        if leader.kind == "agent" and nights_waited(known) < AGENT_NIGHTS:
            known = msgspec.structs.replace(known, waited=nights_waited(known) + 1, waits_since=known.last_dream)
            _keep(layout, known, now, disk, settled=now.astimezone(UTC), alive=now.date(), tries=0)
            return Outcome(name, Due(Do.WAIT, "the night waits for the agent", None, found.night))
        return _dream(layout, now, known, found, disk, judge_of(leader, layout))
    phase = {Do.DEFER: Phase.PENDING, Do.HIBERNATE: Phase.HIBERNATING, Do.SLEEP: known.phase}.get(found.do)
    if found.do in (Do.SETTLE, Do.HIBERNATE):  # seed 000: without new notes only this stamp moves
        disk.replace(layout.real(files.LAST_REVIEW), f"{now:%Y-%m-%d %H:%M}\n".encode())
        _keep(layout, known, now, disk, phase, settled=now.astimezone(UTC), alive=known.alive or now.date(), tries=0)
    elif (phase or Phase.ACTIVE) is not known.phase:  # else a call that waits writes nothing
        _keep(layout, known, now, disk, phase)
    return Outcome(name, found)


def due(layout: Layout, now: datetime) -> Due:
    """Whether a scheduled call would dream now, or why not and when it looks again. Nothing is written."""
    return _OFF if is_off(layout) else _look(layout, now)[1]


def switch(layout: Layout, *, on: bool, disk: Disk = DISK) -> bool:
    """Switch on or off what happens by itself; whether that changed anything."""
    require_workspace(layout)
    path, was_off = layout.real(files.OFF), is_off(layout)
    if not on:
        disk.replace(path, b"`dream on` takes this file away.\n")
    elif was_off:
        disk.remove(path)
    return on is was_off


def wakeup(layout: Layout, now: datetime, disk: Disk = DISK) -> Awake:
    """What was archived last, what memory holds, what is new; a hibernating memory is awake, and nothing else changes."""
    # The list of what left is ours, and no memory.
    memory = [line for line in read(layout).memory if line.origin is not Origin.MACHINE]
    new, shown = unread_lines(layout, now), Counter[tuple[str, ...]]()
    records = [record for record in read_records(layout).index if record.get("category") != "forgotten"]
    lines = ["Archived last:"] * bool(records)
    for record in records[-_ENTRIES:]:
        day, words = str(record.get("last_updated", ""))[:10], f"[{record.get('category')}] {record.get('summary')}"
        lines.append(f"- [{record.get('id')}] {day} {words}")
    lines.append(f"Memory holds {len(memory)} lines:")
    for line in memory:
        shown[line.headings] += 1
        if shown[line.headings] <= _PER_SECTION and not is_secret(line):
            lines.append(f"- {' › '.join((*line.headings, clipped(line.text, _LONGEST)))}")
    lines.append(f"New since the last night: {len(new)} lines in {len({line.path for line in new})} files.")
    if was_asleep := is_asleep(layout):
        _wake(layout, now, disk)
    return Awake(tuple(lines), was_asleep)


def is_off(layout: Layout) -> bool:
    return os.path.lexists(layout.real(files.OFF))


def is_asleep(layout: Layout) -> bool:
    """Whether it hibernates, by the size of the file that says so; a link says nothing."""
    state = layout.real(DREAM_STATE)
    return not state.is_symlink() and state.is_file() and state.stat().st_size in _ASLEEP


def scheduled_workspaces(paths: Sequence[str]) -> list[Path]:
    """Those that are named; else the present folder, or those of all agents of OpenClaw. Each once."""
    roots = [Path(path).expanduser() for path in paths]
    if not roots and not os.environ.get("OPENCLAW_WORKSPACE") and not holds_memory(Path.cwd()):
        roots = [Path(place) for place in agent_workspaces().values() if holds_memory(Path(place))]
    distinct = list({os.path.realpath(root): root for root in roots or [open_workspace().root]}.values())
    if len(distinct) > 1 and os.environ.get("DREAM_VAULT_PATH"):
        raise ReverieError(f"DREAM_VAULT_PATH names one archive for {len(distinct)} workspaces. Unset it, or name one.")
    return distinct


def waits_for_agent(layout: Layout, now: datetime) -> int:
    """How many new lines a night that waited for the host's agent would read."""
    is_called = layout.real(files.SCHEDULE).exists()
    return len(unread_lines(layout, now)) if is_called and nights_waited(_known(layout, now)) else 0


def nights_waited(known: Known) -> int:
    return known.waited if known.waits_since == known.last_dream else 0


def unread_lines(layout: Layout, now: datetime) -> list[Statement]:
    """What people wrote and said that no night has judged."""
    from reverie.store.corpus import with_sessions  # what a session's start seldom needs

    snapshot = with_sessions(read(layout), now)
    unread = unread_statements(read_state(layout), snapshot, now.date())
    return [line for line in unread if line.origin is not Origin.MACHINE]


def _look(layout: Layout, now: datetime) -> tuple[Known, Due]:
    require_workspace(layout)
    settings = load_settings(layout.root, _bytes(layout, files.OWNER_RULES).decode("utf-8", "replace"))
    known, ports = _known(layout, now), (lambda: busy(layout, now), lambda: len(unread_lines(layout, now)))
    return known, decide(known, settings, now.astimezone(UTC), zone_of(settings), *ports)


def _wake(layout: Layout, at: datetime, disk: Disk) -> None:
    """Something was written: its day is no quiet one, and the night after it is the next."""
    _keep(layout, _known(layout, at), at, disk, settled=at.astimezone(UTC), alive=at.astimezone().date())


def _dream(layout: Layout, now: datetime, known: Known, found: Due, disk: Disk, judge: Judge) -> Outcome:
    """One night. The try is counted before it begins: a night that is killed has failed, too."""
    from reverie.night import review  # the whole night, only where there is one

    name, tries = str(layout.root), known.tries + 1 if known.tried == found.night else 1
    trying = {"tried": found.night, "tried_at": now.astimezone(UTC), "tries": tries}
    try:
        with held(layout, "review", 0.0):
            if _known(layout, now) != known:
                return Outcome(name, Due(Do.WAIT, "another call has begun this night", None, found.night))
            _keep(layout, known, now, disk, known.phase, **trying)
        report = review(layout, now, judge, disk=disk)
    except Busy as error:  # no failure of this night
        _keep(layout, known, now, disk, Phase.PENDING)
        return Outcome(name, Due(Do.DEFER, str(error).partition(". ")[0], now.astimezone() + PAUSE, found.night))
    except Exception:
        _keep(layout, known, now, disk, Phase.PENDING if tries < TRIES else Phase.ACTIVE, **trying)
        raise
    _keep(layout, known, now, disk, settled=now.astimezone(UTC), alive=now.date(), tries=0)
    return Outcome(name, found, report.run, report.judged_by, len(report.refused))


def _known(layout: Layout, now: datetime) -> Known:
    """What the small files say. A damaged one says nothing."""
    from reverie.store.views import active_days  # a session's start needs it where nights are called alone

    try:
        known = decoded(_bytes(layout, files.SCHEDULE) or b"{}", Known)
    except msgspec.DecodeError:
        known = Known()
    days = filter(None, map(files.parse_day, active_days(layout) or []))
    word = _bytes(layout, DREAM_STATE).decode("utf-8", "replace").strip().lower()
    phase = Phase(word) if word in set(Phase) else Phase.ACTIVE
    alive = max([*days, *filter(None, [known.alive])], default=None)
    heard = _newest(layout) if phase is Phase.HIBERNATING else 0
    moment = datetime.fromtimestamp(heard / 1e9, UTC) if heard and unread_lines(layout, now) else None
    try:
        last = datetime.fromisoformat(_bytes(layout, files.LAST_DREAM).decode().strip())
        last = last if last.tzinfo else last.replace(tzinfo=UTC)
    except ValueError:
        last = None
    return msgspec.structs.replace(known, phase=phase, alive=alive, heard=moment, last_dream=last)


def _keep(layout: Layout, known: Known, now: datetime, disk: Disk, phase: Phase | None = None, **more: Any) -> None:
    """The small state, and the word of state last: its time is the beginning of a sleep."""
    phase = phase or Phase.ACTIVE
    since = known.since if phase is known.phase else now.astimezone(UTC)
    kept = msgspec.structs.replace(known, **more, since=since, last_dream=None, heard=None, phase=Phase.ACTIVE)
    disk.replace(layout.real(files.SCHEDULE), msgspec.json.encode(kept) + b"\n")
    if _bytes(layout, DREAM_STATE).strip() != phase.encode():
        disk.replace(layout.real(DREAM_STATE), f"{phase}\n".encode())


def _newest(layout: Layout) -> int:
    """When a note, a log or a conversation was written last, if that is after it fell asleep; else 0. Opens no file."""
    kinds = (FileKind.NOTE, FileKind.LOG)
    times = (e.stat(follow_symlinks=False).st_mtime_ns for _, kind, e in candidates(layout) if kind in kinds)
    newest = max(newest_session(layout), *times, 0)
    return newest if newest > os.lstat(layout.real(DREAM_STATE)).st_mtime_ns else 0


def _bytes(layout: Layout, path: str) -> bytes:
    try:
        return read_bytes(layout.real(path), 10_000_000)
    except Unreadable:
        return b""
