"""Learns how likely a person says yes to a card: `REVERIE_GOLD=… python training/ranking.py UNSEEN`, writes `src/reverie/judge/ranking.py`.

From labelled workspaces (our own nights, and those that REVERIE_GOLD names): every operation that may be proposed, wanted or not. The
workspaces of REVERIE_GOLD_TEST are only reported on. The judge of worth has learnt from the same workspaces and knows them by heart, so
what it says of their lines is taken from UNSEEN, which `training/worth.py --unseen` writes: answers of weights that had not seen the
folder. The same files give the same bytes.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # sums in another order are other bits

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1] / "benchmarks"))
from nights import matches
from reverie.core.ports import fixed
from reverie.judge.brief import Brief
from reverie.judge.forms import by_form
from reverie.judge.operation import Op
from reverie.judge.proposals import ROWS, Proposal, WeighedNote, proposals, weigh
from reverie.judge.worth import bare
from reverie.night.briefing import brief_of
from reverie.night.suggesting import Card, CardSource
from reverie.plan.suggested import line_words
from reverie.surfaces.configure import configured
from suggestions import judged_card

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "src" / "reverie" / "judge" / "ranking.py"


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("unseen", type=Path)
    unseen = _unseen(asked.parse_args().unseen)
    known = [*_cases(ROOT / "benchmarks" / "nights", "wanted.json"), *_named("REVERIE_GOLD")]
    kept_out = list(_named("REVERIE_GOLD_TEST"))
    parts = [[row for case in cases for row in _rows(*case, unseen)] for cases in (known, kept_out)]
    table = {op: _learned(op, *parts) for op in ROWS}
    lines = "".join(
        f'    "{op}": ({", ".join(f"{round(value, 3) + 0.0:.3f}" for value in found)}),\n'
        for op, found in table.items()
    )
    head = '"""Made by `training/ranking.py`: what each number of a card is worth for its place in the list."""\n\n'
    OUT.write_text(f"{head}RANKING: dict[str, tuple[float, ...]] = {{\n{lines}}}\n", "utf-8", newline="\n")


Unseen = Mapping[str, Mapping[str, float]]


def _unseen(file: Path) -> Unseen:
    """For each workspace and text: how likely it is worth keeping, said by weights that had not seen it."""
    found: dict[str, dict[str, float]] = {}
    for part, _, text, keep, *_ in json.loads(file.read_text("utf-8")):
        found.setdefault(part, {}).setdefault(
            text, keep
        )  # the same words under several headings are worth about the same
    return found


def _named(variable: str) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    for folder in os.environ.get(variable, "").split(os.pathsep):
        yield from _cases(Path(folder), "gold.json") if folder else ()


def _cases(folder: Path, name: str) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    for path in sorted(folder.glob(f"*/{name}")):
        yield path.parent, json.loads(path.read_text("utf-8"))


def _rows(case: Path, wanted: Mapping[str, Any], unseen: Unseen) -> Iterator[tuple[str, tuple[float, ...], bool]]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "workspace"
        shutil.copytree(case / "workspace", root)
        cache = Path(tempfile.gettempdir()) / "reverie-bench"
        workspace = configured(root, {"HOME": folder, "XDG_CACHE_HOME": str(cache)})
        brief = brief_of(workspace, fixed(wanted["now"], ZoneInfo(wanted["timezone"])))
        answers = unseen[f"{case.parent.name}/{case.name}"]
        found = proposals(brief, [_left_out(one, answers) for one in may_enter(brief)])
    yield from ((str(one.operation.op), one.row, _is_wanted(_card(one), wanted)) for one in found)


def _is_wanted(card: Card, wanted: Mapping[str, Any]) -> bool:
    """As the benchmark counts, but a line whose value changed is to be changed and not to be ended."""
    stale = any(matches(one["match"], card.lines[0].text) for one in wanted["stale"]) if card.lines else False
    return judged_card(card, wanted) == "wanted" and (card.op is not Op.END or stale)


def may_enter(brief: Brief) -> list[WeighedNote]:
    """The notes that the list may be made of, as the built-in judge takes them."""
    told = by_form(brief).known
    return [
        one for one in weigh(brief) if not one.against and one.note.id not in told and one.note.claim.origin == "owner"
    ]


def _left_out(one: WeighedNote, answers: Mapping[str, float]) -> WeighedNote:
    """With the answer of weights that had not seen the line. A line without one (1 in 100) was in no daily note, so none had."""
    keep = answers.get(bare(one.note.claim.text), one.worth.keep)
    return replace(one, worth=replace(one.worth, keep=keep))


def _card(one: Proposal) -> Card:
    it = one.operation
    said = tuple(CardSource(str(claim.source), claim.day, claim.text) for claim in it.cites)
    lines = tuple(CardSource(str(entry.source), "", line_words(entry.text)) for entry in it.memory)
    return Card(it.id, it.op, it.why, one.chance, 0.0, it.by, said, lines, it.old, it.new, it.text, it.section)


def _learned(op: str, known: Sequence[tuple[str, tuple[float, ...], bool]], kept_out: Sequence[Any]) -> Any:
    rows, good = _table(op, known)
    weights = _logistic(rows, good)
    print(
        f"{op}: {len(good)} cards, {good.mean():.2f} wanted, average precision {_precision(rows @ weights, good):.3f}"
    )
    print("   " + ", ".join(f"{name} {value:.2f}" for name, value in zip(ROWS[op], weights, strict=True)))
    rows, good = _table(op, kept_out)
    if good.any():
        said = 1 / (1 + np.exp(-rows @ weights))
        bins = [f"{good[(said >= low) & (said < low + 0.2)].mean():.2f}" for low in (0.0, 0.2, 0.4, 0.6) if ((said >= low) & (said < low + 0.2)).any()]  # fmt: skip
        print(
            f"   kept out: {len(good)} cards, {good.mean():.2f} wanted, average precision {_precision(said, good):.3f}, by chance {bins}"
        )
    return weights


def _table(op: str, rows: Sequence[Any]) -> tuple[Any, Any]:
    mine = [(row, good) for its, row, good in rows if its == op]
    return np.array([row for row, _ in mine]).reshape(len(mine), len(ROWS[op])), np.array(
        [good for _, good in mine], dtype=float
    )


def _precision(scores: Any, good: Any) -> float:
    ranked = good[np.argsort(-scores)] > 0
    return float((np.cumsum(ranked) / np.arange(1, len(ranked) + 1))[ranked].mean()) if ranked.any() else 0.0


def _logistic(rows: Any, good: Any, weight: float = 2.0, steps: int = 25) -> Any:
    """Newton's method: few numbers that hang together, for which a descent stops too early."""
    held = weight * np.diag([0.0, *np.ones(rows.shape[1] - 1)])  # the constant is free
    found = np.zeros(rows.shape[1])
    for _ in range(steps):
        said = 1 / (1 + np.exp(-rows @ found))
        slope = rows.T @ (said - good) + held @ found
        found = found - np.linalg.solve((rows * (said * (1 - said))[:, None]).T @ rows + held, slope)
    return found


if __name__ == "__main__":
    main()
