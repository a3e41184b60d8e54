"""How likely a line gives a secret away, by its letters and the forms of its words: "just punch four nine nine two and shove".

Two linear measures, one of values that stand beside their name, one of those that are told in passing; the larger counts.
`evals/measure.py` made the weights of what blind authors wrote in nine languages. What is measured is the input of the
weights: never change it alone.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

PLACES = 1 << 19  # of weights; what is measured shares them by its hash
_LONGEST = 1_000  # characters of a line that are looked at
_MOST = 6  # figures, and signs of a figure, that are told apart
_WIDE = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"  # scripts that set no spaces before figures and Latin letters
_WORD = re.compile(rf"[{_WIDE}]+|[^\s{_WIDE}]+")
_PIECE = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
_FIGURE = re.compile(r"\d")
_BULLET = re.compile(r"\s*(?:[-*+•>][ \t]+){0,3}(?:\[[ xX]\][ \t]+)?")
_EDGE = 2  # of a run without spaces, the signs that stand beside the next word


class Weights(NamedTuple):
    rows: tuple[memoryview, memoryview]  # of values that stand beside their name, and of those told in passing
    measures: list[tuple[float, float]]  # of each row: where it begins, and what one of its steps counts
    likely: float
    sure: float


class _Word(NamedTuple):
    places: tuple[int, ...]  # of its letters and of its form
    left: int  # hashes: as the word before another one, as the word after it, and of its form
    right: int
    form: int


_BORDER = _Word((), 1, 1, 1)


def is_likely(text: str) -> bool:
    """Whether a line of a note had better stay there: it may give a secret away."""
    return score(text) > _weights().likely


def is_sure(text: str) -> bool:
    """Whether a line is taken for a secret wherever it stands: of ordinary lines hardly one is."""
    return score(text) > _weights().sure


def score(text: str) -> float:
    """The larger of the two measures; more is surer."""
    return _score(_bare(text))


def places(text: str) -> list[int]:
    """All that a line is measured by, for whoever makes the weights."""
    text = _bare(text)
    words = _WORD.findall(text)
    of_letters = (place for word in set(words) for place in _of_word(word).places)
    return [*of_letters, *_of_line(words, text)]


def _bare(text: str) -> str:
    """A line without its bullet and bold type: it stands in some places with them, in others without."""
    return _zeroed(_BULLET.sub("", text[:_LONGEST], count=1)).replace("**", "").strip("| \t")


def _zeroed(text: str) -> str:
    """All figures are one: what a value is says less than how it stands there."""
    return _FIGURE.sub("0", text if text.isascii() else unicodedata.normalize("NFKC", text))


@lru_cache(maxsize=20_000)  # a night asks two or three times, and notes say the same with other figures
def _score(text: str) -> float:
    words, weights = _WORD.findall(text), _weights()
    known, line = [*map(_sums, set(words))], _of_line(words, text)
    return max(
        bias + step * (sum(sums[n] for sums in known) + sum(map(weights.rows[n].__getitem__, line)))
        for n, (bias, step) in enumerate(weights.measures)
    )


def _of_line(words: list[str], text: str) -> set[int]:
    """Words beside each other, beside the form of the next, of the last, of the next but one; forms alone and in rows."""
    row = [_BORDER, *map(_of_word, words), _BORDER]
    lefts, rights, forms = [word.left for word in row], [word.right for word in row], [word.form for word in row]
    last = PLACES - 1
    sizes = [len(figure) for figure in re.findall("0+", text)]
    return {
        *((a * 3 + b * 5 + 1) & last for a, b in zip(lefts, rights[1:], strict=False)),
        *((a * 7 + b * 11 + 2) & last for a, b in zip(lefts, forms[1:], strict=False)),
        *((a * 13 + b * 17 + 3) & last for a, b in zip(forms, rights[1:], strict=False)),
        *((a * 19 + b * 23 + 4) & last for a, b in zip(lefts, forms[2:], strict=False)),
        *((a * 29 + 5) & last for a in forms),
        *((a * 31 + b * 37 + 6) & last for a, b in pairwise(forms)),
        *((a * 41 + b * 43 + c * 47 + 7) & last for a, b, c in zip(forms, forms[1:], forms[2:], strict=False)),
        *map(_place, (f"n{min(len(sizes), _MOST)}", f"s{sizes[:5]}", f"l{min(len(text) // 20, 9)}")),
    }


@lru_cache(maxsize=100_000)
def _sums(word: str) -> tuple[int, ...]:
    """What the letters of a word add to each measure."""
    found = _of_word(word).places
    return tuple(sum(map(row.__getitem__, found)) for row in _weights().rows)


@lru_cache(maxsize=100_000)
def _of_word(word: str) -> _Word:
    small, pieces = word.casefold(), list(_forms(word))
    left, right = (small[-_EDGE:], small[:_EDGE]) if word[0] >= "\u2e80" else (small, small)
    runs = {f"c{run}" for run in _runs(f" {small} ", range(1, 6))}
    runs |= {f"f{'|'.join(run)}" for run in _runs(["<", *pieces, ">"], range(2, 5))}
    return _Word(tuple(map(_place, runs)), *map(_hash, (left, right, "".join(pieces)[:12])))


def _runs(signs: Any, sizes: range) -> Iterator[Any]:
    for size in sizes:
        yield from (signs[at : at + size] for at in range(len(signs) - size + 1))


def _forms(word: str) -> Iterable[str]:
    """The pieces of a word by what they are: `Kite-00x` is M - 00 a."""
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


def _place(name: str) -> int:
    return _hash(name) & (PLACES - 1)


def _hash(said: str) -> int:
    return crc32(said.encode("utf-8", "surrogatepass"))


@cache
def _weights() -> Weights:
    """Read when first needed: most commands show no line of a note."""
    folder = Path(__file__).parent
    head = json.loads((folder / "measure.json").read_text("utf-8"))
    data = memoryview((folder / "measure.bin").read_bytes()).cast("b")
    return Weights((data[:PLACES], data[PLACES:]), head["measures"], head["likely"], head["sure"])
