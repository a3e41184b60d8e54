"""Where transcripts lie, how they are cited, and what their names and their host's list say about them.

`agents/<id>/sessions/*.jsonl` with a `sessions.json` beside them (OpenClaw), `projects/<slug>/*.jsonl` (Claude Code).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from reverie.workspace.noise import session_reason

CLAUDE = "claude-code"
_NAME = re.compile(r".+\.jsonl(?:\.(?P<gone>deleted|reset|bak)(?:\..+)?)?$")
_DERIVED = re.compile(r".*\.(?P<what>checkpoint|trajectory)(?:\.[\w-]+)?\.jsonl$")
_LIST = "sessions.json"
_LARGEST_LIST = 32 * 1024 * 1024
Found = tuple[str, Path, str]


def find_transcripts(folders: Sequence[Path]) -> list[Found]:
    """Every transcript below these folders as (path, real path, agent), in a fixed order; links are not followed.

    A folder is OpenClaw's `agents` (with `<id>/sessions`), Claude Code's `projects` (with `<slug>`), or one that
    holds the files itself.
    """
    found: list[Found] = []
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
        stored = json.loads(listed.read_bytes())
    except (ValueError, RecursionError, OSError):
        return MappingProxyType({})
    keys: dict[str, str] = {}
    for key, entry in stored.items() if isinstance(stored, dict) else ():
        if not isinstance(entry, dict):
            continue
        name = entry.get("sessionFile") or f"{entry.get('sessionId')}.jsonl"
        parents = [entry.get("spawnedBy"), entry.get("parentSessionKey")]
        grouped = ":group:" if entry.get("chatType") in ("group", "channel") else ""
        keys[Path(str(name)).name] = " ".join([f"{key}{grouped}", *(str(one) for one in parents if one)])
    return MappingProxyType(keys)


def _below(folder: Path) -> Iterator[Found]:
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


def _of_folder(folder: Path, prefix: str, agent: str) -> Iterator[Found]:
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
