"""A secret in the name of a file or folder: `2026-05-03-wifi-pw-Tulip77.md`.

Everything that is written names its sources, so such a file would carry its secret into every list. A name has no blanks: it is
read once as it stands and once with blanks where it is joined. Its day, its number in a series and its ending open nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from reverie.privacy.redact import HIDDEN, findings

_DAY = re.compile(r"\A0\d{1,4}(?=[-_. ])|(?:19|20)\d\d-\d\d(?:-\d\d)?(?:[-_ T]\d{4}(?!\d))?")
_ENDING = re.compile(r"(?:\.[A-Za-z]{1,8}){1,2}(?:#L?\d{1,9}(?:-L?\d{1,9})?)?\Z")
_FIGURE = re.compile(r"\d")
_DRAWN = re.compile(r"[^\W\d_]\d|\d[^\W\d_]")
_JOINT = re.compile(r"[-_.+]")


def masked_path(path: str) -> str:
    """The path as it may be written: the same one, unless the name of the file or of a folder holds a secret."""
    told, last = [], 0
    for start, end in path_spans(path):
        told += [path[last:start], HIDDEN]
        last = end
    return "".join([*told, path[last:]])


def path_spans(path: str) -> tuple[tuple[int, int], ...]:
    """Where the names of a path hold a secret."""
    found, start = [], 0
    for name in path.split("/"):
        found += [(start + first, start + last) for first, last in _spans(name)]
        start += len(name) + 1
    return tuple(found)


@lru_cache(maxsize=20_000)
def _spans(name: str) -> tuple[tuple[int, int], ...]:
    plain = _ENDING.sub(_blank, _DAY.sub(_blank, name))
    if not any(map(str.isalnum, plain)):
        return ()  # nearly all notes are named by their day
    # Words joined by hyphens look like a passphrase and are only a title. A whole note would stay unread for it, so a name
    # must hold a figure to be suspected, and one of letters and figures where it is read as it stands.
    apart = [found[1:] for found in findings(_JOINT.sub(" ", plain), frozenset()) if _FIGURE.search(name, *found[1:])]
    whole = [found[1:] for found in findings(plain, frozenset()) if _DRAWN.search(name, *found[1:])]
    return joined_spans([*apart, *whole])


def joined_spans(spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """In order, those that touch or overlap as one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return tuple(found)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])
