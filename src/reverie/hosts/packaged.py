"""The files that we bring along for a host: its plugin, its skill."""

from __future__ import annotations

from pathlib import Path

from reverie.core.errors import BadInput
from reverie.lang.messages import say


def folder_of(host: str) -> Path:
    """Where the files for a host lie: in the installed package, or in the repository beside it."""
    package = Path(__file__).parents[1]
    for base in (package / "integrations", package.parents[1] / "integrations"):
        if (base / host).is_dir():
            return base / host
    raise BadInput(say("integrate.not_installed", host=host))
