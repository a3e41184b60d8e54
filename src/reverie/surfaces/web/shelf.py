"""What rooms have just computed, so that many readers cost as much as one.

Nothing here is older than a moment. While one reader computes a value, others are given the one before, if there is one: a page
that is two seconds old is better than a page that waits. After a change made on the page everybody waits for the new value, except
where the old one will do: what takes seconds to weigh and is only looked at.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")
MOST = 200  # values that are kept
NEVER = float("-inf")


@dataclass
class _Slot:
    busy: threading.Lock = field(default_factory=threading.Lock)
    value: Any = None
    made: float = NEVER
    known: bool = False  # there is a value, however old


class Shelf:
    """Values by name. Safe for many threads."""

    def __init__(self, ticks: Callable[[], float] = time.monotonic) -> None:
        self._ticks, self._lock = ticks, threading.Lock()
        self._slots: dict[str, _Slot] = {}
        self._changes = 0

    def get(self, name: str, make: Callable[[], T], fresh_for: float = 2.0, *, old_will_do: bool = False) -> T:
        """The value of this name, made anew when it is older than that many seconds."""
        with self._lock:
            slot = self._slots.setdefault(name, _Slot())
            while len(self._slots) > MOST:
                del self._slots[next(iter(self._slots))]
        made = slot.made
        if self._ticks() - made < fresh_for:
            return slot.value  # type: ignore[no-any-return]
        can_wait = slot.known and (old_will_do or made > NEVER)
        if not slot.busy.acquire(blocking=not can_wait):
            return slot.value  # type: ignore[no-any-return]
        try:
            if self._ticks() - slot.made >= fresh_for:  # another reader may have made it while we waited
                began, before = self._ticks(), self._changes
                slot.value, slot.known = make(), True
                slot.made = began if before == self._changes else NEVER  # what changed meanwhile was perhaps not seen
            return slot.value  # type: ignore[no-any-return]
        finally:
            slot.busy.release()

    def clear(self) -> None:
        """Something changed: every value is made anew."""
        with self._lock:
            self._changes += 1
            for slot in self._slots.values():
                slot.made = NEVER


__all__ = ["Shelf"]
