"""The marks of owners, in nine languages: certain ones are read, everything else is left alone."""

from __future__ import annotations

from datetime import date

import pytest

from reverie.lang import words
from reverie.text.markdown import parse
from reverie.text.marks import (
    MARK_SIGNS,
    days_in,
    is_current_state,
    is_done,
    is_footer,
    is_generic,
    is_marked,
    is_marked_heading,
    is_pinned,
    protected_blocks,
    protected_lines,
    same_heading,
)


@pytest.mark.parametrize(
    "text",
    [
        "✅ 2026-06-09 built three cradles", "✔ built", "☑ built", "built ✅", "built ✔️", "~~built three cradles~~",
        "~~built~~.", "Done: built", "DONE: built", "**Done:** built", "**Done**: built", "[done] - built", "Done – built",
        "Completed (2026-10-02): built", "Resolved: the lift", "Cancelled: the fair", "built (done 2026-08-27)",
        "built (done)", "built [resolved]", "built (completed on 2026-10-02).", "Status: done", "status: **completed**",
        "The lift, status: resolved", "已完成：第二批", "完成：第二批", "【已完成】：第二批", "第二批（已完成 2026-06-02）", "状态：已完成",
        "完了：弦を張る", "弦を張る（済み）", "완료: 현", "Erledigt: Rückruf", "Rückruf (erledigt)", "Status: abgeschlossen",
        "Hecho: la carta", "Estado: completado", "Terminé : la lettre", "Statut : terminé", "Concluído: a carta",
        "Feito: a carta", "Готово: письмо", "Статус: завершено", "письмо (сделано)",
    ],
)  # fmt: skip
def test_what_says_that_it_is_finished_is_finished(text: str) -> None:
    assert is_done(text, checked=None)


@pytest.mark.parametrize(
    "text",
    [
        "not done", "Not done: the letter", "not done yet", "done-ish", "done-ish: the letter", "Donecaster: a town",
        "Completed the thing yesterday", "Done with the letter, more or less", "almost done", "to be done", "half done (see below)",
        "The letter is done, the invoice is not", "undone: the knot", "unresolved: the wolf", "incomplete: the list",
        "未完成", "未完成：第二批", "（未完成）", "状态：未完成", "完成度：50%", "第二批（完成度 50%）", "没有完成：信", "待完成：信",
        "nicht erledigt: Rückruf", "Rückruf (nicht erledigt)", "unerledigt: Rückruf", "Fertigung: drei Wochen",
        "no hecho: la carta", "pas terminé : la lettre", "не готово: письмо", "Готовность: 50 %", "未済：弦",
        "Status: not done", "Status: active", "status: in progress", "Status: donezo", "~~68 €~~ 84 € per litre",
        "~~Tuesday~~ Wednesday", "the ✅ means paid", "mark it with ✅ when paid", "(done?) maybe not finished yet", "",
        "Deadline (done by 2026-12-01 or never) is soft, see mail",
    ],
)  # fmt: skip
def test_what_is_not_certainly_finished_is_not(text: str) -> None:
    assert not is_done(text, checked=None)


@pytest.mark.parametrize(
    "text",
    [
        "Café Elbe (closed on Mondays)", "Closed: Mondays and public holidays", "Harzhof Brandl (closed in August)",
        "Strings (complete set of 12)", "Fingerboard (finished in oil)", "Corda Nord (delivered every Friday)",
        "Completed: 40 %", "Done: 3 of 9", "Done: no", "完成：60%", "营业结束：下午六点", "结束：每天下午六点",
        "~~tea~~ coffee, no ~~milk~~", "~~Tuesday~~ Wednesday 15:30 ~~16:00~~",
    ],
)  # fmt: skip
def test_a_word_that_can_mean_something_else_is_no_mark(text: str) -> None:
    assert not is_done(text, checked=None)


@pytest.mark.parametrize("text", ["Done: built", "built ✅", "~~built~~", "plain"])
def test_the_box_overrules_every_word(text: str) -> None:
    assert [is_done(text, checked=True), is_done(text, checked=False)] == [True, False]


@pytest.mark.parametrize("word", words("notes.done"))
def test_every_word_for_done_counts_at_the_start_and_in_brackets(word: str) -> None:
    assert is_done(f"{word}: 2026-10-02 x", checked=None)
    assert is_done(f"x ({word})", checked=None)
    assert not is_done(f"{word} x", checked=None)


@pytest.mark.parametrize(
    "text",
    [
        *(f"- {word} the door stays shut" for word in words("notes.shouted")), *(f"- {mark} x" for mark in (*MARK_SIGNS, *words("notes.marked"))),
        "- (CRITICAL) x", "- **NEVER** phone", "- x, NEVER y", "- ⚠️ x", "重要：先备份", "- 重要：先备份", "【重要】先备份",
        "- （必须）先备份", "注意！先备份", "- **重要：** 先备份", "- **重要**：先备份", "- Rule: no calls", "- **Policy:** no calls", "- Regel: x",
        "- 规则：x", "- Правило: x", "- x <!-- important -->", "- x <!-- PIN -->", "- x <!--keep-->", "중요: x",
    ],
)  # fmt: skip
def test_what_the_owner_asks_to_stay_is_marked(text: str) -> None:
    assert is_marked(text)


