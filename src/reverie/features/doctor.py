"""`dream doctor`: five questions, a line each, and what mends it. Looking writes nothing, and nothing that it meets stops it."""

import os
import shlex
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from reverie.archive.ledger import read_ledger
from reverie.archive.records import read_records
from reverie.errors import ReverieError
from reverie.features import timers
from reverie.features.lead import trial_file, tried
from reverie.features.schedule import due, is_off
from reverie.features.status import LATE, status
from reverie.hosts.connect import connections
from reverie.models.ask import chosen
from reverie.store.disk import DISK, Disk, bytes_of
from reverie.store.journal import opened
from reverie.store.runs import COMMITTED, old_records, read_run, run_files
from reverie.text.regions import Region
from reverie.workspace.layout import LEDGER, MEMORY, Layout
from reverie.workspace.read import read

_ROOM = 64_000_000  # bytes of a disk that a night wants


@dataclass(frozen=True)
class Sign:
    question: str  # connected, runs, next, did, needs
    word: str  # ok, or the fault in a word
    line: str
    mend: str = ""


def doctor(layout: Layout, now: datetime) -> list[Sign]:
    """Is it connected, does it run, when next, did it do anything, what needs its owner."""
    signs: list[Sign] = []
    parts: dict[str, Callable[[Layout, datetime], Iterator[Sign]]] = {
        "connected": _connected, "runs": _runs, "next": _next, "did": _did, "needs": _needs,
    }  # fmt: skip
    for question, look in parts.items():
        try:
            signs += look(layout, now)
        except (ReverieError, OSError) as error:
            if str(error) not in (sign.line for sign in signs):
                signs.append(Sign(question, "fault", str(error)))
    return signs


def mend(layout: Layout, disk: Disk = DISK) -> list[str]:
    """Finish what a crash left, now; what was done about it, in words."""
    with opened(layout, "doctor", disk) as notices:
        return list(notices)


def _connected(layout: Layout, _: datetime) -> Iterator[Sign]:
    found = connections(layout)
    joined = [each.host for each in found if each.is_connected]
    if joined:
        yield Sign("connected", "ok", f"Connected: {', '.join(joined)}.")
    elif found:
        yield Sign(
            "connected",
            "not connected",
            f"Found and not connected: {', '.join(each.host for each in found)}.",
            f"dream connect {found[0].host}",
        )
    else:
        yield Sign(
            "connected",
            "no host",
            "No agent was found on this machine; nights are judged by form, or by a model that you name.",
        )

    if (model := chosen()).kind not in ("none", "agent") and tried(model) is False:
        line = f"{model.shown} did not pass a small trial night; the rules judge instead. Name another, or try it anew."
        yield Sign("connected", "model", line, f"rm {shlex.quote(str(trial_file(model)))}")


def _runs(layout: Layout, now: datetime) -> Iterator[Sign]:
    seen = status(layout, now)
    if run_files(layout, COMMITTED):
        yield Sign("runs", "unfinished", "A run was interrupted; the next command finishes it.", "dream review")
    if seen.last_night is None:
        yield Sign("runs", "never ran", "No night was run yet.", "dream review")
    elif now - seen.last_night > LATE and seen.pending_notes:
        days = (now - seen.last_night).days
        yield Sign(
            "runs", "late", f"The last night was {days} days ago, and {seen.pending_notes} notes wait.", "dream review"
        )
    elif seen.last_night - now > timedelta(minutes=10):
        yield Sign("runs", "clock", "The last night lies in the future; the clock of this machine was wrong.", "date")
    else:
        yield Sign("runs", "ok", f"The last night was on {seen.last_night:%Y-%m-%d %H:%M}.")


def _next(layout: Layout, now: datetime) -> Iterator[Sign]:
    state, found = status(layout, now).state, due(layout, now)
    words = {"hibernating": "It sleeps until something new is said.", "pending": "It waits until the agent is idle."}
    coming = f"The next night is at {found.until:%Y-%m-%d %H:%M}." if found.until else f"{found.reason.capitalize()}."
    # OpenClaw's own cron is asked only where it is connected: its program is slow.
    is_openclaw = any(each.host == "openclaw" and each.is_connected for each in connections(layout))
    if is_off(layout):
        yield Sign("next", "off", "Nights are switched off.", "dream on")
    elif timers.found(str(layout.root), (*timers.kinds(), *["openclaw"] * is_openclaw)):
        yield Sign("next", state if state in words else "ok", words.get(state, coming))
    else:
        yield Sign("next", "no timer", "Nothing on this machine calls the nights.", "dream schedule install")


def _did(layout: Layout, _: datetime) -> Iterator[Sign]:
    if old := old_records(layout):
        yield Sign("did", "ok", old)
    nights = [read_run(path) for path in run_files(layout, command="review")[-3:]]
    changed = [run for run in nights if run.splices]
    if nights and not changed:
        yield Sign(
            "did", "nothing changed", f"The last {len(nights)} nights changed nothing.", f"dream runs {nights[-1].id}"
        )
    elif changed:
        run = changed[-1]
        yield Sign(
            "did",
            "ok",
            f"The night of {run.at:%Y-%m-%d}: {len(run.operations)} decided, {len(run.refused)} refused.",
        )


def _needs(layout: Layout, now: datetime) -> Iterator[Sign]:
    seen, snapshot = status(layout, now), read(layout)
    if seen.inbox:
        yield Sign("needs", "inbox", f"{seen.inbox} cards wait for your word.", "dream inbox")
    for path, why in snapshot.unread.items():
        yield Sign("needs", "left alone", f"{path} was not read: {why}.", "mend it or move it away")
    if MEMORY not in snapshot.unread:
        found = {block.region for block in snapshot.file(MEMORY).blocks}
        if Region.CONFLICT in found:
            yield Sign(
                "needs",
                "conflict markers",
                f"{MEMORY} holds conflict markers; nothing is added until they are settled.",
                f"edit {MEMORY}",
            )
    if seen.characters > seen.limit:
        yield Sign(
            "needs",
            "too large",
            f"{MEMORY} has {seen.characters:,} of {seen.limit:,} characters; its host may cut it.",
            "dream review",
        )
    records = read_records(layout)  # raises with the file's name where a list is damaged
    listed = [record for record in records.index if record.get("category") != "forgotten"]
    kept = {entry.id for entry in read_ledger((bytes_of(layout.real(LEDGER)) or b"").decode("utf-8", "replace"))}
    if missing := sum(record.get("id") not in kept for record in listed):
        line = (
            f"{LEDGER} lacks {missing} of the {len(listed)} records that its list names; bring it back from a backup."
        )
        yield Sign("needs", "archive", line)
    if shutil.disk_usage(layout.root).free < _ROOM:
        yield Sign("needs", "disk full", "The disk has less than 64 MB left; nights are not begun on a full disk.")
    if not os.access(layout.root, os.W_OK):
        yield Sign("needs", "read-only", f"{layout.root} cannot be written.", f"chmod u+w {layout.root}")
