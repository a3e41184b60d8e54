"""A plan names what it read, why, and where; it is the same plan for the same files in any order."""

from __future__ import annotations

import random

import pytest

from conftest import Build
from reverie.core.layout import LEDGER
from reverie.core.ports import FixedClock
from reverie.night import commands
from reverie.night.briefing import make_brief
from reverie.night.judging import judged
from reverie.night.night import decided
from reverie.night.remember import evidence_of
from reverie.plan.show import as_diff, as_prose
from reverie.plan.splices import difference, found_again, spliced, texts_after, turned_round
from reverie.text.lines import split_lines
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Edit, Intent, Plan, Snapshot, Source, Workspace


def test_every_edit_names_its_reason_and_every_decision_the_lines_it_moves(
    lived_in: Workspace, clock: FixedClock
) -> None:
    night = commands.plan_dream(lived_in, clock)

    assert dict(night.plan.base) == {path: night.snapshot.hash_of(path) for path in night.plan.paths}
    assert all(edit.id and edit.tag and edit.why for edit in night.plan.edits)
    decisions = [edit for edit in night.plan.edits if edit.tag in ("duplicate", "completed")]

    assert len(decisions) > 10
    for edit in decisions:
        if edit.path != LEDGER:
            first = edit.sources[0]
            cited = split_lines(night.snapshot.text_of(first.path))[first.first - 1 : first.last]
            assert edit.old[: len(cited)] == cited


