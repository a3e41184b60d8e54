"""What a machine writes into a note: the same frame again and again, with other numbers, ids and times in it.

A person does not write one sentence twenty times in a day with another number each time; a job, a meter or a log does.
Such lines stay in the note and in the search index, but nobody weighs each of thousands against all others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from reverie.workspace.values import Statement

OFTEN = 20  # times in one note, from which a frame is a machine's


def frame_of(text: str) -> str:
    """The text with every word that holds a digit left open."""
    return " ".join("#" if any(map(str.isdigit, word)) else word for word in text.casefold().split())


def without_routine(claims: Sequence[Statement]) -> tuple[list[Statement], dict[str, int]]:
    """The claims that people made, and by path how many a machine did."""
    if len(claims) < OFTEN:
        return list(claims), {}
    frames = [(claim.path, frame_of(claim.text)) for claim in claims]
    texts = Counter(place for place, _ in {(frame, claim.text) for frame, claim in zip(frames, claims, strict=True)})
    kept, left_out = [], Counter[str]()
    for frame, claim in zip(frames, claims, strict=True):
        if "#" in frame[1] and texts[frame] >= OFTEN:
            left_out[claim.path] += 1
        else:
            kept.append(claim)
    return kept, dict(left_out)
