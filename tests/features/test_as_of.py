"""What the memory said on another day: walked back from the present through the runs, and honest about what nobody knows."""

from __future__ import annotations

import json
import os
from datetime import date, datetime
from pathlib import Path

import pytest

from conftest import Build
from reverie.core.ports import fixed
from reverie.features.as_of import Past, past_of
from reverie.features.forget.forget import forget
from reverie.features.note import note
from reverie.features.recall.recall import recall
from reverie.features.search import ask
from reverie.night import commands
from reverie.workspace.values import Author, Workspace
from terminal import call

OWNER = Author("owner", "cli")
FIRST = "# Ada\n\n## Current State\n- Ferry: leaves at 10:00\n\n## Stable Knowledge\n- keeps bees\n"
DAYS = [f"2026-11-1{n}" for n in range(5)]


def on(day: str) -> str:
    return f"{day}T12:00:00+01:00"


def then(workspace: Workspace, day: str) -> Past:
    past = past_of(workspace, fixed(on("2026-11-20")), day)
    assert past is not None
    return past


def touched(path: Path, day: str) -> None:
    """The file was last written on that day."""
    os.utime(path, (datetime.fromisoformat(on(day)).timestamp(),) * 2)


@pytest.fixture
def workspace(build: Build) -> Workspace:
    """Decided on the 11th to sell the boat, corrected on the 13th; each a run."""
    made = build(
        {
            "MEMORY.md": FIRST,
            "memory/2026-11-10.md": "- the mooring costs 40\n",
            "memory/2026-11-14.md": "- the mooring costs 50\n",
        }
    )
    note(made, fixed(on("2026-11-11")), "I've decided to sell the blue boat", by=OWNER)
    note(made, fixed(on("2026-11-13")), "No, actually the ferry leaves at 9:30", by=OWNER)
    return made


def test_each_day_gives_its_own_bytes(workspace: Workspace) -> None:
    now = (workspace.root / "MEMORY.md").read_text()

    texts = [then(workspace, day) for day in DAYS]

    assert ["blue boat" in one.text for one in texts] == [False, True, True, True, True]
    assert ["9:30" in one.text for one in texts] == [False, False, False, True, True]
    assert texts[0].text == FIRST and texts[4].text == now
    assert [bool(one.known) for one in texts] == [
        True,
        False,
        False,
        False,
        False,
    ]  # before the first run nothing is on record


def test_an_undo_is_walked_back_like_any_run(workspace: Workspace) -> None:
    then_ferry = then(workspace, "2026-11-13").text
    commands.undo(workspace, fixed(on("2026-11-14")))

    assert "9:30" not in then(workspace, "2026-11-14").text
    assert then(workspace, "2026-11-13").text == then_ferry


def test_what_the_owner_typed_between_two_runs_is_told_as_such(workspace: Workspace) -> None:
    memory = workspace.root / "MEMORY.md"
    memory.write_text(memory.read_text().replace("keeps bees", "keeps two hives of bees"))
    touched(memory, "2026-11-15")

    before, after = then(workspace, "2026-11-12"), then(workspace, "2026-11-15")

    assert "9:30" not in before.text and "two hives" in before.text and "by hand" in before.known
    assert "two hives" in after.text and not after.known  # nobody has written since that day
    assert "by hand" in then(workspace, "2026-11-14").known


def test_today_is_what_stands_there_and_what_was_deleted_by_hand_is_said_to_be_missing(workspace: Workspace) -> None:
    memory = workspace.root / "MEMORY.md"
    memory.write_text(memory.read_text().replace("- keeps bees\n", ""))  # later than the day that is asked about

    assert then(workspace, "2026-11-20").known == ""
    for day in ("2026-11-12", "2026-11-14"):
        assert "bees" not in then(workspace, day).text and "deleted" in then(workspace, day).known


def test_search_and_recall_answer_as_of_then_and_leave_no_trace(workspace: Workspace) -> None:
    clock, journal = fixed(on("2026-11-20")), workspace.root / "memory/.dreams/reverie-events.jsonl"
    past = then(workspace, "2026-11-12")

    mooring = ask(workspace, None, clock, "what does the mooring cost?", past=past)
    ferry = recall(workspace, clock, "Do you remember when the ferry leaves?", past=past)

    assert [hit.claim.text for hit in mooring.hits] == ["the mooring costs 40"]
    assert "2026-11-12" in mooring.degraded
    assert "10:00" in ferry.summary and "9:30" not in ferry.summary
    assert not journal.exists()


def test_what_was_forgotten_for_ever_is_not_shown_of_the_past_either(workspace: Workspace) -> None:
    forget(workspace, fixed(on("2026-11-16")), "keeps bees", forever=True)

    assert "bees" not in then(workspace, "2026-11-12").text


def test_the_commands(workspace: Workspace) -> None:
    at = ("--workspace", workspace.root, "--now", on("2026-11-20"))

    shown = json.loads(call("show", "--as-of", "2026-11-11", "--json", *at).out)
    found = json.loads(call("search", "ferry", "--as-of", "2026-11-11", "--json", *at).out)
    refused = call("recall", "the ferry", "--as-of", "2027-01-01", *at)

    assert "blue boat" in shown["text"] and "10:00" in shown["text"] and shown["known"] is None
    assert "10:00" in found["results"][0]["snippet"]
    assert refused.code == 14 and "2027-01-01" in refused.err
    assert "9:30" in call("show", *at).out
    assert date.fromisoformat(shown["asOf"]) == date(2026, 11, 11)


def test_runs_count_in_their_order_when_a_clock_went_backwards(build: Build) -> None:
    before = f"{FIRST}- Voucher for the pottery course, valid until 2026-11-01\n"
    workspace = build({"MEMORY.md": before})
    path = workspace.root / "MEMORY.md"
    commands.review(workspace, fixed(on("2026-11-17")))
    told = path.read_text()
    commands.undo(workspace, fixed(on("2026-11-16")))
    commands.undo(workspace, fixed(on("2026-11-17")), "2")
    touched(path, "2026-11-17")

    assert [(one.text, one.known) for one in (then(workspace, "2026-11-16"), then(workspace, "2026-11-18"))] == [
        (before, ""), (told, ""),
    ]  # fmt: skip
