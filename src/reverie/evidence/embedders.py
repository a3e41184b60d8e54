"""Embedders: what turns a text into a vector. One inside the package, and those that a server offers.

The embedded one sums token vectors (`tables`), in microseconds: a weighted mean of them finds more of the LoCoMo evidence than the
output of the whole network does, at a hundredth of the cost (docs/internals/measured.md).
The others are any OpenAI-compatible endpoint, or Ollama, asked only if the owner set one. Their identity names kind, address
and model, so that vectors of another model are never compared with these.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from reverie.core.errors import BadSettings
from reverie.core.model_calls import ModelTrouble
from reverie.core.settings import Search
from reverie.evidence.http import checked_key, post
from reverie.evidence.ranking import Pieces
from reverie.evidence.tables import DIMENSIONS, VECTORS, load
from reverie.lang.messages import say


class StaticEmbedder:
    """Implements the `Embedder` port. Loads its tables when the first vector is asked for."""

    dimensions = DIMENSIONS

    def __init__(self, cache: Path | None = None) -> None:
        self.identity = f"static-{VECTORS}-{DIMENSIONS}"
        self._cache = cache

    def embed(self, texts: Sequence[str]) -> Any:
        """One row a text, of length one; a text without words is a row of zeros."""
        tables = load(self._cache)
        rows = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        flat: list[int] = []
        starts: list[int] = []
        filled: list[int] = []
        for row, text in enumerate(texts):
            if ids := tables.pieces(text):
                filled.append(row)
                starts.append(len(flat))
                flat += ids
        if flat:
            rows[filled] = np.add.reduceat(tables.vectors[flat].astype(np.float32), starts, axis=0)
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.maximum(length, 1e-9)

    def pieces(self, texts: Sequence[str]) -> Pieces:
        """The pieces of each text, one by one: for whoever asks which of them meet."""
        tables = load(self._cache)
        ids = [tables.pieces(text) for text in texts]
        flat = [piece for one in ids for piece in one]
        rows = tables.vectors[flat].astype(np.float32) if flat else np.zeros((0, DIMENSIONS), dtype=np.float32)
        weights = np.linalg.norm(rows, axis=1)
        starts = np.cumsum([0, *map(len, ids[:-1])]).tolist()
        return Pieces(rows / np.maximum(weights, 1e-9)[:, None], weights, starts)


_ADDRESS = {"openai": "http://localhost:8000/v1", "ollama": "http://localhost:11434"}
_MODEL = {"openai": "text-embedding-3-small", "ollama": "nomic-embed-text"}
BATCH = 64  # texts of one question
_LARGEST = 64_000_000  # bytes of an answer: so many vectors of some thousand numbers


class RemoteEmbedder:
    """Implements the `Embedder` port. Its width is learnt from the first answer of the server."""

    def __init__(self, settings: Search, key: str) -> None:
        if settings.embedder not in _ADDRESS:
            raise BadSettings(say("embedder.unknown", value=settings.embedder))
        self.kind = settings.embedder
        self.url = (settings.url or _ADDRESS[self.kind]).rstrip("/")
        self.model = settings.model or _MODEL[self.kind]
        self.identity = f"{self.kind}:{self.url}:{self.model}"
        self._key, self._variable, self._timeout = key, settings.key_variable, settings.timeout
        self._width = 0

    @property
    def dimensions(self) -> int:
        if not self._width:
            self._width = len(self._ask(["width"])[0])
        return self._width

    def embed(self, texts: Sequence[str]) -> Any:
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        rows = [row for start in range(0, len(texts), BATCH) for row in self._ask(list(texts[start : start + BATCH]))]
        found = np.asarray(rows, dtype=np.float32).reshape(len(texts), -1)
        if self._width and found.shape[1] != self._width:
            raise ValueError(say("embedder.width", now=found.shape[1], before=self._width))
        if not np.isfinite(found).all():
            raise ValueError(say("embedder.not_numbers"))
        self._width = found.shape[1]
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)

    def _ask(self, texts: list[str]) -> list[list[float]]:
        path = "/embeddings" if self.kind == "openai" else "/api/embed"
        try:
            key = checked_key(self._key, self.url, self._variable, needed=False)
            headers = {"Authorization": f"Bearer {key}"} if key else {}
            value = post(self.url + path, {"model": self.model, "input": texts}, headers, self._timeout, _LARGEST)
        except ModelTrouble as trouble:
            raise ConnectionError(str(trouble)) from None
        try:
            if self.kind == "openai":
                rows = [item["embedding"] for item in sorted(value["data"], key=lambda item: item.get("index", 0))]
            else:
                rows = list(value["embeddings"])
        except (LookupError, TypeError, AttributeError):
            raise ValueError(say("embedder.no_vectors")) from None
        if len(rows) != len(texts):
            raise ValueError(say("embedder.count", got=len(rows), asked=len(texts)))
        return rows
