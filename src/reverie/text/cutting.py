"""Taking sentences out of lines of text, so that what stands beside them stays."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from reverie.text.lines import split_lines

# A capital or a script without case begins a sentence.
_BREAK = re.compile(r"(?<=[.!?…])[ \t\r\n]+(?=[\"“'(]?[^\Wa-zà-öø-ÿа-яё_])|(?<=[。！？；])")
# Short forms that end with a full stop and end no sentence.
_SHORT = re.compile(
    r"(?:\b(?:\w|mr|mrs|ms|dr|prof|st|no|nr|vs|ca|bzw|inkl|evtl|ggf|str|tel|sr|sra|srta|mme|mlle|av|núm|г|ул|им|т\.?[ед]))\.\s+$",
    re.I,
)
_LEAD = re.compile(r"\s*(?:(?:[-*+•]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?(?:\d{1,2}[:：]\d{2}[ \t]+)?")
_MARK = re.compile(r"[ \t]*<!--[^>]*-->[ \t]*$")


def sentences(text: str) -> list[str]:
    """The sentences of a text with the space behind each; joined they are the text."""
    parts, start = [], 0
    for found in _BREAK.finditer(text):
        if found.end() > start and not _SHORT.search(text[start : found.end()]):
            parts.append(text[start : found.end()])
            start = found.end()
    return [*parts, text[start:]] if start < len(text) else parts


def without(lines: Sequence[str], says: Callable[[str], bool]) -> tuple[str, ...]:
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
