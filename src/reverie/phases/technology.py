"""Whether a line is about a machine, by its form alone: an address, a port, a version, a size of data, or a machine's name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from reverie.lang import words
from reverie.lang.lexicon import either

_FORM = re.compile(
    r"\b(?:\d{1,3}\.){3}\d{1,3}\b|\blocalhost\b|\b[\w-]+\.(?:local|lan|internal)\b|\b[a-z][\w-]*:\d{4,5}\b"
    r"|\bv\d+(?:\.\d+)+\b|\b\d+\.\d+\.\d+\b(?!\.\d)|\b\d+(?:[.,]\d+)? ?[KMGT]i?B\b",
    re.I,
)
_KEY = re.compile(r"(?:^|[;；]\s*)([^\W\d_][\w-]{2,20})[:：]")


def is_technical(text: str) -> bool:
    """Whether a line holds something only machines have."""
    return bool(_FORM.search(text) or _numbered().search(text))


def machines_in(lines: Iterable[str]) -> list[re.Pattern[str]]:
    """The names of the owner's machines: the keys of technical lines, spelt exactly so."""
    keys = [key for line in lines if is_technical(line) for key in _KEY.findall(line)]
    return [re.compile(rf"(?<!\w){re.escape(name)}(?!\w)") for name in dict.fromkeys(keys)]


def names_one(text: str, machines: Sequence[re.Pattern[str]]) -> bool:
    return any(name.search(text) for name in machines)


@cache
def _numbered() -> re.Pattern[str]:
    """`port 5433`, `version 3.11`, in any language."""
    ports, versions = either(words("technology.ports")), either(words("technology.versions"))
    return re.compile(rf"(?:{ports})\s*[:：号]?\s*\d{{2,5}}\b|(?:{versions})\s*\d+(?:\.\d+)*", re.I)
