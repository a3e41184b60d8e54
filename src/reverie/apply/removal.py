"""Takes files of ours away for good, and the folders that are empty then. For `dream uninstall` alone: there is no way back."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def remove_files(files: Iterable[Path], within: Path) -> list[tuple[Path, str]]:
    """Delete these files (of a link the link, never what it leads to) and what folders they leave empty inside `within`.

    Returns what could not be deleted, with the reason.
    """
    troubles, folders = [], {within}
    for file in files:
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            troubles.append((file, error.strerror or str(error)))
        folders.update(folder for folder in file.parents if folder.is_relative_to(within))
    for folder in sorted(folders, key=lambda folder: -len(folder.parts)):
        with suppress(OSError):  # somebody keeps something there
            folder.rmdir()
    return troubles
