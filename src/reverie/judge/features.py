"""What the learned judge looks at besides the network: the form of a line, its hashed n-grams, and what two lines share.

No words, no file, no clock. The numbers are the input of trained weights: whoever changes what is counted raises
`VERSION` and trains again (`training/worth.py`), or the weights are refused.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from reverie.judge.encoder import LEXICAL, LONGEST, Encoded

VERSION = 2
BUCKETS = 1 << 18  # where n-grams are hashed to; collisions cost less than size
SIZES = (1, 2, 3, 4, 5)  # characters in an n-gram
TERM_BUCKETS = 1 << 13

_BULLET = re.compile(r"\A\s*(?:[-*+•]\s+)+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_DIGIT = re.compile(r"\d")
_TERM = re.compile(r"[^\W\d_]+|\d+(?:[.,:]\d+)*")
_WIDE = "\u2e80"  # the first character of scripts that set no spaces between words
_FORMS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\d", r"\A\W*\d{1,2}[:：]\d{2}", r"\A\W*\d{4}-\d\d-\d\d", r"\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]", r"\b\d{1,2}[:：]\d{2}\b",  # times
        r"\A\W*[^\n:：]{2,40}[:：](?=\s|\*|[^\s/\d])", r"\A\W*[\w()（）]{2,14}[:：]", r"\A\*\*[^*\n]{1,60}\*\*", r"\A[a-z]{3,12}(?:\([^)]*\))?[:：] ",  # keys, speakers
        r"[:：…]\W*\Z", r"\w[:：]\s", r"\A\[ \]", r"\A\[[xX]\]", r"[?？]", r"[?？]\W*\Z", r"[!！]",
        r"[\"“”„«»「」『』]", r"\A\W*[\"“„«「『].*[\"”“»」』]\W*\Z", r"\A>", r"\A[\[(（【]",  # somebody's words
        r"\w{2,8}://|www\.", r"(?:^|[\s`(])[~.]?/[\w.-]+/|\w\.\w{2,4}\b", r"`[^`]+`", r"[{}<>=$]|::|&&|\|\||--\w|\(\)", r"\A\|", r"\|", r"[{\[]\"|\":",  # machines
        r"#\d+", r"#\w", r"\d+\.\d+\.\d+|\bv\d", r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{6,40}\b", r"\w_\w", r"[a-z][A-Z]", r"[a-z]-[a-z]", r"\w@\w",
        r"\d{5,}", r"\b(?=\w*\d)(?=\w*[A-Za-z])\w{6,}\b", r"(?<!\S)(?=\S*\d)(?=\S*[A-Za-z])(?=\S*[^\w\s.,:/'’()-])\S{6,}",  # what a password may look like
        r"\d ?[%％]", r"[$€£¥₽₩]", r"\d ?[A-Za-z°]{1,3}(?!\w)", r"\d[.,]\d", r"\d/\d", r"[+\-−]\d", r"->|→|=>|⇒",  # values
        r"[(（\[]", r"\s[—–-]\s|——", r"[;；]", r"[,，、]", r"[.。]\s|[.。]\w*\Z", r"[.。]\W?\Z",
        r"\A\W*[A-ZÄÖÜÀ-ÝА-Я]", r"\A[a-zа-я]", r"(?<=[a-zà-ÿа-я,;] )[A-ZÄÖÜÀ-ÝА-Я][\w'’-]+", r"\b[A-ZÄÖÜА-Я_]{4,}\b", r"\b[A-Z]{2,5}\d*\b", r"[✅✔☑]", r"[⚠❌❗🚨]",
    )
)  # fmt: skip
_HEADING_FORMS = tuple(
    re.compile(pattern) for pattern in (r"\A\W*\d{1,2}[:：]\d\d", r"\d{4}-\d\d-\d\d", r"\d", r"[>#/]")
)


def bare(text: str) -> str:
    """A line without its bullets."""
    return _BULLET.sub("", text).strip()


def form(text: str, under: str) -> list[float]:
    """What a line and its heading look like, in about eighty numbers between nothing and a few."""
    text = text[:LONGEST]
    size = max(len(text), 1)
    count = _characters(text)
    words = text.count(" ") + 1 + count["wide"] / 2
    numbers = len(_NUMBER.findall(text))
    return [
        *(float(pattern.search(text) is not None) for pattern in _FORMS),
        np.log1p(size) / 4, np.log1p(words) / 3, min(words, 60) / 20, float(words < 4), float(words < 7),
        count["digit"] / size, count["mark"] / size, count["upper"] / size, min(count["emoji"], 3),
        min(numbers, 6) / 3, numbers / words, float(count["wide"] > size / 5), float(count["cyrillic"] > size / 5),
        *(float(pattern.search(under) is not None) for pattern in _HEADING_FORMS),
        float(not under), min(len(under), 120) / 60, under.count(">") / 2,
    ]  # fmt: skip


def _characters(text: str) -> dict[str, int]:
    count = dict.fromkeys(("digit", "mark", "upper", "emoji", "wide", "cyrillic"), 0)
    for char in text:
        if char.isalpha():
            point = ord(char)
            name = "wide" if point >= 0x2E80 else "cyrillic" if 0x400 <= point < 0x530 else "upper"
            count[name] += name != "upper" or char.isupper()
        elif char.isdigit():
            count["digit"] += 1
        elif not char.isspace():
            count["emoji" if ord(char) >= 0x2600 and unicodedata.category(char) == "So" else "mark"] += 1
    return count


def grams(texts: Sequence[str], salt: int = 0) -> tuple[Any, Any, Any]:
    """The hashed n-grams of texts as (row, bucket, weight) in order of rows: each once, a row's weights of length one.

    Digits are all the same digit, because 4600 and 9031 say the same about a line.
    """
    folded = [f" {_DIGIT.sub('0', _folded(text))} " for text in texts]
    points = np.frombuffer("".join(folded).encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
    rows = np.repeat(np.arange(len(texts)), [len(text) for text in folded])
    keys = [np.zeros(0, dtype=np.int64)]
    for size in SIZES:
        inside = rows[: max(len(rows) - size + 1, 0)] == rows[size - 1 :]
        keys.append((rows[: len(inside)] * BUCKETS + _hashed(points, size, len(inside), salt))[inside])
    packed = np.unique(np.concatenate(keys))
    row, bucket = packed // BUCKETS, packed % BUCKETS
    weight = 1 / np.sqrt(np.maximum(np.bincount(row, minlength=len(texts)), 1))
    return row, bucket, weight[row].astype(np.float32)


def _hashed(points: Any, size: int, count: int, salt: int) -> Any:
    key = np.full(count, 0x9E3779B97F4A7C15 + size + 64 * salt, dtype=np.uint64)
    for step in range(size):
        key = (key ^ points[step : step + count]) * np.uint64(0x100000001B3)
        key ^= key >> np.uint64(29)
    return (key * np.uint64(0xBF58476D1CE4E5B9) >> np.uint64(40)).astype(np.int64) % BUCKETS


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text[:LONGEST]).casefold().split())


def terms(text: str) -> set[str]:
    """Beginnings of words, pairs of characters where words are not set apart, and numbers: what two lines may share."""
    found: set[str] = set()
    for word in _TERM.findall(_folded(text)):
        if word[0] >= _WIDE:
            found.update(word[at : at + 2] for at in range(max(len(word) - 1, 1)))
        else:
            found.add(word if word[0].isdigit() else word[:5])
    return found


def term_bucket(term: str) -> int:
    return zlib.crc32(term.encode("utf-8", "surrogatepass")) % TERM_BUCKETS


class Side:
    """One line made ready to be compared with many. `weights`: the encoder's middle, and how rare terms are."""

    __slots__ = ("encoded", "length", "numbers", "pieces", "rarity", "rows", "triples", "weight")

    def __init__(self, text: str, encoded: Encoded, weights: Mapping[str, Any]) -> None:
        plain = _folded(text)
        rows = encoded.tokens[:, :LEXICAL] - weights["middle"]
        self.encoded = encoded
        self.rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)
        self.weight = encoded.rarity / max(float(encoded.rarity.sum()), 1e-6)
        self.pieces = set(encoded.pieces.tolist())
        self.rarity = {term: float(weights["term_rarity"][term_bucket(term)]) for term in terms(text)}
        self.triples = {plain[at : at + 3] for at in range(max(len(plain) - 2, 1))}
        self.numbers = set(_NUMBER.findall(plain))
        self.length = float(np.log1p(len(plain)))


