"""Words that nobody says: capitals and small letters, figures, and a sign between them. `Harbour#7290-Kite` is a password.

Known by its shape alone, whatever stands before it, because people announce a password in every way there is ("note it here
for now", "it is … now, delete later"). So the shape is narrow: what names a ticket, an address, a file, a version or two
products with a plus between them has none of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_SEED = re.compile(r"[A-Za-z0-9][!#$^~%§&+@]+[A-Za-z0-9]")  # rare, and found at the speed of the engine
_TOKEN = re.compile(r"[A-Za-z0-9!#$^~%§&+@_.\-]+")
_EDGES = ".-_"
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_FILE = re.compile(r"\.[A-Za-z]{1,4}\d?$")
_TICKET = re.compile(r"[A-Za-z][A-Za-z.-]*#\d+")
_VERSION = re.compile(r"^v?\d+\.\d+")
_ESCAPED = re.compile(r"%[0-9A-Fa-f]{2}")
_WEAK = frozenset("&+@")  # they join names as well
SHORTEST, LONGEST = 8, 64


def password_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where such a word stands between two places of a text."""
    at = start
    while seed := _SEED.search(text, at, end):
        first = seed.start()
        while first > start and _TOKEN.match(text, first - 1, first):
            first -= 1
        found = _TOKEN.match(text, first, end)
        at = found.end() if found else seed.end()
        token = text[first:at].rstrip(_EDGES)
        if is_password_shaped(token) and not _is_part_of_an_address(text, first, at):
            yield first, first + len(token)


def is_password_shaped(token: str) -> bool:
    if not SHORTEST <= len(token) <= LONGEST or sum(map(str.isdigit, token)) < 2:
        return False
    if not any(map(str.isupper, token)) or not any(map(str.islower, token)):
        return False
    if (
        any(rule.fullmatch(token) for rule in (_MAIL, _TICKET))
        or _FILE.search(token)
        or _ESCAPED.search(token)
        or _VERSION.match(token)
    ):
        return False
    signs = set(token) & set("!#$^~%§&+@")
    return not signs <= _WEAK or bool(set(token) & set("-_"))


def _is_part_of_an_address(text: str, first: int, end: int) -> bool:
    """A link, a path or an assignment goes on around it; those have rules of their own."""
    return text[max(0, first - 1) : first] in ("/", "=", ":", "\\", "?") or text[end : end + 1] in ("/", "=", "\\", "(")
