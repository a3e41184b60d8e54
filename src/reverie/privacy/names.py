"""A secret in the name of a file or folder: `2026-05-03-wifi-pw-Tulip77.md`.

Everything that is written names its sources, so such a file would carry its secret into every list. A name has no blanks: it is
read once as it stands and once with blanks where it is joined. Its day, its number in a series and its ending open nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache

from reverie.privacy.redact import HIDDEN, findings

_DAY = re.compile(r"\A0\d{1,4}(?=[-_. ])|(?:19|20)\d\d-\d\d(?:-\d\d)?(?:[-_ T]\d{4}(?!\d))?")
_ENDING = re.compile(r"(?:\.[A-Za-z]{1,8}){1,2}\Z")
_FIGURE = re.compile(r"\d")
_DRAWN = re.compile(r"[^\W\d_]\d|\d[^\W\d_]")
_JOINT = re.compile(r"[-_.+]")


def masked_path(path: str) -> str:
    """The path as it may be written: the same one, unless the name of the file or of a folder holds a secret."""
    return "/".join(map(_masked, path.split("/")))


@lru_cache(maxsize=20_000)
def _masked(name: str) -> str:
    plain = _ENDING.sub(_blank, _DAY.sub(_blank, name))
    if not any(map(str.isalnum, plain)):
        return name  # nearly all notes are named by their day
    # Words joined by hyphens look like a passphrase and are only a title. A whole note would stay unread for it, so a name
    # must hold a figure to be suspected, and one of letters and figures where it is read as it stands.
    spans = [found[1:] for found in findings(_JOINT.sub(" ", plain), frozenset()) if _FIGURE.search(name, *found[1:])]
    spans += [found[1:] for found in findings(plain, frozenset()) if _DRAWN.search(name, *found[1:])]
    covered = {at for span in spans for at in range(*span)}
    told = [HIDDEN if at in covered else char for at, char in enumerate(name)]
    return "".join(char for at, char in enumerate(told) if not (at and char == HIDDEN == told[at - 1]))


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])
