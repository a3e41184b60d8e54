"""How `dream status --deep` tells how good the memory is: the score, each of its parts, and ninety days in a row of bars."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from reverie.features.quality import Quality, chart


def quality_as_dict(found: Quality) -> dict[str, Any]:
    return {
        "score": found.score,
        "entries": found.entries,
        "parts": [
            {"name": part.name, "count": part.count, "points": part.points, "of": part.of, "why": part.why}
            for part in found.parts
        ],
        "characters": found.characters,
        "limit": found.limit,
        "lines": found.lines,
        "maxLines": found.max_lines,
        "growth": [{"day": day.isoformat(), "characters": size} for day, size in found.growth],
    }


def quality_lines(found: Quality, today: date) -> Iterator[tuple[str, str]]:
    if found.score is None:
        yield "plain", "Memory health: nothing to judge yet."
        return
    yield "path", f"Memory health: {found.score} of 100"
    for part in found.parts:
        yield "plain", f"  {part.name:<15}{part.points:>3} of {part.of:<3} {part.why}"
    if found.lines > found.max_lines:
        yield "cut", f"  ⚠ {found.lines} lines; the limit is {found.max_lines}"
    if found.growth:
        first, last = found.growth[0][1], found.growth[-1][1]
        yield "plain", f"Growth, 90 days: {chart(found.growth, today)} {first:,} → {last:,} characters"
