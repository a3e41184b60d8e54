"""Which later statement changes an earlier one. What only speaks of the same thing changes nothing."""

from __future__ import annotations

import pytest

from reverie.judge.relation import Later
from reverie.workspace.values import Statement, stated

LINE = "The harbour office charges 240 euro a month"


def said(day: int, text: str, first: int = 3) -> Statement:
    return stated(f"memory/2026-11-{day:02d}.md", first, first, text, day=f"2026-11-{day:02d}")


def place(found: Statement | None) -> str:
    return str(found.source) if found else ""


def test_of_several_later_statements_the_newest_counts() -> None:
    later = Later([said(9, LINE.replace("240", "260")), said(12, LINE.replace("240", "310")), said(2, LINE)])

    assert place(later.changing(LINE, "2026-11-05")) == "memory/2026-11-12.md:3"
    assert place(later.changing(LINE, "2026-11-12")) == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (LINE, "Correction: the harbour office charges 310 euro a month"),
        ("**Pump port:** 12, on the old board behind the freezer", "**Pump port:** 31"),
        ("The goats get hay", "The goats get no hay"),
        ("大棚的水泵是 3 千瓦", "大棚的水泵是 5 千瓦"),
    ],
)
def test_another_value_or_a_not_changes_a_line(old: str, new: str) -> None:
    assert place(Later([said(9, new)]).changing(old, "2026-11-05")) == "memory/2026-11-09.md:3"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (LINE, LINE),
        (LINE, "The harbour office was closed, so nobody charged the 240 euro"),
        ("The kiln runs at 900 degrees", "The oven runs at 220 degrees"),
        ("Orla lent Finn 200 euros", "Finn lent Orla 300 euros"),
    ],
)
def test_the_same_and_the_merely_alike_change_nothing(old: str, new: str) -> None:
    assert Later([said(9, new)]).changing(old, "2026-11-05") is None


def test_a_line_does_not_change_itself() -> None:
    newer = said(9, LINE.replace("240", "310"))

    assert Later([newer]).changing(LINE, "2026-11-05", {newer.source}) is None
