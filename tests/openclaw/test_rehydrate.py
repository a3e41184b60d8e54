"""A candidate is found where it stands now, as it reads now, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.openclaw.rehydrate import FoundAgain, rehydrated
from reverie.openclaw.score import DEFAULT

NOTE = [
    "# 2026-11-12",
    "",
    "## Garden",
    "- The hedge is cut in June",
    "- Compost goes to the north bed",
    "  - never under the roses",
    "",
    "## 花园",
    "- 篱笆六月修剪",
    "",
    "[main/sessions/a.jsonl#L3] User: The gate code changed to the new one",
]


@pytest.mark.parametrize(
    ("snippet", "found"),
    [
        ("The hedge is cut in June", FoundAgain(4, 4, "The hedge is cut in June")),
        ("- The hedge is cut in June", FoundAgain(4, 4, "The hedge is cut in June")),
        ("Garden: The hedge is cut in June", FoundAgain(4, 4, "The hedge is cut in June")),
        (
            "Garden: The hedge is cut in June; Compost goes to the north bed",
            FoundAgain(4, 5, "The hedge is cut in June; Compost goes to the north bed"),
        ),
        ("Garden: Compost goes to the north bed > never under the roses", FoundAgain(6, 6, "never under the roses")),
        ("花园: 篱笆六月修剪", FoundAgain(9, 9, "篱笆六月修剪")),
        (
            "User: The gate code changed to the new one",
            FoundAgain(11, 11, "User: The gate code changed to the new one"),
        ),
        ("The hedge is cut in July", None),
        ("The hedge is cut in June; Compost goes to the south bed", None),
        ("", None),
    ],
)
def test_marks_headings_and_joined_items_do_not_hide_a_fact(snippet: str, found: FoundAgain | None) -> None:
    assert rehydrated(NOTE, 40, 40, snippet, DEFAULT) == found


@given(st.lists(st.sampled_from(["", "filler one", "- filler two", "## Filler"]), max_size=20))
def test_a_fact_is_found_however_far_it_moved(above: list[str]) -> None:
    lines = [*above, "- The hedge is cut in June", "the end"]

    found = rehydrated(lines, 1, 1, "The hedge is cut in June", DEFAULT)

    assert found == FoundAgain(len(above) + 1, len(above) + 1, "The hedge is cut in June")


def test_a_dash_inside_a_line_is_no_list_mark() -> None:
    line = "Tea at four - cake at five"

    assert rehydrated([f"- {line}"], 1, 1, line, DEFAULT) == FoundAgain(1, 1, line)


@pytest.mark.parametrize(
    "line", [" " * 50_000 + "x", "# " + " " * 50_000 + "x", "[" * 50_000, "- " * 20_000, "<!--" * 20_000]
)
def test_a_strange_line_costs_no_time(line: str) -> None:
    assert rehydrated([line, "- Tea at four"], 1, 1, "Tea at four", DEFAULT) == FoundAgain(2, 2, "Tea at four")


def test_of_two_equal_lines_the_nearer_is_taken() -> None:
    lines = ["- Tea at four", *["- other"] * 8, "- Tea at four"]

    assert rehydrated(lines, 9, 9, "Tea at four", DEFAULT) == FoundAgain(10, 10, "Tea at four")


def test_a_line_that_now_denies_it_is_not_the_fact() -> None:
    fact = "we keep the spare key at the neighbour"

    assert rehydrated([f"- Since May {fact}"], 1, 1, fact, DEFAULT) == FoundAgain(1, 1, f"Since May {fact}")
    assert rehydrated(["- It is not true that " + fact], 1, 1, fact, DEFAULT) is None
    assert rehydrated(["- 备用钥匙不放在邻居家"], 1, 1, "备用钥匙放在邻居家", DEFAULT) is None


def test_what_a_dream_wrote_is_never_found() -> None:
    block = ["## Light Sleep", "<!-- openclaw:dreaming:light:start -->", "- Tea at four", "<!-- openclaw:dreaming:light:end -->"]  # fmt: skip

    assert rehydrated(block, 3, 3, "Tea at four", DEFAULT) is None
    assert (
        rehydrated(["- Tea at four", *block[1:2], "- Cake at five"], 1, 1, "Tea at four; Cake at five", DEFAULT) is None
    )
    assert rehydrated([*block, "", "- Tea at four"], 3, 3, "Tea at four", DEFAULT) == FoundAgain(6, 6, "Tea at four")
