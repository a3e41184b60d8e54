"""How the judge ranks the lines of the gold nights, and how good it is on labelled lines it has not seen.

    REVERIE_GOLD=PATH REVERIE_JUDGEMENT=PATH python benchmarks/judge.py [--show N]

Gold: every statement of every daily note; wanted is what the case keeps (or the new side of an update), what is merely acceptable is
left out. Measured only: nothing is trained or chosen on these nights. For each night it prints the best-ranked lines
that nobody wants, and the wanted ones below LIKELY: what rules have to catch. With REVERIE_JUDGEMENT it also
repeats the validation of the training (some minutes). The data is not part of the project.
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

from reverie.evidence.static import StaticEmbedder
from reverie.layout import Kind
from reverie.model import Entry, Origin, Workspace
from reverie.phases.judge import LIKELY, SURE, Line, judge_lines
from reverie.workspace.reader import read_workspace

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "training"))
from reports import auc, average_precision, print_lines, print_pairs

WANTED, NEUTRAL, UNWANTED = 2, 1, 0


def line_of(entry: Entry) -> Line:
    """A statement under the headings below its note's title, and the bullets above it."""
    return Line(entry.text, " > ".join((*entry.headings[1:], *entry.parents)))


def matches(groups: list[list[str]], text: str) -> bool:
    low = text.casefold()
    return all(any(word.casefold() in low for word in group) for group in groups)


def label(entry: Entry, gold: dict[str, Any]) -> int:
    places = {f"{entry.source.path}:{line}" for line in range(entry.source.first, entry.source.last + 1)}
    cited = {key: {place for item in gold[key] for place in item.get("evidence", ())} for key in gold if key in _CITED}
    if places & (cited["keep"] | cited["updates"]):
        return WANTED
    if any(places & cited[key] for key in ("acceptable", "coexist", "unsure")):
        return NEUTRAL
    return NEUTRAL if any(matches(item["match"], entry.text) for item in gold["keep"]) else UNWANTED


_CITED = ("keep", "updates", "acceptable", "coexist", "unsure")


def night(case: Path, show: int, embed: Any) -> str:
    gold = json.loads((case / "gold.json").read_text("utf-8"))
    snapshot = read_workspace(Workspace(case / "workspace", case / "no-vault"))
    entries = [entry for file in snapshot.files.values() if file.place.kind is Kind.DAILY for entry in file.entries]
    labels = np.array([label(entry, gold) for entry in entries])
    keep = np.array([judged.keep for judged in judge_lines([line_of(entry) for entry in entries], embed)])
    bare = np.array([judged.keep for judged in judge_lines([line_of(entry) for entry in entries], None)])
    wanted, owner = labels == WANTED, np.array([entry.origin is Origin.OWNER for entry in entries])
    if show:
        print(f"\n## {case.name}")
        for at in [at for at in np.argsort(-keep, kind="stable") if labels[at] == UNWANTED and owner[at]][:show]:
            why = {item["why"] for item in gold["reject"] if matches(item["match"], entries[at].text)}
            print(
                f"  false alarm {keep[at]:.2f} {'/'.join(sorted(why)):<12} {entries[at].source} {entries[at].text[:110]!r}"
            )
        for at in np.flatnonzero(wanted & (keep < LIKELY)):
            print(f"  missed      {keep[at]:.2f} {'':<12} {entries[at].source} {entries[at].text[:110]!r}")
    cells = [f"{wanted.sum()} of {len(entries)}"]
    for part, score in (
        (labels != NEUTRAL, keep),
        ((labels != NEUTRAL) & owner, keep),
        ((labels != NEUTRAL) & owner, bare),
    ):
        cells.append(f"{auc(wanted[part], score[part]):.3f} / {average_precision(wanted[part], score[part]):.2f}")
    for bar in (SURE, LIKELY):
        above = (keep >= bar) & owner & (labels != NEUTRAL)
        cells.append(
            f"{wanted[above].mean() if above.any() else float('nan'):.2f} / {(keep[wanted] >= bar).mean():.2f}"
        )
    return f"| {case.name} | " + " | ".join(cells) + " |"


def nights(folder: Path, show: int, embed: Any) -> None:
    rows = [night(case, show, embed) for case in sorted(folder.iterdir()) if (case / "gold.json").is_file()]
    print(
        "\n| night | wanted | AUC / AP, all lines | owner's lines | without vectors | precision / recall at SURE | at LIKELY |"
    )
    print("|---|---|---|---|---|---|---|", *rows, sep="\n")


def validation(folder: Path, embed: Any) -> None:
    import judge as training  # training/judge.py

    rows, related, digest = training.read(folder)
    lines, pairs = training.Lines(rows, embed), training.Pairs(related, training.made_pairs(related, rows), embed)
    keep, kinds, _ = training.unseen_lines(lines)
    print(f"\nlabelled data {digest[:12]}")
    print_lines(lines.rows, keep, kinds, training.KINDS, training.bars(lines, keep))
    print_pairs(pairs.relation[pairs.real], training.unseen_pairs(pairs)[0], training.RELATIONS)


def cost(embed: Any) -> None:
    lines = [
        Line(f"The {word} on shelf {number} costs {number} euros since March", "House > Things")
        for number in range(250)
        for word in ("lamp", "灯", "Lampe", "лампа")
    ]
    judge_lines(lines[:5], embed)
    start = time.process_time()
    judge_lines(lines, embed)
    print(f"\n1,000 lines: {time.process_time() - start:.2f} s of CPU after the first")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures the judge.")
    parser.add_argument("--show", type=int, default=8, help="false alarms to print for each night")
    show = parser.parse_args().show
    embed = StaticEmbedder(Path.home() / ".cache" / "reverie").embed
    cost(embed)
    for name, measure in (
        ("REVERIE_GOLD", lambda path: nights(path, show, embed)),
        ("REVERIE_JUDGEMENT", lambda path: validation(path, embed)),
    ):
        if os.environ.get(name) and Path(os.environ[name]).is_dir():
            measure(Path(os.environ[name]))
        else:
            print(f"\n{name} does not name a folder with the labelled data; that part is left out.")


if __name__ == "__main__":
    main()
