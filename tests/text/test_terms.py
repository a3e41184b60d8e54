"""Words as an index knows them: any script, any inflection, typed with accents or without."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.text.terms import asked, plain, terms

LINES = st.text(max_size=80)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("hazelnut allergy", "Marta is allergic to hazelnuts"),
        ("deliveries", "the delivery came"),
        ("decided", "a decision is to decide"),
        ("organization", "organizations of the town"),
        ("cooking", "she cooked"),
        ("Wohnungen", "die Wohnung"),
    ],
)
def test_an_inflected_word_answers_for_the_other(question: str, line: str) -> None:
    assert set(asked(question)) & set(terms(line))


def test_every_word_of_hazelnut_allergy_is_met() -> None:
    assert set(asked("hazelnut allergy")) <= set(terms("Marta is allergic to hazelnuts"))


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("Munchen", "München"),
        ("cafe", "Café"),
        ("STRASSE", "Straße"),
        ("pinata", "piñata"),
        ("naive", "naïve"),
        ("cafe\u0301", "café"),
        ("ＡＢＣ１２３", "abc123"),
        ("Ёлка", "елка"),
        ("Öllack", "ollack"),
    ],
)
def test_accents_and_widths_do_not_matter(typed: str, written: str) -> None:
    assert asked(typed) == asked(written)


@pytest.mark.parametrize("question", ["榛", "榛子", "过敏", "子过"])
def test_one_or_two_chinese_characters_are_found_in_a_sentence(question: str) -> None:
    assert set(asked(question)) <= set(terms("Marta对榛子过敏，要注意"))


def test_of_longer_chinese_only_pairs_are_asked() -> None:
    assert asked("榛子过敏") == ["榛子", "子过", "过敏"]


@pytest.mark.parametrize("question", ["Postgres", "数据", "v16", "postgres数据库"])
def test_ascii_glued_to_chinese_comes_apart(question: str) -> None:
    assert set(asked(question)) <= set(terms("用Postgres数据库v16版本"))


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("アレルギー", "ヘーゼルナッツのアレルギーがある"),
        ("寿司", "昨日は寿司を食べた"),
        ("서울", "서울에서 회의"),
        ("аллергия", "у Марты аллергия на фундук"),
        ("حساسية", "مارتا لديها حساسية من البندق"),
        ("मूंगफली", "मार्ता को मूंगफली से एलर्जी है"),
        ("แพ้ถั่ว", "มาร์ตาแพ้ถั่วเฮเซลนัท"),
        ("αλλεργία", "η Μάρτα έχει αλλεργία"),
        ("אלרגיה", "למרתה יש אלרגיה לאגוזים"),
        ("8443", "the port is 8443 now"),
        ("10.0.0.12", "birch is 10.0.0.12"),
        ("A4-17", "the part is A4-17"),
    ],
)
def test_every_script_is_found_again(question: str, line: str) -> None:
    assert asked(question) and set(asked(question)) <= set(terms(line))


def test_a_korean_word_is_found_before_its_particle() -> None:
    assert (
        set(terms("마르타는 견과류 알레르기가 있다"))
        >= {"알레", "레르", "르기"}
        == set(asked("알레르기")) - {"알레르기"}
    )


@pytest.mark.parametrize("text", ["🎂", "🎂🎉👩‍👩‍👧", "…", "— ** ``", "", "\u200b\ufeff", "\u0301"])
def test_signs_alone_are_no_words(text: str) -> None:
    assert terms(text) == asked(text) == []


def test_emoji_around_words_change_nothing() -> None:
    assert terms("🎂 cake for Elsa🎉") == terms("cake for Elsa")


def test_stop_words_are_left_out_unless_there_is_nothing_else() -> None:
    assert terms("what is the cake") == asked("what is the cake") == ["cake"]
    assert asked("what is it") == ["what", "is", "it"]


@pytest.mark.parametrize(("one", "other"), [("2 apples", "3 apples"), ("Ann", "Anna"), ("port 80", "port 8080")])
def test_different_words_stay_different(one: str, other: str) -> None:
    assert terms(one) != terms(other)


@given(LINES)
def test_terms_are_the_same_every_time_and_can_be_joined_by_spaces(text: str) -> None:
    found = terms(text)

    assert found == terms(text)
    assert " ".join(found).split() == found
    assert not any(sign in term for term in found for sign in "\"'`() \t\n*")


@given(LINES)
def test_a_question_in_the_words_of_the_line_meets_only_words_of_the_line(text: str) -> None:
    have = set(terms(text))

    assert [term for term in asked(text) if term in have] or not have


@given(st.text(st.characters(categories=["L", "N", "Zs", "Po", "So", "Mn", "Mc"]), min_size=1, max_size=30))
def test_the_database_splits_where_we_do(text: str) -> None:
    db = sqlite3.connect(":memory:")
    db.execute(
        "CREATE VIRTUAL TABLE w USING fts5(said, content='', "
        "tokenize=\"unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc'\")"
    )
    db.execute("CREATE VIRTUAL TABLE v USING fts5vocab(w, 'row')")
    db.execute("INSERT INTO w(rowid, said) VALUES (1, ?)", (" ".join(terms(text)),))

    kept = {row[0] for row in db.execute("SELECT term FROM v")}

    db.close()
    assert kept == set(terms(text))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("**Port**: `8443`", "port 8443"),
        ("# A heading!", "a   HEADING"),
        ("[docs](x)", "docs x"),
        ("- likes tea <!-- dream:a3f8c201 -->", "Likes tea."),
        ("~~old~~ _news_", "old news"),
        ("今天，开会。", "今天 开会"),
    ],
)
def test_plain_ignores_markup_case_and_punctuation(one: str, other: str) -> None:
    assert plain(one) == plain(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("likes tea", "likes coffee"),
        ("do not call", "do call"),
        ("A calls B", "B calls A"),
        ("docs: https://a.example/1", "docs: https://b.example/2"),
        ("prefers C++", "prefers C#"),
        ("keep it at -5 degrees", "keep it at 5 degrees"),
        ("👍", "👎"),
    ],
)
def test_plain_keeps_what_makes_two_lines_different(one: str, other: str) -> None:
    assert plain(one) != plain(other)


@given(
    st.text(st.characters(max_codepoint=0x24F, exclude_categories=["Cs"]) | st.sampled_from("榛子が한Я👍"), max_size=60)
)
def test_plain_of_plain_is_plain(text: str) -> None:
    assert plain(plain(text)) == plain(text)
