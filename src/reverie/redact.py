"""Taking secrets and personal data out of a text before it is kept or shown.

Secrets always: tokens of public formats, values behind a word that announces them, addresses with a password, private
keys. Personal data by kind, each of which can be switched. What is found is replaced by a mask such as `⟦secret⟧`; nothing else
changes, and redacting twice changes nothing. It lives on the ground floor because the promises and every surface need it.
Patterns are compiled when first needed, and a line without a trigger costs next to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from reverie.labelled import STEMS, labelled_spans
from reverie.personal import KINDS, personal_spans
from reverie.token_formats import token_spans

SECRET = "secret"
# An address of the network is rarely a person's, and notes about machines need theirs.
DEFAULT_KINDS = KINDS - {"ip"}
HIDDEN = "⟦secret⟧"
_LONGEST_KEY = 16_000  # characters of a private key between its two marks


class Found(NamedTuple):
    """One place that must be hidden, and why."""

    kind: str
    start: int
    end: int


def findings(text: str, kinds: frozenset[str] = DEFAULT_KINDS) -> tuple[Found, ...]:
    """Every secret, and the personal data of the given kinds, in order and without overlap."""
    found = [Found(SECRET, *span) for span in _secret_spans(text)]
    found += [Found(*place) for place in personal_spans(text, kinds)]
    # Of two that overlap one mask remains; a secret names it, because its mask says the least about the value.
    found.sort(key=lambda one: (one.start, one.kind != SECRET, -one.end))
    apart: list[Found] = []
    for one in found:
        if apart and one.start < apart[-1].end:
            last = apart[-1]
            apart[-1] = Found(
                SECRET if SECRET in (one.kind, last.kind) else last.kind, last.start, max(last.end, one.end)
            )
        else:
            apart.append(one)
    return tuple(apart)


def redacted(text: str, kinds: frozenset[str] = DEFAULT_KINDS) -> str:
    """A text as it may be kept. What carries a mask is never evidence."""
    parts, last = [], 0
    for kind, start, end in findings(text, kinds):
        parts += [text[last:start], f"⟦{kind}⟧"]
        last = end
    return "".join([*parts, text[last:]]) if parts else text


def holds_secret(text: str) -> bool:
    """Whether a text seems to carry a key, a token or a password."""
    return next(_secret_spans(text), None) is not None


def holds_mask(text: str) -> bool:
    """Whether a text carries the mark where a secret was taken out; such a text is no evidence."""
    return _mask().search(text) is not None


def shown(text: str) -> str:
    """A text as it may be shown: secrets hidden, undecodable bytes and control characters made visible."""
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
        rf"|{part}{{6}}\W{{1,3}}{part}{{1,3}}(?-i:[A-Z])){part}{{6}}(?:…|\.\.\.){part}{{4}}(?!\w)",
        re.I,
    )


@cache
def _control() -> re.Pattern[str]:
    return re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def _visible(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:  # a byte that was no UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _secret_spans(text: str) -> Iterator[tuple[int, int]]:
    if "-----BEGIN" in text:
        yield from _private_keys(text)
    if "://" in text:
        yield from (found.span() for found in _address().finditer(text) if not _is_blank(found["password"]))
    yield from token_spans(text)
    for start, end in _lines_with(text, STEMS):
        yield from labelled_spans(text, start, end)


@cache
def _address() -> re.Pattern[str]:
    """An address with a password, up to the end of its host."""
    return re.compile(
        r"(?<![A-Za-z0-9+.⟧-])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@\"'<>⟦⟧]{0,80}+:(?P<password>[^\s/@\"'<>⟦⟧]{1,200}+)@[^\s/\"'`<>)\],;?#⟦⟧]+"
    )


def _is_blank(password: str) -> bool:
    """A variable or a blank to be filled in: `${PW}`, `****`, `<password>`, `xxxx`."""
    return (
        (password[0] in "$%{["
        and not password[1:3].isalnum())
        or len(set(password)) == 1
        or password.startswith("${")
        or (password.isupper()
        and "_" in password)
    )


@cache
def _key_marks() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    kind = r"(?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    # Without its end a key goes on as long as its lines look like one.
    return (
        re.compile(f"-----BEGIN {kind}"),
        re.compile(f"-----END {kind}"),
        re.compile(r"(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{24,}(?![^\s\\]))*"),
    )


def _private_keys(text: str) -> Iterator[tuple[int, int]]:
    begin, end, body = _key_marks()
    close = end.search(text)
    place = 0
    while opened := begin.search(text, place):
        while close and close.start() < opened.end():
            close = end.search(text, close.end())
        following = begin.search(text, opened.end())
        limit = min(opened.end() + _LONGEST_KEY, following.start() if following else len(text))
        if close and close.start() <= limit:
            place = close.end()
        else:
            rest = body.match(text, opened.end())
            place = rest.end() if rest else opened.end()
        yield opened.start(), place


def _lines_with(text: str, stems: tuple[str, ...]) -> list[tuple[int, int]]:
    """The parts of a text in which one of these stems occurs: its line and the next, joined where they touch."""
    low = text.lower()
    if len(low) != len(text):  # a letter whose small form is two: then only ASCII may be folded, or the places shift
        low = re.sub("[A-Z]+", lambda found: found[0].lower(), text)
    places: set[int] = set()
    for stem in stems:
        at = low.find(stem)
        while at >= 0:
            places.add(low.rfind("\n", 0, at) + 1)
            after = low.find("\n", at)
            at = low.find(stem, after) if after >= 0 else -1
    parts: list[tuple[int, int]] = []
    for start in sorted(places):
        first = text.find("\n", start)
        second = text.find("\n", first + 1) if first >= 0 else -1
        end = second if second >= 0 else len(text)
        if parts and start <= parts[-1][1]:
            parts[-1] = (parts[-1][0], end)
        else:
            parts.append((start, end))
    return parts
