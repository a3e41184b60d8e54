"""How the learned judge ranks the lines of nights it was not trained on: the gold nights and benchmarks/nights.

    REVERIE_GOLD=PATH python benchmarks/worth.py [--show N]

Every statement of every daily note; wanted is what the case keeps (or the new side of an update), what is merely acceptable
is left out. Measured only: nothing is trained or chosen here. A night's notes repeat things and hold secrets, orders and
quotations that other parts catch: this is the judge alone. `--show` prints the best-ranked lines that nobody wants.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from reverie.judge.worth import THRESHOLDS, Line, worth_of
from reverie.layout import Kind
from reverie.model import Entry, Workspace
from reverie.workspace.reader import read_workspace

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "training"))
from reports import auc, average_precision

NIGHTS = Path(__file__).resolve().parent / "nights"
WANTED, NEUTRAL, UNWANTED = 2, 1, 0
_ACCEPTED = ("acceptable", "coexist", "unsure")


def matches(groups: list[list[str]], text: str) -> bool:
    low = text.casefold()
    return all(any(word.casefold() in low for word in group) for group in groups)


def label(entry: Entry, gold: dict[str, Any]) -> int:
    """Wanted by its place; neutral if acceptable, or if it says in another place what is wanted."""
    places = {f"{entry.source.path}:{line}" for line in range(entry.source.first, entry.source.last + 1)}
    cited = {
        key: {place for item in gold[key] for place in item.get("evidence", ())}
        for key in ("keep", "updates", *_ACCEPTED)
    }
    if places & (cited["keep"] | cited["updates"]):
        return WANTED
    accepted = any(places & cited[key] for key in _ACCEPTED)
    accepted = accepted or any(
        matches(item["match"], entry.text) for key in ("keep", "acceptable") for item in gold[key]
    )
    return NEUTRAL if accepted else UNWANTED


def night(case: Path, show: int) -> tuple[Any, Any]:
    """(labels, chances) of a night's lines, the neutral ones left out."""
    gold = json.loads(
        next(case / name for name in ("gold.json", "wanted.json") if (case / name).exists()).read_text("utf-8")
    )
    snapshot = read_workspace(Workspace(case / "workspace", case / "no-vault"))
    entries = [entry for file in snapshot.files.values() if file.place.kind is Kind.DAILY for entry in file.entries]
    labels = np.array([label(entry, gold) for entry in entries])
    lines = [Line(entry.text, " > ".join((*entry.headings[1:], *entry.parents))) for entry in entries]
    keep = np.array([worth.keep for worth in worth_of(lines, lambda texts: texts)])
    for at in [at for at in np.argsort(-keep, kind="stable") if labels[at] == UNWANTED][:show]:
        why = {item["why"] for item in gold["reject"] if matches(item["match"], entries[at].text)}
        print(f"  {keep[at]:.2f} {'/'.join(sorted(why)):<14} {lines[at].under[:40]!r} {entries[at].text[:140]!r}")
    return labels[labels != NEUTRAL] == WANTED, keep[labels != NEUTRAL]


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
    show = asked.parse_args().show
    gold = os.environ.get("REVERIE_GOLD")
    cases = [
        *(sorted(Path(gold).glob("dev-*")) if gold else ()),
        *sorted(case for case in NIGHTS.iterdir() if case.is_dir()),
    ]
    rows, everything, begun = [], [], time.process_time()
    for case in cases:
        print(f"## {case.name}" if show else "", end="\n" if show else "")
        everything.append(night(case, show))
        rows.append(row(case.name, *everything[-1]))
    rows.append(row("all", *(np.concatenate(part) for part in zip(*everything, strict=True))))
    print(
        "| night | wanted | AUC | AP | of the best 5 | 10 | 20 | wanted above sure | above likely |\n|---|---|---|---|---|---|---|---|---|"
    )
    print("\n".join(rows))
    print(
        f"\n{(time.process_time() - begun) / sum(len(keep) for _, keep in everything) * 1000:.1f} ms of CPU a line, all included"
    )


if __name__ == "__main__":
    main()
