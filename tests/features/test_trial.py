"""Did it help: the same questions asked of the memory now, without the last nights, and without any dreaming."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from conftest import Build
from reverie.core.layout import TRIAL
from reverie.core.ports import fixed
from reverie.features.trial import Row, Trial, last_trial, trial_of
from reverie.workspace.values import Workspace
from terminal import call

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from refine import nights_of

CLOCK = fixed("2026-11-15T13:00:00+01:00")
FERRIES = ("Amrum", "Borkum", "Juist", "Langeoog", "Norderney", "Pellworm", "Spiekeroog")
CRAFT = ("Anchor", "Dinghy", "Galley", "Keel", "Mast", "Rudder")
OLD = [f"- {name} ferry: departs at 0{n + 1}:10" for n, name in enumerate(FERRIES)]
NEW = [f"- {name} ferry: departs at 1{n + 1}:25" for n, name in enumerate(FERRIES)]
OTHERS = [f"- {name} check: takes {n + 41} minutes" for n, name in enumerate(CRAFT)]


def night(lines: int) -> list[dict[str, object]]:
    """What a night did: the first lines of memory got their new value."""
    return [
        {
            "night": "2026-11-14",
            "op": "update",
            "memory": [old],
            "text": new,
            "cites": [f"memory/2026-11-13.md:{n + 1}"],
        }
        for n, (old, new) in enumerate(zip(OLD[:lines], NEW, strict=False))
    ]


@pytest.fixture
def workspace(build: Build) -> Workspace:
    notes = "\n".join((*NEW, *OTHERS, "- a quiet day, 3 gulls\n"))
    return build({"MEMORY.md": "\n".join(("# Me", "", "## Ferries", *OLD, "")), "memory/2026-11-13.md": notes})


def test_nights_that_brought_the_newest_values_helped(workspace: Workspace) -> None:
    list(nights_of(workspace, night(7)))

    made = trial_of(workspace, CLOCK)

    assert (made.nights, made.questions, made.notes) == (1, 0, 13)  # three gulls in passing are no probe
    never, before, now = made.rows
    assert (never.injected, never.recalled, never.outdated) == (0, None, 7)
    assert (before.injected, now.injected, now.outdated) == (0, 7, 0)
    assert (made.better, made.worse, made.verdict) == (7, 0, "helped") and made.chance < 0.02


def test_too_few_differences_are_called_too_few(workspace: Workspace) -> None:
    list(nights_of(workspace, night(3)))

    told = call("trial", "--workspace", str(workspace.root), "--now", "2026-11-15T13:00:00+01:00")

    assert "Too few to tell: what is injected answers 3 more and 0 fewer than before." in told.out
    assert "now                     3 of 13 (8%–50%)" in told.out
    assert "Outdated: only an old value was there." in told.out


def test_without_a_night_nothing_is_claimed(workspace: Workspace) -> None:
    assert trial_of(workspace, CLOCK).verdict == "too-few"


def test_the_owners_own_questions_come_first(workspace: Workspace) -> None:
    call("search", "When does the Juist ferry depart?", "--workspace", str(workspace.root))

    made = trial_of(workspace, CLOCK)

    assert (made.questions, made.notes) == (1, 12)


def test_what_the_owner_typed_since_stays_when_nights_are_taken_away(workspace: Workspace) -> None:
    list(nights_of(workspace, night(7)))
    memory = workspace.root / "MEMORY.md"
    memory.write_text(memory.read_text().replace("departs at 11:25", "departs at 11:25 sharp") + OTHERS[0] + "\n")

    made = trial_of(workspace, CLOCK)

    assert [row.injected for row in made.rows] == [2, 2, 8]  # the line he changed, and the one he wrote


def test_the_table_is_kept_without_a_word_of_yours(workspace: Workspace) -> None:
    made = trial_of(workspace, CLOCK)

    assert last_trial(workspace) == made
    assert "ferry" not in (workspace.root / TRIAL).read_text()
    (workspace.root / TRIAL).write_text('{"rows": 3')
    assert last_trial(workspace) is None


def test_a_sign_test_needs_more_than_one_side() -> None:
    rows = (Row("now", 0, 0, 0),)

    chances = [Trial("", 1, 0, 20, rows, *pair).verdict for pair in ((6, 0), (5, 0), (6, 5), (0, 8))]

    assert chances == ["helped", "too-few", "no-difference", "harmed"]


def test_the_command_gives_the_same_as_json(workspace: Workspace) -> None:
    value = json.loads(call("trial", "--json", "--nights", "2", "--workspace", str(workspace.root)).out)

    assert (value["probes"], value["verdict"], [row["name"] for row in value["rows"]]) == (
        13, "too-few", ["never", "before", "now"],
    )  # fmt: skip


def test_where_there_is_nothing_to_ask_it_says_so_alone(build: Build) -> None:
    told = call("trial", "--workspace", str(build({"MEMORY.md": "# Ada\n"}).root)).out

    assert told.startswith("Nothing to ask yet") and told.count("\n") == 1
