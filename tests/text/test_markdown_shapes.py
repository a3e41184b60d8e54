"""What a line is: shapes, depths, parents, sections and boxes, in notes as people write them."""

from __future__ import annotations

import pytest

from reverie.text.markdown import Block, Shape, parse


def shapes(text: str) -> list[tuple[str, int, int, str]]:
    return [(block.shape.value, block.first, block.end, block.text) for block in parse(text).blocks]


def first(text: str) -> Block:
    return parse(text).blocks[0]


@pytest.mark.parametrize(
    ("line", "shape", "text"),
    [
        ("# Title", Shape.HEADING, "Title"),
        ("###### six", Shape.HEADING, "six"),
        ("## closed ##", Shape.HEADING, "closed"),
        ("## C#", Shape.HEADING, "C#"),
        ("#", Shape.HEADING, ""),
        ("#hashtag", Shape.PARAGRAPH, "#hashtag"),
        ("####### seven", Shape.PARAGRAPH, "####### seven"),
        ("- tea", Shape.BULLET, "tea"),
        ("* tea", Shape.BULLET, "tea"),
        ("+ tea", Shape.BULLET, "tea"),
        ("• tea", Shape.BULLET, "tea"),
        ("-tea", Shape.PARAGRAPH, "-tea"),
        ("-5 °C at night", Shape.PARAGRAPH, "-5 °C at night"),
        ("*emphasis* first", Shape.PARAGRAPH, "*emphasis* first"),
        ("**Key:** value", Shape.PARAGRAPH, "**Key:** value"),
        ("1. one", Shape.NUMBERED, "one"),
        ("12) twelve", Shape.NUMBERED, "twelve"),
        ("1、先备份", Shape.NUMBERED, "先备份"),
        ("3.5 mm thick", Shape.PARAGRAPH, "3.5 mm thick"),
        ("2026-10-20 a day", Shape.PARAGRAPH, "2026-10-20 a day"),
        ("> quoted", Shape.QUOTE, "quoted"),
        ("---", Shape.RULE, ""),
        ("* * *", Shape.RULE, ""),
        ("--", Shape.PARAGRAPH, "--"),
        ("<!-- note -->", Shape.COMMENT, ""),
        ("    indented", Shape.CODE, "indented"),
        ("a | b without a ruler", Shape.PARAGRAPH, "a | b without a ruler"),
        ("<<<<<<< HEAD", Shape.CONFLICT, ""),
        (">>>>>>> laptop", Shape.CONFLICT, ""),
    ],
)
def test_one_line_alone_is_read_for_what_it_is(line: str, shape: Shape, text: str) -> None:
    assert shapes(line + "\n") == [(shape.value, 0, 1, text)]


@pytest.mark.parametrize(
    ("line", "checked", "text"),
    [
        ("- [ ] open", False, "open"),
        ("- [x] shut", True, "shut"),
        ("- [X] shut", True, "shut"),
        ("- [✓] shut", True, "shut"),
        ("- [-] dropped", False, "dropped"),
        ("- [~] half", False, "half"),
        ("1. [x] step", True, "step"),
        ("- [x]", True, ""),
        ("- [x](https://example.com)", None, "[x](https://example.com)"),
        ("- [note] text", None, "[note] text"),
        ("- [xx] text", None, "[xx] text"),
        ("- plain", None, "plain"),
    ],
)
def test_a_box_is_open_shut_or_none(line: str, checked: bool | None, text: str) -> None:
    block = first(line)

    assert (block.checked, block.text) == (checked, text)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("- **Price:** 5,200 €", "Price"),
        ("- **Price**: 5,200 €", "Price"),
        ("- __Price:__ 5,200 €", "Price"),
        ("- **付款：** 三成", "付款"),
        ("**Price:** 5,200 €", "Price"),
        ("- Price: 5,200 €", ""),
        ("- **bold** text: more", ""),
        ("- see **Price:** there", ""),
    ],
)
def test_a_bold_key_is_known(line: str, key: str) -> None:
    assert first(line).key == key


