"""The size of MEMORY.md as the budget sees it: our own `## Dream` lines count as full, whatever they are now.

A dream rewrites those few lines itself. Were they counted as they stand, the second dream could find the file
larger than the first one left it, and archive more: promise 9 would break.
"""

from __future__ import annotations

import re

from reverie.headings import plain_heading
from reverie.lines import bare, count_units
from reverie.markdown import Document, Shape
from reverie.words import DREAM_HEADING

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
