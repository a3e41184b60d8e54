"""knowledge/project-tracker.md: how far each project has come. What a line says replaces what it said; nothing is lost.

In the index shape the states leave MEMORY.md for this page, so it is never made anew from memory alone: chapters and lines
that memory does not mention any more stay as they were.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from reverie.layout import TRACKER
from reverie.model import Edit, Snapshot
from reverie.plan.quoting import block_edits, chapters_in, line_of
from reverie.quoted import Chapter, Page, Quote

TITLE = "Project tracker"
_KEY = re.compile(r"- [*_]*(?P<key>[^:：*_]{1,30}?)[*_]*\s*[:：]")


def tracker_edits(snapshot: Snapshot, states: Sequence[Quote], tag: str, why: str) -> list[Edit]:
    """The edit that brings these states into the tracker; none when it says them already."""
    if not states:
        return []
    before = snapshot.text_of(TRACKER)
    chapters = {name: list(lines) for name, lines in chapters_in(before)}
    for quote in states:
        line = line_of(Quote(quote.text, quote.source), TRACKER, snapshot.workspace)
        kept = chapters.setdefault(quote.subject, [])
        old = next((i for i, one in enumerate(kept) if _key(one) == _key(line)), None)
        if old is None:
            kept.append(line)
        else:
            kept[old] = line
    body = [line for name, lines in chapters.items() for line in (f"## {name}", "", *lines, "")]
    page = Page(TRACKER, TITLE, (Chapter("", tuple(states)),))
    return list(block_edits(before, page, body, tag, why))


def _key(line: str) -> str:
    """What a line says something about; the one line without a key tells the project as a whole."""
    found = _KEY.match(line)
    return found["key"].strip().casefold() if found else ""
