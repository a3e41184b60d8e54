"""Whether a word with a capital looks like a name: needed where capitals say nothing, in German and at the start of a sentence.

Learned from the embedded encoder's vocabulary (`training/names.py`): a piece of it looks like a name if it resembles no
common word of any language. A word is judged by its longest known beginning; what begins with nothing known is no name.
"""

from __future__ import annotations

import struct
import zlib
from functools import cache, lru_cache
from importlib import resources

_SHORTEST = 3  # letters of a piece
_BEGINNING = 5  # letters of one that a longer word begins with
_LONGEST = 16


@lru_cache(maxsize=20_000)
def looks_like_a_name(word: str) -> bool:
    names, others = _pieces()
    for size in range(min(len(word), _LONGEST), _SHORTEST - 1, -1):
        piece = zlib.crc32(word[:size].encode("utf-8", "replace"))
        if piece in names:
            return size == len(word) or size >= _BEGINNING
        if piece in others:
            return False
    return False


@cache
def _pieces() -> tuple[frozenset[int], frozenset[int]]:
    """Checksums of the pieces that look like a name, and of longer ones that do not."""
    data = (resources.files("reverie.judge") / "data" / "names.bin").read_bytes()
    (many,) = struct.unpack_from("<I", data)
    sums = struct.unpack_from(f"<{len(data) // 4 - 1}I", data, 4)
    return frozenset(sums[:many]), frozenset(sums[many:])


__all__ = ["looks_like_a_name"]
