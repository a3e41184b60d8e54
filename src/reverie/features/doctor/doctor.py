"""`dream doctor`: look at everything a night depends on, tell it in plain words, and mend what can be mended safely.

Looking writes nothing. `mend` finishes what a crash left, builds the index anew, and lays derived state that nobody can
read aside under another name; it takes nothing of the owner's away. What is the only copy of something is set aside too where
the worst that follows is being asked once more; the lists of what was forgotten are not.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from reverie.apply.lock import holder_of
from reverie.apply.recover import Damaged, damaged_runs, set_aside_run, unfinished_runs
from reverie.apply.runs import runs
from reverie.apply.spool import queued
from reverie.apply.state import read_proposal, set_aside
from reverie.core.durable import read_plain
from reverie.core.errors import ReverieError
from reverie.core.layout import (
    ACTIVE_DAYS,
    LEDGER_INDEX,
    OWN_OUTPUT,
    PEER_RECALLS,
    PEER_SESSIONS,
    PEER_SIGNALS,
    QUESTIONS,
    RECALLS,
    REMOVED,
    REVIEWED,
    SESSION_CURSOR,
    SIGNALS,
    STATE_DIR,
    SUGGESTIONS,
    TOMBSTONES,
    Kind,
)
from reverie.core.ports import Clock
from reverie.core.sealing import KEYRING, mark_in
from reverie.evidence.attempts import attempts
from reverie.evidence.index import GOOD, look_at_index
from reverie.features.doctor.signs import Chart, NightStarter, Sign, examined
from reverie.features.projections.projections import refreshed
from reverie.features.schedule.when import look, next_night, outlook
from reverie.features.search import reindex
from reverie.features.status import is_on, kept_versions, key_of_seal
from reverie.lang.messages import said_with, say
from reverie.night.exam import standing_of, told_of
from reverie.night.transaction import transaction
from reverie.plan.asked import open_questions
from reverie.privacy.redact import shown
from reverie.text.lines import count_units, split_lines
from reverie.workspace.news import unjudged
from reverie.workspace.projection import REFUSED, WRITTEN
from reverie.workspace.reader import read_changes, read_workspace, real_path
from reverie.workspace.values import Intent, Snapshot, Workspace

# JSON of ours: what can be made again from the ledger and the journal, and what is the only copy. The peer's is its own.
DERIVED = (LEDGER_INDEX, REVIEWED, RECALLS, SIGNALS, SESSION_CURSOR)
PEERS = (PEER_RECALLS, PEER_SIGNALS, PEER_SESSIONS)
ONLY_COPIES = {  # each with the sentence that says what is lost without it; where what was forgotten could come back it must stay
    QUESTIONS: "lost_questions",
    SUGGESTIONS: "lost_suggestions",
    ACTIVE_DAYS: "lost_days",
    REMOVED: "",
    TOMBSTONES: "",
}
_NOTES = (Kind.DAILY, Kind.SESSION, Kind.CORPUS)


def examine(workspace: Workspace, clock: Clock, schedule: NightStarter | None = None) -> tuple[Chart, tuple[Sign, ...]]:
    """Look at everything. Writes nothing, and nothing it meets can stop it."""
    snapshot = read_workspace(workspace)
    chart = _chart(workspace, snapshot, clock, schedule or NightStarter())
    return chart, examined(chart)


def mend(workspace: Workspace, chart: Chart, clock: Clock) -> tuple[str, ...]:
    """Do what is safe, and say what was done."""
    done: list[str] = []
    if chart.unfinished or chart.killed or chart.damaged or chart.broken_runs or chart.queued:
        with transaction(workspace, clock, "doctor") as work:
            done += work.recovered
            done += [_set_aside(workspace, one) for one in damaged_runs(workspace)]
            for path in chart.damaged:
                if lost := "aside" if path in DERIVED else ONLY_COPIES.get(path, ""):
                    done.append(say(f"doctor.{lost}", path=path, name=set_aside(workspace, path)))
        if chart.killed:
            done.append(say("doctor.lock_closed"))
    if chart.index in ("missing", "stale", "damaged"):
        found = reindex(workspace, workspace.embedder, force=chart.index == "damaged")
        done.append(say("doctor.reindexed", n=found.claims))
    return tuple(done)


def _set_aside(workspace: Workspace, run: Damaged) -> str:
    """Lay a damaged record aside, and say what can no longer be undone."""
    now = set_aside_run(workspace, run.name)
    if run.paths:
        return say("records.set_aside", name=run.name, now=now, paths=", ".join(run.paths))
    return say("records.set_aside_unknown", name=run.name, now=now)


def _chart(workspace: Workspace, snapshot: Snapshot, clock: Clock, schedule: NightStarter) -> Chart:
    root, limits = workspace.root, workspace.settings.memory
    theirs = [file for file in snapshot.files.values() if file.place.kind not in OWN_OUTPUT and file.text.strip()]
    seen = look(workspace, clock.now())
    index, behind = _index(workspace)
    holder, killed = holder_of(root)
    others = refreshed(workspace, dry_run=True)
    return Chart(
        now=clock.now(), on=is_on(root, workspace.settings), state=seen.state, attempts=attempts(root), last_dream=seen.last_dream, read=len(theirs),
        notes=sum(1 for file in theirs if file.place.kind in _NOTES), fresh=len(unjudged(snapshot)),
        refused=tuple((one.path, one.why) for one in snapshot.refused), doubts=tuple(_doubts(snapshot)),
        notices=tuple(_notices(workspace, snapshot)), damaged=tuple(_damaged(workspace)), unfinished=() if holder else unfinished_runs(workspace), broken_runs=tuple(one.name for one in damaged_runs(workspace)), queued=len(queued(workspace.root)), index=index, behind=behind,
        holder=holder, killed=killed, free=_free(workspace), size=count_units(snapshot.text_of(snapshot.memory_path)),
        limit=limits.hard_limit, truncation=limits.truncation, lines=len(split_lines(snapshot.text_of(snapshot.memory_path))),
        max_lines=limits.max_lines, warn_lines=limits.warn_lines, embedder=_embedder(workspace),
        waiting=_waiting(workspace), questions=_questions(snapshot), kept=len(kept_versions(root)),
        scheduled=schedule.by, next_time=_next(workspace, clock), sealed=key_of_seal(root), key_open=_open_key(workspace), dead_daemon=schedule.dead,
        refused_hosts=tuple(one.why for one in others if one.outcome == REFUSED),
        stale_hosts=tuple(one.path for one in others if one.outcome == WRITTEN),
        off_by=schedule.off_by, blocked=schedule.blocked, host_sets=schedule.host_sets,
        host=workspace.host.on if workspace.host else None, host_where=workspace.host.where if workspace.host else "",
        model=told_of(workspace), model_leads=standing_of(workspace)[0].leads,
    )  # fmt: skip


def _next(workspace: Workspace, clock: Clock) -> str:
    try:
        return next_night(outlook(workspace, clock)[1], clock.now())
    except ValueError as error:  # a schedule that nobody can read
        return say("doctor.next_unknown", error=error)


def _doubts(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Doubts about MEMORY.md and about notes that wait to be judged; what was doubtful in an old note is history."""
    waiting = {file.path for file in unjudged(snapshot)} | {snapshot.memory_path}
    for path in sorted(waiting & set(snapshot.files)):
        yield from ((path, doubt) for doubt in sorted(snapshot.files[path].document.doubts))


