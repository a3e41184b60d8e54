"""Learns when a statement says what was forgotten: the weights of `reverie.judge.forgotten`.

    python training/forgotten.py DATA.jsonl [--write]

One JSON object a line: `fact`, `returns` (the same fact said again in other ways), `others` (other facts about the same people and
things). The data is not part of the repository and nothing but weights goes into it. Facts of other rows are strangers to a
row, and the fact with another number is another fact. Printed is what weights learnt on nine tenths of the facts say about the last tenth; `--write` learns on all.
"""

from __future__ import annotations

import json
import random
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
from descent import descend

from reverie.judge import forgotten as known
from reverie.judge.forgotten import features, sense_features, tombstone
from reverie.judge.said import bare_statement

STRANGERS, THEIR_WEIGHT, FOLDS, RIDGE = 30, 0.2, 10, 0.3
SAME_FROM, NEAR_FROM = 0.7, 0.03
TARGET = Path(known.__file__).with_name("forgotten_weights.py")


def rows_of(fact: str, text: str) -> tuple[list[float], list[float]]:
    stone, said = tombstone(fact, whole=True), bare_statement(text)
    bare = features(stone, known._marked(said))
    near = known._nearness(stone.sense, known._sense(said))
    return bare, [*bare, *sense_features(bare, near or 0.0)]


def swapped(row: dict[str, Any]) -> list[str]:
    """The fact, and one way to say it, with every digit another one: what somebody writes when a value has changed."""
    texts = [row["fact"], *row["returns"][:1]]
    return [new for text in texts if (new := re.sub(r"\d", lambda digit: str((int(digit[0]) + 3) % 10), text)) != text]


def learnt(table: Any, wanted: Any, weight: Any) -> Any:
    mean, spread = table.mean(axis=0), table.std(axis=0) + 1e-6
    mean[0], spread[0] = 0.0, 1.0
    scaled = (table - mean) / spread

    def cost(at: Any) -> tuple[float, Any]:
        chance = 1 / (1 + np.exp(-np.clip(scaled @ at, -60, 60)))
        right = np.where(wanted, chance, 1 - chance)
        ridge = np.concatenate([[0.0], at[1:]])
        return float(-(weight * np.log(right + 1e-9)).sum() + RIDGE * ridge @ ridge), scaled.T @ (
            weight * (chance - wanted)
        ) + 2 * RIDGE * ridge

    found = descend(cost, np.zeros(table.shape[1]), 300) / spread
    found[0] -= float((found * mean)[1:].sum())
    return found


def main() -> None:
    rows = [json.loads(line) for line in Path(sys.argv[1]).read_text("utf-8").strip().split("\n")]
    chosen = random.Random(1)
    cases: list[tuple[int, str, list[float], list[float]]] = []
    texts_: list[tuple[str, str]] = []
    for number, row in enumerate(rows):
        others = [
            text
            for at, one in enumerate(rows)
            if at != number
            for text in (one["fact"], *one["returns"], *one["others"])
        ]
        for kind, texts in (("return", row["returns"]), ("other", row["others"]), ("swapped", swapped(row)), ("stranger", chosen.sample(others, min(STRANGERS, len(others))))):  # fmt: skip
            texts_ += [(row["fact"], text) for text in texts]
            cases += [(number, kind, *rows_of(row["fact"], text)) for text in texts]
    kinds = np.array([case[1] for case in cases])
    wanted, weight = kinds == "return", np.where(kinds == "stranger", THEIR_WEIGHT, 1.0)
    fold = np.array([case[0] for case in cases]) % FOLDS
    for name, column in (("bare", 2), ("whole", 3)):
        table = np.array([case[column] for case in cases])
        chance = np.empty(len(cases))
        for held in range(FOLDS):
            inside = fold != held
            weights = learnt(table[inside], wanted[inside], weight[inside])
            chance[~inside] = 1 / (1 + np.exp(-np.clip(table[~inside] @ weights, -60, 60)))
        for bar in (NEAR_FROM, 0.2, SAME_FROM, 0.7, 0.9):
            told = " ".join(
                f"{kind} {np.mean(chance[kinds == kind] >= bar):.3f}"
                for kind in ("return", "other", "swapped", "stranger")
            )
            print(f"{name:5} from {bar:.2f}: {told}")
        if name == "bare":
            whole = {"BARE": learnt(table, wanted, weight)}
        else:
            whole["WHOLE"] = learnt(table, wanted, weight)
        if "--show" in sys.argv and name == "whole":
            for at in np.argsort(chance):
                if (kinds[at] == "return") != (chance[at] >= SAME_FROM) and chance[at] >= 0.2 * (kinds[at] != "return"):
                    print(f"{chance[at]:.2f} {kinds[at]:8} {texts_[at][0]} | {texts_[at][1]}")
    if "--write" in sys.argv:
        TARGET.write_text(_module(whole), "utf-8", newline="\n")


def _module(whole: dict[str, Any]) -> str:
    lines = [
        '"""Made by `training/forgotten.py`: weights of what two statements share, and from which chance on they count."""',
        "",
    ]
    for name, weights in whole.items():
        said = [f"{weight:.4f}" for weight in weights]
        lines += [
            f"{name} = (",
            *("    " + ", ".join(said[at : at + 10]) + "," for at in range(0, len(said), 10)),
            ")  # fmt: skip",
        ]
    lines += [
        f"SAME_FROM = {SAME_FROM}  # what was forgotten is said again",
        f"NEAR_FROM = {NEAR_FROM}  # a person is asked",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
