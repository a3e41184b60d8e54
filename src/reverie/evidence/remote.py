"""Embedders behind HTTP: any OpenAI-compatible endpoint, or Ollama. Standard library only, and only if the owner set one.

The identity names kind, address and model, so that vectors of another model are never compared with these.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Any

import numpy as np

from reverie.core.errors import BadSettings
from reverie.core.settings import Search

_ADDRESS = {"openai": "http://localhost:8000/v1", "ollama": "http://localhost:11434"}
_MODEL = {"openai": "text-embedding-3-small", "ollama": "nomic-embed-text"}
BATCH = 64


class _Here(urllib.request.HTTPRedirectHandler):
    """A server that sends us elsewhere is an error: the key is for the owner's address alone."""

    def redirect_request(self, *_: Any) -> None:
        return None


_OPEN = urllib.request.build_opener(_Here).open


class RemoteEmbedder:
    """Implements the `Embedder` port. Its width is learnt from the first answer of the server."""

    def __init__(self, settings: Search, key: str) -> None:
        if settings.embedder not in _ADDRESS:
            known = "embedded, openai, ollama or off"
            raise BadSettings(f"`search.embedder` is {settings.embedder!r}; it must be {known}.")
        self.kind = settings.embedder
        self.url = (settings.url or _ADDRESS[self.kind]).rstrip("/")
        self.model = settings.model or _MODEL[self.kind]
        self.identity = f"{self.kind}:{self.url}:{self.model}"
        self._key, self._timeout = key.strip(), settings.timeout
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
            raise ValueError(f"the server answered {found.shape[1]} numbers a text; it used to be {self._width}")
        if not np.isfinite(found).all():
            raise ValueError("the server answered vectors that are not numbers")
        self._width = found.shape[1]
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)

    def _ask(self, texts: list[str]) -> list[list[float]]:
        if not (self._key.isascii() and self._key.isprintable()):  # the library's own error would show it
            raise ValueError("the key of the server holds characters that no key has")
        path = "/embeddings" if self.kind == "openai" else "/api/embed"
        body = json.dumps({"model": self.model, "input": texts}).encode()
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        request = urllib.request.Request(self.url + path, data=body, headers=headers)
        try:
            with _OPEN(request, timeout=self._timeout) as answer:
                value = json.loads(answer.read())
        except urllib.error.HTTPError as error:
            error.close()
            raise ConnectionError(f"the server answered {error.code}") from None  # its text may quote the key
        try:
            if self.kind == "openai":
                rows = [item["embedding"] for item in sorted(value["data"], key=lambda item: item.get("index", 0))]
            else:
                rows = value["embeddings"]
        except (LookupError, TypeError, AttributeError):
            raise ValueError("the server answered something that holds no vectors") from None
        if len(rows) != len(texts):
            raise ValueError(f"the server answered {len(rows)} vectors for {len(texts)} texts")
        return list(rows)
