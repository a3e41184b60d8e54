"""Learns when a note takes back what a line of memory says: the weights of `reverie.judge.retractions`.

    python training/retractions.py DATA.jsonl … [--write]

Rows with `memory`, `note` and `others` (lines that still hold), and `still_true` where the note only looks like a retraction; or with
`fact`, `returns` and `others`: the same said again takes nothing back. `training/retractions.jsonl`, our own, is always learnt
from; the blind authors' data is not part of the repository. Printed is what weights learnt on nine tenths of the blind rows
and all of ours say about the last tenth.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from descent import descend

from reverie.judge import retractions as known
from reverie.judge.retractions import LIKELY, PLAIN, rows_of
from reverie.judge.worth import about_same
from reverie.text.lookalikes import unmasked

FOLDS, RIDGE = 10, 1.0
MADE, MADE_WEIGHT = -2, 0.2  # rows of ours that were made from templates say little each
OURS = Path(__file__).with_name("retractions.jsonl")
Case = tuple[int, str, str, str]  # the row (ours: below zero), what it is, the line of memory, the note


def cases_of(rows: list[dict[str, Any]], number: int | None = None) -> Iterator[Case]:
    for at, row in enumerate(rows):
        its = at if number is None else number
        if "fact" in row:
            yield from ((its, "again", row["fact"], unmasked(text)) for text in row["returns"])
            yield from ((its, "beside", row["fact"], text) for text in row["others"])
            continue
        yield its, "trap" if row.get("still_true") else "retraction", row["memory"], row["note"]
        for other in row["others"]:
            yield its, "other", other, row["note"]
            yield its, "beside", row["memory"], other


def learnt(table: Any, wanted: Any, weight: Any) -> Any:
    mean, spread = table.mean(axis=0), table.std(axis=0) + 1e-6
    mean[0], mean[PLAIN:], spread[0], spread[PLAIN:] = 0.0, 0.0, 1.0, 1.0
    scaled = (table - mean) / spread

    def cost(at: Any) -> tuple[float, Any]:
        chance = 1 / (1 + np.exp(-np.clip(scaled @ at, -60, 60)))
        right = np.where(wanted, chance, 1 - chance)
        ridge = np.concatenate([[0.0], at[1:]])
        slope = scaled.T @ (weight * (chance - wanted)) + 2 * RIDGE * ridge
        return float(-(weight * np.log(right + 1e-9)).sum() + RIDGE * ridge @ ridge), slope

    found = descend(cost, np.zeros(table.shape[1]), 400) / spread
    found[0] -= float((found * mean)[1:].sum())
    return found


def main() -> None:
    blind: list[dict[str, Any]] = []
    for path in (Path(name) for name in sys.argv[1:] if not name.startswith("--")):
        blind += [json.loads(line) for line in path.read_text("utf-8").strip().split("\n")]
    ours = [json.loads(line) for line in OURS.read_text("utf-8").strip().split("\n")]
    cases = [*cases_of(blind)]
    for is_made, number in ((False, -1), (True, MADE)):
        cases += cases_of([row for row in ours if bool(row.get("made")) is is_made], number)
    pairs = [(memory, note) for _, _, memory, note in cases]
    table = rows_of(pairs, about_same(pairs, lambda texts: texts)).astype(np.float64)
    kinds, rows = np.array([case[1] for case in cases]), np.array([case[0] for case in cases])
    wanted, weight = kinds == "retraction", np.where(np.isin(kinds, ("retraction", "trap")), 2.0, 0.6)
    weight = weight * np.where(rows == MADE, MADE_WEIGHT, 1.0)
    chance = np.zeros(len(cases))
    for fold in range(FOLDS):
        held = (rows % FOLDS == fold) & (rows >= 0)
        chance[held] = 1 / (
            1 + np.exp(-np.clip(table[held] @ learnt(table[~held], wanted[~held], weight[~held]), -60, 60))
        )
    for bar in (0.2, LIKELY, 0.5, 0.7):
        told = " ".join(
            f"{kind} {np.mean(chance[(kinds == kind) & (rows >= 0)] >= bar):.2f}"
            for kind in ("retraction", "trap", "other", "again", "beside")
        )
        print(f"from {bar:.2f}: {told}")
    if "--write" in sys.argv:
        np.savez_compressed(
            Path(known.__file__).with_name("retractions.npz"), weights=learnt(table, wanted, weight).astype(np.float16)
        )


if __name__ == "__main__":
    main()
