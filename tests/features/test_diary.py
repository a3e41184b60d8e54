"""The diary tells the night, in the owner's language, and not twice alike."""

from __future__ import annotations

from datetime import date, timedelta
from difflib import SequenceMatcher

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Build
from reverie.core.ports import FixedClock
from reverie.core.settings import STYLES, Diary, Settings
from reverie.features.diary.entry import NightFacts, diary_entry, similarity, voice_of, word_count
from reverie.judge.prompts import asked
from reverie.lang import LANGUAGES
from reverie.night import commands
from reverie.plan.reports import END, START, entries_in, rotated, with_entry, year_of
from reverie.privacy.access_words import words_of_access

DAY = date(2026, 5, 4)
ENGLISH = NightFacts(
    day=DAY, themes=("kitchen renovation", "Mila"), added=("The builder needs the key the evening before",),
    updated=("The landlord is now Mrs Winter",), retired=("Order tiles for the hall",),
    questions=("Is the dentist on Tuesday or Thursday?",), notes=7,
)  # fmt: skip
CHINESE = NightFacts(
    day=DAY, themes=("厨房改造", "奶奶"), added=("师傅开工前一晚要拿钥匙",), updated=("房东现在是冬女士",),
    retired=("给走廊订瓷砖",), questions=("牙医是周二还是周四？",), notes=7,
)  # fmt: skip


def nights(count: int, language: str, **facts: tuple[str, ...]) -> list[str]:
    """The diary after so many nights with the same facts."""
    told: list[str] = []
    for nth in range(count):
        night = NightFacts(day=DAY + timedelta(days=nth), notes=3, **facts)  # type: ignore[arg-type]
        told.append(diary_entry(night, language=language, earlier=told))
    return told


@pytest.mark.parametrize(("night", "language"), [(ENGLISH, "en"), (CHINESE, "zh")])
def test_an_entry_names_what_was_kept_changed_retired_and_asked(night: NightFacts, language: str) -> None:
    entry = diary_entry(night, language=language, earlier=())

    assert all(fact in entry for fact in (*night.added, *night.updated, *night.retired, *night.questions))
    assert any(theme in entry for theme in night.themes)
    assert 40 <= word_count(entry) <= 120


def test_the_same_night_gives_the_same_entry() -> None:
    assert diary_entry(ENGLISH, language="en", earlier=()) == diary_entry(ENGLISH, language="en", earlier=())


@pytest.mark.parametrize("language", LANGUAGES)
def test_thirty_quiet_nights_are_told_without_repeating(language: str) -> None:
    told = [entry for entry in nights(31, language) if entry]

    assert len(told) == 31
    assert all(_alike(one, other) <= 0.8 for nth, one in enumerate(told) for other in told[:nth])


@pytest.mark.parametrize(("language", "fact"), [("en", "Mila prefers the early train"), ("zh", "奶奶喜欢坐早班车")])
def test_thirty_nights_with_the_same_news_are_told_without_repeating(language: str, fact: str) -> None:
    told = [entry for entry in nights(31, language, added=(fact,)) if entry]

    assert len(told) > 20 and all(fact in entry for entry in told)
    assert all(_alike(one, other) <= 0.8 for nth, one in enumerate(told) for other in told[:nth])


def _alike(one: str, other: str) -> float:
    """Measured without our own function: letters in order, words in any."""
    words, others = set(one.lower().split()), set(other.lower().split())
    return max(SequenceMatcher(None, one, other).ratio(), len(words & others) / len(words | others))


def test_nothing_is_better_than_the_same_again() -> None:
    first = diary_entry(ENGLISH, language="en", earlier=())
    everything = [diary_entry(ENGLISH, language="en", earlier=(first,) * n) for n in range(3)]

    assert similarity(first, first) == 1.0
    assert everything[1] != first and similarity(everything[1], first) <= 0.8


