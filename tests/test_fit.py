"""MEMORY.md is brought to its target: finished items leave, the oldest first, and nothing else does."""

from __future__ import annotations

import pytest

from conftest import Build
from reverie.night import engine
from reverie.lines import count_units
from reverie.model import Does, Finding, Source, Workspace
from reverie.judge.duplicates import find_duplicates
from reverie.phases.fit import fit_memory
from reverie.ports import FixedClock
from reverie.reserve import DREAM_LINE_UNITS, DREAM_LINES, measured
from reverie.setting_groups import Memory
from reverie.settings import Settings
from reverie.workspace.reader import read_workspace

TIGHT = Memory(truncation=4)  # a target of three characters: everything that may leave does


def fitted(build: Build, text: str, memory: Memory = TIGHT) -> tuple[Finding, ...]:
    snapshot = read_workspace(build({"MEMORY.md": text}, Settings(memory=memory)))
    copies = find_duplicates(snapshot)
    return fit_memory(snapshot, copies)


def leaving(build: Build, text: str, memory: Memory = TIGHT) -> list[str]:
    return [finding.text for finding in fitted(build, text, memory)]


def target(units: int) -> Memory:
    """Limits whose nightly target is so many characters."""
    return Memory(truncation=units, target=1.0, hard=1.0)


def test_while_it_fits_nothing_leaves(build: Build) -> None:
    text = "- [x] 2026-01-01 old\n"

    assert leaving(build, text, target(count_units(text))) == []
    assert leaving(build, text, target(count_units(text) - 1)) == ["2026-01-01 old"]


def test_the_oldest_finished_item_leaves_first_and_no_more_than_needed(build: Build) -> None:
    text = "- [x] b 2026-05-02\n- [x] a 2026-05-01\n- [x] c 2026-05-03\n"
    each = count_units("- [x] a 2026-05-01\n")

    assert [leaving(build, text, target(3 * each - n * each)) for n in range(4)] == [
        [], ["a 2026-05-01"], ["a 2026-05-01", "b 2026-05-02"], ["a 2026-05-01", "b 2026-05-02", "c 2026-05-03"],
    ]  # fmt: skip


def test_the_last_day_an_item_names_decides_and_its_sub_items_count(build: Build) -> None:
    text = "- [x] a 2026-01-01\n  - paid 2026-09-01\n- [x] b 2026-05-01, begun 2025-01-01\n- [x] c 2026年3月1日\n"

    assert leaving(build, text) == ["c 2026年3月1日", "b 2026-05-01, begun 2025-01-01", "a 2026-01-01"]


def test_the_current_state_is_emptied_before_anything_else_and_undated_items_come_last(build: Build) -> None:
    text = "## Archive\n- [x] a 2020-01-01\n- [x] b\n## Current State\n- [x] c 2026-01-01\n- [x] d\n"

    assert leaving(build, text) == ["c 2026-01-01", "d", "a 2020-01-01", "b"]


@pytest.mark.parametrize(
    "text",
    [
        "- [ ] open\n",
        "- plain fact\n",
        "- [x] done\n  - [ ] open child\n",
        "- [x] done\n  - closed\n    - [ ] open grandchild\n",
        "- [x] 📌 done\n",
        "- [x] done\n  - 📌 pinned child\n",
        "- 📌 pinned\n  - [x] done child\n",
        "## House rules\n- [x] done\n",
        "- [x] IMPORTANT: done\n",
        "- [x] admin password=Ahorn-1887!\n",
        "- [x] done\n  - admin password=Ahorn-1887!\n",
        "> Done: says a stranger\n",
        "```\nDone: says a log\n```\n",
        "| Done: a | b |\n|---|---|\n| ✅ | Done |\n",
        "## Done\n- a fact\n",
        "user: Done: said in a chat\n",
        "<<<<<<< HEAD\n- [x] done\n=======\n>>>>>>> x\n",
        "- **Amarant viola (done?)**\n",
    ],
)
def test_what_is_open_pinned_secret_or_not_the_owners_never_leaves(build: Build, text: str) -> None:
    assert leaving(build, text) == []


def test_a_finished_child_leaves_alone_when_its_parent_is_open(build: Build) -> None:
    assert leaving(build, "- [ ] open\n  - [x] closed\n    - detail\n") == ["closed"]


