"""Files that a memory names and that are not there any more (seed 003: a path is checked when it is recalled).

Only what can be known: a path of this workspace or of the user's own home, whose folder is there and the file is not. A path
without its folder may be one of another machine, and what stands elsewhere is nobody's promise. Reads names, opens nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

_NAMED = re.compile(r"`([^`\s]+)`|(?<![\w/.:~@-])((?:~/|/|\.{1,2}/)?[\w.@+-]+(?:/[\w.@+-]+)+)")
_STRANGE = re.compile(r"[*?<>|$%{}\[\]\\]|://|\.\.|\u2026")
_END = ".,;:!?。，；：！？)）”"


def missing_paths(root: Path, text: str) -> tuple[str, ...]:
    """The paths that a text names, whose folder is there and they are not."""
    return tuple(dict.fromkeys(path for path in _paths(text) if _is_missing(root, path)))


def _paths(text: str) -> Iterator[str]:
    for quoted, bare in _NAMED.findall(text):
        path = (quoted or bare).rstrip(_END)
        if "/" in path.strip("/") and not _STRANGE.search(path):
            yield path


def _is_missing(root: Path, path: str) -> bool:
    try:
        home = Path("~").expanduser()
        at = Path(path).expanduser() if path.startswith(("~/", "/")) else root / path
        mine = at != home and any(at.is_relative_to(base) for base in (root, home))
        return mine and at.parent.is_dir() and not os.path.lexists(at)
    except (OSError, ValueError, RuntimeError):  # a name that is too long, or a user without a home
        return False
