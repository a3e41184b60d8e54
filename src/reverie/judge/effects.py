"""What a note that is near a memory line may do to it, as probabilities: change it, end it, repeat it, add to it, or nothing.

A linear model over what the two lines share and the encoder's vectors; trained by `training/proposals.py`. Right often
enough to rank cards that a person looks at, and not often enough to act: nothing of it may touch MEMORY.md by itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from reverie.judge.encoder import encode
from reverie.judge.features import bare, terms

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
NAMES = ("none", "update", "ends", "same", "richer", "conflict")


@dataclass(frozen=True, slots=True)
class Pair:
    """A memory line under its heading, and a note line under its own."""

    memory: str
    section: str
    note: str
    under: str = ""


@dataclass(frozen=True, slots=True)
class Effect:
    """Probabilities that add up to one."""

    none: float
    update: float
    ends: float
    same: float
    richer: float
    conflict: float


def effects_of(pairs: Sequence[Pair]) -> list[Effect]:
    """One judgement a pair. Needs the embedded encoder."""
    if not pairs:
        return []
    stored = weights()
    scores = (rows_of(pairs) - stored["mean"]) / stored["spread"] @ stored["effect"]
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return [Effect(*row) for row in (raised / raised.sum(axis=1, keepdims=True)).tolist()]


def rows_of(pairs: Sequence[Pair]) -> Any:
    """What the model looks at: what the lines share, and where both and the heading lie in the encoder's space."""
    texts = list(dict.fromkeys(bare(text) for one in pairs for text in (one.memory, one.section, one.note)))
    vectors = {text: found.sentence for text, found in zip(texts, encode(texts), strict=True)}
    rows = []
    for one in pairs:
        old, new, section = vectors[bare(one.memory)], vectors[bare(one.note)], vectors[bare(one.section)]
        shares = [float(old @ new), float(section @ new), *_shares(bare(one.memory), bare(one.note)), 1.0]
        rows.append(np.concatenate([shares, 6 * old, 6 * new, 4 * section, 60 * old * new]))
    return np.array(rows, dtype=np.float32)


def _shares(old: str, new: str) -> list[float]:
    """What two lines have in common, and what only one of them has: words, triples of characters, numbers, length."""
    mine, its = terms(old), terms(new)
    common = mine & its
    telling = [word for word in common if len(word) > 2 or not word.isascii()]
    triples = [{text[at : at + 3] for at in range(len(text) - 2)} for text in (old.casefold(), new.casefold())]
    both = len(triples[0] & triples[1])
    before, after = set(_NUMBER.findall(old)), set(_NUMBER.findall(new))
    return [
        len(common) / max(len(mine), 1), len(common) / max(len(its), 1), min(len(telling), 4) / 4,
        both / max(len(triples[0]), 1), both / max(len(triples[1]), 1),
        min(len(before & after), 2) / 2, float(bool(before) and bool(after) and not before & after), float(bool(before)), float(bool(after)),
        min(len(before - after), 6) / 3, min(len(after - before), 6) / 3, np.log1p(len(old)) / 4, np.log1p(len(new)) / 4,
    ]  # fmt: skip


@cache
def weights() -> Mapping[str, Any]:
    """What `training/proposals.py` learned: for the effects, and for the swaps."""
    with np.load(Path(str(resources.files("reverie.judge") / "proposals.npz")), allow_pickle=False) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files}


__all__ = ["NAMES", "Effect", "Pair", "effects_of", "rows_of", "weights"]
