"""Whether a note takes back or ends what a line of memory says: "I have no sister", "sold it", "that was wrong", in any language.

A chance only, learnt by `training/retractions.py` from where both sentences lie in the encoder's space, how likely both are about
the same thing, and whether one denies and the other does not. Good enough to ask the owner and to mark a line as doubtful, and not
to remove one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from math import log, log1p
from pathlib import Path
from typing import Any

import numpy as np

from reverie.evidence.encoder import encode
from reverie.judge.worth import bare
from reverie.lang.lexicon import any_of
from reverie.text.terms import bag, is_negated

LIKELY = 0.25  # chance from which the owner is asked


def retractions(pairs: Sequence[tuple[str, str]], about: Sequence[float]) -> list[float]:
    """For each (memory line, note): the chance that the note takes the line back. `about`: that both are about the same thing."""
    if not pairs:
        return []
    scores = rows_of(pairs, about) @ _weights()
    return [float(one) for one in 1 / (1 + np.exp(-np.clip(scores, -60, 60)))]


def rows_of(pairs: Sequence[tuple[str, str]], about: Sequence[float]) -> Any:
    """What the model looks at: a few plain numbers, then the note, and how it differs from the line."""
    texts = list(dict.fromkeys(bare(text) for pair in pairs for text in pair))
    known = {text: one.sentence for text, one in zip(texts, encode(texts), strict=True)}
    rows = []
    for (memory, note), same in zip(pairs, about, strict=True):
        old, new = known[bare(memory)], known[bare(note)]
        rows.append(np.concatenate([_plain(memory, note, same, float(old @ new)), 4 * new, 3 * (new - old)]))
    return np.array(rows, dtype=np.float32)


def _plain(memory: str, note: str, about: float, near: float) -> list[float]:
    odds = log((about + 0.01) / (1.01 - about))
    denies = float(is_negated(note) and not is_negated(memory))
    ends = any_of("specifics.implied")
    words = bag(memory)
    return [
        1.0, odds, near, denies, float(is_negated(note) != is_negated(memory)), float(bool(ends.search(note)) and not ends.search(memory)),
        float(bool(any_of("specifics.changed").search(note))), float("?" in note or "？" in note),
        len(words & bag(note)) / max(1, len(words)), log1p(len(note)) / 4, odds * denies,
    ]  # fmt: skip


PLAIN = 11  # of the numbers of a row


@cache
def _weights() -> Any:
    with np.load(Path(str(resources.files("reverie.judge") / "retractions.npz")), allow_pickle=False) as stored:
        return stored["weights"].astype(np.float32)
