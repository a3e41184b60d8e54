"""Reading DREAM.md, the owner's own page of wishes (seed 001): settings, protected sections, custom rules."""

from __future__ import annotations

import re
from typing import Any

from reverie.core.errors import BadSettings
from reverie.text.lines import plain_heading
from reverie.text.markdown import Document, Shape, parse

_PART = {
    "settings": "settings", "设置": "settings", "einstellungen": "settings", "ajustes": "settings",
    "protected sections": "protected", "受保护章节": "protected", "保护章节": "protected", "geschützte abschnitte": "protected",
    "custom rules": "rules", "自定义规则": "rules", "eigene regeln": "rules",
}  # fmt: skip
_SETTING = re.compile(r"[`*]*(?P<key>[\w.-]+)[`*]*\s*[:：=]\s*[`*]*(?P<value>[^`*]+?)[`*]*\s*(?:#.*)?$")
_WHERE = {
    "max_memory_lines": ("memory", "max_lines"), "maxmemorylines": ("memory", "max_lines"),
    "lookback_days": ("dream", "lookback_days"), "lookbackdays": ("dream", "lookback_days"),
    "min_hours_between_dreams": ("dream", "min_hours_between_dreams"),
    "minhoursbetweendreams": ("dream", "min_hours_between_dreams"),
    "timezone": ("", "timezone"),
}  # fmt: skip


def read_dream_md(text: str, where: str = "DREAM.md") -> dict[str, Any]:
    """The table that DREAM.md stands for. Unknown settings are refused with their line and the nearest known one."""
    document = parse(text)
    table: dict[str, Any] = {}
    listed: dict[str, list[str]] = {"protected": [], "rules": []}
    for block in document.blocks:
        part = _part_of(document, block.heading)
        if block.shape not in (Shape.BULLET, Shape.NUMBERED, Shape.PARAGRAPH) or not block.text:
            continue
        if part == "settings":
            _set(table, block.text, f"{where}:{block.first + 1}")
        elif part and (block.shape is not Shape.PARAGRAPH or part == "rules"):
            listed[part].append(block.text.strip('`*#"“” ') if part == "protected" else block.text)
    if listed["protected"]:
        table["protected_sections"] = listed["protected"]
    if listed["rules"]:
        table["custom_rules"] = listed["rules"]
    return table


def line_of(text: str, key: str) -> str:
    """Where a setting stands, as `:12`; nothing when it cannot be found."""
    names = {name for name, (group, inner) in _WHERE.items() if f"{group}.{inner}".lstrip(".") == key}
    for number, line in enumerate(text.split("\n"), 1):
        found = _SETTING.match(line.strip().lstrip("-*+ "))
        if found and found["key"].lower().replace("-", "_") in names:
            return f":{number}"
    return ""


def _part_of(document: Document, heading: int | None) -> str:
    while heading is not None:
        block = document.blocks[heading]
        if part := _PART.get(plain_heading(block.text)):
            return part
        heading = block.heading
    return ""


def _set(table: dict[str, Any], text: str, where: str) -> None:
    found = _SETTING.match(text)
    if not found:
        return  # prose between the settings is the owner's
    group, key = _place(found["key"], where)
    raw = found["value"].strip()
    value: Any = raw
    if group:
        if not re.fullmatch(r"\d+", raw):
            raise BadSettings(f"{where} sets `{found['key']}` to {raw!r}; it must be a whole number.")
        value = int(raw)
    (table.setdefault(group, {}) if group else table)[key] = value


def _place(name: str, where: str) -> tuple[str, str]:
    plain = name.lower().replace("-", "_")
    if plain in _WHERE:
        return _WHERE[plain]
    import difflib  # only for the error: difflib is slow to load

    near = difflib.get_close_matches(plain, _WHERE, n=1, cutoff=0.4)
    hint = (
        f"; did you mean `{near[0]}`?"
        if near
        else ". Known are max_memory_lines, lookback_days and min_hours_between_dreams."
    )
    raise BadSettings(f"{where} sets `{name}`, which is not a setting{hint}")
