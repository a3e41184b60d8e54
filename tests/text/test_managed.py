"""Dream output inside notes: all of it is recognised, and nothing that the owner wrote is taken for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Build
from reverie.core.layout import Kind
from reverie.text.managed import is_promotion_mark, managed_lines, unbalanced
from reverie.text.markdown import parse
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Origin, Workspace

PEER = Path(__file__).parents[1] / "peer"
START, END = "<!-- openclaw:dreaming:light:start -->", "<!-- openclaw:dreaming:light:end -->"
REM_START, REM_END = START.replace("light", "rem"), END.replace("light", "rem")
CANDIDATE = [
    "- Candidate: likes tea",
    "  - confidence: 0.62",
    "  - evidence: memory/2026-10-28.md:5-5",
    "  - status: staged",
]
BLOCK = ["## Light Sleep", START, *CANDIDATE, END]


def owners(lines: list[str], ending: str = "\n") -> list[str]:
    """The lines of a note that are not a dream's."""
    document = parse(ending.join(lines) + ending)
    mine = managed_lines([line.rstrip("\r\n") for line in document.lines])
    return [line.rstrip("\r\n") for i, line in enumerate(document.lines) if i not in mine and line.strip()]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_a_balanced_block_is_managed_with_its_title(ending: str) -> None:
    assert owners(["# Day", "- before", "", *BLOCK, "", "- after"], ending) == ["# Day", "- before", "- after"]


@pytest.mark.parametrize(
    "after",
    [
        ["", "## Evening", "- a fact"],
        ["- a fact"],
        ["", "- a fact", "  - confidence: is high, says Mira"],
        ["", "A fact in a paragraph."],
        ["", "1. a fact"],
        ["", "| a | fact |"],
        ["", "> a quoted fact"],
    ],
)
def test_a_fact_behind_an_unclosed_block_is_still_the_owners(after: list[str]) -> None:
    assert owners(["- before", "", "## Light Sleep", START, *CANDIDATE, *after]) == ["- before", *filter(None, after)]


def test_a_fact_behind_an_unclosed_block_becomes_an_entry_of_the_owner(build: Build) -> None:
    note = "\n".join(["## Light Sleep", START, *CANDIDATE, "", "## Evening", "- schnecke hangs on the pantry socket"])

    file = read_workspace(build({"memory/2026-10-30.md": note})).files["memory/2026-10-30.md"]

    assert [(entry.origin, entry.text, entry.headings) for entry in file.entries] == [
        (Origin.DREAM, "", ()),
        (Origin.OWNER, "schnecke hangs on the pantry socket", ("Evening",)),
    ]
    assert file.document.doubts == {"unbalanced dream markers"}


def test_a_section_of_the_owner_between_two_markers_breaks_the_pair() -> None:
    assert owners([START, *CANDIDATE, "", "## Evening", "- a fact", END]) == ["## Evening", "- a fact"]


def test_an_end_without_a_start_takes_nothing_with_it() -> None:
    assert owners(["## Morning", "- a fact", END, "- another"]) == ["## Morning", "- a fact", "- another"]


def test_candidates_that_lost_both_markers_are_still_a_dreams() -> None:
    assert owners(["- before", *CANDIDATE, "- after"]) == ["- before", "- after"]


def test_candidates_that_lost_their_start_are_still_a_dreams() -> None:
    assert owners(["- before", *CANDIDATE, *CANDIDATE, END, "- after"]) == ["- before", "- after"]


@pytest.mark.parametrize(
    "line",
    [
        "- Candidate: Mira for the second bench",
        "- Theme: the colour of autumn",
        "## Candidates",
        "## Reflections",
        "### What happened",
        "## Light Sleep",
        "- confidence: high",
        "- Promoted Mira to head of the bench",
    ],
)
def test_words_that_only_sound_like_a_dream_are_the_owners(line: str) -> None:
    assert owners(["- before", line, "- after"]) == ["- before", line, "- after"]


