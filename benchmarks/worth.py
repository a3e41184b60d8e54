"""How the learned judge ranks the lines of labelled workspaces, and what a line costs.

    REVERIE_GOLD=PATH[:PATH ...] python benchmarks/worth.py [--nights] [--show N]

Every statement of every daily note beside the nearest lines of MEMORY.md; wanted is what the case keeps (or the new side of
an update), what is merely acceptable is left out. Of workspaces that the weights were trained on (those of benchmarks/nights,
with `--nights`, are) this tells nothing but the cost: what the judge is worth on what it has not seen, `training/worth.py`
prints. `--show` prints the best-ranked lines that nobody wants.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from reverie.core.ports import Embedder
from reverie.features.search import default_embedder
from reverie.judge.worth import THRESHOLDS, LineToWeigh, worth_of

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "training"))
from labelled import NEUTRAL, UNWANTED, WANTED, Row, labels_of, workspace_rows
from reports import auc, average_precision

NIGHTS = Path(__file__).resolve().parent / "nights"
NEAREST = 4  # lines of memory that a line is judged beside


def night(case: Path, embedder: Embedder, show: int) -> tuple[Any, Any, float]:
    """(labels, chances, seconds of CPU) of a night's lines, the neutral ones left out."""
    rows = workspace_rows(case, hashlib.sha256())
    lines = nearest(rows, embedder)
    begun = time.process_time()
    keep = np.array([worth.keep for worth in worth_of(lines, lambda texts: texts, quick=True)])
    spent = time.process_time() - begun
    labels = np.array([row.keep for row in rows])
    for at in [at for at in np.argsort(-keep, kind="stable") if labels[at] == UNWANTED][:show]:
        print(f"  {keep[at]:.2f} {rows[at].kind or '':<10} {rows[at].under[:40]!r} {rows[at].text[:140]!r}")
    return labels[labels != NEUTRAL] == WANTED, keep[labels != NEUTRAL], spent / max(len(rows), 1)


def nearest(rows: list[Row], embedder: Embedder) -> list[LineToWeigh]:
    """The lines, each with the lines of memory that are nearest in meaning, as a night gives them."""
    memory = list(rows[0].near) if rows else []
    old, new = (np.asarray(embedder.embed(texts or [""])) for texts in (memory, [row.text for row in rows]))
    order = np.argsort(-(new @ old.T), axis=1)[:, :NEAREST] if memory else np.zeros((len(rows), 0), dtype=int)
    return [
        LineToWeigh(row.text, row.under, near=tuple(memory[at] for at in near))
        for row, near in zip(rows, order, strict=True)
    ]


def row(name: str, wanted: Any, keep: Any) -> str:
    best = wanted[np.argsort(-keep, kind="stable")]
    cells = [f"{wanted.sum()} of {len(wanted)}", f"{auc(wanted, keep):.3f}", f"{average_precision(wanted, keep):.3f}"]
    cells += [f"{best[:count].mean():.2f}" for count in (5, 10, 20)]
    for bar in (THRESHOLDS["sure"], THRESHOLDS["likely"]):
        cells.append(f"{wanted[keep >= bar].sum()} of {(keep >= bar).sum()}")
    return f"| {name} | " + " | ".join(cells) + " |"


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--show", type=int, default=0)
    asked.add_argument("--nights", action="store_true")
    given = asked.parse_args()
    folders = [Path(one) for one in os.environ.get("REVERIE_GOLD", "").split(os.pathsep) if one]
    cases = [
        case
        for folder in [*folders, *([NIGHTS] if given.nights else ())]
        for case in sorted(folder.iterdir())
        if labels_of(case)
    ]
    if not cases:
        print("Nothing to measure: name folders of labelled workspaces in REVERIE_GOLD, or ask for --nights.")
        return
    worth_of([LineToWeigh("a", near=("b",))], lambda texts: texts)  # the network is loaded before the clock runs
    embedder = default_embedder(None)
    rows, everything, spent = [], [], []
    for case in cases:
        print(f"## {case.name}" if given.show else "", end="\n" if given.show else "")
        wanted, keep, cost = night(case, embedder, given.show)
        everything.append((wanted, keep))
        spent.append(cost)
        rows.append(row(case.name, wanted, keep))
    rows.append(row("all", *(np.concatenate(part) for part in zip(*everything, strict=True))))
    print("| night | wanted | AUC | AP | of the best 5 | 10 | 20 | wanted above sure | above likely |\n|---|---|---|---|---|---|---|---|---|")  # fmt: skip
    print("\n".join(rows))
    print(f"\n{np.mean(spent) * 1000:.2f} ms of CPU a line, beside {NEAREST} lines of memory")


if __name__ == "__main__":
    main()
