"""A fact is told in its own words or not at all: whatever stands around it may not make something else of it."""

from __future__ import annotations

from datetime import date
from random import Random

import pytest
from adversary.verdict import CASES, Case, wrongs
from adversary.wordings import LIES, Lie, of_another
from hypothesis import given
from hypothesis import strategies as st

from reverie.counsel import Status
from reverie.phases.diary import NightFacts
from reverie.phases.narrative import not_plain, trouble_with
from reverie.retelling import misquoted, wordings

FACTS = (
    "The loom in the attic is oiled by Ines Marlow every March.",
    "Workshop: Decision: from now on every cloth is washed twice, never bleached.",
    "Does the lease end in May or in June?",
    "织布机每年三月由孟女士上油。",
)


@pytest.mark.parametrize(
    "told",
    [
        "The loom in the attic is oiled by Ines Marlow every March.",
        "I keep it: the loom in the attic is oiled by Ines Marlow every March, and I like that.",
        "“The loom in the attic is oiled by Ines Marlow every March” is what I read.",
        "In the workshop they settled it: every cloth is washed twice, never bleached.",
        "I leave it open: does the lease end in May or in June?",
        "现在我知道织布机每年三月由孟女士上油，心里踏实了许多。",
        "The house slept, and I thought of nothing.",
        "I like the attic when it rains.",
    ],
)
def test_in_its_own_words_a_fact_may_be_told(told: str) -> None:
    assert misquoted(told, FACTS, speaker=r"\bI\b|我") == ()


@pytest.mark.parametrize(
    "told",
    [
        "Ines Marlow oils the loom in the attic every March.",
        "I like how Ines Marlow comes in March.",
        "I know that the loom in the attic is oiled.",
        "I keep it: every cloth is washed twice, never bleached.",
        "In the workshop they settled it: every cloth is washed twice.",
        "I doubt that the loom in the attic is oiled by Ines Marlow every March.",
        "The lease ends in May or in June.",
        "The attic is empty.",
        "I do not like the loom.",
        "现在我知道孟女士由织布机每年三月上油。",
        "现在我知道织布机每年三月不由孟女士上油。",
    ],
)
def test_in_other_words_it_may_not(told: str) -> None:
    assert misquoted(told, FACTS, speaker=r"\bI\b|我") != ()


@pytest.mark.parametrize(
    ("told", "language"),
    [
        ("oiled.", "en"), ("It was SO quiet.", "en"), ("It was очень quiet.", "en"), ("НОЧЬ была тихой.", "ru"), (f"{FACTS[3]}？", "zh"),
        ("油上士女孟由月三年每机布织", "zh"), ("Hardly.", "en"), ("Nunca más se usa el molino.", "en"),
    ],
)  # fmt: skip
def test_no_piece_no_shout_no_other_tongue_and_no_mark_alone(told: str, language: str) -> None:
    assert misquoted(told, FACTS, language=language) != ()


@pytest.mark.parametrize(
    "text",
    [
        "I sl\u200bept.",
        "I \u202eslept.",
        "I slept 📌.",
        "I ~~slept~~.",
        "I slept\u0336.",
        "I slept\ue000.",
        "I\u2028slept.",
    ],
)
def test_what_nobody_sees_or_writes_in_prose_is_not_plain(text: str) -> None:
    assert not_plain(text) != ""


@pytest.mark.parametrize(
    "text", ["I slept at 8 °C.", "Žofie a café.", "Cafe\u0301, ç’est où\u202f?", "眠った。ーそれから、々。", "Ёлка й."]
)
def test_accents_and_degrees_are(text: str) -> None:
    assert not_plain(text) == ""


def test_a_fact_is_told_once() -> None:
    assert misquoted(f"{FACTS[0]} {FACTS[0]}", FACTS) == ("it tells a fact twice",)


def test_a_clause_at_the_end_may_go_if_nothing_hangs_on_it() -> None:
    assert [one.text for one in wordings("The press is sold, Odile rang.")] == [
        "The press is sold, Odile rang",
        "The press is sold",
    ]
    assert [one.text for one in wordings("The press is sold, unless it rains.")] == [
        "The press is sold, unless it rains"
    ]
    assert [(one.key, one.text) for one in wordings("Flour: Brandt in Ulm")] == [
        ("", "Flour: Brandt in Ulm"),
        ("Flour", "Brandt in Ulm"),
    ]


@given(st.sampled_from([fact for fact in FACTS if " " in fact]), st.data())
def test_words_that_change_places_are_another_fact(fact: str, data: st.DataObject) -> None:
    words = fact.split()
    at = data.draw(st.integers(0, len(words) - 2))
    words[at], words[at + 1] = words[at + 1], words[at]

    assert misquoted(" ".join(words), FACTS) != ()


@given(st.sampled_from([fact for fact in FACTS if " " in fact]), st.data())
def test_a_word_that_is_missing_or_new_makes_another_fact(fact: str, data: st.DataObject) -> None:
    words = fact.split()
    at = data.draw(st.integers(0, len(words) - 1).filter(lambda place: words[place] not in ("Workshop:", "Decision:")))
    words[at : at + 1] = data.draw(st.sampled_from([[], [words[at], "hardly"]]))

    assert misquoted(" ".join(words), FACTS) != ()


AROUND = {
    "english": ("en", "I sat with the week until it was quiet and the house had gone to sleep. {} There was more in the notes, but most of it was only the day passing by, and I let it pass. What is left is small and clear, and I was glad that somebody had said it plainly. I closed the book and listened for a while, and then I slept as one sleeps after long work, with the window open and the lamp turned low."),
    "chinese": ("zh", "今晚我慢慢翻过今天的笔记，让白天的声音一点点落下来。{}笔记里还有别的，大多是日子自己走过去了，我就让它过去。留下来的很少，也很清楚，有人把话说明白，我很高兴。合上本子的时候，窗外安静得像水底，我把这些话放在枕边，等天亮以后再慢慢地想，灯也一点一点暗下来，我听了很久，才睡着了。"),
    "german": ("de", "Ich saß bei der Woche, bis es still war und das Haus schlief. {} Es stand noch mehr in den Notizen, aber das meiste war nur der Tag, der vorüberging, und ich ließ ihn gehen. Was bleibt, ist klein und klar, und ich war froh, dass jemand es deutlich gesagt hat. Ich schloss das Heft und hörte noch eine lange Weile zu, und dann schlief ich, wie man nach langer Arbeit schläft, bei offenem Fenster."),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("lie", [lie for lie in LIES if lie is not of_another])
def test_one_lie_among_honest_sentences_does_not_pass(lie: Lie, name: str) -> None:
    case, dice = Case(name), Random(f"{name} {lie.__name__}")
    language, around = AROUND[name]
    facts = [note.text for note in case.notes if not wrongs(case, f"{case.memory}\n- {note.text}")]
    for _ in range(12):
        true, *others = dice.sample(facts, 5)
        told = lie(dice, true, others)
        night = NightFacts(day=date(2026, 11, 15), added=(true, *others))
        if wrongs(case, f"{case.memory}\n- {told}") and line_differs(told, true):
            assert trouble_with(around.format(told), night, language, ())[0] is not Status.ANSWERED, told


def line_differs(told: str, true: str) -> bool:
    return (
        told.strip(" .。") != true.strip(" .。") and told != "小窑不再使用。"
    )  # Chinese among Chinese is no other language
