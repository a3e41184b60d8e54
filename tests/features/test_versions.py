"""Several versions of one fact: the newest is current and first, older ones superseded; look-alikes are left alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reverie.evidence.search import Hit
from reverie.features.versions import newest_first
from reverie.workspace.values import stated

Marks = list[tuple[bool | None, str]]


def hit(day: int, text: str, heading: str = "", parents: str = "", origin: str = "owner") -> Hit:
    claim = stated(f"memory/2026-11-{day:02d}.md", 3, 3, text, heading, parents, f"2026-11-{day:02d}", origin)
    return Hit(claim, 1.0, 1.0, 0.0, "", day)


def marks(*hits: Hit, question: str = "", since: str = "") -> Marks:
    return [(found.current, found.superseded_by) for found in newest_first(question, hits, 9, since)]


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
    assert marks(hit(1, old), hit(9, new)) == [(True, ""), (False, NEWER)]
    assert marks(hit(9, new), hit(1, old)) == [(True, ""), (False, NEWER)]


def test_of_three_versions_the_newest_is_current() -> None:
    found = marks(hit(1, "it listens on port 80"), hit(9, "it listens on port 82"), hit(5, "it listens on port 81"))

    assert found == [(True, ""), (False, NEWER), (False, NEWER)]


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


def test_a_line_of_memory_is_older_than_a_note_unless_a_night_came_after_it() -> None:
    undated = Hit(stated("MEMORY.md", 3, 3, "port is 80"), 1.0, 1.0, 0.0, "")

    assert marks(undated, hit(9, "port is 81")) == [(True, ""), (False, NEWER)]
    assert marks(undated, hit(9, "port is 81"), since="2026-11-12") == [(True, ""), (False, "MEMORY.md:3")]


def test_a_newer_note_that_says_the_same_again_confirms_the_line() -> None:
    memory = Hit(stated("MEMORY.md", 3, 3, "**Port:** 80"), 1.0, 1.0, 0.0, "")

    assert marks(memory, hit(5, "**Port:** 81"), hit(9, "**Port:** 80"))[0][0] is not False


def test_another_invoice_is_no_newer_version_of_the_one_that_was_asked_for() -> None:
    hits = hit(1, "Invoice 300 comes to 21 euros"), hit(9, "Invoice 800 comes to 56 euros")

    assert [found.number for found in newest_first("How much is invoice 300?", hits, 9)] == [1, 9]


def test_a_change_told_in_other_words_stands_before_the_line_it_changes() -> None:
    """No form shows it: the learned judge says that both are about the same, and the question that both answer it."""
    old = replace(
        Hit(stated("MEMORY.md", 3, 3, "**Choir:** rehearsal Monday 19:30 in the old school"), 1.0, 1.0, 0.5, ""),
        chance=0.9,
    )
    new = replace(hit(9, "**Choir:** rehearsal now Thursday 20:00, still the old school"), chance=0.7)

    assert newest_first("when is choir rehearsal?", (old, new), 9)[0].place == NEWER
    assert newest_first("when is choir rehearsal?", (old, new), 9, valid={old.claim})[0].place != NEWER  # it is over


def test_nothing_is_lost() -> None:
    hits = [hit(day, f"port is {day}") for day in (3, 9, 1)] + [hit(2, "tea")]

    assert [found.number for found in newest_first("", hits, 9)] == [9, 3, 1, 2]


def test_a_strangers_word_never_takes_the_place_of_the_owners() -> None:
    old = replace(
        Hit(stated("MEMORY.md", 3, 3, "**Choir:** rehearsal Monday 19:30 in the old school"), 1.0, 1.0, 0.5, ""),
        chance=0.9,
    )
    new = "**Choir:** rehearsal now Thursday 20:00, still the old school"
    question = "when is choir rehearsal?"

    firsts = [
        newest_first(question, (old, replace(hit(9, new, origin=who), chance=0.7)), 9)[0] for who in ("owner", "quoted")
    ]

    assert [one.place for one in firsts] == [NEWER, old.place]
