"""What can be counted about a line: its shape, the cues it says, and its hashed n-grams. No meaning, no file, no clock.

The numbers here are the input of trained weights: whoever changes what is counted raises `VERSION` and trains again
(`training/judge.py`), or the weights are refused.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np

from reverie.cues import NAMES, cues

VERSION = 1
BUCKETS = 1 << 16  # where n-grams are hashed to; collisions cost less than size
SIZES = (1, 2, 3, 4, 5)  # characters in an n-gram
LONGEST = 600  # characters of a line that are looked at; the rest of a long paragraph seldom changes its kind

_SHAPES: tuple[tuple[str, str], ...] = (
    ("number", r"\d+(?:[.,:]\d+)*"),
    ("key", r"\A[^\n:：]{2,40}[:：](?=\s|\*|[^\s/\d])"),
    ("speaker", r"\A[A-Z\u0400-\u042f\u3040-\u9fff\uac00-\ud7af][\w.]{0,14}(?: [A-Z]\w+)?[:：]\s*[a-zа-я\u3040-\uac00]"),
    ("bold key", r"\A\*\*[^*\n]{1,60}\*\*"),
    ("ends open", r"[:：…]\W*\Z"),
    ("box", r"\A\[[ xX]\]"),
    ("question", r"[?？]"),
    ("asks", r"[?？吗呢か까]\W*\Z"),
    ("shout", r"[!！]"),
    ("quote", r"[\"“”„«»「」『』]"),
    ("url", r"\b[a-z]{2,8}://|\bwww\."),
    ("path", r"(?:^|[\s`(])[~.]?/[\w.-]+/|\w+\.(?:py|ts|js|md|json|log|sh|ya?ml|conf|txt|csv|sql|go|rs)\b|\\\\"),
    ("code", r"`[^`]+`"),
    ("operator", r"[{}<>=$]|::|&&|\|\||--\w|\(\)"),
    ("issue", r"#\d+"),
    ("version", r"\bv?\d+\.\d+\.\d+|\bv\d+\b"),
    ("hex", r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b"),
    ("clock", r"\b\d{1,2}:\d{2}\b|\d{1,2} ?[ap]m\b|\d{1,2}[点點時时시](?!间)|\d{1,2} ?(?:Uhr|h\b|ч\b)"),
    ("day", r"\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./](?:\d{2,4})?|\d{1,2}月\d{1,2}|\d{1,2}월"),
    ("percent", r"\d ?[%％]"),
    ("money", r"[$€£¥₽₩]|\b(?:EUR|USD|GBP|CHF|euros?|dollars?)\b|\d ?(?:元|块|円|원|руб|万)"),
    ("unit", r"\d ?(?:ms|s|sec|min|h|kg|g|km|m|cm|mm|GB|MB|TB|kB|kWh|W|V|°|l|ml|分钟|小时|天|个|次|公里|人|件|回|分|개|명|분)(?!\w)"),
    ("arrow", r"->|→|=>|⇒"),
    ("bracket", r"[(（\[]"),
    ("dash", r"\s[—–-]\s|——"),
    ("capital", r"\A\W*[A-ZÄÖÜÀ-ÝА-Я]"),
    ("name", r"(?<=[a-zà-ÿа-я,;] )[A-ZÄÖÜÀ-ÝА-Я][\w'’-]+"),
    ("loud", r"\b[A-ZÄÖÜА-Я]{4,}\b"),
    ("acronym", r"\b[A-Z]{2,5}\d*\b"),
    ("did", r"\A\W*[A-Za-z]+(?:ed|ent)\b"),
    ("stamp", r"\A\W*\d{1,2}:\d{2}"),
    ("trigger", r"(?i)\b(?:important|note|decision|decided|remember|fyi|always|never|rule|lesson)\b|重要|注意|决定|规则|记住"),
)  # fmt: skip
_COMPILED = tuple((name, re.compile(pattern)) for name, pattern in _SHAPES)
_DIGIT = re.compile(r"\d")
_CLOCK = re.compile(r"\d{1,2}:\d{2}")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}|\d{1,2}月\d{1,2}")
SHAPES = (
    *(f"{name}?" for name, _ in _SHAPES), "length", "words", "digits", "punctuation", "han", "kana", "hangul", "cyrillic",
    "emoji", "upper", "numbers", "no context", "depth", "context clock", "context day",
    *(f"says {name}" for name in NAMES), *(f"under {name}" for name in NAMES),
)  # fmt: skip


def shape(text: str, context: str) -> list[float]:
    """What a line looks like, in about a hundred numbers between nothing and a few."""
    text = text[:LONGEST]
    size = max(len(text), 1)
    scripts = _scripts(text)
    found = [float(pattern.search(text) is not None) for _, pattern in _COMPILED]
    return [
        *found,
        np.log1p(size) / 4,
        np.log1p(text.count(" ") + 1 + scripts["han"] / 2) / 3,
        *(scripts[name] / size for name in ("digit", "mark", "han", "kana", "hangul", "cyrillic")),
        min(scripts["emoji"], 3),
        scripts["upper"] / size,
        min(len(_COMPILED[0][1].findall(text)), 6) / 3,
        float(not context),
        context.count(">") / 2,
        float(bool(_CLOCK.search(context))),
        float(bool(_DAY.search(context))),
        *(min(count, 3) / 2 for count in cues(text.casefold())),
        *(min(count, 2) / 2 for count in cues(context[-200:].casefold())),
    ]


def _scripts(text: str) -> dict[str, int]:
    counts = dict.fromkeys(("digit", "mark", "han", "kana", "hangul", "cyrillic", "emoji", "upper"), 0)
    for char in text:
        if name := _script(char):
            counts[name] += 1
    return counts


def _script(char: str) -> str:
    if char.isalpha():
        point = ord(char)
        if point < 0x250:
            return "upper" if char.isupper() else ""
        if 0x400 <= point < 0x530:
            return "cyrillic"
        if 0x3040 <= point < 0x3100:
            return "kana"
        if 0xAC00 <= point < 0xD7B0:
            return "hangul"
        return "han" if 0x3400 <= point < 0xA000 else ""
    if char.isdigit():
        return "digit"
    if char.isspace():
        return ""
    return "emoji" if ord(char) >= 0x2600 and unicodedata.category(char) == "So" else "mark"


def grams(texts: Sequence[str], salt: int = 0) -> tuple[Any, Any, Any]:
    """The hashed n-grams of texts, as (row, bucket, weight) in order of rows: each once, a row's weights of length one.

    Digits are all the same digit, because 4600 and 9031 say the same about a line. Runs of spaces are one.
    """
    points, rows = _points(texts)
    keys = []
    for size in SIZES:
        if len(points) >= size:
            inside = rows[: len(rows) - size + 1] == rows[size - 1 :]
            keys.append(np.stack([rows[: len(inside)][inside], _hashed(points, size, salt)[inside]]))
    if not keys:
        none = np.zeros(0, dtype=np.int64)
        return none, none, np.zeros(0, dtype=np.float32)
    joined = np.concatenate(keys, axis=1)
    packed, count = np.unique(joined[0] * BUCKETS + joined[1], return_counts=True)
    row, bucket = packed // BUCKETS, packed % BUCKETS
    weight = 1.0 + np.log(count)
    length = np.sqrt(np.bincount(row, weight**2, minlength=len(texts)))
    return row, bucket, (weight / length[row]).astype(np.float32)


def _points(texts: Sequence[str]) -> tuple[Any, Any]:
    """The characters of all texts behind each other as numbers, and which text each belongs to."""
    folded = [f" {' '.join(_DIGIT.sub('0', _folded(text)).split())} " for text in texts]
    points = np.frombuffer("".join(folded).encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
    return points, np.repeat(np.arange(len(texts)), [len(text) for text in folded])


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text[:LONGEST]).casefold()


def _hashed(points: Any, size: int, salt: int) -> Any:
    key = np.full(len(points) - size + 1, 0x9E3779B97F4A7C15 + size + 64 * salt, dtype=np.uint64)
    for step in range(size):
        key = (key ^ points[step : step + len(key)]) * np.uint64(0x100000001B3)
        key ^= key >> np.uint64(29)
    return (key * np.uint64(0xBF58476D1CE4E5B9) >> np.uint64(40)).astype(np.int64) % BUCKETS
