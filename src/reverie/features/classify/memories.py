"""What owners call things: headings and keys of lines that say what a memory is. The words stand in `lang/`, table `sorting`.

A heading counts when one of the words is a word of it; in scripts without spaces they are looked for anywhere.

What of MEMORY.md is one memory: an item with everything that hangs on it, a paragraph of a section, a whole table.

Pure: blocks in, units out. The frame of the file (its title and the words under it, a last-updated line, the `## Dream`
section, links of an index) is no memory.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property

from reverie.judge.compose import plain_line
from reverie.lang import words
from reverie.lang.lexicon import either
from reverie.lang.notes_words import DREAM_HEADING
from reverie.text.lines import bare, plain_heading
from reverie.text.markdown import Block, Shape
from reverie.text.marks import is_footer
from reverie.text.sections import OURS
from reverie.text.terms import terms
from reverie.workspace.values import File, Origin, Source, Statement

USER, FEEDBACK, PROJECT, REFERENCE = "user", "feedback", "project", "reference"
KINDS = (USER, FEEDBACK, PROJECT, REFERENCE)
_ORDER = (FEEDBACK, USER, PROJECT, REFERENCE)  # "lessons of a project" are lessons
_KEY = re.compile(r"[*_\s]*(?P<key>[^:：*_\n]{1,30}?)[*_]*\s*[:：][*_]*\s*(?P<rest>.+)", re.S)
_PER_CENT = re.compile(r"\d\s?%")


def headed(heading: str) -> str:
    """The kind of memory a heading collects, by its words; empty when it names a subject of its own."""
    plain = _spaced(heading)
    return next((kind for kind in _ORDER if any(_said(word, plain) for word in words(f"sorting.{kind}"))), "")


def about_the_owner(headings: tuple[str, ...]) -> bool:
    """Whether the innermost heading is about whom the title of the file names: `# Memory of Ada`, `## About Ada`."""
    found = _about().fullmatch(headings[-1].strip()) if len(headings) > 1 else None
    whom = (found["whom"] or found["those"]).strip() if found else ""
    return bool(whom) and whom.casefold() in headings[0].casefold()


def speaks_of_answers(text: str) -> bool:
    """Whether a line is about how answers look."""
    plain = _spaced(text)
    return any(_said(word, plain) for word in words("sorting.answers"))


def key_of(text: str) -> tuple[str, str]:
    """(key, rest) of a line such as `**Status:** active` or `状态：进行中`; an empty key when it has none."""
    found = _KEY.match(text)
    return (found["key"].strip().casefold(), found["rest"].strip()) if found else ("", text)


def is_labelled(text: str, *groups: str) -> bool:
    """Whether the key of a line is a word of one of these groups: `states`, `why`, `open_thoughts`, …"""
    key = key_of(text)[0]
    return bool(key) and any(key in words(f"sorting.{group}") for group in groups)


def tells_progress(text: str) -> bool:
    """Whether a line says how far something has come."""
    return bool(_PER_CENT.search(text) or _any_of("waits").search(text))


def reason_in(text: str) -> str:
    """The reason that a sentence gives itself, from its `because` on; empty when it gives none."""
    found = _any_of("because").search(text)
    return text[found.start() :].rstrip(")） ") if found and found.start() else ""


@cache
def _any_of(group: str) -> re.Pattern[str]:
    return re.compile(either(words(f"sorting.{group}")), re.I)


@cache
def _about() -> re.Pattern[str]:
    before, behind = either(words("sorting.about")), either(words("sorting.about_behind"))
    return re.compile(rf"(?:{before})\s*(?P<whom>.+)|(?P<those>.+?)\s?(?:{behind})", re.I)


def _spaced(text: str) -> str:
    return " " + re.sub(r"[^\w']+", " ", text.casefold()).strip() + " "


def _said(word: str, plain: str) -> bool:
    if any("\u3040" <= char <= "\uffff" for char in word):
        return word in plain and (len(word) > 1 or f" {word} " in plain)
    return f" {word} " in plain


LINK = re.compile(r"\s*\[[^\]]+\]\((?P<path>memory/(?:user|feedback|project|reference)/[^)]+\.md)\)")
_ALONE = frozenset({Shape.BULLET, Shape.NUMBERED, Shape.PARAGRAPH, Shape.CODE, Shape.QUOTE})


@dataclass(frozen=True)  # no slots: what is read of it is kept
class Unit:
    """One memory as it stands: its first statement, what hangs on it, and its lines (from zero, end excluded)."""

    entry: Statement
    parts: tuple[Statement, ...]
    first: int
    end: int
    lines: tuple[str, ...]
    protected: bool = False

    @property
    def source(self) -> Source:
        return Source(self.entry.source.path, self.first + 1, self.end)

    @property
    def is_table(self) -> bool:
        return self.entry.block.shape is Shape.ROW

    @cached_property
    def text(self) -> str:
        """The first statement without our mark."""
        return OURS.sub("", self.entry.text).strip()

    @cached_property
    def plain(self) -> str:
        return plain_line(self.text)

    @cached_property
    def whole(self) -> str:
        """Everything it says, on one line."""
        return " ".join([self.plain, *(plain_line(part.text) for part in self.parts)])

    @property
    def context(self) -> str:
        return " > ".join(self.entry.headings[-2:])


def units_of(file: File) -> tuple[Unit, ...]:
    """The memories of MEMORY.md in order."""
    by_line = {entry.block.first: entry for entry in file.entries}
    return tuple(
        unit
        for index, block in enumerate(file.document.blocks)
        if (unit := _unit(file, index, block, by_line)) is not None and not _is_frame(unit)
    )


def _unit(file: File, index: int, block: Block, by_line: dict[int, Statement]) -> Unit | None:
    if block.shape is Shape.HEADER:
        rows = tuple(e for e in file.entries if e.block.parent == index and e.block.shape is Shape.ROW)
        return _made(file, rows[0], rows[1:], block.first, rows[-1].block.end) if rows else None
    entry = by_line.get(block.first)
    if entry is None or block.shape not in _ALONE or block.parent is not None:
        return None
    parts = tuple(e for e in file.entries if block.first < e.block.first < block.tail)
    return _made(file, entry, parts, block.first, block.tail)


def _made(file: File, entry: Statement, parts: tuple[Statement, ...], first: int, end: int) -> Unit:
    lines = tuple(bare(line) for line in file.document.lines[first:end])
    return Unit(entry, parts, first, end, lines, any(one.protected for one in (entry, *parts)))


def _is_frame(unit: Unit) -> bool:
    entry = unit.entry
    titled = entry.block.shape is Shape.PARAGRAPH and len(entry.headings) < 2
    ours = any(plain_heading(heading) == DREAM_HEADING for heading in entry.headings)
    hidden = entry.origin in (Origin.DREAM, Origin.RECALLED, Origin.TRANSPORT)
    return not terms(unit.text) or titled or ours or hidden or is_footer(entry.text) or bool(LINK.match(entry.text))
