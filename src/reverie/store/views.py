"""What is rendered from runs after they happened: the lists of the archive, logs, stamps. Twice is as good as once.
All of it may be deleted but the two lists, which scripts of the seeds read too, and whose foreign fields survive."""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from reverie.archive.ledger import entry_of, read_blocks
from reverie.archive.records import as_json, read_records, with_blocks
from reverie.operations import Op, Operation
from reverie.store.disk import Disk, bytes_of
from reverie.store.runs import Run
from reverie.store.state import newer_runs, saved_state, with_files, with_run
from reverie.text.lines import clipped, is_wide
from reverie.text.terms import plain
from reverie.workspace import layout as known
from reverie.workspace.layout import LEDGER_INDEX, NOTES, REMOVED, STATE_FILE, VAULT, Layout
from reverie.workspace.snapshot import Snapshot

_TAGS = {Op.ADD: "promote", Op.UPDATE: "contradiction", Op.END: "stale", Op.MERGE: "duplicate", Op.ASK: "ask"}
_WORDS = {
    "en": ("Dream Log", "Changes Made", "Needs Human Review", "MEMORY.md Stats", "Skipped", "was", "Lines", "Sections", "unchanged"),
    "zh": ("梦境日志", "所做更改", "需要人工审核", "MEMORY.md 统计", "已跳过", "原为", "行数", "章节", "未变"),
}  # fmt: skip


def settle(layout: Layout, disk: Disk, snapshot: Snapshot | None = None) -> None:
    """Bring everything that follows from the runs up to the last one; `snapshot` is what that run was about."""
    state = saved_state(layout)
    runs = newer_runs(layout, state.run)
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
        if snapshot and run.command in {"review", "inbox"}:
            _log_night(layout, run, snapshot, disk)
        state = with_run(state, run)
    if runs:
        state = with_files(state, snapshot, runs[-1].at.date()) if snapshot else state
        disk.replace(layout.real(STATE_FILE), msgspec.json.encode(state))


def _stamp_night(layout: Layout, run: Run, disk: Disk) -> None:
    """The stamps of the seeds: when the last night was, that the dream is awake, on which days it was."""
    utc = datetime.fromtimestamp(run.at.timestamp(), UTC)
    disk.replace(layout.real(known.LAST_REVIEW), f"{run.at:%Y-%m-%d %H:%M}\n".encode())
    disk.replace(layout.real(known.LAST_DREAM), f"{utc:%Y-%m-%dT%H:%M:%SZ}\n".encode())
    if bytes_of(layout.real(known.DREAM_STATE)) != b"active\n":
        disk.replace(layout.real(known.DREAM_STATE), b"active\n")
    try:
        days = msgspec.json.decode(bytes_of(layout.real(known.ACTIVE_DAYS)) or b"[]", type=list[str])
    except msgspec.DecodeError:
        return  # somebody's own; nothing depends on it
    today = str(run.at.date())
    if today not in days:
        lines = ",\n".join(f'  "{day}"' for day in sorted({*days, today}))
        disk.replace(layout.real(known.ACTIVE_DAYS), f"[\n{lines}\n]\n".encode())


def _log_night(layout: Layout, run: Run, snapshot: Snapshot, disk: Disk) -> None:
    """Two logs that only grow: one line a night for seed 000, the changes in words for seed 001."""
    if run.command == "review":
        counts, used = counts_of(run.operations), {ref.mark for operation in run.operations for ref in operation.cites}
        text = (
            f"### {run.at:%Y-%m-%d %H:%M}\nUpdated: {counts['updated']} | Added: {counts['added']}"
            f" | Archived: {counts['archived']} | Re-emerged: {counts['re-emerged']}"
            f" | Ignored: {max(0, len(run.read) - len(used))}\n"
            f"MEMORY.md chars: {run.before.characters} → {run.after.characters}\n\n"
        )
        _append(layout.real(f"{VAULT}/meta/review-{run.at:%Y-%m}.md"), text, disk)
    if snapshot.settings.dream.log and not layout.is_hosted and (run.operations or run.waiting):
        path = layout.real(f"{NOTES}/dream-log-{run.at:%Y-%m-%d}.md")
        text = "".join(statement.text for statement in snapshot.memory[:40])
        language = snapshot.settings.language or ("zh" if sum(map(is_wide, text)) > len(text) / 4 else "en")
        _append(path, dream_log(run, language, is_first=bytes_of(path) is None), disk)


def _append(path: Path, text: str, disk: Disk) -> None:
    before = bytes_of(path) or b""
    if text.strip().encode() not in before:  # a crash between the log and the state
        disk.append_once(path, len(before), text.encode())


def counts_of(operations: Iterable[Operation]) -> Counter[str]:
    """How many lines were updated, added, archived and brought back."""
    counts: Counter[str] = Counter()
    for operation in operations:
        if operation.op is Op.ADD:
            counts["re-emerged" if operation.returned else "added"] += 1
        elif operation.op is Op.UPDATE:
            counts["updated"] += 1
        else:
            counts["archived"] += len(operation.lines) - (operation.op is Op.MERGE and not operation.text)
    return counts


def dream_log(run: Run, language: str, *, is_first: bool) -> str:
    """A night in `memory/dream-log-DAY.md`, as seed 001 writes it; a second night of a day says its time."""
    title, changes, review, stats, skipped, was, lines, sections, unchanged = _WORDS.get(language, _WORDS["en"])
    time, before, after = "" if is_first else f" ({run.at:%H:%M})", run.before, run.after
    moved = unchanged if before.sections == after.sections else f"← {before.sections}"
    parts = [f"# {title} {run.at:%Y-%m-%d}\n" if is_first else "", f"\n## {changes}{time}\n"]
    for operation in run.operations:
        old, new = "; ".join(plain(ref.words) for ref in operation.lines), operation.after
        tag = "budget" if operation.judge == "budget" else "re-emerged" if operation.returned else _TAGS[operation.op]
        parts.append(f"- [{tag}] {f'{new} ({was}: {old})' if new and old else new or old} — {operation.why}\n")
    parts += [f"\n## {review}{time}\n"] * bool(run.waiting)
    for asked in run.waiting:
        parts.append(f"- {asked.question or asked.after or plain(asked.lines[0].words)} — {asked.why}\n")
    parts += [f"\n## {stats}{time}\n- {lines}: {before.lines} → {after.lines}\n"]
    parts += [f"- {sections}: {after.sections} ({moved})\n", f"\n## {skipped}{time}\n" * bool(run.refused)]
    parts += [f"- {clipped(wish, 120)}: {why}\n" for wish, why in run.refused]
    return "".join(parts)
