"""The permanent archive in seed 000's formats: blocks, index, removed entries, and the owner's `## Dream` section."""

from __future__ import annotations

import json
from hashlib import md5, sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Build, tree
from reverie.core.errors import BadInput
from reverie.core.ports import FixedClock, fixed
from reverie.core.settings import Memory, Settings
from reverie.night import commands
from reverie.plan.ledger import Archived, array_text, block, indexed, read_array, read_ledger, summary
from reverie.text.lines import appended
from reverie.workspace.values import Workspace

TIGHT = Settings(memory=Memory(truncation=1000))
FACTS = "".join(f"- the river has a bend number {i}\n" for i in range(25))
LATER = fixed("2026-11-16T03:00:00+01:00")


def ledger(workspace: Workspace) -> str:
    return (workspace.vault / "ledger.md").read_bytes().decode("utf-8", "surrogateescape")


def rewrite(workspace: Workspace, old: str, new: str) -> None:
    path = workspace.root / "MEMORY.md"
    path.write_bytes(path.read_bytes().replace(old.encode(), new.encode(), 1))


def test_a_block_is_seed_000s_with_the_line_as_it_stood(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": "# Me\n- likes tea\n- lives in Bern\n- likes tea\n"})

    commands.review(workspace, clock)

    assert ledger(workspace) == (
        f"---\nID: {md5(b'- likes tea').hexdigest()[:8]}\nArchived: 2026-11-15 03:00\nCategory: [duplicate]\n"
        "Content: - likes tea\nSource: MEMORY.md:4\nNote: the same words stand in MEMORY.md:2\n---\n"
    )


def test_an_entry_of_many_lines_is_archived_byte_for_byte(build: Build, clock: FixedClock) -> None:
    item = "- the  boat has  double spaces\tand a tab \n  - sub one\n\n  - 子项 ✅\n    continued\n"
    workspace = build({"MEMORY.md": f"# Me\n{item}- sings\n{item}"})

    commands.review(workspace, clock)

    assert f"Content: {item}Source: MEMORY.md:8-12\n" in ledger(workspace)
    assert (workspace.root / "MEMORY.md").read_text() == f"# Me\n{item}- sings\n"


def test_bytes_that_are_no_utf_8_arrive_as_they_were(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": b"# Me\n- caf\xe9 \xff\n- lives in Bern\n- caf\xe9 \xff\n"})

    commands.review(workspace, clock)

    assert b"Content: - caf\xe9 \xff\n" in (workspace.vault / "ledger.md").read_bytes()
    (record,) = json.loads((workspace.vault / "ledger-index.json").read_bytes())
    assert record["summary"] == "caf\udce9 \udcff"


@pytest.mark.parametrize(
    "inner", ["---\n- b c", "Note: x\n- b c", "- b c\nNote: x", "Source: y\nNote: x", "---\nID: 7"]
)
def test_content_that_looks_like_a_field_is_still_content(build: Build, clock: FixedClock, inner: str) -> None:
    section = f"## Lists\n- a b\n{inner}\n"
    workspace = build({"MEMORY.md": f"# Me\n{section}\n{section}"})

    commands.review(workspace, clock)

    (entry,) = read_ledger(ledger(workspace))
    assert "\n".join(entry.content) + "\n" == section


_LINES = st.sampled_from(
    ["- a", "  - b", "---", "Note: x", "Source: y", "Content: z", "Category: [q]", "", "ID: 1", "中文"]
)


@given(
    st.lists(
        st.builds(tuple, st.lists(_LINES, min_size=1, max_size=5).map(lambda lines: ["- first", *lines])), max_size=4
    )
)
def test_what_is_written_as_blocks_is_read_as_the_same_entries(contents: list[tuple[str, ...]]) -> None:
    entries = tuple(
        Archived(f"{n:08x}", "2026-11-15 03:00", "duplicate", content, "MEMORY.md:1", "why")
        for n, content in enumerate(contents)
    )
    text = "".join(f"{line}\n" for entry in entries for line in block(entry))

    assert read_ledger(text) == entries


@pytest.mark.parametrize("text", ["", "# Ledger\n\n", "some words\n", "---\n", "---\nID: 1"])
def test_a_ledger_without_blocks_holds_no_entries(text: str) -> None:
    assert read_ledger(text) == ()


def test_blocks_of_the_seeds_script_are_read_and_its_events_passed_over() -> None:
    text = (
        "\ufeff# Ledger\r\n---\r\nID: a3f8c201\r\nArchived: 2026-02-27 03:31\r\nCategory: [decision]\r\n"
        "Content: Decided to use Obsidian\r\nNote: First archived\r\n---\r\n\r\n"
        "---\r\nID: a3f8c201\r\nUpdated: 2026-03-01 03:30\r\nEvent: re-emerged\r\nNote: again\r\n---\r\n"
    )

    assert read_ledger(text) == (
        Archived("a3f8c201", "2026-02-27 03:31", "decision", ("Decided to use Obsidian",), "", "First archived"),
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"# Ledger", b"# Ledger\n---\nID: "),
        (b"# Ledger\n\n", b"# Ledger\n\n---\nID: "),
        (b"# Ledger\r\nold", b"# Ledger\r\nold\r\n---\r\nID: "),
        (b"\xef\xbb\xbf# Ledger\r\n", b"\xef\xbb\xbf# Ledger\r\n---\r\nID: "),
    ],
)
def test_an_existing_ledger_keeps_its_bytes_and_its_line_endings(
    build: Build, clock: FixedClock, before: bytes, after: bytes
) -> None:
    memory = "# Me\n- likes tea\n- likes tea\n- lives in Bern\n- lives in Bern\n"
    workspace = build({"MEMORY.md": memory, "dream-vault/ledger.md": before})

    commands.review(workspace, clock)
    now = (workspace.vault / "ledger.md").read_bytes()

    assert now.startswith(after)
    assert {line.endswith(b"\r") for line in now.split(b"\n")[:-1]} == {b"\r" in before}
    assert [entry.content for entry in read_ledger(now.decode())] == [("- likes tea",), ("- lives in Bern",)]


