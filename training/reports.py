"""Tables that say how good a judge is: how well it ranks, how often it is right above a bar, what it takes for what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def auc(wanted: Any, score: Any) -> float:
    """How often a wanted line is ranked above another one; ties count half."""
    order = np.argsort(score, kind="stable")
    _, inverse, counts = np.unique(score[order], return_inverse=True, return_counts=True)
    ranks = np.empty(len(score))
    ranks[order] = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    good = int(wanted.sum())
    return (
        float("nan")
        if good in (0, len(wanted))
        else float((ranks[wanted].sum() - good * (good + 1) / 2) / (good * (len(wanted) - good)))
    )


def average_precision(wanted: Any, score: Any) -> float:
    hits = wanted[np.argsort(-score, kind="stable")]
    at = np.arange(1, len(hits) + 1)
    return float((np.cumsum(hits) / at)[hits].mean()) if hits.any() else float("nan")


def threshold(score: Any, wanted: Any, share: float) -> float:
    """The lowest bar, in hundredths, above which at least this share is wanted; 0.95 where no lower bar reaches it."""
    for bar in range(30, 95):
        above = score >= bar / 100
        if above.any() and wanted[above].mean() >= share:
            return bar / 100
    return 0.95


def print_lines(
    rows: Sequence[dict[str, Any]], keep: Any, kinds: Any, names: Sequence[str], bars: tuple[float, float]
) -> None:
    wanted = np.array([row["keep"] >= 2 for row in rows])
    langs = np.array([row["lang"] for row in rows])
    print("\n| lines | number | AUC | AP | " + " | ".join(f"precision / recall at {bar:.2f}" for bar in bars) + " |")
    print("|---|---|---|---|---|---|")
    for lang in ["all", *sorted(set(langs), key=lambda name: -int((langs == name).sum()))]:
        part = langs == lang if lang != "all" else np.ones(len(rows), dtype=bool)
        cells = [
            f"{wanted[part & (keep >= bar)].mean():.3f} / {(keep[part & wanted] >= bar).mean():.3f}" for bar in bars
        ]
        print(
            f"| {lang} | {part.sum():,} | {auc(wanted[part], keep[part]):.3f} | {average_precision(wanted[part], keep[part]):.3f} | "
            + " | ".join(cells)
            + " |"
        )
    bins = np.minimum((keep * 10).astype(int), 9)
    print(
        "\ncalibration: "
        + ", ".join(
            f"{b / 10:.1f}–{b / 10 + 0.1:.1f} {wanted[bins == b].mean():.2f}" for b in range(10) if (bins == b).any()
        )
    )
    right = np.array([row["kind"] for row in rows])
    guess = np.array(names)[kinds.argmax(1)]
    print(
        f"kind: {np.mean(guess == right):.3f} right; "
        + ", ".join(f"{name} {np.mean(guess[right == name] == name):.2f}" for name in names)
    )


def print_pairs(right: Any, chance: Any, names: Sequence[str]) -> None:
    guess = chance.argmax(1)
    print(
        f"\nrelations: {np.mean(guess == right):.3f} right\n\n| said ↓, judged → | "
        + " | ".join(names)
        + " | precision at ≥ 0.8 (share) |"
    )
    print("|---" * (len(names) + 2) + "|")
    for number, name in enumerate(names):
        row = [str(int(((right == number) & (guess == other)).sum())) for other in range(len(names))]
        bold = chance[:, number] >= 0.8
        sure = (
            f"{(right[bold] == number).mean():.2f} ({(bold & (right == number)).sum() / (right == number).sum():.2f})"
            if bold.any()
            else "–"
        )
        print(f"| {name} | " + " | ".join(row) + f" | {sure} |")


GROUPS = (("same", "richer"), ("update", "correction"), ("done", "retraction"))
ALONE = tuple((name,) for group in GROUPS for name in group)


def print_wild(
    rows: Sequence[dict[str, Any]], known: Any, wild_rows: Sequence[dict[str, Any]], wild: Any, names: Sequence[str]
) -> None:
    """How far a relation can be trusted where every labelled pair stands among strangers, and where neighbours join them."""
    near = np.array([row["near"] for row in wild_rows])
    right = np.array([row["relation"] for row in rows])
    print(f"\n{len(rows):,} labelled pairs among {(~near).sum():,} strangers; then with {near.sum():,} neighbours\n")
    print("| relation | AP | bar, recall at precision 0.8 | 0.9 | 0.95 | with neighbours: AP | 0.8 | 0.9 | 0.95 |")
    print("|---" * 9 + "|")
    by_language = []
    for group in (*GROUPS, *ALONE):
        at = [names.index(name) for name in group]
        wanted, score, others = np.isin(right, group), known[:, at].sum(1), wild[:, at].sum(1)
        cells = [*_trusted(wanted, score, others[~near]), *_trusted(wanted, score, others)]
        print(f"| {' or '.join(group)} | " + " | ".join(cells) + " |")
        by_language += [_languages(group, rows, wanted, score, others[~near])] if group in GROUPS else []
    print("", *by_language, sep="\n")
    related = [(wild[part][:, :6].sum(1) >= 0.5).mean() for part in (~near, near)]
    print(f"said to be related: {related[0]:.4f} of the strangers, {related[1]:.4f} of the neighbours")


def _trusted(wanted: Any, score: Any, others: Any) -> list[str]:
    """Average precision, then the bar and the recall for each precision, among `others` that are all unwanted."""
    everyone, scores = np.append(wanted, np.zeros(len(others), dtype=bool)), np.append(score, others)
    bars = [lowest(everyone, scores, share) for share in (0.8, 0.9, 0.95)]
    cells = ["–" if bar > 1 else f"{bar:.2f}, {(score[wanted] >= bar).mean():.3f}" for bar in bars]
    return [f"{average_precision(everyone, scores):.3f}", *cells]


def _languages(group: Sequence[str], rows: Sequence[dict[str, Any]], wanted: Any, score: Any, others: Any) -> str:
    langs = np.array([row["lang"] for row in rows])
    parts = []
    for share in (0.95, 0.9):
        bar = lowest(np.append(wanted, np.zeros(len(others), dtype=bool)), np.append(score, others), share)
        found = [(lang, wanted & (langs == lang)) for lang in dict.fromkeys(langs)]
        parts.append(", ".join(f"{lang} {(score[part] >= bar).sum()} of {part.sum()}" for lang, part in found))
    return f"{' or '.join(group)}: at precision 0.95 {parts[0]}; at 0.9 {parts[1]}"


def lowest(wanted: Any, score: Any, share: float, fewest: int = 8) -> float:
    """The lowest bar, in hundredths, above which this share is wanted and a few are found; 2 where there is none."""
    for bar in range(5, 100):
        above = score >= bar / 100
        if wanted[above].sum() >= fewest and wanted[above].mean() >= share:
            return bar / 100
    return 2.0