def _notices(workspace: Workspace, snapshot: Snapshot) -> Iterator[str]:
    """What the last night told besides its changes, except what is looked up again here: unread files, lines, and doubts that remain."""
    try:
        night = next((run for run in reversed(runs(workspace)) if run.plan.intent is Intent.DREAM), None)
    except ReverieError:  # sealed, and no key at hand
        return
    again = {say("notice.doubt", path=path, doubt=said_with("doubts", doubt)) for path, doubt in _doubts(snapshot)}
    again.add(say("upkeep.make_room"))
    for flag in night.plan.flags if night else ():
        if flag.tag != "unread" and again.isdisjoint((flag.text, flag.why)):
            yield shown(say("doctor.notice", text=flag.text, why=flag.why))


def _damaged(workspace: Workspace) -> Iterator[str]:
    for path in (*DERIVED, *ONLY_COPIES, *PEERS):
        try:
            data = read_plain(real_path(workspace, path)).removeprefix(b"\xef\xbb\xbf")
            if data.strip() and not _is_ours(path, json.loads(data)):
                yield path
        except FileNotFoundError:
            continue
        except (OSError, ValueError, RecursionError):
            yield path


def _is_ours(path: str, value: object) -> bool:
    """Whether a state file holds what we write there: a list of records (of days: strings), or one record."""
    if path not in (LEDGER_INDEX, *ONLY_COPIES):
        return isinstance(value, dict)
    return isinstance(value, list) and all(isinstance(one, str if path == ACTIVE_DAYS else dict) for one in value)


def _index(workspace: Workspace) -> tuple[str, int]:
    """What state the index is in, and how many files are newer than it."""
    word, known = look_at_index(workspace.root)
    if word != GOOD:
        return word, 0
    changed, gone, _ = read_changes(workspace, known)
    behind = sum(1 for path, seen in changed.items() if known.get(path, ("",))[0] != seen.file.hash) + len(gone)
    return ("stale", behind) if behind else (GOOD, 0)


def _free(workspace: Workspace) -> int:
    places = [place for place in (workspace.root, workspace.vault) if place.is_dir()]
    try:
        return min(shutil.disk_usage(place).free for place in places)
    except (OSError, ValueError):
        return 1 << 40


def _open_key(workspace: Workspace) -> str:
    """The file of the seal's key, where more people than its owner may read it."""
    mark = mark_in(workspace.root / STATE_DIR)
    if mark is None or mark.key == KEYRING or os.name == "nt":
        return ""
    try:
        return mark.key if Path(mark.key).stat().st_mode & 0o077 else ""
    except OSError:  # that it is gone is told where it lies
        return ""


def _embedder(workspace: Workspace) -> str:
    if workspace.embedder is None:
        return ""  # the owner's choice
    try:
        workspace.embedder.embed(["tea"])
    except Exception as error:  # noqa: BLE001  an embedder may be anything: a server, a package, a broken file
        return f"{type(error).__name__}: {error}"[:120]
    return ""


def _waiting(workspace: Workspace) -> bool:
    try:
        return read_proposal(workspace) is not None
    except (OSError, ReverieError):  # a link in its place is told among the files
        return False


def _questions(snapshot: Snapshot) -> int:
    try:
        return len(open_questions(snapshot))
    except ReverieError:  # a damaged list is told by its own sign
        return 0