@settings(max_examples=60, deadline=None)
@given(
    language=st.sampled_from([*LANGUAGES, "xx"]),
    facts=st.lists(st.text(min_size=1, max_size=300), min_size=1, max_size=4),
    dashes=st.sampled_from(["---", "\n---\n", "# Heading\n", "<!-- x -->", "a -- b --- c", "{it} {nobody}", ""]),
)
def test_no_fact_can_break_the_file(language: str, facts: list[str], dashes: str) -> None:
    odd = tuple(dashes + fact for fact in facts)
    entry = diary_entry(NightFacts(day=DAY, added=odd, questions=odd, themes=odd), language=language, earlier=())

    assert "\n" not in entry and "---" not in entry and "<!--" not in entry and not entry.startswith("#")
    assert word_count(entry) <= 120


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_of_every_voice_can_be_filled_and_speaks_of_no_machine(language: str) -> None:
    voice = voice_of(language)
    sentences = [s for name in ("opening", "theme", "themes", "added", "also", "updated", "retired", "question", "read",
                                "aside", "closing") for s in voice[name]] + [s for part in voice["quiet"] for s in part]  # fmt: skip

    assert len(set(sentences)) == len(sentences)
    assert not any(
        word in f" {s.lower()} " for s in sentences for word in (" ai ", "人工智能", "assistant", "modell", "---")
    )
    assert all(
        s.replace("{it}", "").replace("{them}", "").replace("{n}", "").replace("{day}", "").count("{") == 0
        for s in sentences
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_of_a_voice_speaks_of_access(language: str) -> None:
    """Beside the owner's gate or code it would make what it quotes look like a secret."""
    opens = {"names", "codes", "keys", "locks", "networks", "alone", "logins", "guests", "acts"}
    voice = [part for told in voice_of(language).values() for part in (told if isinstance(told, list) else [told])]
    sentences = [one for part in voice for one in (part if isinstance(part, list) else [part])]

    assert [one for one in sentences if opens & words_of_access(one).keys()] == []


def diary(*stamps: str, before: str = "# Dream Diary\n\n", after: str = "\nThe owner's own words.\n") -> str:
    text = f"{before}{START}\n{END}\n{after}"
    for stamp in stamps:
        text = with_entry(text, stamp, f"Told on {stamp}.")
    return text


def test_old_entries_move_out_and_nothing_else_changes() -> None:
    text = diary("December 30, 2025", "January 1, 2026", "January 2, 2026")
    kept, older = rotated(text, 2)

    assert kept == diary("January 1, 2026", "January 2, 2026")
    assert [year_of(entry) for entry in older] == [2025]
    assert entries_in(kept) == ("Told on January 1, 2026.", "Told on January 2, 2026.")


@given(st.integers(0, 5), st.sampled_from(["\n", "\r\n"]), st.text(max_size=30), st.text(max_size=30))
def test_kept_and_older_together_are_the_file(most: int, ending: str, before: str, after: str) -> None:
    text = diary("1 May 2026", "2 May 2026", "3 May 2026", before=f"{before}\n", after=after).replace("\n", ending)
    kept, older = rotated(text, most)
    start = kept.find(START + ending) + len(START + ending)

    assert kept[:start] + "".join(older) + kept[start:] == text
    assert len(older) == max(0, 3 - most)


def test_three_dashes_inside_an_entry_do_not_split_it() -> None:
    text = with_entry(diary("1 May 2026"), "2 May 2026", "One thought.\n\n---\n\nAnother.")

    assert len(entries_in(text)) == 2


@pytest.mark.parametrize("broken", [f"{START}\n", f"{END}\n", f"{END}\n{START}\n", f"{START}\n{START}\n{END}\n"])
def test_markers_that_do_not_pair_up_are_left_alone(broken: str) -> None:
    text = f"{broken}---\n\n*1 May 2026*\n\nWords.\n"

    assert rotated(text, 0) == (text, ())


def test_a_new_diary_goes_before_what_is_there() -> None:
    text = with_entry("The owner's page.\n", "1 May 2026", "Words.")

    assert text.startswith("# Dream Diary\n") and text.endswith(f"{END}\n\nThe owner's page.\n")
    assert entries_in(text) == ("Words.",)


@pytest.mark.parametrize(("night", "language"), [(ENGLISH, "en"), (CHINESE, "zh")])
def test_a_plain_entry_has_nothing_around_what_happened_and_a_terse_one_is_a_line(
    night: NightFacts, language: str
) -> None:
    warm, plain, terse = (diary_entry(night, language=language, earlier=(), style=one) for one in STYLES)
    opening, closing = voice_of(language)["opening"], voice_of(language)["closing"]

    assert all(
        fact in entry for entry in (warm, plain, terse) for fact in (*night.added, *night.updated, *night.retired)
    )
    assert word_count(terse) < word_count(plain) < word_count(warm)
    assert not any(part in entry for entry in (plain, terse) for part in (*opening, *closing))


def test_a_sentence_about_style_is_for_a_model_and_the_built_in_diary_stays_warm() -> None:
    wish = diary_entry(ENGLISH, language="en", earlier=(), style="like a ship's log")

    assert wish == diary_entry(ENGLISH, language="en", earlier=())
    assert "like a ship's log" in asked("diary", {"added": []}, "en", style="like a ship's log").user


def test_the_diary_speaks_the_language_of_its_setting(build: Build, clock: FixedClock) -> None:
    notes = {
        "MEMORY.md": "# Me\n\n## Notes\n- likes verbena tea\n- likes verbena tea\n",
        "memory/2026-11-14.md": "- walked\n",
    }
    workspace = build(notes, Settings(diary=Diary(language="zh", style="terse")))

    commands.review(workspace, clock)

    [entry] = entries_in((workspace.root / "DREAMS.md").read_text())
    assert entry == f"{voice_of('zh')['weekdays'][date(2026, 11, 14).weekday()]}: − “likes verbena tea”"  # of the notes
