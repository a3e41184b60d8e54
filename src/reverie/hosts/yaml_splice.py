"""Adds a key to a YAML file of somebody else's, below one of its top-level keys: no byte of what stands there changes.

Only what can be told from the lines: a top-level key that is not there yet, one with an indented block below it, or an empty `{}`.
Everything else is left to the owner. What is added is JSON in one line, which YAML reads.
"""

from __future__ import annotations

import json
import re
from typing import Any

from reverie.lang.messages import say
from reverie.text.lines import bare, split_lines


class NoYaml(ValueError):
    """The text is no YAML that we can add to."""


_EMPTY = re.compile(r"[ \t]*\{(?P<inside>[ \t]*)\}[ \t]*(?:#.*)?$")
_BLOCK = re.compile(r"[ \t]*(?:#.*)?$")


def added(text: str, section: str, key: str, value: Any) -> tuple[str, str]:
    """The text with `key: value` below `section`, and what was added."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = split_lines(text)
    if any(bare(line) == "..." or (bare(line).startswith("---") and number) for number, line in enumerate(lines)):
        raise NoYaml(say("json.other_value", key=say("json.whole_file")))
    entry = f"{key}: {json.dumps(value, ensure_ascii=False)}"
    heads = [number for number, line in enumerate(lines) if _names(line, section)]
    if not heads:
        gap = "" if not text or text.endswith("\n") else newline
        return _put(text, len(text), f"{gap}{section}:{newline}  {entry}{newline}")
    if len(heads) > 1:
        raise NoYaml(say("json.other_value", key=section))
    at = heads[0]
    start = sum(len(line) for line in lines[:at])
    rest = bare(lines[at]).partition(":")[2]
    if empty := _EMPTY.match(rest):
        return _put(text, start + lines[at].index(":") + 1 + empty.start("inside"), entry)
    block = _block_below(lines, at) if _BLOCK.match(rest) else []
    if not block:
        raise NoYaml(say("json.other_value", key=section))
    indent = min((line[: len(line) - len(line.lstrip(" "))] for line in block), key=len)
    if any(_names(line.removeprefix(indent), key) for line in block if not line.removeprefix(indent).startswith(" ")):
        raise NoYaml(say("json.there_already", key=f"{section}.{key}"))
    return _put(text, start + len(lines[at]), f"{indent}{entry}{newline}")


def _names(line: str, key: str) -> bool:
    """Whether this line, at the left edge, gives this key a value."""
    return bool(re.match(rf"[\"']?{re.escape(key)}[\"']?[ \t]*:(?:\s|$)", bare(line)))


def _block_below(lines: tuple[str, ...], at: int) -> list[str]:
    """The lines of the mapping below a key, without comments and blank lines; empty where there is none, or a list."""
    block: list[str] = []
    for line in lines[at + 1 :]:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not line.startswith(" "):
            break
        block.append(bare(line))
    return [] if block and block[0].lstrip().startswith("- ") else block


def _put(text: str, at: int, piece: str) -> tuple[str, str]:
    return text[:at] + piece + text[at:], piece