def test_the_index_has_a_record_for_every_entry(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": "# Me\n- likes tea\n- likes tea\n"})

    commands.review(workspace, clock)

    at, note = "2026-11-15 03:00", "the same words stand in MEMORY.md:2"
    assert json.loads((workspace.vault / "ledger-index.json").read_text()) == [
        {"id": md5(b"- likes tea").hexdigest()[:8], "category": "duplicate", "summary": "likes tea", "first_archived": at,
         "last_updated": at, "status": "active", "events": [{"time": at, "note": note}]}
    ]  # fmt: skip


def test_the_same_line_again_is_an_event_of_the_same_record(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": "# Me\n- likes tea\n- likes tea\n"})
    commands.review(workspace, clock)
    rewrite(workspace, "- likes tea\n", "- likes tea\n- likes tea\n")

    commands.review(workspace, LATER)

    (record,) = json.loads((workspace.vault / "ledger-index.json").read_text())
    assert (record["first_archived"], record["last_updated"]) == ("2026-11-15 03:00", "2026-11-16 03:00")
    assert [event["time"] for event in record["events"]] == ["2026-11-15 03:00", "2026-11-16 03:00"]
    assert ledger(workspace).count("ID: ") == 2


def test_finished_entries_may_re_emerge_and_duplicates_may_not(build: Build, clock: FixedClock) -> None:
    item = "- [x] 2026-01-02 sold the boat"
    workspace = build({"MEMORY.md": f"# Me\n{item}\n- [ ] call Odo\n\n## Facts\n- likes tea\n- likes tea\n"})

    commands.review(workspace, clock)

    (sold,) = json.loads((workspace.vault / "meta/removed-entries.json").read_text())
    assert sold == {
        "id": md5(item.encode()).hexdigest()[:8], "summary": "2026-01-02 sold the boat",
        "content_hash": sha256(item.encode()).hexdigest(), "removed_at": "2026-11-15 03:00",
        "removed_ts": int(clock.now().timestamp()), "reemergence_count": 0, "section": "Me",
    }  # fmt: skip


def test_a_record_of_somebody_else_keeps_all_its_fields(build: Build, clock: FixedClock) -> None:
    theirs = {"id": "a3f8c201", "category": "decision", "summary": "Obsidian", "colour": "blue", "events": []}
    index = json.dumps([theirs], indent=2)
    workspace = build({"MEMORY.md": "# Me\n- likes tea\n- likes tea\n", "dream-vault/ledger-index.json": index})

    commands.review(workspace, clock)

    assert json.loads((workspace.vault / "ledger-index.json").read_text())[0] == theirs


@pytest.mark.parametrize("name", ["ledger-index.json", "meta/removed-entries.json", "meta/active-days.json"])
@pytest.mark.parametrize(("text", "line"), [('[\n {"id": 1},\n oops\n]', 3), ("{}", 1), ("[[[" * 50_000, 1)])
def test_a_broken_list_is_named_with_its_line_and_nothing_is_written(
    build: Build, clock: FixedClock, name: str, text: str, line: int
) -> None:
    workspace = build({"MEMORY.md": "# Me\n- likes tea\n- likes tea\n", f"dream-vault/{name}": text})
    before = tree(workspace.root)

    with pytest.raises(
        BadInput, match=rf"^vault:{name}:{line} is not .*\. `dream doctor --fix` sets it aside where that is safe\.$"
    ):
        commands.review(workspace, clock)

    assert tree(workspace.root, without=("memory/.dreams/lock",)) == before


@pytest.mark.parametrize("name", ["ledger-index.json", "meta/removed-entries.json"])
def test_a_list_of_other_things_is_refused_not_stumbled_over(build: Build, clock: FixedClock, name: str) -> None:
    workspace = build({"MEMORY.md": "# Me\n- likes tea\n- likes tea\n", f"dream-vault/{name}": "[1, null]\n"})

    with pytest.raises(BadInput, match=f"^vault:{name}:1 "):
        commands.review(workspace, clock)


def test_a_deleted_index_is_made_again_from_the_ledger(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": "# Me\n- likes tea\n- likes tea\n- lives in Bern\n"})
    commands.review(workspace, clock)
    first = json.loads((workspace.vault / "ledger-index.json").read_text())
    (workspace.vault / "ledger-index.json").unlink()
    rewrite(workspace, "- lives in Bern\n", "- lives in Bern\n- lives in Bern\n")

    commands.review(workspace, LATER)

    assert json.loads((workspace.vault / "ledger-index.json").read_text())[:1] == first
    assert len(read_array((workspace.vault / "ledger-index.json").read_text(), "x")) == 2


def dreamt(workspace: Workspace, clock: FixedClock) -> str:
    commands.review(workspace, clock)
    return (workspace.root / "MEMORY.md").read_text().partition("## Dream\n")[2]


def test_the_dream_section_names_the_last_five_newest_first(build: Build, clock: FixedClock) -> None:
    pairs = "".join(f"- fact {name}\n" * 2 for name in "abcdef")
    workspace = build({"MEMORY.md": f"# Me\n{pairs}\n## Dream\n<!-- ours -->\n"})

    section = dreamt(workspace, clock)

    ids = [md5(f"- fact {name}".encode()).hexdigest()[:8] for name in "fedcb"]
    lines = [f"- 2026-11-15 [duplicate] fact {name} <!-- dream:{i} -->\n" for name, i in zip("fedcb", ids, strict=True)]
    assert section == "<!-- ours -->\n" + "".join(lines)


def test_only_our_lines_in_the_dream_section_are_replaced(build: Build, clock: FixedClock) -> None:
    ours = "- 2026-01-01 [duplicate] older <!-- dream:00000000 -->\n"
    section = f"my own words\n{ours}- a line of mine\n{ours}\n- another\n\n## After\n- stays\n"
    workspace = build({"MEMORY.md": f"# Me\n- likes tea\n- likes tea\n\n## Dream\n{section}"})

    new = "- 2026-11-15 [duplicate] likes tea <!-- dream:" + md5(b"- likes tea").hexdigest()[:8] + " -->\n"
    assert dreamt(workspace, clock) == section.replace(ours, new, 1).replace(ours, "", 1)


@pytest.mark.parametrize("open_end", ["<!-- never closed", "```", "<<<<<<< ours"])
def test_what_the_owner_left_open_above_the_dream_section_stops_no_night(
    build: Build, clock: FixedClock, open_end: str
) -> None:
    workspace = build({"MEMORY.md": f"- likes tea\n- likes tea\n\n{open_end}\n\n## Dream\n- uses vim\n"})

    commands.review(workspace, clock)

    assert (workspace.root / "MEMORY.md").read_text().startswith(f"- likes tea\n\n{open_end}\n\n## Dream\n")
    assert commands.review(workspace, LATER).run is None


def test_no_dream_section_is_made_where_the_owner_has_none(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": "# Me\n- likes tea\n- likes tea\n"})

    commands.review(workspace, clock)

    assert (workspace.root / "MEMORY.md").read_text() == "# Me\n- likes tea\n"


def test_a_secret_on_an_unfinished_last_line_stops_no_night_and_is_not_copied(build: Build, clock: FixedClock) -> None:
    memory = "# Me\n- likes tea\n- likes tea\n\n## Dream\nwords of mine\nand password = Abc12345x"
    workspace = build({"MEMORY.md": memory})

    commands.review(workspace, clock)

    written = tree(workspace.root, without=("MEMORY.md", "memory/.dreams/runs/0001-2026-11-15/old-"))
    assert [path for path, data in written.items() if b"Abc12345x" in data] == []


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("- [x] **Sold** the boat", "**Sold** the boat"),
        ("  12. a step <!-- dream:00000000 -->", "a step"),
        ("a" * 80, "a" * 80),
        ("a" * 81, "a" * 79 + "…"),
        ("字" * 100, "字" * 79 + "…"),
        ("😀" * 50, "😀" * 39 + "…"),
    ],
)
def test_a_summary_is_one_plain_line_of_eighty_characters(content: str, expected: str) -> None:
    assert summary(content) == expected


def test_an_index_record_never_changes_the_list_it_came_from() -> None:
    entry = Archived("a3f8c201", "2026-11-15 03:00", "decision", ("- x",), note="why")
    one = indexed([], entry)

    two = indexed(one, entry)

    assert (len(one[0]["events"]), len(two[0]["events"])) == (1, 2)
    assert read_array(array_text(two), "x") == two


@pytest.mark.parametrize(
    ("lines", "splice"),
    [
        ((), (0, (), ("x\n",))),
        (("a\n",), (1, (), ("x\n",))),
        (("a\r\n", "b"), (1, ("b",), ("b\r\n", "x\r\n"))),
    ],
)
def test_what_is_appended_closes_an_unfinished_line_first(
    lines: tuple[str, ...], splice: tuple[int, tuple[str, ...], tuple[str, ...]]
) -> None:
    assert appended(lines, ["x"]) == splice


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("- **Kiln:** 900 degrees", "**Kiln:** 900 degrees"),
        ("**Kiln:** 900 degrees", "**Kiln:** 900 degrees"),
        ("* 900 degrees <!-- dream:a3f8c201 -->", "900 degrees"),
        ("- [x] fired", "fired"),
        ("3. third step", "third step"),
        ("-20 degrees at night", "-20 degrees at night"),
    ],
)
def test_a_summary_takes_the_marker_off_and_nothing_of_the_words(content: str, told: str) -> None:
    assert summary(content) == told
