"""The judge: how likely it is that a line will matter in three months, of what kind it is, and what a new line does to an old.

Small linear weights, trained by `training/judge.py` on labelled lines that stay outside the project. The judge gives
probabilities and decides nothing: rules, evidence and promises stand between it and any change. It does not know secrets,
quotations or repetition; whoever asks it must have put those aside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from reverie.phases import features, pair_features
from reverie.phases.features import grams, shape
from reverie.phases.pair_features import ABOUT, Kinship, changed, measures, trimmed

VERSION = f"{features.VERSION}.{pair_features.VERSION}"  # of what is counted; weights of another version are refused
KEPT = ("decision", "correction", "preference", "rule", "lesson", "project", "person", "fact", "schedule", "update")
PASSING = (
    "routine", "task", "chat", "event", "metric", "label", "code", "mood", "question", "quote", "plan", "machine",
)  # fmt: skip
RELATIONS = ("same", "richer", "update", "correction", "retraction", "done", "coexist", "unsure", "unrelated")
# Of the labelled lines above these, at least 95 and 85 of 100 were worth keeping, on subjects the judge had not seen; fewer
# in a notebook where little is worth keeping at all (docs/quality.md).
SURE = 0.95
LIKELY = 0.56
# The same for pairs, where each labelled pair stands among twenty strangers (docs/quality.md). Each is a bar for a sum: same +
# richer, update + correction, done + retraction. At the first two, 95 of 100 were right; at DONE_SURE 90, for no bar gives 95.
# They find few: no bar makes `same` alone certain.
SAME_SURE = 0.87
UPDATE_SURE = 0.82
DONE_SURE = 0.73

WIDTH = 128  # of the embedded embedder; vectors of another width mean something else and are left out
_AT_ONCE = 1024  # lines judged together: a bound for memory, without effect on the result
_HAND = 4096  # buckets for headings and for the parts of a pair: there are few examples of either
_KIND = 8192  # buckets for kinds

_ONE_NEGATED, _SWAPPED, _ORDER, _MET, _RARE = (
    pair_features.MEASURES.index(name)
    for name in ("one negated", "swapped words", "order", "less met", "rare of the shorter")
)

Embed = Callable[[Sequence[str]], Any]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a note without its bullet, and the headings and parents it stands under (`Heading > parent`)."""

    text: str
    context: str = ""
    lang: str = ""  # for those who know it; the judge itself does not look


@dataclass(frozen=True, slots=True)
class Judged:
    """Probability that the line is worth keeping, and of each kind."""

    keep: float
    kinds: Mapping[str, float]
    kind: str


@dataclass(frozen=True, slots=True)
class Related:
    """Probability of each relation of a new line to an old one, and how far the two speak of the same things."""

    relations: Mapping[str, float]
    relation: str
    met: float = (
        0.0  # how well the words of the one are met by words of the other, rare ones counting more; the worse side
    )
    rare: float = 0.0  # the share of the shorter line's rare words that both have


def judge_lines(lines: Sequence[Line], embed: Embed | None) -> list[Judged]:
    """One judgement a line, each from its own words and context alone. Without `embed` a little less certain."""
    weights = _weights()
    found: list[Judged] = []
    for start in range(0, len(lines), _AT_ONCE):
        part = lines[start : start + _AT_ONCE]
        keep, kinds = line_scores(line_inputs(part, embed), weights)
        found += [
            Judged(float(chance), row, max(row, key=row.__getitem__))
            for chance, row in zip(keep, _named(weights["kinds"], kinds), strict=True)
        ]
    return found


def judge_pairs(pairs: Sequence[tuple[str, str]], embed: Embed | None) -> list[Related]:
    """One judgement for each (old, new): the relations do not commute, so the order of the two matters."""
    weights = _weights()
    found: list[Related] = []
    for start in range(0, len(pairs), _AT_ONCE):
        inputs = pair_inputs(pairs[start : start + _AT_ONCE], embed, weights["rarity"])
        scores = certain(pair_scores(inputs, weights), inputs["shape"])
        found += [
            Related(row, max(row, key=row.__getitem__), float(shape[_MET]), float(shape[_RARE]))
            for row, shape in zip(_named(weights["relations"], scores), inputs["shape"], strict=True)
        ]
    return found


def trained_on() -> str:
    """The SHA-256 of the labelled files the weights were learnt from."""
    return str(_weights()["trained_on"])


def line_inputs(lines: Sequence[Line], embed: Embed | None) -> dict[str, Any]:
    """Everything the weights of lines look at."""
    texts, contexts = [line.text for line in lines], [line.context for line in lines]
    vectors = [_vectors(texts, embed), _vectors(contexts, embed)]
    return {
        "shape": np.array([shape(line.text, line.context) for line in lines], dtype=np.float32),
        "vector": np.concatenate(vectors, axis=1),
        "text": grams(texts),
        "context": _fewer(grams(contexts, salt=1), _HAND),
        "count": len(lines),
    }


def pair_inputs(pairs: Sequence[tuple[str, str]], embed: Embed | None, rarity: Any) -> dict[str, Any]:
    """Everything the weights of pairs look at."""
    pairs = [(trimmed(old), trimmed(new)) for old, new in pairs]
    old, new = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    before, after = _vectors(old, embed), _vectors(new, embed)
    like = (before * after).sum(1)
    kinship = Kinship([*old, *new], rarity, lambda words: _vectors(words, embed))
    apart = [changed(*pair) for pair in pairs]
    sides = (new, old, [added for added, _ in apart], [removed for _, removed in apart])
    return {
        "shape": np.array(
            [measures(*pair, float(near), kinship) for pair, near in zip(pairs, like, strict=True)], dtype=np.float32
        ),
        "vector": np.concatenate([np.abs(before - after), 4 * before * after], axis=1),
        "sides": [_fewer(grams(side, salt=2 + number), _HAND) for number, side in enumerate(sides)],
        "count": len(pairs),
    }  # fmt: skip


