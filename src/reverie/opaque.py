"""Regions of a note whose lines are not the owner's statements: front matter, fences, comments, conflicts.

Everything here errs on the side of leaving text alone, but never swallows the rest of a file because one
marker is missing: an unclosed fence ends at the owner's next section, an unclosed comment at the next blank
line. Only an unclosed conflict is believed to the end, since there both halves may be the owner's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from reverie.lines import BOM
from reverie.managed import managed_lines


class Opaque(StrEnum):
    FRONT = "front-matter"
    MANAGED = "managed"
    FENCE = "fence"
    COMMENT = "comment"
    CONFLICT = "conflict"
    RECALLED = "recalled"


_FENCE = re.compile(r"\s*(?:[-*+]\s+|\d{1,9}[.)]\s+|>\s?)*(?P<mark>`{3,}|~{3,})(?P<info>.*)$")
_FRONT_KEY = re.compile(r"[\w\"'-]+\s*:")
_SECTION = re.compile(r"#{2,6}\s+\S")
_CONFLICT_START, _CONFLICT_END = re.compile(r"<{7}(?:\s|$)"), re.compile(r">{7}(?:\s|$)")
_FAR = 400  # a comment or tag that is not closed within so many lines was never closed
# What a host injects stands in an element whose name has several words (`<relevant-memories>`, `<tool_result id="7">`), which no
# element of HTML has, or between markers in capitals (`BEGIN_QUOTED_NOTES`, `<<<EXTERNAL_CONTENT>>>`).
_ELEMENT = re.compile(
    r"\s*(?:[-*+>]\s+)?(?:\w[\w ]{0,30}:\s*)?<([a-z][a-z0-9]*[-_][a-z0-9_-]*)(?:\s[^<>]{0,200})?>(?P<alone>\s*$)?", re.I
)
_MARKER = re.compile(
    r"\s*(?:<<<(?!END_)(?:BEGIN_)?|BEGIN_)([A-Z][A-Z0-9]*_[A-Z0-9_]*)\b[^>]{0,80}(?P<alone>(?:>>>)?\s*$)"
)


def opaque_lines(lines: Sequence[str]) -> tuple[dict[int, Opaque], frozenset[str]]:
    """What each opaque line is, and what about the file gives reason to doubt."""
    regions: dict[int, Opaque] = dict.fromkeys(managed_lines(lines), Opaque.MANAGED)
    doubts: set[str] = set()
    i = _front_matter(lines, regions)
    while i < len(lines):
        i = _region_at(lines, i, regions, doubts) if i not in regions else i + 1
    return regions, frozenset(doubts)


def _front_matter(lines: Sequence[str], regions: dict[int, Opaque]) -> int:
    # A rule, some text and another rule is not front matter: that begins with a key.
    if len(lines) < 2 or lines[0].removeprefix(BOM).rstrip() != "---" or not _FRONT_KEY.match(lines[1]):
        return 0
    for end in range(1, len(lines)):
        if lines[end].rstrip() in ("---", "..."):
            regions.update(dict.fromkeys(range(end + 1), Opaque.FRONT))
            return end + 1
    return 0


def _region_at(lines: Sequence[str], i: int, regions: dict[int, Opaque], doubts: set[str]) -> int:
    """Mark the region that begins at line i, if one does; return the line to go on with."""
    line = lines[i]
    if fence := _FENCE.match(line):
        if not (fence["mark"][0] == "`" and "`" in fence["info"]):
            return _mark(regions, i, _fence_end(lines, i, fence["mark"], doubts), Opaque.FENCE)
    elif line.lstrip().startswith("<!--"):
        return _mark(regions, i, _comment_end(lines, i, doubts), Opaque.COMMENT)
    elif _CONFLICT_START.match(line):
        doubts.add("conflict markers")
        end = next((j for j in range(i + 1, len(lines)) if _CONFLICT_END.match(lines[j])), len(lines) - 1)
        return _mark(regions, i, end + 1, Opaque.CONFLICT)
    elif _CONFLICT_END.match(line):
        doubts.add("conflict markers")
        return _mark(regions, i, i + 1, Opaque.CONFLICT)
    elif tag := _ELEMENT.match(line):
        return _injected(lines, i, tag, f"</{tag[1]}", regions)
    elif marker := _MARKER.match(line):
        return _injected(lines, i, marker, f"END_{marker[1]}", regions)
    return i + 1


def _injected(lines: Sequence[str], i: int, opened: re.Match[str], close: str, regions: dict[int, Opaque]) -> int:
    """Mark what a host injected. Unclosed it ends at a blank line, and words behind an unclosed tag are a person's `<my-host>`."""
    end = next((j + 1 for j in range(i, min(i + _FAR, len(lines))) if close in lines[j]), None)
    if end is None and opened["alone"] is None:
        return i + 1
    return _mark(regions, i, end or _blank_after(lines, i), Opaque.RECALLED)


def _mark(regions: dict[int, Opaque], first: int, end: int, what: Opaque) -> int:
    for i in range(first, end):
        regions.setdefault(i, what)  # what a dream wrote stays a dream's, whatever fence it holds
    return end


def _fence_end(lines: Sequence[str], start: int, mark: str, doubts: set[str]) -> int:
    """One past the closing fence; for an unclosed one, the owner's next section or the end."""
    resume: int | None = None
    for j in range(start + 1, len(lines)):
        inner = _FENCE.match(lines[j])
        if inner and inner["mark"][0] == mark[0] and len(inner["mark"]) >= len(mark):
            if not inner["info"].strip():
                return j + 1
            if resume is not None:  # another fence opens after a section began: ours was never closed
                break
        elif resume is None and _SECTION.match(lines[j]) and not lines[j - 1].strip():
            resume = j
    doubts.add("an unclosed code fence")
    return len(lines) if resume is None else resume


def _comment_end(lines: Sequence[str], start: int, doubts: set[str]) -> int:
    for j in range(start, min(start + _FAR, len(lines))):
        if "-->" in lines[j]:
            return j + 1
    doubts.add("an unclosed comment")
    return _blank_after(lines, start)


def _blank_after(lines: Sequence[str], start: int) -> int:
    return next((j for j in range(start + 1, len(lines)) if not lines[j].strip()), len(lines))
