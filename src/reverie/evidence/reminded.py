"""Which reminders have been given: a file for each under `memory/.dreams/reminded`, named by its key.

Whoever makes the file gives the reminder: of many conversations at once only one can. Nothing of the owner's is written.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from reverie.core.errors import RefusedFile
from reverie.core.layout import REMINDED
from reverie.evidence.state_files import Steps, make_real_folder, open_plain, refuse_links

_KEY = re.compile(r"[0-9a-f]{8}\Z")


def give_once(root: Path, key: str) -> bool:
    """Whether it is ours to give this reminder: nobody has, and now nobody else can."""
    try:
        make_real_folder(root, REMINDED, Steps())
        os.close(open_plain(root / REMINDED / key, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    except (OSError, RefusedFile):  # given before; or a disk that keeps nothing, and then it is given some other time
        return False
    return True


def reminded(root: Path) -> frozenset[str]:
    """The keys of the reminders that have been given."""
    try:
        refuse_links(root, REMINDED)
        return frozenset(name for name in os.listdir(root / REMINDED) if _KEY.match(name))
    except (OSError, RefusedFile):
        return frozenset()


def give_again(root: Path, keys: Iterable[str]) -> None:
    """These may be given once more: their lines are gone, and whoever notes them again means it."""
    for key in keys:
        with suppress(OSError):
            (root / REMINDED / key).unlink()
