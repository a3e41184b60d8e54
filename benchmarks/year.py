"""A simulated year: a note of 3 KB and a few searches a day, and a night after each. How state and cost grow.

    python benchmarks/year.py [DAYS]

Prints the size of the machine state (`memory/.dreams`) and the cost of a night, as a ratio to the night of day 30 within
the same run. Lines are invented from a fixed seed. Times are CPU seconds of this process, the median of seven nights.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path

from reverie.core.ports import FixedClock
from reverie.features.search import ask, default_embedder
from reverie.night.night import review
from reverie.workspace.values import Workspace

START = datetime.fromisoformat("2026-01-01T03:00:00+00:00")
PEOPLE = ("Mara", "Joris", "Pia", "Tomek", "Ines", "Olaf", "Yuki", "Rana", "Lev", "Sunniva")
THINGS = (
    "boiler",
    "lease",
    "greenhouse",
    "invoice",
    "archive",
    "kiln",
    "ferry",
    "router",
    "orchard",
    "loom",
    "festival",
    "pump",
    "ledger",
    "roof",
)
VERBS = (
    "moved",
    "checked",
    "ordered",
    "repaired",
    "measured",
    "cancelled",
    "painted",
    "shipped",
    "counted",
    "tested",
    "called",
)


def note(rng: random.Random, day: datetime) -> str:
    """About 3 KB: what a busy day leaves behind, most of it worth nothing next month."""
    lines = [f"# {day:%Y-%m-%d}", "", "## Log", ""]
    while sum(map(len, lines)) < 3_000:
        who, what, did = rng.choice(PEOPLE), rng.choice(THINGS), rng.choice(VERBS)
        lines.append(f"- {day:%H}:{rng.randrange(60):02d} {who} {did} the {what}, took {rng.randrange(5, 90)} minutes")
        if rng.random() < 0.05:
            lines.append(f"- Decision: {who} is responsible for the {what} from now on")
    return "\n".join(lines) + "\n"


def main(days: int) -> None:
    rng = random.Random(365)
    costs: dict[int, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "memory").mkdir()
        (root / "MEMORY.md").write_text("# Memory\n\n## Current State\n\n## Stable Knowledge\n")
        workspace = Workspace(root, root / "dream-vault", embedder=default_embedder(root / "cache"))
        for number in range(1, days + 1):
            night = START + timedelta(days=number)
            day = night - timedelta(days=1)
            (root / f"memory/{day:%Y-%m-%d}.md").write_text(note(rng, day))
            clock = FixedClock(night)
            for _ in range(3):
                ask(workspace, workspace.embedder, clock, f"{rng.choice(PEOPLE)} {rng.choice(THINGS)}")
            start = time.process_time()
            review(workspace, clock)
            costs[number] = time.process_time() - start
            if number in (30, 90, 180, 365) or number == days:
                _tell(root, number, costs)


def _tell(root: Path, number: int, costs: dict[int, float]) -> None:
    state = [path for path in (root / "memory/.dreams").rglob("*") if path.is_file()]
    whole = sum(path.stat().st_size for path in state)
    index = sum(path.stat().st_size for path in state if path.name.startswith("index"))
    runs = sum(path.stat().st_size for path in state if "runs" in path.parts)
    now = statistics.median(costs[n] for n in range(max(1, number - 6), number + 1))
    then = statistics.median(costs[n] for n in range(24, 31)) if number >= 30 else now
    memory = len((root / "MEMORY.md").read_text())
    print(
        f"day {number:>4}: state {whole / 1e6:5.1f} MB (index {index / 1e6:.1f}, runs {runs / 1e6:.1f}); "
        f"a night {now:.2f} s CPU = {now / then:.2f} times day 30; MEMORY.md {memory:,} characters",
        flush=True,
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 365)
