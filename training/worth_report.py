"""Tables of `training/worth.py`: how well the judge of worth ranks, and how often it is right above a bar."""

from __future__ import annotations

from typing import Any

import numpy as np
from reports import auc, average_precision

from reverie.judge.worth import DRAWERS


def threshold(score: Any, wanted: Any, share: float) -> float:
    """The lowest bar, in hundredths, above which at least this share is wanted, at this and every higher bar with forty lines."""
    found = 0.99
    for bar in range(99, 0, -1):
        above = score >= bar / 100
        if above.sum() >= 40 and wanted[above].mean() < share:
            break
        found = bar / 100
    return found


def recall(score: Any, wanted: Any, share: float) -> float:
    """Of what is wanted, the part that can be had with at least this share of right ones."""
    hits = wanted[np.argsort(-score, kind="stable")].cumsum()
    good = hits / np.arange(1, len(hits) + 1) >= share
    return float(hits[good].max() / hits[-1]) if good.any() else 0.0


def calibration(score: Any, wanted: Any) -> float:
    """The expected error of a probability, in ten steps."""
    bins = np.minimum((score * 10).astype(int), 9)
    gaps = [abs(score[bins == one].mean() - wanted[bins == one].mean()) * (bins == one).mean() for one in set(bins)]
    return float(sum(gaps))


def parts_of(lines: Any) -> dict[str, Any]:
    """What is reported apart: files, languages, agents' logs, short lines, folders of workspaces."""
    scene, news = lines.scene & lines.judged, ~lines.repeats
    logs = np.char.startswith(lines.group, "agent")
    spaces = lines.judged & ~lines.scene
    parts = {file: scene & (lines.group == file) for file in sorted(set(lines.group[scene]))}
    parts |= {f"lang {one}": scene & (lines.lang == one) & ~logs for one in sorted(set(lines.lang[scene]))}
    parts |= {"agents' logs": scene & logs, "owners' notes": scene & ~logs, "all scenes": scene}
    parts |= {"agents' logs, no repeats": scene & logs & news, "all scenes, no repeats": scene & news}
    parts |= {f"workspaces {one}": spaces & (lines.group == one) for one in sorted(set(lines.group[spaces]))}
    parts |= {f"workspaces of {one}": spaces & (np.char.find(lines.part, one) >= 0) for one in ("person", "agent")}
    parts |= {f"workspaces, lang {one}": spaces & (lines.lang == one) for one in sorted(set(lines.lang[spaces]))}
    short = np.array([len(row.text) + sum(char >= "\u2e80" for char in row.text) < 45 for row in lines.rows])
    parts |= {
        "all workspaces": spaces,
        "short lines of scenes": scene & short,
        "short lines of workspaces": spaces & short,
    }
    return {name: part for name, part in parts.items() if part.any() and lines.wanted[part].any()}


def cells(score: Any, wanted: Any, shares: tuple[float, ...] = (0.8, 0.9, 0.95)) -> str:
    at = " ".join(f"{recall(score, wanted, share):.2f}" for share in shares)
    return f"{len(wanted):,} | {wanted.mean():.2f} | {auc(wanted, score):.3f} | {average_precision(wanted, score):.3f} | {at} | {calibration(score, wanted):.3f}"


def print_worth(lines: Any, keep: Any, bars: dict[str, float], name: str) -> None:
    """One row a part; at the bars how many are right, and of what is wanted how much."""
    told = [name for name in ("sure", "likely") if name in bars]
    print(
        f"\n## Worth of a line, {name}\n\n| left out | lines | wanted | AUC | AP | recall at precision .8 / .9 / .95 | calibration error |"
        + "".join(f" precision (recall) at {one}, {bars[one]} |" for one in told)
    )
    print("|---|---|---|---|---|---|---|" + "---|" * len(told))
    for part, inside in parts_of(lines).items():
        wanted, score = lines.wanted[inside], keep[inside]
        row = f"| {part} | {cells(score, wanted)} |"
        for above in (score >= bars[one] for one in told):
            right = f"{wanted[above].mean():.3f}" if above.any() else "–"
            row += f" {right} ({above[wanted].mean():.2f}) |"
        print(row)


