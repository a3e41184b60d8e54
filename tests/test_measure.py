"""What is told in passing stays in its note: measured by letters and forms, not by words that announce it."""

from __future__ import annotations

from time import process_time

import pytest

from conftest import NOW, Make, memory_of
from reverie.night import brief, run_night
from reverie.privacy import measure
from reverie.privacy.secrets import holds_secret
from reverie.retrieval.search import search

TOLD = [
    "the painter got in with two-two-oh-nine, mind the handle",
    "wer zum Boot will, dreht auf 7 3 1 und zieht",
    "for the cellar you just say Holunderbeere to Anton and he lets you through",
]
PLAIN = [
    "we painted the fence twice",
    "the new lift stops on 4 floors",
    "Decision: the boat is sold to the harbour club",
]


@pytest.mark.parametrize("line", TOLD)
def test_what_no_rule_knows_is_measured(line: str) -> None:
    assert measure.tells_in_passing(line) and not holds_secret(line)


def test_plain_lines_are_far_from_the_bar() -> None:
    assert [line for line in PLAIN if measure.score(line) > -0.5] == []


def test_such_a_line_reaches_no_judge_no_memory_and_no_answer(workspace: Make) -> None:
    notes = "".join(f"- {line}\n" for line in [*TOLD, *PLAIN])
    layout = workspace("## Facts\n- the shed is of slate\n", {"memory/2026-03-30.md": notes})
    asked = brief(layout, NOW)
    found = [hit.text for line in TOLD for hit in search(layout, NOW, line).hits]
    run_night(layout, NOW)
    shown = "\n".join([asked, *found, memory_of(layout)])
    assert [line for line in TOLD if line in shown] == [] and PLAIN[2] in asked and PLAIN[2] in memory_of(layout)


def test_what_is_in_memory_already_is_shown_and_stays(workspace: Make) -> None:
    layout = workspace(f"## Facts\n- {TOLD[0]}\n- tea\n- tea\n")
    assert TOLD[0] in brief(layout, NOW)
    run_night(layout, NOW)
    assert memory_of(layout) == f"## Facts\n- {TOLD[0]}\n- tea\n"


def test_the_sum_of_a_lines_names_is_its_score() -> None:
    for line in [*TOLD, *PLAIN, "门口按九二七再按井号", "Kite-42x! → İstanbul ﬁne \ud800"]:
        weights = measure._weights()
        places = {place for name in measure.names(line, "Home · Keys") if (place := measure._place(name))}
        rows = zip((weights.named, weights.passing), weights.head["measures"], strict=True)
        expected = max(bias + step * sum(row[place] for place in places) for row, (bias, step) in rows)
        assert measure.score(line, "Home · Keys") == pytest.approx(expected)


@pytest.mark.parametrize("piece", ["a", "1 ", "钥", "a-", "Aa1!", "\u0301", " "])
def test_a_megabyte_takes_no_time(piece: str) -> None:
    start = process_time()
    measure.tells_in_passing((piece * 1_000_000)[:1_000_000], piece * 10_000)
    assert process_time() - start < 0.5
