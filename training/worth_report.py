"""Tables of `training/worth.py`: how well the judge of worth ranks, and how often it is right above a bar."""

from __future__ import annotations

from typing import Any

import numpy as np
from reports import auc, average_precision


def threshold(score: Any, wanted: Any, share: float) -> float:
    """The lowest bar, in hundredths, above which at least this share is wanted, at this and every higher bar with ten lines."""
    found = 0.99
    for bar in range(99, 0, -1):
        above = score >= bar / 100
        if above.sum() >= 10 and wanted[above].mean() < share:
            break
        found = bar / 100
    return found


def recall(score: Any, wanted: Any, share: float) -> float:
    """Of what is wanted, the part that can be had with at least this share of right ones."""
    hits = wanted[np.argsort(-score, kind="stable")].cumsum()
    good = hits / np.arange(1, len(hits) + 1) >= share
    return float(hits[good].max() / hits[-1]) if good.any() else 0.0


def print_worth(lines: Any, keep: Any, bars: dict[str, float], name: str) -> None:
    """One row a file, a language, and for logs of agents; and once more without the lines that repeat what memory says."""
    lang = np.array([row["lang"] for row in lines.rows])
    logs = np.char.startswith(lines.file, "agent")
    parts = {file: lines.file == file for file in sorted(set(lines.file[lines.scene]))}
    parts |= {f"lang {one}": (lang == one) & ~logs for one in sorted(set(lang[lines.scene]))}
    parts |= {"agents' logs": logs, "owners' notes": ~logs, "all": lines.scene}
    parts |= {"agents' logs, no repeats": logs & ~lines.same, "all, no repeats": ~lines.same}
    print(
        f"\n## Worth of a line, {name}\n\n| left out | lines | wanted | AUC | AP | recall at precision .8 / .9 / .95 | precision (recall) at {bars['sure']} | at {bars['likely']} |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for part, inside in parts.items():
        inside = inside & lines.scene
        wanted, score = lines.wanted[inside], keep[inside]
        cells = [
            f"{wanted[score >= bar].mean() if (score >= bar).any() else float('nan'):.3f} ({(score[wanted] >= bar).mean():.2f})"
            for bar in (bars["sure"], bars["likely"])
        ]
        at = " ".join(f"{recall(score, wanted, share):.2f}" for share in (0.8, 0.9, 0.95))
        print(
            f"| {part} | {inside.sum():,} | {wanted.mean():.2f} | {auc(wanted, score):.3f} | {average_precision(wanted, score):.3f} | {at} | {' | '.join(cells)} |"
        )
    for part in ("agents' logs", "owners' notes"):
        inside = parts[part] & lines.scene
        bins = np.minimum((keep[inside] * 10).astype(int), 9)
        told = [
            f"{keep[inside][bins == one].mean():.2f}→{lines.wanted[inside][bins == one].mean():.2f} ({(bins == one).sum()})"
            for one in range(10)
            if (bins == one).any()
        ]
        print(f"\ncalibration, {part} (said→was): " + ", ".join(told))


def print_kinds(lines: Any, kinds: Any, access: float) -> None:
    inside = lines.scene
    right = (kinds[inside].argmax(1) == lines.kind[inside]).mean()
    print(
        f"\n## Kinds\n\nright kind {right:.2f}\n\n| kind | lines | AUC | AP | recall at precision .8 / .9 |\n|---|---|---|---|---|"
    )
    for number, kind in enumerate(lines.kinds):
        wanted, score = lines.kind[inside] == number, kinds[inside][:, number]
        at = " ".join(f"{recall(score, wanted, share):.2f}" for share in (0.8, 0.9))
        print(f"| {kind} | {wanted.sum()} | {auc(wanted, score):.3f} | {average_precision(wanted, score):.3f} | {at} |")
    secret = lines.kinds.index("secret")
    for part, those in (("secrets", lines.kind == secret), ("wanted lines", lines.wanted)):
        print(f"\nspeak of access (at {access}): {(kinds[inside & those, secret] >= access).mean():.3f} of the {part}")


def print_about(lines: Any, about: Any, name: str) -> None:
    """How well related pairs stand out among all pairs of a scene, and how often the right memory line comes first."""
    print(
        f"\n## About the same thing, {name}\n\n| left out | pairs | related | AUC | AP | recall at precision .5 / .8 / .9 | right line first | among three |\n|---|---|---|---|---|---|---|---|"
    )
    for file in [*sorted(set(lines.pair_file)), "all"]:
        part = np.flatnonzero((lines.pair_file == file) | (file == "all"))
        wanted, score, row = lines.related[part], about[part], lines.pair_row[part]
        order = np.lexsort((-score, row))
        rank = np.arange(len(order)) - np.searchsorted(row[order], row[order])
        concerned = len(set(row[wanted]))
        first, three = (len(set(row[order][wanted[order] & (rank < top)])) / concerned for top in (1, 3))
        at = " ".join(f"{recall(score, wanted, share):.2f}" for share in (0.5, 0.8, 0.9))
        print(
            f"| {file} | {len(part):,} | {wanted.sum():,} | {auc(wanted, score):.3f} | {average_precision(wanted, score):.3f} | {at} | {first:.2f} | {three:.2f} |"
        )
