from __future__ import annotations

from reverie.features.schedule.due import due as is_due
from reverie.surfaces.cli.common import Asked, command


@command
def due(asked: Asked) -> None:
    """Say whether it is time to dream: exit code 0 if it is, 1 if not, and the reason."""
    workspace = asked.workspace()
    found = is_due(workspace, asked.clock(workspace.settings.timezone))
    value = {
        "due": found.ready, "why": found.why, "new_notes": found.notes,
        "until": found.until.isoformat(timespec="seconds") if found.until else None,
    }  # fmt: skip
    asked.answer(value, [("plain", line) for line in found.lines])
    if not found.ready:
        raise SystemExit(1)