def test_a_finished_item_leaves_once_with_all_that_hangs_on_it(build: Build) -> None:
    (found,) = fitted(build, "- [x] done\n  - [x] done too\n\n  more text\n- fact\n")

    assert (found.does, found.tag, found.text, found.sources) == (
        Does.ARCHIVE, "completed", "done", (Source("MEMORY.md", 1, 4),),
    )  # fmt: skip
    assert found.target is not None
    assert (found.target.block.first, found.target.block.tail) == (0, 4)


def test_a_label_above_finished_items_is_not_a_finished_item(build: Build) -> None:
    assert leaving(build, "**Open:**\n- strings\n\n**Done:**\n- varnish\n- pegs\n") == []


def test_what_leaves_as_a_copy_is_not_taken_twice(build: Build) -> None:
    text = "- [x] done 2026-01-01\n- [x] done 2026-01-01\n"

    (found,) = fitted(build, text)

    assert found.sources == (Source("MEMORY.md", 1, 1),)


def test_what_leaves_as_a_copy_already_makes_room(build: Build) -> None:
    text = "- the same long fact\n- the same long fact\n- [x] done\n"

    assert leaving(build, text, target(count_units(text) - 5)) == []


def test_a_finished_item_leaves_once_with_the_copy_inside_it(build: Build, clock: FixedClock) -> None:
    text = "- fact\n- [x] done\n  - same\n  - same\n"
    workspace = build({"MEMORY.md": text}, Settings(memory=Memory(truncation=20, target=0.4)))

    engine.review(workspace, clock)

    assert (workspace.root / "MEMORY.md").read_text() == "- fact\n"


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("abc\n", 4),
        ("中文\n", 3),
        ("📌\n", 3),
        ("👩‍🚀\n", 6),
        ("é\n", 2),
        ("a\r\n", 3),
        ("\udcfc\n", 2),
        ("\ufeff", 1),
        ("𠀀𠀀", 4),
        ("", 0),
    ],
)
def test_characters_are_counted_as_the_host_counts_them(text: str, units: int) -> None:
    assert count_units(text) == units


def test_emoji_count_twice_against_the_target(build: Build) -> None:
    text = "- 🎻🎻🎻🎻🎻 fact\n- [x] done\n"

    assert leaving(build, text, target(len(text))) == ["done"]
    assert leaving(build, text, target(len(text) + 5)) == []


def test_chinese_counts_once_and_not_by_its_bytes(build: Build) -> None:
    text = "- 铁木琴弦先装两根放一夜\n- [x] 完\n"

    assert leaving(build, text, target(len(text))) == []


def test_too_many_lines_make_items_leave_as_well(build: Build) -> None:
    text = "- one\n- two\n- three\n- [x] a 2026-01-01\n  - detail\n- [x] b 2026-02-01\n"

    found = fitted(build, text, Memory(max_lines=4))

    assert [(finding.text, finding.why) for finding in found] == [
        ("a 2026-01-01", "finished, and MEMORY.md has more than 4 lines"),
    ]
    assert leaving(build, text, Memory(max_lines=6)) == []


def test_the_reason_names_the_target(build: Build) -> None:
    (found,) = fitted(build, "- [x] done\n" + "- fact\n", Memory(truncation=20, target=0.5))

    assert found.why == "finished, and MEMORY.md is over its target of 10 characters"


def test_our_own_section_is_measured_at_its_full_size_whatever_it_holds_now(build: Build) -> None:
    own = "- gone <!-- dream:a3f8c201 -->\n"
    sizes = {
        measured(read_workspace(build({"MEMORY.md": "# Me\n## Dream\n" + own * n})).files["MEMORY.md"].document)
        for n in range(6)
    }

    assert sizes == {(count_units("# Me\n## Dream\n") + DREAM_LINES * DREAM_LINE_UNITS, 2 + DREAM_LINES)}


def test_the_example_is_brought_to_its_target_and_keeps_its_pin(lived_in: Workspace) -> None:
    snapshot = read_workspace(lived_in)
    copies = find_duplicates(snapshot)
    found = fit_memory(snapshot, copies)
    document = snapshot.files["MEMORY.md"].document
    gone = {i for f in (*copies, *found) if f.target for i in range(f.target.block.first, f.target.block.tail)}
    kept = "".join(line for i, line in enumerate(document.lines) if i not in gone)

    assert count_units(kept) <= lived_in.settings.memory.target_size
    assert "HV-20417-88" in kept and "Photos of the half-size violins are still missing" in kept
    assert all(line in kept for line in document.lines if "[ ]" in line or "📌" in line)
    assert found[0].text.startswith("2026-05-11")
