"""The data of this room as patterns, each compiled when it is first needed: `words.toml` and `formats.toml` say what they mean."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

_LETTER = r"[a-z\xdf-\u024f\u0400-\u04ff]"  # not the Chinese ones: they stand beside Latin words without a space


@cache
def data(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(name).read_text("utf-8"))


@cache
def form(name: str) -> re.Pattern[str]:
    """A pattern of `formats.toml`."""
    alternatives = "|".join(data("formats.toml")["forms"][name])
    return re.compile(
        re.sub(r"<(digits|units|models|says|phones|cards)>", lambda found: choice(found[1]), alternatives)
    )


@cache
def words(table: str) -> re.Pattern[str]:
    """Any word of a table of `words.toml`, in a text of small letters."""
    return re.compile(choice(table))


def mentions(table: str, small: str) -> bool:
    """Whether a text of small letters holds a word of the table; the beginnings spare the pattern to most lines."""
    return any(map(small.__contains__, _beginnings(table))) and words(table).search(small) is not None


def choice(table: str) -> str:
    groups: dict[tuple[str, str], list[str]] = {}
    for word in sorted(_list(table), key=len, reverse=True):
        is_asian = ord(word[0]) > 0x2E80  # Chinese, Japanese and Korean do not divide words
        before = "" if is_asian or word[0] == "*" else f"(?<!{_LETTER})"
        after = "" if is_asian or word[-1] == "*" else f"(?!{_LETTER})"
        groups.setdefault((before, after), []).append(re.escape(word.strip("*")).replace(r"\ ", "[ _-]?"))
    parts = (f"{before}(?:{'|'.join(bodies)}){after}" for (before, after), bodies in groups.items())
    return f"(?:{'|'.join(parts)})"


@cache
def _beginnings(table: str) -> tuple[str, ...]:
    shortest: list[str] = []
    for word in sorted({word.strip("*").split(" ")[0] for word in _list(table)}, key=len):
        if not any(known in word for known in shortest):
            shortest.append(word)
    return tuple(shortest)


def _list(table: str) -> set[str]:
    return {word for language in data("words.toml")[table].values() for word in language}
