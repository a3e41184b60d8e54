"""BRIEF → text for a language model or an agent: dense, with an id before each line; in windows where it is too large. Pure.

No path and no secret is in it. What a line needs to be understood (day, heading, the line above it) stands there once. What
machines repeat is counted. Days are shown as they were written: whoever judges counts from the day of the note.

A window holds some days and the lines of memory that they could concern. Ids stay those of the whole brief, so what the windows
answer can be put together. Every line of memory stands in a window at least once: what no note concerns may still be over, or
worth least. Where two windows want something of the same line, or add nearly the same, `contested` gives the small brief over
which somebody decides once more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from itertools import groupby
from typing import Any

import numpy as np

from reverie.judge.asker import estimate_tokens
from reverie.judge.brief import Brief, MemoryLine, NoteLine, ReturnedLine, Room
from reverie.judge.operation import Op, Operation, words_after
from reverie.privacy.redact import holds_mask, holds_secret
from reverie.text.sections import AREAS
from reverie.text.terms import plain, terms
from reverie.workspace.openclaw_format import words_of

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
    shown, more = _without_repetition([line for line in brief.notes if _may_be_shown(line.text)])
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
    mark = " quoted" if line.quoted else " ticked" if line.ticked else " agent" if line.by else ""
    text = _shown(line.text, LONGEST_QUOTED if line.quoted else LONGEST)
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
    frames = [_frame_of(line.text) for line in lines]
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


DEFAULT_TOKENS = 24_000
NEAREST = 6  # lines of memory that one note brings along
NEAR = 0.35  # cosine from which a line of memory could be about the same
RARE = 3  # a term that so many lines of memory hold at most tells what a line is about
SAME = 0.75  # share of terms, or
SAME_MEANING = 0.88  # cosine, from which two new lines could say the same


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a brief, and by how many characters it is asked to make MEMORY.md shorter."""

    brief: Brief
    shrink: int
    number: int = 1
    of: int = 1

    @property
    def text(self) -> str:
        return as_text(self.brief, self.shrink)


def windows(brief: Brief, most_tokens: int = DEFAULT_TOKENS, shrink: int | None = None) -> tuple[Window, ...]:
    """The brief as it is if it fits, else in windows. `most_tokens` counts the brief's text alone.

    `shrink`: by how many characters all of them together make MEMORY.md shorter; None: as its room says.
    """
    less = excess(brief.room) if shrink is None else shrink
    if estimate_tokens(as_text(brief, less)) <= most_tokens:
        return (Window(brief, less),)
    fixed = {line.id for line in brief.memory if line.fixed}
    room = max(1, most_tokens - _cost(line.text for line in brief.memory if line.fixed))
    near = _concerned(brief)
    lines: list[MemoryLine | NoteLine] = [*brief.memory, *brief.notes]
    costs = {line.id: _cost([_said(line)]) for line in lines}

    def with_memory(notes: list[str]) -> set[str]:
        return {*notes, *(name for note in notes for name in near[note])}

    ordered = sorted(brief.notes, key=lambda line: (line.claim.day, line.claim.path, line.claim.first))
    days = [[line.id for line in day] for _, day in groupby(ordered, key=lambda line: line.claim.day)]
    cuts = _packed(days, lambda notes: sum(costs[name] for name in with_memory(notes)), room)
    parts = [narrowed(brief, fixed | with_memory(notes)) for notes in cuts]
    seen = {line.id for part in parts for line in part.memory}
    rest = [[line.id] for line in brief.memory if line.id not in seen]
    parts += [
        narrowed(brief, fixed | set(ids)) for ids in _packed(rest, lambda ids: sum(costs[name] for name in ids), room)
    ]
    return tuple(_shared_out(brief, parts, less))


def halves(window: Window) -> tuple[Window, ...]:
    """A window in two, for a model that could not finish its answer; itself where nothing can be parted."""
    half = estimate_tokens(window.text) * 3 // 5
    parts = windows(window.brief, half, window.shrink)
    if len(parts) < 2 or all(len(part.brief.notes) == len(window.brief.notes) for part in parts):
        return (window,)
    return parts


def narrowed(brief: Brief, ids: Collection[str]) -> Brief:
    """The brief with these lines alone. What came back stays with the note that says it again."""
    return replace(
        brief,
        memory=tuple(line for line in brief.memory if line.id in ids),
        notes=tuple(line for line in brief.notes if line.id in ids),
        returned=tuple(line for line in brief.returned if line.id in ids or line.note in ids),
        machine=0,
    )


def around(brief: Brief, ids: Collection[str], texts: Sequence[str] = ()) -> Brief:
    """The lines with these ids, their neighbours under the same heading of the same day, and what these texts could mean."""
    notes = [line for line in brief.notes if line.id in ids]
    places = {(line.claim.day, line.claim.heading) for line in notes}
    found = {line.id for line in brief.notes if (line.claim.day, line.claim.heading) in places} | set(ids)
    lines: list[MemoryLine | NoteLine] = [*brief.memory, *brief.notes]
    for nearest in _nearest(texts, [_said(line) for line in lines], brief.embedder):
        found |= {lines[at].id for at in nearest}
    return narrowed(brief, found)


