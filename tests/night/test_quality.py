"""How good a memory is: what is counted, what is not, and that the score can be explained by its parts."""

from __future__ import annotations

import json
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Build
from reverie.core.ports import fixed
from reverie.core.settings import Memory, Settings
from reverie.features.figures import BARS, chart, growth, quality
from reverie.workspace.values import Workspace
from terminal import call

NOW = fixed("2026-11-15T08:00:00+01:00")
TODAY = date(2026, 11, 15)


def counted(workspace: Workspace) -> dict[str, int]:
    return {part.name: part.count for part in quality(workspace, NOW).parts if part.name != "room"}


CLEAN = {"junk": 0, "stale": 0, "duplicates": 0, "contradictions": 0}
TIDY = "# Me\n\n## People\n- Ada plays the viola\n- Bo repairs bicycles\n\n## Rules\n- 📌 never call before nine\n\n## 工作\n- 每周五写周报\n"


def test_a_tidy_memory_has_all_its_points(build: Build) -> None:
    found = quality(build({"MEMORY.md": TIDY}), NOW)

    assert (found.score, found.entries) == (100, 4)
    assert [part.points for part in found.parts] == [25, 20, 20, 20, 15]


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        ("- assistant: sure, I will do that\n", {"junk": 1}),
        ("- message_id: 8472\n", {"junk": 1}),
        ("- trial of the scanner until 2026-02-28\n", {"stale": 1}),
        ("- 扫描仪试用有效期到2026年2月28日\n", {"stale": 1}),
        ("- Ada plays the viola\n", {"duplicates": 1}),
        ("- Port: 4010\n- Port: 4600\n", {"contradictions": 1}),
        ("- **端口:** 4010\n- **端口:** 4600\n", {"contradictions": 1}),
        # none of these is certain, so none is counted
        ("- Editor: vim\n- Editor: emacs at work\n", {}),
        ("- 2025-01-02: price 10\n- 2026-01-02: price 12\n", {}),
        ("- Done: sold 3 bikes\n- Done: sold 5 bikes\n", {}),
        ("- 已完成：卖了3辆车\n- 已完成：卖了5辆车\n", {}),
        ("- lived in Porto until 2019\n", {}),
        ("- What failed:\n", {}),
    ],
)
def test_what_is_certain_is_counted_and_nothing_else(build: Build, lines: str, what: dict[str, int]) -> None:
    workspace = build({"MEMORY.md": TIDY.replace("- Bo repairs bicycles\n", f"- Bo repairs bicycles\n{lines}")})

    assert counted(workspace) == CLEAN | what


def test_a_title_that_speaks_to_the_agent_taints_no_line(build: Build) -> None:
    workspace = build({"MEMORY.md": "# 长期记忆：助手请记住\n- 周五写周报，附一页结论\n- 对花生过敏\n"})

    assert counted(workspace) == CLEAN


def test_the_same_words_under_two_projects_are_two_facts(build: Build) -> None:
    workspace = build({"MEMORY.md": "## Ada\n- Status: 40 %\n\n## Bo\n- Status: 60 %\n"})

    assert counted(workspace) == CLEAN


def test_a_memory_near_its_limit_loses_the_points_for_room(build: Build) -> None:
    text = "# Me\n" + "".join(f"- the {n}th fact about something else entirely\n" for n in range(30))
    full = quality(build({"MEMORY.md": text}, Settings(memory=Memory(truncation=1_200))), NOW)

    assert full.parts[-1].points == 0
    assert full.characters > full.limit


def test_an_empty_memory_has_no_score(build: Build) -> None:
    found = quality(build({}), NOW)

    assert (found.score, found.entries, found.growth) == (None, 0, ())


LOG = "### 2026-11-13 03:00\nUpdated: 0 | Added: 1\nMEMORY.md chars: 0 → 100\n\n### 2026-11-14 03:00\nDeferred: busy.\n\n### 2026-11-15 03:00\nUpdated: 1\nMEMORY.md chars: 100 → 900\n\n"


def test_growth_is_what_the_nights_told(build: Build) -> None:
    old = "### 2026-01-01 03:00\nAdded: 1\nMEMORY.md chars: 0 → 5\n"
    workspace = build({"dream-vault/meta/review-2026-11.md": LOG, "dream-vault/meta/review-2026-01.md": old})

    points = quality(workspace, NOW).growth

    assert points == ((date(2026, 11, 13), 100), (date(2026, 11, 15), 900))
    assert chart(points, TODAY) == " " * 29 + "█"
    assert chart(points, TODAY + timedelta(days=3)).endswith(" ██")


@given(st.lists(st.tuples(st.integers(0, 120), st.integers(0, 10**6)), max_size=40))
def test_a_chart_is_always_a_row_of_bars(nights: list[tuple[int, int]]) -> None:
    logs = "".join(f"### {TODAY - timedelta(days=ago)} 03:00\nx\nMEMORY.md chars: 1 → {size}\n" for ago, size in nights)

    points = growth([logs], TODAY)

    drawn = chart(points, TODAY)
    assert len(drawn) in (0, 30)
    assert set(drawn) <= {" ", *BARS}
    assert not points or drawn[-1] != " "


@given(
    st.lists(
        st.sampled_from(["- tea\n", "- user: hi there you\n", "- Port: 1\n", "- Port: 2\n", "## A\n", "- 喜欢喝茶\n"]),
        max_size=12,
    )
)
def test_the_score_is_the_sum_of_its_parts(lines: list[str]) -> None:
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "MEMORY.md").write_text("".join(lines), "utf-8")
        found = quality(Workspace(Path(folder), Path(folder) / "dream-vault"), NOW)

    assert found.score is None or found.score == sum(part.points for part in found.parts)
    assert all(0 <= part.points <= part.of for part in found.parts)


def test_the_command_tells_it(build: Build) -> None:
    root = build({"MEMORY.md": TIDY, "dream-vault/meta/review-2026-11.md": LOG}).root

    out = call("status", "--deep", "--workspace", root, "--now", "2026-11-15T08:00:00+01:00").out
    told = json.loads(call("status", "--deep", "--json", "--workspace", root).out)["quality"]

    assert "Memory health: 100 of 100" in out
    assert "  junk            25 of 25  0 of 4 lines (0%)" in out
    assert "Growth, 90 days:" in out and "100 → 900 characters" in out
    assert told["score"] == 100
