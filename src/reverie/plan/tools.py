"""Single steps for scripts (`dream-tools`, seed 000): a block for the ledger, an entry that left or came back, an active day,
a whole new MEMORY.md. Each is a plan like any other: checked by the promises, written by the one writer, undoable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from reverie.errors import BadInput
from reverie.layout import ACTIVE_DAYS, LEDGER, LEDGER_INDEX, REMOVED
from reverie.lines import appended, bare, split_lines
from reverie.model import Edit, Intent, Plan, Snapshot, short_id
from reverie.plan.build import plan_of
from reverie.plan.ledger import Archived, array_text, block, indexed, read_array, read_ledger
from reverie.reserve import own_lines
from reverie.splice import difference

TAG = "tools"
REPLACED = "replaced"  # the category of what a new MEMORY.md leaves out
_WHY = "asked for by a script"


def append_plan(snapshot: Snapshot, entries: Sequence[Archived], now: datetime) -> Plan:
    """Blocks at the end of the ledger, and the index that follows it."""
    return plan_of(snapshot, Intent.TOOLS, list(_archive(snapshot, entries)), now)


def reemerged_plan(snapshot: Snapshot, its_id: str, now: datetime) -> Plan:
    """An event in the ledger, and its trace in the index and in the list of what left."""
    records = read_array(snapshot.text_of(LEDGER_INDEX), LEDGER_INDEX, dict)
    removed = read_array(snapshot.text_of(REMOVED), REMOVED, dict)
    if not any(str(record.get("id")) == its_id for record in (*records, *removed)):
        raise BadInput(f"The archive has no entry {its_id!r}. `dream-tools --ledger-search WORD` finds one.")
    stamp, note = f"{now:%Y-%m-%d %H:%M}", "said again"
    for record in records:
        if str(record.get("id")) == its_id:
            events = [*record.get("events", []), {"time": stamp, "note": "re-emerged"}]
            record.update(status="re-emerged", last_updated=stamp, events=events)
    for item in removed:
        if str(item.get("id")) == its_id:
            item["reemergence_count"] = int(item.get("reemergence_count") or 0) + 1
    told = ("---", f"ID: {its_id}", f"Updated: {stamp}", "Event: re-emerged", f"Note: {note}", "---")
    edits = [
        _at_the_end(snapshot, told, its_id),
        *_listed(snapshot, LEDGER_INDEX, records),
        *_listed(snapshot, REMOVED, removed),
    ]
    return plan_of(snapshot, Intent.TOOLS, edits, now)


def removed_plan(snapshot: Snapshot, its_id: str, summary: str, content_hash: str, now: datetime) -> Plan:
    """One more entry in the list of what left; a known id is told anew and keeps its count."""
    items = read_array(snapshot.text_of(REMOVED), REMOVED, dict)
    count = next((item.get("reemergence_count", 0) for item in items if str(item.get("id")) == its_id), 0)
    entry = {
        "id": its_id, "summary": summary, "content_hash": content_hash, "removed_at": f"{now:%Y-%m-%d %H:%M}",
        "removed_ts": int(now.timestamp()), "reemergence_count": count,
    }  # fmt: skip
    kept = [item for item in items if str(item.get("id")) != its_id]
    return plan_of(snapshot, Intent.TOOLS, [*_listed(snapshot, REMOVED, [*kept, entry])], now)


def active_plan(snapshot: Snapshot, now: datetime) -> Plan:
    """Today is an active day; said twice it changes nothing."""
    days = read_array(snapshot.text_of(ACTIVE_DAYS), ACTIVE_DAYS, str)
    edits = _listed(snapshot, ACTIVE_DAYS, sorted({*days, f"{now:%Y-%m-%d}"}))
    return plan_of(snapshot, Intent.TOOLS, [*edits], now)


def replaced_plan(snapshot: Snapshot, path: str, text: str, now: datetime) -> Plan:
    """A whole new text for a file of the layout. Every line that MEMORY.md loses goes into the ledger in the same run."""
    edits = list(difference(path, snapshot.text_of(path), text, id=short_id(text), tag=TAG, why=_WHY))
    if path == snapshot.memory_path:
        stamp = f"{now:%Y-%m-%d %H:%M}"
        edits += _archive(
            snapshot,
            [
                Archived(
                    short_id("\n".join(lines)),
                    stamp,
                    REPLACED,
                    lines,
                    f"{path}:{first + 1}",
                    "a script replaced MEMORY.md",
                )
                for first, lines in _leaving(snapshot, path, text)
            ],
        )
    return plan_of(snapshot, Intent.TOOLS, edits, now)


def _leaving(snapshot: Snapshot, path: str, text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The lines that are not in the new text, in runs, each with the number of its first one."""
    file = snapshot.files.get(path)
    before = split_lines(snapshot.text_of(path))
    kept = Counter(bare(line) for line in split_lines(text))
    ours = set(own_lines(file.document)) if file else set()
    run: list[str] = []
    for number, line in enumerate((*before, "")):
        kept[bare(line)] -= 1
        gone = bool(line.strip()) and kept[bare(line)] < 0 and number not in ours
        if gone:
            run.append(bare(line))
        elif run:
            yield number - len(run), tuple(run)
            run = []


def _archive(snapshot: Snapshot, entries: Sequence[Archived]) -> Iterator[Edit]:
    if not entries:
        return
    lines = [line for entry in entries for line in block(entry)]
    yield _at_the_end(snapshot, lines, entries[0].id)
    records = read_array(snapshot.text_of(LEDGER_INDEX), LEDGER_INDEX, dict)
    for entry in (*(() if records else read_ledger(snapshot.text_of(LEDGER))), *entries):
        records = indexed(records, entry)
    yield from _listed(snapshot, LEDGER_INDEX, records)


def _at_the_end(snapshot: Snapshot, lines: Sequence[str], its_id: str) -> Edit:
    at, old, new = appended(split_lines(snapshot.text_of(LEDGER)), lines)
    return Edit(its_id, LEDGER, at, old, new, TAG, _WHY)


def _listed(snapshot: Snapshot, path: str, items: Sequence[object]) -> tuple[Edit, ...]:
    return difference(path, snapshot.text_of(path), array_text(items), id="index", tag=TAG, why=_WHY)
