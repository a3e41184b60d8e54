from __future__ import annotations

from reverie.features.schedule.switching import switch
from reverie.surfaces.cli.common import Asked, command


@command
def on(asked: Asked) -> None:
    """Let dreams happen by themselves again, at the time that is set."""
    changed = switch(asked.workspace(), on=True)
    said = "Dreaming is on." if changed else "Dreaming was on already."
    asked.answer({"on": True, "changed": changed}, [("plain", f"{said} `dream doctor` tells what happens next.")])
