"""The table in docs/internals/trust.md is what this suite is: every test of the Atlas has one of ours, or a sentence why not."""

from __future__ import annotations

import ast
import os
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "internals" / "trust.md"
HEAD = "| # | test of the Atlas | what it asks | ours | result |\n|---|---|---|---|---|\n"


def _ours() -> Iterator[tuple[int, str, str]]:
    """Each test of this folder: its number, its claim, and why it is open, if it is."""
    for file in sorted(HERE.glob("test_atlas_*.py")):
        tree = ast.parse(file.read_text("utf-8"))
        open_marks = {
            node.targets[0].id: reason
            for node in tree.body
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and (reason := _reason(node.value))
        }
        for test in tree.body:
            if isinstance(test, ast.FunctionDef) and test.name[5:7].isdigit():
                why = [
                    open_marks.get(mark.id, "") if isinstance(mark, ast.Name) else _reason(mark)
                    for mark in test.decorator_list
                ]
                yield int(test.name[5:7]), test.name[8:].replace("_", " "), "".join(why)


def _reason(mark: ast.expr) -> str:
    """The reason of `pytest.mark.xfail(…)`."""
    if not (isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.xfail"):
        return ""
    return str(next(ast.literal_eval(given.value) for given in mark.keywords if given.arg == "reason"))


def _table() -> str:
    asked = tomllib.loads((HERE / "catalogue.toml").read_text("utf-8"))["test"]
    ours: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for number, claim, why in _ours():
        ours[number].append((claim, why))
    rows = []
    for number, one in enumerate(asked, 1):
        claims = "<br>".join(claim for claim, _ in ours[number]) or one["not_here"]
        open_ones = "; ".join(dict.fromkeys(why for _, why in ours[number] if why))
        result = "does not apply" if not ours[number] else f"open: {open_ones}" if open_ones else "passes"
        rows.append(f"| {number} | `{one['atlas']}` | {one['asks']} | {claims} | {result} |\n")
    return HEAD + "".join(rows)


def test_the_table_in_the_documents_is_the_one_of_this_suite() -> None:
    page = PAGE.read_text("utf-8")
    before, head, rest = page.partition(HEAD)
    after = re.sub(r"\A(?:\|.*\n)*", "", rest)

    if os.environ.get("UPDATE_TRUST"):
        page = before + _table() + after
        PAGE.write_text(page, "utf-8")
    assert head and page == before + _table() + after, (
        "if this is right, UPDATE_TRUST=1 rewrites docs/internals/trust.md"
    )


def test_there_are_twenty_and_each_has_a_test_or_a_reason() -> None:
    asked = tomllib.loads((HERE / "catalogue.toml").read_text("utf-8"))["test"]

    tested = {number for number, _, _ in _ours()}
    assert len(asked) == 20
    assert {number for number, one in enumerate(asked, 1) if "not_here" not in one} == tested
