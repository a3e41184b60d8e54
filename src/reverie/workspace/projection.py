"""A projection: one memory as another host gets it. Its marker, its sum, and its section between other people's lines.

The first line of a projection says of which memory it is and what stood below when it was written, so that nobody takes it
for evidence and nobody's words in it are written over. A rule of Cursor's has its front matter above that line; it may be edited.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from reverie.lang.messages import say
from reverie.text.lines import BOM, bare, ending_of, split_lines
from reverie.workspace.values import short_id

START, END = "<!-- reverie:start -->", "<!-- reverie:end -->"
_MARK = re.compile(r"<!-- reverie:projection (?P<of>[0-9a-f]{8}) (?P<sum>[0-9a-f]{8}): [^\r\n]*-->$")
_FRONT = re.compile(rf"{BOM}?---\r?\n(?:[^\r\n]*\r?\n)*?---\r?\n")
SECTIONS = frozenset({"agents-md", "gemini-md"})  # forms that are a part of somebody's file
_TOLD = "made from another memory and written anew by Reverie; change it there"


class UnpairedMarkers(ValueError):
    """The markers of a section do not pair up, so nobody can say which lines are ours."""


@dataclass(frozen=True, slots=True)
class Projected:
    """What came of one projection: written, unchanged or refused, and what found room in it."""

    path: str
    host: str
    outcome: str
    why: str = ""
    size: int = 0
    limit: int = 0
    lines: int = 0
    entries: int = 0
    omitted: int = 0  # for want of room
    withheld: int = 0  # with a secret or personal data in them
    text: str = ""


WRITTEN, UNCHANGED, REFUSED = "written", "unchanged", "refused"


def marked(body: str, of: str) -> str:
    """The body below its marker."""
    return f"<!-- reverie:projection {of} {short_id(body)}: {_TOLD} -->\n{body}"


def is_projection(text: str) -> bool:
    """Whether a whole file is a projection: its first line says so, below front matter if there is any."""
    return _first(text) is not None


def memory_of(text: str) -> str:
    """The id of the memory that a projection was made of; empty when it is none."""
    found = _first(text)
    return found["of"] if found else ""


def is_untouched(text: str) -> bool:
    """Whether below the marker stands what was written there, line endings aside."""
    found, lines = _first(text), [bare(line) + "\n" for line in split_lines(text[len(front_of(text)) :])]
    return found is not None and short_id("".join(lines[1:])) == found["sum"]


def front_of(text: str) -> str:
    """The front matter that a text begins with; empty where there is none."""
    found = _FRONT.match(text) if text.removeprefix(BOM).startswith("---") else None
    return found[0] if found else ""


def section_of(text: str) -> str | None:
    """What stands between the two markers of a section; None when there is none."""
    place = _section(split_lines(text))
    return None if place is None else "".join(split_lines(text)[place[0] + 1 : place[1]])


def with_section(text: str, inner: str) -> str:
    """The text with this section in the place of its own, or at its end. No other byte changes."""
    lines, ending = split_lines(text), ending_of(split_lines(text))
    fresh = [bare(line) + ending for line in (START, *split_lines(inner), END)]
    place = _section(lines)
    if place is not None:
        last = lines[place[1]]
        return "".join((*lines[: place[0]], *fresh[:-1], END + last[len(bare(last)) :], *lines[place[1] + 1 :]))
    gap = [] if not lines else [ending] if lines[-1] != bare(lines[-1]) else [ending, ending]
    return "".join((*lines, *gap, *fresh))


def without_section(text: str) -> str:
    """The text without its section and without the blank line that was put above it."""
    lines = split_lines(text)
    place = _section(lines)
    if place is None:
        return text
    above = place[0] - 1 if place[0] and not lines[place[0] - 1].strip() else place[0]
    return "".join((*lines[:above], *lines[place[1] + 1 :]))


def _section(lines: tuple[str, ...]) -> tuple[int, int] | None:
    edges = [(i, bare(line).strip()) for i, line in enumerate(lines) if bare(line).strip() in (START, END)]
    if not edges:
        return None
    if [edge for _, edge in edges] != [START, END]:
        raise UnpairedMarkers(say("projection.unpaired"))
    return edges[0][0], edges[1][0]


def _first(text: str) -> re.Match[str] | None:
    head = text[len(front_of(text)) :].removeprefix(BOM).split("\n", 1)[0]
    return _MARK.match(head.rstrip("\r"))
