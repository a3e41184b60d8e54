"""What is rendered from runs after they happened: the lists of the archive, logs, stamps. Twice is as good as once.
All of it may be deleted but the two lists, which scripts of the seeds read too, and whose foreign fields survive."""

from datetime import UTC, date, datetime

import msgspec

from reverie.archive.ledger import entry_of, read_blocks
from reverie.archive.records import as_json, read_records, with_blocks
from reverie.store.disk import Disk, bytes_of
from reverie.store.logs import log_night
from reverie.store.runs import Run
from reverie.store.state import newer_runs, saved_state, with_files, with_run
from reverie.workspace import layout as known
from reverie.workspace.files import decoded
from reverie.workspace.layout import LEDGER_INDEX, REMOVED, STATE_FILE, Layout
from reverie.workspace.read import read
from reverie.workspace.snapshot import Snapshot


def settle(layout: Layout, disk: Disk, snapshot: Snapshot | None = None) -> None:
    """Bring everything that follows from the runs up to the last one; `snapshot` is what that run was about."""
    state = saved_state(layout)
    runs = newer_runs(layout, state.run)
    is_rebuilt = not state.run and len(runs) > 1  # the state was lost, not the logs
    for run in runs:
        before, blocks = read_records(layout), list(read_blocks(run.archive.text)) if run.archive else []
        for splice in run.splices if run.command == "forget" else ():  # what its owner made memory forget
            content = "".join(line for line in splice.old if line not in splice.new).strip()
            blocks += [entry_of(content, "forgotten", "", "", run.at)] if content else []
        after = with_blocks(before, blocks)
        for path, old, new in ((LEDGER_INDEX, before.index, after.index), (REMOVED, before.removed, after.removed)):
            if old != new:
                disk.replace(layout.real(path), as_json(new))
        if run.command == "review":
            _stamp_night(layout, run, disk)
        if run.command in {"review", "inbox"} and not is_rebuilt:
            log_night(layout, run, snapshot or read(layout), disk, again=not snapshot)
        state = with_run(state, run)
    if runs and layout.real(known.PROJECTIONS).exists():
        from reverie.store.projections import refresh  # only where memory is shown elsewhere

        refresh(layout, disk)
    if runs:
        state = with_files(state, snapshot, runs[-1].at.date()) if snapshot else state
        disk.replace(layout.real(STATE_FILE), msgspec.json.encode(state))


def _stamp_night(layout: Layout, run: Run, disk: Disk) -> None:
    """The stamps of the seeds: when the last night was, that the dream is awake, on which days it was."""
    utc = datetime.fromtimestamp(run.at.timestamp(), UTC)
    disk.replace(layout.real(known.LAST_REVIEW), f"{run.at:%Y-%m-%d %H:%M}\n".encode())
    disk.replace(layout.real(known.LAST_DREAM), f"{utc:%Y-%m-%dT%H:%M:%SZ}\n".encode())
    if (layout.root / known.LAST_DISTILL).parent.is_dir():
        disk.replace(layout.real(known.LAST_DISTILL), f"{utc:%Y-%m-%dT%H:%M:%SZ}\n".encode())
    if bytes_of(layout.real(known.DREAM_STATE)) != b"active\n":
        disk.replace(layout.real(known.DREAM_STATE), b"active\n")
    record_active_day(layout, run.at.date(), disk)


def record_active_day(layout: Layout, day: date, disk: Disk) -> None:
    days = active_days(layout)
    if days is not None and str(day) not in days:
        lines = ",\n".join(f'  "{active}"' for active in sorted({*days, str(day)}))
        disk.replace(layout.real(known.ACTIVE_DAYS), f"[\n{lines}\n]\n".encode())


def active_days(layout: Layout) -> list[str] | None:
    """The days on which something happened; None where the file is somebody's own, and nothing depends on it."""
    try:
        return decoded(bytes_of(layout.real(known.ACTIVE_DAYS)) or b"[]", list[str])
    except msgspec.DecodeError:
        return None
