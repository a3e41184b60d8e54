"""Fits MEMORY.md into its budget: the oldest finished items leave first, for the ledger.

The host counts characters (UTF-16 units) and cuts in silence. What an owner pinned or marked is never a
candidate, however old; what is not certainly finished is not one either. If that is not enough, the promise
“within its limits” fails the run loudly.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from datetime import date

from reverie.lines import count_units
from reverie.markdown import Shape
from reverie.marks import days_in, is_current_state, is_done, is_footer, is_history
from reverie.model import Does, Entry, File, Finding, Origin, Snapshot, Source, leaving_lines
from reverie.privacy.redact import holds_secret
from reverie.reserve import measured
from reverie.sections import AREAS

TAG = "completed"
ENTERING = 40  # characters at most that a new line needs besides its words: bullet, mark, ending
PASSES = 0.4  # what is worth less may leave when something that matters needs its room
NEWS_PASSES = 0.51  # of a line that begins with its day: it tells what happened then, and the ledger tells it as well
ROOM = 0.97  # of the hard limit: new lines fill it no further
KEPT = 0.8  # what is worth this much does not leave for want of room
_SHAPES = frozenset({Shape.BULLET, Shape.NUMBERED, Shape.PARAGRAPH})


Worth = Callable[[Sequence[Entry]], Sequence[float]]
Kept = Callable[[Entry], bool]  # what a rule of the owner's wants to stay


def fit_memory(
    snapshot: Snapshot, so_far: tuple[Finding, ...], worth: Worth | None = None, kept: Kept = lambda _: False
) -> tuple[Finding, ...]:
    """Findings that bring MEMORY.md to its target, given what already leaves and what comes; none while it fits.

    Finished items leave until the target is reached. If the file is then still above the limit at which a run fails, what
    is worth least leaves too, down to that limit and no further; without `worth` nobody can say what that is.
    """
    memory = snapshot.files.get(snapshot.memory_path)
    if memory is None:
        return ()
    limits = snapshot.workspace.settings.memory
    gone = set(leaving_lines(so_far))
    units, lines = measured(memory.document)
    units, lines = units - sum(count_units(memory.document.lines[i]) for i in gone), lines - len(gone)
    for finding in so_far:
        if finding.does in (Does.ADD, Does.REPLACE):
            units, lines = units + count_units(finding.text) + limits.entering[0], lines + limits.entering[1]
    areas = {finding.section for finding in so_far if finding.does is Does.ADD}
    units, lines = units + sum(_frame(area)[0] for area in areas), lines + sum(_frame(area)[1] for area in areas)
    found: list[Finding] = []
    for entry in (one for one in _oldest_first(memory) if not kept(one)):
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
    if worth is not None and (units > limits.hard_limit or lines > limits.max_lines):
        found += _least_worth(memory, gone, units - limits.hard_limit, lines - limits.max_lines, worth)
    return tuple(found)


def _frame(section: str) -> tuple[int, int]:
    """Characters and lines, at most, that a section needs for the first new line: blank lines, and perhaps its heading."""
    return (40, 4) if section in AREAS else (4, 2)


def with_room(
    snapshot: Snapshot, findings: Sequence[Finding], worth: Worth | None = None, kept: Kept = lambda _: False
) -> tuple[tuple[Finding, ...], int]:
    """The findings without the additions that find no room, and how many those are. What is worth most enters first.

    Room is what is left below the limit once everything finished has gone, and what the judge is sure will not matter: no
    other line of the owner's leaves for a new one.
    """
    memory = snapshot.files.get(snapshot.memory_path)
    limits = snapshot.workspace.settings.memory
    units = lines = 0
    if memory is not None:
        gone = set(leaving_lines(findings))
        for entry in (one for one in _finished(memory) if not kept(one)):
            gone.update(range(entry.block.first, entry.block.tail))
        additions = any(f.does is Does.ADD for f in findings)
        if worth is not None and additions and measured(memory.document)[0] > limits.target_size:
            items = _may_leave(memory, gone)
            for value, entry in zip(worth(items), items, strict=True):
                if value < (NEWS_PASSES if is_history(entry.text) else PASSES):
                    gone.update(range(entry.block.first, entry.block.tail))
        units, lines = measured(memory.document)
        units, lines = units - sum(count_units(memory.document.lines[i]) for i in gone), lines - len(gone)
    frame, each = limits.entering
    units += sum(count_units(f.text) + frame for f in findings if f.does is Does.REPLACE)
    lines += sum(each for f in findings if f.does is Does.REPLACE)
    entering, sections = set(), set()
    coming = [f for f in findings if f.does is Does.ADD]
    for finding in sorted(coming, key=lambda f: -f.worth):
        room = (0, 0) if finding.section in sections else _frame(finding.section)
        more, line = count_units(finding.text) + frame + room[0], each + room[1]
        if units + more <= ROOM * limits.hard_limit and lines + line <= limits.max_lines:
            units, lines = units + more, lines + line
            sections.add(finding.section)
            entering.add(id(finding))
    left = tuple(f for f in findings if f.does is not Does.ADD or id(f) in entering)
    return left, len(coming) - len(entering)


def _may_leave(memory: File, gone: set[int]) -> list[Entry]:
    """Items of the owner's that nothing protects and nothing hangs on."""
    return [
        entry
        for entry in memory.entries
        if entry.origin is Origin.OWNER
        and not entry.protected
        and entry.block.shape in _SHAPES
        and entry.block.tail == entry.block.end
        and not gone.intersection(range(entry.block.first, entry.block.tail))
        and not entry.text.rstrip("*_ ").endswith((":", "："))
        and not is_footer(entry.text)
        and not _is_property(entry)
    ]


def _is_property(entry: Entry) -> bool:
    """`Status: active`: it says something of what it stands under, and nothing by itself."""
    key, colon, value = entry.text.replace("：", ":").partition(":")
    return bool(colon) and 0 < len(key.split()) <= 2 and 0 < len(value.split()) <= 3 and bool(entry.headings)


def _least_worth(memory: File, gone: set[int], units: int, lines: int, worth: Worth) -> Iterator[Finding]:
    """Items that are worth least, until so many characters and lines are gone. Never by age alone."""
    items = _may_leave(memory, gone)
    ranked = sorted(zip(worth(items), range(len(items)), items, strict=True), key=lambda item: item[:2])
    for value, _, entry in ranked:
        if units <= 0 and lines <= 0:
            return
        inside = memory.document.lines[entry.block.first : entry.block.tail]
        if value >= KEPT or holds_secret("".join(inside)):
            continue
        why = f"MEMORY.md is over its limit, and of what may leave this is worth least ({value:.2f})"
        source = Source(memory.path, entry.block.first + 1, entry.block.tail)
        yield Finding(Does.ARCHIVE, "over budget", entry.text, why, (source,), entry)
        units, lines = units - sum(map(count_units, inside)), lines - len(inside)


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
