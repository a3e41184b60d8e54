"""Words as people make passwords, which nobody says and nothing is called: `Oak4$lid`, `Tern_4x1`, `OakSpoon-4471`.

Names of machines, models and versions come close. So a *strong* shape counts where values stand (last behind a colon or an
arrow, in a table, beside an account), and a *loose* one only beside an account, or where a line says that access was changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from reverie.privacy.access_words import CJK, Span, words_of_access
from reverie.privacy.password_shapes import SHORTEST, is_of_words
from reverie.privacy.placeholders import changes, is_example, is_key, is_reference

SIGN = r"[:：=＝→—–]|[-=]>|(?<=\s)-(?=\s)"
_TOKEN = rf"[^\W{CJK}](?:[^\W{CJK}]|[!#$%§&@.?+-]){{5,63}}"
_WORD = re.compile(rf"(?<![^\W{CJK}])(?<![./:@#=&?%+~-]){_TOKEN}(?![/=(:~])")
_PLACED = re.compile(rf"(?:{SIGN}|@[\w-]{{1,40}}\.[\w.]{{1,40}}[,;/ ])\s*(?:\S{{2,40}}\s?/\s?)?[`\"'“„«「『*]{{0,3}}(?P<value>{_TOKEN}?)[`\"'”“»」』*]{{0,3}}[.。]?\s*$")  # fmt: skip
_SET_TO = re.compile(rf"(?:\s[^\W\d_]{{1,4}}(?=\s)){{0,2}}\s?[`\"'“„«「『]?(?P<value>{_TOKEN})(?<![.,?-])")
_CELL = re.compile(rf"\|\s*[`*]{{0,2}}(?P<value>{_TOKEN}?)[`*]{{0,2}}\s*(?=\|)")
_MAIL = re.compile(r"[\w.+-]{1,60}@[\w-]{1,60}\.\w")
_BELONGS = re.compile(
    r"://\S*$|^\W*[\w.-]*(?:_|[a-z][A-Z])[\w.-]*[\s\"']*$"
)  # to an address, or to a name in a program
_HEADER = re.compile(r"(?<![\w-])X-(?![\w-]*(?:Id|Request|Trace|Name|Version)\b)[\w-]{2,40}[\"'`]?\s?(?:[:=]|\S{1,5}(?=\s))\s{0,2}[\"'`]?(?P<value>[\w.~+/=-]{12,200})")  # fmt: skip
_ESCAPE_OR_TICKET = re.compile(r"%[2-7][\dA-Fa-f]|#\d+$")
_STRONG = (
    re.compile(r"(?=.*\d)[\w.-]+(?:(?:[!#$%§&]+|@(?=\d{1,6}[a-z]{2}))[\w.-]+)+[!?]?"),
    re.compile(r"[A-Z][a-z]{3,20}_(?!(?:19|20)\d\d$)(?=[A-Za-z]*\d)[A-Za-z\d]{3,8}"),
    re.compile(r"(?=[a-z\d_.-]*[A-Z])(?:[^\W_]{2,20}[-_.])?[A-Za-z]{1,20}\d[a-z]{2,20}(?:[-_.][^\W_]{2,20}){1,5}"),
)
_STICKER = re.compile(r"(?=.*[g-z])[a-z\d]{10,64}")
_VERSION = re.compile(r"\d\.\d|^[A-Z\d._-]+$")
_LOOSE = re.compile(r"[^\W_]+(?:[-_.][^\W_]+){0,4}[!?]?")
_NUMBERED = re.compile(
    r"(?<![\w./:@#=&?%+~-])(?=[A-Za-z_.-]{0,60}\d)[^\W\d_]{2,20}(?:[-_.][^\W_]{1,20}){0,6}[-_.]?\d{1,4}(?![\w/@:=(%+~-]|\.\w)"
)
_YEAR_WORD = re.compile(r"[A-Z][a-z]{3,20}(?:19|20)\d\d")


def placed_spans(line: str) -> Iterator[Span]:
    """Where a made-up word stands at the place of a value, whatever the line says."""
    told = words_of_access(line)
    opened = not told.keys().isdisjoint(("logins", "networks", "locks"))
    yield from (found.span("value") for found in _HEADER.finditer(line) if is_key(found["value"]))
    if (found := _PLACED.search(line)) and not _BELONGS.search(line, 0, found.start()):
        loose = "usual" in told or (opened and "changed" in told) or found[0][0] == "@" or "/" in found[0]
        if _is_strong(found["value"]) or (loose and _is_loose(found["value"])):
            yield found.span("value")
    for _, end in told.get("changed", ()):  # "it takes …", "set it to …"
        if (found := _SET_TO.match(line, end)) and (
            _is_strong(found["value"]) or (opened and _is_loose(found["value"]))
        ):
            yield found.span("value")
    if line.count("|") > 1:
        account = "logins" in told or _MAIL.search(line)
        for cell in _CELL.finditer(line):
            if _is_strong(cell["value"]) or (account and _is_loose(cell["value"])):
                yield cell.span("value")


def made_up_spans(line: str) -> Iterator[Span]:
    """Where a made-up word stands in a line that speaks of a lock, a network or an account."""
    yield from (found.span() for found in _NUMBERED.finditer(line) if _is_numbered(found[0]))
    renewed = "changed" in words_of_access(line)
    for found in _WORD.finditer(line):
        word = found[0].rstrip(".-?")
        if _is_strong(word) or (renewed and _is_loose(word)) or _is_sticker(word):
            yield found.start(), found.start() + len(word)


def _is_strong(value: str) -> bool:
    if len(value) < SHORTEST or is_reference(value) or is_example(value) or _ESCAPE_OR_TICKET.search(value):
        return False
    both = any(map(str.isupper, value)) and any(map(str.islower, value))
    drawn = value.isalnum() and both and changes(value) >= 3 and is_key(value) and not is_of_words(value)
    return drawn or any(shape.fullmatch(value) for shape in _STRONG)


def _is_loose(value: str) -> bool:
    """`Walnut41`, `Fern-8ale-Tide`, `moorhen77!`: letters with figures, and capitals or a sign."""
    if len(value) < SHORTEST or not _LOOSE.fullmatch(value) or _VERSION.search(value):
        return False
    if is_reference(value) or is_example(value):
        return False
    figures = sum(map(str.isdigit, value)) >= 2 or re.search(r"\d[a-z]{3}", value)
    return bool(figures and re.search(r"[a-z]{3}", value) and re.search("[A-Z!?]", value))


def _is_sticker(value: str) -> bool:
    """`8f3kqp2w9x`: small letters and figures as printed under a router; a commit has no letter behind f."""
    return _STICKER.fullmatch(value) is not None and changes(value) >= 4 and is_key(value)


def _is_numbered(word: str) -> bool:
    """`Trout-at-Noon-3`, `OakSpoon-4471`, `Velvet_Anvil6`: words with a number as people make passwords, not names of things."""
    parts = re.split("[-_.]", word)
    letters = [part for part in parts if part.isalpha()]
    if re.search(r"(?:19|20)\d\d-\d\d", word) or word.isupper():
        return False
    if len(parts) >= 3:
        return sum(map(len, letters)) >= 7 and all(part.isalpha() or part.isdigit() for part in parts)
    return _YEAR_WORD.fullmatch(word) is not None or len(re.findall(r"[A-Z][a-z]{2,}", word)) >= 2