def test_a_small_plan_is_exactly_this(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": "# Me\n- likes tea\n- uses vim\n- likes tea\n"})

    plan = commands.plan_dream(workspace, clock).plan

    (edit,) = [edit for edit in plan.edits if edit.path == "MEMORY.md"]
    sources = (Source("MEMORY.md", 4, 4),)
    why = "the same words stand in MEMORY.md:2"
    assert edit == Edit(
        "77b568c4", "MEMORY.md", 3, ("- likes tea\n",), (), "duplicate", why, sources, edit.around, "end", "built-in"
    )  # fmt: skip
    assert (plan.intent, plan.made, dict(plan.counts)) == (Intent.DREAM, "2026-11-15T03:00:00+01:00", {"duplicate": 1})
    assert plan.paths == (
        "DREAMS.md", "MEMORY.md", "memory/.dreams/reviewed.json", "memory/.last_dream", "memory/dream-log-2026-11-15.md",
        "vault:ledger-index.json", "vault:ledger.md", "vault:meta/active-days.json", "vault:meta/last-review.txt",
        "vault:meta/removed-entries.json", "vault:meta/review-2026-11.md",
    )  # fmt: skip


def test_the_order_in_which_files_were_read_does_not_matter(lived_in: Workspace, clock: FixedClock) -> None:
    snapshot = read_workspace(lived_in)
    items = list(snapshot.files.items())
    random.Random(7).shuffle(items)

    def night(seen: Snapshot) -> Plan:
        evidence = evidence_of(seen)
        brief = make_brief(seen, evidence, clock.now())
        return decided(seen, evidence, brief, judged(lived_in, brief, clock), clock).plan

    assert night(Snapshot(lived_in, dict(items))) == night(snapshot)


def test_a_bare_folder_gets_cursors_and_no_memory(build: Build, clock: FixedClock) -> None:
    night = commands.review(build({}), clock)

    assert night.run and "MEMORY.md" not in night.plan.paths and LEDGER not in night.plan.paths


def test_two_blank_lines_do_not_meet_where_a_line_left(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": "# Me\n- likes tea\n\n- likes tea\n\n- uses vim\n"})

    commands.review(workspace, clock)

    assert (workspace.root / "MEMORY.md").read_text() == "# Me\n- likes tea\n\n- uses vim\n"


def test_a_repeated_item_whose_parts_repeat_too_leaves_once(build: Build, clock: FixedClock) -> None:
    one, two = "- boat\n  - blue\n", "- boat\n  - blue\n  - blue\n"
    workspace = build({"MEMORY.md": f"# Me\n{one}- x y\n{two}- z w\n{two}"})

    commands.review(workspace, clock)

    assert commands.review(workspace, clock).run is None


def test_what_becomes_a_duplicate_when_another_line_leaves_stops_no_night(build: Build, clock: FixedClock) -> None:
    text = "a paragraph of words\n\n---\n- likes tea\n\na paragraph of words\n- likes tea\n"
    workspace = build({"MEMORY.md": f"# Me\n{text}"})

    assert commands.review(workspace, clock).run
    assert commands.review(workspace, clock).run is None


def test_a_repeated_item_above_a_secret_stays_and_stops_nothing(build: Build, clock: FixedClock) -> None:
    item = "- router\n  - password = Abc12345x\n"
    workspace = build({"MEMORY.md": f"# Me\n{item}- x y\n{item}- likes tea\n- likes tea\n"})

    commands.review(workspace, clock)

    assert (workspace.root / "MEMORY.md").read_text() == f"# Me\n{item}- x y\n{item}- likes tea\n"


def test_the_diff_shows_the_line_its_neighbour_and_the_reason(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": "# Me\n- likes tea\n- uses vim\n- likes tea\n"})
    night = commands.plan_dream(workspace, clock)

    assert list(as_diff(night.snapshot, night.plan))[:4] == [
        ("path", "MEMORY.md"),
        ("why", "@@ line 4  end [duplicate] the same words stand in MEMORY.md:2  (77b568c4)"),
        ("plain", "  - uses vim"),
        ("cut", "- - likes tea"),
    ]


def test_the_diff_of_everything_shows_every_file_of_the_plan(build: Build, clock: FixedClock) -> None:
    night = commands.plan_dream(build({"MEMORY.md": "# Me\n- likes tea\n- likes tea\n"}), clock)

    shown = [text for role, text in as_diff(night.snapshot, night.plan, everything=True) if role == "path"]

    assert sorted(shown) == list(night.plan.paths)


def test_prose_tells_the_decision_and_the_size(build: Build, clock: FixedClock) -> None:
    night = commands.plan_dream(build({"MEMORY.md": "# Me\n- likes tea\n- likes tea\n"}), clock)

    assert [text for _, text in as_prose(night.snapshot, night.plan)] == [
        "End “- likes tea”",
        "  because the same words stand in MEMORY.md:2 [77b568c4]",
        "MEMORY.md: 29 → 17 characters (limit 18,000)",
        "Questions that memory and archive answer: 1 before, 1 after",
    ]


def test_nothing_to_change_is_said_in_words(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": "# Me\n"})
    commands.review(workspace, clock)
    night = commands.plan_dream(workspace, clock)

    assert [text for _, text in as_prose(night.snapshot, night.plan)] == ["Nothing to change."]


@pytest.mark.parametrize(
    ("old", "new"), [("", "a\n"), ("a\nb\nc\n", "a\nX\nc\n"), ("a\na\n", "a\n"), ("a", "a\nb"), ("x\n", "")]
)
def test_a_difference_leads_from_one_text_to_the_other_and_back(old: str, new: str) -> None:
    edits = difference("p", old, new, id="i", tag="t", why="w")

    assert (spliced(old, edits), spliced(new, turned_round(edits))) == (new, old)


def test_a_place_is_found_again_by_either_neighbour(build: Build, clock: FixedClock) -> None:
    plan = commands.plan_dream(build({"MEMORY.md": "- a b\n- c d\n- a b\n- e f\n"}), clock).plan
    (back,) = turned_round(edit for edit in plan.edits if edit.path == "MEMORY.md")

    def place(*lines: str) -> int | None:
        again = found_again(back, lines)
        return again.at if again else None

    assert place("- c d\n", "- e f\n") == 1
    assert place("new\n", "- c d\n", "other\n") == 2
    assert place("other\n", "- e f\n") == 1
    assert place("nothing\n", "of it\n") is None


def test_texts_after_are_what_the_writer_leaves(lived_in: Workspace, clock: FixedClock) -> None:
    night = commands.review(lived_in, clock)

    now = read_workspace(lived_in)
    assert texts_after(night.snapshot, night.plan) == {path: now.text_of(path) for path in night.plan.paths}
