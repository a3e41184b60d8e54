"""Fits the projection of the embedded embedder: the mean and the main directions of ordinary lines of notes.

    python training/embedders.py PATH/TO/judgement

Reads the labelled lines (only their texts), writes src/reverie/evidence/data/embedders.npz with the hash of what it read.
The lines stay where they are; what is kept is one mean and 128 directions.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

from reverie.evidence import embedders

OUT = Path(__file__).resolve().parents[1] / "src" / "reverie" / "evidence" / "data" / "static.npz"


def texts(folder: Path) -> tuple[list[str], str]:
    """The texts of all JSON-lines files, and the hash of the files."""
    found, digest = [], hashlib.sha256()
    for file in sorted(folder.glob("*.jsonl")):
        digest.update(file.read_bytes())
        for line in file.read_text("utf-8").split("\n"):
            if line.strip():
                row = json.loads(line)
                found += [row[key] for key in ("text", "old", "new") if row.get(key)]
    return found, digest.hexdigest()


def main() -> None:
    lines, digest = texts(Path(sys.argv[1]))
    pieces, scores, table = embedders.read_weights(embedders._weights())
    embedder = embedders.StaticEmbedder()
    embedder._tables = (dict(zip(pieces, range(len(pieces)), strict=True)), scores.tolist(), None)
    weight = embedders._RARE / (embedders._RARE + np.exp(scores))
    weight[:3] = 0.0
    vectors = np.concatenate([table(slice(i, min(i + 8192, len(pieces)))) for i in range(0, len(pieces), 8192)])
    rows = []
    for line in lines:
        ids = embedder._ids(line)
        if ids:
            rows.append((vectors[ids] * weight[ids, None]).sum(0) / max(weight[ids].sum(), 1e-9))
    cloud = np.array(rows, dtype=np.float64)
    mean = cloud.mean(0)
    _, _, directions = np.linalg.svd(cloud - mean, full_matrices=False)
    # The first direction only tells long lines from short ones; it is left out.
    projection = directions[1 : embedders.DIMENSIONS + 1].T
    np.savez_compressed(
        OUT, mean=mean.astype(np.float32), projection=projection.astype(np.float16),
        trained_on=np.array(digest), lines=np.array(len(lines)),
    )  # fmt: skip
    print(f"{len(lines):,} texts ({digest[:12]}) → {OUT.name}, {OUT.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
