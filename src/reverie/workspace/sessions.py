"""Conversations as files: where transcripts lie, how they are cited, what their names say about them, and who is in one now.

`agents/<id>/sessions/*.jsonl` with a `sessions.json` beside them (OpenClaw), `projects/<slug>/*.jsonl` (Claude Code). Whether
the agent is at work is asked in three ways: its own status command, when it last wrote, or several of these. A status is
read by whole words, because "inactive" is not "active". A command that fails tells nothing, because many versions of the host
have no such command; one that hangs is an agent that has no time to answer.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from reverie.core.children import find_program, own_folder, start
from reverie.core.durable import read_plain
from reverie.core.ports import Clock, Idle
from reverie.lang import words
from reverie.lang.messages import say
from reverie.text.lines import split_lines
from reverie.workspace.origins import session_reason
from reverie.workspace.values import json_object

CLAUDE = "claude-code"
_NAME = re.compile(r".+\.jsonl(?:\.(?P<gone>deleted|reset|bak)(?:\..+)?)?$")
_DERIVED = re.compile(r".*\.(?P<what>checkpoint|trajectory)(?:\.[\w-]+)?\.jsonl$")
_LIST = "sessions.json"
_LARGEST_LIST = 32 * 1024 * 1024
Listed = tuple[str, Path, str]


def find_transcripts(folders: Sequence[Path]) -> list[Listed]:
    """Every transcript below these folders as (path, real path, agent), in a fixed order; links are not followed.

    A folder is OpenClaw's `agents` (with `<id>/sessions`), Claude Code's `projects` (with `<slug>`), or one that
    holds the files itself.
    """
    found: list[Listed] = []
    seen: set[Path] = set()
    taken: dict[str, int] = {}
    for folder in folders:
        for path, real, agent in _below(folder):
            if real in seen:
                continue
            seen.add(real)
            taken[path] = taken.get(path, 0) + 1  # two hosts may have an agent of the same name
            found.append((path if taken[path] == 1 else f"{path}#{taken[path]}", real, agent))
    return found


def cited(path: str) -> str:
    """The session as the corpus names it: OpenClaw's without the agent, who is named before it."""
    path = re.sub(r"#\d+$", "", path)
    inside = re.match(r"agents/[^/]+/(sessions/.+)", path)
    return inside[1] if inside else path


def reason_by_name(name: str) -> str:
    """Why a file is left out whole, by its name alone; empty for a transcript."""
    found = _NAME.match(name)
    if found is None:
        return "foreign"
    if found["gone"]:
        return "backup" if found["gone"] == "bak" else str(found["gone"])
    if derived := _DERIVED.match(name):
        return str(derived["what"])
    if name.startswith("agent-"):  # Claude Code's sub-agents
        return "sub-agent"
    return session_reason(name)


def is_of_people(real: Path) -> bool:
    """Whether a transcript is a conversation of people, by its name and its host's list; machines have sessions, too."""
    return not reason_by_name(real.name) and not session_reason(session_key(real))


def session_key(real: Path) -> str:
    """What the host calls this session (`agent:main:telegram:group:-100`), from its list beside the file."""
    listed = real.with_name(_LIST)
    try:
        about = os.stat(listed, follow_symlinks=False)
    except OSError:
        return ""
    return _keys(listed, about.st_mtime_ns, about.st_size).get(real.name, "")


@lru_cache(maxsize=16)
def _keys(listed: Path, _changed: int, size: int) -> Mapping[str, str]:
    """File names and their session keys. Where a session was started by another, its key says so too."""
    if listed.is_symlink() or not listed.is_file() or size > _LARGEST_LIST:
        return MappingProxyType({})
    try:
        stored = json_object(read_plain(listed))
    except OSError:
        return MappingProxyType({})
    keys: dict[str, str] = {}
    for key, entry in stored.items():
        if not isinstance(entry, dict):
            continue
        name = entry.get("sessionFile") or f"{entry.get('sessionId')}.jsonl"
        parents = [entry.get("spawnedBy"), entry.get("parentSessionKey")]
        grouped = ":group:" if entry.get("chatType") in ("group", "channel") else ""
        keys[Path(str(name)).name] = " ".join([f"{key}{grouped}", *(str(one) for one in parents if one)])
    return MappingProxyType(keys)


def _below(folder: Path) -> Iterator[Listed]:
    if folder.is_symlink() or not folder.is_dir():
        return
    yield from _of_folder(folder, *_named(folder))
    for inner in _listed(folder, files=False):
        sessions = inner / "sessions"
        if sessions.is_dir() and not sessions.is_symlink():
            yield from _of_folder(sessions, f"agents/{inner.name}/sessions", inner.name)
        elif not (folder.name == "sessions" or sessions.is_symlink()):
            yield from _of_folder(inner, f"projects/{inner.name}", CLAUDE)


def _named(folder: Path) -> tuple[str, str]:
    """The path and the agent of a folder that holds transcripts itself."""
    if folder.parent.name == "projects":
        return f"projects/{folder.name}", CLAUDE
    if folder.name == "sessions" and folder.parent.parent.name == "agents":
        return f"agents/{folder.parent.name}/sessions", folder.parent.name
    return "sessions", "main"


