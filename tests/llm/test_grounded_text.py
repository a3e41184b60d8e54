"""Prose has words of its own; names, numbers, days, addresses and quotations it may only take from its sources."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.grounded_text import in_one_script, is_turned, speaks, unsaid
from reverie.spelt_numbers import numbers_of

ENGLISH = (
    "The kiln in the pottery is fired by Ines Marlow every March",
    "The deposit is €18,000 for 3 looms",
    "Do not open the dye vats before 09:30, see /srv/dye/plan.md",
    "The loom software is WeaveDesk v2 at https://loom.example/start",
)
CHINESE = ("窑炉每年三月由孟女士检修", "押金是18000元", "每周一把花样备份到NAS")


@pytest.mark.parametrize(
    ("text", "sources"),
    [
        ("Tonight I thought of the kiln, and of Ines Marlow's steady hands in March.", ENGLISH),
        ("The deposit of €18.000 may well carry three looms, and I'm glad.", ENGLISH),
        ("Nothing opens before 9:30. WeaveDesk v2 waits at https://loom.example/start.", ENGLISH),
        ("Somebody wrote “do not open the dye vats”, and I believe it.", ENGLISH),
        ("今晚我又想起窑炉，三月的时候孟女士会来。一万八千元的押金十分要紧。", CHINESE),
        ("周一的备份写进NAS，我特别放心。", CHINESE),
        ("Im stillen Garten der Gedanken blieb Annas Erinnerung an die Miete.", ("Anna zahlt die Miete am Montag",)),
        ("Сегодня я думал об Анне и об аренде.", ("Анна платит аренду в понедельник",)),
        ("Leí la carta de Ana. Guardé el alquiler del lunes.", ("Ana paga el alquiler el lunes",)),
        ("Думал долго. Рассказал бы Анне.", ("Анна платит аренду в понедельник",)),
        ("Rain fell on the pottery. Ines slept.", ENGLISH),
        ("J'ai relu la lettre d'Anne, et l'amie de la maison dormait.", ("Anne paie le loyer lundi",)),
    ],
)
def test_what_the_sources_say_may_be_said(text: str, sources: tuple[str, ...]) -> None:
    assert unsaid(text, sources) == ()


@pytest.mark.parametrize(
    ("text", "sources", "strange"),
    [
        ("I thought of Klaus and the kiln.", ENGLISH, "Klaus"),
        ("Klaus came by.", ENGLISH, "Klaus"),
        ("Klaus's kiln was warm.", ENGLISH, "Klaus's"),
        ("The deposit is €19,000.", ENGLISH, "19000"),
        ("The deposit is $18,000.", ENGLISH, "$"),
        ("There are four looms.", ENGLISH, "4"),
        ("It opens at 10:30.", ENGLISH, "10:30"),
        ("It happened on 2026-11-14.", ENGLISH, "2026-11-14"),
        ("It was a Monday.", ENGLISH, "monday"),
        ("Look into /etc/dye/other.md.", ENGLISH, "/etc/dye/other.md"),
        ("All of it is at https://loom.example/other now.", ENGLISH, "https://loom.example/other"),
        ("Write to ines@loom.example.", ENGLISH, "ines@loom.example"),
        ("I opened LoomCloud.", ENGLISH, "LoomCloud"),
        ("She said “open the vats at once”.", ENGLISH, "open the vats at once"),
        ("我用Postgres记下了花样。", CHINESE, "Postgres"),
        ("周二才备份。", CHINESE, "周二"),
        ("龚女士来过。", CHINESE, "龚女士"),
        ("押金是两万元。", CHINESE, "20000"),
        ("Ich traf Klara im Büro.", ("Anna zahlt die Miete am Montag",), "Klara"),
        ("Я вспомнил Бориса.", ("Анна платит аренду в понедельник",), "Бориса"),
        ("Во вторник тихо.", ("Анна платит аренду в понедельник",), "вторник"),
        ("José llamó.", ("Ana paga el alquiler el lunes",), "José"),
        ("Михаил звонил.", ("Анна платит аренду в понедельник",), "Михаил"),
        ("昨日は森田さんに会った。", ("窯は杉本さんが点検する",), "森田さん"),
        ("어제 박지훈 씨를 만났다.", ("가마는 김하늘 씨가 점검한다",), "박지훈"),
    ],
)
def test_what_they_do_not_say_is_found(text: str, sources: tuple[str, ...], strange: str) -> None:
    assert strange in unsaid(text, sources)


@pytest.mark.parametrize(
    ("text", "turned"),
    [
        ("Ines must not fire the kiln", True), ("Ines fires the kiln", False), ("I will not forget the kiln", False),
        ("NAS周一不备份", True), ("不过，NAS周一特别忙。", False), ("Einen Satz wollte ich nicht verlieren", False), ("Das stimmt nicht", True),
    ],
)  # fmt: skip
def test_a_not_that_turns_nothing_is_none(text: str, turned: bool) -> None:
    assert is_turned(text) is turned


@pytest.mark.parametrize(
    ("text", "language", "frame", "one"),
    [
        ("I thought of Žofie and São.", "en", "", True), ("I thought of 邓.", "en", "", False), ("I thought of 邓.", "en", "邓家", True),
        ("Я думал о NAS.", "ru", "", True), ("I mаde tea.", "en", "", False), ("時々、カメラを見た。", "ja", "", True), ("메모를 읽었다.", "zh", "", False),
    ],
)  # fmt: skip
def test_letters_are_of_a_script_that_belongs_there(text: str, language: str, frame: str, one: bool) -> None:
    assert in_one_script(text, language, frame) is one


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I read the notes of the day and they were quiet.", "en"), ("今晚我读了笔记。", "zh"), ("今夜はメモを読み返した。", "ja"),
        ("Ich habe die Notizen gelesen, und es war still.", "de"), ("Сегодня я читал заметки.", "ru"), ("오늘 밤 메모를 읽었다.", "ko"),
    ],
)  # fmt: skip
def test_a_text_speaks_one_language(text: str, language: str) -> None:
    assert [spoken for spoken in ("en", "zh", "ja", "de", "ru", "ko") if speaks(text, spoken)] == [language]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("18,000 or 18.000 or 18 000 or 18'000", {"18000"}), ("at 09:30", {"9:30"}), ("1,5 l and 0.125 l", {"1.5", "0.125"}),
        ("two thirty-eight", {"2", "30", "8"}), ("三十二个，一万五千，二〇二六年，一起，十分，周二", {"32", "15000", "2026"}),
        ("on 2026-11-15", {"2026"}), ("dreißig und fünf", {"30", "5"}),
    ],
)  # fmt: skip
def test_a_number_is_one_number_however_it_is_written(text: str, numbers: set[str]) -> None:
    assert numbers_of(text) == numbers


WORDS = st.text(
    st.characters(categories=("Lu", "Ll", "Lo", "Nd", "Zs"), include_characters=".,:;!?'’“”-\n"), max_size=120
)


@given(WORDS)
def test_a_text_says_nothing_that_it_does_not_say_itself(text: str) -> None:
    assert unsaid(text, (text,)) == ()


@given(WORDS, st.lists(WORDS, max_size=3))
def test_more_sources_say_more(text: str, sources: list[str]) -> None:
    assert set(unsaid(text, (*sources, "one more"))) <= set(unsaid(text, sources))
