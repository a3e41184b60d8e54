"""A line leaves when it says itself until when it holds, and that day is past. Never by age."""

from __future__ import annotations

from datetime import date

import pytest

from conftest import Build
from reverie.judge.leaving import end_of, find_expired, is_over, missing_files
from reverie.judge.operation import Op
from reverie.workspace.reader import read_workspace

TODAY = date(2026, 3, 15)
OVER = [
    "Trial of the transcription service runs until 2026-02-28",
    "Corridor closed for painting until 28 February 2026",
    "Voucher for the pottery course, valid until Feb 28, 2026",
    "Probeabo der Zeitung bis 28.02.2026",
    "Elternzeit von Kai bis zum 28. Februar 2026",
    "健身房优惠到2026年2月28日",
    "冰场租期到 2026-02-28 为止",
    "Museo cerrado hasta el 28 de febrero de 2026",
    "Essai gratuit jusqu'au 28 février 2026",
    "Loja fechada até 28 de fevereiro de 2026",
    "Акция на билеты действует до 28 февраля 2026",
    "社員割引は2026年2月28日まで有効",
    "체험 기간은 2026년 2월 28일까지",
]
STAYS = [
    "Trial of the scanner runs until 2026-04-30",
    "Lived in the yellow house until 2019-05-01 and was happy there",
    "2026-02-01: trial agreed until 2026-02-28",
    "Trial until 2026-02-28, then the yearly plan from 2026-06-01 on",
    "📌 Voucher valid until 2026-02-28",
    "Bakery opens at 7, closed until noon on Sundays",
    "The bakery was closed until 2026-02-28",  # it tells of the past
    "Bought the bike on 2019-02-28",
    "Trial until the end of winter",
    "The river path reaches up to 28 bends",
    "Passport number is in the safe until 31.02.2026",
]


@pytest.mark.parametrize("line", OVER)
def test_what_names_its_own_end_leaves_when_it_is_past(build: Build, line: str) -> None:
    memory = read_workspace(build({"MEMORY.md": f"# Me\n- {line}\n- lives in Bern\n"})).files["MEMORY.md"]

    (end,) = find_expired(memory, TODAY)

    assert (end.op, end.tag, [entry.text for entry in end.memory]) == (Op.END, "stale", [line])
    assert "2026-02-28" in end.why
    assert find_expired(memory, date(2026, 2, 28)) == ()  # the last day still counts
    assert end_of(line) == date(2026, 2, 28)


@pytest.mark.parametrize("line", STAYS)
def test_everything_else_stays(build: Build, line: str) -> None:
    memory = read_workspace(build({"MEMORY.md": f"# Me\n- {line}\n"})).files["MEMORY.md"]

    assert find_expired(memory, TODAY) == ()


def test_an_item_with_lines_below_it_and_a_protected_one_stay(build: Build) -> None:
    text = "# Me\n- Trial until 2026-02-28\n  - the password is with Kai\n\n## House rules\n- Pool closed until 2026-02-28\n"

    assert find_expired(read_workspace(build({"MEMORY.md": text})).files["MEMORY.md"], TODAY) == ()


def test_a_note_that_is_gone_is_pointed_out_and_nothing_moves(build: Build) -> None:
    text = "# Me\n- recipes in `memory/recipes.md`\n- plans in `memory/plans.md`\n- code in `src/main.md`\n"

    snapshot = read_workspace(build({"MEMORY.md": text, "memory/plans.md": "- a plan\n"}))

    assert find_expired(snapshot.files["MEMORY.md"], TODAY) == ()
    assert [notice.why for notice in missing_files(snapshot)] == [
        "it names memory/recipes.md, which is not there any more"
    ]


@pytest.mark.parametrize(
    ("said", "over"),
    [
        ("Vacation until 2026-02-05", True),
        ("Urlaub bis 05.02.2026, Ada ist nicht im Büro", True),
        ("试用有效期到2026年2月5日", True),
        ("Vacation until 2026-12-05", False),
        ("Ada lived in Bern until 2019-05-01", False),
        ("Plays the cello", False),
    ],
)
def test_what_is_over_by_its_own_word_need_not_enter(said: str, over: bool) -> None:
    assert is_over(said, ("Stable Knowledge",), TODAY) is over
