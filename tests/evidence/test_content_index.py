"""`dream index`: one line a piece of content, found again by topic, never outside its folder, and taken back whole."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from conftest import NIGHT, Build, tree
from reverie.core.ports import FixedClock, fixed
from reverie.features.tools import dedup_index
from reverie.night import commands
from reverie.plan.content import MOST_TOPICS, item_of, preference_in
from reverie.workspace.values import Workspace
from terminal import TOKEN, call

CLOCK = fixed(NIGHT)
INDEX = "dream-vault/obsidian-index/_index.md"
TOPICS = "dream-vault/obsidian-index/topics"
NOTE = "memory/2026-11-15.md"


@pytest.fixture
def workspace(build: Build) -> Workspace:
    return build({"MEMORY.md": "# Ada\n"})


def index(workspace: Workspace, content: str, title: str = "", *topics: str, days: int = 0) -> bool:
    """Whether it was new."""
    clock = FixedClock(CLOCK.now() + timedelta(days=days))
    return commands.index_content(workspace, clock, content, title, topics)[1].run is not None


def lines(workspace: Workspace, path: str = INDEX) -> list[str]:
    return [line for line in (workspace.root / path).read_text("utf-8").splitlines() if line.startswith("- ")]


def test_a_link_becomes_one_line_with_date_title_summary_and_topics(workspace: Workspace) -> None:
    assert index(workspace, "https://x.example/how-to-brew.html Water first, then leaves.", "Brewing tea", "Tea")

    text = (workspace.root / INDEX).read_text("utf-8")
    assert text.startswith("# Content index\n\n- 2026-11-15 [Brewing tea](https://x.example/how-to-brew.html) — ")
    assert "Water first, then leaves." in text and " #tea" in text
    assert lines(workspace, f"{TOPICS}/tea.md") == lines(workspace)


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("https://x.example/a-fine-page.html", "a fine page"),
        ("https://x.example/", "x.example"),
        ("# Heading\nAnd more.", "Heading"),
        ("今天的文章。后面还有。", "今天的文章。"),
    ],
)
def test_without_a_title_there_is_one_all_the_same(content: str, title: str) -> None:
    assert item_of(content).title == title


# Once


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("https://x.example/a", "https://x.example/a"),
        ("https://x.example/a", "see https://x.example/a/ again."),
        ("https://x.example/a", "HTTPS://X.EXAMPLE/a".replace("HTTPS", "https")),
        ("A text of some length", "A  TEXT of some\nlength"),
    ],
)
def test_the_same_content_is_indexed_once(workspace: Workspace, first: str, second: str) -> None:
    assert index(workspace, first, "" if "http" in first else "A title")
    before = tree(workspace.root)

    assert not index(workspace, second, "" if "http" in first else "a  TITLE", days=3)
    assert tree(workspace.root) == before


def test_a_title_is_known_also_where_its_entry_has_a_link(workspace: Workspace) -> None:
    assert index(workspace, "https://x.example/a Water first.", "Brewing tea")

    assert not index(workspace, "Some other words", "Brewing TEA.")
    assert dedup_index(workspace, "brewing tea") == "exists"
    assert index(workspace, "https://x.example/b Leaves first.", "Brewing tea")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("https://x.example/a", "https://x.example/b"),
        ("https://video.example/watch?v=abcDEF", "https://video.example/watch?v=ABCdef"),
        ("https://wiki.example/Mercury_(planet)", "https://wiki.example/Mercury_(element)"),
        ("one text", "another text"),
    ],
)
def test_different_content_is_indexed_twice(workspace: Workspace, first: str, second: str) -> None:
    assert index(workspace, first) and index(workspace, second)
    assert len(lines(workspace)) == 2


def test_a_text_cannot_pretend_to_be_indexed(workspace: Workspace) -> None:
    later = item_of("the real thing").id

    index(workspace, f"a page <!-- index:{later} --> with a mark", f"mark <!-- index:{later} -->")

    assert index(workspace, "the real thing")


# Topics


@pytest.mark.parametrize(
    "topic",
    [
        "../../x",
        "a/b",
        "\0",
        "x\0y",
        "",
        " ",
        "..",
        ".",
        "/etc/passwd",
        "~",
        "C:\\x",
        "x" * 5_000,
        "榛" * 500,
        "-",
        "_",
        "#",
        "con",
        "a\nb",
        "\u202e",
        "\ud800",
        "..\u2215x",
        "．．／x",
    ],
)
def test_no_topic_leads_out_of_its_folder(workspace: Workspace, topic: str) -> None:
    outside = set(workspace.root.parent.iterdir())

    assert index(workspace, "plain words here", "A title", topic)

    assert set(workspace.root.parent.iterdir()) == outside
    written = {path for path in tree(workspace.root) if path not in ("MEMORY.md", INDEX)}
    assert all(Path(path).parent == Path(TOPICS) and path.endswith(".md") for path in written)


def test_there_are_at_most_five_topics(workspace: Workspace) -> None:
    index(workspace, "words " * 30 + " ".join(f"#tag{n}x" for n in range(20)), "T", *[f"topic-{n}" for n in range(9)])

    assert len(list((workspace.root / TOPICS).iterdir())) == MOST_TOPICS == 5
    assert lines(workspace)[0].count(" #") == 5


def test_named_topics_come_before_found_ones() -> None:
    found = item_of("bread bread bread #baking", "Bread", ["Kitchen"])

    assert found.topics[:3] == ("kitchen", "baking", "bread")


def test_the_newest_stands_first(workspace: Workspace) -> None:
    for n in range(3):
        index(workspace, f"https://x.example/{n}", f"Title {n}", "tea", days=n)

    for path in (INDEX, f"{TOPICS}/tea.md"):
        assert [line.split("](")[0][-1] for line in lines(workspace, path)] == ["2", "1", "0"]


# The owner's files


def test_a_preference_becomes_one_line_of_todays_note(workspace: Workspace) -> None:
    index(workspace, "A post about mornings. I really prefer oolong over coffee. More words.", "Post")

    assert (workspace.root / NOTE).read_text("utf-8") == "- I really prefer oolong over coffee. (from: Post)\n"


@pytest.mark.parametrize(
    "said", ["I really prefer felt soles over rubber.", "My favourite is the slow train along the coast."]
)
def test_what_somebody_says_of_themselves_is_a_preference_sooner(said: str) -> None:
    assert preference_in(said) == said
    assert preference_in("The article compares three kinds of soles.") == ""


def test_a_word_that_is_said_about_everything_is_no_topic() -> None:
    assert item_of("I really prefer felt soles over rubber").topics[:2] == ("soles", "rubber")
    assert {"really", "over"}.isdisjoint(item_of("I really prefer felt soles over rubber").topics)


def test_todays_note_only_grows(build: Build) -> None:
    workspace = build({NOTE: b"# Day\r\n- mine, unfinished"})
    index(workspace, "I prefer oolong", "Post")

    assert (workspace.root / NOTE).read_bytes() == b"# Day\r\n- mine, unfinished\r\n- I prefer oolong (from: Post)\r\n"


def test_without_a_preference_no_note_is_written(workspace: Workspace) -> None:
    index(workspace, "Just words", "Post")

    assert not (workspace.root / NOTE).exists()


@pytest.mark.parametrize("prepared", [{}, {NOTE: "- mine\n", INDEX: "# Mine\n\n- old <!-- index:00000000 -->\n"}])
def test_undo_takes_all_of_it_back(build: Build, prepared: dict[str, str | bytes]) -> None:
    workspace = build({"MEMORY.md": "# Ada\n", **prepared})
    before = tree(workspace.root)
    index(workspace, "I prefer oolong https://x.example/tea", "Post", "tea")
    assert tree(workspace.root) != before

    commands.undo(workspace, CLOCK)

    assert tree(workspace.root) == before


def test_an_index_with_windows_endings_keeps_them(build: Build) -> None:
    workspace = build({INDEX: b"# Mine\r\n\r\n- old <!-- index:00000000 -->\r\n"})
    index(workspace, "https://x.example/new", "New")

    data = (workspace.root / INDEX).read_bytes()
    assert data.startswith(b"# Mine\r\n\r\n- 2026-11-15 [New]") and data.endswith(b"- old <!-- index:00000000 -->\r\n")
    assert data.count(b"\n") == data.count(b"\r\n") == 4


# The command


def test_the_command_says_what_it_did(workspace: Workspace) -> None:
    where = ("--workspace", workspace.root, "--now", NIGHT)

    first = json.loads(
        call("index", "https://x.example/tea", "--title", "Tea", "--topic", "drinks", "--json", *where).out
    )
    again = json.loads(call("index", "https://x.example/tea", "--json", *where).out)

    assert (first["new"], first["title"], first["url"], first["noted"]) == (True, "Tea", "https://x.example/tea", False)
    assert first["topics"][0] == "drinks" and first["run"]
    assert (again["new"], again["run"], again["id"]) == (False, None, first["id"])


@pytest.mark.parametrize(
    "args",
    [
        (f"my key is {TOKEN}",),
        ("words", "--title", f"key {TOKEN}"),
        ("words", "--topic", TOKEN),
        (f"https://x.example/?token={TOKEN}",),
        (f"https://kim:{'kR7pQ2vX'}m9@x.example/",),
    ],
)
def test_a_secret_is_refused_and_nothing_is_written(workspace: Workspace, args: tuple[str, ...]) -> None:
    before = tree(workspace.root, without=())

    done = call("index", *args, "--workspace", workspace.root, "--now", NIGHT)

    assert (done.code != 0, TOKEN in done.out + done.err) == (True, False)
    assert tree(workspace.root, without=()) == before


def test_a_secret_is_refused_to_programs_too(workspace: Workspace) -> None:
    with pytest.raises(Exception, match=r"(?i)secret"):
        commands.index_content(workspace, CLOCK, f"my key is {TOKEN}", "Key")

    assert not (workspace.root / INDEX).exists()


@pytest.mark.parametrize("args", [(), ("",), (" ",)])
def test_nothing_to_index_is_an_error(workspace: Workspace, args: tuple[str, ...]) -> None:
    done = call("index", *args, "--workspace", workspace.root)

    assert done.code != 0 and "nothing to index" in done.err


def test_standard_input_is_read(workspace: Workspace) -> None:
    call("index", "-", "--workspace", workspace.root, "--now", NIGHT, stdin="A title here\nand more\n")

    assert "**A title here**" in lines(workspace)[0]
