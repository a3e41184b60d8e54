"""Lines of text, kept to the byte: splitting, joining, endings, counting as the host counts; sentences and headings in them.

Text here is UTF-8 decoded with `surrogateescape`, so that joining what was split gives back the same bytes for any input.
`str.splitlines` is never used: it also cuts at U+2028, form feeds and other characters that are ordinary content in notes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence, Set
from functools import cache, lru_cache

from reverie.lang import words


@lru_cache(maxsize=4096)  # asked for every entry below the heading
def plain_heading(text: str) -> str:
    first, end = 0, len(text)
    while first < end and (not text[first].isalnum() or text[first].isdecimal()):
        first += 1
    while end > first and not text[end - 1].isalnum():
        end -= 1
    return text[first:end].casefold()


BOM = "\ufeff"
SEPARATOR = "§"  # between the entries of Hermes
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


def split_lines(text: str) -> tuple[str, ...]:
    """The lines of a text with their endings; `"".join` of them is the text."""
    return tuple(_LINE.findall(text))


def bare(line: str) -> str:
    """A line without its ending."""
    return line.rstrip("\r\n")


LONGEST = 4_000  # characters of one passage that are looked at; what is longer was pasted, or made to take our time


def clipped(text: str, longest: int = LONGEST) -> str:
    """A text as far as it is looked at, cut between two words where it has any: half a token would not be known for a secret."""
    if len(text) <= longest:
        return text
    cut = text[:longest]
    return cut.rsplit(None, 1)[0] if len(cut.split(None, 1)) > 1 else cut


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


# A capital or a script without case begins a sentence.
_BREAK = re.compile(
    r"(?<=[.!?…])[ \t\r\n]+(?=[\"“'(]?[^\Wa-z\u00e0-\u00f6\u00f8-\u00ff\u0430-\u044f\u0451_])|(?<=[。！？；])"
)
_LEAD = re.compile(r"\s*(?:(?:[-*+•]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?(?:\d{1,2}[:：]\d{2}[ \t]+)?")
_MARK = re.compile(r"[ \t]*<!--[^>]*-->[ \t]*$")


_SHORT = 16  # characters at the end of a text that are looked at for a short form


@cache
def _short_form() -> re.Pattern[str]:
    """A short form that ends with a full stop and ends no sentence."""
    return re.compile(rf"(?:\b(?:\w|{'|'.join(map(re.escape, words('text.short_forms')))}))\.$", re.I)


def ends_short_form(text: str) -> bool:
    """Whether a text ends with a full stop that ends no sentence: "Dr.", "J."."""
    return bool(_short_form().search(text.rstrip()[-_SHORT:]))


def sentences(text: str) -> list[str]:
    """The sentences of a text with the space behind each; joined they are the text."""
    parts, start = [], 0
    for found in _BREAK.finditer(text):
        if found.end() > start and not ends_short_form(text[start : found.end()]):
            parts.append(text[start : found.end()])
            start = found.end()
    return [*parts, text[start:]] if start < len(text) else parts


def without_sentences(lines: Sequence[str], says: Callable[[str], bool]) -> tuple[str, ...]:
    """These lines without the sentences that say it; none when nothing else is said, or when only all of them say it."""
    text = "".join(lines)
    body = text.rstrip("\r\n")
    ending, mark = text[len(body) :], _MARK.search(body)
    tail = mark[0] if mark else ""
    body = body[: len(body) - len(tail)]
    found = _LEAD.match(body)
    lead = found[0] if found else ""
    parts = sentences(body[len(lead) :])
    kept = [part for part in parts if not says(part)]
    if len(kept) == len(parts) or not any(char.isalnum() for part in kept for char in part):
        return ()
    left = "".join(kept).rstrip()
    return split_lines(f"{lead}{left}{tail}{ending}") if not says(left) else ()


def short_id(text: str) -> str:
    """The eight hex digits by which ledger entries are known (seed 000: the start of an MD5)."""
    import hashlib  # costs a glance at the state more than all the rest of this file

    return hashlib.md5(text.encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()[:8]


def with_frame(lines: Sequence[str], first: int, end: int, gone: Set[int] = frozenset()) -> tuple[int, int]:
    """Lines that leave, with what stood between them and the rest: one of two blank lines that would meet, or of two § signs.

    `gone` are all the lines that leave, so that no sign goes twice.
    """
    signs = {i for i, line in enumerate(lines) if line.strip() == SEPARATOR}
    if (first == 0 or not lines[first - 1].strip()) and end < len(lines) and not lines[end].strip():
        return first, end + 1
    if end < len(lines) and end not in signs and lines[end].strip():
        return first, end  # not the whole of an entry
    topmost = all(i in gone or i in signs for i in range(first))
    below = topmost and end in signs and end + 1 not in gone
    return first - (first - 1 in signs), end + below