def _of_folder(folder: Path, prefix: str, agent: str) -> Iterator[Listed]:
    for real in _listed(folder, files=True):
        if _NAME.match(real.name):
            yield f"{prefix}/{real.name}", real, agent


def _listed(folder: Path, *, files: bool) -> list[Path]:
    """Real files, or real folders, with names that can be printed, in a fixed order."""
    try:
        with os.scandir(folder) as items:
            wanted = [
                item.name
                for item in items
                if item.name.isprintable()
                and (item.is_file(follow_symlinks=False) if files else item.is_dir(follow_symlinks=False))
            ]
    except OSError:
        return []
    return [folder / name for name in sorted(wanted)]


COMMAND = ("openclaw", "agent", "status")
LIMIT = 5.0  # seconds (seed 000)
_ENOUGH = 64 * 1024  # of an answer: a status is a few lines
_KEYS = ("status", "state", "busy", "active", "running", "activity", "agent", "agents", "sessions")
_WORD = re.compile(r"[\w']+")
_HAN = re.compile(r"[\u4e00-\u9fff]+")


@dataclass(frozen=True, slots=True)
class AgentStatus:
    """Asks the host's own command. Where there is none, nobody can tell."""

    command: tuple[str, ...] = COMMAND
    limit: float = LIMIT
    environ: Mapping[str, str] | None = None

    def busy(self) -> str:
        environ = os.environ if self.environ is None else self.environ
        program = find_program(self.command[0], environ)
        if program is None:
            return ""
        with own_folder() as folder:
            try:
                child = start([program, *self.command[1:]], environ, folder, stdout=subprocess.PIPE)
            except OSError:
                return ""
            try:
                said, _ = child.communicate(timeout=self.limit)
            except subprocess.TimeoutExpired:
                _end(child)
                return say("agent_status.no_answer", seconds=self.limit)
        text = said[:_ENOUGH].decode("utf-8", "replace")
        return say("agent_status.at_work") if child.returncode == 0 and says_busy(text) else ""


def _end(child: subprocess.Popen[bytes]) -> None:
    """The command and whatever it started; a script's children would hold the pipe open."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()
    if child.stdout:
        child.stdout.close()
    child.wait()


@dataclass(frozen=True, slots=True)
class RecentWrites:
    """An agent that wrote to a transcript within the last minutes is at work. Sessions of machines do not count:
    the one that calls us at night is such a session itself."""

    folders: tuple[Path, ...]
    minutes: float
    clock: Clock

    def busy(self) -> str:
        now, most = self.clock.now().timestamp(), timedelta(minutes=self.minutes).total_seconds()
        for _, real, _ in find_transcripts(self.folders):
            try:
                age = now - os.stat(real, follow_symlinks=False).st_mtime
            except OSError:
                continue
            if abs(age) < most and is_of_people(real):
                return say("agent_status.spoke", n=max(0, int(age // 60)))
        return ""


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At work if one of them says so; the cheap ones stand first."""

    idles: Sequence[Idle]

    def busy(self) -> str:
        return next((said for idle in self.idles if (said := idle.busy())), "")


def says_busy(text: str) -> bool:
    """Whether a status says that somebody is at work, by whole words; JSON by its fields."""
    with suppress(ValueError, RecursionError):
        found = json.loads(text)
        if isinstance(found, (dict, list)):
            return _tells(found)
    return any(_line_says(line) for line in split_lines(text))


def _tells(value: Any) -> bool:
    """The fields of a JSON status that can say it: {"status": "running"}, {"busy": true}, {"active": 2}."""
    if isinstance(value, list):
        return any(_tells(one) for one in value)
    if not isinstance(value, dict):
        return False
    return any(_field_says(str(key).casefold(), one) for key, one in value.items())


def _field_says(key: str, value: Any) -> bool:
    if key not in _KEYS:
        return False
    if isinstance(value, str):
        return _line_says(value)
    if isinstance(value, (dict, list)):
        return _tells(value)
    return key in ("busy", "active", "running") and isinstance(value, (bool, int, float)) and bool(value)


def _line_says(line: str) -> bool:
    """`status: active` does; `inactive`, `not running`, `active: no`, `0 active sessions` and `active (idle)` do not."""
    at_work, at_rest, denied = (words(f"agent_status.{name}") for name in ("at_work", "at_rest", "denied"))
    known = sorted((*at_work, *at_rest, *denied), key=len, reverse=True)
    said = [
        word
        for found in _WORD.findall(line.casefold())
        for word in ([found] if not _HAN.search(found) else _cut(found, known))
    ]
    if any(word in at_rest for word in said):
        return False
    for place, word in enumerate(said):
        if word in at_work:
            near = (*said[max(0, place - 2) : place], *said[place + 1 : place + 2])
            return not any(one in denied for one in near)
    return False


def _cut(text: str, known: Sequence[str]) -> list[str]:
    """Chinese has no gaps between words: the longest known word at each place."""
    found, place = [], 0
    while place < len(text):
        found.append(next((one for one in known if text.startswith(one, place)), text[place]))
        place += len(found[-1])
    return found
