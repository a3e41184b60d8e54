"""Fits the small network by which search and recall put the newer version of a fact before the older one (`features/versions.py`).

    OPENBLAS_NUM_THREADS=1 python training/newer.py FOLDER … [--check FOLDER …]

Folders of workspaces with `questions.tsv` or `gold.json`, as `asking.py` reads them. For each question the lines are ranked as search ranks
them; of the lines newer than one of the best two, the one that answers must win where the older is outdated, and "none of them" must where it
is not. Writes src/reverie/evidence/data/newer.json. What stands behind `--check` is only judged: which share of its questions has a
line that answers first, and which an outdated one, before and after.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from asking import CACHE, asked
from descent import descend

from reverie.core.cache import keep_in
from reverie.evidence import ranking, search
from reverie.evidence.index import Index
from reverie.features import versions
from reverie.features.search import default_embedder, reindex
from reverie.night.live_lines import LiveClaims
from reverie.workspace.values import Workspace

OUT = Path(__file__).resolve().parents[1] / "src" / "reverie" / "evidence" / "data" / "newer.json"
HIDDEN, RIDGE, STEPS = 12, 0.002, 300
SEED = 7


@dataclass(frozen=True)
class Choice:
    """One of the best lines, the lines that may have taken its place, and which of them has."""

    rows: Any
    won: Any
    days: tuple[str, ...]
    chances: tuple[float, ...]
    first: bool  # the best line of all
    right: bool
    old: bool
    answers: Any  # whether each newer line answers now


def choices(folder: Path) -> list[Choice]:
    keep_in(CACHE)
    embedder = default_embedder(CACHE)
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "w"
        shutil.copytree(folder / "workspace" if (folder / "workspace").exists() else folder, root)
        (root / "questions.tsv").unlink(missing_ok=True)
        workspace = Workspace(root, root / "dream-vault")
        reindex(workspace, embedder)
        with Index(root, embedder) as index:
            index.read = LiveClaims(workspace)
            return [
                one
                for _, question, judge in asked(folder)
                for one in _of(question, search.gathered(index, question), judge)
            ]


def _of(question: str, pool: search.Pool, judge: Any) -> Iterator[Choice]:
    found = list(pool.found.values())
    odds = ranking.log_odds(question, found, pool.weighing, pool.usual, pool.pieces)
    hits = [
        search.Hit(one.claim, 0.0, one.words, one.near, "", number, chance=1 / (1 + math.exp(-score)))
        for number, (one, score) in enumerate(zip(found, odds, strict=True))
    ]
    best = sorted(hits, key=lambda hit: -hit.chance)[: versions.NEWER]
    labels = {hit.number: judge(hit.claim) for hit in best}
    for rank, old in enumerate(best[: versions.OLDER]):
        newer = [hit for hit in best if hit is not old and versions.may_replace(old, hit)]
        right, outdated = labels[old.number]
        answers = np.array([labels[hit.number][0] for hit in newer], dtype=bool)
        rows = np.array(versions.figures(question, [(old, hit) for hit in newer])) if newer else np.zeros((0, 0))
        yield Choice(
            rows, answers & outdated, tuple(hit.claim.day for hit in newer), tuple(hit.chance for hit in newer), not rank, right, outdated, answers,
        )  # fmt: skip


def fitted(every: list[Choice]) -> dict[str, Any]:
    """Listwise: the line that took the place wins, or none of them does."""
    used = [one for one in every if len(one.rows) and (one.right or one.old or one.first)]
    sizes = np.array([len(one.rows) + 1 for one in used])
    starts = np.cumsum([0, *sizes[:-1]])
    width = used[0].rows.shape[1]
    table = np.vstack([np.vstack([np.zeros(width), one.rows]) for one in used])
    none = np.zeros(len(table), dtype=bool)
    none[starts] = True
    won = np.concatenate([np.concatenate([[not one.won.any()], one.won]) for one in used])
    heavy = np.repeat([1.0 if one.right or one.won.any() else 0.5 for one in used], sizes) / len(used)

    def value(at: Any) -> tuple[float, Any]:
        into, out = at[: width * HIDDEN].reshape(width, HIDDEN), at[width * HIDDEN :]
        inner = np.tanh(table @ into)
        score = np.where(none, 0.0, inner @ out)
        raised = np.exp(score - np.repeat(np.maximum.reduceat(score, starts), sizes))
        share = raised / np.repeat(np.add.reduceat(raised, starts), sizes)
        right = np.repeat(np.maximum(np.add.reduceat(share * won, starts), 1e-12), sizes)
        cost = -float((np.log(right) * heavy / sizes.repeat(sizes)).sum()) + RIDGE * float(at @ at)
        slope = np.where(none, 0.0, (share - share * won / right) * heavy)
        back = table.T @ (slope[:, None] * out * (1 - inner**2))
        return cost, np.concatenate([back.ravel(), inner.T @ slope]) + 2 * RIDGE * at

    start = np.random.default_rng(SEED).normal(0, 0.3, width * HIDDEN + HIDDEN)
    found = descend(value, start, STEPS)
    return {"into": found[: width * HIDDEN].reshape(width, HIDDEN), "out": found[width * HIDDEN :]}


def report(every: list[Choice], weights: dict[str, Any]) -> str:
    """Of the best line of each question: it answers, it is outdated; and the line that then stands first."""
    told = []
    for one in (one for one in every if one.first):
        chances = versions.chances_of(one.rows, weights) if len(one.rows) else ()
        may = [
            (day, chance, at)
            for at, (day, chance) in enumerate(zip(one.days, chances, strict=True))
            if chance >= versions.BEFORE and one.chances[at] >= versions.ANSWERS
        ]
        now = (one.answers[max(may)[2]], False) if may else (one.right, one.old and not one.right)
        told.append((one.right, one.old and not one.right, *now))
    return " ".join(f"{share:.3f}" for share in np.mean(np.array(told, dtype=float), 0))


def _gathered(given: list[str]) -> list[Choice]:
    names = ("questions.tsv", "gold.json")
    folders = sorted(path.parent for folder in given for name in names for path in Path(folder).glob(f"*/{name}"))
    with ProcessPoolExecutor(2) as pool:
        return [one for found in pool.map(choices, folders) for one in found]


def joined(one: dict[str, Any], other: Any) -> dict[str, Any]:
    """A network whose log odds are the mean of two: learnt from other questions each, they err in other places."""
    return {"into": np.hstack([one["into"], other["into"]]), "out": np.concatenate([one["out"], other["out"]]) / 2}


def main() -> None:
    join = "--join" in sys.argv
    given = [one for one in sys.argv[1:] if one != "--join"]
    at = given.index("--check") if "--check" in given else len(given)
    every, held = _gathered(given[:at]), _gathered(given[at + 1 :])
    weights = joined(fitted(every), versions._weights()) if join else fitted(every)
    print(f"{len(every):,} choices; first right, first outdated, and after versions:", report(every, weights))
    if held:
        print("checked:", report(held, weights))
        return
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(one.rows).tobytes() for one in every)).hexdigest()
    stored = {name: np.round(value, 3).tolist() for name, value in weights.items()}
    OUT.write_text(json.dumps(stored | {"trained_on": digest[:16]}) + "\n", "utf-8")


if __name__ == "__main__":
    main()
