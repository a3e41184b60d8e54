"""Lines that nobody stated: front matter, code, comments, conflicts, what a host injected, what a dream wrote.
A region that is not closed ends where its own form ends: what somebody wrote below it is theirs. In two files of five
the markers of a dream are unbalanced."""

import re
from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise, takewhile

_FAR = 400  # lines: a comment or an element that is not closed within so many never was


class Region(StrEnum):
    FRONT_MATTER = "front matter"
    CODE = "code"
    COMMENT = "comment"
    CONFLICT = "conflict"
    INJECTED = "injected"
    DREAM = "dream"


_FENCE = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)]|>)[ \t]+){0,8}(?P<mark>`{3,}|~{3,})(?P<info>.*)$")
_FRONT_KEY = re.compile(r"[\w\"'-]+[ \t]*:")
_ELEMENT = re.compile(
    r"[ \t]*(?:[-*+>][ \t]+)?(?:\w[\w ]{0,30}:[ \t]*)?<([a-z][a-z0-9]*[-_][a-z0-9_-]*|e?mail|webpage)(?:\s[^<>]{0,200})?>(?P<alone>\s*$)?",
    re.I,
)  # no element of HTML has several words in its name; those of hosts do, and HTML has no mail
_BRACKETED = re.compile(
    r"[ \t]*(?:<<<(?!END_)(?:BEGIN_)?|BEGIN_)([A-Z][A-Z0-9]*_[A-Z0-9_]*)\b[^>]{0,80}(?P<alone>(?:>>>)?\s*$)"
)
_OURS = re.compile(r"\s*<!--\s*(?:openclaw:dreaming:(?=\w+:)|reverie:)(?:(\w+):)?(start|end)\s*-->\s*$")
_TITLE = re.compile(r"#{1,4}\s+(?:(?:Light|REM|Deep) Sleep|Dream Diary)\s*$", re.I)
_INNER = re.compile(r"#{2,4}\s+(?:Reflections|Possible Lasting (?:Truths|Updates)|Candidates|What Happened)\s*$", re.I)
_CANDIDATE = re.compile(r"\s*[-*]\s+(?:Candidate|Theme|Reflection)\s*:", re.I)
_FIELD = re.compile(r"\s+[-*]\s+(?:confidence|evidence|recalls|signals|status|note)\s*:", re.I)
_SENTENCE = re.compile(
    r"\s*[-*]\s+(?:No notable updates\.|No strong (?:patterns|candidate truths) surfaced\.|Ranked \d+ candidate"
    r"|Promoted \d+ candidate|Repaired recall artifacts|[^\[]*\[confidence=[\d.]+ evidence=)",
    re.I,
)
_PROSE = frozenset({"", "diary", "knowledge", "projection"})  # blocks without a grammar of their own


def regions_of(lines: Sequence[str]) -> dict[int, Region]:
    """The lines (without their ends) that state nothing, each with what it is."""
    dreamt = set[int]()  # the blocks of a dream with their titles
    loose = set[int]()  # candidates that lost their markers
    marks = [(at, mark[1] or "", mark[2]) for at, line in enumerate(lines) if (mark := _OURS.match(line))]
    for (start, phase, edge), following in pairwise([*marks, (len(lines), "", "")]):
        dreamt.add(start)
        if edge == "start":
            above = next((at for at in range(start - 1, -1, -1) if lines[at].strip()), start)
            first = above if _TITLE.match(lines[above]) else start
            dreamt.update(range(first, _block_end(lines, start, phase, following)))
    # A lead counts only with a field directly below it: "Candidate: Mira" alone is the owner's.
    for at, (line, below) in enumerate(pairwise([*lines, ""])):
        leads = at not in dreamt and _CANDIDATE.match(line) and _FIELD.match(below)
        if leads or (at - 1 in loose and _FIELD.match(line)):
            loose.add(at)
    found = dict.fromkeys(dreamt | loose, Region.DREAM)
    # Two rules with text between them are no front matter: its first line is a key.
    if len(lines) > 1 and lines[0].rstrip() == "---" and _FRONT_KEY.match(lines[1]):
        end = next((at + 1 for at in range(1, len(lines)) if lines[at].rstrip() in {"---", "..."}), 0)
        found.update(dict.fromkeys(range(end), Region.FRONT_MATTER))
    for at, line in enumerate(lines):
        is_new = at not in found and ("`" in line or "~" in line or "<" in line or "BEGIN_" in line)
        if is_new and (begun := _region_at(lines, at)):
            found.update((number, begun[0]) for number in range(at, begun[1]) if number not in found)
    return found


def _region_at(lines: Sequence[str], at: int) -> tuple[Region, int] | None:
    """What begins in this line, and the line behind it."""
    line = lines[at]
    if (fence := _FENCE.match(line)) and not (fence["mark"][0] == "`" and "`" in fence["info"]):
        return Region.CODE, _fence_end(lines, at, fence["mark"])
    if line.lstrip().startswith("<!--"):
        return Region.COMMENT, _closed(lines, at, "-->") or _next_blank(lines, at)
    if line.startswith("<<<<<<<") and line[7:8] in ("", " "):
        # Both halves may be the owner's: unclosed, the conflict reaches to the end.
        ends = (number + 1 for number in range(at, len(lines)) if lines[number].startswith(">>>>>>>"))
        return Region.CONFLICT, next(ends, len(lines))
    for form, closing in ((_ELEMENT, "</{}"), (_BRACKETED, "END_{}")):
        if mark := form.match(line):
            end = _closed(lines, at, closing.format(mark[1]))
            if end or mark["alone"] is not None:
                return Region.INJECTED, end or _next_blank(lines, at)
    return None


def _fence_end(lines: Sequence[str], start: int, mark: str) -> int:
    """Behind the closing fence; a fence that is not closed ends at the next section of the owner."""
    section = 0
    for at in range(start + 1, len(lines)):
        inner = _FENCE.match(lines[at])
        if inner and inner["mark"][0] == mark[0] and len(inner["mark"]) >= len(mark):
            if not inner["info"].strip():
                return at + 1
            if section:
                break
        elif not section and lines[at].startswith("##") and not lines[at - 1].strip():
            section = at
    return section or len(lines)


def _closed(lines: Sequence[str], at: int, mark: str) -> int:
    return next((end + 1 for end in range(at, min(at + _FAR, len(lines))) if mark in lines[end]), 0)


def _next_blank(lines: Sequence[str], at: int) -> int:
    return next((end for end in range(at + 1, len(lines)) if not lines[end].strip()), len(lines))


def _block_end(lines: Sequence[str], start: int, phase: str, following: tuple[int, str, str]) -> int:
    """Behind the last line of a block. A pair is believed only where no heading of the owner's stands inside."""
    later, later_phase, edge = following
    if edge == "end" and later_phase == phase:
        inside = lines[start + 1 : later]
        if phase in _PROSE or not any(line.startswith("#") and not _in_grammar(line) for line in inside):
            return later + 1
    if phase in _PROSE and phase != "knowledge":  # prose reaches to the next marker
        return later
    own = takewhile(lambda at: not lines[at].strip() or _in_grammar(lines[at]), range(start + 1, later))
    return max((at + 1 for at in own if lines[at].strip()), default=start + 1)


def _in_grammar(line: str) -> bool:
    return any(form.match(line) for form in (_CANDIDATE, _FIELD, _SENTENCE, _INNER, _TITLE))
