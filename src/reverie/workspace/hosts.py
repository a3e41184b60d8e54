"""What the hosts of this machine say about themselves: where their folders lie, and what stands in `openclaw.json`.

Read only. A file that is not there says nothing; one that cannot be understood is named with its line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reverie.core.errors import BadSettings

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
