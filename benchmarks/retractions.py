"""Notes that take back what memory says: what is suggested, what is wrongly suggested, and what recall and search still give as current.

    python benchmarks/retractions.py DATA.jsonl [--show]

One JSON object a line: `memory` (a line of MEMORY.md), `others` (lines beside it that still hold), `note` (of the next day), `question`,
and `still_true` where the note only looks as if it took the line back. Without a model. The data is not part of the repository.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import Any

from reverie.core.ports import FixedClock, fixed
from reverie.evidence.embedders import StaticEmbedder
from reverie.features.recall.recall import recall
from reverie.features.search import ask
from reverie.judge.operation import RETRACTED
from reverie.night.night import review
from reverie.plan.suggested import open_suggestions
from reverie.text.terms import plain
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Workspace

CLOCK: FixedClock = fixed("2026-11-15T03:00:00+00:00")
MEMORY = "# Memory\n\n## Facts\n\n"


def words(line: str) -> str:
    return line.lstrip("- ").strip()


def lived(row: dict[str, Any], root: Path, embedder: StaticEmbedder) -> Counter[str]:
    """What happens to one row, by name."""
    found: Counter[str] = Counter()
    (root / "memory").mkdir()
    lines = [words(line) for line in (row["memory"], *row["others"])]
    (root / "MEMORY.md").write_text(MEMORY + "".join(f"- {line}\n" for line in lines), "utf-8")
    workspace = Workspace(root, root / "dream-vault", embedder=embedder)
    (root / "memory" / ".last_dream").write_text("2026-11-14T03:00:00+00:00\n", "utf-8")
    (root / "memory" / "2026-11-14.md").write_text(f"# 2026-11-14\n\n- {words(row['note'])}\n", "utf-8")
    found[f"recall before {standing(workspace, row)}"] += 1
    review(workspace, CLOCK)
    cards = [one for one in open_suggestions(read_workspace(workspace)) if one.tag == RETRACTED]
    meant = [plain(one.memory[0]) == plain(lines[0]) for one in cards]
    found["suggested"] += any(meant)
    found["suggested of another line"] += not all(meant)
    found["removed"] += lines[0] not in (root / "MEMORY.md").read_text("utf-8")
    found[f"recall after {standing(workspace, row)}"] += 1
    first = next(iter(ask(workspace, embedder, CLOCK, row["question"], record=False).hits), None)
    found["search first as current"] += bool(
        first and plain(first.claim.text) == plain(lines[0]) and first.current is not False
    )
    return found


def standing(workspace: Workspace, row: dict[str, Any]) -> str:
    """How recall gives the line: `first` as current, `behind` another, `marked` as contradicted, or `not` at all."""
    facts = recall(workspace, CLOCK, row["question"], record=False).facts
    places = [at for at, fact in enumerate(facts) if plain(fact.hit.claim.text) == plain(words(row["memory"]))]
    if not places:
        return "not"
    if facts[places[0]].text.endswith(")") and not words(row["memory"]).endswith(")"):
        return "marked"
    return "behind" if any("2026-11-14" in fact.text for fact in facts[: places[0]]) else "first"


def main() -> None:
    rows = [json.loads(line) for line in Path(sys.argv[1]).read_text("utf-8").strip().split("\n")]
    embedder, began = StaticEmbedder(Path.home() / ".cache" / "reverie"), perf_counter()
    for name, wanted in (("retractions", False), ("traps", True)):
        chosen = [row for row in rows if bool(row.get("still_true")) is wanted]
        total: Counter[str] = Counter()
        for row in chosen:
            with tempfile.TemporaryDirectory() as folder:
                found = lived(row, Path(folder), embedder)
                total += found
                if "--show" in sys.argv and bool(found["suggested"]) is wanted:
                    print(f"  {name} {dict(found)}: {row['memory']} | {row['note']}")
        print(f"{name} ({len(chosen)}): " + ", ".join(f"{key} {count}" for key, count in sorted(total.items())))
    print(f"{perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
