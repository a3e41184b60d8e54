"""Adds to a settings file of somebody else's without changing a byte of what stands there: JSON, and JSON5 with its comments.

What is added is one piece of text at one place, so taking it out again gives the old bytes, whatever else was changed since.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from reverie.lang.messages import say

_TOKEN = re.compile(
    r"(?P<space>[\s\ufeff]+|//[^\n\r]*|/\*.*?\*/)"
    r"""|(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
    r"|(?P<mark>[{}\[\]:,])"
    r"|(?P<word>[^\s{}\[\]:,\"'/]+)",
    re.S,
)


class NoJson(ValueError):
    """The text is no JSON that we can add to."""


@dataclass(slots=True)
class _Node:
    """An object, an array or a plain value, and where it stands."""

    kind: str
    start: int
    end: int = 0
    items: list[tuple[str, _Node]] = field(default_factory=list)
    comma: int = 0  # where the text goes on after a comma behind the last item; 0 without one
    begins: int = 0  # of an item: where its key stands, or else itself

    def get(self, key: str) -> _Node | None:
        return next((node for name, node in self.items if name == key), None)


def added(text: str, path: Sequence[str], value: Any, *, append: bool = False) -> tuple[str, str]:
    """The text with `value` under the keys of `path` (or, with `append`, as a new item of the array there), and what was added.

    Objects and the array on the way are made where they are missing. A key that is there already is not touched: NoJson.
    """
    root = _parsed(text)
    node, rest = root, list(path)
    while rest and node.kind == "object" and (inner := node.get(rest[0])) is not None:
        node = inner
        rest.pop(0)
    if not rest and not append:
        raise NoJson(say("json.there_already", key=".".join(path)))
    if node.kind != ("array" if not rest else "object"):
        raise NoJson(say("json.other_value", key=".".join(path[: len(path) - len(rest)]) or say("json.whole_file")))
    key = rest.pop(0) if rest else None
    whole: Any = value if key is None or not append else [value]
    for name in reversed(rest):
        whole = {name: whole}
    return _with(text, node, key, whole)


def taken_out(text: str, pieces: Sequence[str]) -> str | None:
    """The text without what was added, the newest piece first; None where one is not there as often as it was added."""
    for number, piece in reversed(list(enumerate(pieces))):
        if text.count(piece) != pieces[: number + 1].count(piece):
            return None
        at = text.rfind(piece)
        text = text[:at] + text[at + len(piece) :]
    try:
        _parsed(text)
    except NoJson:  # somebody wrote on behind what we added: without it the rest would be no JSON
        return None
    return text


def without(text: str, path: Sequence[str], value: Any, *, append: bool = False) -> str | None:
    """The text without this value, wherever its host moved it when it wrote the file anew; None where it does not stand so.

    What was made on the way to it stays, empty: nobody can tell any more whose it is.
    """
    node: _Node | None = _parsed(text)
    for key in path if append else path[:-1]:
        node = node.get(key) if node and node.kind == "object" else None
    if node is None or node.kind != ("array" if append else "object"):
        return None
    for number, (key, item) in enumerate(node.items):
        if (append or key == path[-1]) and _plain(text[item.start : item.end]) == value:
            start, end = _span(node, number)
            return text[:start] + text[end:]
    return None


def _span(node: _Node, number: int) -> tuple[int, int]:
    """An item with the comma that goes with it."""
    items = [item for _, item in node.items]
    if number + 1 < len(items):
        return items[number].begins, items[number + 1].begins
    if number:
        return items[number - 1].end, items[number].end
    return node.start + 1, node.end - 1


def _plain(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _with(text: str, node: _Node, key: str | None, value: Any) -> tuple[str, str]:
    newline = "\r\n" if "\r\n" in text else "\n"
    unit = _unit(text)
    outer = _indent(text, node.start)
    inner = (
        _indent(text, node.items[0][1].start) if node.items and newline in text[node.start : node.end] else outer + unit
    )
    told = json.dumps(value, ensure_ascii=False, indent=unit)
    member = (f"{json.dumps(key, ensure_ascii=False)}: " if key is not None else "") + told.replace(
        "\n", f"{newline}{inner}"
    )
    if not node.items:
        empty = text[node.start + 1 : node.end - 1]
        piece = f"{newline}{inner}{member}" + ("" if newline in empty else f"{newline}{outer}")
        at = node.start + 1
    else:
        at = node.comma or node.items[-1][1].end
        piece = ("" if node.comma else ",") + f"{newline}{inner}{member}"
    return text[:at] + piece + text[at:], piece


def _indent(text: str, at: int) -> str:
    """The white space that the line of this place begins with."""
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    found = re.match(r"[ \t]*", text[start:])
    return found[0] if found else ""


def _unit(text: str) -> str:
    found = re.search(r"[{\[][^\S\n\r]*\r?\n([ \t]+)\S", text)
    return found[1] if found and len(found[1]) <= 8 else "  "


def _parsed(text: str) -> _Node:
    tokens: list[tuple[str, str, int, int]] = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise NoJson(say("json.not_json", line=text.count("\n", 0, at) + 1))
        if found.lastgroup != "space":
            tokens.append((found.lastgroup or "", found[0], found.start(), found.end()))
        at = found.end()
    try:
        node, place = _value(tokens, 0)
    except (IndexError, RecursionError):
        raise NoJson(say("json.ends_early")) from None
    if place != len(tokens) or node.kind != "object":
        raise NoJson(say("json.not_object"))
    return node


Tokens = list[tuple[str, str, int, int]]


def _value(tokens: Tokens, at: int) -> tuple[_Node, int]:
    kind, word, start, end = tokens[at]
    if word == "{" and kind == "mark":
        return _container(tokens, at, "object", "}")
    if word == "[" and kind == "mark":
        return _container(tokens, at, "array", "]")
    if kind == "mark":
        raise NoJson(say("json.no_value", text=repr(word)))
    return _Node("value", start, end), at + 1


def _container(tokens: Tokens, at: int, kind: str, closing: str) -> tuple[_Node, int]:
    node = _Node(kind, tokens[at][2])
    at += 1
    while tokens[at][1] != closing or tokens[at][0] != "mark":
        if node.items and not node.comma:
            raise NoJson(say("json.no_comma", text=tokens[at][1]))
        key, begins = "", tokens[at][2]
        if kind == "object":
            key = _name(tokens[at])
            if tokens[at + 1][1] != ":":
                raise NoJson(say("json.no_colon", text=key))
            at += 2
        inner, at = _value(tokens, at)
        inner.begins = begins
        node.items.append((key, inner))
        node.comma = 0
        if tokens[at][0] == "mark" and tokens[at][1] == ",":
            node.comma = tokens[at][3]
            at += 1
    node.end = tokens[at][3]
    return node, at + 1


def _name(token: tuple[str, str, int, int]) -> str:
    kind, word, _, _ = token
    if kind == "word":
        return word
    if kind != "string":
        raise NoJson(say("json.no_key", text=repr(word)))
    if word.startswith('"'):
        try:
            return str(json.loads(word, strict=False))
        except ValueError:
            return word[1:-1]
    return word[1:-1]
