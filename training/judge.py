"""Trains the judge of lines and pairs, and says how good it is on subjects it has not seen.

    python training/judge.py PATH/TO/judgement [--pairs]

With `--pairs` the weights of lines stay, bit for bit, as they are; only those of pairs are trained.
Reads the labelled lines and pairs, writes src/reverie/phases/data/judge.npz (weights, no text) with the hash of what it
read. Everything is fixed: the same files give the same weights. Validation is by subject, never by line, because lines of one
subject stand near their decoy twins.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from descent import descend  # beside this file
from reports import print_lines, print_pairs, print_wild, threshold  # beside this file
from wild import others_of_a_frame, wild_pairs
from wild import rarity as rarities

from reverie.evidence.static import StaticEmbedder
from reverie.phases import judge
from reverie.phases.features import BUCKETS
from reverie.phases.judge import (
    _HAND,
    _KIND,
    KEPT,
    PASSING,
    RELATIONS,
    Line,
    about_inputs,
    line_inputs,
    line_scores,
    pair_inputs,
    pair_scores,
    softmax,
)

OUT = Path(__file__).resolve().parents[1] / "src" / "reverie" / "phases" / "data" / "judge.npz"
FOLDS = 5
KINDS = (*KEPT, *PASSING)
# How loudly each group of features may speak before the penalty, chosen by validation on the labelled lines only.
SHAPE, VECTOR, TEXT, CONTEXT = 0.06, 0.4, 1.5, 0.3
PAIR_SHAPE, PAIR_VECTOR, PAIR_TEXT = 0.1, 0.5, (1.0, 1.0, 0.7, 0.7)
_FEWEST = 3  # an n-gram seen in fewer lines is left out


def read(folder: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]], str]:
    """Labelled lines, labelled pairs, and the hash of their files."""
    rows, digest = [], hashlib.sha256()
    for file in sorted(folder.glob("*.jsonl")):
        if file.stem == "dates":
            continue
        digest.update(file.read_bytes())
        found = [json.loads(line) for line in file.read_text("utf-8").split("\n") if line.strip()]
        rows += [{**row, "file": file.stem, "place": place} for place, row in enumerate(found)]
    return [row for row in rows if "keep" in row], [row for row in rows if "relation" in row], digest.hexdigest()


_ONE = re.compile(  # a value, not a name: behind a verb or a colon, or before a unit
    r"(?:(?<=\bis )|(?<=\bat )|(?<=\bto )|(?<=costs )|(?<=kostet )|(?<=beträgt )|(?<=\bes )|(?<=cuesta )|(?<=\best )|(?<=custa )"
    r"|(?<=стоит )|(?<=[:：] )|(?<=[是为到：]))\d+(?![\w-]|[.,:]\d)"
    r"|(?<![\w#.,:-])\d+(?= ?(?:%|€|\$|£|kg|km|ms|min|GB|MB|Euro|euros?|元|块|分钟|小时|天|人|円|원|руб|дн)(?!\w))"
)
_NEGATIONS = (
    (" is ", " is not "), (" are ", " are not "), (" ist ", " ist nicht "), (" está ", " no está "), (" est ", " n'est pas "), ("可以", "不可以"),
    ("在", "不在"), ("是", "不是"), ("работает", "не работает"), (" can ", " cannot "), (" wants ", " does not want "), ("要", "不要"),
    (" darf ", " darf nicht "), (" é ", " não é "), (" has ", " has no "), ("有", "没有"), (" eats ", " does not eat "),
)  # fmt: skip


def made_pairs(pairs: list[dict[str, Any]], lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Plain pairs that the labelled ones lack: the same line again, one value replaced, one line negated.

    Among the labelled pairs only those that coexist are worded alike, so a judge trained on them alone would take
    "the code is 4410" and "the code is 7725" for two facts.
    """
    made = []
    for number, row in enumerate(pairs):
        old = row["old"].rstrip(".。")
        again = (old, f"**{old}**", old.lower(), old + "!")[number % 4]
        made += [{**row, "new": again, "relation": "same"}] if number % 8 < 4 else []
        for plain, negated in _NEGATIONS:
            if plain in old and not any(word in old for word in ("not", "不", "nicht", "没")):
                made.append({**row, "new": old.replace(plain, negated, 1), "relation": "retraction"})
                break
    for row in [*({**row, "text": row["old"]} for row in pairs), *lines]:
        if (
            row.get("keep", 2) >= 2
            and len(re.findall(r"\d+", row["text"])) == 1
            and (value := _ONE.search(row["text"]))
        ):
            new = str(int(value[0]) + max(1, int(value[0]) // 4)) if len(value[0]) < 12 else ""
            text = row["text"][: value.start()] + new + row["text"][value.end() :]
            if new and not re.fullmatch(r"(?:19|20)\d\d", value[0]):
                made.append({**row, "old": row["text"], "new": text, "relation": "update"})
    return made


def folds(names: list[str]) -> Any:
    """Which fold a subject belongs to: by its name, so that it never moves."""
    return np.array([int(hashlib.sha256(name.encode()).hexdigest(), 16) % FOLDS for name in names])


def dense(found: tuple[Any, Any, Any], count: int, buckets: int) -> Any:
    table = np.zeros((count, buckets), dtype=np.float32)
    np.add.at(table, (found[0], found[1] % buckets), found[2])
    return table


def rarity(table: Any) -> Any:
    """Rare n-grams may speak louder; those that hardly occur say nothing."""
    seen = (table > 0).sum(0)
    return np.where(seen >= _FEWEST, (np.log(len(table) / np.maximum(seen, 1)) + 1) / 4, 0).astype(np.float32)


def fit(table: Any, labels: Any, columns: int, weight: Any, strength: float, steps: int = 60) -> tuple[Any, Any]:
    """Multinomial (or, with one column, binary) logistic regression with a squared penalty: (weights, bias)."""
    width = table.shape[1]
    wanted = labels[:, None].astype(np.float32) if columns == 1 else np.eye(columns, dtype=np.float32)[labels]

    def value(flat: Any) -> tuple[float, Any]:
        matrix = flat.reshape(width + 1, columns)
        scores = table @ matrix[:-1] + matrix[-1]
        chance = 1 / (1 + np.exp(-scores)) if columns == 1 else softmax(scores)
        right = (
            chance * wanted + (1 - chance) * (1 - wanted) if columns == 1 else (chance * wanted).sum(1, keepdims=True)
        )
        cost = -float((weight[:, None] * np.log(np.maximum(right, 1e-12))).sum(dtype=np.float64))
        error = weight[:, None] * (chance - wanted)
        slope = np.concatenate([table.T @ error + matrix[:-1] / strength, error.sum(0, keepdims=True)])
        return cost + float((matrix[:-1] ** 2).sum(dtype=np.float64)) / (2 * strength), slope.ravel()

    found = descend(value, np.zeros((width + 1) * columns, dtype=np.float32), steps).reshape(width + 1, columns)
    return found[:-1], found[-1]


class Lines:
    """The labelled lines as tables, and the training of their weights on any part of them."""

    def __init__(self, rows: list[dict[str, Any]], embed: judge.Embed) -> None:
        self.rows = rows
        self.keep = np.array([row["keep"] >= 2 for row in rows])
        self.kind = np.array([KINDS.index(row["kind"]) for row in rows])
        self.fold = folds([f"{row['file']}/{row['domain']}" for row in rows])
        self.inputs = line_inputs([Line(row["text"], row["context"]) for row in rows], embed)
        count = len(rows)
        spread = self.inputs["shape"].std(0) + 1e-3
        self.mean, self.spread = self.inputs["shape"].mean(0), spread / SHAPE
        plain = np.concatenate(
            [(self.inputs["shape"] - self.mean) / self.spread, self.inputs["vector"] * VECTOR], axis=1
        )
        text, context = dense(self.inputs["text"], count, BUCKETS), dense(self.inputs["context"], count, _HAND)
        rare = rarity(text) * TEXT
        used = np.flatnonzero(rare)
        self.used, self.rare = used, rare[used]
        self.keep_table = np.concatenate([plain, context * CONTEXT, text[:, used] * self.rare], axis=1)
        del text
        few = dense(self.inputs["text"], count, _KIND)
        self.kind_rare = rarity(few) * TEXT
        self.kind_table = np.concatenate([plain, few * self.kind_rare], axis=1)

    def train(self, part: Any) -> dict[str, Any]:
        """All weights but the calibration, from the rows of `part`."""
        shapes, plain = self.inputs["shape"].shape[1], self.inputs["shape"].shape[1] + 2 * judge.WIDTH
        loud = np.ones(plain, dtype=np.float32)
        loud[shapes:] = VECTOR
        one = np.ones(len(part), dtype=np.float32)
        keep, keep_bias = fit(self.keep_table[part], self.keep[part], 1, one, 6.0)
        kind, kind_bias = fit(self.kind_table[part], self.kind[part], len(KINDS), one, 3.0)
        text = np.zeros((BUCKETS, 1), dtype=np.float32)
        text[self.used, 0] = keep[plain + _HAND :, 0] * self.rare
        worth = [
            (self.keep[part][self.kind[part] == k].sum() + 1) / ((self.kind[part] == k).sum() + 2)
            for k in range(len(KINDS))
        ]
        return {
            "line_mean": self.mean, "line_spread": self.spread, "keep_plain": keep[:plain, 0] * loud, "keep_bias": keep_bias[0],
            "keep_context": keep[plain : plain + _HAND] * CONTEXT, "keep_text": text, "kind_plain": kind[:plain] * loud[:, None],
            "kind_bias": kind_bias, "kind_text": kind[plain:] * self.kind_rare[:, None], "kind_worth": np.array(worth, dtype=np.float32),
            "calibration": np.array([0.5, 0.5, 0.0], dtype=np.float32),
        }  # fmt: skip

    def part(self, which: Any) -> dict[str, Any]:
        return line_inputs_of(self.inputs, which)


def line_inputs_of(inputs: dict[str, Any], which: Any) -> dict[str, Any]:
    """The inputs of some rows only, renumbered."""
    place = np.full(inputs["count"], -1)
    place[which] = np.arange(len(which))

    def some(found: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        kept = place[found[0]] >= 0
        return place[found[0][kept]], found[1][kept], found[2][kept]

    less = {name: inputs[name][which] for name in ("shape", "vector")} | {"count": len(which)}
    less |= {name: some(inputs[name]) for name in ("text", "context") if name in inputs}
    return less | ({"sides": [some(side) for side in inputs["sides"]]} if "sides" in inputs else {})


class Pairs:
    """The labelled pairs as one table, the wild ones beside it, and the training of weights on any part of them."""

    def __init__(
        self,
        labelled: list[dict[str, Any]],
        made: list[dict[str, Any]],
        embed: judge.Embed,
        lines: Sequence[dict[str, Any]] = (),  # strangers to pair with, besides the sides of other labelled pairs
    ) -> None:
        self.rows = rows = [*labelled, *made]
        self.real = np.arange(len(rows)) < len(labelled)
        self.relation = np.array([RELATIONS.index(row["relation"]) for row in rows])
        self.fold = folds([f"{row['file']}/{row['place'] // 12}" for row in rows])  # twins stand next to each other
        texts = [*(row["text"] for row in lines), *(row[side] for row in labelled for side in ("old", "new"))]
        self.rarity = rarities(texts).astype(np.float16).astype(np.float32)
        self.inputs = pair_inputs([(row["old"], row["new"]) for row in rows], embed, self.rarity)
        by_line = folds([f"{row['file']}/{row['domain']}" for row in lines])
        self.wild = wild_pairs(labelled, lines, (self.fold[self.real], by_line), embed)
        self.wild_fold = np.array([row["fold"] for row in self.wild])
        self.wild_near = np.array([row["near"] for row in self.wild])
        self.wild_inputs = pair_inputs([(row["old"], row["new"]) for row in self.wild], embed, self.rarity)
        self.mean, self.spread = self.inputs["shape"].mean(0), (self.inputs["shape"].std(0) + 1e-3) / PAIR_SHAPE
        sides = [
            dense(side, len(rows), _HAND) * loud for side, loud in zip(self.inputs["sides"], PAIR_TEXT, strict=True)
        ]
        plain = [(self.inputs["shape"] - self.mean) / self.spread, self.inputs["vector"] * PAIR_VECTOR]
        self.table = np.concatenate([*plain, *sides], axis=1)

    def about(self, part: Any, wild: Any) -> dict[str, Any]:
        """Weights that tell pairs about one thing from strangers."""
        related = self.relation[part] != RELATIONS.index("unrelated")
        known = self.inputs["shape"][part][:, : judge.ABOUT]
        mean, spread = known.mean(0), known.std(0) + 1e-2
        table = about_inputs(np.concatenate([known, self.wild_inputs["shape"][wild][:, : judge.ABOUT]]), mean, spread)
        weight = [np.where(self.real[part], 1.0, 0.1), np.where(self.wild_near[wild], 0.5, 1.0)]
        label = np.concatenate([related, np.zeros(len(wild), dtype=bool)])
        found, bias = fit(table, label, 1, np.concatenate(weight).astype(np.float32), 0.2, 200)
        return {"about_mean": mean, "about_spread": spread, "about_plain": found[:, 0], "about_bias": bias[0]}

    def train(self, part: Any, wild: Any) -> dict[str, Any]:
        """All weights but the sharpness, from the rows of `part` and the wild pairs of `wild`."""
        shapes = self.inputs["shape"].shape[1]
        plain = shapes + 2 * judge.WIDTH
        weight = np.where(self.real[part], 1.0, 0.3).astype(np.float32)
        found, bias = fit(self.table[part], self.relation[part], len(RELATIONS), weight, 5.0)
        found[shapes:plain] *= PAIR_VECTOR
        text = found[plain:].reshape(len(PAIR_TEXT), _HAND, -1) * np.array(PAIR_TEXT, dtype=np.float32)[:, None, None]
        return {
            "pair_mean": self.mean, "pair_spread": self.spread, "pair_plain": found[:plain], "pair_bias": bias, "pair_text": text,
            "sharpness": np.float32(1.0), "rarity": self.rarity, **self.about(part, wild),
        }  # fmt: skip


def unseen_lines(lines: Lines) -> tuple[Any, Any, Any]:
    """(keep, kinds, calibration) with every line judged by weights that have not seen its subject."""
    keep, kinds = np.zeros(len(lines.rows)), np.zeros((len(lines.rows), len(KINDS)))
    signs = np.zeros((len(lines.rows), 2), dtype=np.float32)
    for fold in range(FOLDS):
        out = np.flatnonzero(lines.fold == fold)
        weights = lines.train(np.flatnonzero(lines.fold != fold))
        for column, mix in enumerate(([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])):
            chance, kinds[out] = line_scores(
                lines.part(out), weights | {"calibration": np.array(mix, dtype=np.float32)}
            )
            signs[out, column] = np.log(np.clip(chance, 1e-6, 1) / np.clip(1 - chance, 1e-6, 1))
    for fold in range(FOLDS):  # the calibration, too, is tried on what it has not seen
        slope, level = fit(
            signs[lines.fold != fold],
            lines.keep[lines.fold != fold],
            1,
            np.ones((lines.fold != fold).sum(), dtype=np.float32),
            1e3,
        )
        keep[lines.fold == fold] = 1 / (1 + np.exp(-(signs[lines.fold == fold] @ slope + level)))[:, 0]
    slope, level = fit(signs, lines.keep, 1, np.ones(len(signs), dtype=np.float32), 1e3)
    return keep, kinds, np.array([slope[0, 0], slope[1, 0], level[0]], dtype=np.float32)


def unseen_pairs(pairs: Pairs) -> tuple[Any, Any, float, Any]:
    """(relations of labelled pairs, of wild pairs, sharpness, relations given that a pair is about one thing).

    Each is judged by weights that have not seen its fold.
    """
    fold, count = pairs.fold, int(pairs.real.sum())
    scores, wild = np.zeros((count, len(RELATIONS))), np.zeros((len(pairs.wild), len(RELATIONS)))
    about, trained = np.zeros(count), []
    for number in range(FOLDS):
        weights = pairs.train(np.flatnonzero(fold != number), np.flatnonzero(pairs.wild_fold != number))
        trained.append(weights)
        out = np.flatnonzero((fold == number) & pairs.real)
        inputs = line_inputs_of(pairs.inputs, out)
        about[out] = judge.about_scores(inputs, weights)
        scores[out] = pair_scores(inputs, weights | {"about_bias": 99.0})  # the relation, given that there is one
    logs, relation = np.log(np.maximum(scores, 1e-9)), pairs.relation[pairs.real]
    sharp = min(
        np.arange(0.6, 2.5, 0.05), key=lambda s: -np.log(softmax(logs * s)[np.arange(len(logs)), relation]).mean()
    )
    for number, weights in enumerate(trained):
        out = np.flatnonzero(pairs.wild_fold == number)
        wild[out] = pair_scores(line_inputs_of(pairs.wild_inputs, out), weights | {"sharpness": sharp})
        wild[out] = judge.certain(wild[out], pairs.wild_inputs["shape"][out])
    given = softmax(logs * sharp)
    found = given * about[:, None]
    found[:, RELATIONS.index("unrelated")] += 1 - about
    return judge.certain(found, pairs.inputs["shape"][pairs.real]), wild, float(sharp), given


def bars(lines: Lines, keep: Any) -> tuple[float, float]:
    """SURE and LIKELY: right in 95 and 85 of 100 cases in English, in Chinese and in the other languages, each by itself."""
    langs = np.array([row["lang"] for row in lines.rows])
    groups = (langs == "en", np.isin(langs, ("zh", "zh-en")), ~np.isin(langs, ("en", "zh", "zh-en")))
    sure, likely = (max(threshold(keep[g], lines.keep[g], share) for g in groups) for share in (0.95, 0.85))
    return sure, likely


def packed(weights: dict[str, Any]) -> dict[str, Any]:
    """Tables as whole numbers from -127 to 127 and the size of a step; the rest in half precision."""
    small: dict[str, Any] = {}
    for name, value in weights.items():
        if name in ("keep_text", "keep_context", "kind_text", "pair_text"):
            step = np.maximum(np.abs(value).max(axis=-2, keepdims=True), 1e-6) / 127
            small |= {name: np.round(value / step).astype(np.int8), f"{name}_step": step.astype(np.float32)}
        else:
            half = name.endswith("_plain") or name == "rarity"
            small[name] = np.asarray(value, dtype=np.float16 if half else np.float32)
    return small


def main() -> None:
    rows, related, digest = read(Path(sys.argv[1]))
    embed = StaticEmbedder(Path.home() / ".cache" / "reverie").embed
    weights = kept() if "--pairs" in sys.argv else line_weights(Lines(rows, embed))
    pairs = Pairs(related, [*made_pairs(related, rows), *others_of_a_frame(related)], embed, rows)
    relations, wild, sharp, given = unseen_pairs(pairs)
    print_pairs(pairs.relation[pairs.real], given, RELATIONS)
    print_wild(related, relations, pairs.wild, wild, RELATIONS)
    found = pairs.train(np.arange(len(pairs.rows)), np.arange(len(pairs.wild))) | {"sharpness": np.float32(sharp)}
    np.savez_compressed(
        OUT, **weights | packed(found)
        | {"version": np.array(judge.VERSION), "trained_on": np.array(digest), "kinds": np.array(KINDS), "relations": np.array(RELATIONS)},
    )  # fmt: skip
    print(f"{len(rows):,} lines, {len(related):,} pairs ({digest[:12]}) → {OUT.name}, {OUT.stat().st_size // 1024} KB")


def line_weights(lines: Lines) -> dict[str, Any]:
    """The weights of lines, ready to be stored; prints what they are worth."""
    keep, kinds, calibration = unseen_lines(lines)
    sure, likely = bars(lines, keep)
    print_lines(lines.rows, keep, kinds, KINDS, (sure, likely))
    print(f"SURE = {sure:.2f}, LIKELY = {likely:.2f}")
    weights = lines.train(np.arange(len(lines.rows)))
    return packed(weights | {"calibration": calibration, "thresholds": np.array([sure, likely])})


def kept() -> dict[str, Any]:
    """The stored weights of lines, untouched."""
    with np.load(OUT, allow_pickle=False) as stored:
        names = [
            name for name in stored.files if name.startswith(("line_", "keep_", "kind_", "calibration", "thresholds"))
        ]
        return {name: stored[name] for name in names}


if __name__ == "__main__":
    main()
