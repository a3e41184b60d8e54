"""How many lines that open something are held back, and how many ordinary ones with them?

    REVERIE_JUDGEMENT=… REVERIE_SCENES=… REVERIE_BENCH=… python benchmarks/access.py [--show]

Recall is counted on the invented secrets of `tests/privacy/test_access.py`, the cost on texts that hold none or hardly any: labelled
statements, scenes, the negatives of a public set of tokens, the notes of our own nights. The first three are no part of the
project; what is not there is left out. `--show` prints what was missed and what was held back.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from reverie.privacy.redact import holds_secret, redacted
from reverie.text.lines import split_lines

ROOT = Path(__file__).parents[1]
TEXTS = ("text", "old", "new", "context", "question", "summary")  # the fields of a labelled row that people wrote


def _rows(folder: Path) -> Iterator[Any]:
    for path in sorted(folder.glob("*.jsonl")):
        yield from (json.loads(line) for line in split_lines(path.read_text("utf-8")) if line.strip())


def _written(value: Any) -> Iterator[str]:
    """Every text a person wrote in a row, whatever it is nested in."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, str):
                yield from split_lines(inner) if name in TEXTS else ()
            else:
                yield from _written(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _written(inner)


def _notes_of_scenes(folder: Path, *, secret: bool) -> Iterator[str]:
    """The notes of the scenes that are labelled a secret, or those that are not."""
    for row in _rows(folder):
        kinds = {one: label.get("kind") for one, label in row["labels"].items()}
        yield from (note["text"] for note in row["notes"] if (kinds.get(note["id"]) == "secret") == secret)


def _negatives(bench: Path) -> Iterator[str]:
    for line in split_lines((bench / "secrets_gitleaks.jsonl").read_text("utf-8")):
        row: Any = json.loads(line) if line.strip() else {"is_secret": 1}
        if not row["is_secret"]:
            yield row["text"]


def _notes() -> Iterator[str]:
    for path in sorted((ROOT / "benchmarks" / "nights").glob("*/workspace/**/*.md")):
        yield from split_lines(path.read_text("utf-8"))


def held_back(name: str, lines: Iterable[str], *, show: bool) -> None:
    every = [line.rstrip() for line in lines if line.strip()]
    held = [line for line in every if holds_secret(line)]
    for line in held if show else ():
        print(f"  {redacted(line, frozenset())[:170]}   <   {line[:170]}")
    share = len(held) / max(len(every), 1)
    print(f"{name:13} {len(held):4} of {len(every):6} lines held back  {share:6.2%}")


def recall(*, show: bool) -> None:
    sys.path[:0] = [str(ROOT / "tests" / "privacy")]
    from test_access import IN_SIGNS, IN_WORDS  # the list is data of the tests, which are no package

    for name, secrets in (("in signs", IN_SIGNS), ("in words", IN_WORDS)):
        missed = [line for line, value in secrets if value in redacted(line) or not holds_secret(line)]
        for line in missed if show else ():
            print(f"  missed: {redacted(line)}   <   {line}")
        print(f"{name:12} {len(secrets) - len(missed):4} of {len(secrets):6} secrets found")


def main() -> None:
    show = "--show" in sys.argv[1:]
    recall(show=show)
    held_back("nights", _notes(), show=show)
    for name, variable, lines in (
        ("judgement", "REVERIE_JUDGEMENT", lambda path: (text for row in _rows(path) for text in _written(row))),
        ("scenes", "REVERIE_SCENES", lambda path: _notes_of_scenes(path, secret=False)),
        ("their secrets", "REVERIE_SCENES", lambda path: _notes_of_scenes(path, secret=True)),
        ("negatives", "REVERIE_BENCH", _negatives),
    ):
        if folder := os.environ.get(variable):
            held_back(name, lines(Path(folder)), show=show)
        else:
            print(f"{name:12} is not here: set {variable} to its folder.")


if __name__ == "__main__":
    main()
