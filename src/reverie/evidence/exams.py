"""Results of exams, kept for this user: one small JSON outside every workspace, because a model is the same for all of them.

It is replaced whole. A file that nobody can understand holds no result, and the next one takes its place.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from reverie.core.errors import Busy, RefusedFile
from reverie.evidence.steps import Steps, alone, read_plain

MOST = 50  # results; the oldest leave
_LARGEST = 1_000_000  # bytes; a result takes two thousand
_MODE = 0o600


def kept_exams(file: Path) -> dict[str, dict[str, Any]]:
    """Every result by its key, oldest first. Nothing where there is no such file or no sense in it."""
    try:
        data = read_plain(file) or b""
        value = json.loads(data) if 0 < len(data) <= _LARGEST else {}
    except (OSError, ValueError, RecursionError, RefusedFile):  # a link or a folder in its place is no result either
        return {}
    found = value.get("exams") if isinstance(value, dict) else None
    return {str(key): one for key, one in found.items() if isinstance(one, dict)} if isinstance(found, dict) else {}


def keep_exam(file: Path, key: str, record: Mapping[str, Any]) -> bool:
    """Keep a result, in the place of an earlier one of the same key. False when the disk says no."""
    others = {name: one for name, one in kept_exams(file).items() if name != key}
    newest = dict([*others.items(), (key, dict(record))][-MOST:])
    text = json.dumps({"version": 1, "exams": newest}, ensure_ascii=False, indent=1) + "\n"
    fresh, steps = file.with_name(f".{file.name}.{os.getpid()}"), Steps()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        steps.create(fresh, text.encode("utf-8", "replace"), _MODE)
        steps.sync(fresh)
        steps.move(fresh, file)
    except (OSError, RefusedFile):
        with suppress(OSError):
            fresh.unlink()
        return False
    return True


@contextmanager
def examining_alone(file: Path) -> Iterator[bool]:
    """Whether nobody else takes an exam now: two nights at once must not pay for it twice."""
    with ExitStack() as stack:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            stack.enter_context(alone(file.with_suffix(".lock"), 0.0))
            free = True
        except (Busy, OSError, RefusedFile):
            free = False
        yield free
