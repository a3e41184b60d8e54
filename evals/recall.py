"""Whether recall answers what a memory knows, and is silent about what it does not.

    python evals/recall.py [--talk FILE] [CASE …]

CASE: a labelled night or a folder of them; without any, evals/nights. Each is asked after its night, led by the recorded answer
or by the rules. FILE: a line for each message that asks no memory anything ("thanks, that works").
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
import time
from datetime import datetime
from pathlib import Path
from typing import Any

from reverie.judge import rules
from reverie.night import review
from reverie.retrieval.recall import recall
from reverie.retrieval.search import Searcher
from reverie.workspace.layout import layout_of
from run import recorded
from score import any_line


class Asked:
    """A workspace after its night, and what is asked of it."""

    def __init__(self, case: Path, root: Path) -> None:
        shutil.copytree(case / "workspace", root)
        gold = json.loads((case / "gold.json").read_text("utf-8"))
        self.own: list[dict[str, Any]] = [asked for asked in gold.get("ask", ()) if asked.get("where") != "ledger"]
        self.now = datetime.fromisoformat(gold.get("nights", [gold["now"]])[-1])
        self.layout, answer = layout_of(root), case / "answer.json"
        self.spent = list[float]()
        review(self.layout, self.now, recorded(answer.read_text("utf-8")) if answer.is_file() else rules.decide)
        self._searcher = Searcher(self.layout)

    def lines(self, question: str) -> tuple[str, ...]:
        begun = time.process_time()
        lines = recall(self.layout, self.now, question, searcher=self._searcher).lines
        self.spent.append((time.process_time() - begun) * 1000)
        return lines


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("cases", nargs="*", type=Path, default=[Path(__file__).with_name("nights")])
    parser.add_argument("--talk", type=Path)
    given = parser.parse_args()
    talk = given.talk.read_text("utf-8").splitlines() if given.talk else []
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"XDG_CACHE_HOME": f"{folder}/cache", "XDG_STATE_HOME": f"{folder}/state"}
        paths = sorted(path.parent for place in given.cases for path in place.rglob("gold.json"))
        cases = [Asked(path, Path(folder, str(number))) for number, path in enumerate(paths)]
        own = [any_line(asked["match"], case.lines(asked["q"])) for case in cases for asked in case.own]
        others = [
            not case.lines(asked["q"]) for case in cases for other in cases if other is not case for asked in other.own
        ]
        chats = [not case.lines(message) for case in cases for message in talk]
    for name, found in (
        ("own questions answered", own),
        ("silent on others' questions", others),
        ("silent on talk", chats),
    ):
        if found:
            print(f"{name:28} {sum(found) / len(found):.3f} of {len(found):,}")
    spent = sorted(milliseconds for case in cases for milliseconds in case.spent)
    print(f"CPU of one: p50 {spent[len(spent) // 2]:.1f} ms, p95 {spent[int(len(spent) * 0.95)]:.1f} ms")


if __name__ == "__main__":
    main()
