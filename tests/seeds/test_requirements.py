"""Every requirement that was read out of the four seed documents has a test that shows it, or a sentence that says why not."""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROWS = [
    tuple(row)
    for row in csv.reader(
        (ROOT / "tests/seeds/requirements.tsv").open(encoding="utf-8"), "excel-tab", quoting=csv.QUOTE_NONE
    )
]


@cache
def text_of(path: str) -> str:
    file = ROOT / path
    return file.read_text("utf-8") if file.is_file() else ""


def is_shown(proof: str) -> bool:
    """`tests/….py::test_name`, a told session, or `docs/….md#a sentence of it`."""
    if proof.startswith("docs/"):
        path, _, sentence = proof.partition("#")
        return bool(sentence) and " ".join(sentence.split()) in " ".join(text_of(path).split())
    path, _, name = proof.partition("::")
    return bool(re.search(rf"^def {re.escape(name)}\(", text_of(path), re.M)) if name else bool(text_of(path))


def test_every_requirement_has_a_test_or_a_reason() -> None:
    assert [row for row in ROWS if len(row) != 4 or not is_shown(row[3])] == []


def test_they_are_all_there_once() -> None:
    assert len(ROWS) >= 351 and len({row[:3] for row in ROWS}) == len(ROWS)
    assert {row[0] for row in ROWS} == {"000", "001", "002", "003"}
