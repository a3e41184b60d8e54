"""Pages that quote memory: a line is told with a link to where it stands, and only what stands in our block is ours."""

import os
import re
from collections.abc import Iterable, Sequence
from datetime import date

from reverie.privacy.secrets import holds_mask, holds_secret
from reverie.text.lines import clipped, line_ending
from reverie.workspace.protection import is_secret
from reverie.workspace.snapshot import Statement

_LONGEST = 240  # characters of a quotation
_BLOCK = re.compile(r"^<!-- reverie:(\w+):(start|end) -->(?=[ \t]*\r?$)", re.M)


def quotation(line: Statement, page: str, day: date | None = None, subject: str = "") -> str:
    """A line in one bullet with a link that leads to it; empty for what no page may show."""
    words = " ".join(re.sub(r"\*\*|~~|<!--|-->", "", line.text).replace("|", "·").split())
    said = f"{f'{day}: ' if day and str(day) not in words else ''}{f'{subject}: ' if subject else ''}{words}"
    link = f"[{line.place}]({os.path.relpath(line.path, os.path.dirname(page))}#L{line.start + 1})"
    is_hidden = is_secret(line) or holds_mask(line.text) or holds_secret(f"{said} ({link})")
    return "" if is_hidden or not words else f"- {clipped(said, _LONGEST)} ({link})"


def chapters(title: str, parts: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """A page of headings with the quotations below them; what has none is left out."""
    lines = [f"# {title}"]
    for heading, quotations in parts:
        if kept := [line for line in dict.fromkeys(quotations) if line]:
            lines += ["", heading, *kept]
    return lines


def with_block(text: str, name: str, lines: Sequence[str]) -> str:
    """The page with these lines in our block, which a new page is; what its owner wrote outside stays to the byte.

    Markers that do not pair up leave the page as it is.
    """
    ending = line_ending(text.splitlines(keepends=True))
    block = ending.join([f"<!-- reverie:{name}:start -->", *lines, f"<!-- reverie:{name}:end -->"])
    if old := block_in(text, name):
        return text.replace(old, block, 1)
    if f"<!-- reverie:{name}:" in text:
        return text
    return f"{text}{ending if text else ''}{block}{ending}"


def without_block(text: str, name: str) -> str:
    """The page as it was before our block came into it."""
    ending, (before, _, after) = line_ending(text.splitlines(keepends=True)), text.partition(block_in(text, name))
    return before.removesuffix(ending) + after.removeprefix(ending)


def block_in(text: str, name: str) -> str:
    """Our block in a page; empty where there is none, or its markers do not pair up."""
    marks = [mark for mark in _BLOCK.finditer(text) if mark[1] == name]
    return text[marks[0].start() : marks[1].end()] if [mark[2] for mark in marks] == ["start", "end"] else ""
