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
