"""How likely a line of a note gives a secret away that no word announces: "just punch four nine nine two and shove".

Two linear measures over the letters and the forms of words, one of values that stand beside their name, one of those that
are told in passing; the larger counts. `evals/measure.py` made the weights of what blind authors wrote in nine languages.
The names below are the input of the weights: never change one alone.
"""

import json
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

LONGEST = 1_000  # characters that are looked at
_PIECE = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
_FIGURES = re.compile(r"\d+")
_MOST = 6  # figures, and signs of a figure, that are told apart


class Weights(NamedTuple):
    places: memoryview  # hashes of what has a weight, in order
    named: memoryview
    passing: memoryview
    head: dict[str, Any]


class _Word(NamedTuple):
    form: str
    places: frozenset[int]  # of what its letters and its form have a weight for


@lru_cache(maxsize=4_000)  # a night asks about a line two or three times
def tells_in_passing(text: str, context: str = "") -> bool:
    return score(text, context) > float(_weights().head["bar"])


def score(text: str, context: str = "") -> float:
    """The larger of the two measures; more is surer."""
    found, weights = set[int](), _weights()
    words = [_of_word(word) for word in unicodedata.normalize("NFKC", text[:LONGEST]).split()]
    found.update(*(word.places for word in words))
    found.update(filter(None, map(_place, _of_line([word.form for word in words], text, context))))
    sums = (sum(map(row.__getitem__, found)) for row in (weights.named, weights.passing))
    measures: list[tuple[float, float]] = weights.head["measures"]
    return max(bias + step * total for total, (bias, step) in zip(sums, measures, strict=True))


def names(text: str, context: str = "") -> set[str]:
    """All that a line is measured by, for whoever makes the weights."""
    words = unicodedata.normalize("NFKC", text[:LONGEST]).split()
    return {
        *(name for word in words for name in _of_letters(word)),
        *_of_line([_form(word) for word in words], text, context),
    }


def _of_letters(word: str) -> Iterator[str]:
    """Runs of one to five letters, all digits being one, and runs of two to four pieces of its form."""
    letters, form = f" {_FIGURES.sub(lambda found: '0' * len(found[0]), word.casefold())} ", ["<", *_forms(word), ">"]
    for size in range(1, 6):
        yield from ("c" + letters[at : at + size] for at in range(len(letters) - size + 1))
    for size in range(2, 5):
        yield from ("f" + "|".join(form[at : at + size]) for at in range(len(form) - size + 1))


def _of_line(forms: list[str], text: str, context: str) -> Iterator[str]:
    """Forms of words side by side, how many figures there are and how long they are, and the letters of what stands above."""
    row = ["^", *forms, "$"]
    for size in range(1, 4):
        yield from ("r" + " ".join(row[at : at + size]) for at in range(len(row) - size + 1))
    sizes = [len(figure) for figure in _FIGURES.findall(text)]
    yield from (f"n{min(len(sizes), _MOST)}", f"s{sizes[:5]}", f"l{min(len(text) // 20, 9)}")
    if context:
        above = f" {context.casefold()[:200]} "
        yield from ("u", *(f"u{above[at : at + size]}" for size in (3, 4, 5) for at in range(len(above) - size + 1)))


def _form(word: str) -> str:
    return "".join(_forms(word))[:12]


def _forms(word: str) -> Iterable[str]:
    """The pieces of a word by what they are: `Kite-42x` is M - 00 a."""
    for piece in _PIECE.findall(word):
        if not piece[0].isalpha():
            yield "0" * min(len(piece), _MOST) if piece.isdigit() else piece
        elif piece[0] >= "\u2e80":
            yield "c"
        elif piece.isupper():
            yield "A" if len(piece) > 1 else "X"
        elif piece[0].isupper():
            yield "M" if piece[1:].islower() else "W"
        else:
            yield "a" if piece.islower() else "w"


@lru_cache(maxsize=100_000)
def _of_word(word: str) -> _Word:
    return _Word(_form(word), frozenset(filter(None, map(_place, set(_of_letters(word))))))


@lru_cache(maxsize=100_000)
def _place(name: str) -> int:
    """Where its weights stand; 0 where it has none: the first place is left free."""
    places, wanted = _weights().places, crc32(name.encode("utf-8", "surrogatepass"))
    at = bisect_left(places, wanted)
    return at if at < len(places) and places[at] == wanted else 0


@cache
def _weights() -> Weights:
    """Read when first needed: most nights have nothing new."""
    folder = Path(__file__).parent
    head = json.loads((folder / "measure.json").read_text("utf-8"))
    data, size = memoryview((folder / "measure.bin").read_bytes()), head["size"]
    return Weights(data[: 4 * size].cast("I"), data[4 * size : 5 * size].cast("b"), data[5 * size :].cast("b"), head)
