"""`dream wakeup`: what was archived last, what memory holds, what is new; and a hibernating memory is awake again (seed 000)."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from reverie.archive.records import read_records
from reverie.features.schedule import is_asleep, unread_lines, wake
from reverie.store.disk import Disk
from reverie.text.lines import clipped
from reverie.workspace.layout import Layout
from reverie.workspace.protection import is_secret
from reverie.workspace.read import read

_ENTRIES, _PER_SECTION, _LONGEST = 3, 3, 100


@dataclass(frozen=True)
class Awake:
    lines: tuple[str, ...]
    was_asleep: bool


def wakeup(layout: Layout, now: datetime, disk: Disk | None = None) -> Awake:
    """Look at what is there. The word of state becomes active; nothing else changes."""
    memory, new, shown = read(layout).memory, unread_lines(layout, now), Counter[tuple[str, ...]]()
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
    was_asleep = is_asleep(layout)
    if was_asleep:
        wake(layout, now, disk or Disk())
    return Awake(tuple(lines), was_asleep)
