"""A night decides at once what a second night would decide: what would not hold is left out, and told."""

from __future__ import annotations

import pytest

from conftest import Build
from reverie.model import Does, Finding, Plan, Snapshot, Source
from reverie.judge.expired import is_over
from reverie.plan.build import build_plan
from reverie.ports import fixed
from reverie.settling import settled
from reverie.splice import texts_after
from reverie.workspace.reader import read_workspace

CLOCK = fixed("2026-11-15T03:00:00+01:00")
OVER = "Vacation until 2026-10-05"
FILES = {
    "MEMORY.md": "# Ada\n\n## Stable Knowledge\n- Lives in Bern\n- Trial of the loom until 2026-10-01\n",
    "memory/2026-11-14.md": f"- {OVER}\n- Plays the cello\n",
}


def planned(snapshot: Snapshot, *wanted: tuple[str, int | None]) -> Plan:
    """A plan that brings these lines in, each alone or in the place of an entry; nobody looked whether they hold."""
    entries = snapshot.files["MEMORY.md"].entries
    found = [
        Finding(
            Does.ADD if target is None else Does.REPLACE,
            "added",
            text,
            "said",
            (Source("memory/2026-11-14.md", 1, 2),),
            None if target is None else entries[target],
            "Stable Knowledge",
        )
        for text, target in wanted
    ]
    return build_plan(snapshot, found, CLOCK.now())


def after(snapshot: Snapshot, plan: Plan) -> str:
    return texts_after(snapshot, plan)["MEMORY.md"]


def test_a_line_that_a_second_night_would_take_out_does_not_enter_and_is_told(build: Build) -> None:
    snapshot = read_workspace(build({**FILES, "MEMORY.md": "# Ada\n\n## Stable Knowledge\n- Lives in Bern\n"}))

    plan, more = settled(snapshot, planned(snapshot, (OVER, None), ("Plays the cello", None)), CLOCK)

    assert not more.edits
    assert OVER not in after(snapshot, plan) and "Plays the cello" in after(snapshot, plan)
    assert [flag.text for flag in plan.flags if flag.tag == "unsettled"] == [f"“{OVER}” was left out."]


def test_the_line_it_was_to_replace_is_outdated_all_the_same(build: Build) -> None:
    snapshot = read_workspace(build({**FILES, "MEMORY.md": "# Ada\n\n## Stable Knowledge\n- Lives in Bern\n- Works\n"}))

    plan, more = settled(snapshot, planned(snapshot, (OVER, 1)), CLOCK)

    assert not more.edits
    assert after(snapshot, plan) == "# Ada\n\n## Stable Knowledge\n- Lives in Bern\n"
    assert "Works" in texts_after(snapshot, plan)["vault:ledger.md"]


def test_a_line_of_the_owners_that_would_leave_the_night_after_leaves_tonight(build: Build) -> None:
    snapshot = read_workspace(build(FILES))

    plan, more = settled(snapshot, planned(snapshot, ("Plays the cello", None)), CLOCK)

    assert not more.edits
    assert "Trial of the loom" not in after(snapshot, plan)
    assert "Trial of the loom until 2026-10-01" in texts_after(snapshot, plan)["vault:ledger.md"]


@pytest.mark.parametrize(
    ("said", "over"),
    [
        (OVER, True),
        ("Urlaub bis 05.10.2026, Ada ist nicht im Büro", True),
        ("试用有效期到2026年10月5日", True),
        ("Vacation until 2026-12-05", False),
        ("Ada lived in Bern until 2019-05-01", False),
        ("Plays the cello", False),
    ],
)
def test_what_is_over_by_its_own_word_need_not_be_tried(said: str, over: bool) -> None:
    assert is_over(said, ("Stable Knowledge",), CLOCK.now().date()) is over
