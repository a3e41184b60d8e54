"""BRIEF → one text for a language model or an agent: dense, with an id before each line. Pure; no path and no secret is in it.

What a line needs to be understood (day, heading, the line above it) stands there once. What machines repeat is counted. Days
are shown as they were written: whoever judges counts from the day of the note.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from reverie.judge.brief import Brief, MemoryLine, NoteLine, ReturnedLine, Room
from reverie.privacy.redact import holds_mask, holds_secret
from reverie.text.sections import AREAS
from reverie.workspace.recalls import words_of

OPENS = "‹"  # stands for a < that could open a tag; `reverie.judge.answer` turns it back
LONGEST, LONGEST_QUOTED = 800, 200  # characters of one line; who quotes a page need not be read to its end
FEW_DAYS = 3  # so many other days are named, more are counted
ALIKE = 3  # so many lines that differ in numbers alone are shown; of more, the newest two
_FRAME_LENGTH = 90  # a longer line says something besides its numbers
_TAG = re.compile(r"<(?=[A-Za-z/|!?])")
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_NUMBERS = re.compile(r"[A-Za-z]*\d[\dA-Za-z]*")  # also 8bb2d64d
_ENVELOPE = re.compile(r"\S+#L\d+")  # a conversation as the corpus names it
_HALF = re.compile("[\ud800-\udfff]")


def as_text(brief: Brief, shrink: int | None = None) -> str:
    """The brief as a model reads it. `shrink`: by how many characters MEMORY.md must get shorter; None: as its room says."""
    parts = (
        _frame(brief, shrink),
        _memory(brief),
        _returned(brief.returned),
        _notes(brief),
        (f"- {_shown(rule)}" for rule in brief.rules if _may_be_shown(rule)),
    )
    titles = ("", "# MEMORY.md", "# Once removed, perhaps back", "# New notes", "# The owner's rules for you")
    written = [(title, list(lines)) for title, lines in zip(titles, parts, strict=True)]
    return "\n".join(line for title, lines in written if lines for line in (*([title] if title else ()), *lines)) + "\n"


def excess(room: Room) -> int:
    """By how many characters MEMORY.md should get shorter: down to its target when it is above it."""
    return max(0, room.units - room.target)


def _frame(brief: Brief, shrink: int | None) -> Iterator[str]:
    room = brief.room
    yield f"Today is {_named(brief.today)}."
    size = f"MEMORY.md has {room.units:,} of at most {room.limit:,} characters and {room.lines} of at most {room.max_lines} lines"
    less = excess(room) if shrink is None else shrink
    if less and room.units > room.limit:
        yield f"{size}. It is over its limit: make it at least {less:,} characters shorter tonight, new lines included."
    elif less:
        yield f"{size}. It should become {less:,} characters shorter, new lines included."
    else:
        yield f"{size}."
    if room.lines > room.max_lines:
        yield f"It has {room.lines - room.max_lines} lines too many."


def _memory(brief: Brief) -> Iterator[str]:
    """The lines under their headings, each heading once; what no new line may enter is marked."""
    title = _common_title(brief.memory)
    known: tuple[str, ...] = ()
    above: tuple[str, ...] = ()
    for line in brief.memory:
        entry = line.entry
        if not _may_be_shown(entry.text):
            continue  # nobody can want anything of a line that is not there
        if (headings := entry.headings[title:]) != known:
            yield from _opened(headings, _shared(known, headings), brief.sections)
            known, above = headings, ()
        if entry.parents and entry.parents != above[: len(entry.parents)] and _may_be_shown(entry.parents[-1]):
            yield f"{'  ' * (len(entry.parents) - 1)}- {_shown(entry.parents[-1])}"
        above = (*entry.parents, entry.text)
        mark = " fixed" if line.fixed else ""
        yield f"{'  ' * len(entry.parents)}[{line.id}{mark}] {_shown(words_of(entry.text))}"
    yield from _other_sections(brief)


def _opened(headings: Sequence[str], known: int, takes: Sequence[str]) -> Iterator[str]:
    """The headings below those that stand already."""
    for depth, name in enumerate(headings[known:], known):
        yield f"{'#' * (depth + 2)} {_shown(name)}{'' if name in takes else ' (closed)'}"


def _other_sections(brief: Brief) -> Iterator[str]:
    """Headings without lines, or what to use where the file has none."""
    seen = {name for line in brief.memory for name in line.entry.headings}
    if empty := [_shown(name) for name in brief.sections if name not in seen]:
        yield f"Sections without a line shown here: {'; '.join(empty)}"
    if not brief.sections:
        yield f"No section takes new lines yet: use one of {', '.join(AREAS)}."


def _common_title(lines: Sequence[MemoryLine]) -> int:
    """1 where one heading stands above every line: a title says nothing about any of them."""
    titles = {line.entry.headings[:1] for line in lines}
    nested = any(len(line.entry.headings) > 1 for line in lines)
    return 1 if len(titles) == 1 and nested else 0


def _returned(lines: Iterable[ReturnedLine]) -> Iterator[str]:
    for line in lines:
        if _may_be_shown(line.removed.text):
            left = f"left {line.removed.at[:10]}, {line.removed.category}; compare {line.note}"
            yield f"[{line.id}] {_shown(line.removed.text)} ({left})"


def _notes(brief: Brief) -> Iterator[str]:
    shown, more = _without_repetition([line for line in brief.notes if _may_be_shown(line.claim.text)])
    day, heading, above = None, "", ""
    for line in sorted(shown, key=lambda one: (one.claim.day, one.claim.path, one.claim.first)):
        claim = line.claim
        if claim.day != day:
            day, heading, above = claim.day, "", ""
            yield f"## {_named(date.fromisoformat(day)) if day else 'without a day'}"
        if (under := _heading(line)) != heading:
            heading, above = under, ""
            yield f"### {heading or '-'}"
        parent = claim.lead.rpartition(" > ")[2]
        if parent and parent != above and _may_be_shown(parent):
            yield f"- {_shown(parent)}"
            above = parent
        elif not parent:
            above = claim.text
        yield _note(line, more.get(line.id, 0), indented=bool(parent))
    if brief.machine:
        yield f"({brief.machine} lines that machines wrote are left out.)"


def _note(line: NoteLine, more: int, *, indented: bool) -> str:
    mark = " quoted" if line.quoted else " ticked" if line.ticked else ""
    text = _shown(line.claim.text, LONGEST_QUOTED if line.quoted else LONGEST)
    remarks = [*_days(line), *([f"and {more} earlier with other numbers"] if more else ())]
    remarks += [f"looked up {line.recalls} times"] if line.recalls > 1 else []
    behind = f" ({'; '.join(remarks)})" if remarks else ""
    return f"{'  ' if indented else ''}[{line.id}{mark}] {text}{behind}"


def _days(line: NoteLine) -> Iterator[str]:
    """The other days on which it was said: named while they are few."""
    others = sorted({day for day in line.days if day and day != line.claim.day})
    year = line.claim.day[:5]
    if others and len(others) <= FEW_DAYS:
        yield f"also {', '.join(day.removeprefix(year) for day in others)}"
    elif others:
        yield f"on {len(others) + 1} days since {others[0].removeprefix(year)}"


def _without_repetition(lines: Sequence[NoteLine]) -> tuple[list[NoteLine], dict[str, int]]:
    """Of short lines that differ in numbers alone the newest two, and for the first of these how many came before."""
    frames = [_frame_of(line.claim.text) for line in lines]
    counts = Counter(frames)
    seen: Counter[str] = Counter()
    shown: list[NoteLine] = []
    more: dict[str, int] = {}
    for line, frame in sorted(zip(lines, frames, strict=True), key=lambda pair: pair[0].claim.day):
        seen[frame] += 1
        hidden = counts[frame] - 2 if frame and counts[frame] > ALIKE else 0
        if seen[frame] > hidden:
            shown.append(line)
        if hidden and seen[frame] == hidden + 1:
            more[line.id] = hidden
    return shown, more


def _frame_of(text: str) -> str:
    """A short line with its numbers taken out; empty for one that has none or says more."""
    frame = _NUMBERS.sub("#", text)
    return frame if "#" in frame and len(frame) <= _FRAME_LENGTH else ""


def _heading(line: NoteLine) -> str:
    """What the line stands under, without the day, which is told already, and without the name of a conversation."""
    names = [name for name in line.claim.heading.split(" > ") if line.claim.day not in name or not line.claim.day]
    found = [_shown(name) for name in names if name and not _ENVELOPE.fullmatch(name) and _may_be_shown(name)]
    return " > ".join(found)


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """How many names both begin with."""
    alike = 0
    while alike < min(len(one), len(other)) and one[alike] == other[alike]:
        alike += 1
    return alike


def _named(day: date) -> str:
    """With its weekday, from which "on Friday" can be counted."""
    return f"{day.isoformat()} {day:%a}"


def _shown(text: str, most: int = LONGEST) -> str:
    """One line in which no tag can begin: neither that of our fence nor one that a model takes for its own."""
    line = " ".join(_COMMENT.sub(" ", text).split())
    line = line if len(line) <= most else f"{line[:most]}…"
    return _HALF.sub("\ufffd", _TAG.sub(OPENS, line))


def _may_be_shown(text: str) -> bool:
    """Neither empty nor anything with a secret or a mask in it. The brief has seen to that; here it is seen to again."""
    return bool(text.strip()) and not holds_secret(text) and not holds_mask(text)


__all__ = ["OPENS", "as_text", "excess"]
