"""Where the hosts of this machine and the owner keep settings and memories: `openclaw.json`, DREAM.md, folders of notes.

Read only. A file that is not there says nothing; one of the owner's that cannot be understood is named with its line, and one of a
host's says nothing. To find the folders that are somebody's memory (`discover`) only settings and names are looked at; no note is opened.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, TypeVar

from reverie.core.durable import NotPlain, read_plain
from reverie.core.errors import BadSettings
from reverie.lang import words
from reverie.lang.messages import say
from reverie.text.lines import plain_heading

if TYPE_CHECKING:
    from reverie.text.markdown import Document

SETTINGS_FILE = "reverie.toml"


_AnyPath = TypeVar("_AnyPath", bound=PurePath)
_USUAL = {"config": (".config",), "state": (".local", "state"), "cache": (".cache",)}


def home(environ: Mapping[str, str]) -> Path:
    try:
        return Path(named_home(environ, windows=os.name == "nt")).expanduser()
    except RuntimeError:  # a container may run us as a user that nobody knows: there is nothing at home
        return Path(os.sep) / "nonexistent"


def named_home(environ: Mapping[str, str], *, windows: bool) -> str:
    """The user's folder as the environment names it, and as `~` means it there: on Windows HOME is some other shell's."""
    first, second = ("USERPROFILE", "HOME") if windows else ("HOME", "USERPROFILE")
    return environ.get(first) or environ.get(second) or "~"


def user_folder(kind: str, environ: Mapping[str, str], home: _AnyPath) -> _AnyPath:
    """Our folder for the user's `config`, `state` or `cache`: where XDG says, else the usual one, on every system the same.

    A relative folder is no answer, as the XDG specification has it: it would be another one in every workspace.
    """
    named = type(home)(environ.get(f"XDG_{kind.upper()}_HOME", ""))
    return (named if named.is_absolute() else home.joinpath(*_USUAL[kind])) / "reverie"


def owners_file(environ: Mapping[str, str]) -> Path:
    """The owner's own settings, which hold for every workspace."""
    return user_folder("config", environ, home(environ)) / SETTINGS_FILE


def state_folder(environ: Mapping[str, str]) -> Path:
    """Where we keep what belongs to this user and to no workspace."""
    return user_folder("state", environ, home(environ))


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


def hermes_folder(environ: Mapping[str, str]) -> Path:
    """Where Hermes keeps its settings, and its memory in `memories`."""
    return Path(environ.get("HERMES_HOME") or home(environ) / ".hermes").expanduser()


_HERMES_LIMIT = re.compile(r"^[ \t]+memory_char_limit:[ \t]*(?P<limit>\d+)[ \t]*(?:#.*)?$", re.M)


def read_hermes(root: Path) -> dict[str, Any]:
    """How MEMORY.md of this folder is kept if it is Hermes': its budget, and entries apart by §. Nothing for any other folder."""
    text = text_of(root.parent / "config.yaml") if root.name == "memories" else None
    if text is None:
        return {}
    limit = _HERMES_LIMIT.search(text)
    return {"memory": {"truncation": max(1_000, int(limit["limit"])) if limit else 2_200, "shape": "entries"}}


def claude_moved(environ: Mapping[str, str]) -> Path | None:
    """Where the user's own settings of Claude Code put the memory of all projects; None where they leave it."""
    text = text_of(claude_folder(environ).parent / "settings.json")
    if text is None or "autoMemoryDirectory" not in text:
        return None
    import json

    try:
        said = value_at(json.loads(text), "autoMemoryDirectory")
    except (ValueError, RecursionError):
        return None
    folder = _expanded(said, environ) if isinstance(said, str) and said.strip() else None
    return Path(os.path.realpath(folder)) if folder is not None and folder.is_absolute() else None


def read_openclaw(file: Path) -> dict[str, Any]:
    """The host's settings; nothing when there is no such file, or none that can be read: it is another program's."""
    return openclaw_table(file)[0]


def openclaw_table(file: Path) -> tuple[dict[str, Any], str]:
    """The host's settings, and in a few words why its file says nothing, if it is there. It is JSON5, and most are plain JSON."""
    text, why = _text_or_why(file)
    if text is None:
        return {}, say("settings_file.unread_why", file=file, why=why) if why else ""
    import json

    try:
        value, line = json.loads(text), 0
    except ValueError:
        value, line = _json5(text)
    except RecursionError:
        value, line = None, 1
    return value if isinstance(value, dict) else {}, say(
        "settings_file.not_json5", file=file, line=line
    ) if line else ""


