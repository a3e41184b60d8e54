"""Does search find the line that answers? LoCoMo's development half: turns as lines of dated notes, real questions.

    REVERIE_BENCH=PATH/TO/bench python benchmarks/retrieval.py

The set is for measuring only and is not part of the project; without it the benchmark says so. Every question with
evidence counts. Recall@k: the share of its evidence lines among the first k results. Words alone, vectors alone and both.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from reverie.evidence import search as ranking
from reverie.evidence.index import Index
from reverie.features import search
from reverie.night.live_lines import LiveClaims
from reverie.workspace.values import Workspace

CACHE = Path(tempfile.gettempdir()) / "reverie-bench-cache"
DEPTH = 10


def write_notes(conversation: dict[str, Any], root: Path) -> dict[str, tuple[str, int]]:
    """One note a session, one bullet a turn. Returns where each turn stands."""
    where = {}
    for key in sorted((k for k in conversation if re.fullmatch(r"session_\d+", k)), key=lambda k: int(k[8:])):
        day = datetime.strptime(conversation[f"{key}_date_time"].split(" on ")[1], "%d %B, %Y")
        path = f"memory/{day:%Y-%m-%d}-session-{key[8:]}.md"
        lines = [f"# {day:%Y-%m-%d}", ""]
        for turn in conversation[key]:
            said = " ".join(f"{turn['text']} {turn.get('blip_caption', '')}".split())
            lines.append(f"- {turn['speaker']}: {said}")
            where[turn["dia_id"]] = (path, len(lines))
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("\n".join(lines) + "\n", "utf-8")
    return where


def weights(lexical: float, vector: float) -> Callable[[], None]:
    def use() -> None:
        ranking.LEXICAL, ranking.VECTOR = lexical, vector

    return use


WAYS = {
    "words alone": weights(1.0, 0.0),
    "vectors alone": weights(0.0, 1.0),
    "both": weights(ranking.LEXICAL, ranking.VECTOR),
}


def measure(data: list[dict[str, Any]]) -> dict[str, tuple[int, float, float, float]]:
    """For each way: questions, recall@5, recall@10, mean reciprocal rank."""
    embedder = search.default_embedder(CACHE)
    totals: dict[str, list[tuple[float, float, float]]] = {name: [] for name in WAYS}
    for sample in data:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            where = write_notes(sample["conversation"], root)
            workspace = Workspace(root, root / "dream-vault")
            search.reindex(workspace, embedder)
            with Index(root, embedder) as index:
                index.read = LiveClaims(workspace)
                for item in sample["qa"]:
                    wanted = {where[e] for e in item.get("evidence", []) if e in where}
                    if wanted:
                        for name, use in WAYS.items():
                            use()
                            hits = ranking.search(index, item["question"], DEPTH).hits
                            totals[name].append(_score(hits, wanted))
    WAYS["both"]()
    return {
        name: (len(rows), *(sum(col) / len(rows) for col in zip(*rows, strict=True))) for name, rows in totals.items()
    }  # type: ignore[misc]


def _score(hits: Any, wanted: set[tuple[str, int]]) -> tuple[float, float, float]:
    places = [(hit.claim.path, hit.claim.first) for hit in hits]
    ranks = [places.index(place) for place in wanted if place in places]
    return (
        sum(1 for rank in ranks if rank < 5) / len(wanted),
        sum(1 for rank in ranks if rank < 10) / len(wanted),
        1 / (1 + min(ranks)) if ranks else 0.0,
    )


def main() -> None:
    folder = os.environ.get("REVERIE_BENCH", "")
    file = Path(folder) / "locomo_dev.json"
    if not folder or not file.exists():
        print("retrieval: not measured. Set REVERIE_BENCH to the folder that holds locomo_dev.json.")
        return
    found = measure(json.loads(file.read_text("utf-8")))
    if "--json" in sys.argv:
        print(json.dumps(found, indent=2))
        return
    print(f"{'way':<15}{'questions':>10}{'R@5':>8}{'R@10':>8}{'MRR':>8}")
    for name, (count, five, ten, mrr) in found.items():
        print(f"{name:<15}{count:>10}{five:>8.3f}{ten:>8.3f}{mrr:>8.3f}")


if __name__ == "__main__":
    main()
