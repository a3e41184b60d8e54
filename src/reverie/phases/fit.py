"""Fits MEMORY.md into its budget: the oldest finished items leave first, for the ledger.

The host counts characters (UTF-16 units) and cuts in silence. What an owner pinned or marked is never a
candidate, however old; what is not certainly finished is not one either. If that is not enough, the promise
“within its limits” fails the run loudly.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from datetime import date

from reverie.lines import count_units
from reverie.markdown import Shape
from reverie.marks import days_in, is_current_state, is_done
from reverie.model import Does, Entry, File, Finding, Origin, Snapshot, Source, leaving_lines
from reverie.redact import holds_secret
from reverie.reserve import measured

TAG = "completed"
_SHAPES = frozenset({Shape.BULLET, Shape.NUMBERED, Shape.PARAGRAPH})


def fit_memory(snapshot: Snapshot, so_far: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Findings that bring MEMORY.md to its target, given what already leaves; none while it fits."""
    memory = snapshot.files.get(snapshot.memory_path)
    if memory is None:
        return ()
    limits = snapshot.workspace.settings.memory
    gone = set(leaving_lines(so_far))
    units, lines = measured(memory.document)
    units, lines = units - sum(count_units(memory.document.lines[i]) for i in gone), lines - len(gone)
    found: list[Finding] = []
    for entry in _oldest_first(memory):
        if units <= limits.target_size and lines <= limits.max_lines:
            break
        first, end = entry.block.first, entry.block.tail
        if first in gone:
            continue
        fresh = [i for i in range(first, end) if i not in gone]
        gone.update(fresh)
        why = f"finished, and MEMORY.md is over its target of {limits.target_size:,} characters"
        if units <= limits.target_size:
            why = f"finished, and MEMORY.md has more than {limits.max_lines} lines"
        whole = Source(memory.path, first + 1, end)
        found.append(Finding(Does.ARCHIVE, TAG, entry.text, why, (whole,), entry))
        units, lines = units - sum(count_units(memory.document.lines[i]) for i in fresh), lines - len(fresh)
    return tuple(found)


def _oldest_first(memory: File) -> list[Entry]:
    """Finished items, those of the current state before all others, by the last day they name."""

    def rank(entry: Entry) -> tuple[bool, bool, date, int]:
        days = days_in("".join(memory.document.lines[entry.block.first : entry.block.tail]))
        elsewhere = not any(map(is_current_state, entry.headings))
        return elsewhere, not days, max(days, default=date.min), entry.block.first

    return sorted(_finished(memory), key=rank)


def _finished(memory: File) -> Iterator[Entry]:
    """The outermost finished items; one with an open box below it is not finished."""
    end_of_last = 0
    open_boxes = sorted(block.first for block in memory.document.blocks if block.checked is False)
    shielded = {entry.block.first for entry in memory.entries if entry.protected}
    for entry in memory.entries:
        block = entry.block
        if entry.protected or entry.origin is not Origin.OWNER or block.shape not in _SHAPES:
            continue
        if block.first < end_of_last or not is_done(entry.text, checked=block.checked):
            continue
        if block.shape is Shape.PARAGRAPH and entry.text.rstrip("*_ ").endswith((":", "：")):
            continue  # "**Done:**" above a list is its label
        inside = range(block.first, block.tail)
        if shielded.intersection(inside) or bisect_left(open_boxes, block.first) < bisect_left(open_boxes, block.tail):
            continue
        if not holds_secret("".join(memory.document.lines[block.first : block.tail])):
            end_of_last = block.tail
            yield entry