def value_at(value: Any, *keys: str) -> Any:
    """What stands below these keys, or None; a host's file may hold anything."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def text_of(file: Path) -> str | None:
    """A settings file as text; None when there is none, or a folder, a pipe, a device or a link to itself in its place.

    Those hold no settings, so they cost nothing but a word of the reader's. A file that may not be read could hold a protection,
    so nothing goes on without it.
    """
    text, why = _text_or_why(file)
    if why:
        raise BadSettings(say("settings_file.unread", file=file, why=why))
    return text


def _text_or_why(file: Path) -> tuple[str | None, str]:
    try:
        return read_plain(file, follow=True).decode("utf-8-sig", "replace"), ""
    except (FileNotFoundError, NotADirectoryError, NotPlain):
        return None, ""
    except OSError as error:
        return None, "" if error.errno == errno.ELOOP else str(error.strerror)


def _json5(text: str) -> tuple[Any, int]:
    """What a text of JSON5 says, or the line in which it is none."""
    import pyjson5  # openclaw.json may have comments and trailing commas; most have not

    try:
        return pyjson5.loads(text), 0
    except pyjson5.Json5Exception as error:
        found = re.search(r"(?:near|position)\D*(\d+)", str(error))
        return None, text.count("\n", 0, int(found[1]) if found else 0) + 1


_SETTING = re.compile(r"[`*]*(?P<key>[\w.-]+)[`*]*\s*[:：=]\s*[`*]*(?P<value>[^`*]+?)[`*]*\s*(?:#.*)?$")
_WHERE = {
    "max_memory_lines": ("memory", "max_lines"),
    "lookback_days": ("dream", "lookback_days"),
    "min_hours_between_dreams": ("dream", "min_hours_between_dreams"),
    "timezone": ("", "timezone"),
}


def read_dream_md(text: str, where: str = "DREAM.md") -> dict[str, Any]:
    """The table that DREAM.md stands for. Unknown settings are refused with their line and the nearest known one."""
    from reverie.text.markdown import Shape, parse  # the scanner, which a folder without such a file does not need

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
    for number, line in enumerate(text.split("\n"), 1):
        found = _SETTING.match(line.strip().lstrip("-*+ "))
        group, inner = _WHERE.get(_known_name(found["key"]), ("", "")) if found else ("", "")
        if f"{group}.{inner}".lstrip(".") == key:
            return f":{number}"
    return ""


def _known_name(written: str) -> str:
    """The setting that somebody writes as `maxMemoryLines`, `max-memory-lines` or `max_memory_lines`; empty for none."""
    bare = re.sub("[-_]", "", written.lower())
    return next((name for name in _WHERE if name.replace("_", "") == bare), "")


def _part_of(document: Document, heading: int | None) -> str:
    while heading is not None:
        block = document.blocks[heading]
        for part in ("settings", "protected", "rules"):
            if plain_heading(block.text) in words(f"dream_md.{part}"):
                return part
        heading = block.heading
    return ""


def _set(table: dict[str, Any], text: str, where: str) -> None:
    found = _SETTING.match(text)
    if not found:
        return  # prose between the settings is the owner's
    if not (name := _known_name(found["key"])):
        raise BadSettings(_unknown(found["key"], where))
    group, key = _WHERE[name]
    raw = found["value"].strip()
    value: Any = raw
    if group:
        if not re.fullmatch(r"\d+", raw):
            raise BadSettings(say("settings_file.no_number", where=where, name=found["key"], value=raw))
        value = int(raw)
    (table.setdefault(group, {}) if group else table)[key] = value


def _unknown(name: str, where: str) -> str:
    import difflib  # only for the error: difflib is slow to load

    if near := difflib.get_close_matches(name.lower().replace("-", "_"), _WHERE, n=1, cutoff=0.4):
        return say("settings_file.misspelt", where=where, name=name, near=near[0])
    return say("settings_file.unknown", where=where, name=name)


SETTINGS, ASKED, OPENCLAW, CLAUDE, HERMES = "settings", "asked", "openclaw", "claude-code", "hermes"


@dataclass(frozen=True, slots=True)
class FoundWorkspace:
    """A folder of Markdown that somebody works with: where it lies, what to call it, and who named it."""

    root: Path
    label: str
    source: str


def discover(environ: Mapping[str, str], named: Sequence[str] = ()) -> tuple[FoundWorkspace, ...]:
    """Every workspace there is: those the owner names, the hosts', and folders that nights were asked for."""
    seen: dict[str, FoundWorkspace] = {}
    theirs = *_named(environ, named), *_of_openclaw(environ), *_of_claude(environ), *_of_hermes(environ)
    asked = (FoundWorkspace(folder, folder.name, ASKED) for folder, nights in known_folders(environ).items() if nights)
    for found in (*theirs, *asked):
        if found.root.is_dir():
            real = Path(os.path.realpath(found.root))
            seen.setdefault(os.path.normcase(real), FoundWorkspace(real, found.label, found.source))
    return tuple(seen.values())


