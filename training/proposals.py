"""Learns what a note does to a memory line and which words it swaps: `python training/proposals.py FOLDER_OF_SCENES`.

Writes `src/reverie/judge/proposals.npz`, the same bytes for the same scenes, and prints what was right on files left out. The scenes of
`exam_scenes.txt` are kept out. `--report` prints and writes nothing.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # sums in another order are other bits

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from descent import descend  # the script beside this one

from reverie.evidence.encoder import encode
from reverie.judge.changes import FEATURES, NAMES, Pair, candidates, features, rows_of
from reverie.judge.compose import plain_line
from reverie.judge.specifics import missing
from reverie.judge.worth import bare, terms

OUT = Path(__file__).resolve().parents[1] / "src" / "reverie" / "judge" / "proposals.npz"
NEAREST, NEAR = 4, 0.25  # strangers that each note is shown with: the nearest lines
SWAPS_OF = 5  # a new text longer than so many times the labelled one (and a little) is no good swap


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("scenes", type=Path)
    asked.add_argument("--report", action="store_true")
    options = asked.parse_args()
    scenes = list(_scenes(options.scenes))
    pairs, labels, files = _pairs(scenes)
    rows = rows_of(pairs)
    mean, spread = rows.mean(axis=0), np.where(rows.std(axis=0) < 1e-6, 1.0, _spread(rows))
    mean[len(rows[0]) - 4 * 512 - 1 :] = 0.0  # the constant, and vectors as they are
    effect = _effects((rows - mean) / spread, labels, files)
    swap, chance = _swaps(scenes)
    if not options.report:
        np.savez(
            OUT,
            mean=_half(mean),
            spread=_half(spread),
            effect=_half(effect),
            swap=_half(swap),
            swap_chance=_half(chance),
        )


def _half(table: Any) -> Any:
    return np.asarray(table, dtype=np.float16)


def _spread(rows: Any) -> Any:
    spread = rows.std(axis=0)
    spread[len(rows[0]) - 4 * 512 :] = 1.0
    return spread


def _scenes(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    exam = set((Path(__file__).parent / "exam_scenes.txt").read_text("utf-8").split())
    for file in sorted(folder.glob("*.jsonl")):
        for row in file.read_text("utf-8").split("\n"):
            scene = json.loads(row) if row else {}
            if scene and scene["id"] not in exam:
                yield file.stem, scene


def _pairs(scenes: Sequence[tuple[str, Mapping[str, Any]]]) -> tuple[list[Pair], Any, Any]:
    """Every related pair, and every note with the lines nearest to it."""
    pairs, labels, files = [], [], []
    for file, scene in scenes:
        memory = [(one["id"], one["section"], bare(one["text"])) for one in scene["memory"]]
        notes = [(one["id"], one.get("under", ""), bare(one["text"])) for one in scene["notes"]]
        olds, news = (np.stack([one.sentence for one in encode([row[2] for row in part])]) for part in (memory, notes))
        near = news @ olds.T
        for i, (name, under, text) in enumerate(notes):
            label = scene["labels"].get(name, {})
            close = {int(j) for j in np.argsort(-near[i])[:NEAREST] if near[i, j] >= NEAR}
            close |= {j for j, one in enumerate(memory) if one[0] in (label.get("to") or ())}
            for j in sorted(close):
                does = label.get("does") if memory[j][0] in (label.get("to") or ()) else None
                pairs.append(Pair(memory[j][2], memory[j][1], text, under))
                labels.append(NAMES.index(does) if does in NAMES else 0)
                files.append(file)
    return pairs, np.array(labels), np.array(files)


def _effects(rows: Any, labels: Any, files: Any) -> Any:
    wanted = np.eye(len(NAMES))[labels]
    chances = np.zeros(wanted.shape)
    for file in sorted(set(files)):
        part = files != file
        chances[~part] = _softmax(rows[~part] @ _fitted(rows[part], wanted[part]))
    print(f"what a note does to a line, files left out: {len(rows)} pairs")
    for number, name in enumerate(NAMES):
        ranked = (labels == number)[np.argsort(-chances[:, number])]
        share = (np.cumsum(ranked) / np.arange(1, len(ranked) + 1))[ranked].mean()
        first = ranked[: int(ranked.sum())].mean()
        print(f"  {name:<9}{ranked.sum():>5}  average precision {share:.3f}  of as many as there are {first:.2f}")
    return _fitted(rows, wanted)


def _fitted(rows: Any, wanted: Any, weight: float = 20.0) -> Any:
    count = wanted.shape[1]

    def value(flat: Any) -> tuple[float, Any]:
        table = flat.reshape(-1, count)
        chances = _softmax(rows @ table)
        cost = -np.log((chances * wanted).sum(axis=1)).sum() + weight * flat @ flat / 2
        return float(cost), (rows.T @ (chances - wanted) + weight * table).ravel()

    return descend(value, np.zeros(rows.shape[1] * count), 150).reshape(-1, count)


def _softmax(scores: Any) -> Any:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def _swaps(scenes: Sequence[tuple[str, Mapping[str, Any]]]) -> tuple[Any, Any]:
    """Weights that put an acceptable swap first, and how sure the first one is."""
    items = list(_swap_rows(scenes))
    files = sorted({file for file, *_ in items})
    firsts, exact, seen = [], 0, []
    for file in files:
        weights = _ranked([(rows, good) for its, rows, good in items if its != file])
        for its, rows, good in items:
            if its == file and len(rows):
                scores = rows @ weights
                first = int(scores.argmax())
                share = float(np.exp(scores[first] - np.logaddexp.reduce(scores)))
                firsts.append((scores[first], np.log(share + 1e-6), 1.0))
                seen.append(bool(good[first]))
                exact += good[first] == "exact"
    possible = sum(any(good) for _, _, good in items)
    print(f"swaps, files left out: {len(items)} updates, {possible} with an acceptable swap among those looked at")
    print(f"  first one acceptable {sum(seen) / len(items):.3f}, the same line as labelled {exact / len(items):.3f}")
    chance = _logistic(np.array(firsts), np.array(seen, dtype=float))
    sure = 1 / (1 + np.exp(-np.array(firsts) @ chance))
    for bar in (0.3, 0.5, 0.7, 0.8):
        part = np.array(seen)[sure >= bar]
        print(
            f"  chance ≥ {bar}: {len(part) / len(items):.2f} of the updates, {part.mean() if len(part) else 0:.2f} of them acceptable"
        )
    weights = _ranked([(rows, good) for _, rows, good in items])
    print("  " + ", ".join(f"{name} {value:.1f}" for name, value in zip(FEATURES, weights, strict=True)))
    return weights, chance


def _swap_rows(scenes: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[tuple[str, Any, list[str]]]:
    for file, scene in scenes:
        memory = {one["id"]: plain_line(one["text"]) for one in scene["memory"]}
        for one in scene["notes"]:
            label, note = scene["labels"].get(one["id"], {}), plain_line(one["text"])
            line = memory.get((label.get("to") or ("",))[0])
            if label.get("does") != "update" or not label.get("swap") or line is None:
                continue
            found = list(candidates(line, note, scene["lang"]))
            texts = [(line[old.start : old.end], note[new.start : new.end]) for old, new in found]
            rows = features(line, note, found, scene["lang"]) if found else np.zeros((0, len(FEATURES)))
            yield file, rows, [acceptable(line, old, new, label["swap"]) for old, new in texts]


def acceptable(line: str, old: str, new: str, wanted: Sequence[tuple[str, str]]) -> str:
    """`exact`: the labelled line. `ok`: it brings what the label brings, nothing of the outdated stays, and nothing else is lost."""
    after, result = line.replace(old, new, 1), line
    for before, then in wanted:
        result = result.replace(before, then, 1)
    if " ".join(after.split()).casefold() == " ".join(result.split()).casefold():
        return "exact"
    gone, come = " ".join(pair[0] for pair in wanted), " ".join(pair[1] for pair in wanted)
    if any(one.shown not in gone for one in missing(line, (after,))) or len(new) > SWAPS_OF * len(come) + 20:
        return ""
    brought, outdated = missing(come, (gone,)), missing(gone, (come,))
    stays = [one for one in outdated if not missing(one.shown, (after,))]
    lacks = [one for one in missing(come, (after,)) if one in brought]
    if brought and outdated:  # a note often tells the value and not the day that the label adds
        family = {one.kind for one in outdated}
        lacks = [one for one in lacks if one.kind in family]
    fresh = terms(come) - terms(gone)
    words = len(fresh & terms(new)) >= 0.5 * len(fresh)
    at, start = line.find(wanted[0][0]), line.find(old)
    here = min(at + len(wanted[0][0]), start + len(old)) > max(at, start)
    if brought:
        return "ok" if here and not lacks and not stays else ""
    return "ok" if here and not stays and words and fresh else ""


def _ranked(items: Sequence[tuple[Any, Sequence[str]]], weight: float = 1.0) -> Any:
    """Weights under which an acceptable swap gets most of the probability of its pair."""
    known = [(rows, np.array([bool(one) for one in good])) for rows, good in items if any(good)]

    def value(flat: Any) -> tuple[float, Any]:
        cost, slope = weight * float(flat @ flat) / 2, weight * flat
        for rows, good in known:
            chances = _softmax((rows @ flat)[None])[0]
            right = float(chances[good].sum())
            cost -= float(np.log(right + 1e-12))
            slope = slope + rows.T @ (chances - chances * good / max(right, 1e-12))
        return cost, slope

    return descend(value, np.zeros(len(FEATURES)), 150)


def _logistic(rows: Any, good: Any, weight: float = 1.0) -> Any:
    def value(flat: Any) -> tuple[float, Any]:
        scores = rows @ flat
        cost = float(np.logaddexp(0, scores).sum() - scores @ good + weight * flat @ flat / 2)
        return cost, rows.T @ (1 / (1 + np.exp(-scores)) - good) + weight * flat

    return descend(value, np.zeros(rows.shape[1]), 100)


if __name__ == "__main__":
    main()
