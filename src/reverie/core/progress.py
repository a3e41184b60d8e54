"""Where a night is: it says each step as it begins it, and whoever wants to know follows. Most nights nobody does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

STEPS = ("read", "remember", "judge", "check", "write")
_listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def begin(step: str) -> None:
    """Say that this step of a night begins."""
    if listen := _listener.get():
        listen(step)


@contextmanager
def following(listen: Callable[[str], None]) -> Iterator[None]:
    """Hear every step of the nights inside the block."""
    before = _listener.set(listen)
    try:
        yield
    finally:
        _listener.reset(before)
