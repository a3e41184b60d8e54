"""Sets or clears one key of the owner's own reverie.toml. Every other byte of it stays: lines are spliced, nothing is written anew.

The result is read back before it is written: it must say what the file said before, with this key as it was asked for. Where that
fails (a key in a shape that no line can hold) nothing is written and the owner is told to do it by hand. Only for the owner's file;
the file of a workspace stays as it is.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from copy import deepcopy
from pathlib import Path
from typing import Any

from reverie.core import durable
from reverie.core.errors import BadInput, BadSettings, WriteFailed
from reverie.core.settings import Settings, merged
from reverie.evidence.state_files import Steps, read_plain, replace_file
from reverie.lang.messages import say
from reverie.text.lines import split_lines

Value = bool | int | float | str
_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?$")
_ANY_HEADER = re.compile(r"\s*\[")
_KEY = re.compile(r"""\s*([\w.\-"' ]+?)\s*=\s*""")
_REMARK = re.compile(r"[ \t]+#[^\"']*$")


def set_key(file: Path, key: str, value: Value | None) -> None:
    """Write this value of a dotted key (None: take the line out, so that the default holds again)."""
    real = Path(os.path.realpath(file))
    before = read_plain(real) or b""
    try:
        text = before.decode("utf-8")
        table = tomllib.loads(text)
    except ValueError as error:  # neither UTF-8 nor TOML
        raise BadSettings(say("open.bad_toml", path=file, error=error)) from None
    after = spliced(text, key, value)
    wanted = _with(table, key, value)
    merged(Settings(), wanted, lambda name: f"{file.name} ({name})", trusted=True)  # refuses what makes no sense
    if _read(after) != wanted:
        raise BadInput(say("setting_file.by_hand", path=file, key=key))
    try:
        durable.make_folders(real.parent)
        replace_file(real, after.encode("utf-8"), Steps(), expected=before)
    except OSError as error:
        raise WriteFailed(say("setting_file.not_written", path=file, error=error.strerror)) from None
    if read_plain(real) != after.encode("utf-8"):
        raise BadInput(say("setting_file.changed", path=file))


def spliced(text: str, key: str, value: Value | None) -> str:
    """The text with the line of this key changed, added or taken out."""
    table, _, name = key.rpartition(".")
    lines, end = list(split_lines(text)), "\r\n" if "\r\n" in text else "\n"
    places = _tables(lines)
    at = next((i for i, line in enumerate(lines) if _names(line, places[i], key)), None)
    if at is not None:
        lines[at : at + 1] = [] if value is None else [_exchanged(lines[at], value)]
        return "".join(lines)
    if value is None:
        return text
    new = f"{name} = {literal(value)}{end}"
    headers = [i for i, line in enumerate(lines) if (found := _HEADER.match(line)) and _bare(found[1]) == table]
    if table and headers:
        lines.insert(headers[0] + 1, new)
    elif table:
        lines = [*_ended(lines, end), *([end] if lines else []), f"[{table}]{end}", new]
    else:  # before the first table, which would claim it
        first = next((i for i, line in enumerate(lines) if _ANY_HEADER.match(line)), len(lines))
        lines = [*_ended(lines[:first], end), new, *([end] if first < len(lines) else []), *lines[first:]]
    return "".join(lines)


def literal(value: Value) -> str:
    """A value as TOML writes it."""
    return json.dumps(value, ensure_ascii=False)


def _tables(lines: list[str]) -> list[str]:
    """The table that each line stands in; an array of tables is one that no setting of one line lives in."""
    here, found = "", []
    for line in lines:
        if _ANY_HEADER.match(line):
            header = _HEADER.match(line)
            here = _bare(header[1]) if header else "[["
        found.append(here)
    return found


def _names(line: str, table: str, key: str) -> bool:
    said = _KEY.match(line)
    return said is not None and f"{table}.{_bare(said[1])}".lstrip(".") == key


def _bare(text: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in text.split("."))


def _exchanged(line: str, value: Value) -> str:
    body = line.rstrip("\r\n")
    head, remark = _KEY.match(body), _REMARK.search(body)
    assert head is not None
    return f"{head[0]}{literal(value)}{remark[0] if remark else ''}{line[len(body) :]}"


def _ended(lines: list[str], end: str) -> list[str]:
    return [*lines[:-1], lines[-1] + end] if lines and not lines[-1].endswith("\n") else lines


def _with(table: dict[str, Any], key: str, value: Value | None) -> dict[str, Any]:
    """The same table with this key set or gone."""
    wanted = deepcopy(table)
    *above, name = key.split(".")
    here = wanted
    for part in above:
        here = here.setdefault(part, {}) if value is not None else here.get(part, {})
    if value is None:
        here.pop(name, None)
    else:
        here[name] = value
    return wanted


def _read(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
