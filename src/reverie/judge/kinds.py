"""Of which kind a memory is by what it says: user, feedback, project, reference (seed 003), the state of work, or none of them.

Chances only, learnt by `training/kinds.py` from a few hundred lines in two languages and where they lie in the encoder's space,
which has no language of its own. Headings are for the caller to weigh.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from reverie.evidence.encoder import encode
from reverie.judge.worth import bare, softmax


def kinds_of(texts: Sequence[str]) -> list[Mapping[str, float]]:
    """For each text the chance of each kind."""
    if not texts:
        return []
    names, weights = _learnt()
    return [dict(zip(names, row, strict=True)) for row in softmax(rows_of(texts) @ weights).tolist()]


def rows_of(texts: Sequence[str]) -> Any:
    """What the model looks at: a one, the vector of the whole, and the mean of its tokens, rare ones first."""
    found = encode([bare(text) for text in texts])
    means = [one.rarity @ one.tokens / max(float(one.rarity.sum()), 1e-6) for one in found]
    rows = [np.concatenate([[1.0], one.sentence, mean]) for one, mean in zip(found, means, strict=True)]
    return np.array(rows, dtype=np.float32)


@cache
def _learnt() -> tuple[tuple[str, ...], Any]:
    """The names of the kinds, and a column of weights for each."""
    with np.load(Path(str(resources.files("reverie.judge") / "kinds.npz")), allow_pickle=False) as stored:
        return tuple(map(str, stored["kinds"])), stored["weights"].astype(np.float32)
