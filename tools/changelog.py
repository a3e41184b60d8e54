"""CHANGELOG.md, made of the notes in changes/, the newest first: python tools/changelog.py"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEAD = """\
# Changelog

What changed for users, the newest first. Made of the files in [changes/](changes) by `make changelog`.

## {version}, not released yet
"""


def changelog(version: str, notes: Iterable[str]) -> str:
    """The notes, oldest given first, as one document: each heading one level down, each link as seen from the root."""
    sections = [HEAD.format(version=version)]
    for note in reversed(list(notes)):
        lowered = re.sub(r"^(#+ )", r"##\1", note.strip(), flags=re.M)
        sections.append(lowered.replace("](../", "](") + "\n")
    return "\n".join(sections)


def of_this_project() -> str:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    return changelog(version, (path.read_text("utf-8") for path in sorted((ROOT / "changes").glob("*.md"))))


if __name__ == "__main__":
    (ROOT / "CHANGELOG.md").write_text(of_this_project(), "utf-8")