def contested(brief: Brief, answers: Sequence[Sequence[Operation]]) -> tuple[Brief | None, tuple[Operation, ...]]:
    """What the windows disagree about: the lines to decide on once more, and the operations that this decision replaces.

    Two windows want something of one line of memory, or add what could be the same. Nothing for one window.
    """
    placed = [(nth, one) for nth, answer in enumerate(answers) for one in answer if one.op is not Op.ASK]
    torn: dict[str, Operation] = {}
    for at, (window, one) in enumerate(placed):
        for other_window, other in placed[at + 1 :]:
            if window != other_window and _collide(one, other):
                torn |= {one.id: one, other.id: other}
    adds = [(nth, one) for nth, one in placed if one.op is Op.ADD]
    for (window, one), (other_window, other) in _alike(adds, brief.embedder):
        if window != other_window:
            torn |= {one.id: one, other.id: other}
    if not torn:
        return None, ()
    keys = {claim.key for one in torn.values() for claim in one.cites}
    places = {(entry.path, entry.block.first) for one in torn.values() for entry in one.memory}
    ids = {line.id for line in brief.notes if line.claim.key in keys}
    ids |= {line.id for line in brief.memory if (line.entry.path, line.entry.block.first) in places}
    return around(brief, ids), tuple(torn.values())


def settled(operations: Sequence[Operation]) -> tuple[Operation, ...]:
    """What is left of contested operations when nobody decides: of those that exclude each other, the one with the latest note."""
    kept: list[Operation] = []
    for one in sorted(operations, key=lambda one: one.day, reverse=True):
        clash = any(_collide(one, other) for other in kept)
        again = one.op is Op.ADD and any(other.op is Op.ADD and same_words(one.text, other.text) for other in kept)
        if not clash and not again:
            kept.append(one)
    return tuple(kept)


# --- cutting -----------------------------------------------------------------------------------------------------------


def _packed(groups: Iterable[list[str]], weigh: Callable[[list[str]], int], room: int) -> Iterator[list[str]]:
    """Ids in parts that fit: whole groups together as long as they can, one that is too large alone in pieces."""
    part: list[str] = []
    for group in groups:
        if part and weigh(part + group) > room:
            yield part
            part = []
        for piece in [group] if weigh(group) <= room else [[name] for name in group]:
            if part and weigh(part + piece) > room:
                yield part
                part = []
            part = part + piece
    if part:
        yield part


def _shared_out(brief: Brief, parts: Sequence[Brief], less: int) -> Iterator[Window]:
    """Each window makes MEMORY.md shorter by its share: that of the lines which it is the first to show."""
    whole = sum(len(line.text) for line in brief.memory) or 1
    seen: set[str] = set()
    for number, part in enumerate(parts, 1):
        first = [line for line in part.memory if line.id not in seen]
        seen |= {line.id for line in first}
        share = less * sum(len(line.text) for line in first) // whole
        yield Window(part, share, number, len(parts))


def _cost(texts: Iterable[str]) -> int:
    return sum(estimate_tokens(text) + 4 for text in texts)  # its id, and its part of a heading


# --- what is about the same --------------------------------------------------------------------------------------------


def _concerned(brief: Brief) -> dict[str, list[str]]:
    """For each note the lines of memory that it could change."""
    olds = [_said(line) for line in brief.memory]
    found = _nearest([_said(line) for line in brief.notes], olds, brief.embedder)
    return {line.id: [brief.memory[at].id for at in nearest] for line, nearest in zip(brief.notes, found, strict=True)}


def _nearest(news: Sequence[str], olds: Sequence[str], embedder: Any) -> list[list[int]]:
    """For each text the places of the few that are nearest: by their meaning, or by a term that only few of them hold."""
    if not news or not olds:
        return [[] for _ in news]
    held: dict[str, set[int]] = {}
    for at, old in enumerate(olds):
        for term in _terms(old):
            held.setdefault(term, set()).add(at)
    close = _cosines(news, olds, embedder)
    found = []
    for row, new in enumerate(news):
        points = np.where(close[row] >= NEAR, close[row], 0.0)
        for term in _terms(new):
            for at in held.get(term, ()) if len(held.get(term, ())) <= RARE else ():
                points[at] += 0.5
        best = np.argsort(-points, kind="stable")[:NEAREST]
        found.append([int(at) for at in best if points[at] > 0])
    return found


def _cosines(news: Sequence[str], olds: Sequence[str], embedder: Any) -> Any:
    if embedder is None:
        return np.zeros((len(news), len(olds)), dtype=np.float32)
    return np.asarray(embedder.embed(list(news))) @ np.asarray(embedder.embed(list(olds))).T


def _alike(
    adds: Sequence[tuple[int, Operation]], embedder: Any
) -> Iterator[tuple[tuple[int, Operation], tuple[int, Operation]]]:
    """Pairs of new lines that could say the same."""
    texts = [one.text for _, one in adds]
    close = _cosines(texts, texts, embedder) if texts else None
    for at, first in enumerate(adds):
        for other in range(at + 1, len(adds)):
            if same_words(texts[at], texts[other]) or (close is not None and close[at, other] >= SAME_MEANING):
                yield first, adds[other]


def same_words(one: str, other: str) -> bool:
    """Whether two lines could say the same, by the words they share."""
    mine, theirs = _terms(one), _terms(other)
    return plain(one) == plain(other) or len(mine & theirs) >= SAME * max(1, min(len(mine), len(theirs)))


def _collide(one: Operation, other: Operation) -> bool:
    """Whether both cannot be done: they are about one line, and at least one is about the whole of it or both about one value."""
    mine, theirs = ({(entry.path, entry.block.first) for entry in each.memory} for each in (one, other))
    if not mine & theirs or (one.op is other.op is Op.END):
        return False
    swaps = one.op is other.op is Op.UPDATE and bool(one.old) and bool(other.old)
    return not swaps or one.old in other.old or other.old in one.old or words_after(one) == words_after(other)


@lru_cache(maxsize=20_000)
def _terms(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def _said(line: MemoryLine | NoteLine) -> str:
    """The words of a line with what it stands under: a bullet alone often lacks its subject."""
    if isinstance(line, MemoryLine):
        return " ".join((*line.entry.parents[-1:], line.text))
    return " ".join(filter(None, (line.claim.lead.rpartition(" > ")[2], line.text)))
