"""What is rendered from runs after they happened: the lists of the archive, logs, stamps. Twice is as good as once.

None of it is ever undone: after an undo it is rendered again. All of it may be deleted but the two lists, which scripts
of the seeds read too, and whose foreign fields survive.
"""

from __future__ import annotations

from datetime import UTC, date, datetime

import msgspec

from reverie.archive.ledger import Entry, entry_of, read_blocks
from reverie.archive.records import Records, as_json, read_records, with_blocks
from reverie.plan.reports import counts_of, dream_log, review_block
from reverie.settings import Settings
from reverie.store.disk import Disk, bytes_of
from reverie.store.runs import Run
from reverie.store.state import newer_runs, read_state, with_files, write_state
from reverie.text.lines import is_wide
from reverie.workspace.layout import (
    ACTIVE_DAYS,
    DREAM_STATE,
    LAST_DREAM,
    LAST_REVIEW,
    LEDGER_INDEX,
    NOTES,
    REMOVED,
    STATE_FILE,
    VAULT,
    Layout,
)
from reverie.workspace.snapshot import Snapshot


def settle(layout: Layout, disk: Disk, snapshot: Snapshot | None = None) -> None:
    """Bring everything that follows from the runs up to the last one; `snapshot` is what that run was about."""
    saved = bytes_of(layout.real(STATE_FILE)) or b"{}"
    known = _known_run(saved)
    runs = newer_runs(layout, known)
    for run in runs:
        records = read_records(layout)
        write_records(layout, records, with_blocks(records, blocks_of(run)), disk)
        if run.command == "review":
            _stamp_night(layout, run, disk)
        if snapshot and run.command in {"review", "inbox"}:
            _log_night(layout, run, snapshot, disk)
    if runs:
        state = read_state(layout)
        write_state(layout, with_files(state, snapshot, runs[-1].at.date()) if snapshot else state, disk)


def blocks_of(run: Run) -> list[Entry]:
    """What a run put into the archive, and what its owner made memory forget."""
    blocks = list(read_blocks(run.archive.text)) if run.archive else []
    if run.command == "forget":
        for splice in run.splices:
            content = "".join(line for line in splice.old if line not in splice.new).strip()
            if content:
                blocks.append(entry_of(content, "forgotten", "", "", run.at))
    return blocks


def write_records(layout: Layout, before: Records, after: Records, disk: Disk) -> None:
    for path, old, new in ((LEDGER_INDEX, before.index, after.index), (REMOVED, before.removed, after.removed)):
        if old != new:
            disk.replace(layout.real(path), as_json(new))


def language_of(snapshot: Snapshot, settings: Settings) -> str:
    """The language of what is written into files: the setting, else the memory's own."""
    if settings.language:
        return settings.language
    text = "".join(statement.text for statement in snapshot.memory[:40])
    return "zh" if text and sum(map(is_wide, text)) > len(text) / 4 else "en"


def _known_run(saved: bytes) -> str:
    class Known(msgspec.Struct):
        run: str = ""

    try:
        return msgspec.json.decode(saved, type=Known).run
    except msgspec.DecodeError:
        return ""


def _stamp_night(layout: Layout, run: Run, disk: Disk) -> None:
    disk.replace(layout.real(LAST_REVIEW), f"{run.at:%Y-%m-%d %H:%M}\n".encode())
    utc = run.at.astimezone(UTC) if run.at.tzinfo else datetime.fromtimestamp(run.at.timestamp(), UTC)
    disk.replace(layout.real(LAST_DREAM), f"{utc:%Y-%m-%dT%H:%M:%SZ}\n".encode())
    if bytes_of(layout.real(DREAM_STATE)) != b"active\n":
        disk.replace(layout.real(DREAM_STATE), b"active\n")
    _add_active_day(layout, run.at.date(), disk)


def _add_active_day(layout: Layout, day: date, disk: Disk) -> None:
    path = layout.real(ACTIVE_DAYS)
    try:
        days = msgspec.json.decode(bytes_of(path) or b"[]", type=list[str])
    except msgspec.DecodeError:
        return  # somebody's own; nothing depends on it
    if str(day) not in days:
        lines = ",\n".join(f'  "{known}"' for known in sorted({*days, str(day)}))
        disk.replace(path, f"[\n{lines}\n]\n".encode())


def _log_night(layout: Layout, run: Run, snapshot: Snapshot, disk: Disk) -> None:
    """Two logs that only grow: one line a night for seed 000, the changes in words for seed 001."""
    counts = counts_of(run.operations)
    if run.command == "review":
        block = review_block(run.at, counts, ignored_by(run), run.before.characters, run.after.characters)
        _append(layout, f"{VAULT}/meta/review-{run.at:%Y-%m}.md", block, disk)
    if snapshot.settings.dream.log and not layout.is_hosted and (run.operations or run.waiting):
        path = f"{NOTES}/dream-log-{run.at:%Y-%m-%d}.md"
        is_first = bytes_of(layout.real(path)) is None
        sizes = (run.before.lines, run.after.lines, run.before.sections, run.after.sections)
        language = language_of(snapshot, snapshot.settings)
        text = dream_log(run.at, run.operations, run.waiting, run.refused, sizes, language, is_first=is_first)
        _append(layout, path, text, disk)


def ignored_by(run: Run) -> int:
    """How many lines a night read and used for nothing."""
    return max(0, len(run.read) - len({ref.mark for operation in run.operations for ref in operation.cites}))


def _append(layout: Layout, path: str, text: str, disk: Disk) -> None:
    real = layout.real(path)
    before = bytes_of(real) or b""
    if text.strip().encode() not in before:  # a crash between the log and the state
        disk.append_once(real, len(before), text.encode())
