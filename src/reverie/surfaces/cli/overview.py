"""`dream` alone on a terminal: how it stands with this memory, and what to do next."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict

from reverie.core.errors import NoWorkspace
from reverie.features import overview as feature
from reverie.features.overview import Overview, Step
from reverie.lang.messages import say
from reverie.surfaces.cli.common import Asked, Lines, command
from reverie.surfaces.cli.status import status_as_dict
from reverie.surfaces.daemon import started_by
from reverie.workspace.values import Workspace


@command
def overview(asked: Asked) -> None:
    try:
        workspace, clock = asked.open()
    except NoWorkspace as error:
        steps = [Step("dream init", say("overview.init")), Step("dream integrate HOST", say("overview.integrate"))]
        steps.append(Step("dream --help", say("overview.help")))
        lines = [("plain", say("overview.what")), ("plain", str(error)), *_step_lines(steps)]
        asked.answer({"workspace": None, "steps": list(map(asdict, steps))}, lines)
        return
    found = feature.overview(
        workspace, clock, started=started_by(os.environ, clock.now(), workspace.folder) is not None
    )
    value = {
        "workspace": str(workspace.root),
        "night": found.night,
        "suggestions": found.suggestions,
        "questions": found.questions,
        "proposed": found.proposed,
        "steps": list(map(asdict, found.steps)),
        "status": status_as_dict(found.seen),
    }
    asked.answer(value, _lines(workspace, found))


def _lines(workspace: Workspace, found: Overview) -> Lines:
    seen = found.seen
    yield "path", f"🌙 {workspace.root}"
    yield "plain", found.night
    counts = {"notes": seen.pending, "suggestions": found.suggestions, "questions": found.questions}
    waits = [say(f"overview.waiting_{name}", n=n) for name, n in counts.items() if n]
    yield "plain", say("overview.waits", what=say("count.between").join(waits)) if waits else say("overview.idle")
    room = "overview.room" if seen.exact else "overview.room_at_most"
    size = say(room, size=seen.characters, limit=seen.limit, share=seen.share)
    yield ("cut", f"⚠ {seen.unread}") if seen.unread else ("plain", size)
    yield from _step_lines(found.steps)


def _step_lines(steps: Sequence[Step]) -> Lines:
    yield "path", say("overview.next")
    width = max(len(step.command) for step in steps)
    for step in steps:
        yield "plain", f"  {step.command:<{width}}  {step.why}"
