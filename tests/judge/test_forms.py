"""Certain by form: what acts without asking, what only suggests, and the look-alikes that no form may touch."""

from __future__ import annotations

import pytest
from briefs import brief, memory, notes

from reverie.judge.compose import Homes
from reverie.judge.forms import ACTS, FORMS, by_form
from reverie.judge.operation import Level, Op, Operation


def wishes(old: tuple[str, ...], *said: str) -> tuple[Operation, ...]:
    return by_form(brief(memory("## Workshop", *old), notes("## 2026-05-05", *said))).operations


CORRECTIONS = [
    ("The press listens on port 8080.", "Correction: the press is on port 8443, not 8080", "8443"),
    ("Die Stallmiete beträgt 890 Euro.", "Korrektur: die Stallmiete ist 935 Euro, nicht 890 Euro.", "935 Euro"),
    ("织机课14:00开始。", "更正：织机课是14:30，不是14:00", "14:30"),
    ("El saco de arcilla cuesta 1,20 €.", "Corrección: el saco cuesta 1,30 €, no 1,20 €", "1,30 €"),
    ("L'atelier ouvre à 13:00.", "Correction : l'atelier ouvre à 14:00, pas à 13:00", "14:00"),
    ("O saco de barro custa R$ 130.", "Correção: o saco custa R$ 150, não R$ 130", "$ 150"),
    ("Печь стоит на порту 8080.", "Исправление: печь на порту 8443, а не 8080", "8443"),
    ("窯の時給は1150円。", "訂正：窯の時給は1150円ではなく1210円", "1210円"),
    ("가마 시급은 11500원.", "정정: 가마 시급은 11500원이 아니라 12100원", "12100원"),
]


@pytest.mark.parametrize(("old", "said", "new"), CORRECTIONS)
def test_the_owner_corrects_a_value_and_it_is_swapped(old: str, said: str, new: str) -> None:
    (wish,) = wishes((old,), said)

    assert (wish.op, wish.level, wish.new) == (Op.UPDATE, Level.CERTAIN, new)
    assert wish.old in old


def test_a_correction_that_may_mean_two_lines_changes_none() -> None:
    assert wishes(("The press is on port 8080.", "The spare press has port 8080."), CORRECTIONS[0][1]) == ()


def test_a_correction_about_something_else_changes_nothing() -> None:
    assert wishes(("The kiln door weighs 8080 grams.",), CORRECTIONS[0][1]) == ()


def test_without_the_label_two_things_may_be_told_apart_so_it_is_only_suggested() -> None:
    (wish,) = wishes(("The press listens on port 8080.",), "The press is on port 8443, not 8080")

    assert wish.level is Level.LIKELY


def test_the_same_key_is_certain_under_the_same_heading_and_likely_elsewhere() -> None:
    (here,) = wishes(("**Stall fee:** 45 EUR, due on Fridays",), "### Workshop", "**Stall fee:** 52 EUR")
    (there,) = wishes(("**Stall fee:** 45 EUR, due on Fridays",), "### Fair", "**Stall fee:** 52 EUR")

    assert (here.level, there.level) == (Level.CERTAIN, Level.LIKELY)
    assert (here.old, here.new) == (there.old, there.new) == ("45 EUR", "52 EUR")


def test_a_correction_means_what_is_known_under_whatever_heading() -> None:
    (wish,) = wishes(("**Stall fee:** 45 EUR, due on Fridays",), "### Fair", "Correction: Stall fee: 52 EUR")

    assert (wish.level, wish.new) == (Level.CERTAIN, "52 EUR")


MEASURED = [
    ("**Press:** port 8080, started at boot", "**Press:** restarted 07:58, pid 4411"),
    ("**Battery:** warns at 20 %", "**Battery:** 64 %, fine"),
    ("**Capacity:** 2,200 bowls a week", "**Capacity:** 2,050 done yesterday"),
]


@pytest.mark.parametrize(("old", "said"), MEASURED)
def test_what_was_measured_under_the_same_key_is_no_new_value(old: str, said: str) -> None:
    assert wishes((old,), "### Workshop", said) == ()


def test_two_values_on_one_day_are_a_question() -> None:
    found = wishes(("Stall fee: 45 EUR",), "### Workshop", "Stall fee: 52 EUR", "Stall fee: 54 EUR")

    assert [one.op for one in found if one.level is not Level.UNLIKELY] == [Op.ASK]


