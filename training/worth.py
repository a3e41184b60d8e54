"""Trains the judge of worth (`reverie.judge.worth`), and says how good it is on files and workspaces it has not seen.

    OPENBLAS_NUM_THREADS=1 python training/worth.py SCENES JUDGEMENT [WORKSPACES ...] [--members N] [--curve] [--only-report] [--unseen FILE]

SCENES and JUDGEMENT are folders of labelled lines, every further folder holds labelled workspaces. Writes
src/reverie/judge/worth.npz (weights, no text) with the hash of what it read, and thresholds.py. The same files on the same
kind of machine give the same bytes. Selection is honest: in each of four folds two files of scenes and one whole folder of
workspaces are judged by weights that have seen neither. The scenes of exam_scenes.txt are never read: models are examined
with them. `--curve` shows what a quarter and a half of the scenes and workspaces would give; `--unseen` stores what those
honest weights said of each line of a workspace, for whoever learns from the judge's answers on the same workspaces.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # sums in another order are other bits

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from descent import descend  # beside this file
from labelled import ALONE, FLAGS, MEMORY, NEUTRAL, SCENE, UNKNOWN, WORKSPACE, Row, read
from worth_report import print_about, print_drawers, print_flags, print_skipped, print_worth, threshold

from reverie.evidence.encoder import LEXICAL, SENTENCE, Encoded, encode
from reverie.judge.worth import (
    BUCKETS,
    HEADING_BUCKETS,
    HEADS,
    MATCHES,
    NETWORK,
    TERM_BUCKETS,
    VERSION,
    Side,
    about_scores,
    form,
    gathered,
    grams,
    log_odds,
    matches,
    plain_scores,
    scaled,
    softmax,
    term_bucket,
    terms,
)

OUT = Path(__file__).resolve().parents[1] / "src" / "reverie" / "judge"
FOLDS, NEAR = 4, 4  # parts for honest selection; memory lines of a workspace that a line is compared with
EPOCHS, BATCH, RATE, DECAY = 8, 64, 2e-3, 0.03
FACTORS, ROWS, UNDER, TOLD, INNER = (
    320,
    96,
    48,
    96,
    192,
)  # widths: factors of a token, its row, heading, sentence, hidden
TARGET = np.array([0.03, 0.15, 0.9, 0.97], dtype=np.float32)  # labels of one author are soft: keep 0, 1, 2, 3
WEIGHT = {SCENE: 1.5, ALONE: 0.8, WORKSPACE: 1.0, MEMORY: 0.3}
REPEATS = 0.3  # what only repeats memory is unwanted for another reason than its words: it counts less
_FEWEST = 3  # an n-gram seen in fewer lines is left out


class Lines:
    """All labelled lines with everything the weights look at."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows
        self.texts = sorted({text for row in rows for text in (row.text, row.under, *row.near)})
        place = {text: number for number, text in enumerate(self.texts)}
        encoded = encode(self.texts)
        middle = np.concatenate([one.tokens[:, :LEXICAL] for one in encoded[::7]]).mean(0)
        self.common = {"middle": middle, "term_rarity": term_rarity(self.texts)}
        told = np.stack([one.sentence for one in encoded])
        self.pairs = [pair for number, row in enumerate(rows) for pair in pairs_of(number, row, told, place)]
        self._compare(encoded, place)
        self.factor, self.factor_mean = factors(encoded)
        self.token = [((one.tokens - self.factor_mean) @ self.factor).astype(np.float32) for one in encoded]
        self.told_mean, self.told_spread = told.mean(0), told.std(0) + 1e-6
        self.told = (told - self.told_mean) / self.told_spread
        self.at = np.array([place[row.text] for row in rows])
        self.under = np.array([place[row.under] for row in rows])
        self._label()
        forms = np.array([form(row.text, row.under) for row in rows], dtype=np.float32)
        self.form_mean, self.form_spread = forms.mean(0), forms.std(0) + 1e-2
        self.form = scaled(forms, self.form_mean, self.form_spread)
        self.grams = grams([row.text for row in rows])
        self.heading_grams = grams([row.under for row in rows], salt=1)

    def _label(self) -> None:
        rows = self.rows
        self.keep = np.array([row.keep for row in rows])
        self.wanted, self.known = self.keep >= 2, self.keep != NEUTRAL
        self.source, self.lang = np.array([row.source for row in rows]), np.array([row.lang for row in rows])
        self.group, self.part = np.array([row.group for row in rows]), np.array([row.part for row in rows])
        self.repeats = np.array([row.repeats for row in rows])
        self.scene = self.source == SCENE
        self.judged = (self.scene | (self.source == WORKSPACE)) & self.known  # what the report is about
        self.fold = folds(self.group, self.source)
        self.kinds = sorted({row.kind for row in rows if row.kind})
        self.kind = np.array([self.kinds.index(row.kind) if row.kind else UNKNOWN for row in rows])
        self.flags = np.array([row.flags for row in rows])
        loud = np.array([WEIGHT[row.source] for row in rows])
        self.weight = (loud * np.where(self.repeats & ~self.wanted, REPEATS, 1.0)).astype(np.float32)

    def _compare(self, encoded: list[Encoded], place: dict[str, int]) -> None:
        sides: dict[str, Side] = {}

        def side(text: str) -> Side:
            if text not in sides:
                sides[text] = Side(text, encoded[place[text]], self.common)
            return sides[text]

        found = [matches(side(old), side(self.rows[row].text)) for row, old, _ in self.pairs]
        self.match = np.array(found, dtype=np.float32)
        self.pair_row = np.array([row for row, _, _ in self.pairs])
        self.related = np.array([related == 1 for _, _, related in self.pairs])
        self.pair_known = np.array([related != UNKNOWN for _, _, related in self.pairs])
        known = self.match[self.pair_known]
        self.match_mean, self.match_spread = known.mean(0), known.std(0) + 1e-2

    def met(self, about: dict[str, Any]) -> Any:
        """For each line its comparison with the nearest memory line."""
        found = np.zeros((len(self.rows), MATCHES), dtype=np.float32)
        chance = about_scores(self.match, self.scales() | about, "about")
        order = np.argsort(chance, kind="stable")  # the closest comes last and stays
        found[self.pair_row[order]] = scaled(self.match, self.match_mean, self.match_spread)[order]
        return found

    def scales(self) -> dict[str, Any]:
        return {"match_mean": self.match_mean, "match_spread": self.match_spread}

    def learnt(self, left_out: int, share: float = 1.0) -> Any:
        """The lines to learn from when a fold is left out, and only this share of the scenes and workspaces."""
        parts = sorted(set(self.part) - {""})
        drawn = dict(zip(parts, np.random.default_rng(3).random(len(parts)), strict=True)) | {"": -1.0}
        return np.flatnonzero(
            (self.fold != left_out) & self.known & (np.array([drawn[one] for one in self.part]) < share)
        )


