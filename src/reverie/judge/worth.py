"""The learned judge: how likely a line is worth keeping, of what kind it is, and whether two lines are about the same thing.

Weights trained by `training/worth.py` on labelled lines that stay outside the project. It gives probabilities and decides
nothing. Two models look at a line: n-grams with the form of the line, and a small network over the embedded encoder's
tokens. It sees one line at a time: repetition, duplicates and what is certain by form are for others to find.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from reverie.judge.encoder import SENTENCE, WIDTH, Encoded, encode
from reverie.judge.features import MATCHES, VERSION, Side, bare, form, grams, matches
from reverie.judge.thresholds import THRESHOLDS

__all__ = ["DRAWERS", "THRESHOLDS", "Line", "Worth", "about_same", "trained_on", "worth_of"]

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
class Line:
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


def worth_of(lines: Sequence[Line], embed: Embed | None, *, quick: bool = False) -> list[Worth]:
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


def _judged(lines: Sequence[Line], *, network: bool, quick: bool) -> list[Worth]:
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


def _encoded(lines: Sequence[Line]) -> dict[str, Encoded]:
    texts = list(dict.fromkeys(bare(text) for line in lines for text in (line.text, line.under, *line.near)))
    return dict(zip(texts, encode(texts), strict=True))


def _nearest(text: str, line: Line, side: Callable[[str], Side], weights: Mapping[str, Any]) -> Any:
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