def line_scores(inputs: dict[str, Any], weights: Mapping[str, Any]) -> tuple[Any, Any]:
    """(probability of keeping, probabilities of kinds) for every line."""
    count = inputs["count"]
    plain = np.concatenate(
        [(inputs["shape"] - weights["line_mean"]) / weights["line_spread"], inputs["vector"]], axis=1
    )
    keep = plain @ weights["keep_plain"] + weights["keep_bias"]
    keep = keep + gathered(inputs["text"], weights["keep_text"], count)[:, 0]
    keep = keep + gathered(inputs["context"], weights["keep_context"], count)[:, 0]
    kinds = plain @ weights["kind_plain"] + weights["kind_bias"]
    kinds = softmax(kinds + gathered(_fewer(inputs["text"], _KIND), weights["kind_text"], count))
    by_kind = np.clip(kinds @ weights["kind_worth"], 1e-4, 1 - 1e-4)
    slope, second, level = weights["calibration"]
    return 1 / (1 + np.exp(-(slope * keep + second * np.log(by_kind / (1 - by_kind)) + level))), kinds


def pair_scores(inputs: dict[str, Any], weights: Mapping[str, Any]) -> Any:
    """Probabilities of relations for every pair: is it about one thing at all, and if so, what is the relation?

    The second question was learnt from pairs about one thing only, and has no answer for any other; most pairs are others.
    """
    about = about_scores(inputs, weights)[:, None]
    plain = np.concatenate(
        [(inputs["shape"] - weights["pair_mean"]) / weights["pair_spread"], inputs["vector"]], axis=1
    )
    scores = plain @ weights["pair_plain"] + weights["pair_bias"]
    for number, side in enumerate(inputs["sides"]):
        scores = scores + gathered(side, weights["pair_text"][number], inputs["count"])
    found = softmax(scores * weights["sharpness"]) * about
    found[:, RELATIONS.index("unrelated")] += 1 - about[:, 0]
    return found


def certain(scores: Any, shapes: Any) -> Any:
    """What needs no learning: a statement and its negation, or the same words turned around (who owes whom), are not the same."""
    scores = scores.copy()
    turned = (shapes[:, _SWAPPED] > 0) & (shapes[:, _ORDER] < 1)
    scores[(shapes[:, _ONE_NEGATED] > 0) | turned, RELATIONS.index("same")] = 0.0
    return scores / scores.sum(axis=1, keepdims=True)


def about_scores(inputs: dict[str, Any], weights: Mapping[str, Any]) -> Any:
    """Probability that the two lines of a pair are about one thing."""
    seen = about_inputs(inputs["shape"], weights["about_mean"], weights["about_spread"])
    return 1 / (1 + np.exp(-(seen @ weights["about_plain"] + weights["about_bias"])))


def about_inputs(shapes: Any, mean: Any, spread: Any) -> Any:
    """The measures of likeness on one scale; what is extreme in a pair must not decide alone."""
    return np.clip((shapes[:, :ABOUT] - mean) / spread, -5, 5)


def gathered(found: tuple[Any, Any, Any], table: Any, count: int) -> Any:
    """The sum of a table's rows over the n-grams of each text: (texts × columns)."""
    row, bucket, weight = found
    total = np.zeros((count, table.shape[1]), dtype=np.float32)
    if len(row):
        starts = np.flatnonzero(np.diff(row, prepend=-1))
        total[row[starts]] = np.add.reduceat(table[bucket] * weight[:, None], starts, axis=0)
    return total


def softmax(scores: Any) -> Any:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def _fewer(found: tuple[Any, Any, Any], buckets: int) -> tuple[Any, Any, Any]:
    return found[0], found[1] % buckets, found[2]


def _vectors(texts: Sequence[str], embed: Embed | None) -> Any:
    rows = np.zeros((len(texts), WIDTH), dtype=np.float32)
    if embed is not None and texts:
        given = np.asarray(embed(texts), dtype=np.float32)
        if given.shape == rows.shape:
            rows = given
    return rows


def _named(names: Sequence[str], rows: Any) -> list[Mapping[str, float]]:
    return [MappingProxyType(dict(zip(names, row, strict=True))) for row in rows.tolist()]


@cache
def _weights() -> Mapping[str, Any]:
    """The trained weights, unpacked once: small whole numbers times the size of a step."""
    with np.load(Path(str(resources.files("reverie.phases") / "data" / "judge.npz")), allow_pickle=False) as stored:
        if str(stored["version"]) != VERSION:
            raise ValueError(f"judge.npz was trained for features {stored['version']}, not {VERSION}; train it again.")
        found: dict[str, Any] = {name: stored[name] for name in stored.files}
    for name in ("keep_text", "keep_context", "kind_text", "pair_text"):
        found[name] = found[name].astype(np.float32) * found.pop(f"{name}_step")
    for name, value in found.items():
        if value.dtype == np.float16:
            found[name] = value.astype(np.float32)
    found |= {name: tuple(str(word) for word in found[name]) for name in ("kinds", "relations")}
    return MappingProxyType(found)
