"""How well the search finds one line of a memory by a question in another language, or in the same in other words.

python evals/retrieval.py [FILE]      FILE: evals/languages.jsonl, a line for each question:
{"lines": ["…", "…"], "question": "…", "language": "de", "answer": 1}
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import reverie


def rank(search: Callable[..., Any], lines: list[str], question: str, answer: int) -> int:
    """The place of the answer among the hits, from 1; 0: it is not there."""
    with tempfile.TemporaryDirectory() as place:
        os.environ |= {"XDG_CACHE_HOME": f"{place}/cache", "XDG_STATE_HOME": f"{place}/state"}
        memory = Path(place) / "workspace/MEMORY.md"
        memory.parent.mkdir()
        memory.write_text("".join(f"- {line}\n" for line in lines), "utf-8")
        places = [
            hit.line
            for hit in search(reverie.open_workspace(str(memory.parent)), datetime(2026, 11, 15), question).hits
        ]
        return places.index(answer + 1) + 1 if answer + 1 in places else 0


def main(path: Path) -> None:
    if not callable(search := getattr(reverie, "search", None)):
        sys.exit("This version of reverie has no search yet.")
    if not path.is_file():
        sys.exit(f"{path} is not there; the head of this script shows a line of it.")
    ranks: dict[str, list[int]] = {}
    for asked in map(json.loads, filter(str.strip, path.read_text("utf-8").splitlines())):
        place = rank(search, asked["lines"], asked["question"], asked["answer"])
        ranks.setdefault(asked["language"], []).append(place)
    print("language  questions   R@1   R@5   MRR")
    for name, places in [*sorted(ranks.items()), ("all", [n for found in ranks.values() for n in found])]:
        first, five = (sum(0 < n <= most for n in places) / len(places) for most in (1, 5))
        print(f"{name:9} {len(places):9} {first:5.2f} {five:5.2f} {sum(1 / n for n in places if n) / len(places):5.2f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).with_name("languages.jsonl"))
