"""A wording says what its source says, and nothing else: leaving out, exchanging or turning round a word is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.wording import overreach

KILN = "The kiln runs at 1,040 degrees on Tuesdays, Maren checks it twice"
SAME = [
    (KILN, KILN, []),
    ("The kiln runs at 1,040 degrees on Tuesdays.", KILN, []),
    ("Pottery: The kiln runs at 1,040 degrees on Tuesdays", KILN, ["Pottery"]),
    ("The kiln runs at 1,040 degrees on Tuesdays (2026-11-03)", KILN, ["2026-11-03"]),
    ("Boiler: is serviced in May", "serviced in May", ["Boiler"]),
    ("例会改到周三下午三点", "例会改到周三下午三点，小会议室", []),
    ("工作室：例会在周三下午三点", "例会在周三下午三点", ["工作室"]),
    ("Der Ofen läuft dienstags", "Der Ofen läuft dienstags, Maren war da", []),
]
OTHER = [
    ("The kiln runs at 1,400 degrees on Tuesdays", KILN, [], "a number is exchanged"),
    ("The kiln runs at 1,040 degrees on Fridays", KILN, [], "a day is exchanged"),
    ("The kiln runs on Tuesdays", KILN, [], "the amount is left out of its clause"),
    ("Maren: The kiln runs at 1,040 degrees on Tuesdays", "The kiln runs at 1,040 degrees on Tuesdays", ["Pottery"], "a name is invented"),
    ("Invoices go out on Friday", "Invoices never go out on Friday", [], "a negation is dropped"),
    ("Invoices never go out on Friday", "Invoices go out on Friday", [], "a negation is added"),
    ("Visitors may park in the yard", "Visitors may park in the yard, unless it is market day", [], "the condition is dropped"),
    ("We move to the new tariff", "We move to the new tariff, perhaps", [], "the doubt is dropped"),
    ("Ilka owes Jonte 40", "Jonte owes Ilka 40", [], "who owes whom is turned round"),
    ("Rent 610 for the cellar", "Rent 450 for the shed, 610 for the cellar and the attic", [], "half a clause"),
    ("Pump 12: runs at night", "runs at night", ["Pump 12"], "a number may not come in as a subject"),
    ("例会改到周四下午三点", "例会改到周三下午三点", [], "a day is exchanged"),
    ("阿宁可以周末发货", "阿宁不可以周末发货", [], "a negation is dropped"),
    ("Der Ofen läuft dienstags", "Der Ofen läuft dienstags, aber nur im Winter", [], "the condition is dropped"),
    ("Only the kiln runs at night", "The kiln runs at night", [], "a limit is added"),
    ("The kiln is safe and cheap", "The kiln is safe", [], "a word is added"),
    ("!!!", KILN, [], "nothing is said"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "source", "about"), SAME)
def test_the_same_in_fewer_words_may_stand(text: str, source: str, about: list[str]) -> None:
    assert overreach(text, [source], about) == ""


@pytest.mark.parametrize(("text", "source", "about", "why"), OTHER)
def test_anything_else_may_not(text: str, source: str, about: list[str], why: str) -> None:
    assert overreach(text, [source], about) != "", why


WORDS = st.lists(
    st.sampled_from(
        [
            "kiln",
            "runs",
            "at",
            "1040",
            "1400",
            "not",
            "on",
            "Tuesday",
            "Friday",
            "Maren",
            "Jonte",
            "owes",
            "周三",
            "周四",
            "不",
            "发货",
        ]
    ),
    min_size=3,
    max_size=9,
)


@given(WORDS, WORDS)
def test_no_wording_has_a_number_that_its_source_lacks(text: list[str], source: list[str]) -> None:
    if overreach(" ".join(text), [" ".join(source)]) == "":
        assert {word for word in text if word.isdigit()} <= set(source)


@given(WORDS)
def test_every_line_may_stand_as_it_is(words: list[str]) -> None:
    assert overreach(" ".join(words), [" ".join(words)]) == ""
