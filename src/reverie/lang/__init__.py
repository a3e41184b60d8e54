"""Languages as data: one TOML file for each, and the only reader of them.

A tenth language is one more file here. Code asks for a group of words and gets those of all languages together, because a
note mixes them freely; what is said to a person is asked for in one language.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

LANGUAGES = ("en", "zh", "de", "es", "fr", "pt", "ru", "ja", "ko")  # the order in which people are offered them


@cache
def table(language: str) -> Mapping[str, Any]:
    """Everything the file of one language holds; loaded when it is first asked for."""
    text = files("reverie.lang").joinpath(f"{language}.toml").read_text("utf-8")
    return MappingProxyType(tomllib.loads(text))


@cache
def words(group: str) -> tuple[str, ...]:
    """The words of a group (`access.names` is the list `names` of the table `access`) in all languages, each once."""
    found: dict[str, None] = {}
    for language in LANGUAGES:
        here: Any = table(language)
        for name in group.split("."):
            here = here.get(name, {}) if isinstance(here, Mapping) else {}
        found.update(dict.fromkeys(here if isinstance(here, list) else ()))
    return tuple(found)


__all__ = ["LANGUAGES", "table", "words"]
