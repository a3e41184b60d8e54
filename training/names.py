"""Which pieces of the encoder's vocabulary look like a name: those with a capital that resemble no word without one.

    python training/names.py            writes src/reverie/judge/data/names.bin

The encoder was trained on translations, so "Prozent" lies beside "percent" and "Müller" beside no common word of any language.
That tells names from nouns where every noun has a capital, and at the start of a sentence. Only checksums are kept.
"""

from __future__ import annotations

import struct
import unicodedata
import zlib
from pathlib import Path

import numpy as np

from reverie.evidence.embedders import _weights, read_weights

ALIKE = 0.285  # cosine with the nearest common word: below it a piece looks like a name
OUT = Path(__file__).parents[1] / "src/reverie/judge/data/names.bin"


def main() -> None:
    pieces, _, table = read_weights(_weights())
    bare = [piece.removeprefix("\u2581") if piece.startswith("\u2581") else "" for piece in pieces]
    common = [at for at, word in enumerate(bare) if len(word) > 2 and word.isalpha() and word.islower()]
    capital = [
        at
        for at, word in enumerate(bare)
        if len(word) > 2 and word.istitle() and word.isalpha() and _has_capitals(word)
    ]
    rows = np.concatenate([table(slice(at, min(at + 8192, len(pieces)))) for at in range(0, len(pieces), 8192)])
    rows -= rows.mean(axis=0)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    nearest = np.concatenate(
        [(rows[capital[at : at + 500]] @ rows[common].T).max(axis=1) for at in range(0, len(capital), 500)]
    )
    names = {bare[at] for at, alike in zip(capital, nearest, strict=True) if alike < ALIKE}
    # A longer piece that is no name hides a shorter one that is: "Markt" is not a "Mark" with an ending.
    others = {
        bare[at]
        for at in capital
        if bare[at] not in names and any(bare[at][:n] in names for n in range(3, len(bare[at])))
    }
    sums = [sorted(zlib.crc32(word.encode()) for word in group) for group in (names, others)]
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_bytes(
        struct.pack("<I", len(sums[0])) + struct.pack(f"<{len(sums[0]) + len(sums[1])}I", *sums[0], *sums[1])
    )
    print(f"{len(names)} of {len(capital)} pieces look like a name; {len(others)} hide one; {OUT.stat().st_size} bytes")


def _has_capitals(word: str) -> bool:
    return all(unicodedata.name(char, "").startswith(("LATIN", "CYRILLIC")) for char in word)


if __name__ == "__main__":
    main()
