"""`dream note`: a line at the end of today's note, and what it changes in MEMORY.md, in one plan."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from reverie.core.layout import LEDGER, LEDGER_INDEX, REMOVED, day_note
from reverie.judge.operation import Operation
from reverie.plan.build import build_plan, plan_of
from reverie.text.lines import BOM, appended, split_lines
from reverie.workspace.values import Edit, Intent, Plan, Snapshot, short_id

TAG = "note"


def note_edit(snapshot: Snapshot, text: str, now: datetime, *more: str) -> Edit:
    """Bullets with their time at the end of today's note; a note that is not there yet gets its day as heading."""
    path = day_note(now.date())
    before = snapshot.text_of(path)
    lines = [f"- {now:%H:%M} {one}" for one in (text, *more)]
    if not before.removeprefix(BOM).strip():
        lines = [f"# {now:%Y-%m-%d}", "", *lines]
    at, old, new = appended(split_lines(before), lines)
    return Edit(short_id(text), path, at, old, new, TAG, "said by the owner")


def note_plan(snapshot: Snapshot, note: Edit, operations: Sequence[Operation], now: datetime) -> Plan:
    """The note, and what enters, changes or leaves MEMORY.md with it. The night's cursors stay where they are."""
    edits = [note]
    if operations:
        ours = (snapshot.memory_path, LEDGER, LEDGER_INDEX, REMOVED)
        edits += [edit for edit in build_plan(snapshot, operations, now).edits if edit.path in ours]
    return plan_of(snapshot, Intent.NOTE, edits, now)