def print_skipped(lines: Any, keep: Any, skipped: Any, bars: dict[str, float]) -> None:
    """How many lines never reach the network, and what that costs."""
    print("\n## Lines that n-grams and form are sure about\n")
    for name, inside in (("scenes", lines.judged & lines.scene), ("workspaces", lines.judged & ~lines.scene)):
        lost = skipped & inside & (keep >= bars["likely"])
        print(
            f"{name}: {skipped[inside].mean():.2f} of the lines need no network; of those that are likely {lost.sum()} are lost, wanted {lines.wanted[lost].sum()}"
        )


def print_flags(lines: Any, chances: Any, names: tuple[str, ...], bars: dict[str, float]) -> None:
    print(
        "\n## Access, machine, order\n\n| output | on | lines | share | AUC | AP | recall at precision .8 / .9 / .95 | calibration error | precision (recall) at its bar |\n|---|---|---|---|---|---|---|---|---|"
    )
    for number, name in enumerate(names):
        for where, inside in (("scenes", lines.scene), ("workspaces", ~lines.scene)):
            part = inside & lines.judged & (lines.flags[:, number] != -1)
            good, score = lines.flags[part, number] == 1, chances[number][part]
            if good.any():
                above = score >= bars[name]
                right = good[above].mean() if above.any() else float("nan")
                print(
                    f"| {name} | {where} | {cells(score, good)} | {bars[name]}: {right:.3f} ({above[good].mean():.2f}) |"
                )


def print_drawers(lines: Any, kinds: Any) -> None:
    """How often the kind is right; and for wanted lines the drawer, the likeliest of the kinds that last."""
    drawers = np.array([lines.kinds.index(name) for name in DRAWERS])
    known = lines.judged & lines.scene & (lines.kind != -1)
    print(
        f"\n## Kinds\n\nright kind of {len(lines.kinds)}, scenes: {(kinds[known].argmax(1) == lines.kind[known]).mean():.3f}"
    )
    for where, inside in (("scenes", lines.scene), ("workspaces", ~lines.scene)):
        part = inside & lines.judged & lines.wanted & np.isin(lines.kind, drawers)
        if not part.any():
            continue
        share = kinds[part][:, drawers] / kinds[part][:, drawers].sum(1, keepdims=True)
        right, two = (
            drawers[share.argmax(1)] == lines.kind[part],
            (drawers[np.argsort(-share, 1)[:, :2]] == lines.kind[part][:, None]).any(1),
        )
        sure = share.max(1) >= 0.6
        print(
            f"right drawer of {len(drawers)}, {where}: {right.mean():.3f}, among two {two.mean():.3f}; with a chance of 0.6 ({sure.mean():.2f} of the lines) {right[sure].mean():.3f}; calibration error {calibration(share.max(1), right):.3f}"
        )
        if where == "scenes":
            print("\n| drawer | lines | found | right |\n|---|---|---|---|")
            said = drawers[share.argmax(1)]
            for at, name in zip(drawers, DRAWERS, strict=True):
                of = lines.kind[part] == at
                print(
                    f"| {name} | {of.sum()} | {(said[of] == at).mean():.2f} | {of[said == at].mean() if (said == at).any() else float('nan'):.2f} |"
                )


def print_about(lines: Any, about: Any, name: str) -> None:
    """How well related pairs stand out among all pairs of a scene, and how often the right memory line comes first."""
    print(
        f"\n## About the same thing, {name}\n\n| left out | pairs | related | AUC | AP | recall at precision .5 / .8 / .9 | right line first | among three |\n|---|---|---|---|---|---|---|---|"
    )
    files = lines.group[lines.pair_row]
    for file in [*sorted(set(files[lines.pair_known])), "all"]:
        part = np.flatnonzero(((files == file) | (file == "all")) & lines.pair_known)
        wanted, score, row = lines.related[part], about[part], lines.pair_row[part]
        order = np.lexsort((-score, row))
        rank = np.arange(len(order)) - np.searchsorted(row[order], row[order])
        concerned = len(set(row[wanted]))
        first, three = (len(set(row[order][wanted[order] & (rank < top)])) / concerned for top in (1, 3))
        at = " ".join(f"{recall(score, wanted, share):.2f}" for share in (0.5, 0.8, 0.9))
        print(
            f"| {file} | {len(part):,} | {wanted.sum():,} | {auc(wanted, score):.3f} | {average_precision(wanted, score):.3f} | {at} | {first:.2f} | {three:.2f} |"
        )
