"""Trains the judge of worth (`reverie.judge.worth`), and says how good it is on files it has not seen.

    OPENBLAS_NUM_THREADS=1 python training/worth.py PATH/TO/scenes PATH/TO/judgement [--quick]

Writes src/reverie/judge/worth.npz (weights, no text) with the hash of what it read, and thresholds.py. The same files on
the same kind of machine give the same bytes. Selection is honest: every scene is judged by weights that have not seen its
file. The scenes of exam_scenes.txt are kept out of the weights for good: models are examined with them. `--quick`
trains one member and writes nothing.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # sums in another order are other bits

import argparse
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from descent import descend  # beside this file
from worth_report import print_about, print_kinds, print_worth, threshold

from reverie.judge.encoder import LEXICAL, SENTENCE, Encoded, encode
from reverie.judge.features import (
    BUCKETS,
    MATCHES,
    NETWORK,
    TERM_BUCKETS,
    VERSION,
    Side,
    bare,
    form,
    grams,
    matches,
    term_bucket,
    terms,
)
from reverie.judge.worth import HEADING_BUCKETS, HEADS, about_scores, gathered, plain_scores, scaled, softmax

OUT = Path(__file__).resolve().parents[1] / "src" / "reverie" / "judge"
MEMBERS, EPOCHS, BATCH, RATE, DECAY = 3, 8, 64, 2e-3, 0.03
FACTORS, ROWS, UNDER, TOLD, INNER = (
    320,
    64,
    48,
    64,
    96,
)  # widths: factors of a token, its row, heading, sentence, hidden
TARGET = np.array([0.03, 0.15, 0.9, 0.97], dtype=np.float32)  # labels of one author are soft: keep 0, 1, 2, 3
SCENE, ALONE = 1.5, 0.8  # weight of a line of a scene, and of a line of judgement
_FEWEST = 3  # an n-gram seen in fewer lines is left out


class Lines:
    """All labelled lines with everything the weights look at."""

    def __init__(self, scenes: Path, judgement: Path) -> None:
        self.rows, self.pairs, self.trained_on = read(scenes, judgement)
        self.texts = sorted(
            {row[key] for row in self.rows for key in ("text", "under")} | {t for p in self.pairs for t in p["pair"]}
        )
        place = {text: number for number, text in enumerate(self.texts)}
        encoded = encode(self.texts)
        middle = np.concatenate([one.tokens[:, :LEXICAL] for one in encoded[::7]]).mean(0)
        self.common = {"middle": middle, "term_rarity": term_rarity(self.texts)}
        self._compare(encoded, place)
        self.factor, self.factor_mean = factors(encoded)
        self.token = [((one.tokens - self.factor_mean) @ self.factor).astype(np.float32) for one in encoded]
        told = np.stack([one.sentence for one in encoded])
        self.told_mean, self.told_spread = told.mean(0), told.std(0) + 1e-6
        self.told = (told - self.told_mean) / self.told_spread
        self.at = np.array([place[row["text"]] for row in self.rows])
        self.under = np.array([place[row["under"]] for row in self.rows])
        self.keep = np.array([row["keep"] for row in self.rows])
        self.wanted = self.keep >= 2
        self.file = np.array([row["file"] for row in self.rows])
        self.exam = np.array([row["exam"] for row in self.rows])
        self.same = np.array([row["does"] == "same" for row in self.rows])
        self.scene = np.array([bool(row["scene"]) for row in self.rows])
        self.kinds = sorted({row["kind"] for row in self.rows})
        self.kind = np.array([self.kinds.index(row["kind"]) for row in self.rows])
        self.weight = np.where(self.scene, SCENE, ALONE).astype(np.float32)
        forms = np.array([form(row["text"], row["under"]) for row in self.rows], dtype=np.float32)
        self.form_mean, self.form_spread = forms.mean(0), forms.std(0) + 1e-2
        self.form = scaled(forms, self.form_mean, self.form_spread)
        self.grams = grams([row["text"] for row in self.rows])
        self.heading_grams = grams([row["under"] for row in self.rows], salt=1)

    def _compare(self, encoded: list[Encoded], place: dict[str, int]) -> None:
        sides: dict[str, Side] = {}

        def side(text: str) -> Side:
            if text not in sides:
                sides[text] = Side(text, encoded[place[text]], self.common)
            return sides[text]

        self.match = np.array([matches(*map(side, pair["pair"])) for pair in self.pairs], dtype=np.float32)
        self.related = np.array([pair["related"] for pair in self.pairs])
        self.pair_file = np.array([pair["file"] for pair in self.pairs])
        self.pair_exam = np.array([pair["exam"] for pair in self.pairs])
        self.pair_row = np.array([pair["row"] for pair in self.pairs])
        self.match_mean, self.match_spread = self.match.mean(0), self.match.std(0) + 1e-2

    def met(self, about: dict[str, Any]) -> Any:
        """For each line its comparison with the nearest memory line."""
        found = np.zeros((len(self.rows), MATCHES), dtype=np.float32)
        chance = about_scores(self.match, self.scales() | about, "about")
        order = np.argsort(chance, kind="stable")  # the closest comes last and stays
        found[self.pair_row[order]] = scaled(self.match, self.match_mean, self.match_spread)[order]
        return found

    def scales(self) -> dict[str, Any]:
        return {"match_mean": self.match_mean, "match_spread": self.match_spread}


def read(scenes: Path, judgement: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]], str]:
    """Labelled lines; pairs of a memory line and a note line of a scene; the hash of what was read."""
    exam = set((Path(__file__).parent / "exam_scenes.txt").read_text("utf-8").split())
    rows: list[dict[str, Any]] = []
    pairs: list[dict[str, Any]] = []
    digest = hashlib.sha256()
    for file in sorted(scenes.glob("*.jsonl")):
        for scene in objects(file, digest):
            held = scene["id"] in exam
            for note in scene["notes"]:
                label = scene["labels"][note["id"]]
                for memory in scene["memory"]:
                    related = memory["id"] in (label.get("to") or ())
                    pairs.append({"pair": (bare(memory["text"]), bare(note["text"])), "related": related, "file": file.stem, "exam": held, "row": len(rows)})  # fmt: skip
                rows.append({"text": bare(note["text"]), "under": bare(note["under"]), "keep": label["keep"], "kind": label["kind"], "does": label.get("does"), "file": file.stem, "scene": scene["id"], "exam": held, "lang": scene["lang"]})  # fmt: skip
    for file in sorted(judgement.glob("*.jsonl")):
        if file.stem in ("dates", "pairs", "pairs2"):  # pairs without the strangers of a memory teach the wrong odds
            continue
        alone = {"does": None, "file": f"judgement/{file.stem}", "scene": "", "exam": False}
        rows += [
            {
                "text": bare(row["text"]),
                "under": bare(row["context"]),
                **{key: row[key] for key in ("keep", "kind", "lang")},
                **alone,
            }
            for row in objects(file, digest)
        ]
    return rows, pairs, digest.hexdigest()


def objects(file: Path, digest: Any) -> Iterator[dict[str, Any]]:
    digest.update(file.read_bytes())
    yield from (json.loads(line) for line in file.read_text("utf-8").split("\n") if line.strip())


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
    wanted, weight, count = lines.wanted[part], lines.weight[part], len(part)

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

    for_form, for_text, for_under, bias = np.split(descend(value, np.zeros(cuts[-1] + 1), 100), cuts)
    found = {
        "plain_form": for_form * 0.05,
        "plain_bias": bias[0],
        "plain_text": for_text * text[3],
        "plain_under": for_under * under[3],
    }
    return {name: np.asarray(table, dtype=np.float32) for name, table in found.items()}


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


def plain_of(lines: Lines, part: Any, weights: dict[str, Any]) -> Any:
    """Scores of some lines by n-grams and form."""
    return plain_scores(lines.form, lines.grams, lines.heading_grams, weights)[part]


def unseen(lines: Lines, members: int) -> dict[str, Any]:
    """Every line and pair of a scene judged by weights that have not seen its file."""
    found = {
        "network": np.zeros(len(lines.rows)),
        "plain": np.zeros(len(lines.rows)),
        "kinds": np.zeros((len(lines.rows), len(lines.kinds))),
    }
    found |= {name: np.zeros(len(lines.pairs)) for name in ("about", "bare")}
    for file in sorted(set(lines.file[lines.scene])):
        part, out = np.flatnonzero((lines.file != file) & ~lines.exam), np.flatnonzero(lines.file == file)
        pairs, pairs_out = (
            np.flatnonzero((lines.pair_file != file) & ~lines.pair_exam),
            np.flatnonzero(lines.pair_file == file),
        )
        about = train_about(lines, pairs, "about") | train_about(lines, pairs, "bare")
        for name in ("about", "bare"):
            found[name][pairs_out] = about_scores(lines.match, lines.scales() | about, name)[pairs_out]
        found["plain"][out] = plain_of(lines, out, train_plain(lines, part))
        met = lines.met(about)
        for seed in range(members):
            keep, kinds = Member(lines, met, seed).train(part).scores(out)
            found["network"][out] += keep / members
            found["kinds"][out] += kinds / members
        print(f"left out {file}", flush=True)
    return found


def whole(lines: Lines) -> dict[str, Any]:
    """The weights that are shipped: everything but the exam."""
    part, pairs = np.flatnonzero(~lines.exam), np.flatnonzero(~lines.pair_exam)
    about = train_about(lines, pairs, "about") | train_about(lines, pairs, "bare")
    met = lines.met(about)
    members = [Member(lines, met, seed).train(part).folded() for seed in range(MEMBERS)]
    found = train_plain(lines, part) | about | lines.scales() | lines.common
    found |= {"form_mean": lines.form_mean, "form_spread": lines.form_spread}
    found |= {
        f"member_{name}": np.stack([member[name] for member in members]).astype(np.float16) for name in members[0]
    }
    for name, kept in (("kinds_kept", lines.wanted), ("kinds_passing", ~lines.wanted)):
        found[name] = np.bincount(lines.kind[part][kept[part]], minlength=len(lines.kinds)) / kept[part].sum()
    for name in ("plain_text", "plain_under"):
        step = np.abs(found[name]).max() / 127
        found[name], found[f"{name}_step"] = np.round(found[name] / step).astype(np.int8), np.float32(step)
    return found | {
        "version": np.int64(VERSION),
        "kinds": np.array(lines.kinds),
        "trained_on": np.array(lines.trained_on),
    }


def levels(lines: Lines, keep: Any, found: dict[str, Any]) -> dict[str, float]:
    """The bars at which the promised share is right, over all scenes and over the logs of agents; `access` finds 97 secrets of 100."""
    inside, logs = lines.scene, lines.scene & np.char.startswith(lines.file, "agent")
    bars = {}
    for name, share in (("sure", 0.9), ("recalled", 0.8), ("likely", 0.6)):
        bars[name] = max(threshold(keep[part], lines.wanted[part], share) for part in (inside, logs))
    secret = lines.kinds.index("secret")
    told = np.sort(found["kinds"][inside & (lines.kind == secret), secret])
    bars["access"] = float(np.floor(told[int(0.03 * len(told))] * 1000) / 1000)
    return bars | {"about": threshold(found["about"], lines.related, 0.5)}


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("scenes", type=Path)
    asked.add_argument("judgement", type=Path)
    asked.add_argument("--quick", action="store_true")
    given = asked.parse_args()
    lines = Lines(given.scenes, given.judgement)
    print(f"{len(lines.rows):,} lines, {len(lines.pairs):,} pairs", flush=True)
    found = unseen(lines, 1 if given.quick else 2)
    inside = np.flatnonzero(lines.scene)
    mix = mixed([found["network"][inside], found["plain"][inside]], lines.wanted[inside])
    mix_bare = mixed([found["plain"][inside]], lines.wanted[inside])
    keep = 1 / (1 + np.exp(-(mix[0] * found["network"] + mix[1] * found["plain"] + mix[2])))
    keep_bare = 1 / (1 + np.exp(-(mix_bare[0] * found["plain"] + mix_bare[1])))
    bars = levels(lines, keep, found)
    print_worth(lines, keep, bars, "n-grams, form and network")
    print_worth(lines, keep_bare, bars, "without the network")
    print_kinds(lines, found["kinds"], bars["access"])
    print_about(lines, found["about"], "with the network")
    print_about(lines, found["bare"], "without the network")
    print(f"\nmix {mix.round(3)}, without the network {mix_bare.round(3)}; thresholds {bars}")
    if given.quick:
        return
    np.savez_compressed(
        OUT / "worth.npz", **whole(lines), mix=mix.astype(np.float32), mix_bare=mix_bare.astype(np.float32)
    )
    told = (
        '"""Made by `training/worth.py`, with the weights: where probabilities of the learned judge become levels."""'
    )
    (OUT / "thresholds.py").write_text(f"{told}\n\nTHRESHOLDS = {json.dumps(bars)}\n", "utf-8", newline="\n")


if __name__ == "__main__":
    main()
