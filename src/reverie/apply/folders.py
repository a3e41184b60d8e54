"""Keeps in mind which plain folders this user works with, in the user's state folder: no host's file names those."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from reverie.workspace.settings_files import folders_file, known_folders


def keep_in_mind(folder: Path, environ: Mapping[str, str], *, nights: bool) -> None:
    """Know this folder from now on: that something of ours is there, and with `nights`, that they come by themselves.

    One line at the end of one file, so two commands at once lose nothing. A home that cannot be written forgets it.
    """
    folder, file = Path(os.path.realpath(folder)), folders_file(environ)
    if known_folders(environ).get(folder) in (True, nights):
        return
    with suppress(OSError):
        file.parent.mkdir(0o700, parents=True, exist_ok=True)
        with open(file, "a", encoding="utf-8") as out:
            out.write(json.dumps({"folder": str(folder), "nights": nights}) + "\n")