@pytest.mark.parametrize(
    "text",
    [
        "- never on Thursdays", "- Never on Thursdays", "- it is important to Mira", "- Important mail from Frau Lott", "- critical mass",
        "- must see", "- always late", "- do not know", "- the policy of the school", "- rules the house", "- Ruler: 30 cm",
        "- as a rule of thumb: 2 mm", "- MUSTER wood", "- ALWAYSON display", "- NEVERLAND", "- 最重要的是木头", "- 这很重要", "- 重要的客户：王先生",
        "- 注意力不集中", "- 必须品清单", "- 原则上同意", "- 规则的形状", "- <!-- remember -->", "- wichtig ist das nicht", "- nunca digas", "",
    ],
)  # fmt: skip
def test_ordinary_speech_is_not_marked(text: str) -> None:
    assert not is_marked(text)


@pytest.mark.parametrize(
    ("heading", "marked"),
    [
        ("House rules", True), ("Rules", True), ("Policies", True), ("Regeln", True), ("Reglas de la casa", True),
        ("铁律", True), ("工作规则", True), ("基本原则", True), ("ルール", True), ("⚠️ Read first", True), ("NEVER do this", True),
        ("Ruler collection", False), ("People", False), ("Important dates", False), ("工具", False), ("Unruly pupils", False),
    ],
)  # fmt: skip
def test_a_section_of_rules_is_marked(heading: str, marked: bool) -> None:
    assert is_marked_heading(heading) is marked


@pytest.mark.parametrize(
    "heading",
    ["Current State", "## Current state:", "当前状态", "进行中", "🚧 In progress", "1. Aktueller Stand", "Сейчас"],
)
def test_the_current_state_is_known_by_many_names(heading: str) -> None:
    assert is_current_state(heading)


@pytest.mark.parametrize("heading", ["Current events", "State of Hamburg", "Statement", "过去", "", "2026"])
def test_other_sections_are_not_the_current_state(heading: str) -> None:
    assert not is_current_state(heading)


def test_headings_are_compared_as_people_read_them() -> None:
    assert same_heading("📌 House Rules:", "house rules")
    assert same_heading("1. People", "People")
    assert not same_heading("People", "Persons")
    assert is_generic("Lessons Learned") and is_generic("经验教训") and not is_generic("Osterloh cello")


@pytest.mark.parametrize(
    "line",
    [
        "*Last updated: 2026-11-06*",
        "Last updated: 2026-11-06",
        "最后更新：2026-11-06",
        "_Updated 2026-11-06_",
        "— Stand: 06.11.2026",
    ],
)
def test_the_line_at_the_foot_is_a_footer(line: str) -> None:
    assert is_footer(line)


@pytest.mark.parametrize(
    "line",
    [
        "- Standard tuning is 442 Hz", "- Stand at the fair in Kassel reserved", "- Updated the price list for Yiwei",
        "Updated strings twice a year", "- Updatedness", "The file was last updated on Monday", "",
    ],
)  # fmt: skip
def test_a_statement_that_begins_like_a_footer_is_none(line: str) -> None:
    assert not is_footer(line)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2026-10-02", ((2026, 10, 2),)),
        ("from 2026-10-02 to 2026-11-05.", ((2026, 10, 2), (2026, 11, 5))),
        ("2026年10月2日", ((2026, 10, 2),)),
        ("2026年11月5日, booked on 2026-10-02", ((2026, 11, 5), (2026, 10, 2))),
        ("2026-02-30 and 2026-13-01", ()),
        ("12026-10-02, 2026-10-021, 2026-10, v2026.10.2", ()),
        ("", ()),
    ],
)
def test_absolute_days_are_read_in_the_order_of_the_text(text: str, days: tuple[tuple[int, int, int], ...]) -> None:
    assert days_in(text) == tuple(date(*day) for day in days)


def protected(text: str, *guarded: str) -> list[str]:
    document = parse(text)
    return [document.blocks[i].text for i in sorted(protected_blocks(document, guarded))]


def test_a_pin_protects_its_line_and_what_hangs_on_it() -> None:
    assert is_pinned("📌 x") and not is_pinned("x")
    assert protected("- a\n- 📌 b\n  - b1\n    - b2\n- c\n") == ["📌 b", "b1", "b2"]


def test_a_marked_child_protects_its_parents_but_not_its_siblings() -> None:
    assert protected("- a\n  - a1\n    - 📌 x\n  - a2\n- b\n") == ["a", "a1", "📌 x"]


def test_a_marked_section_protects_everything_below_it() -> None:
    assert protected("# M\n## House rules\n- a\n### Sub\n- b\n\ntext\n## People\n- c\n") == [
        "House rules",
        "a",
        "Sub",
        "b",
        "text",
    ]


def test_a_guarded_section_is_found_without_case_numbers_and_decoration() -> None:
    assert protected("## 3. 📚 经验教训\n- a\n## Other\n- b\n", "经验教训") == ["3. 📚 经验教训", "a"]


def test_a_marked_title_does_not_freeze_the_whole_file_but_a_guarded_one_does() -> None:
    assert protected("# Memory (IMPORTANT)\n- a\n") == ["Memory (IMPORTANT)"]
    assert protected("# Memory\n- a\n", "memory") == ["Memory", "a"]


def test_a_marked_row_protects_its_header_and_no_other_row() -> None:
    assert protected("| a | b |\n|---|---|\n| 1 | NEVER |\n| 2 | x |\n") == ["| a | b |", "| 1 | NEVER |"]


@pytest.mark.parametrize(
    "line", ["1. Policy: no refunds", "- [x] Rule: no calls", "- [ ] 重要：先备份", "2) 规则：先备份"]
)
def test_a_rule_is_protected_behind_a_number_and_behind_a_box(line: str) -> None:
    assert len(protected(f"{line}\n")) == 1


def test_protected_lines_keep_their_endings_and_leave_out_blank_ones() -> None:
    assert protected_lines(parse("- 📌 a\r\n\r\n  more\r\n- b\r\n")) == ("- 📌 a\r\n", "  more\r\n")
