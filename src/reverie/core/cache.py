"""The user's cache: where tables are kept that can be made anew. The surface says it once, whoever keeps something there asks."""

from __future__ import annotations

from pathlib import Path

_FOLDER: list[Path] = []


def keep_in(folder: Path) -> None:
    """From now on, in this process, the cache is there."""
    _FOLDER[:] = [folder]


def kept_in() -> Path | None:
    """Where the cache is; None where nobody has said so, and nothing is kept."""
    return _FOLDER[0] if _FOLDER else None
