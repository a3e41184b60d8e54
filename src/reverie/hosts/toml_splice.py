"""Adds a table to a TOML file of somebody else's, at its end: no byte of what stands there changes, and taking it out gives them back."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from reverie.lang.messages import say


class NoToml(ValueError):
    """The text is no TOML that we can add to."""


def added(text: str, name: Sequence[str], values: Mapping[str, Any], *, array: bool = False) -> tuple[str, str]:
    """The text with this table behind everything else, and what was added. A table that is there already is not touched: NoToml."""
    before = _parsed(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    head = ".".join(name)
    lines = [f"[[{head}]]" if array else f"[{head}]", *(f"{key} = {_told(value)}" for key, value in values.items())]
    gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
    piece = gap + "".join(f"{line}{newline}" for line in lines)
    after = _parsed(text + piece)
    if after != _with(before, name, dict(values), array=array):  # the name meant something else there
        raise NoToml(say("json.other_value", key=head))
    return text + piece, piece


def _with(table: dict[str, Any], name: Sequence[str], values: dict[str, Any], *, array: bool) -> dict[str, Any]:
    *outer, last = name
    node = table
    for key in outer:
        inner = node.setdefault(key, {})
        if not isinstance(inner, dict):
            raise NoToml(say("json.other_value", key=key))
        node = inner
    if array:
        node.setdefault(last, []).append(values)
    else:
        node[last] = values
    return table


def _told(value: Any) -> str:
    """A text, a number or a list of texts: what JSON says, TOML says alike."""
    return json.dumps(value, ensure_ascii=False)


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise NoToml(str(error)) from None
