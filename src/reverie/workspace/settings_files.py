"""What the hosts of this machine say about themselves: where their folders lie, and what stands in `openclaw.json`.

Read only. A file that is not there says nothing; one that cannot be understood is named with its line.

Reading DREAM.md, the owner's own page of wishes (seed 001): settings, protected sections, custom rules.

Which folders on this machine are somebody's memory: OpenClaw's, Claude Code's, and those the owner names.

Looks at settings and names of folders only; no note is opened. What is not there is not found, and the same real folder
is found once, by whoever named it first.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reverie.core.errors import BadSettings
from reverie.text.lines import plain_heading
from reverie.text.markdown import Document, Shape, parse

SETTINGS_FILE = "reverie.toml"


def home(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("HOME") or environ.get("USERPROFILE") or "~").expanduser()


def owners_file(environ: Mapping[str, str]) -> Path:
    """The owner's own settings, which hold for every workspace."""
    return Path(environ.get("XDG_CONFIG_HOME") or home(environ) / ".config") / "reverie" / SETTINGS_FILE


def state_folder(environ: Mapping[str, str]) -> Path:
    """Where we keep what belongs to this user and to no workspace."""
    return Path(environ.get("XDG_STATE_HOME") or home(environ) / ".local" / "state") / "reverie"


def openclaw_folder(environ: Mapping[str, str]) -> Path:
    """Where OpenClaw keeps its state, its default workspace among it."""
    return Path(environ.get("OPENCLAW_STATE_DIR") or home(environ) / ".openclaw").expanduser()


def openclaw_file(environ: Mapping[str, str]) -> Path:
    if named := environ.get("OPENCLAW_CONFIG_PATH"):
        return Path(named).expanduser()
    return openclaw_folder(environ) / "openclaw.json"


def claude_folder(environ: Mapping[str, str]) -> Path:
    """Where Claude Code keeps what it knows of each project."""
    return Path(environ.get("CLAUDE_CONFIG_DIR") or home(environ) / ".claude").expanduser() / "projects"


def read_openclaw(file: Path) -> dict[str, Any]:
    """The host's settings; nothing when there is no such file. It is JSON5, and most are plain JSON."""
    text = text_of(file)
    if text is None:
        return {}
    import json

    try:
        value = json.loads(text)
    except ValueError:
        value = _json5(text, file)
    return value if isinstance(value, dict) else {}


def value_at(value: Any, *keys: str) -> Any:
    """What stands below these keys, or None; a host's file may hold anything."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def text_of(file: Path) -> str | None:
    """A settings file as text; None when there is none."""
    try:
        return file.read_text("utf-8-sig", "replace")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise BadSettings(f"{file} cannot be read ({error.strerror}). Mend it or move it away.") from None


def _json5(text: str, file: Path) -> Any:
    import pyjson5  # openclaw.json may have comments and trailing commas; most have not

    try:
        return pyjson5.loads(text)
    except pyjson5.Json5Exception as error:
        line = text.count("\n", 0, _position(str(error))) + 1
        raise BadSettings(f"{file}:{line} is not valid JSON5. Mend it, then run again.") from None


def _position(message: str) -> int:
    found = re.search(r"(?:near|position)\D*(\d+)", message)
    return int(found[1]) if found else 0


_PART = {
    "settings": "settings", "设置": "settings", "einstellungen": "settings", "ajustes": "settings",
    "protected sections": "protected", "受保护章节": "protected", "保护章节": "protected", "geschützte abschnitte": "protected",
    "custom rules": "rules", "自定义规则": "rules", "eigene regeln": "rules",
}  # fmt: skip
_SETTING = re.compile(r"[`*]*(?P<key>[\w.-]+)[`*]*\s*[:：=]\s*[`*]*(?P<value>[^`*]+?)[`*]*\s*(?:#.*)?$")
_ACCEPTED = "accepted"  # a setting of seed 001 without effect: every note that is new is read, however old it is
_WHERE = {
    "max_memory_lines": ("memory", "max_lines"), "maxmemorylines": ("memory", "max_lines"),
    "lookback_days": (_ACCEPTED, ""), "lookbackdays": (_ACCEPTED, ""),
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
    if group == _ACCEPTED:
        return
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


SETTINGS, OPENCLAW, CLAUDE = "settings", "openclaw", "claude-code"


@dataclass(frozen=True, slots=True)
class Found:
    """A folder of Markdown that somebody works with: where it lies, what to call it, and who named it."""

    root: Path
    label: str
    source: str


def discover(environ: Mapping[str, str], named: Sequence[str] = ()) -> tuple[Found, ...]:
    """Every workspace there is: first those the owner names, then OpenClaw's, then Claude Code's."""
    seen: dict[str, Found] = {}
    for found in (*_named(environ, named), *_of_openclaw(environ), *_of_claude(environ)):
        if found.root.is_dir():
            real = Path(os.path.realpath(found.root))
            seen.setdefault(os.path.normcase(real), Found(real, found.label, found.source))
    return tuple(seen.values())


def _named(environ: Mapping[str, str], folders: Sequence[str]) -> Iterator[Found]:
    for folder in folders:
        root = _expanded(folder, environ)
        if folder.strip() and root.is_absolute():  # relative to what, at three in the morning?
            yield Found(root, root.name, SETTINGS)


def _of_openclaw(environ: Mapping[str, str]) -> Iterator[Found]:
    """The default workspace, and that of every agent; an agent without one of its own has `workspace-<id>`."""
    table, state = read_openclaw(openclaw_file(environ)), openclaw_folder(environ)
    said = value_at(table, "agents", "defaults", "workspace") or value_at(table, "agent", "workspace")
    default = _expanded(said, environ) if isinstance(said, str) and said else home(environ) / ".openclaw" / "workspace"
    yield Found(default, "main", OPENCLAW)
    for agent in _agents(value_at(table, "agents", "list")):
        name, own = agent.get("id"), agent.get("workspace")
        if isinstance(own, str) and own:
            yield Found(_expanded(own, environ), str(name or Path(own).name), OPENCLAW)
        elif isinstance(name, str) and name.replace("-", "").replace("_", "").isalnum():
            yield Found(state / f"workspace-{name}", name, OPENCLAW)


def _agents(listed: Any) -> Iterator[dict[str, Any]]:
    yield from (agent for agent in listed if isinstance(agent, dict)) if isinstance(listed, list) else ()


def _of_claude(environ: Mapping[str, str]) -> Iterator[Found]:
    """`projects/<project>/memory`, where there is a note in it: an empty one is nobody's memory yet."""
    folder = claude_folder(environ)
    try:
        projects = sorted(item.name for item in os.scandir(folder) if item.is_dir())
    except OSError:
        return
    for name in projects:
        memory = folder / name / "memory"
        if any(memory.glob("*.md")):
            yield Found(memory, name.strip("-"), CLAUDE)


def _expanded(folder: str, environ: Mapping[str, str]) -> Path:
    """`~` is the home of the environment we were given, not of whoever runs the test."""
    if folder == "~" or folder.startswith(("~/", "~\\")):
        return home(environ) / folder[2:]
    return Path(folder).expanduser()
