from __future__ import annotations

from reverie.features.schedule.switching import switch
from reverie.surfaces.cli.common import Asked, command


@command
def off(asked: Asked) -> None:
    """Let no dream happen by itself; `dream review` by hand still works."""
    changed = switch(asked.workspace(), on=False)
    said = "Dreaming is off." if changed else "Dreaming was off already."
    line = f"{said} Nothing happens by itself; `dream review` still works, and `dream on` switches it on again."
    asked.answer({"on": False, "changed": changed}, [("plain", line)])
