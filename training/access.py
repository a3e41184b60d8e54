"""Trains the weights of `reverie.privacy.learned`, and says how good they are on lines they have not seen.

    python training/access.py SECRETS SCENES JUDGEMENT [WORKSPACES ...] [--held SHARE] [--only-report]

SECRETS is a folder of `*.secrets.jsonl` and `*.ordinary.jsonl` (lines of `text` and `lang`) that blind authors invented; the
others hold labelled notes, from which everything that is no secret is ordinary. Writes src/reverie/privacy/access.bin (weights,
no text). The threshold is where SHARE of the labelled notes (not of the authors' ordinary lines, a third of which come near a
secret on purpose) would be held back by weights that have not seen them.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from descent import descend  # beside this file
from labelled import read

from reverie.privacy.access_words import words_of_access
from reverie.privacy.learned import BUCKETS, VERSION, features
from reverie.privacy.redact import holds_secret

OUT = Path(__file__).resolve().parents[1] / "src" / "reverie" / "privacy" / "access.bin"
FOLDS, STEPS, LOUDER, STRENGTH = 4, 40, 4.0, 30.0
SECRET, NEAR, NOTES, OWN = (
    "secrets",
    "ordinary",
    "notes",
    "tests",
)  # OWN: the language of what our own tests call harmless


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("secrets", type=Path)
    parser.add_argument("labelled", nargs="+", type=Path)
    parser.add_argument("--held", type=float, default=0.015)
    parser.add_argument("--only-report", action="store_true")
    asked = parser.parse_args()
    texts, source, lang = lines(asked.secrets, asked.labelled)
    table = hashed(texts)
    wanted, firm = source == SECRET, lang == OWN
    fold = np.array([zlib.crc32(text.encode()) % FOLDS for text in texts])
    score = np.zeros(len(texts))
    for number in range(FOLDS):
        away = fold == number
        score[away] = scores(table, *train(table, wanted, firm, ~away))[away]
    ruled = np.array([holds_secret(text) for text in texts])
    threshold = float(np.quantile(score[(source == NOTES) & ~ruled], 1 - asked.held))
    report(score > threshold, ruled, source, lang)
    if not asked.only_report:
        store(*train(table, wanted, firm, np.ones(len(texts), dtype=bool)), threshold)


def lines(secrets: Path, labelled: list[Path]) -> tuple[list[str], Any, Any]:
    """Every line once, where it comes from, and its language."""
    found: dict[str, tuple[str, str]] = {}
    for kind in (SECRET, NEAR):
        for file in sorted(secrets.glob(f"*.{kind}.jsonl")):
            for row in map(json.loads, filter(None, file.read_text("utf-8").split("\n"))):
                found.setdefault(row["text"], (kind, row["lang"]))
    for row in read(labelled[0], labelled[1], labelled[2:])[0]:
        kind = SECRET if row.kind == "secret" or row.flags[0] == 1 else NOTES
        for text in (row.text, *row.near):
            found.setdefault(text, (kind, row.lang))
            kind = NOTES
    return list(found), *(np.array(column) for column in zip(*found.values(), strict=True))


def hashed(texts: list[str]) -> tuple[Any, Any, Any]:
    """(row, bucket, weight) of every feature."""
    rows, buckets, weights = [], [], []
    for number, text in enumerate(texts):
        own = [zlib.crc32(one.encode()) % BUCKETS for one in features(text, words_of_access(text))]
        rows += [number] * len(own)
        buckets += own
        weights += [max(len(own), 1) ** -0.5] * len(own)
    return np.array(rows), np.array(buckets), np.array(weights)


def scores(table: tuple[Any, Any, Any], weights: Any, bias: float) -> Any:
    row, bucket, weight = table
    return np.bincount(row, weights[bucket] * weight) + bias


def train(table: tuple[Any, Any, Any], wanted: Any, firm: Any, part: Any) -> tuple[Any, float]:
    """Logistic regression; a secret counts more, because one that is missed costs more than a line that is held back."""
    row, bucket, weight = table
    loud = np.where(wanted | firm, LOUDER, 1.0) * part * STRENGTH

    def value(flat: Any) -> tuple[float, Any]:
        score = scores(table, flat[:-1], flat[-1])
        cost = float((loud * np.logaddexp(0, np.where(wanted, -score, score))).sum()) + float(flat[:-1] @ flat[:-1]) / 2
        error = loud * (1 / (1 + np.exp(-score)) - wanted)
        slope = np.bincount(bucket, error[row] * weight, minlength=BUCKETS) + flat[:-1]
        return cost, np.append(slope, error.sum())

    flat = descend(value, np.zeros(BUCKETS + 1), STEPS)
    return flat[:-1], float(flat[-1])


def report(held: Any, ruled: Any, source: Any, lang: Any) -> None:
    by: defaultdict[str, list[Any]] = defaultdict(list)
    for name in ["all", *sorted(set(lang[source == SECRET]))]:
        inside = np.ones(len(lang), dtype=bool) if name == "all" else lang == name
        for kind in (SECRET, NEAR, NOTES):
            part = inside & (source == kind)
            both = (held | ruled)[part]
            by[name].append(f"{kind} {part.sum():5d}: rules {ruled[part].mean():.3f}, with weights {both.mean():.3f}")
    for name, told in by.items():
        print(f"{name:5s} " + " | ".join(told))


def store(weights: Any, bias: float, threshold: float) -> None:
    step = float(np.abs(weights).max() / 127)
    head = {"version": VERSION, "step": step, "bias": bias, "threshold": threshold}
    OUT.write_bytes(json.dumps(head).encode() + b"\n" + np.round(weights / step).astype(np.int8).tobytes())


if __name__ == "__main__":
    main()