def pairs_of(number: int, row: Row, told: Any, place: dict[str, int]) -> list[tuple[int, str, int]]:
    """(line, memory line, whether related): all of a scene, of a workspace the nearest, about which nobody said anything."""
    if row.related or not row.near:
        return [(number, old, int(related)) for old, related in zip(row.near, row.related, strict=True)]
    like = told[[place[old] for old in row.near]] @ told[place[row.text]]
    return [(number, row.near[at], UNKNOWN) for at in np.argsort(-like, kind="stable")[:NEAR]]


def folds(group: Any, source: Any) -> Any:
    """Which fold judges a line: files of scenes in turn, folders of workspaces in turn; -1 what is only learnt from."""
    found = np.full(len(group), -1)
    for kinds in ((SCENE, MEMORY), (WORKSPACE,)):
        inside = np.isin(source, kinds)
        for number, name in enumerate(sorted(set(group[inside]))):
            found[inside & (group == name)] = number % FOLDS
    return found


def term_rarity(texts: list[str]) -> Any:
    seen = np.zeros(TERM_BUCKETS)
    for text in texts:
        seen[list({term_bucket(term) for term in terms(text)})] += 1
    return np.log(len(texts) / np.maximum(seen, 1)).astype(np.float32)


def factors(encoded: list[Encoded]) -> tuple[Any, Any]:
    """A projection of tokens to their main factors, each about as loud as the others: a network learns from those sooner."""
    rows = np.concatenate([one.tokens for one in encoded[::4]]).astype(np.float64)
    mean = rows.mean(0)
    size, ways = np.linalg.eigh((rows - mean).T @ (rows - mean) / len(rows))
    size, ways = size[::-1][:FACTORS], ways[:, ::-1][:, :FACTORS]
    return (ways / np.sqrt(size + 0.05 * size.mean())).astype(np.float32), mean.astype(np.float32)


