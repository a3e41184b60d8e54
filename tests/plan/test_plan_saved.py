"""A plan is a value: saved, read back, applied later, refused when the bytes moved on or the file is damaged."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conftest import Build, tree
from reverie.apply.runs import plan_as_dict, plan_from_text
from reverie.core.errors import BadPlanFile, StalePlan
from reverie.core.ports import FixedClock
from reverie.core.settings import Settings
from reverie.night import commands
from reverie.workspace.values import Workspace

ODD = b"\xef\xbb\xbf# Me\r\n- caf\xe9 \xff \xf0\x9f\x8d\xb5\n- caf\xe9 \xff \xf0\x9f\x8d\xb5\n- \xe4\xb8\xad\xe6\x96\x87\r\n<<<<<<< a\n"


def saved(workspace: Workspace, clock: FixedClock) -> str:
    return json.dumps(plan_as_dict(commands.plan_dream(workspace, clock).plan))


def test_a_saved_plan_is_the_same_plan_also_with_bytes_that_are_no_text(build: Build, clock: FixedClock) -> None:
    plan = commands.plan_dream(build({"MEMORY.md": ODD}), clock).plan

    again = plan_from_text(json.dumps(plan_as_dict(plan)), "plan.json")

    assert (again, plan.flags[0].tag, len(plan.edits) > 5) == (plan, "doubt", True)


def test_the_plans_of_undo_are_values_too(lived_in: Workspace, clock: FixedClock) -> None:
    commands.review(lived_in, clock)
    plan = commands.undo(lived_in, clock, dry_run=True).plan

    assert plan_from_text(json.dumps(plan_as_dict(plan)), "plan.json") == plan


def test_a_saved_plan_applied_later_does_what_a_review_would_have_done(build: Build, clock: FixedClock) -> None:
    one, two = build({"MEMORY.md": ODD}), build({"MEMORY.md": ODD})
    text = saved(one, clock)

    commands.apply_plan(one, plan_from_text(text, "plan.json"), clock)
    commands.review(two, clock)

    assert tree(one.root) == tree(two.root)


def test_an_applied_plan_does_not_apply_again(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": ODD})
    plan = plan_from_text(saved(workspace, clock), "plan.json")
    commands.apply_plan(workspace, plan, clock)

    with pytest.raises(StalePlan):
        commands.apply_plan(workspace, plan, clock)


@pytest.mark.parametrize("path", ["MEMORY.md", "dream-vault/ledger.md", "memory/.last_dream"])
def test_a_plan_whose_bytes_moved_on_is_stale_and_nothing_is_written(
    build: Build, clock: FixedClock, path: str
) -> None:
    files: dict[str, str | bytes] = {"MEMORY.md": ODD, "dream-vault/ledger.md": "# L\n", "memory/.last_dream": "x\n"}
    workspace = build(files, Settings(language="en"))
    plan = plan_from_text(saved(workspace, clock), "plan.json")
    with (workspace.root / path).open("ab") as file:
        file.write(b" ")
    before = tree(workspace.root)

    with pytest.raises(StalePlan, match=r"changed since it was read. Nothing was applied") as stale:
        commands.apply_plan(workspace, plan, clock)

    assert (stale.value.exit_code, tree(workspace.root)) == (3, before)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", r"plan\.json:1 is not valid JSON"),
        ('{\n "version": 1,\n oops', r"plan\.json:3 is not valid JSON"),
        ("[" * 100_000, r"plan\.json:1 "),
        ("[]", r"plan\.json is not a plan"),
        ("null", r"plan\.json is not a plan"),
        ('{"version": 2}', r"plan\.json is not a plan \(version 2; this is version 1\)"),
        ('{"version": 1}', r"plan\.json is not a plan"),
    ],
)
def test_a_damaged_plan_file_is_named_with_its_line(text: str, said: str) -> None:
    with pytest.raises(BadPlanFile, match=said) as bad:
        plan_from_text(text, "plan.json")

    assert bad.value.exit_code == 12


def damaged(**changes: Any) -> dict[str, Any]:
    edit = {
        "id": "x",
        "path": "MEMORY.md",
        "at": 0,
        "old": [],
        "new": ["a\n"],
        "tag": "t",
        "why": "w",
        "sources": ["M:1"],
    }
    plan = {"version": 1, "intent": "dream", "made": "2026-11-15", "base": {}, "edits": [edit]}
    edit.update({key: value for key, value in changes.items() if key in edit})
    plan.update({key: value for key, value in changes.items() if key in plan})
    return plan


@pytest.mark.parametrize(
    "changes",
    [
        {"at": -1}, {"at": "0"}, {"at": 1.5}, {"at": None}, {"old": [1]}, {"new": None}, {"new": ["\ud800\n"]}, {"sources": ["M"]},
        {"sources": ["M:x"]}, {"sources": 3}, {"intent": "party"}, {"base": []}, {"edits": [1]}, {"edits": 5},
    ],
    ids=str,
)  # fmt: skip
def test_a_plan_with_one_wrong_value_is_refused(changes: dict[str, Any]) -> None:
    assert plan_from_text(json.dumps(damaged()), "plan.json").edits[0].new == ("a\n",)

    with pytest.raises(BadPlanFile, match=r"plan\.json"):
        plan_from_text(json.dumps(damaged(**changes)), "plan.json")
