"""The sections of MEMORY.md: seed 000's four, the lessons, and what owners call them in their own languages.

The owner's sections come first. One of ours is made only when nothing of the owner's fits, under the name that people who write
this language would give it (the table `sections` of its file). The size of MEMORY.md is measured here too: our own `## Dream`
lines count as full, whatever they are now. A dream rewrites those few lines itself. Were they counted as they stand, the second
dream could find the file larger than the first one left it, and archive more: promise 9 would break.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from reverie.lang import ENGLISH, LANGUAGES, words, words_in
from reverie.text.lines import bare, count_units, plain_heading
from reverie.text.markdown import Block, Document, Shape

CURRENT, STABLE, PEOPLE, LESSONS = "current", "stable", "people", "lessons"
AREAS = (CURRENT, STABLE, PEOPLE, LESSONS)
DREAM_HEADING = "dream"


@cache
def section_names() -> Mapping[str, tuple[str, ...]]:
    """What our areas are called, in their order, language by language."""
    return {
        language: words_in("sections.names", language) for language in LANGUAGES if words_in("sections.names", language)
    }


@cache
def _hints(area: str) -> tuple[str, ...]:
    """Words in a heading that say what it collects; general ones only."""
    return words(f"sections.{area}") + (words("notes.current_state") if area == CURRENT else ())


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of MEMORY.md and the lines that stand directly under it (from zero, end excluded)."""

    heading: str
    first: int
    end: int
    index: int  # of its heading among the blocks


def sections_of(document: Document) -> tuple[Section, ...]:
    """Every section an entry may be put into, in order; the `## Dream` section is ours and not one of them."""
    found = []
    headings = [(i, block) for i, block in enumerate(document.blocks) if block.shape is Shape.HEADING]
    for number, (i, block) in enumerate(headings):
        end = headings[number + 1][1].first if number + 1 < len(headings) else len(document.lines)
        if plain_heading(block.text) != DREAM_HEADING:
            found.append(Section(block.text, block.end, end, i))
    return tuple(found)


def is_title(document: Document, section: Section) -> bool:
    """Whether this is the name of the whole file, with at most a word about it below: no place for a line among others."""
    heads = not any(block.shape is Shape.HEADING for block in document.blocks[: section.index])
    listed = (block.shape in (Shape.BULLET, Shape.NUMBERED, Shape.ROW) for block in statements_under(document, section))
    return heads and document.blocks[section.index].level == 1 and not any(listed)


@lru_cache(maxsize=2_000)  # every line of memory is asked under which heading it stands
def area_of(heading: str) -> str:
    """Which of our areas the owner's heading stands for; empty if it names a subject of its own."""
    plain = plain_heading(heading)
    for area in (LESSONS, PEOPLE, CURRENT, STABLE):
        names = (listed[AREAS.index(area)].casefold() for listed in section_names().values())
        if any(_holds(plain, hint) for hint in _hints(area)) or plain in names:
            return area
    return ""


def name_of(area: str, language: str) -> str:
    """What our section is called for people who write this language."""
    return section_names().get(language, section_names()[ENGLISH])[AREAS.index(area)]


def _holds(plain: str, hint: str) -> bool:
    if not hint.isascii() and any("\u3040" <= char <= "\uffff" for char in hint):
        return hint in plain  # written without spaces
    return hint in plain.split() or plain.startswith(f"{hint} ") or plain == hint or (" " in hint and hint in plain)


def statements_under(document: Document, section: Section) -> list[Block]:
    """The items, rows and paragraphs that stand directly in a section."""
    shapes = (Shape.BULLET, Shape.NUMBERED, Shape.PARAGRAPH, Shape.ROW)
    return [block for block in document.blocks if block.shape in shapes and section.first <= block.first < section.end]


DREAM_LINES = 5  # seed 000: the last five ledger entries
DREAM_LINE_UNITS = 140
OURS = re.compile(r"<!-- dream:([0-9a-f]{8}) -->\s*$")


def dream_section(document: Document) -> tuple[int, int] | None:
    """The lines of the `## Dream` section below its heading, if the owner has one."""
    for i, block in enumerate(document.blocks):
        if block.shape is Shape.HEADING and block.level == 2 and plain_heading(block.text) == DREAM_HEADING:
            later = (b.first for b in document.blocks[i + 1 :] if b.shape is Shape.HEADING and b.level <= 2)
            return block.end, next(later, len(document.lines))
    return None


def is_dream_list(headings: Iterable[str]) -> bool:
    """Whether what stands under these headings is the list of what was archived last."""
    return any(plain_heading(heading) == DREAM_HEADING for heading in headings)


def own_lines(document: Document) -> tuple[int, ...]:
    """The indexes of the lines in the `## Dream` section that end with our mark."""
    section = dream_section(document)
    if section is None:
        return ()
    return tuple(i for i in range(*section) if OURS.search(bare(document.lines[i])))


def measured(document: Document) -> tuple[int, int]:
    """Characters and lines of MEMORY.md, with the Dream section at its full size."""
    units, lines = count_units("".join(document.lines)), len(document.lines)
    if dream_section(document) is None:
        return units, lines
    ours = own_lines(document)
    units -= sum(count_units(document.lines[i]) for i in ours)
    return units + DREAM_LINES * DREAM_LINE_UNITS, lines - len(ours) + DREAM_LINES
