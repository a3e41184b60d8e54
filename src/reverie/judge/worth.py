"""The learned judge: how likely a line is worth keeping, of what kind it is, and whether two lines are about the same thing.

Weights trained by `training/worth.py` on labelled lines that stay outside the project. It gives probabilities and decides
nothing. Two models look at a line: n-grams with the form of the line, and a small network over the embedded encoder's
tokens. It sees one line at a time: repetition, duplicates and what is certain by form are for others to find.

What is counted here is the input of the weights: whoever changes it raises `VERSION` and trains again, or they are refused.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from reverie.evidence.encoder import LEXICAL, LONGEST, SENTENCE, WIDTH, Encoded, encode
from reverie.judge.thresholds import THRESHOLDS as THRESHOLDS  # for those who ask what a probability means

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
        r"\A\W*[A-Z\u00c4\u00d6\u00dc\u00c0-\u00dd\u0410-\u042f]", r"\A[a-z\u0430-\u044f]", r"(?<=[a-z\u00e0-\u00ff\u0430-\u044f,;] )[A-Z\u00c4\u00d6\u00dc\u00c0-\u00dd\u0410-\u042f][\w'’-]+", r"\b[A-Z\u00c4\u00d6\u00dc\u0410-\u042f_]{4,}\b", r"\b[A-Z]{2,5}\d*\b", r"[✅✔☑]", r"[⚠❌❗🚨]",
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


HEADING_BUCKETS = 4096  # for the n-grams of headings: there are few
HEADS = 4
DRAWERS = (
    "decision",
    "preference",
    "rule",
    "lesson",
    "correction",
    "project",
    "person",
    "fact",
    "schedule",
)  # kinds that last
_AT_ONCE = 256  # lines judged together: a bound for memory, without effect on the result

Embed = Callable[[Sequence[str]], Any]


@dataclass(frozen=True, slots=True)
class LineToWeigh:
    """A line of a note, the headings it stands under (`Heading > parent`), and the memory lines nearest to it."""

    text: str
    under: str = ""
    day: str = ""  # for those who know it; the judge itself does not look
    near: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Worth:
    """Probabilities: worth keeping, each kind, speaks of access, machine or harness text, a stranger's words or orders.

    `drawer` is the likeliest of the kinds that last, `drawer_chance` its share among them.
    """

    keep: float
    kind: str
    kinds: Mapping[str, float] = field(default_factory=dict)
    access: float = 0.0
    machine: float = 0.0
    order: float = 0.0
    drawer: str = "fact"
    drawer_chance: float = 0.0

    @property
    def lasting(self) -> float:
        """The chance that it is of a kind that lasts, whether or not this one is worth keeping."""
        return sum(self.kinds.get(name, 0.0) for name in DRAWERS)


def worth_of(lines: Sequence[LineToWeigh], embed: Embed | None, *, quick: bool = False) -> list[Worth]:
    """One judgement a line. Without `embed` from n-grams and form alone, which is cheaper and less certain.

    `quick` is for those who only look for what may enter: what n-grams and form are sure is worthless never reaches the
    network, which costs ten times as much. Of such a line `keep` is below `likely`, and its kinds are a guess.
    Which embedder is given makes no difference: the weights fit one network only, and the judge loads that itself.
    """
    found: list[Worth] = []
    for start in range(0, len(lines), _AT_ONCE):
        found += _judged(lines[start : start + _AT_ONCE], network=embed is not None, quick=quick)
    return found


def about_same(pairs: Sequence[tuple[str, str]], embed: Embed | None) -> list[float]:
    """For each (memory line, note line): the probability that both are about the same thing, whatever the one does to the other."""
    if not pairs:
        return []
    weights = _weights()
    texts = list(dict.fromkeys(bare(text) for pair in pairs for text in pair))
    encoded = [_BLANK] * len(texts) if embed is None else encode(texts)
    known = {text: Side(text, one, weights) for text, one in zip(texts, encoded, strict=True)}
    table = np.array([matches(known[bare(old)], known[bare(new)]) for old, new in pairs], dtype=np.float32)
    return [float(chance) for chance in about_scores(table, weights, "bare" if embed is None else "about")]


def trained_on() -> str:
    """The SHA-256 of the labelled files the weights were learnt from."""
    return str(_weights()["trained_on"])


def _judged(lines: Sequence[LineToWeigh], *, network: bool, quick: bool) -> list[Worth]:
    weights = _weights()
    texts, unders = [bare(line.text) for line in lines], [bare(line.under) for line in lines]
    forms = np.array([form(*pair) for pair in zip(texts, unders, strict=True)], dtype=np.float32)
    forms = scaled(forms, weights["form_mean"], weights["form_spread"])
    plain = plain_scores(forms, grams(texts), grams(unders, salt=1), weights)
    chances = _chance(weights["mix_bare"], plain, np.ones_like(plain))
    kinds = chances[:, :1] * weights["kinds_kept"] + (1 - chances[:, :1]) * weights["kinds_passing"]
    asked = [at for at, score in enumerate(plain[:, 0]) if network and (not quick or score >= weights["skip"])]
    chances[:, 0] = np.minimum(chances[:, 0], _SKIPPED) if network and quick else chances[:, 0]
    if asked:
        encoded = _encoded([lines[at] for at in asked])
        side = cache(lambda text: Side(text, encoded[text], weights))  # a line of memory is near to many
        met = np.array([_nearest(texts[at], lines[at], side, weights) for at in asked])
        given = [encoded[texts[at]] for at in asked], np.stack([encoded[unders[at]].sentence for at in asked])
        keep, kinds[asked] = network_scores(*given, np.concatenate([forms[asked], met], axis=1), weights)
        flags = [log_odds(kinds[asked, weights["kinds"].index(kind)]) for kind in _FLAGS]
        chances[asked] = _chance(
            weights["mix"], np.stack([keep, *flags], axis=1), plain[asked], np.ones_like(plain[asked])
        )
    names = weights["kinds"]
    return [
        _worth(told, dict(zip(names, row, strict=True)))
        for told, row in zip(chances.tolist(), kinds.tolist(), strict=True)
    ]


_FLAGS = ("secret", "machine", "quote")  # kinds behind access, machine and order
_SKIPPED = THRESHOLDS["likely"] - 0.01  # what never reached the network is not likely


def _worth(told: list[float], kinds: dict[str, float]) -> Worth:
    keep, access, machine, order = told
    kind, drawer = max(kinds, key=kinds.__getitem__), max(DRAWERS, key=kinds.__getitem__)
    share = kinds[drawer] / max(sum(kinds[name] for name in DRAWERS), 1e-9)
    return Worth(keep, kind, MappingProxyType(kinds), access, machine, order, drawer, share)


def _encoded(lines: Sequence[LineToWeigh]) -> dict[str, Encoded]:
    texts = list(dict.fromkeys(bare(text) for line in lines for text in (line.text, line.under, *line.near)))
    return dict(zip(texts, encode(texts), strict=True))


def _nearest(text: str, line: LineToWeigh, side: Callable[[str], Side], weights: Mapping[str, Any]) -> Any:
    """How the line compares with the nearest of the memory lines given; zeros, the average, if there is none."""
    if not line.near:
        return np.zeros(MATCHES, dtype=np.float32)
    table = np.array([matches(side(bare(near)), side(text)) for near in line.near], dtype=np.float32)
    return nearest(table, weights)


def nearest(table: Any, weights: Mapping[str, Any]) -> Any:
    """Of the comparisons with several memory lines the closest, on the scale of the training."""
    scales = scaled(table, weights["match_mean"], weights["match_spread"])
    return scales[about_scores(table, weights, "about").argmax()]


def plain_scores(forms: Any, text: Any, under: Any, weights: Mapping[str, Any]) -> Any:
    """From form and n-grams the log odds of keeping, access, machine and order: one column each."""
    scores = forms @ weights["plain_form"].T + weights["plain_bias"]
    for column, (for_text, for_under) in enumerate(zip(weights["plain_text"], weights["plain_under"], strict=True)):
        scores[:, column] += np.bincount(text[0], for_text[text[1]] * text[2], minlength=len(forms))
        headings = for_under[under[1] % HEADING_BUCKETS] * under[2]
        scores[:, column] += np.bincount(under[0], headings, minlength=len(forms))
    return scores


def network_scores(texts: Sequence[Encoded], unders: Any, seen: Any, weights: Mapping[str, Any]) -> tuple[Any, Any]:
    """(log odds of keeping, probabilities of kinds): the mean over the members of the ensemble."""
    starts = np.cumsum([0, *(len(one.tokens) for one in texts[:-1])])
    tokens, sentences = np.concatenate([one.tokens for one in texts]), np.stack([one.sentence for one in texts])
    keep, kinds = 0.0, 0.0
    for member in weights["members"]:
        rows = np.tanh(tokens @ member["token"] + member["token_bias"])
        hidden = gathered(rows, member["attend"], starts)[0]
        hidden += [np.tanh(unders @ member["under"] + member["under_bias"])]
        hidden += [np.tanh(sentences @ member["sentence"] + member["sentence_bias"]), seen]
        inner = np.maximum(np.concatenate(hidden, axis=1) @ member["hidden"] + member["hidden_bias"], 0)
        scores = inner @ member["out"] + member["out_bias"]
        keep = keep + scores[:, 0] / len(weights["members"])
        kinds = kinds + softmax(scores[:, 1:]) / len(weights["members"])
    return keep, kinds


def gathered(rows: Any, attend: Any, starts: Any) -> tuple[list[Any], Any]:
    """Each text's rows as means under learned attention, one a head, and their maximum; and the attention itself."""
    counts = np.diff(starts, append=len(rows))
    score = rows @ attend
    score = np.exp(score - np.repeat(np.maximum.reduceat(score, starts, axis=0), counts, axis=0))
    share = score / np.repeat(np.add.reduceat(score, starts, axis=0), counts, axis=0)
    means = [np.add.reduceat(rows * share[:, [head]], starts, axis=0) for head in range(HEADS)]
    return [*means, np.maximum.reduceat(rows, starts, axis=0)], share


