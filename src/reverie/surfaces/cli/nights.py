"""How a night is told: the same value for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reverie.apply.saved import plan_as_dict
from reverie.core.layout import STATE_DIR
from reverie.core.model_calls import use_as_dict
from reverie.night import engine
from reverie.plan.receipt import receipt_lines
from reverie.privacy.redact import shown


def night_as_dict(night: engine.Night, *, with_plan: bool = True) -> dict[str, Any]:
    before, after = engine.sizes_of(night)
    value: dict[str, Any] = {
        "workspace": str(night.snapshot.workspace.root),
        "run": night.run.id if night.run else None,
        "changed": bool(night.run),
        "counts": dict(night.plan.counts),
        "characters": {"before": before, "after": after},
        "probes": {"before": night.plan.probes[0], "after": night.plan.probes[1]} if night.plan.probes else None,
        "model": use_as_dict(night.plan.use) if night.plan.use else None,
        "proposed": night.proposed or None,
        "left_to_owner": sorted({path for path, _ in night.run.left}) if night.run else [],
        "recovered": list(night.recovered),
        "derived": list(night.derived),
        "projected": [
            {"path": one.path, "host": one.host, "outcome": one.outcome, "why": one.why or None}
            for one in night.projected
        ],
        "suggestions": engine.waiting_suggestions(night),
        "flags": [{"tag": flag.tag, "text": shown(flag.text), "why": shown(flag.why)} for flag in night.plan.flags],
    }
    if with_plan:
        value["plan"] = plan_as_dict(night.plan)
    return value


def _short(night: engine.Night) -> list[str]:
    """What was brought up to date, below the folder of machine state; the parts of the index under one name."""
    names = (path.removeprefix(f"{STATE_DIR}/") for path in night.derived)
    return list(dict.fromkeys("index*" if name.startswith("index") else name for name in names))


def told(night: engine.Night) -> Iterator[tuple[str, str]]:
    """What happened, ending with how to take it back."""
    for word in night.recovered:
        yield "why", f"First: {word}."
    yield from engine.prose_of(night)
    for line in receipt_lines(night.plan.use):
        yield "why", line
    yield from suggested(night)
    if night.proposed:
        yield "path", f"Nothing was applied; this waits for your word. {night.proposed} shows the file as it would be."
        yield "plain", "`dream apply` accepts it, with --only ID or --without ID a part of it; --none declines."
    for one in night.projected:
        if one.outcome == "refused":
            yield "cut", f"Not projected: {one.why}"
        elif one.outcome == "written":
            yield "plain", f"{one.path} was brought up to date for {one.host}."
    if not night.run and night.derived:
        yield "plain", f"MEMORY.md stays as it is. Brought up to date under {STATE_DIR}: {', '.join(_short(night))}."
    if night.run:
        for path in sorted({path for path, _ in night.run.left}):
            yield "cut", f"{path} was changed by you meanwhile; your words were kept and the edits there left out."
        back = f"dream undo {night.run.id}" if night.plan.undoes else "dream undo"  # a plain undo passes over undos
        yield "plain", f"Run {night.run.id}. `{back}` takes it back; `dream why ID` tells a line's story."


def suggested(night: engine.Night) -> Iterator[tuple[str, str]]:
    """How many suggestions wait, and where to look at them."""
    if count := engine.waiting_suggestions(night):
        yield "why", f"{count} suggestion{'s wait' if count > 1 else ' waits'} for your word: `dream suggestions`."
