"""A night costs what is new, not what there is: counted in work, because seconds depend on the machine."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from conftest import Build
from reverie.core.layout import INDEX_DB, Kind
from reverie.core.ports import FixedClock, HashEmbedder
from reverie.evidence.claims import claims_of
from reverie.evidence.index import WAL_KEPT, Index
from reverie.night import commands
from reverie.night.remember import sweep
from reverie.workspace.reader import Stamp, read_workspace


def work_of_a_night(build: Build, clock: FixedClock, notes: int) -> tuple[int, int, int]:
    """Notes that a night parses, files and lines that it indexes, after as many nights as it takes to know the others."""
    night = clock.now()
    past = {f"memory/{night - timedelta(days=n + 3):%Y-%m-%d}.md": f"- walked {n} miles\n" for n in range(notes)}
    workspace = replace(build({"MEMORY.md": "# Ada\n\n- likes tea\n", **past}), embedder=HashEmbedder())
    commands.review(workspace, FixedClock(night - timedelta(days=1)))
    sweep(workspace, FixedClock(night - timedelta(days=1)))
    (workspace.root / f"memory/{night - timedelta(days=1):%Y-%m-%d}.md").write_text("- bought a kiln\n- and a loom\n")

    indexed = sweep(workspace, clock).indexed
    seen = commands.plan_dream(workspace, clock).snapshot

    parsed = [file for file in seen.files.values() if file.place.kind is Kind.DAILY and "parsed" in vars(file)]
    return len(parsed), indexed.added, indexed.kept


def test_a_night_over_one_new_note_does_the_same_work_in_any_workspace(build: Build, clock: FixedClock) -> None:
    assert work_of_a_night(build, clock, 12) == work_of_a_night(build, clock, 300)


def test_the_log_of_the_index_stays_small_while_somebody_keeps_it_open(build: Build) -> None:
    workspace = build({f"memory/2026-11-{day:02d}.md": f"- walked {day} miles\n" * 50 for day in range(1, 15)})
    files = read_workspace(workspace).files.values()
    with Index(workspace.root, HashEmbedder()) as watching:
        watching.count()
        for turn in range(30):
            with Index(workspace.root, HashEmbedder()) as index:
                index.update({f.path: (Stamp(f"{turn}", 1, turn), list(claims_of(f))) for f in files}, ())

        assert log_of(workspace.root).stat().st_size <= 4 * WAL_KEPT


def log_of(root: Path) -> Path:
    return (root / INDEX_DB).with_name("index.db-wal")
