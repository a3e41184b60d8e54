"""Laws of reading: they hold for any bytes, however damaged, and for real-looking notes above all."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.core.layout import place_of
from reverie.core.settings import Memory, Settings
from reverie.judge.brief import Brief, Room
from reverie.judge.leaving import find_duplicates
from reverie.night.briefing import memory_lines
from reverie.night.fit import fit
from reverie.plan.build import build_plan
from reverie.text.lines import BOM, bare, split_lines
from reverie.text.markdown import Block, Document, Shape, parse
from reverie.workspace.statements import statements_of
from reverie.workspace.values import File, Snapshot, Workspace, hash_text, to_bytes, to_text

LIGHT = "<!-- openclaw:dreaming:light:{} -->"
WORDS = (
    "likes tea",
    "Status: active",
    "琴弦先装两根",
    "**Price:** 5,200 €",
    "(done 2026-10-02)",
    "📌 keep",
    "a | b",
    "x",
)
LEADS = (
    "# ", "## ", "### ", "- ", "* ", "• ", "  - ", "   - ", "    - ", "\t- ", "- [ ] ", "- [x] ", "  - [x] ", "1. ",
    "2) ", "   1. ", "3、", "> ", "  > ", "", " ", "  ", "    ", "✅ ", "- ✅ ", "~~~", "| ",
)  # fmt: skip
WHOLE = (
    "", "", "   ", "---", "***", "===", "```", "```python", "````", "~~~", "  ```", "- ```", "> ```", "| a | b |",
    "|---|---|", "--|--", "| 1 | 2 |", "<!--", "-->", "<!-- keep -->", "<<<<<<< HEAD", "=======", ">>>>>>> laptop",
    "<active_memory_plugin>", "</active_memory_plugin>", "## Light Sleep", "### Reflections", "title: note", "...",
    LIGHT.format("start"), LIGHT.format("end"), "<!-- openclaw:dreaming:rem:end -->",
    "<!-- openclaw:dreaming:diary:start -->", "- Candidate: likes tea", "  - confidence: 0.62", "  - status: staged",
    "user: hello", '{"message_id": 1}', "## Dream", "- 2026-10-01 gone <!-- dream:a3f8c201 -->", BOM, "\x00", "\udcfc",
    "*Last updated: 2026-11-06*", "\u2028", "\x0c",
)  # fmt: skip
LINE = st.one_of(
    st.sampled_from(WHOLE),
    st.builds("".join, st.tuples(st.sampled_from(LEADS), st.sampled_from(WORDS))),
    st.text(alphabet=st.sampled_from("-*#>|`~:[] \tx1.、<!→中"), max_size=12),
)
# A note of few different lines, many times each: where copies, tables and nesting meet.
CROWDED = st.lists(LINE, min_size=2, max_size=5, unique=True).flatmap(
    lambda few: st.lists(st.sampled_from(few), min_size=4, max_size=24).map("\n".join)
)
ITEM = st.builds("".join, st.tuples(st.sampled_from(("- ", "- [x] ", "  - ", "    - ")), st.sampled_from("abc")))
LISTS = st.lists(ITEM, min_size=4, max_size=12).map("\n".join)
NOTE = st.lists(st.tuples(LINE, st.sampled_from(("\n", "\n", "\n", "\r\n", "\r", ""))), max_size=40).map(
    lambda pairs: "".join(line + ending for line, ending in pairs)
)
DAMAGED = st.one_of(
    st.binary(max_size=200),
    NOTE.map(to_bytes),
    CROWDED.map(to_bytes),
    st.builds(lambda text, cut, junk: to_bytes(text)[cut:] + junk, NOTE, st.integers(0, 9), st.binary(max_size=9)),
)
PLAIN = st.lists(LINE.map(lambda line: line.replace("\r", "") + "\n"), max_size=40).map("".join)


def ancestors(blocks: tuple[Block, ...], index: int) -> Iterator[int]:
    above = blocks[index].parent
    while above is not None:
        yield above
        above = blocks[above].parent


def memory_of(text: str, settings: Settings) -> Snapshot:
    place, document = place_of("MEMORY.md"), parse(text)
    entries = statements_of("MEMORY.md", place, document, settings.protected_sections)
    file = File("MEMORY.md", place, hash_text(text), text, lambda: (document, entries))
    return Snapshot(Workspace(root=None, vault=None, settings=settings), {"MEMORY.md": file})  # type: ignore[arg-type]


def taken_out(snapshot: Snapshot) -> list[tuple[int, int]]:
    """The lines that a night would take out of MEMORY.md, as ranges in order."""
    memory, now = snapshot.files["MEMORY.md"], datetime(2026, 11, 15, 3, tzinfo=UTC)
    room = Room(10_000, 1_000, 1, 1, 1)
    brief = Brief(now.date(), memory_lines(memory), room=room, file=memory)
    fitted = fit(brief, find_duplicates(memory), share=1.0)
    plan = build_plan(snapshot, fitted.operations, now)
    return sorted((edit.at, edit.at + len(edit.old)) for edit in plan.edits if edit.path == "MEMORY.md" and edit.old)


@given(DAMAGED)
def test_what_was_parsed_joins_to_the_same_bytes(data: bytes) -> None:
    assert to_bytes("".join(parse(to_text(data)).lines)) == data


@given(st.text())
def test_lines_end_only_where_a_line_ends(text: str) -> None:
    lines = split_lines(text)

    assert "".join(lines) == text
    assert not any("\r" in bare(line) or "\n" in bare(line) for line in lines)
    assert all(line != bare(line) for line in lines[:-1])


@given(DAMAGED)
def test_every_written_line_belongs_to_exactly_one_block(data: bytes) -> None:
    document = parse(to_text(data))
    covered = [i for block in document.blocks for i in range(block.first, block.end)]
    naked = (
        [line.strip() for line in (document.lines[0].removeprefix(BOM), *document.lines[1:])] if document.lines else []
    )

    assert covered == sorted(set(covered))
    assert {i for i, line in enumerate(naked) if line} <= set(covered) <= set(range(len(naked)))


@given(DAMAGED)
def test_parents_and_headings_stand_above(data: bytes) -> None:
    blocks = parse(to_text(data)).blocks
    owners = (Shape.BULLET, Shape.NUMBERED, Shape.HEADER)

    for index, block in enumerate(blocks):
        assert block.parent is None or (block.parent < index and blocks[block.parent].shape in owners)
        assert block.heading is None or (block.heading < index and blocks[block.heading].shape is Shape.HEADING)
        assert block.first < block.end <= block.tail


@settings(max_examples=300)
@given(DAMAGED)
def test_an_item_reaches_to_its_last_descendant_and_covers_nobody_else(data: bytes) -> None:
    blocks = parse(to_text(data)).blocks

    for index, block in enumerate(blocks):
        below = [i for i in range(len(blocks)) if index in ancestors(blocks, i)]
        covered = [i for i, other in enumerate(blocks) if block.end <= other.first < block.tail]
        assert covered == below
        assert block.tail == max((blocks[i].end for i in below), default=block.end)


@given(DAMAGED)
def test_reading_twice_gives_the_same_document(data: bytes) -> None:
    assert parse(to_text(data)) == parse(to_text(data))


@given(PLAIN, st.sampled_from(("\r\n", "\r")))
def test_the_line_ending_changes_no_block(text: str, ending: str) -> None:
    assert parse(text.replace("\n", ending)).blocks == parse(text).blocks


@given(PLAIN)
def test_a_byte_order_mark_changes_no_block(text: str) -> None:
    assert parse(BOM + text.removeprefix(BOM)).blocks == parse(text.removeprefix(BOM)).blocks


@given(
    NOTE, st.sampled_from(("MEMORY.md", "memory/2026-10-20.md", "memory/2026-10-20-call.md", "DREAMS.md", "USER.md"))
)
def test_every_entry_names_the_lines_it_was_read_from(text: str, path: str) -> None:
    document = parse(text)

    for entry in statements_of(path, place_of(path), document, ("Notes",)):
        assert (entry.source.path, entry.source.first, entry.source.last) == (
            path,
            entry.block.first + 1,
            entry.block.end,
        )
        assert entry.block in document.blocks


@settings(max_examples=300)
@given(st.one_of(LISTS, CROWDED))
def test_what_leaves_never_overlaps_and_is_never_protected(text: str) -> None:
    snapshot = memory_of(text, Settings(memory=Memory(truncation=10)))
    taken = taken_out(snapshot)
    shielded = [entry.block.first for entry in snapshot.files["MEMORY.md"].entries if entry.protected]

    assert all(end <= first for (_, end), (first, _) in pairwise(taken))
    assert not [line for line in shielded for first, end in taken if first <= line < end]


def test_the_empty_file_is_a_document_without_blocks() -> None:
    assert parse("") == Document((), ())
