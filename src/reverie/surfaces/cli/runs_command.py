from __future__ import annotations

from collections.abc import Iterator, Sequence

from reverie.core.model_calls import use_as_dict
from reverie.features.glance import Kept, kept_versions
from reverie.night import engine
from reverie.plan.receipt import receipt_lines
from reverie.surfaces.cli.common import Asked, command
from reverie.workspace.values import Run


@command
def runs(asked: Asked) -> None:
    """List what happened: every run, what it did, and whether it was taken back."""
    workspace = asked.workspace()
    found, kept = engine.list_runs(workspace), kept_versions(workspace.root)
    value = [
        {
            "id": run.id,
            "at": run.at,
            "intent": str(run.plan.intent),
            "counts": dict(run.plan.counts),
            "probes": {"before": run.plan.probes[0], "after": run.plan.probes[1]} if run.plan.probes else None,
            "model": use_as_dict(run.plan.use) if run.plan.use else None,
            "files": list(run.plan.paths),
            "undoes": run.plan.undoes,
            "undone_by": run.undone_by,
            "left_to_owner": sorted({path for path, _ in run.left}),
            "kept": [{"path": one.path, "of": one.of} for one in kept if one.run == run.id],
        }
        for run in found
    ]
    asked.answer(value, _lines(found, kept))


def _lines(found: Sequence[Run], kept: Sequence[Kept]) -> Iterator[tuple[str, str]]:
    if not found:
        yield "plain", "No run yet. `dream review` makes the first."
    for run in found:
        did = ", ".join(f"{n} {tag}" for tag, n in sorted(run.plan.counts.items())) or "nothing moved"
        if run.plan.undoes:
            did = f"undid {run.plan.undoes}"
        asked = f", probes {run.plan.probes[0]} → {run.plan.probes[1]}" if run.plan.probes else ""
        back = f", undone by {run.undone_by}" if run.undone_by else ""
        yield (
            "cut" if run.undone_by else "plain",
            f"{run.id}  {run.at[:16].replace('T', ' ')}  {run.plan.intent}: {did}{asked}{back}",
        )
        for line in receipt_lines(run.plan.use):
            yield "why", f"  {line}"
        for one in kept:
            if one.run == run.id:
                yield "cut", f"  ⚠ {one}"
