"""Taking secrets and personal data out of a text before it is kept or shown.

Secrets always: tokens of public formats, values behind a word that announces them, addresses with a password, private
keys. Personal data by kind, each of which can be switched. What is found is replaced by a mask such as `⟦secret⟧`; nothing else
changes, and redacting twice changes nothing. It lives on the ground floor because the promises and every surface need it.
Patterns are compiled when first needed, and a line without a trigger costs next to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from reverie.core.settings import Privacy
from reverie.privacy.access import access_spans, without_our_marks
from reverie.privacy.access_words import words_of_access
from reverie.privacy.labelled import labelled_spans
from reverie.privacy.learned import gives_access
from reverie.privacy.password_shapes import password_spans
from reverie.privacy.personal import is_named_phone, personal_spans
from reverie.privacy.token_formats import block_spans, token_spans

SECRET = "secret"
DEFAULT_KINDS = Privacy().kinds  # for texts without an owner; a workspace hands in `settings.privacy.kinds`
HIDDEN = "⟦secret⟧"
_ROUNDS = 8  # one is the rule; a text made to need more has nothing left to lose after these


class Found(NamedTuple):
    """One place that must be hidden, and why."""

    kind: str
    start: int
    end: int


def findings(text: str, kinds: frozenset[str] = DEFAULT_KINDS) -> tuple[Found, ...]:
    """Every secret, and the personal data of the given kinds, in order and without overlap."""
    found = _apart(_found(text, kinds))
    # A mask may set free what stood glued to the value it hides: look again until nothing is left, so that redacting
    # a second time changes nothing. Only the lines around a mask can differ.
    for _ in range(_ROUNDS if found else 0):
        covered = _covered(text, found)
        if not any(_found(covered[start:end], kinds) for start, end in _around(text, found)):
            break
        found = _apart([*found, *_found(covered, kinds)])
    return tuple(found)


def _found(text: str, kinds: frozenset[str]) -> list[Found]:
    secrets = (Found(SECRET, *span) for span in _secret_spans(text))
    return [*secrets, *(Found(*place) for place in personal_spans(text, kinds))]


def _apart(found: list[Found]) -> list[Found]:
    """In order, one mask for what overlaps. A secret names it, because its mask says the least about the value."""
    apart: list[Found] = []
    for one in sorted(found, key=lambda one: (one.start, one.kind != SECRET, -one.end)):
        last = apart[-1] if apart else None
        if last and one.start < last.end:
            kind = SECRET if SECRET in (one.kind, last.kind) else last.kind
            apart[-1] = Found(kind, last.start, max(last.end, one.end))
        else:
            apart.append(one)
    return apart


def _covered(text: str, found: list[Found]) -> str:
    """The text with everything found under a cover of the same length, which reads like a mask from both sides."""
    parts, last = [], 0
    for _, start, end in found:
        parts += [text[last:start], "⟦".ljust(end - start, "⟧")]
        last = end
    return "".join([*parts, text[last:]])


def _around(text: str, found: list[Found]) -> list[tuple[int, int]]:
    """The lines of the findings with the line before and after, joined where they touch."""
    parts: list[tuple[int, int]] = []
    for _, start, end in found:
        if parts and end < parts[-1][1]:
            continue
        above = text.rfind("\n", 0, max(0, text.rfind("\n", 0, start))) + 1
        below = text.find("\n", text.find("\n", end) + 1) if text.find("\n", end) >= 0 else -1
        if parts and above <= parts[-1][1]:
            parts[-1] = (parts[-1][0], below if below >= 0 else len(text))
        else:
            parts.append((above, below if below >= 0 else len(text)))
    return parts


def redacted(text: str, kinds: frozenset[str] = DEFAULT_KINDS) -> str:
    """A text as it may be kept. What carries a mask is never evidence."""
    parts, last = [], 0
    for kind, start, end in findings(text, kinds):
        parts += [text[last:start], f"⟦{kind}⟧"]
        last = end
    return "".join([*parts, text[last:]]) if parts else text


@lru_cache(maxsize=8_192)  # a night asks the same of a line when it is read, planned, promised and told
def holds_secret(text: str) -> bool:
    """Whether a text seems to carry a key, a token or a password."""
    return next(_secret_spans(text), None) is not None


def opens_something(text: str, beside: str = "") -> bool:
    """Whether a statement of a note holds a secret, or most likely gives access to something: no judge sees it, it stays there.

    `beside` is the line of memory with the same key: where that looks as if it did and its owner keeps it openly, the key does not.

    Asked of what could enter somewhere. What already stands in memory, archive or state is asked `holds_secret`, because a
    likelihood must not refuse, mask or take anything away.
    """
    if holds_secret(text):
        return True
    return not (beside and opens_something(beside)) and any(
        gives_access(line, words_of_access(line)) for line in text.split("\n")
    )


def holds_mask(text: str) -> bool:
    """Whether a text carries the mark where a secret was taken out; such a text is no evidence."""
    return _mask().search(text) is not None


def shown(text: str) -> str:
    """A text as it may be shown: secrets hidden; undecodable bytes, controls and what turns a line around made visible."""
    hidden = redacted(text, frozenset())
    visible = _control().sub(_visible, hidden)
    # Made visible, a character may complete what it had divided.
    return hidden if visible == hidden else redacted(visible, frozenset())


@cache
def _mask() -> re.Pattern[str]:
    part = r"[A-Za-z0-9_.+/-]"
    return re.compile(
        r"\[REDACTED[:\w -]{0,40}\]|(?<![*\w])\*{3,}(?![*\w])|⟦[a-z-]+⟧|<redacted>|‹secret›"
        # The peer keeps the first six and the last four; a sentence with an ellipsis has neither digits nor humps there.
        rf"|(?<![^\s\"'`=:(|])(?={part}{{6}}(?:…|\.\.\.)(?![.…]))(?={part}{{0,5}}[\d_-]|{part}{{6}}\W{{1,3}}{part}{{0,3}}[\d_-]|{part}{{1,5}}(?-i:[A-Z])"
        rf"|{part}{{6}}\W{{1,3}}{part}{{1,3}}(?-i:[A-Z])){part}{{6}}(?:…|\.\.\.){part}{{4}}(?!\w)"
        rf"|(?:bearer|token|key|password|secret)[\"']?\s?[:=]?\s?[\"']?{part}{{6}}…{part}{{4}}(?!\w)",
        re.I,
    )


@cache
def _control() -> re.Pattern[str]:
    # A control of writing direction makes a line read as another one; a separator breaks it behind the terminal's back.
    turning = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    return re.compile(f"(?!\r\n)[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029{turning}\ud800-\udfff]")


def _visible(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:  # a byte that was no UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _secret_spans(text: str) -> Iterator[tuple[int, int]]:
    text = without_our_marks(text)
    yield from block_spans(text)
    yield from token_spans(text)
    said = (*password_spans(text), *access_spans(text))
    yield from (span for span in said if not is_named_phone(text, *span))
    yield from labelled_spans(text)
