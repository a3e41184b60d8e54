"""Which lines of a note were written by a dream: OpenClaw's managed blocks, and ours.

A block is `## Light Sleep`, a start marker, candidates, an end marker. In real workspaces the markers are
unbalanced in two files of five, because a candidate quotes a marker, an edit cut one off, or two sweeps wrote
one after the other. So a pair is believed only if nothing of the owner's can stand inside it, and an unclosed
block ends where its own grammar ends: the fact that somebody wrote below it is theirs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from reverie.text.lines import bare, split_lines

# Only a marker that is alone on its line counts; one inside a candidate's text is a quotation.
# `reverie:start` and `reverie:end` hold a projection of some memory, which is nobody's evidence.
_MARKER = re.compile(
    r"\s*<!--\s*(?:openclaw:dreaming:(?=\w+:)|reverie:)(?:(light|rem|deep|diary|knowledge):)?(start|end)\s*-->\s*$"
)
_TITLE = re.compile(r"#{1,4}\s+(?:(?:Light|REM|Deep) Sleep|Dream Diary)\s*$", re.I)
_HEADING = re.compile(r"(#{1,6})\s")
_INNER_HEADING = re.compile(
    r"#{2,4}\s+(?:Reflections|Possible Lasting (?:Truths|Updates)|Candidates|What Happened)\s*$", re.I
)
_FIELD = re.compile(r"\s+[-*]\s+(?:confidence|evidence|recalls|signals|status|note)\s*:", re.I)
_LEAD = re.compile(r"\s*[-*]\s+(?:Candidate|Theme|Reflection)\s*:", re.I)
_SAID = re.compile(
    r"\s*[-*]\s+(?:No notable updates\.|No strong (?:patterns|candidate truths) surfaced\."
    r"|Ranked \d+ candidate|Promoted \d+ candidate|Repaired recall artifacts|.*\[confidence=[\d.]+ evidence=)",
    re.I,
)
_WHOLE = "projection"
_PROMOTION = re.compile(r"\s*<!--\s*openclaw-memory-(?:promotion|lineage):")


def managed_lines(lines: Sequence[str]) -> frozenset[int]:
    """The indexes of all lines that a dream wrote (text without endings goes in)."""
    found: set[int] = set()
    markers = [(i, match[1] or _WHOLE, match[2]) for i, line in enumerate(lines) if (match := _MARKER.match(line))]
    for nth, (start, phase, edge) in enumerate(markers):
        found.add(start)
        if edge == "start":
            following = markers[nth + 1] if nth + 1 < len(markers) else (len(lines), "", "")
            found.update(range(_title_above(lines, start), _end_of_block(lines, start, phase, following)))
    found.update(_loose_candidates(lines, found))
    return frozenset(found)


def without_managed(text: str) -> str:
    """What people wrote: the text without the lines of a dream."""
    if "openclaw:dreaming:" not in text and "reverie:" not in text:
        return text
    lines = split_lines(text)
    ours = managed_lines([bare(line) for line in lines])
    return "".join(line for i, line in enumerate(lines) if i not in ours)


def unbalanced(lines: Sequence[str]) -> bool:
    """Whether the markers fail to pair up in order."""
    open_phase = ""
    for match in filter(None, map(_MARKER.match, lines)):
        if (match[2] == "start") == bool(open_phase) or (match[2] == "end" and (match[1] or _WHOLE) != open_phase):
            return True
        open_phase = (match[1] or _WHOLE) if match[2] == "start" else ""
    return bool(open_phase)


def is_promotion_mark(line: str) -> bool:
    """OpenClaw's own comment above a line that it promoted into MEMORY.md."""
    return bool(_PROMOTION.match(line))


def _title_above(lines: Sequence[str], start: int) -> int:
    """The block's own heading belongs to it, across blank lines."""
    above = start - 1
    while above >= 0 and not lines[above].strip():
        above -= 1
    return above if above >= 0 and _TITLE.match(lines[above]) else start


def _end_of_block(lines: Sequence[str], start: int, phase: str, following: tuple[int, str, str]) -> int:
    """One past the last line of the block that starts here, given the marker that follows it."""
    later, its_phase, edge = following
    if edge == "end" and its_phase == phase:
        between = lines[start + 1 : later]
        if phase in ("diary", "knowledge", _WHOLE) or not any(_foreign_heading(line) for line in between):
            return later + 1
    if phase in (
        "diary",
        _WHOLE,
    ):  # prose has no grammar; a diary's start without its end covers all up to the next marker
        return later
    last = start
    for i in range(start + 1, later):
        if _in_grammar(lines[i]):
            last = i
        elif lines[i].strip():
            break
    return last + 1


def _foreign_heading(line: str) -> bool:
    heading = _HEADING.match(line)
    return bool(heading) and not _INNER_HEADING.match(line) and not _TITLE.match(line)


def _in_grammar(line: str) -> bool:
    return any(rule.match(line) for rule in (_LEAD, _FIELD, _SAID, _INNER_HEADING, _TITLE))


def _loose_candidates(lines: Sequence[str], known: set[int]) -> set[int]:
    """Candidates that lost both markers: a lead line counts when a field line follows it directly."""
    loose: set[int] = set()
    for i in range(len(lines) - 1):
        if i not in known and _LEAD.match(lines[i]) and _FIELD.match(lines[i + 1]):
            loose.add(i)
            below = i + 1
            while below < len(lines) and _FIELD.match(lines[below]):
                loose.add(below)
                below += 1
    return loose
