"""What rooms have just computed, so that many readers cost as much as one.

Nothing here is older than a moment, and nothing outlives a change made on the page. While one reader computes a value, others
are given the one before, if there is one: a page that is two seconds old is better than a page that waits.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")
MOST = 200  # values that are kept


@dataclass
class _Slot:
    busy: threading.Lock = field(default_factory=threading.Lock)
    value: Any = None
    made: float = float("-inf")


class Shelf:
    """Values by name. Safe for many threads."""

    def __init__(self, ticks: Callable[[], float] = time.monotonic) -> None:
        self._ticks, self._lock = ticks, threading.Lock()
        self._slots: dict[str, _Slot] = {}

    def get(self, name: str, make: Callable[[], T], fresh_for: float = 2.0) -> T:
        """The value of this name, made anew when it is older than that many seconds."""
        with self._lock:
            slot = self._slots.setdefault(name, _Slot())
            while len(self._slots) > MOST:
                del self._slots[next(iter(self._slots))]
        known = slot.made > float("-inf")
        if known and self._ticks() - slot.made < fresh_for:
            return slot.value  # type: ignore[no-any-return]
        if not slot.busy.acquire(blocking=not known):
            return slot.value  # type: ignore[no-any-return]
        try:
            if self._ticks() - slot.made >= fresh_for:  # another reader may have made it while we waited
                began, made = self._ticks(), make()
                slot.value, slot.made = made, began
            return slot.value  # type: ignore[no-any-return]
        finally:
            slot.busy.release()

    def clear(self) -> None:
        """Something changed: every value is made anew."""
        with self._lock:
            self._slots.clear()


__all__ = ["Shelf"]
