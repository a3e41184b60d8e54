"""Secrets known by their form: tokens of public services, private keys, addresses with a password."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from reverie.privacy.formats import data, form


def holds_token(text: str) -> bool:
    """Whether a line holds a token of a known service, a piece of a private key or an address with a password."""
    if begins_key(text) or ("://" in text and form("address").search(text)):
        return True
    runs = [run for run in form("run").findall(text) if not run.isalpha()]
    return any(map(_is_token, runs)) or (bool(runs) and form("key_line").fullmatch(text) is not None)


def begins_key(text: str) -> bool:
    return "PRIVATE KEY" in text and form("key_begins").search(text) is not None


def _is_token(run: str) -> bool:
    for rule in data("formats.toml")["rule"]:
        if any(map(run.__contains__, rule["keywords"])):
            for found in _rule(rule["regex"]).finditer(run):
                if not _is_filler(found[0]) and not ("loose" in rule and _is_example(found[0])):
                    return True
    return False


@cache
def _rule(regex: str) -> re.Pattern[str]:
    """A token ends where letters end; it may follow an escaped line break, as `\\nghp_…` inside a JSON string."""
    return re.compile(rf"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))(?:{regex})(?![A-Za-z0-9_])", re.ASCII)


def _is_filler(value: str) -> bool:
    """`ghp_xxxxxxxx`: one character over and over; or the web token of the manuals, whose subject is 1234567890."""
    commonest = max(Counter(value).values())
    return commonest * 5 >= len(value) * 2 or len(set(value)) < 4 or ".eyJzdWIiOiIxMjM0NTY3ODkw" in value


def _is_example(value: str) -> bool:
    """`sk-your-key-here`, `sk-learn-and-more-words`: written to show the form."""
    has_humps = value[1:].lower() != value[1:] != value[1:].upper()
    return not (has_humps or any(map(str.isdigit, value))) or form("example").search(value) is not None
