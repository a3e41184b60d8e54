"""Short answers of which nothing is lost: JSON on one line, cut into pages.

A model pays for every byte in every later turn of its conversation. So an answer has at most `FIRST` bytes; what does not fit is
kept under a handle, and `dream_more` gives it page by page. Each page is JSON of its own, cut between items where that is
possible and inside a text where it is not.
"""

from __future__ import annotations

import json
import secrets
from collections import deque
from typing import Any, Generic, TypeVar

T = TypeVar("T")
Value = dict[str, Any]
FIRST, NEXT = 2_048, 8_192  # bytes: of an answer, and of each page that somebody asks for after it
KEPT = 32  # things that wait under a handle; the oldest makes room
_HANDLE = 48  # bytes that the handle itself takes
_LEAST = 256  # bytes; a text is not cut to pieces smaller than this
_CUT = "…"


class Shelf(Generic[T]):
    """Things under a handle that nobody can guess, until newer ones need their place."""

    def __init__(self) -> None:
        self._kept: deque[tuple[str, T]] = deque(maxlen=KEPT)

    def put(self, thing: T) -> str:
        handle = secrets.token_hex(4)
        self._kept.append((handle, thing))
        return handle

    def get(self, handle: str) -> T | None:
        return next((thing for name, thing in tuple(self._kept) if name == handle.strip()), None)


def as_text(value: Any) -> str:
    """JSON without a space too many; a byte that is no letter becomes a question mark."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace").decode("utf-8")


def page_of(value: Value, rests: Shelf[Value], room: int = FIRST) -> str:
    """The value as text of at most `room` bytes. Where it is longer, `more` is the handle of the rest and `left` its bytes."""
    part, rest = split(value, room)
    if rest is None:
        return as_text(part)
    part, rest = split(value, room - _HANDLE)
    return as_text({**part, "more": rests.put(rest), "left": _bytes(rest)})


def split(value: Any, room: int) -> tuple[Any, Any]:
    """As much of a value as fits into so many bytes, and the rest, which is None where nothing is left."""
    if _bytes(value) <= room:
        return value, None
    if isinstance(value, str):
        return _split_text(value, room)
    if isinstance(value, dict):
        parts, rests = _filled([(f"{as_text(key)}:", (key, item)) for key, item in value.items()], room)
        return dict(parts), dict(rests)
    parts, rests = _filled([("", (0, item)) for item in value], room)
    return [item for _, item in parts], [item for _, item in rests]


_Named = tuple[Any, Any]


def _filled(named: list[tuple[str, _Named]], room: int) -> tuple[list[_Named], list[_Named]]:
    """The first of these that fit beside each other, and the others. One that is too long is cut where there is room for a piece."""
    taken: list[_Named] = []
    left = room - 2  # the brackets
    for at, (lead, (key, item)) in enumerate(named):
        left -= len(lead.encode()) + bool(taken)
        if _bytes(item) <= left:
            taken.append((key, item))
            left -= _bytes(item)
            continue
        others = [pair for _, pair in named[at + 1 :]]
        if taken and (left < _LEAST or not lead):  # an item of a list goes whole to the next page
            return taken, [(key, item), *others]
        part, rest = split(item, left)
        return [*taken, (key, part)], [(key, rest), *others]
    return taken, []


def _split_text(text: str, room: int) -> tuple[str, str]:
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _bytes(text[:middle] + _CUT) <= room else (low, middle - 1)
    words = max(text.rfind(" ", 0, low), text.rfind("\n", 0, low)) + 1
    at = words if words > low // 2 else low
    return text[:at] + _CUT, _CUT + text[at:]


def _bytes(value: Any) -> int:
    return len(as_text(value).encode())


def short(value: Value) -> Value:
    """Without what says nothing."""
    return {key: item for key, item in value.items() if item not in (None, "", [], {})}
