"""What re-emergence does to the archive: an event block in the ledger, its trace in the index and in the list of what left.

The ledger only grows: the block that archived an entry stays, and another tells that it came back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from reverie.core.layout import LEDGER, LEDGER_INDEX, REMOVED
from reverie.judge.operation import Op, Operation
from reverie.plan.ledger import array_text, ledger_lines, read_array, read_ledger
from reverie.plan.splices import difference, spliced
from reverie.plan.views import TAG as VIEW
from reverie.text.lines import appended, ending_of, split_lines
from reverie.workspace.values import Edit, Removed, Snapshot, Source

TAG = "re-emerged"
_ID = re.compile(r"\[([0-9a-f]{8})\]$")


def removed_entries(snapshot: Snapshot) -> tuple[Removed, ...]:
    """What left MEMORY.md and is still listed as gone, with the words that are kept of it; of several blocks the newest.

    What a night archived stands in the ledger; of what was forgotten only the summary is left.
    """
    text = snapshot.text_of(LEDGER)
    listed = {str(item.get("id")): item for item in read_array(snapshot.text_of(REMOVED), REMOVED, dict)}
    found = {
        its_id: Removed(its_id, str(item.get("summary", "")).rstrip("…"), "forgotten", str(item.get("removed_at", "")))
        for its_id, item in listed.items()
        if item.get("forgotten")
    }
    for entry, first in zip(read_ledger(text), ledger_lines(text), strict=True):
        if entry.id in listed:
            at = str(listed[entry.id].get("removed_at") or entry.archived)
            source = Source(LEDGER, first, first + len(entry.content) + 6)
            found[entry.id] = Removed(entry.id, "\n".join(entry.content), entry.category, at, source)
    return tuple(found.values())


def with_events(
    snapshot: Snapshot, edits: Sequence[Edit], operations: Sequence[Operation], now: datetime
) -> list[Edit]:  # fmt: skip
    """A night's edits, and for every entry that came back the event in the ledger and in the two lists beside it."""
    back = _returned(snapshot, operations)
    if not back:
        return list(edits)
    stamp = f"{now:%Y-%m-%d %H:%M}"
    others = [edit for edit in edits if edit.path not in (LEDGER_INDEX, REMOVED)]
    grown = [edit for edit in edits if edit.path == LEDGER]
    blocks = [
        line
        for its_id, operation in back.items()
        for line in ("---", f"ID: {its_id}", f"Updated: {stamp}", "Event: re-emerged", f"Note: {operation.why}", "---")
    ]
    return [*others, _event(snapshot, blocks, back, grown), *_lists(snapshot, edits, back, stamp)]


def _returned(snapshot: Snapshot, operations: Sequence[Operation]) -> dict[str, Operation]:
    """By id: an operation that re-emerges ends its reason with the id of what comes back."""
    listed = {one.id for one in removed_entries(snapshot)}
    return {
        found[1]: operation
        for operation in operations
        if operation.op is Op.ADD
        and operation.tag == TAG
        and (found := _ID.search(operation.why))
        and found[1] in listed
    }


def _event(snapshot: Snapshot, blocks: Sequence[str], back: dict[str, Operation], grown: Sequence[Edit]) -> Edit:
    lines = split_lines(snapshot.text_of(LEDGER))
    why = "what came back is told in the archive"
    at, old, new = appended(lines, blocks)
    if grown:  # another edit of this night has closed the last line already
        at, old, new = len(lines), (), tuple(line + ending_of(lines) for line in blocks)
    return Edit(next(iter(back)), LEDGER, at, old, new, TAG, why)


def _lists(snapshot: Snapshot, edits: Sequence[Edit], back: dict[str, Operation], stamp: str) -> list[Edit]:
    """The index and the list of what left, as the night leaves them and with the events in."""
    index, removed = (
        read_array(spliced(snapshot.text_of(path), [edit for edit in edits if edit.path == path]), path, dict)
        for path in (LEDGER_INDEX, REMOVED)
    )
    for record in index:
        if operation := back.get(str(record.get("id"))):
            events = [*record.get("events", []), {"time": stamp, "note": f"re-emerged: {operation.why}"}]
            record.update(status="re-emerged", last_updated=stamp, events=events)
    for item in removed:
        if str(item.get("id")) in back:
            item["reemergence_count"] = int(item.get("reemergence_count") or 0) + 1
    why = "the index follows the ledger"
    return [
        edit
        for path, items in ((LEDGER_INDEX, index), (REMOVED, removed))
        if items or snapshot.text_of(path)
        for edit in difference(path, snapshot.text_of(path), array_text(items), id="index", tag=VIEW, why=why)
    ]
