"""Adds to somebody else's settings without changing a byte of what stands there: JSON and JSON5 with comments, TOML, YAML.

What is added is one piece of text at one place, so taking it out gives the old bytes, whatever else was changed since.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reverie.errors import ReverieError

_TOKEN = re.compile(
    r"(?P<space>[\s\ufeff]+|//[^\n\r]*|/\*(?:[^*]|\*(?!/))*\*/)|(?P<string>\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*')"
    r"|(?P<mark>[{}\[\]:,])|(?P<word>[^\s{}\[\]:,\"'/]+)",
    re.S,
)

_YAML_LINE = re.compile(r"\ufeff?(?:[\w.-]+\s*:|#|[ \t]|- |\r?\n|---\s*\n)")  # of the top, each plain


class CannotSplice(ReverieError):
    """The text is none that we can add to, or holds such a key already."""


@dataclass(slots=True)
class _Node:
    kind: str  # object, array or value
    start: int
    end: int = 0
    items: list[tuple[str, "_Node"]] = field(default_factory=list)
    comma: int = 0  # where the text goes on behind a comma after the last item
    begins: int = 0  # of an item: where its key stands

    def get(self, key: str) -> "_Node | None":
        return next((node for name, node in self.items if name == key), None)


def added(form: str, text: str, path: Sequence[str], value: Any, *, append: bool = False) -> tuple[str, str]:
    """The text with a value under these keys (`append`: as a new item of the list there), and the piece that was added."""
    if form == "json":
        return _json_added(text or "{}\n", path, value, append=append)
    ending = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text.strip() else ending if text.endswith("\n") else ending * 2
    if form == "yaml":
        return _yaml_added(text, path, [value] if append else value, ending)
    lines = [f"[{'.'.join(path)}]", *(f"{key} = {json.dumps(item, ensure_ascii=False)}" for key, item in value.items())]
    piece = gap + "".join(f"{line}{ending}" for line in lines)
    _check_toml(text, piece, path)
    return text + piece, piece


def _yaml_added(text: str, path: Sequence[str], value: Any, ending: str) -> tuple[str, str]:
    """Below the last of these keys that is there, as its first item; else at the end."""
    lines = re.findall(r"[^\n]*\n|[^\n]+$", text)
    if not all(map(_YAML_LINE.match, lines)):
        raise CannotSplice("It is no plain YAML of one document; add ours there by hand.")
    at, end, indent, rest, is_item = 0, len(lines), "", list(path), False
    while rest:
        found = next((n for n in range(at, end) if re.match(rf"{indent}{rest[0]}\s*:", lines[n])), -1)
        if found < 0:
            break
        filled = (n for n in range(found + 1, end) if lines[n].strip() and lines[n].lstrip()[0] != "#")
        at = next(filled, found)
        inner, is_item = lines[at][: -len(lines[at].lstrip(" "))], lines[at].lstrip()[:2] == "- "
        if lines[found].partition("#")[0].rstrip()[-1] != ":" or len(inner) < len(indent) + (not is_item):
            raise CannotSplice(f"Its key {rest[0]!r} is no plain block; add ours there by hand.")
        end = next((n for n in range(at, end) if lines[n].strip() and not lines[n].startswith(inner)), end)
        rest, indent = rest[1:], inner
    if is_item == bool(rest):
        raise CannotSplice(f"It has something else at {'.'.join(path)!r}; add ours there by hand.")
    for key in reversed(rest[1:]):
        value = {key: value}
    said = json.dumps(value if rest else value[0], ensure_ascii=False)  # JSON is YAML
    piece = f"{indent}{rest[0]}: {said}" if rest else f"{indent}- {said}"
    place = len("".join(lines[:at])) if rest != list(path) else len(text)
    piece = ending * bool(place and text[place - 1] != "\n") + piece + ending
    return text[:place] + piece + text[place:], piece


def taken_out(form: str, text: str, pieces: Sequence[str]) -> str | None:
    """The text without what was added, the newest piece first; None where a piece is not there just once more."""
    for piece in reversed(pieces):
        if piece not in text:
            return None
        before, _, below = text.rpartition(piece)
        signs = (line.strip()[:1] for line in below.split("\n"))
        if form == "toml" and next((sign for sign in signs if sign not in ("", "#")), "[") != "[":
            return None  # a key of our table that we did not write would slip under the one above
        text = before + below
    try:
        if form == "json":
            _parsed(text)
        elif form == "toml":
            tomllib.loads(text.removeprefix("\ufeff"))
    except (CannotSplice, tomllib.TOMLDecodeError):
        return None
    return text


def without(text: str, path: Sequence[str], value: Any, *, append: bool = False) -> str | None:
    """JSON without this value, wherever its host moved it when it wrote the file anew; None where it does not stand so."""
    node: _Node | None = _parsed(text)
    for key in path if append else path[:-1]:
        node = node.get(key) if node and node.kind == "object" else None
    for number, (key, item) in enumerate(node.items if node else ()):
        if (append or key == path[-1]) and _plain(text[item.start : item.end]) == value:
            assert node
            start, end = _span(node, number)
            return text[:start] + text[end:]
    return None


def holds(text: str, path: Sequence[str]) -> bool:
    """Whether JSON has a value under these keys."""
    node: _Node | None = _parsed(text or "{}")
    for key in path:
        node = node.get(key) if node and node.kind == "object" else None
    return node is not None


def _json_added(text: str, path: Sequence[str], value: Any, *, append: bool) -> tuple[str, str]:
    node, rest = _parsed(text), list(path)
    while rest and node.kind == "object" and (inner := node.get(rest[0])):
        node, rest = inner, rest[1:]
    if (not rest and not append) or node.kind != ("object" if rest else "array"):
        raise CannotSplice(f"It has a value at {'.'.join(path[: len(path) - len(rest)])!r} already, which is not ours.")
    key = rest.pop(0) if rest else None
    whole: Any = [value] if key is not None and append else value
    for name in reversed(rest):
        whole = {name: whole}
    return _with(text, node, key, whole)


def _with(text: str, node: _Node, key: str | None, value: Any) -> tuple[str, str]:
    """The text with one more item in a container, set as its neighbours are."""
    ending, unit, outer = "\r\n" if "\r\n" in text else "\n", _unit(text), _indent(text, node.start)
    is_spread = node.items and ending in text[node.start : node.end]
    inner = _indent(text, node.items[0][1].begins) if is_spread else outer + unit
    said = json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", f"{ending}{inner}")
    member = said if key is None else f"{json.dumps(key, ensure_ascii=False)}: {said}"
    if node.items:
        at = node.comma or node.items[-1][1].end
        piece = f"{'' if node.comma else ','}{ending}{inner}{member}"
    else:
        at = node.start + 1
        piece = f"{ending}{inner}{member}" + ("" if ending in text[at : node.end - 1] else f"{ending}{outer}")
    return text[:at] + piece + text[at:], piece


def _span(node: _Node, number: int) -> tuple[int, int]:
    """An item with the comma that goes with it."""
    items = [item for _, item in node.items]
    if number + 1 < len(items):
        return items[number].begins, items[number + 1].begins
    return (items[number - 1].end, items[number].end) if number else (node.start + 1, node.end - 1)


def _plain(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _indent(text: str, at: int) -> str:
    line = text[max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    found = re.search(r"[{\[][^\S\n\r]*\r?\n([ \t]{1,8})\S", text)
    return found[1] if found else "  "


def _check_toml(text: str, piece: str, path: Sequence[str]) -> None:
    try:
        before, after = tomllib.loads(text.removeprefix("\ufeff")), tomllib.loads((text + piece).removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError:
        raise CannotSplice(
            f"It is no TOML, or takes no table {'.'.join(path)!r} at its end; add ours by hand."
        ) from None
    outer: Mapping[str, Any] = before
    for key in path:
        outer = outer.get(key, {}) if isinstance(outer, dict) else {}
    if outer or after == before:
        raise CannotSplice(f"It has a table {'.'.join(path)!r} already.")


def _parsed(text: str) -> _Node:
    tokens, at = list[tuple[str, str, int, int]](), 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise CannotSplice(f"It is no JSON from line {text.count(chr(10), 0, at) + 1} on.")
        if found.lastgroup != "space":
            tokens.append((found.lastgroup or "", found[0], found.start(), found.end()))
        at = found.end()
    try:
        node, place = _value(tokens, 0)
    except (IndexError, RecursionError):
        raise CannotSplice("It is JSON that ends too early.") from None
    if place != len(tokens) or node.kind != "object":
        raise CannotSplice("It is no JSON object.")
    return node


def _value(tokens: list[tuple[str, str, int, int]], at: int) -> tuple[_Node, int]:
    kind, word, start, end = tokens[at]
    if kind != "mark":
        return _Node("value", start, end), at + 1
    if word not in "{[":
        raise CannotSplice(f"It is no JSON: {word!r} is no value.")
    node, closing, at = _Node("object" if word == "{" else "array", start), "}" if word == "{" else "]", at + 1
    while tokens[at][:2] != ("mark", closing):
        if node.items and not node.comma:
            raise CannotSplice("It is no JSON: a comma is missing.")
        key, begins = "", tokens[at][2]
        if node.kind == "object":
            key, at = tokens[at][1].strip("\"'"), at + 1
            if tokens[at][1] != ":":
                raise CannotSplice("It is no JSON: a colon is missing.")
            at += 1
        inner, at = _value(tokens, at)
        inner.begins, node.comma = begins, 0
        node.items.append((key, inner))
        if tokens[at][:2] == ("mark", ","):
            node.comma, at = tokens[at][3], at + 1
    node.end = tokens[at][3]
    return node, at + 1
