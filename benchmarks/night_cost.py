"""What a night over one new note costs, in a workspace of thirty earlier notes and in one of ten years of them.

    python benchmarks/night_cost.py [NOTES ...]

Prints the CPU seconds of this process for a night over one new note (the median of five), for each number of earlier
notes, and the ratio of the last to the first; wanted: at most 2 times, under 3 seconds. The earlier notes are indexed and
marked as judged, as nights of their own would have left them. Lines are invented from a fixed seed.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path

from reverie.core.layout import JUDGED
from reverie.core.ports import FixedClock
from reverie.features.search import default_embedder, reindex
from reverie.night.night import review
from reverie.workspace.news import judged_text
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Workspace

NIGHTS = 5
TONIGHT = datetime.fromisoformat("2026-11-15T03:00:00+00:00")
WHO = ("Mara", "Joris", "Pia", "Tomek", "Ines", "Olaf", "Yuki", "Rana")
WHAT = ("boiler", "lease", "greenhouse", "invoice", "archive", "kiln", "ferry", "router", "orchard", "loom")
DID = ("moved", "checked", "ordered", "repaired", "measured", "cancelled", "painted", "shipped")


def note(rng: random.Random, day: datetime) -> str:
    """Twelve lines of a day, one of them worth keeping."""
    lines = [f"# {day:%Y-%m-%d}", ""]
    lines += [
        f"- {rng.choice(WHO)} {rng.choice(DID)} the {rng.choice(WHAT)}, {rng.randrange(5, 900)} minutes"
        for _ in range(11)
    ]
    lines.append(f"- Decision: {rng.choice(WHO)} is responsible for the {rng.choice(WHAT)} from now on")
    return "\n".join(lines) + "\n"


def lived(root: Path, cache: Path, notes: int, rng: random.Random) -> Workspace:
    """A workspace whose notes were all dreamt about."""
    (root / "memory/.dreams").mkdir(parents=True)
    (root / "MEMORY.md").write_text("# Memory\n\n## Current State\n\n## Stable Knowledge\n- Lives in Bern\n")
    for number in range(notes):
        day = TONIGHT - timedelta(days=number + 2)
        (root / f"memory/{day:%Y-%m-%d}.md").write_text(note(rng, day))
    workspace = Workspace(root, root / "dream-vault", embedder=default_embedder(cache))
    reindex(workspace, workspace.embedder)
    (root / JUDGED).write_text(judged_text(read_workspace(workspace)))
    review(workspace, FixedClock(TONIGHT - timedelta(days=1)))
    return workspace


def cost(cache: Path, notes: int) -> float:
    rng = random.Random(notes)
    with tempfile.TemporaryDirectory() as folder:
        workspace = lived(Path(folder), cache, notes, rng)
        times = []
        for night in range(NIGHTS):
            now = TONIGHT + timedelta(days=night)
            (workspace.root / f"memory/{now - timedelta(days=1):%Y-%m-%d}.md").write_text(note(rng, now))
            started = time.process_time()
            review(workspace, FixedClock(now))
            times.append(time.process_time() - started)
    return statistics.median(times)


def main(sizes: list[int]) -> None:
    with tempfile.TemporaryDirectory() as cache:
        costs = []
        for size in sizes:
            costs.append(cost(Path(cache), size))
            print(f"{size:>6} notes: a night over one new note {costs[-1]:.2f} s CPU", flush=True)
    print(f"ratio {costs[-1] / costs[0]:.2f}")


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [30, 3650])
