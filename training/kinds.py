"""Learns the kinds of memories: the weights of `reverie.judge.kinds`.

    python training/kinds.py [--write]

`kinds.tsv` holds a kind and a line, written for this purpose in English and Chinese; `kinds_held_out.tsv` the same in these and
three other languages, never learnt from. Printed is what the weights say about the lines that were held out, at several bars.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from descent import descend

from reverie.evidence.encoder import SENTENCE
from reverie.judge import kinds as known
from reverie.judge.kinds import rows_of
from reverie.judge.worth import softmax

HERE = Path(__file__).parent
KINDS = ("user", "feedback", "project", "reference", "state", "none")
RIDGE = 0.25


def lines_of(name: str) -> tuple[list[str], Any]:
    rows = [line.partition("\t") for line in (HERE / name).read_text("utf-8").strip().split("\n")]
    return [text for _, _, text in rows], np.eye(len(KINDS))[[KINDS.index(kind) for kind, _, _ in rows]]


def learnt(table: Any, wanted: Any) -> Any:
    """Softmax regression; the two halves of a row count alike."""
    mean, spread = table.mean(axis=0), table.std(axis=0) + 1e-6
    mean[0], spread[0] = 0.0, 1.0
    spread[1 : 1 + SENTENCE] *= np.sqrt(SENTENCE)
    spread[1 + SENTENCE :] *= np.sqrt(table.shape[1] - 1 - SENTENCE)
    scaled = (table - mean) / spread

    def cost(at: Any) -> tuple[float, Any]:
        weights = at.reshape(table.shape[1], len(KINDS))
        chance = softmax(scaled @ weights)
        ridge = weights.copy()
        ridge[0] = 0.0
        slope = scaled.T @ (chance - wanted) + 2 * RIDGE * ridge
        return float(-(wanted * np.log(chance + 1e-9)).sum() + RIDGE * (ridge**2).sum()), slope.ravel()

    found = descend(cost, np.zeros(table.shape[1] * len(KINDS)), 400).reshape(table.shape[1], len(KINDS))
    found = found / spread[:, None]
    found[0] -= mean[1:] @ found[1:]
    return found


def main() -> None:
    texts, wanted = lines_of("kinds.tsv")
    weights = learnt(rows_of(texts).astype(np.float64), wanted).astype(np.float16)
    held, right = lines_of("kinds_held_out.tsv")
    chance = softmax(rows_of(held) @ weights.astype(np.float32))
    hit = chance.argmax(axis=1) == right.argmax(axis=1)
    for bar in (0.0, 0.4, 0.5, 0.6, 0.8):
        sure = chance.max(axis=1) >= bar
        print(f"from {bar:.1f}: told {sure.mean():.2f} of {len(held)}, right {hit[sure].mean():.3f}")
    for at in np.flatnonzero(~hit):
        said = KINDS[int(chance[at].argmax())]
        print(f"{KINDS[int(right[at].argmax())]} taken for {said} ({chance[at].max():.2f}): {held[at]}")
    if "--write" in sys.argv:
        np.savez_compressed(Path(known.__file__).with_name("kinds.npz"), kinds=np.array(KINDS), weights=weights)


if __name__ == "__main__":
    main()
