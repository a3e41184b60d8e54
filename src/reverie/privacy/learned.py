"""How likely a line gives access to something, learned from invented secrets in nine languages (`training/access.py`).

People announce a secret in more ways than anybody can list: "the guard waves you through when you say …". So what the rules
of `access` do not find is weighed by words, pairs of words, parts of words and the shapes of what could be a value. One sum
over hashed features, in plain Python: every command that shows a line asks, and most of them must not wait for numpy.

What is counted here is the input of the weights: whoever changes it raises `VERSION` and trains again, or they are refused.
"""

from __future__ import annotations

import json
import re
import unicodedata
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

VERSION = 1
BUCKETS = 1 << 17
LONGEST = 400  # characters of a line that are weighed
_MARKERS = 5  # a group of words of access counts as so many features: it is one opinion about the whole line
_BULLET = re.compile(r"\A\s*(?:[-*+•>]\s+)*")
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W\d_]+|\d+|[^\w\s]")
_TOKEN = re.compile(r"[^\s`\"“”„«»「」『』()（）\[\]|,;，。；、！!?？]+")
_RUN = re.compile(r"(.)\1+")
_SPOKEN = re.compile(r"[^\W\d_]{2,}")
_FEWEST_WORDS, _FEWEST_SIGNS = 3, 5
_WIDE = "\u2e80"  # the first character of scripts that set no spaces between words


def gives_access(line: str, groups: Iterable[str]) -> bool:
    """Whether a line most likely gives access to something; `groups`: the words of access in it (`access_words`)."""
    return "⟦" not in line and _is_spoken(line) and log_odds(line, tuple(sorted(groups))) > _weights().threshold


def _is_spoken(line: str) -> bool:
    """Three words, or as much in a script without blanks: what is shorter is a name and a value, which rules know better."""
    found = _SPOKEN.findall(line[:LONGEST])
    return len(found) >= _FEWEST_WORDS or sum(len(word) for word in found if word[0] >= _WIDE) >= _FEWEST_SIGNS


@lru_cache(maxsize=16_384)  # a night asks the same of a line when it is read, planned, promised and told
def log_odds(line: str, groups: tuple[str, ...]) -> float:
    """The log odds that a line gives access to something."""
    known = _weights()
    found = features(line, groups)
    total = sum(known.steps[zlib.crc32(one.encode("utf-8", "surrogatepass")) % BUCKETS] for one in found)
    return float(total * known.step / max(len(found), 1) ** 0.5 + known.bias)


def features(line: str, groups: Iterable[str]) -> set[str]:
    """What a line is weighed by. Digits are all the same digit, because 4600 and 9031 say the same about a line."""
    plain = " ".join(unicodedata.normalize("NFKC", _BULLET.sub("", line[:LONGEST])).split())
    found = {f"{number}G{group}" for group in groups for number in range(_MARKERS)}
    before = ""
    for word in _WORD.findall(_DIGIT.sub("0", plain.casefold())):
        sizes = (1, 2, 3) if word[0] >= _WIDE else (4,)
        found.update(word[at : at + size] for size in sizes for at in range(len(word) - size + 1))
        found |= {f"w{word}", f"s{word[:5]}", f"p{before}_{word[:6]}"}
        before = word[-6:]
    before = last = ""
    for token in _TOKEN.findall(plain):
        last = _shape(token.strip(".:*"))
        found |= {f"h{last}", f"q{before}_{last}"}
        before = token[-5:].casefold()
    return found | {f"l{last}"}


def _shape(token: str) -> str:
    """`Tulip-44` is `Aa+-9+`."""
    kinds = (
        "9" if char.isdigit() else "C" if char >= _WIDE else "A" if char.isupper() else "a" if char.isalpha() else char
        for char in token
    )
    return _RUN.sub(r"\1+", "".join(kinds))


@dataclass(frozen=True, slots=True)
class _Weights:
    steps: memoryview
    step: float
    bias: float
    threshold: float


@cache
def _weights() -> _Weights:
    """The trained weights: a line of JSON, then a small whole number a bucket."""
    head, steps = (resources.files("reverie.privacy") / "access.bin").read_bytes().split(b"\n", 1)
    told = json.loads(head)
    if told["version"] != VERSION:
        raise ValueError(f"access.bin was trained for features {told['version']}, not {VERSION}; train it again.")
    return _Weights(memoryview(steps).cast("b"), told["step"], told["bias"], told["threshold"])
