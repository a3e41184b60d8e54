"""Does a night help? The questions of every case, answered from memory alone: before, after, and after a placebo.

    python evals/helps.py [CASE …]      a labelled night or a folder of them; without any, evals/nights

A question counts as answered where one line of memory has all that its answer needs, within the 18,000 characters that a host
reads. The placebo takes as many lines away as the night did, at random (mean of 50 draws), and adds none.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from reverie.judge import rules
from reverie.night import show
from reverie.workspace.layout import layout_of
from run import Night, led_by, nights, recorded
from score import any_line

READ, DRAWS = 18_000, 50


def lines_of(root: Path) -> list[str]:
    """What a host reads of memory."""
    return [line for text in show(layout_of(root)).values() for line in text[:READ].split("\n") if line.strip()]


def answered(lines: Sequence[str], asked: Sequence[dict[str, Any]]) -> float:
    return sum(any_line(question["match"], lines) for question in asked) / len(asked)


def shares(case: Path, done: Sequence[Night]) -> tuple[float, float, float, int]:
    """Before, after, after the placebo; and how many lines left."""
    gold = json.loads((case / "gold.json").read_text("utf-8"))
    asked = [question for question in gold["ask"] if question.get("where", "memory") == "memory"]
    moments = [datetime.fromisoformat(moment) for moment in gold.get("nights", [gold["now"]])]
    with tempfile.TemporaryDirectory() as place:
        os.environ |= {"XDG_CACHE_HOME": f"{place}/a", "XDG_STATE_HOME": f"{place}/b"}
        list(
            nights(
                case / "workspace", root := Path(place) / "workspace", moments, [*done] * (len(moments) // len(done))
            )
        )
        before, after = lines_of(case / "workspace"), lines_of(root)
    left, chance = len(set(before) - set(after)), random.Random(1)
    draws = [answered(chance.sample(before, len(before) - left), asked) for _ in range(DRAWS)]
    return answered(before, asked), answered(after, asked), sum(draws) / DRAWS, left


def main(places: Sequence[str]) -> None:
    folders = [Path(place) for place in places] or [Path(__file__).with_name("nights")]
    cases = sorted(path.parent for folder in folders for path in folder.rglob("gold.json"))
    print(f"{'case':16} {'judge':9} before  after  placebo  lines that left")
    found: dict[str, list[tuple[float, float, float, int]]] = {}
    for case in cases:
        ways = {"rules": [led_by(rules.decide)]}
        if answers := sorted(case.glob("answer*.json")):
            ways["recorded"] = [led_by(recorded(answer.read_text("utf-8"))) for answer in answers]
        for name, done in ways.items():
            found.setdefault(name, []).append(row := shares(case, done))
            print(f"{case.name:16} {name:9} {row[0]:6.2f} {row[1]:6.2f} {row[2]:8.2f} {row[3]:8}")
    for name, rows in found.items():
        means = [sum(row[n] for row in rows) / len(rows) for n in range(4)]
        print(f"{f'mean of {len(rows)}':16} {name:9} {means[0]:6.2f} {means[1]:6.2f} {means[2]:8.2f} {means[3]:8.1f}")


if __name__ == "__main__":
    main(sys.argv[1:])
