"""The day a question asks about: words for days in nine languages, days of the calendar, and questions that name none."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.evidence.relevance import asked_day

SUNDAY = date(2026, 11, 15)
YESTERDAY, TUESDAY, THIRD = date(2026, 11, 14), date(2026, 11, 10), date(2026, 11, 3)


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("what did we do last Tuesday", TUESDAY),
        ("What happened yesterday?", YESTERDAY),
        ("yesterday", YESTERDAY),
        ("What did we decide on Friday?", date(2026, 11, 13)),
        ("what did I say two days ago?", date(2026, 11, 13)),
        ("What did we do on 3 November?", THIRD),
        ("what happened on November 3rd, 2025", date(2025, 11, 3)),
        ("2026-11-03", THIRD),
        ("上周三做了什么", date(2026, 11, 4)),
        ("昨天讨论了什么", YESTERDAY),
        ("前天我说了什么", date(2026, 11, 13)),
        ("11月3日做了什么", THIRD),
        ("Was haben wir letzten Dienstag gemacht?", TUESDAY),
        ("Was war am 3. November?", THIRD),
        ("¿qué hicimos ayer?", YESTERDAY),
        ("qu'avons-nous fait hier ?", YESTERDAY),
        ("o que fizemos ontem?", YESTERDAY),
        ("что мы делали вчера?", YESTERDAY),
        ("昨日は何をした", YESTERDAY),
        ("어제 뭐 했지?", YESTERDAY),
    ],
)
def test_a_question_about_a_day_asks_for_its_whole_note(question: str, day: date) -> None:
    found = asked_day(question, SUNDAY)

    assert found is not None
    assert (found.first, found.last, found.whole) == (day, day, True)


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("which port did we choose last Tuesday?", "which port did we choose ?"),
        ("what did we decide about the boiler on 10 November?", "what did we decide about the boiler ?"),
        ("How is the weather on 2026-11-10?", "How is the weather ?"),
    ],
)
def test_what_is_asked_besides_the_day_is_kept(question: str, rest: str) -> None:
    found = asked_day(question, SUNDAY)

    assert found is not None
    assert (found.first, found.rest, found.whole) == (TUESDAY, rest, False)


@pytest.mark.parametrize(
    "question",
    [
        "Which framework do we use?", "What do we do every Tuesday?", "每周三做什么", "What about 31 November?", "May 5 people come?",
        "Was ist hier los?", "from 3 November to 5 November", "what did we do last year?", "",
    ],
)  # fmt: skip
def test_a_question_that_names_no_day_or_several_asks_for_none(question: str) -> None:
    assert asked_day(question, SUNDAY) is None


def test_a_week_is_seven_days() -> None:
    found = asked_day("what happened last week?", SUNDAY)

    assert found is not None
    assert (found.days[0], found.days[-1], len(found.days)) == ("2026-11-02", "2026-11-08", 7)
    assert found.holds("2026-11-05") and not found.holds("2026-11-09")


@given(st.dates(date(2000, 1, 1), SUNDAY))
def test_any_day_of_the_past_is_found_by_its_figures_and_never_lies_ahead(day: date) -> None:
    written, named = asked_day(f"notes of {day.isoformat()}", SUNDAY), asked_day(f"{day.day} {day:%B}", SUNDAY)

    assert written is not None and (written.first, written.last) == (day, day)
    assert named is None or SUNDAY - timedelta(days=366) <= named.first <= SUNDAY