def test_an_item_owns_its_continuation_lines_but_not_its_sub_items() -> None:
    document = parse("- a\n  more of a\n\n  second paragraph\n  - child\n    more of child\n- b\n")
    a, child, b = document.blocks

    assert (a.first, a.end, a.tail, a.text) == (0, 4, 6, "a more of a second paragraph")
    assert (child.first, child.end, child.parent, child.depth) == (4, 6, 0, 1)
    assert document.parents_of(child) == ("a more of a second paragraph",)
    assert (b.first, b.tail, b.parent) == (6, 7, None)


def test_chinese_lines_are_joined_without_a_space_and_others_with_one() -> None:
    assert first("- 货款七成等\n  装船前付\n  by mail\n").text == "货款七成等装船前付 by mail"


def test_one_stray_space_does_not_make_a_sub_item() -> None:
    assert [block.parent for block in parse("- a\n - b\n   - c\n").blocks] == [None, None, 1]


def test_a_tab_makes_a_sub_item() -> None:
    assert [block.depth for block in parse("- a\n\t- b\n\t\t- c\n").blocks] == [0, 1, 2]


def test_a_rule_under_a_paragraph_is_a_rule() -> None:
    assert shapes("text\n---\n") == [("paragraph", 0, 1, "text"), ("rule", 1, 2, "")]


def test_a_line_underlined_with_equal_signs_is_a_heading() -> None:
    assert shapes("Title\n=====\ntext\n") == [("heading", 0, 2, "Title"), ("paragraph", 2, 3, "text")]


def test_headings_know_the_path_above_them() -> None:
    document = parse("# A\n## B\n### C\n- c\n## D\n- d\n# E\n- e\n")

    assert [document.headings_of(block) for block in document.blocks if block.shape is Shape.BULLET] == [
        ("A", "B", "C"), ("A", "D"), ("E",),
    ]  # fmt: skip


def test_rows_hang_on_their_header() -> None:
    document = parse("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n| no | row |\n")

    assert [(block.shape.value, block.parent) for block in document.blocks] == [
        ("header", None), ("row", 0), ("row", 0), ("paragraph", None),
    ]  # fmt: skip
    assert document.parents_of(document.blocks[1]) == ("| a | b |",)


def test_a_table_ends_where_a_list_begins() -> None:
    text = "| a | b |\n|---|---|\n| 1 | 2 |\n- item\nbass | treble\n"

    assert [shape for shape, *_ in shapes(text)] == ["header", "row", "bullet"]


def test_indented_code_is_code_to_its_last_line() -> None:
    document = parse("text\n\n    rm -rf /\n    reboot\n\nmore\n")

    assert [i for block in document.blocks if block.shape is Shape.CODE for i in range(block.first, block.end)] == [
        2,
        3,
    ]


def test_a_fence_inside_an_item_hangs_on_it() -> None:
    item, fence, after = parse("- run this\n  ```sh\n  - no item\n  ```\n- next\n").blocks

    assert (fence.shape, fence.first, fence.end, fence.parent) == (Shape.CODE, 1, 4, 0)
    assert (item.tail, after.parent) == (4, None)


@pytest.mark.parametrize("fence", ["```", "````", "~~~", "```python"])
def test_nothing_inside_a_fence_is_a_heading_or_an_item(fence: str) -> None:
    close = fence.removesuffix("python")

    assert [s for s, *_ in shapes(f"{fence}\n# no\n- no\n<!-- openclaw\n{close}\n- yes\n")] == ["code", "bullet"]


def test_a_shorter_or_other_fence_does_not_close_a_longer_one() -> None:
    assert shapes("````\n```\n~~~\n````\n")[0][:3] == ("code", 0, 4)


def test_inline_code_of_three_backticks_opens_no_fence() -> None:
    assert [s for s, *_ in shapes("```one line``` of code\n- item\n")] == ["paragraph", "bullet"]


