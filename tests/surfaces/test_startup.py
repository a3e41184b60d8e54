"""`dream --help` and `dream status` stay quick: CPU in multiples of a bare interpreter, measured by the benchmark."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "startup.py"


@pytest.mark.skipif(sys.platform == "win32", reason="CPU time of children is measured with the resource module")
def test_help_and_status_cost_at_most_ten_bare_starts() -> None:
    benchmark = runpy.run_path(str(BENCHMARK))

    found = benchmark["measure"](times=9)

    assert found["dream --help"] <= benchmark["LIMIT"]
    assert found["dream status"] <= benchmark["LIMIT"]