NETWORK = 9  # so many of the matches need the network
MATCHES = 22


def matches(old: Side, new: Side) -> list[float]:
    """How far an old line and a new one speak of the same: `MATCHES` numbers, none of them a decision."""
    like = new.rows @ old.rows.T
    soft = float(like.max(axis=1) @ new.weight), float(like.max(axis=0) @ old.weight)
    pieces = old.pieces & new.pieces
    known = [(one.encoded.pieces[:, None] == list(pieces)).any(axis=1) for one in (new, old)]
    share = float(known[0] @ new.weight), float(known[1] @ old.weight)
    rarest = float(new.encoded.rarity[known[0]].max(initial=0.0)) / 10
    triples, common = (
        len(old.triples & new.triples),
        [new.rarity[term] for term in old.rarity.keys() & new.rarity.keys()],
    )
    text = triples / max(len(new.triples), 1), triples / max(len(old.triples), 1)
    said = [sum(common) / max(sum(side.rarity.values()), 1e-6) for side in (new, old)]
    both = bool(old.numbers) and bool(new.numbers)
    return [
        float(new.encoded.sentence @ old.encoded.sentence), *soft, min(soft), *share, min(share), max(share), rarest,
        *text, max(text), *said, min(said), max(said), max(common, default=0.0) / 10,
        min(len(old.numbers & new.numbers), 2) / 2, float(both and not old.numbers & new.numbers), float(both),
        new.length - old.length, min(new.length, old.length) / 4,
    ]  # fmt: skip
