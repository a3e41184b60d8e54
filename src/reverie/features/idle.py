"""Whether the agent is at work: by the ages of locks and conversations first, then by its host's own command."""

import os
import re
from datetime import datetime

from reverie.features.programs import call
from reverie.workspace.layout import Layout
from reverie.workspace.transcripts import sessions_of

_DREAM_LOCK = "memory/.dream_lock"  # seed 001's tools lay it down while they dream
_LOCK_MINUTES, _QUIET_MINUTES = 30, 10
_SECONDS = 5.0  # that OpenClaw's command gets (seed 000)
_AT_WORK = re.compile(r"\b(?:busy|running|working|active|processing|streaming)\b|忙|运行中")
# "inactive" is another word; "not running", "0 active sessions" and "active (idle)" are at rest.
_AT_REST = re.compile(r"\b(?:idle|not|no|none|0|false|stopped|offline)\b|空闲|未|没有|不")


def busy(layout: Layout, now: datetime) -> str:
    """What the agent is at, as a sentence; empty where it rests or nobody can tell."""
    if (minutes := _age(layout.real(_DREAM_LOCK), now)) < _LOCK_MINUTES:
        return f"{_DREAM_LOCK} is {minutes:.0f} minutes old"
    for path, _ in sessions_of(layout).values():
        minutes = min(_age(place, now) for place in (path, path.with_name(f"{path.name}.lock")))
        if minutes < _QUIET_MINUTES:
            return f"the agent was at work {minutes:.0f} minutes ago"
    try:
        code, said, _ = call(("openclaw", "agent", "status"), _SECONDS)
    except TimeoutError as error:
        return str(error)
    except OSError:
        return ""
    # Many versions have no such command: a failure tells nothing.
    parts = re.split(r"[\n,;{}]", said.decode("utf-8", "replace").casefold()) if code == 0 else []
    at_work = any(_AT_WORK.search(part) and not _AT_REST.search(part) for part in parts)
    return "OpenClaw says that the agent is at work" if at_work else ""


def _age(path: os.PathLike[str], now: datetime) -> float:
    """Minutes since a file was written, or until then by a clock that differs; endless where there is none."""
    return abs(now.timestamp() - os.lstat(path).st_mtime) / 60 if os.path.lexists(path) else float("inf")
