"""Runs of digits in a text, with the words before them: where every number of a person is looked for.

A run is digits divided by at most two of ` .-/()`. A date alone is no run. The words before a run reach back to the number
or the mask before it, so that a word names one number only, and masking one cannot give its word to the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

_REACH = 48  # characters in which a word may name the number that follows
LONGEST = 40  # digits; what is longer is no number of a person


class Run(NamedTuple):
    start: int
    end: int
    digits: str
    before: str
    lettered: bool  # behind one or two capitals, as in `X1234567L`: some states number people so, nobody else


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    day = r"(?:19|20)\d\d([-./]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])|(?:0?[1-9]|[12]\d|3[01])([-./])(?:0?[1-9]|1[0-2])\2(?:19|20)\d\d"
    return (
        re.compile(r"\d(?:[ .\-/()]{0,2}\d){5,}+"),
        re.compile(rf"(?:{day})(?:$|[ -]+(?:\d\d[ -.:]?\d\d$)?)"),
        re.compile(r"[^⟦⟧]*$"),
        re.compile(r"(?<![\w⟧.-])[A-Z]{1,2}$"),
    )


def runs(text: str) -> Iterator[Run]:
    """Every run of six digits or more that is not a date, in order."""
    run, day, unmasked, letters = _patterns()
    last = 0
    for found in run.finditer(text):
        start, end = found.span()
        while dated := day.match(text, start, end):
            start = dated.end()
        digits = "".join(char for char in text[start:end] if char.isdigit())
        lettered = letters.search(text, max(0, start - 3), start) is not None
        if 6 <= len(digits) <= LONGEST and digits.isascii() and (lettered or not _is_glued(text, start, end)):
            words = unmasked.search(text, max(last, start - _REACH), start)
            yield Run(start, end, digits, words[0] if words else "", lettered)
        last = end


def _is_glued(text: str, start: int, end: int) -> bool:
    """Part of a longer word, a decimal or a path: `rev20261027`, `0.123456`, `3.14159265`, `a/1234567`."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if before and (before[-1] in "_⟧" or (before[-1].isalpha() and before[-1].isascii())):
        return True
    return (
        (len(before) == 2 and before[-1] in ".," and before[0].isdigit())
        or after[:1] in ("_", "⟦")
        or (after[:1] == "," and after[1:].isdigit())
    )
