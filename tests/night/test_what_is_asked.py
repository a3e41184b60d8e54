"""What a night asks, and what it does not: a card changes the line it is about, exchanges whole names, and never turns on its own source."""

from __future__ import annotations

import pytest

from conftest import Build
from reverie import dream, open_workspace
from reverie.core.ports import FixedClock, fixed
from reverie.features.note import note
from reverie.features.why_not import why_not
from reverie.night.suggesting import Card, accept, suggestions
from reverie.workspace.values import Author, Workspace

ME = Author("owner", "cli")
NEXT = fixed("2026-11-16T03:00:00+01:00")


@pytest.fixture
def asked(build: Build, clock: FixedClock) -> object:
    """asked(memory, note) → the cards of the night after that note."""

    def cards(memory: str, said: str) -> tuple[Card, ...]:
        workspace = opened(build, memory, said)
        dream(workspace, clock=clock)
        return suggestions(workspace, clock)

    return cards


def opened(build: Build, memory: str, said: str = "") -> Workspace:
    notes = {"memory/2026-11-14.md": said} if said else {}
    return open_workspace(build({"MEMORY.md": memory, **notes}).root)


def memory_of(workspace: Workspace) -> str:
    return (workspace.root / "MEMORY.md").read_text("utf-8")


# --- a line and its own source -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("memory", "said"),
    [
        ("# M\n\n## Notes\n- Rye bread is baked on Mondays\n", "I have decided to give up the allotment in March"),
        ("# 记忆\n\n## 笔记\n- 周一烤黑麦面包\n", "我决定三月退掉菜园"),
    ],
)
def test_a_decision_is_not_taken_back_by_the_note_that_brought_it(
    build: Build, clock: FixedClock, memory: str, said: str
) -> None:
    workspace = opened(build, memory)
    assert note(workspace, clock, said, by=ME).line

    dream(workspace, clock=NEXT)

    assert said in memory_of(workspace) and suggestions(workspace, NEXT) == ()


# --- names that look like secrets --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [("Office database: MariaDB", "Office database: ScyllaDB"), ("Router model: AX3000", "Router model: AX5400")],
)
def test_another_name_under_a_key_that_memory_keeps_openly_is_a_card(
    build: Build, clock: FixedClock, before: str, after: str
) -> None:
    workspace = opened(build, f"# M\n\n## Tech\n- {before}\n", f"## Tech\n- {after}\n")
    night = dream(workspace, clock=clock)

    (card,) = suggestions(workspace, clock)
    accept(workspace, clock, card.id)

    assert night.plan.flags == () and after in memory_of(workspace) and before not in memory_of(workspace)


def test_a_word_that_opens_a_door_stays_in_its_note_and_why_not_says_so(build: Build, clock: FixedClock) -> None:
    workspace = opened(build, "# M\n\n## House\n- Front door: ask Noor\n", "## House\n- Front door: Marigold7\n")
    night = dream(workspace, clock=clock)

    assert [flag.text for flag in night.plan.flags] == ["Front door: ask Noor"] and not suggestions(workspace, clock)
    assert [one.verdict for one in why_not(workspace, clock, "Front door: Marigold7")] == ["secret or personal data"]