def about_scores(table: Any, weights: Mapping[str, Any], name: str) -> Any:
    """Probability that pairs with these matches are about the same thing."""
    rows = scaled(table, weights["match_mean"], weights["match_spread"])
    inner = np.tanh(rows @ weights[f"{name}_in"] + weights[f"{name}_in_bias"])
    return 1 / (1 + np.exp(-(inner @ weights[f"{name}_out"] + weights[f"{name}_out_bias"])))


def scaled(table: Any, mean: Any, spread: Any) -> Any:
    """On one scale; what is extreme in a line must not decide alone."""
    return np.clip((table - mean) / spread, -4, 4)


def softmax(scores: Any) -> Any:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def log_odds(chance: Any) -> Any:
    chance = np.clip(chance, 1e-4, 1 - 1e-4)
    return np.log(chance / (1 - chance))


def _chance(mix: Any, *scores: Any) -> Any:
    """Probabilities from scores of each output, and how much each counts."""
    return 1 / (1 + np.exp(-sum(share * score for share, score in zip(mix.T, scores, strict=True))))


_BLANK = Encoded(
    np.zeros(1, np.int64), np.zeros(1, np.float32), np.zeros((1, WIDTH), np.float32), np.zeros(SENTENCE, np.float32)
)  # what is known of a text without the network


@cache
def _weights() -> Mapping[str, Any]:
    """The trained weights, unpacked once."""
    with np.load(Path(str(resources.files("reverie.judge") / "worth.npz")), allow_pickle=False) as stored:
        if int(stored["version"]) != VERSION:
            raise ValueError(f"worth.npz was trained for features {stored['version']}, not {VERSION}; train it again.")
        return unpacked({name: stored[name] for name in stored.files})


def unpacked(found: dict[str, Any]) -> Mapping[str, Any]:
    """Halves become floats, small whole numbers times their step floats, and `member_*` a list of members."""
    for name in ("plain_text", "plain_under"):
        found[name] = found[name].astype(np.float32) * found.pop(f"{name}_step")
    found = {name: value.astype(np.float32) if value.dtype == np.float16 else value for name, value in found.items()}
    parts = [name for name in found if name.startswith("member_")]
    count = len(found[parts[0]])
    members = [{name.removeprefix("member_"): found[name][number] for name in parts} for number in range(count)]
    kinds = tuple(str(kind) for kind in found.pop("kinds"))
    return MappingProxyType({**found, "members": members, "kinds": kinds})
