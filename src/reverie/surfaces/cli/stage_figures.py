"""How `dream status --deep` tells the stages of memory and how often a question was answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from reverie.features.stages import SEASON, Hits, Stage


def stages_as_dict(found: Sequence[Stage], hits: Hits) -> dict[str, Any]:
    rate = None if hits.rate is None else round(hits.rate, 4)
    return {
        "stages": [{"name": one.name, "count": one.count, "what": one.what} for one in found],
        "recalls": {"days": SEASON, "asked": hits.asked, "answered": hits.answered, "rate": rate},
    }


def stage_lines(found: Sequence[Stage], hits: Hits) -> Iterator[tuple[str, str]]:
    yield "plain", "Stages: " + " · ".join(f"{one.name} {one.count} ({one.what})" for one in found)
    if hits.rate is None:
        yield "plain", f"Recall hit rate: nothing was asked in {SEASON} days"
    else:
        yield "plain", f"Recall hit rate: {hits.answered} of {hits.asked} answered in {SEASON} days ({hits.rate:.0%})"
