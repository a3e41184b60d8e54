"""Fits MEMORY.md into its budget: the oldest finished items leave first, for the ledger.

The host counts characters (UTF-16 units) and cuts in silence. What an owner pinned or marked is never a
candidate, however old; what is not certainly finished is not one either. If that is not enough, the promise
“within its limits” fails the run loudly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

from reverie.lines import count_units
from reverie.markdown import Block, Document, Shape
from reverie.marks import days_in, is_current_state, is_done
from reverie.model import Does, Entry, File, Finding, Origin, Snapshot, Source
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
    gone = [(f.target.block.first, f.target.block.tail) for f in so_far if f.does is Does.ARCHIVE and f.target]
    units, lines = measured(memory.document)
    for first, end in gone:
        units, lines = units - _units(memory.document, first, end), lines - (end - first)
    found: list[Finding] = []
    for entry in _oldest_first(memory):
        if units <= limits.target_size and lines <= limits.max_lines:
            break
        first, end = entry.block.first, entry.block.tail
        if any(start <= first < stop for start, stop in gone):
            continue
        gone.append((first, end))
        why = f"finished, and MEMORY.md is over its target of {limits.target_size:,} characters"
        if units <= limits.target_size:
            why = f"finished, and MEMORY.md has more than {limits.max_lines} lines"
        whole = Source(memory.path, first + 1, end)
        found.append(Finding(Does.ARCHIVE, TAG, entry.text, why, (whole,), entry))
        units, lines = units - _units(memory.document, first, end), lines - (end - first)
    return tuple(found)


def _units(document: Document, first: int, end: int) -> int:
    return count_units("".join(document.lines[first:end]))


def _oldest_first(memory: File) -> list[Entry]:
    """Finished items, those of the current state before all others, by the last day they name."""

    def rank(entry: Entry) -> tuple[bool, bool, date, int]:
        days = days_in("".join(memory.document.lines[entry.block.first : entry.block.tail]))
        elsewhere = not any(map(is_current_state, entry.headings))
        return elsewhere, not days, max(days, default=date.min), entry.block.first

    return sorted(_finished(memory), key=rank)


def _finished(memory: File) -> Iterator[Entry]:
    """The outermost finished items; one with an open box below it is not finished."""
    taken: list[tuple[int, int]] = []
    shielded = {entry.block.first for entry in memory.entries if entry.protected}
    for entry in memory.entries:
        block = entry.block
        if entry.protected or entry.origin is not Origin.OWNER or block.shape not in _SHAPES:
            continue
        if any(first <= block.first < end for first, end in taken) or not is_done(entry.text, checked=block.checked):
            continue
        inside = range(block.first, block.tail)
        if shielded.intersection(inside) or not _all_closed(memory.document.blocks, inside):
            continue
        if not holds_secret("".join(memory.document.lines[block.first : block.tail])):
            taken.append((block.first, block.tail))
            yield entry


def _all_closed(blocks: Iterable[Block], inside: range) -> bool:
    return all(block.checked is not False for block in blocks if block.first in inside)
