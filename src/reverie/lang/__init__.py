"""Languages as data: one TOML file for each, and the only reader of them.

A tenth language is one more file here. Code asks for a group of words and gets those of all languages together, because a
note mixes them freely; what is said to a person is asked for in one language (`lang/messages.py`). Only the tables that are
asked for are parsed: a file holds thousands of words, and a command needs few.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

_HERE = Path(__file__).parent
_PLACE = re.compile(r"^place = (\d+)", re.M)
_HEADER = re.compile(r"^\[([\w.]+)\]", re.M)
ENGLISH = "en"  # where nothing tells which language somebody speaks


@cache
def _parts(language: str) -> tuple[tuple[str, str], ...]:
    """The tables of a file, each with its name, as text; what stands above the first table has no name."""
    text = (_HERE / f"{language}.toml").read_text("utf-8")
    starts = [(0, ""), *((found.start(), found[1]) for found in _HEADER.finditer(text))]
    ends = [start for start, _ in starts[1:]] + [len(text)]
    return tuple((name, text[start:end]) for (start, name), end in zip(starts, ends, strict=True))


@cache
def _head(language: str) -> str:
    """The first table of a file, `[language]`: every command needs it of all languages, and few need more than one file."""
    lines: list[str] = []
    with (_HERE / f"{language}.toml").open(encoding="utf-8") as file:
        for line in file:
            if _HEADER.match(line) and not line.startswith("[language]"):
                break
            lines.append(line)
    return "".join(lines)


@cache
def table(language: str, name: str) -> Mapping[str, Any]:
    """One table of the file of a language, with the tables inside it; empty where the file has none of that name."""
    parts = (part for named, part in _parts(language) if named == name or named.startswith(f"{name}."))
    found: Any = tomllib.loads(_head(language) if name == "language" else "".join(parts))
    for step in name.split("."):
        found = found.get(step, {})
    return MappingProxyType(found)


def _languages() -> tuple[str, ...]:
    """The order in which people are offered them, and in which their words are looked up: as each file says."""
    places = {path.stem: int(_PLACE.search(_head(path.stem))[1]) for path in _HERE.glob("*.toml")}  # type: ignore[index]
    return tuple(sorted(places, key=lambda code: places[code]))


LANGUAGES = _languages()


@cache
def words(group: str) -> tuple[str, ...]:
    """The words of a group (`access.names` is the list `names` of the table `access`) in all languages, each once."""
    found: dict[str, None] = {}
    for language in LANGUAGES:
        found.update(dict.fromkeys(words_in(group, language)))
    return tuple(found)


@cache
def words_in(group: str, language: str) -> tuple[str, ...]:
    """The words of a group in one language."""
    inside, _, name = group.rpartition(".")
    here = table(language, inside).get(name, ())
    return tuple(here) if isinstance(here, list) else ()


def script(language: str) -> str:
    """The letters a language is written with: `latin`, `cyrillic`, `han`, `kana` (with `han`) or `hangul`."""
    return str(table(language, "language")["script"])


def named(language: str) -> str:
    """The name of a language as those who speak it write it."""
    return str(table(language, "language")["name"])
