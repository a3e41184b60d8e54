"""Several versions of one fact: the newest is current, older ones superseded; look-alikes are left alone."""

from __future__ import annotations

import pytest

from reverie.evidence.search import Hit, with_versions
from reverie.workspace.values import stated

Marks = list[tuple[bool | None, str]]


def hit(day: int, text: str, heading: str = "", parents: str = "", origin: str = "owner") -> Hit:
    claim = stated(f"memory/2026-11-{day:02d}.md", 3, 3, text, heading, parents, f"2026-11-{day:02d}", origin)
    return Hit(claim, 1.0, 1.0, 0.0, "", day)


def marks(*hits: Hit) -> Marks:
    return [(found.current, found.superseded_by) for found in with_versions(hits)]


NEWER = "memory/2026-11-09.md:3"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The gateway listens on port 8443", "The gateway listens on port 9443"),
        ("**Port:** 8443", "**Port:** 9443"),
        ("The report is due on 2026-11-20", "The report is due on 2026-11-27"),
        ("The goats get hay", "The goats get no hay"),
        ("Elsa's lesson is at 16:15", "Elsa's lesson is at 17:00"),
        ("每天 7 点跑步", "每天 6 点跑步"),
        ("Die Miete beträgt 1.200 Euro", "Die Miete beträgt 1.350 Euro"),
    ],
)
def test_a_changed_value_makes_the_older_line_superseded(old: str, new: str) -> None:
    assert marks(hit(1, old), hit(9, new)) == [(False, NEWER), (True, "")]
    assert marks(hit(9, new), hit(1, old)) == [(True, ""), (False, NEWER)]


def test_of_three_versions_the_newest_is_current() -> None:
    found = marks(hit(1, "it listens on port 80"), hit(9, "it listens on port 82"), hit(5, "it listens on port 81"))

    assert found == [(False, NEWER), (True, ""), (False, NEWER)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(hit(1, "Ann owes 20 euro"), hit(9, "Bob owes 30 euro"), id="other name"),
        pytest.param(hit(1, "The door does open at 8"), hit(9, "The door does not open at 9"), id="negation"),
        pytest.param(hit(1, "会议在 8 点"), hit(9, "会议不在 9 点"), id="Chinese negation"),
        pytest.param(hit(1, "Ann pays Bob 20 euro"), hit(9, "Bob pays Ann 30 euro"), id="who pays whom"),
        pytest.param(hit(1, "temperature 21", "Kitchen"), hit(9, "temperature 12", "Cellar"), id="other heading"),
        pytest.param(hit(1, "port 80", "", "nas"), hit(9, "port 81", "", "router"), id="other parent"),
        pytest.param(hit(1, "**Port:** 80", "nas"), hit(9, "**Port:** 81", "router"), id="key, other heading"),
        pytest.param(hit(1, "**Editor:** vim"), hit(9, "**Shell:** fish"), id="other key"),
        pytest.param(hit(1, "likes black tea"), hit(9, "likes green tea"), id="both may be true"),
        pytest.param(hit(1, "likes tea"), hit(9, "likes tea"), id="the same words"),
        pytest.param(hit(1, "**Reading:** Two Lamps"), hit(9, "**Reading:** The Quay"), id="one key, no value"),
        pytest.param(hit(1, "port is 80"), hit(9, "port is 81", origin="quoted"), id="somebody else says so"),
        pytest.param(hit(1, "port is 80"), hit(1, "port is 81"), id="the same day"),
        pytest.param(hit(1, "80"), hit(9, "81"), id="bare numbers"),
    ],
)
def test_look_alikes_are_left_unmarked(one: Hit, other: Hit) -> None:
    assert marks(one, other) == marks(other, one) == [(None, ""), (None, "")]


def test_a_line_without_a_day_is_neither_newer_nor_older() -> None:
    undated = Hit(stated("MEMORY.md", 3, 3, "port is 80"), 1.0, 1.0, 0.0, "")

    assert marks(undated, hit(9, "port is 81")) == [(None, ""), (None, "")]


def test_nothing_is_lost_and_the_order_stays() -> None:
    hits = [hit(day, f"port is {day}") for day in (3, 9, 1)] + [hit(2, "tea")]

    assert [found.number for found in with_versions(hits)] == [3, 9, 1, 2]
