"""Our scanner against markdown-it, where both must agree: ordinary, balanced notes.

Left out on purpose, because we differ and say so in docs/internals/design/001-markdown.md: `---` under a paragraph (a rule
for us, a heading for CommonMark), an item with one stray space (not a sub-item for us), lazy continuation lines,
numbers other than 1 that interrupt a paragraph. So blocks are divided by blank lines and sub-items stand exactly
at their parent's content column.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from reverie.text.markdown import Block, Shape, parse

ORACLE = MarkdownIt("commonmark", {"maxNesting": 1000}).enable("table")
TEXT = st.sampled_from((
    "likes tea", "**Price:** 5,200 € incl. VAT", "琴弦先装两根，放一夜", "[ ] call Hedda", "[x] done 2026-10-02",
    "see `dream why`", "Möbel & Holz", "a_b_c", "C# and C++", "half-size cello, 35 €", "📌 F7 is off", "1887",
))  # fmt: skip
MARKER = st.sampled_from(("- ", "* ", "+ ", "1. ", "1) "))


@dataclass(frozen=True)
class Seen:
    """What both sides must see, in lines from zero."""

    headings: list[tuple[int, int]]
    items: list[int]
    fences: list[tuple[int, int]]
    rows: list[int]


def theirs(text: str) -> Seen:
    tokens = [token for token in ORACLE.parse(text) if token.map]
    header = {token.map[0] for token in tokens if token.type == "thead_open"}
    return Seen(
        [(t.map[0], int(t.tag[1])) for t in tokens if t.type == "heading_open"],
        [t.map[0] for t in tokens if t.type == "list_item_open"],
        [(t.map[0], t.map[1]) for t in tokens if t.type == "fence"],
        [t.map[0] for t in tokens if t.type == "tr_open" and t.map[0] not in header],
    )


def ours(text: str) -> Seen:
    blocks = parse(text).blocks

    def of(*shapes: Shape) -> list[Block]:
        return [block for block in blocks if block.shape in shapes]

    return Seen(
        [(block.first, block.level) for block in of(Shape.HEADING)],
        [block.first for block in of(Shape.BULLET, Shape.NUMBERED)],
        [(block.first, block.end) for block in of(Shape.CODE)],
        [block.first for block in of(Shape.ROW)],
    )


@st.composite
def a_list(draw: st.DrawFn, indent: str = "", depth: int = 0) -> list[str]:
    """Items of one kind, some with a second line, a fence of their own, or a list below them."""
    marker = draw(MARKER)
    inner = indent + " " * len(marker)
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        lines.append(indent + marker + draw(TEXT))
        if draw(st.booleans()):
            lines.append(inner + "and goes on here")
        if draw(st.integers(0, 5)) == 0:
            lines += ["", *(inner + line for line in ("```sh", "restic prune", "```"))]
        if depth < 5 and draw(st.integers(0, 2)) == 0:
            lines += draw(a_list(indent=inner, depth=depth + 1))
    return lines


HEADING = st.builds(lambda level, text: ["#" * level + " " + text], st.integers(1, 6), TEXT)
PARAGRAPH = st.lists(
    st.sampled_from(("Shop closed today.", "亦薇今天来电话。", "Everybody counted.")), min_size=1, max_size=3
)
FENCE = st.builds(
    lambda mark, info, inside: [mark + info, *inside, mark],
    st.sampled_from(("```", "~~~~", "`````")),
    st.sampled_from(("", "bash", "json")),
    st.lists(st.sampled_from(("- no item", "# no heading", "| no | row |", "", "text")), max_size=4),
)
TABLE = st.lists(TEXT, max_size=3).map(lambda cells: ["| a | b |", "|---|:--|", *(f"| {cell} | 1 |" for cell in cells)])
QUOTE = TEXT.map(lambda text: ["> " + text, "> and more"])
RULE = st.sampled_from((["***"], ["- - -"], ["___"]))
NOTE = st.lists(st.one_of(HEADING, PARAGRAPH, FENCE, TABLE, QUOTE, RULE, a_list()), max_size=8).map(
    lambda blocks: "\n".join(line for block in blocks for line in (*block, "")) + "\n"
)


@given(NOTE)
def test_headings_items_fences_and_rows_stand_where_commonmark_sees_them(text: str) -> None:
    assert ours(text) == theirs(text)


def test_sixty_levels_of_a_list_stand_where_commonmark_sees_them() -> None:
    text = "".join("  " * depth + f"- level {depth}\n" for depth in range(60))

    assert ours(text) == theirs(text)
    assert [block.depth for block in parse(text).blocks] == list(range(60))
