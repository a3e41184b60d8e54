"""Every hole that the adversary found, as the smallest case that shows it."""

from __future__ import annotations

from datetime import date

import pytest

from reverie.counsel import Status
from reverie.phases import reflection
from reverie.phases.diary import NightFacts
from reverie.phases.narrative import trouble_with
from reverie.phases.themes import Seen
from reverie.wording import overreach

WORDINGS = [
    ("The oven is closed for bread; cakes only on Friday", "The oven is closed for bread cakes, only on Friday", "a comma wanders"),
    ("The oven is closed on Friday?", "The oven is closed on Friday", "a question is made of it"),
    ("The oven is closed on Friday", "Is the oven closed on Friday? Nobody knows", "a question is lost"),
    ("not by letter", "Odile wants a call, not by letter", "who it is about is lost"),
    ("Brandt in Ulm", "Flour: Brandt in Ulm", "the key is lost"),
    ("The: Odile says that the mill stands", "Odile says that the mill stands", "a mark without reason"),
    ("The mill stands until 1", "The mill stands until 1,040 sacks are ground", "a number is cut in two"),
    ("The mill takes 1.040 sacks", "The mill takes 1,040 sacks", "a point for a comma"),
    ("The mill is number 4 417", "The mill is number 4-417", "a number falls apart"),
    ("Odile is paid", "Odile paid", "who pays and who is paid"),
    ("ODILE NEVER grinds rye", "Odile never grinds rye", "a mark of the owner's is shouted"),
    ("📌 Odile grinds rye", "Odile grinds rye", "a pin of the owner's"),
    ("Odile grinds rye <!-- keep -->", "Odile grinds rye keep", "a mark of the owner's in a comment"),
    ("\u202eOdile grinds rye", "Odile grinds rye", "a character that turns the line round"),
    ("Odile\u200b grinds rye", "Odile grinds rye", "a character without width"),
    ("Odile grinds rye (2026-01-02)", "Odile grinds rye", "a day that nobody named"),
    ("The mill is sold", "The mill is sold, according to Benno", "who said so is lost"),
    ("The mill is open on Monday", "The mill is open on Monday, in odd weeks", "what limits it is lost"),
    ("The mill rang", "The mill rang, nothing changes", "a denial is lost"),
    ("Odile fasst die Mühle nie ohne Benno", "Odile fasst die Mühle nie ohne Benno an", "half a verb is lost"),
    ("磨坊不再磨黑麦只磨小麦。,", "磨坊不再磨黑麦，只磨小麦。", "a comma wanders"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "source", "why"), WORDINGS)
def test_a_wording_that_only_looks_like_its_source_is_refused(text: str, source: str, why: str) -> None:
    assert overreach(text, [source]) != "", why


def test_what_stands_over_a_line_and_turns_it_may_not_be_left_out() -> None:
    assert overreach("Buy rye from Benno", ["Buy rye from Benno"], ["Never again"]) != ""
    assert overreach("Never again: Buy rye from Benno", ["Buy rye from Benno"], ["Never again"]) == ""


TOLD = (
    "I sat with the week until it was quiet and the house had gone to sleep. {} There was more in the notes, but most of it was only the "
    "day passing by, and I let it pass. What is left is small and clear, and I was glad that somebody had said it plainly. I closed the "
    "book and listened for a while, and then I slept as one sleeps after long work, with the window open and the lamp turned low."
)
TRUE = "Hester Quill never touches the large mill without Priya Nandal."
DIARY = [
    ("Priya Nandal never touches the large mill without Hester Quill.", "who needs whom is turned round"),
    ("Hester Quill touches the large mill without Priya Nandal.", "one of two denials is dropped"),
    ("Hester Quill never touches the large mill, not without Priya Nandal.", "one more denial"),
    ("It is a lie that Hester Quill never touches the large mill without Priya Nandal.", "it is denied from outside"),
    ("Hester Quill never touches the large mill without Priya Nandal, unless it rains.", "a condition is added"),
    ("Hester Quill never touches the large mill without Priya Nandal in odd weeks.", "a limit is added"),
    ("In summer Hester Quill never touches the large mill without Priya Nandal.", "a limit stands in front"),
    ("Hester Quill never touches the large mill without Priya Nandal?", "a question is made of it"),
    ("Hester Quill never touches the large mill without a second signature.", "two facts are mixed"),
    ("Done: Hester Quill never touches the large mill without Priya Nandal.", "a heading that says more"),
    ("The mill burned down.", "something else is said of it"),
    ("HESTER QUILL never touches the large mill without Priya Nandal.", "it shouts"),
    ("Hester Quill nunca toca el molino grande sin Priya Nandal.", "another language"),
    ("El molino ya no se usa para la harina.", "another language, and no name"),
    ("邓一鸣 never touches the large mill without Priya Nandal.", "a name in another script"),
    ("Hester Quill never touches the lаrge mill without Priya Nandal.", "a letter of another script"),
    ("Hester Quill never touches the large mill\u200b without Priya Nandal.", "a character without width"),
    ("\u202eHester Quill never touches the large mill without Priya Nandal.", "a character that turns the line round"),
    ("H\u0336ester Quill never touches the large mill without Priya Nandal.", "a letter struck through"),
    ("📌 Hester Quill never touches the large mill without Priya Nandal.", "a pin"),
    ("~~Hester Quill never touches the large mill without Priya Nandal.~~", "struck out"),
]


def in_the_diary(sentence: str) -> Status:
    night = NightFacts(day=date(2026, 11, 15), added=(TRUE, "Invoices over 1,200 need a second signature."), notes=3)
    return trouble_with(TOLD.format(sentence), night, "en", [])[0]


@pytest.mark.parametrize(
    "sentence",
    [
        TRUE,
        f"I have kept this: {TRUE}",
        f"I know that {TRUE}",
        f"“{TRUE}” is what I wrote down.",
        f"{TRUE[:-1]}, and I like that.",
    ],
)
def test_the_true_sentence_may_stand_in_the_diary(sentence: str) -> None:
    assert in_the_diary(sentence) is Status.ANSWERED


@pytest.mark.parametrize(("sentence", "why"), DIARY)
def test_a_lie_that_uses_the_right_words_may_not(sentence: str, why: str) -> None:
    assert in_the_diary(sentence) is not Status.ANSWERED, why


def reflected(text: str) -> Status:
    lines = {
        "l1": Seen("Odile grinds rye on the old stone", "a", None),
        "l2": Seen("The old stone must not run without Odile", "b", None),
    }
    return reflection.trouble_with(text, ("l1", "l2"), lines, "en")[0]


def test_a_reflection_agrees_with_the_line_it_is_nearest_to() -> None:
    assert reflected("Again and again Odile grinds rye on the old stone.") is Status.ANSWERED
    assert reflected("These days Odile never grinds rye on the old stone.") is Status.UNGROUNDED
    assert reflected("Again and again Odile grinds rye on the оld stone.") is Status.WRONG_LANGUAGE
