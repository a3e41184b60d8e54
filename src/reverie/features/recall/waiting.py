"""An answer by a certain moment, whatever hangs: work runs in threads that nobody has to wait for.

A thread that is late goes on alone and dies with the process; it is told that nobody listens any more, so that it leaves
no trace. After several late answers in a row nobody is kept waiting for a while.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")
Work = Callable[[threading.Event], T]  # the event is set when nobody waits any more
SECOND = 0.6  # of the time: when the first way has not answered by then, the other one starts too


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """What came in time: a value, an error, or nothing. `partial`: only the second way answered."""

    value: T | None = None
    error: BaseException | None = None
    late: bool = False
    partial: bool = False


def within(seconds: float, first: Work[T], second: Work[T] | None = None) -> Outcome[T]:
    """What the first way answers in time; else what the second one has; else nothing, on time."""
    end = time.monotonic() + seconds
    answers: SimpleQueue[tuple[bool, T | None, BaseException | None]] = SimpleQueue()
    over = threading.Event()
    _start(first, answers, over, second=False)
    kept: Outcome[T] | None = None
    started = second is None
    try:
        while (left := end - time.monotonic()) > 0:
            try:
                was_second, value, error = answers.get(timeout=left if started else min(left, _until(end, seconds)))
            except Empty:
                if not started and second is not None:
                    started = True
                    _start(second, answers, over, second=True)
                continue
            if not was_second:
                return Outcome(value, error)
            kept = Outcome(value, error, late=True, partial=error is None)
        return kept if kept and kept.partial else Outcome(late=True)
    finally:
        over.set()


def _until(end: float, seconds: float) -> float:
    """How long the first way is waited for alone."""
    return max(0.001, end - (1 - SECOND) * seconds - time.monotonic())


def _start(
    work: Work[T], answers: SimpleQueue[tuple[bool, T | None, BaseException | None]], over: threading.Event, *, second: bool
) -> None:  # fmt: skip
    def run() -> None:
        try:
            answers.put((second, work(over), None))
        except BaseException as error:  # noqa: BLE001  whatever it is, the one who waits must hear of it
            answers.put((second, None, error))

    threading.Thread(target=run, daemon=True, name="reverie-recall").start()


@dataclass(slots=True)
class Breaker:
    """Counts late answers in a row for each key, and says when to try again."""

    _late: dict[object, tuple[int, float]] = field(default_factory=dict)
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def is_open(self, key: object, most: int, cooldown: float) -> bool:
        """Whether to answer nothing at once. When the time is over one try is allowed, and decides anew."""
        with self._guard:
            count, last = self._late.get(key, (0, 0.0))
            return count >= most and time.monotonic() - last < cooldown

    def tell(self, key: object, *, late: bool) -> None:
        with self._guard:
            if not late:
                self._late.pop(key, None)
                return
            self._late[key] = self._late.get(key, (0, 0.0))[0] + 1, time.monotonic()


@dataclass(slots=True)
class Kept(Generic[T]):
    """Values for a short time, at most so many: the oldest go first."""

    most: int = 1_000
    _values: dict[object, tuple[float, T]] = field(default_factory=dict)
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def get(self, key: object) -> T | None:
        with self._guard:
            until, value = self._values.get(key, (0.0, None))
            return value if time.monotonic() < until else None

    def put(self, key: object, value: T, seconds: float) -> None:
        with self._guard:
            self._values.pop(key, None)
            while len(self._values) >= self.most:
                del self._values[next(iter(self._values))]
            self._values[key] = time.monotonic() + seconds, value