def test_a_marker_quoted_inside_a_candidate_closes_nothing() -> None:
    quoting = f"- Candidate: the sweep stopped before `{END}`. {END} Yours are untouched."

    assert owners(["- before", START, quoting, "  - confidence: 0.58", *CANDIDATE, END, "- after"]) == [
        "- before",
        "- after",
    ]


def test_a_marker_quoted_by_the_owner_opens_nothing() -> None:
    lines = [f"- The block begins with `{START}`.", "- a fact", f"Not closed: {START}", "- another fact"]

    assert owners(lines) == lines


@pytest.mark.parametrize("count", [2, 12])
def test_stacked_blocks_are_all_managed_and_what_stands_between_is_not(count: int) -> None:
    lines = [line for i in range(count) for line in (*BLOCK, "", f"- fact {i}", "")]

    assert owners(lines) == [f"- fact {i}" for i in range(count)]


def test_of_twelve_blocks_each_second_unclosed_no_fact_is_lost() -> None:
    lines = [line for i in range(12) for line in (*(BLOCK if i % 2 else BLOCK[:-1]), "", f"- fact {i}", "")]

    assert owners(lines) == [f"- fact {i}" for i in range(12)]


def test_a_block_that_another_phase_closes_is_not_believed() -> None:
    assert owners([START, *CANDIDATE, "", "- a fact", REM_END]) == ["- a fact"]


def test_the_inner_headings_of_a_rem_block_belong_to_it() -> None:
    truth = "- **Price:** 5,200 € [confidence=0.93 evidence=memory/2026-10-24.md:2-2]"
    lines = ["## REM Sleep", REM_START, "### Reflections", "- Theme: `tea` kept surfacing.", "  - note: reflection", "",
             "### Possible Lasting Truths", truth]  # fmt: skip

    assert owners([*lines, REM_END, "- a fact"]) == ["- a fact"]
    assert owners([*lines, "", "- a fact"]) == ["- a fact"]


@pytest.mark.parametrize(
    ("markers", "odd"),
    [
        ([], False),
        ([START, END], False),
        ([START, END, REM_START, REM_END], False),
        ([START], True),
        ([END], True),
        ([END, START], True),
        ([START, START, END], True),
        ([START, REM_END], True),
        ([START, REM_START, REM_END, END], True),
        ([f"quoted {START}"], False),
    ],
)
def test_markers_that_do_not_pair_up_are_noticed(markers: list[str], odd: bool) -> None:
    assert unbalanced(markers) is odd


def test_the_peers_mark_above_a_promoted_line_is_known() -> None:
    assert is_promotion_mark("<!-- openclaw-memory-promotion:memory:memory/2026-11-14.md:1:7 -->")
    assert not is_promotion_mark("- about openclaw-memory-promotion")


def test_every_line_of_the_peers_own_blocks_is_a_dreams() -> None:
    lines = (PEER / "2026.9.6-sweep/memory/2026-11-15.md").read_text(encoding="utf-8").splitlines()

    assert [line for i, line in enumerate(lines) if i not in managed_lines(lines) and line.strip()] == []


@pytest.mark.parametrize("release", ["2026.9.6-sweep", "2026.5.7-backfilled"])
def test_in_the_peers_workspace_nothing_of_the_owners_is_swallowed(release: str, tmp_path: Path) -> None:
    snapshot = read_workspace(Workspace(PEER / release, tmp_path))
    owned = {p: f for p, f in snapshot.files.items() if f.place.kind is Kind.DAILY and p != "memory/2026-11-15.md"}

    assert len(owned) == 14
    for file in owned.values():
        bullets = [line[2:].strip() for line in file.text.split("\n") if line.startswith("- ")]
        assert [e.text for e in file.entries if e.origin is Origin.OWNER] == bullets
    assert {entry.origin for entry in snapshot.files["DREAMS.md"].entries} == {Origin.DREAM}
