"""Takes files of ours away for good, and the folders that are empty then. For `dream uninstall` alone: there is no way back."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def remove_files(files: Iterable[Path]) -> list[tuple[Path, str]]:
    """Delete these files (of a link the link, never what it leads to); returns what could not be deleted, with the reason."""
    troubles = []
    for file in files:
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            troubles.append((file, error.strerror or str(error)))
    return troubles


def remove_empty(folder: Path) -> None:
    """Take away every empty folder below a folder of ours, and that one itself if nothing is left in it."""
    if folder.is_symlink():
        return
    for below, _, _ in os.walk(folder, topdown=False):
        with suppress(OSError):  # somebody keeps something there
            Path(below).rmdir()