def folders_file(environ: Mapping[str, str]) -> Path:
    """Which plain folders this user works with, a line each as they were met; no host's file names those."""
    return state_folder(environ) / "folders.jsonl"


def known_folders(environ: Mapping[str, str]) -> dict[Path, bool]:
    """Every folder that was kept in mind, and whether its nights come by themselves. A line nobody can read says nothing."""
    import json

    known: dict[Path, bool] = {}
    for line in (text_of(folders_file(environ)) or "").split("\n"):
        try:
            said = json.loads(line)
            folder, nights = Path(said["folder"]), bool(said["nights"])
        except (ValueError, KeyError, TypeError):
            continue
        known[folder] = known.get(folder, False) or nights
    return known


def _named(environ: Mapping[str, str], folders: Sequence[str]) -> Iterator[FoundWorkspace]:
    for folder in folders:
        root = _expanded(folder, environ)
        if folder.strip() and root.is_absolute():  # relative to what, at three in the morning?
            yield FoundWorkspace(root, root.name, SETTINGS)


def _of_openclaw(environ: Mapping[str, str]) -> Iterator[FoundWorkspace]:
    """The default workspace, and that of every agent."""
    table = read_openclaw(openclaw_file(environ))
    yield FoundWorkspace(_default_workspace(table, environ), "main", OPENCLAW)
    yield from (FoundWorkspace(home, name, OPENCLAW) for name, home in agents_of(table, environ))


def workspaces_of_openclaw(table: Mapping[str, Any], environ: Mapping[str, str]) -> tuple[Path, ...]:
    return _default_workspace(table, environ), *(home for _, home in agents_of(table, environ))


def _default_workspace(table: Mapping[str, Any], environ: Mapping[str, str]) -> Path:
    said = value_at(table, "agents", "defaults", "workspace") or value_at(table, "agent", "workspace")
    return _expanded(said, environ) if isinstance(said, str) and said else openclaw_folder(environ) / "workspace"


def agents_of(table: Mapping[str, Any], environ: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    """Every agent that OpenClaw lists, and its workspace; one without a workspace of its own has `workspace-<id>`."""
    for agent in openclaw_agents(table):
        name, own = agent.get("id"), agent.get("workspace")
        if isinstance(own, str) and own:
            yield str(name or Path(own).name), _expanded(own, environ)
        elif isinstance(name, str) and name.replace("-", "").replace("_", "").isalnum():
            yield name, openclaw_folder(environ) / f"workspace-{name}"


def openclaw_agents(table: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What is set for each agent: a list in older versions, a table by id since."""
    listed, entries = value_at(table, "agents", "list"), value_at(table, "agents", "entries")
    yield from (agent for agent in listed if isinstance(agent, dict)) if isinstance(listed, list) else ()
    if isinstance(entries, dict):
        yield from ({**agent, "id": name} for name, agent in entries.items() if isinstance(agent, dict))


def _of_claude(environ: Mapping[str, str]) -> Iterator[FoundWorkspace]:
    """`projects/<project>/memory`, where there is a note in it: an empty one is nobody's memory yet."""
    if (moved := claude_moved(environ)) is not None:
        yield FoundWorkspace(moved, moved.name, CLAUDE)
        return
    folder = claude_folder(environ)
    try:
        projects = sorted(item.name for item in os.scandir(folder) if Path(item.path).is_dir())
    except OSError:
        return
    for name in projects:
        memory = folder / name / "memory"
        if any(memory.glob("*.md")):
            yield FoundWorkspace(memory, name.strip("-"), CLAUDE)


def _of_hermes(environ: Mapping[str, str]) -> Iterator[FoundWorkspace]:
    memory = hermes_folder(environ) / "memories"
    if (memory / "MEMORY.md").is_file():
        yield FoundWorkspace(memory, "hermes", HERMES)


def _expanded(folder: str, environ: Mapping[str, str]) -> Path:
    """`~` is the home of the environment we were given, not of whoever runs the test."""
    if folder == "~" or folder.startswith(("~/", "~\\")):
        return home(environ) / folder[2:]
    return Path(folder).expanduser()
