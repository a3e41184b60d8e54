"""Forgotten for ever, and said again in other ways: how much of it comes back, and how much else is held back.

    python benchmarks/forgotten.py DATA.jsonl [--nights] [--show]

One JSON object a line: `fact`, `returns` (the same fact said again), `others` (other facts about the same people and things). First
the comparison alone. With `--nights` each fact is forgotten in a workspace of its own, then everything is said again in later
notes, and a judge who wants every line dreams: what stands in MEMORY.md and what search and recall tell is counted. The data
is not part of the repository.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any

from reverie.core.ports import FixedClock
from reverie.evidence.embedders import StaticEmbedder
from reverie.features.forget.forget import forget
from reverie.features.recall.recall import recall
from reverie.features.search import ask
from reverie.judge.brief import Brief, Verdict
from reverie.judge.forgotten import Recognised, recognised, tombstone
from reverie.judge.operation import Op, Operation
from reverie.night.night import review
from reverie.plan.suggested import open_suggestions
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Workspace


class Wanting:
    """A judge that wants every new line in memory."""

    name = "wanting"

    def judge(self, brief: Brief) -> Verdict:
        section = next(iter(brief.sections), "")
        return Verdict(
            tuple(
                Operation(Op.ADD, "wanted", (note.claim,), text=note.claim.text, section=section)
                for note in brief.notes
            )
        )


def compared(rows: list[dict[str, Any]], *, show: bool) -> None:
    counts: Counter[tuple[str, Recognised]] = Counter()
    began = perf_counter()
    for row in rows:
        stone = tombstone(row["fact"], forever=True, whole=True)
        for kind in ("returns", "others"):
            for text in row[kind]:
                found = recognised(text, (stone,))[0]
                counts[kind, found] += 1
                if show and (found is Recognised.SAME) != (kind == "returns"):
                    print(f"  {kind} {found}: {row['fact']} | {text}")
    every = sum(counts.values())
    for kind, wish in (("returns", "come back"), ("others", "blocked")):
        total = sum(count for (its, _), count in counts.items() if its == kind)
        told = ", ".join(f"{one} {counts[kind, one]} ({counts[kind, one] / max(1, total):.1%})" for one in Recognised)
        print(f"{kind}: {total}; {told}  [{wish}: {'other' if kind == 'returns' else 'same'}]")
    print(f"{1000 * (perf_counter() - began) / max(1, every):.2f} ms a comparison, loading included")


def nights(rows: list[dict[str, Any]], *, show: bool) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for row in rows:
        with tempfile.TemporaryDirectory() as folder:
            for kind, text, where in _lived(row, Path(folder)):
                counts[kind, where] += 1
                if show and where and (kind == "returns") == (where in ("memory", "search", "recall")):
                    print(f"  {kind} {where}: {row['fact']} | {text}")
    for kind in ("returns", "others"):
        told = ", ".join(
            f"{where or 'all'} {counts[kind, where]}" for where in ("", "memory", "asked", "search", "recall")
        )
        print(f"{kind}: {told}")


def _lived(row: dict[str, Any], root: Path) -> list[tuple[str, str, str]]:
    """Where each saying of a row is found after the nights: (kind, text, place)."""
    begin = datetime.fromisoformat("2026-11-15T03:00:00+00:00")
    embedder = StaticEmbedder(Path.home() / ".cache" / "reverie")
    workspace = Workspace(root, root / "dream-vault", embedder=embedder)
    (root / "memory").mkdir()
    line = row["fact"] if row["fact"].startswith("- ") else f"- {row['fact']}"
    (root / "MEMORY.md").write_text(f"# Memory\n\n## Stable Knowledge\n\n- keeps bees\n{line}\n", "utf-8")
    forget(workspace, FixedClock(begin), "MEMORY.md:6", forever=True)
    told: list[tuple[str, str, str]] = []
    sayings = [(kind, text) for kind in ("returns", "others") for text in row[kind]]
    for number, (kind, text) in enumerate(sayings, 1):
        day = begin + timedelta(days=number)
        note = root / "memory" / f"{day - timedelta(days=1):%Y-%m-%d}.md"
        note.write_text(f"# Notes\n\n- {text.lstrip('->| ')}\n", "utf-8")
        clock = FixedClock(day)
        review(workspace, clock, judge=Wanting())
        path = note.relative_to(root).as_posix()
        found = {
            "": True,
            "memory": text.lstrip("->| ").strip() in (root / "MEMORY.md").read_text("utf-8"),
            "asked": any(
                path in place for one in open_suggestions(read_workspace(workspace)) for place, _ in one.cites
            ),
            "search": any(hit.claim.path == path for hit in ask(workspace, embedder, clock, text, record=False).hits),
            "recall": any(
                fact.hit.claim.path == path for fact in recall(workspace, clock, row["fact"], record=False).facts
            ),
        }
        told += [(kind, text, where) for where, there in found.items() if there]
    return told


def main() -> None:
    rows = [json.loads(line) for line in Path(sys.argv[1]).read_text("utf-8").strip().split("\n")]
    compared(rows, show="--show" in sys.argv)
    if "--nights" in sys.argv:
        nights(rows, show="--show" in sys.argv)


if __name__ == "__main__":
    main()
