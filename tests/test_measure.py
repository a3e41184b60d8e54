"""What is told in passing stays in its note: measured by letters and forms, not by words that announce it."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from conftest import NOW, Make, memory_of
from reverie.night import brief, run_night
from reverie.privacy import measure
from reverie.privacy.secrets import holds_secret, may_hold_secret, shows_secret
from reverie.retrieval.search import search

TOLD = [
    "the painter got in with two-two-oh-nine, mind the handle",
    "wer zum Boot will, dreht auf 7 3 1 und zieht",
    "for the cellar you just say Holunderbeere to Anton and he lets you through",
]
UNSEEN = (Path(__file__).parent.parent / "evals/secrets/unseen/1.txt").read_text("utf-8").splitlines()
PLAIN = [
    "we painted the fence twice",
    "the new lift stops on 4 floors",
    "Decision: the boat is sold to the harbour club",
]


@pytest.mark.parametrize("line", TOLD)
def test_what_no_form_shows_is_measured(line: str) -> None:
    assert may_hold_secret(line) and not shows_secret(line)


def test_plain_lines_are_left_alone() -> None:
    assert [line for line in PLAIN if may_hold_secret(line)] == []


def test_what_is_sure_is_likely_too() -> None:
    assert [line for line in [*TOLD, *PLAIN] if holds_secret(line) and not may_hold_secret(line)] == []


def test_such_a_line_reaches_no_judge_no_memory_and_no_answer(workspace: Make) -> None:
    notes = "".join(f"- {line}\n" for line in [*TOLD, *PLAIN])
    layout = workspace("## Facts\n- the shed is of slate\n", {"memory/2026-03-30.md": notes})
    asked = brief(layout, NOW)
    found = [hit.text for line in TOLD for hit in search(layout, NOW, line).hits]
    run_night(layout, NOW)
    shown = "\n".join([asked, *found, memory_of(layout)])
    assert [line for line in TOLD if line in shown] == [] and PLAIN[2] in asked and PLAIN[2] in memory_of(layout)


def test_what_is_in_memory_already_and_not_sure_is_shown_and_stays(workspace: Make) -> None:
    doubted = next(line for line in map(str.strip, UNSEEN) if may_hold_secret(line) and not holds_secret(line))
    layout = workspace(f"## Facts\n- {doubted}\n- tea\n- tea\n")
    assert doubted in brief(layout, NOW)
    run_night(layout, NOW)
    assert memory_of(layout) == f"## Facts\n- {doubted}\n- tea\n"


def test_the_sum_over_all_that_a_line_is_measured_by_is_its_score() -> None:
    for line in [*TOLD, *PLAIN, "门口按九二七再按井号", "Kite-42x! → İstanbul ﬁne \ud800"]:
        weights, places = measure._weights(), measure.places(line)
        rows = zip(weights.rows, weights.measures, strict=True)
        expected = max(bias + step * sum(map(row.__getitem__, places)) for row, (bias, step) in rows)
        assert measure.score(line) == pytest.approx(expected)


@pytest.mark.parametrize("piece", ["a", "1 ", "钥", "a-", "Aa1!", "\u0301", " "])
def test_a_megabyte_takes_no_time(piece: str) -> None:
    start = process_time()
    measure.score((piece * 1_000_000)[:1_000_000])
    assert process_time() - start < 0.5
