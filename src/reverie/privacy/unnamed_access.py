"""What opens something though no word of the line says "password".

A dial turned left and right, a pattern on a telephone, the answer to what a bank asks about the first pet. The words of the languages are in `reverie.lang`, table `access`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from reverie.privacy.access_words import Span, is_glued, words_of_access
from reverie.privacy.made_up import SIGN
from reverie.text.terms import STOP_WORDS

# Groups of words that alone make no line worth reading for a value.
SAYS_NOTHING = frozenset(("changed", "usual", "questions", "answers", "asked", "turns", "entered", "guests", "drawn"))
_LETTER = re.compile(r"(?<![A-Za-zА-Яа-я'’.])(?:[B-HJ-NP-Z]|[БГЗЛМНПЦЧШ])(?![A-Za-zА-Яа-я'’.\d])|[ㄱ-ㅎ]")
_NEAR = 16  # characters between a letter and its verb
_ANSWER = 4  # words of the longest answer
_TURNS = 3  # in a row: fewer tell somebody the way
_TURNED_BY = re.compile(r"(?:\d{1,3}\s?[x×]?\s)?$"), re.compile(r"\s?(?:[^\W\d_]{1,5}\s)?\d{1,3}(?!\w)")
_CLAUSE = re.compile(
    r"[\s\"'`“„«「『*:：]*(?P<value>[^\s,;.!?，。；！？][^,;.!?，。；！？\n⟦⟧]*[^\s,;.!?，。；！？⟦⟧])"
)
_BEHIND_SIGN = re.compile(rf"(?:{SIGN}){_CLAUSE.pattern}")


def unnamed_spans(line: str) -> Iterator[Span]:
    """Where a line holds what opens something, without a word for it."""
    told = words_of_access(line)
    yield from _turned(line)
    if "questions" in told:
        yield from _answered(line)
    if "drawn" in told:
        yield from _letters_drawn(line)


def _turned(line: str) -> Iterator[Span]:
    """Directions one after the other beside something that is locked: "the tablet: up, right, down"."""
    told = words_of_access(line)
    turns = told.get("turns", ())
    if len(turns) < _TURNS or told.keys().isdisjoint(("locks", "alone", "names")):
        return
    row = [turns[0]]
    for before, after in pairwise((*turns, (len(line) * 2, 0))):
        if after[0] < len(line) and _joins_turns(line[before[1] : after[0]]):
            row.append(after)
            continue
        if len(row) >= _TURNS:
            first, last = _TURNED_BY[0].search(line[: row[0][0]]), _TURNED_BY[1].match(line, row[-1][1])
            yield first.start() if first else row[0][0], last.end() if last else row[-1][1]
        row = [after]


def _joins_turns(between: str) -> bool:
    """A comma, a number, "then": a sentence has other words between its directions."""
    told = re.findall(r"[^\W\d_]{2,}", between)
    signs = not between.strip() or any(not (sign.isalpha() or sign.isspace()) for sign in between)
    return len(between) <= 16 and signs and STOP_WORDS.issuperset(map(str.lower, told))


def _letters_drawn(line: str) -> Iterator[Span]:
    """A letter as a finger draws it: "her tablet opens when you draw an N"."""
    told = words_of_access(line)
    for start, end in told["drawn"] if "locks" in told else ():
        if found := _LETTER.search(line, max(0, start - _NEAR), end + _NEAR):
            yield found.span()


def _answered(line: str) -> Iterator[Span]:
    """What somebody answers when asked for a first pet or a maiden name; the bare fact is no secret."""
    told = words_of_access(line)
    asked = told["questions"][-1][1]
    for start, end in told.get("answers", ()):
        found = _CLAUSE.match(line, end)
        if found and not _is_remark(found["value"]):
            yield found.span("value")
        # "… with plum jam answered": the verb stands last.
        if start > asked and (is_glued(line[start]) or not line[end:].strip(" .!)")):
            yield asked, start
    if "asked" in told and (found := _BEHIND_SIGN.search(line, asked)) and not _is_remark(found["value"]):
        yield found.span("value")


def _is_remark(value: str) -> bool:
    return len(value.split()) > _ANSWER or value.split()[0].lower() in STOP_WORDS
