"""Secrets known by their form: tokens of public services, private keys, addresses with a password, secrets of a cluster.

The forms of tokens are rules in `token_formats.toml`, which says what its fields mean. In them `\\w` is ASCII: letters, digits, `_`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from reverie.privacy.placeholders import is_drawn, is_empty_web_token, is_example, is_filler

# ---- tokens of public services


class TokenFormat(NamedTuple):
    """One rule of the file."""

    id: str
    regex: str
    keywords: tuple[str, ...]
    loose: bool


@cache
def token_formats() -> tuple[TokenFormat, ...]:
    rules = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["rule"]
    return tuple(TokenFormat(rule["id"], rule["regex"], tuple(rule["keywords"]), "loose" in rule) for rule in rules)


_RUN = re.compile(r"[!-~]{16,}")  # a token needs as many visible characters side by side; prose has almost none
# A token may follow an escaped line break (`\\nghp_…` inside a JSON string); a mask counts as a letter, so that what stands
# beside a mask is read the same way before and after masking.
_AROUND = r"(?:(?<![A-Za-z0-9⟧])|(?<=\\[nrt]))(?:%s)(?![A-Za-z0-9_⟦])"


@cache
def _compiled(regex: str) -> re.Pattern[str]:
    return re.compile(_AROUND % regex, re.ASCII)


@cache
def _pair() -> re.Pattern[str]:
    """The secret half of an Amazon key has no mark of its own, but it often stands beside the other half."""
    return re.compile(r"[\s,:;/|\"'`]{1,6}([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=⟦])")


def token_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where a text holds a token of a known format."""
    for run in _RUN.finditer(text):
        if not run[0].isalpha():
            yield from _tokens_of_run(text, run)


def _tokens_of_run(text: str, run: re.Match[str]) -> Iterator[tuple[int, int]]:
    for rule in token_formats():
        if not any(word in run[0] for word in rule.keywords):
            continue
        for found in _compiled(rule.regex).finditer(text, *run.span()):
            value = found[0]
            if is_filler(value) or is_empty_web_token(value):
                continue
            if rule.loose and (not is_drawn(value) or is_example(value)):
                continue
            yield found.span()
            if value.startswith(("AKIA", "ASIA")) and (second := _pair().match(text, found.end())):
                yield second.span(1)


# ---- what is known by what surrounds it, over several lines

_LONGEST_KEY = 16_000  # characters of a private key between its two marks


def block_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where a text holds a private key, an address with a password or the values of a cluster's secret."""
    if "-----BEGIN" in text:
        yield from _private_keys(text)
    if "://" in text:
        yield from (found.span() for found in _address().finditer(text) if not _blank().match(found["password"]))
    if "Secret" in text and "data:" in text.lower():
        yield from _cluster_secrets(text)


@cache
def _address() -> re.Pattern[str]:
    """An address with a password, up to the end of its host."""
    return re.compile(
        r"(?<![A-Za-z0-9+.⟧-])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@\"'<>⟦⟧]{0,80}+:(?P<password>[^\s/@\"'<>⟦⟧]{1,200}+)@[^\s/\"'`<>)\],;?#⟦⟧]+"
    )


@cache
def _blank() -> re.Pattern[str]:
    """Where a password would stand: `${PW}`, `****`, `<password>`, `PASSWORD`, `your_password`."""
    return re.compile(
        r"[$%]\W|\$\w+$|%\w+%$|[{\[<]|(.)\1*$|[A-Z]+(?:_[A-Z]+)+$|(?:(?:your|my|the|db|user)[_-]?)?(?:password|passwd|pass|pwd|pw|api[_-]?key)$",
        re.I,
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


@cache
def _cluster() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    return (
        re.compile(r"^[ \t]{0,40}kind:[ \t]{0,9}[\"']?Secret[\"']?[ \t]*$", re.M),
        re.compile(r"^(?P<indent>[ \t]{0,40})(?P<key>[\w.-]{1,80}):[ \t]{0,9}(?P<value>[^\n]*)$", re.M),
        re.compile(r"[\"']?([^\s\"'{}<>$⟦⟧]{6,})[\"']?[ \t]*$"),
    )


def _cluster_secrets(text: str) -> Iterator[tuple[int, int]]:
    """The values below `data:` of a document whose kind is Secret."""
    kind, line, value = _cluster()
    start = 0
    for part in text.split("\n---"):
        if kind.search(part):
            below: int | None = None
            for found in line.finditer(part):
                depth = len(found["indent"])
                if below is not None and depth <= below:
                    below = None
                if below is not None and (held := value.fullmatch(found["value"])):
                    yield start + found.start("value") + held.start(1), start + found.start("value") + held.end(1)
                elif found["key"] in ("data", "stringData") and not found["value"].strip():
                    below = depth
        start += len(part) + 4
