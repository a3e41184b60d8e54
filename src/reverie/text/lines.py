"""A heading as it is compared: without signs, numbers and case. Alone, because `dream status` needs it and no mark.

Lines of text, kept to the byte: splitting, joining, endings, counting as the host counts.

Text here is UTF-8 decoded with `surrogateescape`, so that joining what was split gives back the same bytes
for any input. `str.splitlines` is never used: it also cuts at U+2028, form feeds and other characters that
are ordinary content in notes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache


@lru_cache(maxsize=4096)  # asked for every entry below the heading
def plain_heading(text: str) -> str:
    first, end = 0, len(text)
    while first < end and (not text[first].isalnum() or text[first].isdecimal()):
        first += 1
    while end > first and not text[end - 1].isalnum():
        end -= 1
    return text[first:end].casefold()


BOM = "\ufeff"
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


def split_lines(text: str) -> tuple[str, ...]:
    """The lines of a text with their endings; `"".join` of them is the text."""
    return tuple(_LINE.findall(text))


def bare(line: str) -> str:
    """A line without its ending."""
    return line.rstrip("\r\n")


def ending_of(lines: Sequence[str]) -> str:
    """The line ending a file uses: that of its first complete line, else a newline."""
    for line in lines:
        if ending := line[len(bare(line)) :]:
            return ending
    return "\n"


def count_units(text: str) -> int:
    """Characters as OpenClaw counts them against its limit: UTF-16 units, not bytes and not code points."""
    return len(text) + sum(1 for char in text if char > "\uffff")


def appended(lines: Sequence[str], new: Iterable[str]) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
    """The splice (at, old, new) that puts lines at the end, closing an unfinished last line first.

    `new` comes without endings and takes those of the file.
    """
    ending = ending_of(lines)
    fresh = tuple(line + ending for line in new)
    if lines and not lines[-1].endswith(("\n", "\r")):
        return len(lines) - 1, (lines[-1],), (lines[-1] + ending, *fresh)
    return len(lines), (), fresh
