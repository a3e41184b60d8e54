"""A file by which a dead daemon is noticed: who it is and when it was last well. In the user's state folder, replaced whole."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path

STALE = timedelta(minutes=3)  # several times the pause between two beats


@dataclass(frozen=True, slots=True)
class Beat:
    """What the daemon says about itself."""

    pid: int
    started: str
    at: str  # when it was last well
    workspaces: int = 0
    running: tuple[str, ...] = ()  # workspaces that dream now
    troubles: tuple[str, ...] = ()  # what went wrong last, a sentence for each workspace that has some
    stopped: bool = False  # it went as it should

    def is_alive(self, now: datetime) -> bool:
        """Whether it lives as far as a file can tell; a heartbeat from the future was written under another clock."""
        try:
            age = now - datetime.fromisoformat(self.at)
        except (ValueError, TypeError):
            return False
        return not self.stopped and abs(age) < STALE


def heartbeat_file(environ: Mapping[str, str]) -> Path:
    home = Path(environ.get("HOME") or environ.get("USERPROFILE") or "~").expanduser()
    return Path(environ.get("XDG_STATE_HOME") or home / ".local" / "state") / "reverie" / "daemon.json"


def beat(file: Path, said: Beat) -> None:
    """Leave a sign of life. A disk that says no must not stop the nights, so it is left out then."""
    fresh = file.with_name(f".{file.name}.{said.pid}")
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(json.dumps(asdict(said), indent=1) + "\n", "utf-8")
        os.replace(fresh, file)


def last_beat(file: Path) -> Beat | None:
    """What the daemon said last; nothing where there never was one, or where nobody can read it."""
    try:
        kept = json.loads(file.read_text("utf-8"))
        return Beat(
            int(kept["pid"]), str(kept["started"]), str(kept["at"]), int(kept["workspaces"]),
            tuple(map(str, kept["running"])), tuple(map(str, kept["troubles"])), bool(kept["stopped"]),
        )  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError):
        return None