def test_an_unclosed_fence_ends_at_the_next_section_and_is_doubted() -> None:
    document = parse("```\nlog\n\n## Backup\n- a fact\n")

    assert [(block.shape.value, block.first, block.end) for block in document.blocks] == [
        ("code", 0, 3), ("heading", 3, 4), ("bullet", 4, 5),
    ]  # fmt: skip
    assert document.doubts == {"an unclosed code fence"}


def test_an_unclosed_comment_ends_at_the_next_blank_line_and_is_doubted() -> None:
    document = parse("<!-- started\nhidden\n\n- a fact\n")

    assert [(block.shape.value, block.end) for block in document.blocks] == [("comment", 2), ("bullet", 4)]
    assert document.doubts == {"an unclosed comment"}


def test_both_halves_of_a_conflict_are_left_alone() -> None:
    document = parse("- a\n<<<<<<< HEAD\n- mine\n=======\n- yours\n>>>>>>> laptop\n- b\n")

    assert [(block.shape.value, block.first, block.end) for block in document.blocks] == [
        ("bullet", 0, 1), ("conflict", 1, 6), ("bullet", 6, 7),
    ]  # fmt: skip
    assert document.doubts == {"conflict markers"}


def test_front_matter_is_read_as_such_also_behind_a_byte_order_mark() -> None:
    assert shapes("\ufeff---\ntitle: x\n---\n# H\n") == [("front-matter", 0, 3, ""), ("heading", 3, 4, "H")]


@pytest.mark.parametrize(
    "text",
    [
        "---\nSome text here.\n---\n- fact\n",
        "---\n- fact\n",
        "---\n# Monday\n\nNote: call Hedda\n- fact\n\n---\n- more\n",
    ],
    ids=["text", "one rule", "a whole section"],
)
def test_what_stands_between_two_rules_is_not_front_matter(text: str) -> None:
    assert "front-matter" not in [shape for shape, *_ in shapes(text)]


def test_a_byte_order_mark_hides_no_heading_and_no_item() -> None:
    assert shapes("\ufeff# Title\n") == [("heading", 0, 1, "Title")]
    assert shapes("\ufeff- tea\n") == [("bullet", 0, 1, "tea")]


def test_odd_separators_are_content_and_not_line_ends() -> None:
    assert len(parse("- a\u2028b\x0cc\x85d\x1ee\n- f\n").lines) == 2


def test_lines_that_each_begin_with_their_own_key_are_statements_of_their_own() -> None:
    text = "**Kiln:** 1,040 degrees\n**Clay:** from Ulm,\nten days\n**釉料：** 周二到\n\nOne sentence\n**Kiln:** is mentioned\n"

    assert shapes(text) == [
        ("paragraph", 0, 1, "**Kiln:** 1,040 degrees"),
        ("paragraph", 1, 3, "**Clay:** from Ulm, ten days"),
        ("paragraph", 3, 4, "**釉料：** 周二到"),
        ("paragraph", 5, 7, "One sentence **Kiln:** is mentioned"),
    ]


def test_lines_that_somebody_broke_on_purpose_are_statements_of_their_own_in_a_note() -> None:
    said = "slept badly, moon or the cat\ndropped Fern at clarinet\nfoam order off to Peakfoam\n"

    assert [block.text for block in parse(said, by_line=True).blocks] == said.rstrip().split("\n")
    assert len(parse(said).blocks) == 1


def test_prose_that_was_wrapped_stays_one_statement() -> None:
    wrapped = (
        "The pump was replaced by the man from the works, who said that the valve had been\n"
        "the trouble all along and that nobody should have opened the cover before he came,\n"
        "which is what we did.\n"
    )

    assert len(parse(wrapped, by_line=True).blocks) == 1
    assert len(parse("we met at the mill,\nand went home\n", by_line=True).blocks) == 1