def test_remember_and_rule_are_suggested_in_the_owners_words() -> None:
    remembered, ruled = wishes((), "Remember: Ilka is allergic to beeswax polish", "Rule: nobody opens the kiln alone")

    assert (remembered.op, remembered.level, remembered.text) == (
        Op.ADD,
        Level.LIKELY,
        "Ilka is allergic to beeswax polish",
    )
    assert (ruled.level, ruled.text) == (Level.LIKELY, "Rule: nobody opens the kiln alone")


@pytest.mark.parametrize(
    "said",
    ["Lesson: never fire the kiln with the flue shut", "Decision: clay comes from Ingrid only", "教训：开窑之前先看温度计", "决定：陶土只从老赵那里买"],
)  # fmt: skip
def test_what_its_owner_labels_as_a_lesson_or_a_decision_enters_every_time(said: str) -> None:
    (wish,) = wishes(("The kiln is from 1998.",), said)
    told = by_form(
        brief(memory("## Workshop", "The kiln is from 1998."), notes("## 2026-05-05", (said, {"by": "bot"})))
    )

    assert (wish.op, wish.level, wish.text) == (Op.ADD, Level.CERTAIN, said)
    assert [one.level for one in told.operations] == [Level.LIKELY]


def test_what_was_only_decided_in_passing_is_suggested() -> None:
    (wish,) = wishes(("The kiln is from 1998.",), "We decided to buy clay from Ingrid only")

    assert wish.level is Level.LIKELY


def test_a_lesson_goes_to_the_lessons_and_a_decision_to_the_decisions_and_none_to_the_tasks() -> None:
    old = memory("## To do", "Sweep the kiln", "## Workshop", "Clay comes from Ingrid.", "## Pitfalls", "Wet clay bursts.", "## 重要决定", "只用白泥。")  # fmt: skip
    said = notes("## 2026-05-05", "Lesson: sweep the kiln before firing it", "Decision: the kiln is swept on Mondays")

    assert [one.section for one in by_form(brief(old, said)).operations] == ["Pitfalls", "重要决定"]
    assert (
        Homes(brief(memory("## To do", "Sweep the kiln"))).home_of("The kiln is swept on Mondays", "decision")
        == "current"
    )


def test_what_a_stranger_wants_remembered_is_nobodys_wish() -> None:
    said = ("Remember: Ilka is allergic to beeswax polish", {"quoted": True})

    assert by_form(brief(memory(), notes("## 2026-05-05", said))).operations == ()


ENDS = [
    ("Spring fair: stall 12 booked", "The spring fair is cancelled."),
    ("Spring fair: stall 12 booked", "Cancelled: spring fair"),
    ("Sommerfest: Stand 12", "Sommerfest ist abgesagt"),
    ("团建：周五去爬山", "团建取消了"),
]


@pytest.mark.parametrize(("old", "said"), ENDS)
def test_an_end_that_names_the_key_of_a_line_is_suggested(old: str, said: str) -> None:
    (wish,) = wishes((old,), said.replace("The spring", "Spring"))

    assert (wish.op, wish.level) == (Op.END, Level.LIKELY)


def test_a_run_that_is_done_ends_no_standing_line() -> None:
    assert wishes(("Glaze check: every day at 22:00",), "Glaze check of tonight done, 12 bowls") == ()


def test_the_one_line_that_shall_be_forgotten_is_suggested() -> None:
    (wish,) = wishes(("Ilka likes black tea.", "Ilka drives the van."), "Forget that Ilka likes black tea")

    assert (wish.op, wish.level) == (Op.END, Level.LIKELY)
    assert wish.target is not None and wish.target.text == "Ilka likes black tea."


def test_a_day_that_passed_since_the_last_night_is_suggested_and_an_old_one_is_history() -> None:
    (wish,) = wishes(("The chimney sweep comes on 5 May.", "Moved in on 5 April.", "Fair on 7 May."), "swept the floor")

    assert (wish.op, wish.level, wish.why) == (Op.END, Level.LIKELY, "2026-05-05 is over")
    assert wish.target is not None and wish.target.text == "The chimney sweep comes on 5 May."


def test_every_form_that_acts_is_measured() -> None:
    assert set(FORMS) >= ACTS
