"""Honest rewordings and wrong ones, written by blind authors: what the checks refuse and what they let pass.

    REVERIE_REWORDINGS=/path/to/folder python benchmarks/rewordings.py [--show]

One JSON object a line in `rewordings-*.jsonl`: the day, the heading and the lines that are cited, the memory line that is told
anew (if any), the text, and whether it is true. The data is not part of the repository.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

from reverie.judge.brief import Brief, MemoryLine, NoteLine
from reverie.judge.checks import refusal
from reverie.judge.operation import Op, Operation
from reverie.text.markdown import Block, Shape
from reverie.workspace.values import Origin, Source, Statement, stated


def case(row: dict[str, Any]) -> tuple[Operation, Brief]:
    claims = tuple(
        stated(f"memory/{row['day']}.md", at, at, text, row["heading"], day=row["day"])
        for at, text in enumerate(row["cites"], 1)
    )
    section = row["heading"].split(" > ")[0]
    notes = tuple(NoteLine(f"n{at}", claim, (row["day"],)) for at, claim in enumerate(claims, 1))
    block = Block(Shape.BULLET, 0, 1, row["memory"], tail=1)
    entry = Statement(row["memory"], Source("MEMORY.md", 1, 1), block, Origin.OWNER, (section,))
    brief = Brief(
        date.fromisoformat(row["day"]), (MemoryLine("m1", entry),) if row["memory"] else (), notes, sections=(section,)
    )
    if row["memory"]:
        return Operation(Op.UPDATE, "", claims, (entry,), row["text"]), brief
    return Operation(Op.ADD, "", claims, text=row["text"], section=section), brief


def main() -> None:
    folder, counts = Path(os.environ["REVERIE_REWORDINGS"]), Counter[tuple[str, bool, bool]]()
    for path in sorted(folder.glob("rewordings-*.jsonl")):
        for line in path.read_text("utf-8").strip().split("\n"):
            row = json.loads(line)
            why = refusal(*case(row))
            counts[row["lang"], row["true"], bool(why)] += 1
            if "--show" in sys.argv and row["true"] is bool(why):
                print(
                    row["lang"],
                    "REFUSED" if row["true"] else "PASSED",
                    row["text"],
                    "|",
                    row["cites"],
                    "|",
                    row["memory"],
                    "|",
                    why or row["what"],
                )
    for lang in sorted({key[0] for key in counts}):
        true, false = (counts[lang, kind, False] + counts[lang, kind, True] for kind in (True, False))
        print(
            f"{lang}: true refused {counts[lang, True, True]} of {true}, false passed {counts[lang, False, False]} of {false}"
        )


if __name__ == "__main__":
    main()
