"""A claim as one line of MEMORY.md: the owner's words, its subject, its days, nothing invented, nothing cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.judge.compose import LONGEST, at_home, composed, plain_line, whole_sentences
from reverie.text.lines import count_units
from reverie.text.terms import bag
from reverie.workspace.values import stated

DAY = "2026-03-18"  # a Wednesday


def line(text: str, heading: str = "", parents: str = "", day: str = DAY) -> str:
    return composed(stated(f"memory/{day}.md", 3, 3, text, heading, parents, day))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("**Decision:** the shop closes on Mondays", "**Decision:** the shop closes on Mondays"),
        ("14:05 — Greta decided to sell the old van", "Greta decided to sell the old van"),
        ("[x] the [manual](https://example.org/m) is blue", "the [manual](https://example.org/m) is blue"),
        ("rates: 10. 20. 30. 40,5 %  (net)", "rates: 10. 20. 30. 40,5 %  (net)"),
        ("No meetings on Friday afternoon", "No meetings on Friday afternoon"),
        ("Yesterday we moved the stall to the north gate", "On 2026-03-17 we moved the stall to the north gate"),
        ("昨天把摊位搬到了北门", "2026-03-17把摊位搬到了北门"),
        ("Gestern haben wir den Stand ans Nordtor verlegt", "Am 2026-03-17 haben wir den Stand ans Nordtor verlegt"),
        ("Every Monday the stall stays closed", "Every Monday the stall stays closed"),
    ],
)
def test_the_owners_words_without_debris_and_with_real_days(text: str, said: str) -> None:
    assert line(text) == said


def test_a_line_without_its_subject_takes_it_from_its_parent_or_its_heading() -> None:
    assert (
        line("answers only by letter", parents="Mr Abernathy, landlord:")
        == "Mr Abernathy, landlord: answers only by letter"
    )
    assert line("threshold is 8 % now", heading="Log > South region") == "South region: threshold is 8 % now"
    assert (
        line("They close at noon on Fridays", heading="Harbour office")
        == "Harbour office: They close at noon on Fridays"
    )


@pytest.mark.parametrize("heading", ["Morning", "Mittwoch", "下午", "Notes", "2026-03-18", "14:05", "Misc > Evening"])
def test_a_heading_that_only_frames_the_day_is_no_subject(heading: str) -> None:
    assert line("threshold is 8 % now", heading=heading) == "threshold is 8 % now"


def test_what_is_too_long_ends_with_a_sentence_and_never_in_one() -> None:
    first = "The kiln needs forty minutes to reach its first plateau."

    assert line(f"{first} {'Then it rests for a while, ' * 20}") == first
    assert whole_sentences("The kiln needs forty minutes, " * 20) == ""


def test_a_line_with_a_number_of_a_person_or_a_secret_is_none() -> None:
    assert line("Ruan keeps the spare key of the boathouse, mobile 087 555 0142, mornings only") == ""
    assert line("password: Tulpen-und-7-Zwerge!x, ask Greta for the rest of the story") == ""


@given(st.text(max_size=400), st.text(max_size=40))
def test_nothing_is_invented_and_one_line_stays_one_line(text: str, heading: str) -> None:
    said = line(text, heading=heading, day="")
    assert "\n" not in said and count_units(said) <= LONGEST
    assert bag(said) <= bag(f"{heading} {text}") | bag(plain_line(text)) | bag(plain_line(heading))


@pytest.mark.parametrize(
    "heading",
    [
        "Sábado 9",
        "6月10日（水）",
        "26 января, понедельник",
        "9月7号 周一",
        "Tuesday, 3rd March",
        "lundi 16 mars",
        "7월 14일 화",
    ],
)
def test_a_heading_of_the_calendar_is_no_subject_in_any_language(heading: str) -> None:
    assert line("the kiln door opens to the left side", heading=heading) == "the kiln door opens to the left side"


def test_under_a_heading_of_its_name_a_line_does_not_repeat_its_subject() -> None:
    claim = stated("memory/2026-05-05.md", 3, 3, "Oil comes in canisters.", "2026-05-05 > Suppliers", "", "2026-05-05")
    own = stated("memory/2026-05-05.md", 3, 3, "Suppliers: Kern and Rauch", "2026-05-05", "", "2026-05-05")

    assert composed(claim) == "Suppliers: Oil comes in canisters."
    assert at_home(composed(claim), "Suppliers", claim) == "Oil comes in canisters."
    assert at_home(composed(claim), "Kitchen", claim) == composed(claim)
    assert at_home(composed(own), "Suppliers", own) == "Suppliers: Kern and Rauch"
