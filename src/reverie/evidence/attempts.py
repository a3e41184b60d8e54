"""The record of every try to dream, one line each, under `memory/.dreams`: also of those that changed nothing or failed."""

from __future__ import annotations

import json
from pathlib import Path

from reverie.attempt import Attempt, as_dict, from_dict
from reverie.errors import RefusedFile
from reverie.evidence.steps import Steps, make_real_folder, read_plain
from reverie.layout import ATTEMPTS, STATE_DIR, TEMPORARY

MOST = 400  # more than a year of nights


def record(root: Path, attempt: Attempt, steps: Steps | None = None) -> None:
    """Add one line, the oldest leaving when there are too many. A folder that cannot be written loses a trace, no more."""
    steps = steps or Steps()
    try:
        folder = make_real_folder(root, STATE_DIR, steps)
        lines = [json.dumps(as_dict(one), ensure_ascii=True) for one in (*attempts(root), attempt)][-MOST:]
        fresh = folder / f".attempts{TEMPORARY}"
        steps.create(fresh, ("\n".join(lines) + "\n").encode(), 0o644)
        steps.sync(fresh)
        steps.move(fresh, root / ATTEMPTS)
    except (OSError, RefusedFile):
        return


def attempts(root: Path) -> tuple[Attempt, ...]:
    """The tries so far, oldest first; a line that cannot be read is passed over."""
    try:
        data = read_plain(root / ATTEMPTS) or b""
    except (OSError, RefusedFile):
        return ()
    found = []
    for line in data.split(b"\n"):
        try:
            found.append(from_dict(json.loads(line)))
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
    return tuple(found)
