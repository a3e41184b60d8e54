"""Every row of the four seed documents has the test that holds it, or the reason why Reverie differs."""

from __future__ import annotations

import ast
import csv
from collections import Counter
from functools import cache
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
ROWS = {"000": 142, "001": 70, "002": 63, "003": 76}  # of each document, as they were counted when it was read


def rows() -> list[dict[str, str]]:
    with open(TESTS / "seeds/requirements.tsv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@cache
def names_in(path: Path) -> set[str]:
    """The tests of a file, by parsing alone."""
    found = ast.parse(path.read_text("utf-8")).body if path.is_file() else []
    return {node.name for node in found if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_row_names_a_test_that_exists_or_the_reason_why_it_differs() -> None:
    for row in rows():
        kind, _, reason = row["test"].partition(": ")
        if kind == "differs":
            assert len(reason.split()) >= 5, row
            continue
        for node in row["test"].split(" "):
            path, _, name = node.partition("[")[0].partition("::")
            assert name.startswith("test_") and name in names_in(TESTS.parent / path), row


def test_no_row_is_missing_or_there_twice() -> None:
    found = [(row["seed"], row["place"], row["requirement"]) for row in rows()]
    assert Counter(seed for seed, *_ in found) == ROWS and len(set(found)) == len(found) and all(map(all, found))
