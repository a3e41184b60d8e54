"""Whole nights in six languages against the labels of a careful person: what must hold, and what must not get worse.

Nothing secret anywhere, no note changed, what the owner keeps is untouched and look-alikes both stay: always. How much is
kept, updated and retired has a floor, a little below what the night reaches today (docs/quality.md).
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))
from nights import NIGHTS, dreamt  # noqa: E402

FLOORS = {"keep": 0.6, "updates": 0.35, "stale": 0.5, "precision": 0.85, "clean": 0.85, "ask": 0.7}


@pytest.mark.parametrize("case", sorted(path.parent.name for path in NIGHTS.glob("*/wanted.json")))
def test_a_night(case: str) -> None:
    found = dreamt(NIGHTS / case)

    assert found.leaks == [] and found.notes_changed == []
    assert found.parts["untouched"] == found.parts["coexist"] == 1.0, found.wrong
    assert {part: found.parts[part] for part, floor in FLOORS.items() if found.parts[part] < floor} == {}, found.wrong