def train_plain(lines: Lines, part: Any) -> dict[str, Any]:
    """N-grams and form: worth, and the three flags; what stands in a memory has no say, its style would be learnt as worth."""
    part = part[lines.source[part] != MEMORY]
    found = [train_grams(lines, part, lines.wanted, 60)]
    for number in range(len(FLAGS)):
        told = part[lines.flags[part, number] != UNKNOWN]
        found.append(train_grams(lines, told, lines.flags[:, number] == 1, 30))
    return {name: np.stack([one[name] for one in found]).astype(np.float32) for name in found[0]}


def train_grams(lines: Lines, part: Any, wanted: Any, steps: int) -> dict[str, Any]:
    """Logistic regression over n-grams and form: sparse, so sums over the n-grams of each line instead of tables."""
    place = np.full(len(lines.rows), -1)
    place[part] = np.arange(len(part))

    def some(found: Any, buckets: int) -> tuple[Any, Any, Any, Any]:
        kept = place[found[0]] >= 0
        row, bucket, weight = place[found[0][kept]], found[1][kept] % buckets, found[2][kept]
        seen = np.bincount(bucket, minlength=buckets)
        loud = np.where(seen >= _FEWEST, (np.log(len(part) / np.maximum(seen, 1)) + 1) / 4, 0)
        return row, bucket, weight * loud[bucket], loud

    text, under, forms = some(lines.grams, BUCKETS), some(lines.heading_grams, HEADING_BUCKETS), lines.form[part] * 0.05
    under = (*under[:2], under[2] * 0.3, under[3] * 0.3)
    cuts = np.cumsum([forms.shape[1], BUCKETS, HEADING_BUCKETS])
    wanted, weight, count = wanted[part], lines.weight[part], len(part)

    def value(flat: Any) -> tuple[float, Any]:
        for_form, for_text, for_under, bias = np.split(flat, cuts)
        score = forms @ for_form + bias[0]
        for found, table in ((text, for_text), (under, for_under)):
            score = score + np.bincount(found[0], table[found[1]] * found[2], minlength=count)
        cost = (
            float((weight * np.logaddexp(0, np.where(wanted, -score, score))).sum()) + float(flat[:-1] @ flat[:-1]) / 4
        )
        error = weight * (1 / (1 + np.exp(-score)) - wanted)
        slopes = [
            np.bincount(found[1], error[found[0]] * found[2], minlength=size)
            for found, size in ((text, BUCKETS), (under, HEADING_BUCKETS))
        ]
        slope = np.concatenate([forms.T @ error, *slopes, [error.sum()]])
        slope[:-1] += flat[:-1] / 2
        return cost, slope

    for_form, for_text, for_under, bias = np.split(descend(value, np.zeros(cuts[-1] + 1), steps), cuts)
    return {"plain_form": for_form * 0.05, "plain_bias": bias[0], "plain_text": for_text * text[3], "plain_under": for_under * under[3]}  # fmt: skip


