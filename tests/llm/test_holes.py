"""Every hole that the adversary found, as the smallest case that shows it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date

import pytest

from conftest import NIGHT, Build
from reverie.answers import default_embedder
from reverie.counsel import Ask, Status
from reverie.engine import review
from reverie.llm.prompts import data_in
from reverie.phases import reflection
from reverie.phases.diary import NightFacts
from reverie.phases.narrative import trouble_with
from reverie.phases.near import Near
from reverie.phases.signs_of_change import same_fact, says_changed, says_over
from reverie.phases.themes import Seen
from reverie.ports import Embedder, ScriptedModel, fixed
from reverie.setting_groups import Mind
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


PAIRS = [
    ("The mill stays open until the lease ends.", "If the lease is not renewed, the mill moves to Jever."),
    ("The mill door has port 4410.", "The mill door may move to port 4420, nothing is decided."),
    ("Benno owes Odile 340 pounds for the mill stones.", "Odile lent Benno the old mill stones until March."),
    ("The small press must not run above 90 degrees.", "Decision: the small press is no longer used for rye, only for oil."),
    ("On Sundays nothing is sold.", "Decision: old bread is sold at half price, but never online."),
    ("The bus from Ulm to Brenz takes 50 minutes.", "The bus from Brenz to Ulm takes 62 minutes."),
    ("Rent for the mill is 980.", "Rent for the shed is 95."),
    ("Room 5: rye", "Room 6: rye"),
    ("In 2022 we sold 310 sacks.", "In 2023 we sold 410 sacks."),
    ("磨坊的门是4410端口。", "磨坊的门明年也许换到4420端口，还没定。"),
    ("小磨的温度不能低于2度。", "决定：小磨不再磨黑麦，只磨小麦。"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_two_lines_that_look_alike_stay_both(old: str, new: str) -> None:
    near = Near(old, new, {}, 0.7, 3)

    assert not says_changed(near) and not says_over(near) and not same_fact(old, new)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Benno owes Odile 340 pounds.", "Odile owes Benno 340 pounds."),
        ("Benno is off the pills", "Benno is on pills."),
        ("The mill is open on Sundays in May.", "The mill is open on Sundays."),
        ("默认的磨是大磨。", "默认的磨是小磨。"),
    ],
)
def test_lines_that_are_not_the_same_are_not_merged(one: str, other: str) -> None:
    assert not same_fact(one, other) and not same_fact(other, one)


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    return default_embedder(tmp_path_factory.mktemp("cache"))


OLDER_AND_NEWER = [
    ("The backup of the mill runs at 03:00.", "The backup of the mill now runs at 04:00.", "The backup of the mill runs at 05:15 now instead of 04:00."),
    ("**Mill backup:** 03:00", "**Mill backup:** 04:00", "**Mill backup:** 05:15"),
]  # fmt: skip


@pytest.mark.parametrize(("memory", "older", "newer"), OLDER_AND_NEWER)
def test_an_older_word_does_not_win_because_the_newer_one_is_ignored(
    memory: str, older: str, newer: str, build: Build, embedder: Embedder
) -> None:
    def answered(ask: Ask) -> str:
        data = data_in(ask.user)
        first, second = ([one["id"] for one in data["new"] if time in one["text"]] for time in ("04:00", "05:15"))
        old = [one["id"] for one in data["memory"] if "03:00" in one["text"]]
        first = [name for name in first if name not in second]
        update = {"op": "update", "new": first, "memory": old, "text": ""}
        return json.dumps({"operations": [update, {"op": "ignore", "new": second, "memory": [], "text": ""}]})

    files = {
        "MEMORY.md": f"# Memory\n\n## Mill\n- {memory}\n- Odile grinds rye.\n",
        "memory/2026-11-10.md": f"# Tuesday\n\n## Mill\n- {older}\n",
        "memory/2026-11-12.md": f"# Thursday\n\n## Mill\n- {newer}\n- Benno prefers tea.\n",
    }
    workspace = replace(build(files), embedder=embedder, model=ScriptedModel(answered))
    settings = replace(workspace.settings, model=Mind(kind="command", write=False))
    review(replace(workspace, settings=settings), fixed(NIGHT), force=True)

    lines = (workspace.root / "MEMORY.md").read_text("utf-8").split("\n")
    assert [line for line in lines if "04:00" in line and "05:15" not in line] == []


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
