"""Vectors in flat files beside the index: one row a claim, memory-mapped, only ever appended to.

Two files an embedder: 128-bit codes to look at all of them in milliseconds, and 8-bit vectors to look closely at the
few that are near. The row of a claim is its number in the index. The name of the files says which embedder made them,
so vectors of two embedders are never compared. A row that was never written is zero and near to nothing.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from reverie.core import durable
from reverie.core.durable import open_plain
from reverie.evidence.state_files import read_plain

CODE_BYTES = 16
NEAR = 2_000  # claims whose code is nearest, looked at closely


Held = dict[Path, bytearray]  # the files of a sealed index, whose rows stand in memory alone


class Vectors:
    """The rows of one embedder; with `held`, files that are not written but held."""

    def __init__(self, folder: Path, identity: str, dimensions: int, held: Held | None = None) -> None:
        name = hashlib.sha256(identity.encode()).hexdigest()[:12]
        self.dimensions = dimensions
        self.codes_path = folder / f"index-{name}.codes"
        self.rows_path = folder / f"index-{name}.rows"
        self._turn = _rotation(dimensions)
        self._held = held
        if held is not None:
            held |= {path: bytearray(read_plain(path) or b"") for path in (self.codes_path, self.rows_path)}
        self._codes_map = _Map(self.codes_path, np.uint64, CODE_BYTES // 8, held)
        self._rows_map = _Map(self.rows_path, np.int8, dimensions, held)

    def put(self, first: int, rows: Any) -> None:
        """Write consecutive rows, starting at number `first`. Rows come before the index that names them."""
        close = np.clip(np.round(rows * 127), -127, 127).astype(np.int8)
        self._write_at(self.codes_path, first * CODE_BYTES, self._codes(rows).tobytes())
        self._write_at(self.rows_path, first * self.dimensions, close.tobytes())

    def clear(self, numbers: Sequence[int]) -> None:
        """Rows of claims that are gone become zero, so that they crowd out nobody."""
        for path, width in ((self.codes_path, CODE_BYTES), (self.rows_path, self.dimensions)):
            size = _size(path, self._held)
            for number in numbers:
                if number * width < size:
                    self._write_at(path, number * width, bytes(width))

    def near(self, question: Any, count: int) -> list[tuple[int, float]]:
        """The numbers of the nearest rows and their cosine, best first. Numbers may be of claims long gone."""
        codes, rows = self._codes_map.now(), self._rows_map.now()
        total = min(len(codes), len(rows))
        if not total:
            return []
        asked = np.frombuffer(self._codes(question[None, :]).tobytes(), dtype=np.uint64)
        apart = np.bitwise_count(codes[:total, 0] ^ asked[0])
        apart += np.bitwise_count(codes[:total, 1] ^ asked[1])
        chosen = _smallest(apart, min(NEAR, total))
        scores = rows[chosen].astype(np.float32) @ question / 127.0
        best = np.argsort(-scores, kind="stable")[:count]
        return [(int(chosen[i]), float(scores[i])) for i in best]

    def cosines(self, numbers: Sequence[int], question: Any) -> list[float]:
        """How near certain rows are; zero for a row that is not there."""
        rows = self._rows_map.now()
        inside = [n if n < len(rows) else 0 for n in numbers]
        if not len(rows) or not inside:
            return [0.0] * len(numbers)
        found = rows[inside].astype(np.float32) @ question / 127.0
        return [float(s) if n < len(rows) else 0.0 for n, s in zip(numbers, found, strict=True)]

    def _codes(self, rows: Any) -> Any:
        return np.packbits((rows @ self._turn) > 0, axis=1)

    def _write_at(self, path: Path, offset: int, data: bytes) -> None:
        """A hole before the offset reads as zeros; the same bytes again do no harm."""
        if self._held is None:
            _write_file_at(path, offset, data)
            return
        rows, end = self._held[path], offset + len(data)
        if end > len(rows):  # another array: somebody may be looking at the old one
            rows = self._held[path] = rows + bytes(end - len(rows))
        rows[offset:end] = data


def _smallest(values: Any, count: int) -> Any:
    """Indexes of the smallest small integers: counting is faster than sorting for millions of them."""
    if count >= len(values):
        return np.arange(len(values))
    counts = np.cumsum(np.bincount(values, minlength=CODE_BYTES * 8 + 1))
    bound = int(np.searchsorted(counts, count))
    return np.flatnonzero(values <= bound)[: 4 * count]


def _rotation(dimensions: int) -> Any:
    """A fixed random turn, so that every bit of a code carries about the same."""
    return np.random.default_rng(20261115).standard_normal((dimensions, CODE_BYTES * 8)).astype(np.float32)


class _Map:
    """A file seen as rows, and kept open: touching millions of rows for the first time costs more than reading them."""

    def __init__(self, path: Path, kind: Any, width: int, held: Held | None = None) -> None:
        self._path, self._kind, self._width, self._held = path, kind, width, held
        self._seen: tuple[int, int] = (0, 0)
        self._rows: Any = np.zeros((0, width), dtype=kind)

    def now(self) -> Any:
        """The rows as they are; the file may have grown, or be another one, since somebody last looked."""
        if self._held is not None:
            held, size = self._held[self._path], np.dtype(self._kind).itemsize * self._width
            count = len(held) // size * self._width
            return np.frombuffer(held, self._kind, count).reshape(-1, self._width) if count else self._rows
        try:
            about = self._path.stat()
            seen = (about.st_ino, about.st_size)
        except FileNotFoundError:
            seen = (0, 0)
        if seen != self._seen:
            rows = seen[1] // (np.dtype(self._kind).itemsize * self._width)
            empty = np.zeros((0, self._width), dtype=self._kind)
            shape = (rows, self._width)
            self._rows = np.asarray(np.memmap(self._path, self._kind, "r", shape=shape)) if rows else empty
            self._seen = seen
        return self._rows


def _size(path: Path, held: Held | None) -> int:
    if held is not None:
        return len(held[path])
    return path.stat().st_size if path.exists() else 0


def _write_file_at(path: Path, offset: int, data: bytes) -> None:
    handle = open_plain(path, os.O_RDWR | os.O_CREAT, 0o600 if path.exists() else durable.new_mode(path))
    with os.fdopen(handle, "r+b") as file:  # never cut: another process may have written first
        file.seek(offset)
        file.write(data)
