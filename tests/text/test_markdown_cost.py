"""Reading takes time linear in the text, whatever the text: notes may come from a stranger.

Times are compared with each other, never with a clock on the wall: four times the input may take at most nine
times as long (a linear loop takes four, a quadratic one sixteen). Processor time, the best of several, and a floor
below which no ratio means anything.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from time import process_time

import pytest

from reverie.core.layout import place_of
from reverie.core.settings import Memory, Settings
from reverie.judge.leaving import find_duplicates
from reverie.privacy.redact import holds_mask, holds_secret, shown
from reverie.text.lines import plain_heading
from reverie.text.markdown import parse
from reverie.text.marks import days_in, is_done, is_footer, is_marked, is_marked_heading, protected_blocks
from reverie.workspace.statements import statements_of
from reverie.workspace.values import File, Snapshot, Workspace, hash_text

Text = Callable[[int], str]
FLOOR = 0.002  # seconds; below it the clock's own grain decides


def cost(work: Callable[[object], object], given: object, rounds: int = 4) -> float:
    best = float("inf")
    for _ in range(rounds):
        start = process_time()
        work(given)
        best = min(best, process_time() - start)
        if best > 0.5:
            break
    return best


def grows_linearly(work: Callable[[object], object], make: Callable[[int], object], size: int) -> bool:
    """Whether the time grows with the input, noise allowed for; a bad moment gets a second chance."""
    return any(cost(work, make(4 * size)) < 9 * max(cost(work, make(size)), FLOOR) for _ in range(2))


START = "<!-- openclaw:dreaming:light:start -->\n"
NOTES: dict[str, Text] = {
    "a long note": lambda n: "## Section\n- **Key:** a fact\n  - a detail\n\nSome text.\n" * (n // 8),
    "a paragraph without end": lambda n: "words and words\n" * n,
    "a deep list": lambda n: "".join("  " * depth + "- x\n" for depth in range(60)) * (n // 60),
    "one line": lambda n: "x" * 40 * n,
    "one line of spaces": lambda n: " " * 40 * n + "x",
    "one line of tabs": lambda n: "\t" * 20 * n + "x",
    "one line of bullets": lambda n: "- " * 10 * n + "x",
    "one line of quotes": lambda n: "> " * 10 * n + "``",
    "one line of numbers": lambda n: "1. " * 7 * n + "x",
    "one line of stars": lambda n: "- **" + "*" * 20 * n,
    "one heading of hashes": lambda n: "# a" + " #" * 10 * n + "b",
    "a heading of spaces": lambda n: "# a" + " " * 20 * n + "b",
    "a rule that is none": lambda n: "- " * 10 * n + "_",
    "a ruler that is none": lambda n: "a|b\n|" + "-|" * 10 * n + "x",
    "a ruler that begins with spaces": lambda n: "a|b\n" + " " * 2 * n + "x|",
    "a ruler that ends in spaces": lambda n: "a|b\n|-" + " " * 2 * n + "x",
    "unclosed comments": lambda n: "<!-- a\n" * n,
    "unclosed comments with a gap": lambda n: "<!-- a\n\n" * n,
    "unclosed fences": lambda n: "```py\n" * n,
    "unclosed fences with sections": lambda n: "```py\nx\n\n## A\n" * n,
    "fences of two kinds": lambda n: "```py\n\n## A\n~~~sh\n\n## B\n" * n,
    "shorter and shorter fences": lambda n: "".join("`" * (60 - i) + "py\n\n## A\n" for i in range(57)) + "x\n" * n,
    "unclosed blocks": lambda n: START * n,
    "unclosed blocks with gaps": lambda n: (START + "\n" * 5) * n,
    "blocks behind a gap": lambda n: "\n" * 5 * n + START * n,
    "loose candidates": lambda n: "- Candidate: a\n" + "  - confidence: 1\n" * n,
    "a lasting truth without end": lambda n: START + "- " + "[confidence=" * 2 * n,
    "unclosed conflicts": lambda n: "<<<<<<< a\n" * n,
    "conflict ends": lambda n: ">>>>>>> a\n" * n,
    "unclosed recalls": lambda n: "<memory-context>\n\n" * n,
    "front matter without end": lambda n: "---\n" + "key: value\n" * n,
    "a table": lambda n: "a|b\n-|-\n" + "c|d\n" * n,
    "text below sub-items": lambda n: "- a\n  - b\n\n" + "  text\n\n" * n,
    "carriage returns": lambda n: "\r" * 10 * n,
}


@pytest.mark.parametrize("name", NOTES)
def test_parsing_takes_linear_time(name: str) -> None:
    assert grows_linearly(parse, NOTES[name], 600)


LARGE: dict[str, str] = {
    "a note of 300 KB": "## Section\n- **Key:** a fact\n  - a detail\n" * 7500,
    "a line of 300 KB": "x" * 300_000,
    "300 KB of spaces": " " * 300_000,
    "ten thousand unclosed comments": "<!-- a\n\n" * 10_000,
    "ten thousand unclosed fences": "```py\n\n## A\n" * 10_000,
    "ten thousand unclosed blocks": START * 10_000,
}


@pytest.mark.parametrize("name", LARGE)
def test_a_large_note_is_read_whole(name: str) -> None:
    document = parse(LARGE[name])

    assert "".join(document.lines) == LARGE[name]
    assert all(block.end <= later.first for block, later in pairwise(document.blocks))


ENTRIES: dict[str, tuple[Text, int]] = {
    "an ordinary memory": (lambda n: "## Section\n- **Key:** a fact\n  - a detail\n" * n, 300),
    "a long heading above many items": (lambda n: "## " + "a " * n + "\n" + "- a\n" * n, 400),
    "a long parent above many items": (lambda n: "- " + "a " * n + "\n" + "  - a\n" * n, 400),
    "cited again and again": (lambda n: "source:memory/" * n, 500),
    "an envelope without end": (lambda n: "[telegram " * n, 3000),
    "transport decoration": (lambda n: "*`" * n + "x", 3000),
    "marked again and again": (lambda n: "- NEVER 📌\n  - a\n" * n, 600),
}


@pytest.mark.parametrize("name", ENTRIES)
def test_telling_whose_words_they_are_takes_linear_time(name: str) -> None:
    text, size = ENTRIES[name]
    place = place_of("MEMORY.md")

    assert grows_linearly(
        lambda d: statements_of("MEMORY.md", place, d, ("Notes", "Rules")), lambda n: parse(text(n)), size
    )


def _done(text: object) -> bool:
    return is_done(str(text), checked=None)


WORDS: dict[str, tuple[Callable[..., object], Text, int]] = {
    "done in brackets that never close": (_done, lambda n: "(done " * n, 400),
    "a status with a gap": (_done, lambda n: "status:" + " " * n + "x", 400),
    "struck through for ever": (_done, lambda n: "~~" * n + "a", 900),
    "signs": (_done, lambda n: "✅ " * n + "a", 4000),
    "a bracket behind done": (_done, lambda n: "done (" + "( " * n, 4000),
    "a heading with a gap": (plain_heading, lambda n: "a" + " " * n + "b", 900),
    "a marked heading": (is_marked_heading, lambda n: "*" * n + "rul", 4000),
    "a footer of stars": (is_footer, lambda n: "updated" + "*" * n + ":" + "b" * n, 4000),
    "comments": (is_marked, lambda n: "<!-- " * n + " " * n, 4000),
    "labels": (is_marked, lambda n: "[重要" * n, 4000),
    "days": (days_in, lambda n: "2026-10-" * n, 4000),
    "keywords in one word": (holds_secret, lambda n: "token=" * n, 350),
    "keywords with a gap": (holds_secret, lambda n: "password" + " " * n + "x", 4000),
    "beginnings of a web token": (holds_secret, lambda n: "-eyJaaaaaaaaaaaa" * n, 250),
    "beginnings of a private key": (holds_secret, lambda n: "-----BEGIN A" * n, 2000),
    "beginnings of an address": (holds_secret, lambda n: "ab://a:" + "a:" * n, 4000),
    "a number without end": (holds_secret, lambda n: "1" * n, 8000),
    "hyphens": (holds_secret, lambda n: "a-" * n, 4000),
    "shown keywords": (shown, lambda n: "password: x " * n, 2000),
    "shown private keys": (shown, lambda n: "-----BEGIN PRIVATE KEY-----\n" * n, 1000),
    "masks": (holds_mask, lambda n: "[REDACTED" * n + "*" * n, 4000),
}


@pytest.mark.parametrize("name", WORDS)
def test_reading_a_mark_takes_linear_time(name: str) -> None:
    work, text, size = WORDS[name]

    assert grows_linearly(work, text, size)


MEMORIES: dict[str, Text] = {
    "many sections": lambda n: "".join(f"## h{i}\n- a{i}\n" for i in range(n)),
    "the same section again": lambda n: "## h\n- a\n- b\n- c\n" * n,
    "the same pinned section again": lambda n: "## h\n- a 📌\n- b\n- c\n" * n,
    "the same item again": lambda n: "- a\n" * n,
    "every item twice": lambda n: "".join(f"- a{i}\n" for i in range(n)) * 2,
    "finished items": lambda n: "".join(f"- [x] a{i} 2026-10-01\n" for i in range(n)),
    "finished items with open boxes": lambda n: "".join(f"- [x] a{i}\n  - [ ] b{i}\n" for i in range(n)),
    "finished items under a pin": lambda n: "".join(f"- [x] a{i} 📌\n- [x] b{i}\n" for i in range(n)),
}


def memory_of(text: str) -> Snapshot:
    settings = Settings(memory=Memory(truncation=1000))
    place, document = place_of("MEMORY.md"), parse(text)
    file = File(
        "MEMORY.md", place, hash_text(text), text, lambda: (document, statements_of("MEMORY.md", place, document, ()))
    )
    return Snapshot(Workspace(Path(), Path(), settings), {"MEMORY.md": file})


@pytest.mark.parametrize("name", MEMORIES)
def test_finding_copies_takes_linear_time(name: str) -> None:
    assert grows_linearly(find_duplicates, lambda n: memory_of(MEMORIES[name](n)).files["MEMORY.md"], 250)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", MEMORIES)
def test_protecting_takes_linear_time(name: str) -> None:
    assert grows_linearly(protected_blocks, lambda n: parse(MEMORIES[name](n)), 250)  # type: ignore[arg-type]
