"""Fits the projection of the embedded embedder: what the whole network would make of a line, from the mean of its token vectors.

    python training/static.py PATH/TO/judgement PATH/TO/scenes …

Reads the strings of the labelled files (as texts, not their labels), asks the whole network for a vector of each, fits the linear map from
the weighted mean of the token vectors to it, keeps its 128 main directions, and writes src/reverie/evidence/data/static.npz with
the hash of what it read. The lines stay where they are.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from reverie.evidence import tables
from reverie.evidence.encoder import _encoded

OUT = Path(__file__).resolve().parents[1] / "src" / "reverie" / "evidence" / "data" / "static.npz"
SHORTEST, LONGEST = 9, 220  # characters of a line worth learning from
MOST = 24_000  # lines
FREQUENT = 40_000  # pieces whose mean is the middle: the likeliest come first
RIDGE = 100.0


def texts(folders: list[Path]) -> tuple[list[str], str]:
    """Every line of every string of all JSON-lines files, and the hash of the files."""
    found, digest = set(), hashlib.sha256()
    for file in sorted(file for folder in folders for file in folder.glob("*.jsonl")):
        digest.update(file.read_bytes())
        for line in filter(str.strip, file.read_text("utf-8").split("\n")):
            found.update(_lines(json.loads(line)))
    order = sorted(found, key=lambda text: hashlib.sha256(text.encode()).digest())
    return order[:MOST], digest.hexdigest()


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        bare = (line.strip(" -*#>") for line in value.split("\n"))
        yield from (line for line in bare if SHORTEST <= len(line) < LONGEST)
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _lines(part)


def main() -> None:
    lines, digest = texts([Path(folder) for folder in sys.argv[1:]])
    pieces, scores, rows, layers = tables.read_weights()
    split = tables.Tables(tables._numbered(pieces), scores.tolist(), None, rows, layers).pieces
    weight = tables._RARE / (tables._RARE + np.exp(scores))
    weight[:3] = 0.0
    vectors = np.concatenate(
        [tables.floats(rows, layers, np.arange(i, min(i + 8192, len(pieces)))) for i in range(0, len(pieces), 8192)]
    )
    mean = vectors[:FREQUENT].mean(0)
    said = np.zeros((len(lines), vectors.shape[1]), dtype=np.float32)
    for row, line in enumerate(lines):
        if ids := split(line):
            length = np.sqrt((weight[ids] ** 2).sum())
            said[row] = ((vectors[ids] - mean) * weight[ids, None]).sum(0) / max(length, 1e-9)
    meant = np.stack(
        [one.sentence for start in range(0, len(lines), 500) for one in _encoded(lines[start : start + 500])]
    )
    meant -= meant.mean(0)
    said /= np.sqrt((said**2).mean())
    fitted = np.linalg.solve(said.T @ said + RIDGE * np.eye(said.shape[1]), said.T @ meant)
    _, _, directions = np.linalg.svd(said @ fitted, full_matrices=False)
    projection = fitted @ directions[: tables.DIMENSIONS].T
    projection /= np.abs(projection).max()
    np.savez_compressed(
        OUT, mean=mean.astype(np.float32), projection=projection.astype(np.float16),
        trained_on=np.array(digest), lines=np.array(len(lines)),
    )  # fmt: skip
    print(f"{len(lines):,} texts ({digest[:12]}) → {OUT.name}, {OUT.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
