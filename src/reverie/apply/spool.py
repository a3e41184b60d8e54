"""What was said while another command held the workspace: a file for each, under `memory/.dreams/spool`.

Whoever says something never waits for a night and never loses it. The file is there whole or not at all; the next command that
writes puts it into its note and then takes the file away (`features/note.py`). The run carries the name of the file, so that a
crash between the two makes nothing said twice.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from reverie.core import durable
from reverie.core.errors import RefusedFile, WriteFailed
from reverie.core.layout import SPOOL
from reverie.evidence.state_files import Steps, make_real_folder, read_plain, refuse_links, replace_file
from reverie.lang.messages import say
from reverie.workspace.values import A_PROGRAM, Author, author_named, json_object

MOST = 100  # each becomes a run: more would keep the next command from its own work
QUEUED = "queued-"  # how the edit of such a run is named, before the name of the file
_NAME = re.compile(r"[0-9]{20}-[0-9a-f]{8}\.json\Z", re.A)


@dataclass(frozen=True, slots=True)
class Queued:
    """Something said that waits: its words, when it was said, and whether it is a note or the summary of a session."""

    path: Path
    said: tuple[str, ...]
    at: str
    is_note: bool
    by: Author = A_PROGRAM

    @property
    def id(self) -> str:
        return QUEUED + self.path.stem[-8:]


def queue(
    root: Path,
    said: Sequence[str],
    at: str,
    *,
    is_note: bool = True,
    by: Author = A_PROGRAM,
    steps: Steps | None = None,
) -> bool:
    """Keep what was said until the next command; False when too much waits already. It is certain once this returns."""
    steps = steps or Steps()
    try:
        folder = make_real_folder(root, SPOOL, steps)
        if len(_names(root)) >= MOST:
            return False
        name = f"{time.time_ns():020d}-{os.urandom(4).hex()}.json"
        kind = "note" if is_note else "session"
        value = {"version": 1, "at": at, "kind": kind, "by": str(by), "said": list(said)}
        replace_file(folder / name, json.dumps(value).encode() + b"\n", steps, 0o600)
    except OSError as error:
        raise WriteFailed(say("write.failed", path=SPOOL, strerror=error.strerror)) from None
    return True


def queued(root: Path) -> tuple[Queued, ...]:
    """What waits, in the order in which it was said. A file that cannot be read is passed over, and stays."""
    return tuple(one for name in _names(root) if (one := _read(root / SPOOL / name)) is not None)


def done_with(one: Queued) -> None:
    """It stands in its note now."""
    one.path.unlink(missing_ok=True)
    durable.sync_folder(one.path.parent)


def lay_aside(one: Queued) -> None:
    """Nothing that may be noted: it stays beside the queue, and is not looked at again."""
    one.path.rename(one.path.with_name(f"{one.path.name}.refused"))


def _names(root: Path) -> list[str]:
    try:
        refuse_links(root, SPOOL)
        return sorted(name for name in os.listdir(root / SPOOL) if _NAME.match(name))
    except (OSError, RefusedFile):
        return []


def _read(path: Path) -> Queued | None:
    try:
        value = json_object(read_plain(path))
    except (OSError, RefusedFile):
        return None
    said = value.get("said")
    if not isinstance(said, list) or not said or not all(isinstance(one, str) for one in said):
        return None
    return Queued(
        path, tuple(said), str(value.get("at", "")), value.get("kind") == "note", author_named(str(value.get("by")))
    )