class Member:
    """One network of the ensemble, and its training by Adam with dropout; gradients by hand."""

    def __init__(self, lines: Lines, met: Any, seed: int) -> None:
        self.lines, self.random = lines, np.random.default_rng(seed)
        self.seen = np.concatenate([lines.form, met], axis=1)
        wide = HEADS * ROWS + ROWS + UNDER + TOLD + self.seen.shape[1]
        shapes = {"token": (FACTORS, ROWS, 0.5), "attend": (ROWS, HEADS, 0.1), "under": (SENTENCE, UNDER, 0.5), "sentence": (SENTENCE, TOLD, 0.5)}  # fmt: skip
        shapes |= {"hidden": (wide, INNER, 1.0), "out": (INNER, 1 + len(lines.kinds), 0.1)}
        draw = self.random.standard_normal
        self.w = {
            name: (draw((a, b)) * (loud / np.sqrt(a))).astype(np.float32) for name, (a, b, loud) in shapes.items()
        }
        self.w |= {
            f"{name}_bias": np.zeros(shapes[name][1], np.float32)
            for name in ("token", "under", "sentence", "hidden", "out")
        }
        self.w["hidden"][-self.seen.shape[1] :] *= 0.5
        self.moments = {name: (np.zeros_like(table), np.zeros_like(table)) for name, table in self.w.items()}

    def train(self, part: Any) -> Member:
        steps, done = EPOCHS * (len(part) // BATCH), 0
        for _ in range(EPOCHS):
            order = self.random.permutation(part)
            for start in range(0, len(part) - BATCH + 1, BATCH):
                slopes = self._slopes(order[start : start + BATCH])
                done += 1
                self._step(slopes, RATE * min(1.0, done / 100) * (1 - done / (steps + 1)), done)
        return self

    def _step(self, slopes: dict[str, Any], rate: float, done: int) -> None:
        for name, slope in slopes.items():
            mean, square = self.moments[name]
            mean += 0.1 * (slope - mean)
            square += 0.01 * (slope * slope - square)
            way = mean / (1 - 0.9**done) / (np.sqrt(square / (1 - 0.99**done)) + 1e-8)
            self.w[name] -= np.float32(rate) * (way + DECAY * self.w[name])

    def _drop(self, rows: Any, share: float) -> tuple[Any, Any]:
        mask = (self.random.random(rows.shape, dtype=np.float32) >= share) / np.float32(1 - share)
        return rows * mask, mask

    def _tokens(self, batch: Any, *, drop: bool) -> tuple[Any, Any]:
        found = [self.lines.token[at] for at in self.lines.at[batch]]
        if drop:  # one token in ten is not seen
            found = [rows[self.random.random(len(rows)) >= 0.1] if len(rows) > 4 else rows for rows in found]
            found = [
                rows if len(rows) else self.lines.token[at][:1]
                for rows, at in zip(found, self.lines.at[batch], strict=True)
            ]
        return np.concatenate(found), np.cumsum([0, *(len(rows) for rows in found[:-1])])

    def _slopes(self, batch: Any) -> dict[str, Any]:
        w, lines = self.w, self.lines
        tokens, starts = self._tokens(batch, drop=True)
        tokens, _ = self._drop(tokens, 0.2)
        under, _ = self._drop(lines.told[lines.under[batch]], 0.3)
        told, _ = self._drop(lines.told[lines.at[batch]], 0.3)
        seen = self.seen[batch].copy()
        seen[self.random.random(len(batch)) < 0.25, -MATCHES:] = 0.0  # the judge must also work without a memory
        rows = np.tanh(tokens @ w["token"] + w["token_bias"])
        parts, share = gathered(rows, w["attend"], starts)
        for_under, for_told = (
            np.tanh(under @ w["under"] + w["under_bias"]),
            np.tanh(told @ w["sentence"] + w["sentence_bias"]),
        )
        joined, mask = self._drop(np.concatenate([*parts, for_under, for_told, seen], axis=1), 0.3)
        inner = np.maximum(joined @ w["hidden"] + w["hidden_bias"], 0)
        thinned, inner_mask = self._drop(inner, 0.3)
        scores = thinned @ w["out"] + w["out_bias"]

        weight = lines.weight[batch][:, None] / len(batch)
        kinds = softmax(scores[:, 1:])
        kinds[np.arange(len(batch)), lines.kind[batch]] -= 1
        kinds[lines.kind[batch] == UNKNOWN] = 0.0
        keep = 1 / (1 + np.exp(-scores[:, :1])) - TARGET[lines.keep[batch]][:, None]
        error = np.concatenate([keep, 0.3 * kinds], axis=1) * weight
        slope = {"out": thinned.T @ error, "out_bias": error.sum(0)}
        back = error @ w["out"].T * inner_mask * (inner > 0)
        slope |= {"hidden": joined.T @ back, "hidden_bias": back.sum(0)}
        back = back @ w["hidden"].T * mask
        *heads, top, under_back, told_back, _ = np.split(back, np.cumsum([ROWS] * (HEADS + 1) + [UNDER, TOLD]), axis=1)
        under_back, told_back = under_back * (1 - for_under**2), told_back * (1 - for_told**2)
        slope |= {"under": under.T @ under_back, "under_bias": under_back.sum(0)}
        slope |= {"sentence": told.T @ told_back, "sentence_bias": told_back.sum(0)}

        counts = np.diff(starts, append=len(rows))
        rows_back = np.repeat(top, counts, axis=0) * (rows == np.repeat(parts[-1], counts, axis=0))
        share_back = np.empty_like(share)
        for head in range(HEADS):
            spread = np.repeat(heads[head], counts, axis=0)
            rows_back += share[:, [head]] * spread
            share_back[:, head] = (rows * spread).sum(1)
        score_back = share * (
            share_back - np.repeat(np.add.reduceat(share * share_back, starts, axis=0), counts, axis=0)
        )
        slope["attend"] = rows.T @ score_back
        rows_back = (rows_back + score_back @ w["attend"].T) * (1 - rows**2)
        return slope | {"token": tokens.T @ rows_back, "token_bias": rows_back.sum(0)}

    def scores(self, part: Any) -> tuple[Any, Any]:
        """(log odds of keeping, probabilities of kinds)."""
        found = []
        for start in range(0, len(part), 256):
            batch = part[start : start + 256]
            tokens, starts = self._tokens(batch, drop=False)
            parts, _ = gathered(np.tanh(tokens @ self.w["token"] + self.w["token_bias"]), self.w["attend"], starts)
            parts += [np.tanh(self.lines.told[self.lines.under[batch]] @ self.w["under"] + self.w["under_bias"])]
            parts += [
                np.tanh(self.lines.told[self.lines.at[batch]] @ self.w["sentence"] + self.w["sentence_bias"]),
                self.seen[batch],
            ]
            inner = np.maximum(np.concatenate(parts, axis=1) @ self.w["hidden"] + self.w["hidden_bias"], 0)
            found.append(inner @ self.w["out"] + self.w["out_bias"])
        scores = np.concatenate(found)
        return scores[:, 0], softmax(scores[:, 1:])

    def folded(self) -> dict[str, Any]:
        """The weights as the judge uses them: over the encoder's own numbers, without factors and scales."""
        w, lines = dict(self.w), self.lines
        for name in ("under", "sentence"):
            w[name] = self.w[name] / lines.told_spread[:, None]
            w[f"{name}_bias"] = self.w[f"{name}_bias"] - lines.told_mean @ w[name]
        w["token"] = lines.factor @ self.w["token"]
        w["token_bias"] = self.w["token_bias"] - lines.factor_mean @ w["token"]
        return w


def train_about(lines: Lines, part: Any, name: str) -> dict[str, Any]:
    """A small network over the matches of a pair, by full descent; `bare` does without what needs the encoder."""
    rows = scaled(lines.match, lines.match_mean, lines.match_spread)[part].astype(np.float64)
    if name == "bare":
        rows[:, :NETWORK] = 0.0
    wanted, wide, penalty = lines.related[part], 8, 20.0
    start = np.random.default_rng(5).standard_normal(MATCHES * wide + 2 * wide + 1) * 0.2
    cuts = np.cumsum([MATCHES * wide, wide, wide])

    def value(flat: Any) -> tuple[float, Any]:
        into, into_bias, out, bias = np.split(flat, cuts)
        inner = np.tanh(rows @ into.reshape(MATCHES, wide) + into_bias)
        score = inner @ out + bias[0]
        cost = float(np.logaddexp(0, np.where(wanted, -score, score)).sum()) + penalty * float(flat @ flat) / 2
        error = 1 / (1 + np.exp(-score)) - wanted
        back = error[:, None] * out * (1 - inner**2)
        return cost, np.concatenate(
            [(rows.T @ back).ravel(), back.sum(0), inner.T @ error, [error.sum()]]
        ) + penalty * flat

    into, into_bias, out, bias = np.split(descend(value, start, 100), cuts)
    found = {"in": into.reshape(MATCHES, wide), "in_bias": into_bias, "out": out, "out_bias": bias[0]}
    return {f"{name}_{key}": np.asarray(table, dtype=np.float32) for key, table in found.items()}


def mixed(columns: list[Any], wanted: Any) -> Any:
    """How much each score counts, so that the sum is the log odds."""
    table = np.stack([*columns, np.ones(len(wanted))], axis=1)

    def value(flat: Any) -> tuple[float, Any]:
        score = table @ flat
        cost = float(np.logaddexp(0, np.where(wanted, -score, score)).sum())
        return cost, table.T @ (1 / (1 + np.exp(-score)) - wanted)

    return descend(value, np.zeros(table.shape[1]), 100)


def unseen(lines: Lines, members: int, share: float = 1.0) -> dict[str, Any]:
    """Every line and pair of a scene or workspace judged by weights that have not seen its file or folder."""
    size = len(lines.rows)
    found = {
        "network": np.zeros(size),
        "plain": np.zeros((size, 1 + len(FLAGS))),
        "kinds": np.zeros((size, len(lines.kinds))),
    }
    found |= {name: np.zeros(len(lines.pairs)) for name in ("about", "bare")}
    pair_fold = lines.fold[lines.pair_row]
    for fold in range(FOLDS):
        part, out = lines.learnt(fold, share), np.flatnonzero(lines.fold == fold)
        pairs, pairs_out = np.flatnonzero((pair_fold != fold) & lines.pair_known), np.flatnonzero(pair_fold == fold)
        about = train_about(lines, pairs, "about") | train_about(lines, pairs, "bare")
        for name in ("about", "bare"):
            found[name][pairs_out] = about_scores(lines.match, lines.scales() | about, name)[pairs_out]
        weights = train_plain(lines, part)
        found["plain"][out] = plain_scores(lines.form, lines.grams, lines.heading_grams, weights)[out]
        met = lines.met(about)
        for seed in range(members):
            keep, kinds = Member(lines, met, seed).train(part).scores(out)
            found["network"][out] += keep / members
            found["kinds"][out] += kinds / members
        print(
            f"left out fold {fold}: {', '.join(sorted(set(lines.group[out])))}; {time.process_time():.0f} s", flush=True
        )
    return found


class Mix:
    """The two models as one probability for each output, with and without the network."""

    def __init__(self, lines: Lines, found: dict[str, Any]) -> None:
        kinds = [found["network"], *(log_odds(found["kinds"][:, lines.kinds.index(kind)]) for kind in FLAGS.values())]
        wanted = [lines.wanted, *(lines.flags[:, number] == 1 for number in range(len(FLAGS)))]
        told = [lines.judged, *(lines.judged & (lines.flags[:, number] != UNKNOWN) for number in range(len(FLAGS)))]
        self.whole, self.bare, self.chances, self.bare_chances = [], [], [], []
        for number, (network, good, inside) in enumerate(zip(kinds, wanted, told, strict=True)):
            plain = found["plain"][:, number]
            whole, bare = mixed([network[inside], plain[inside]], good[inside]), mixed([plain[inside]], good[inside])
            self.whole.append(whole)
            self.bare.append(bare)
            self.chances.append(1 / (1 + np.exp(-(whole[0] * network + whole[1] * plain + whole[2]))))
            self.bare_chances.append(1 / (1 + np.exp(-(bare[0] * plain + bare[1]))))

    def tables(self) -> dict[str, Any]:
        return {"mix": np.array(self.whole, dtype=np.float32), "mix_bare": np.array(self.bare, dtype=np.float32)}


def whole(lines: Lines, count: int) -> dict[str, Any]:
    """The weights that are shipped: everything that was read."""
    part, pairs = lines.learnt(FOLDS), np.flatnonzero(lines.pair_known)
    about = train_about(lines, pairs, "about") | train_about(lines, pairs, "bare")
    met = lines.met(about)
    members = [Member(lines, met, seed).train(part).folded() for seed in range(count)]
    found = train_plain(lines, part) | about | lines.scales() | lines.common
    found |= {"form_mean": lines.form_mean, "form_spread": lines.form_spread}
    found |= {f"member_{name}": np.stack([one[name] for one in members]).astype(np.float16) for name in members[0]}
    for name, kept in (("kinds_kept", lines.wanted), ("kinds_passing", ~lines.wanted)):
        inside = part[kept[part] & (lines.kind[part] != UNKNOWN)]
        found[name] = np.bincount(lines.kind[inside], minlength=len(lines.kinds)) / len(inside)
    for name in ("plain_text", "plain_under"):
        step = np.abs(found[name]).max(axis=1, keepdims=True) / 127
        found[name], found[f"{name}_step"] = np.round(found[name] / step).astype(np.int8), step.astype(np.float32)
    return found | {"version": np.int64(VERSION), "kinds": np.array(lines.kinds)}


def levels(lines: Lines, mix: Mix, found: dict[str, Any]) -> dict[str, float]:
    """The bars at which the promised share is right, each on scenes, on the logs of agents and on every folder of workspaces.

    What only repeats memory is left out: others find it. `access` finds 97 secrets of 100.
    """
    keep, news, spaces = mix.chances[0], lines.judged & ~lines.repeats, lines.judged & ~lines.scene
    bars = {}
    for name, share, at_home in (("sure", 0.9, 0.92), ("recalled", 0.8, 0.8), ("likely", 0.6, 0.55)):
        parts = [(news & lines.scene, share), (news & np.char.startswith(lines.group, "agent"), share)]
        parts += [(spaces & (lines.group == one), at_home) for one in sorted(set(lines.group[spaces]))]
        bars[name] = max(threshold(keep[part], lines.wanted[part], right) for part, right in parts)
    secrets = np.sort(mix.chances[1][lines.judged & (lines.flags[:, 0] == 1)])
    bars["access"] = float(np.floor(secrets[int(0.03 * len(secrets))] * 1000) / 1000)
    known = lines.pair_known
    bars["about"] = threshold(found["about"][known], lines.related[known], 0.5)
    for number, name in ((2, "machine"), (3, "order")):
        told = lines.judged & (lines.flags[:, number - 1] != UNKNOWN)
        bars[name] = threshold(mix.chances[number][told], lines.flags[told, number - 1] == 1, 0.8)
    return bars


def skipped_below(lines: Lines, mix: Mix, found: dict[str, Any], likely: float) -> float:
    """The score of n-grams and form below which no wanted line was likely: such lines need no network."""
    good = lines.judged & lines.wanted & (mix.chances[0] >= likely)
    return float(np.floor(found["plain"][good, 0].min() * 100) / 100)


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("scenes", type=Path)
    asked.add_argument("judgement", type=Path)
    asked.add_argument("workspaces", type=Path, nargs="*")
    asked.add_argument("--members", type=int, default=3)
    asked.add_argument("--curve", action="store_true")
    asked.add_argument("--only-report", action="store_true")
    asked.add_argument(
        "--unseen", type=Path, help="writes what was said of the lines of workspaces by weights that had not seen them"
    )
    given = asked.parse_args()
    rows, trained_on = read(given.scenes, given.judgement, given.workspaces)
    lines = Lines(rows)
    print(f"{len(lines.rows):,} lines, {len(lines.pairs):,} pairs; {time.process_time():.0f} s", flush=True)
    for share in (0.25, 0.5) if given.curve else ():
        part = unseen(lines, 1, share)
        print_worth(lines, Mix(lines, part).chances[0], {}, f"learnt from {share:.0%} of the scenes and workspaces")
    found = unseen(lines, 1)  # one member: the ensemble is a little better than this
    mix = Mix(lines, found)
    if given.unseen:
        spaces = [number for number, row in enumerate(rows) if row.source == WORKSPACE]
        told = [
            [rows[at].part, rows[at].under, rows[at].text, *(round(float(one[at]), 4) for one in mix.chances)]
            for at in spaces
        ]
        given.unseen.write_text(json.dumps(told, ensure_ascii=False), "utf-8")
    bars = levels(lines, mix, found)
    skip = skipped_below(lines, mix, found, bars["likely"])
    print_worth(lines, mix.chances[0], bars, "n-grams, form and network")
    print_worth(lines, mix.bare_chances[0], bars, "without the network")
    print_skipped(lines, mix.chances[0], found["plain"][:, 0] < skip, bars)
    print_flags(lines, mix.chances[1:], tuple(FLAGS), bars)
    print_drawers(lines, found["kinds"])
    print_about(lines, found["about"], "with the network")
    print_about(lines, found["bare"], "without the network")
    print(f"\nmix {np.round(mix.whole, 2).tolist()}, without the network {np.round(mix.bare, 2).tolist()}; skipped below {skip}; thresholds {bars}", flush=True)  # fmt: skip
    if given.only_report:
        return
    stored = whole(lines, given.members) | mix.tables()
    np.savez_compressed(OUT / "worth.npz", **stored, skip=np.float32(skip), trained_on=np.array(trained_on))
    told = (
        '"""Made by `training/worth.py`, with the weights: where probabilities of the learned judge become levels."""'
    )
    rows_of = "".join(f'    "{name}": {bar},\n' for name, bar in bars.items())
    (OUT / "thresholds.py").write_text(f"{told}\n\nTHRESHOLDS = {{\n{rows_of}}}\n", "utf-8", newline="\n")


if __name__ == "__main__":
    main()
