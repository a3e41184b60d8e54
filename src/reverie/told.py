"""When something was told: the time of day that a heading or a line opens with."""

from __future__ import annotations

import re
from datetime import time
from functools import lru_cache

_TIME = re.compile(
    r"[\W_]*(?:\d{4}-\d{2}-\d{2}[T ,]+)?(?P<half>凌晨|上午|早上|中午|下午|晚上|오전|오후|午前|午後)?\s*"
    r"(?P<hour>[01]?\d|2[0-3])[:：h](?P<minute>[0-5]\d)(?!\d)\s*(?P<ampm>am|pm)?",
    re.I,
)
_LATER = frozenset({"下午", "晚上", "오후", "午後", "pm"})


@lru_cache(maxsize=2_000)
def time_in(heading: str) -> time | None:
    """The time a heading begins with (`## 00:40 — after the call`); None when it says none."""
    found = _TIME.match(heading)
    if not found:
        return None
    hour, half = int(found["hour"]), (found["half"] or found["ampm"] or "").casefold()
    if half in _LATER and hour < 12:
        hour += 12
    return time(hour, int(found["minute"]))
