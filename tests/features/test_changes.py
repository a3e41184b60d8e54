"""What changed: the last night in three lines at a session's start, and everything since a day for whoever asks."""

from __future__ import annotations

import json

import pytest

from conftest import NIGHT, Build
from reverie.apply.runs import runs
from reverie.core.ports import fixed
from reverie.features.changes import Changes, changes, in_three_lines
from reverie.features.note import note
from reverie.features.sessions import begin
from reverie.night import commands
from reverie.night.night import review
from reverie.surfaces.hooks import answered
from reverie.surfaces.mcp.answers import begun
from reverie.workspace.values import Author, Workspace
from terminal import TOKEN, call

CLOCK = fixed(NIGHT)
OWNER = Author("owner", "cli")
MEMORY = """# Ada

## Current State
- Ferry: leaves at 10:00
- Voucher for the pottery course, valid until 2026-11-01

## Stable Knowledge
- keeps bees
"""


@pytest.fixture
def workspace(build: Build) -> Workspace:
    """A night that changes one line, takes one out, and leaves the rest."""
    made = build({"MEMORY.md": MEMORY, "memory/2026-11-14.md": "## Current State\n- Ferry: leaves at 9:30\n"})
    review(made, CLOCK)
    return made


def test_the_last_night_in_its_own_words(workspace: Workspace) -> None:
    found = changes(workspace, CLOCK)

    assert found.changed == (("Ferry: leaves at 10:00", "Ferry: leaves at 9:30"),)
    assert found.removed == ("Voucher for the pottery course, valid until 2026-11-01",)
    assert (found.since, len(found.runs)) == ("2026-11-15", 1)


def test_bold_words_are_told_without_their_stars(build: Build) -> None:
    kiln = "## Workshop\n- **Kiln:** 900 degrees\n* **Lathe:** 40 kg\n* **Lathe:** 40 kg\n"
    made = build({"MEMORY.md": kiln, "memory/2026-11-14.md": "## Workshop\n- **Kiln:** 950 degrees\n"})
    review(made, CLOCK)

    assert changes(made, CLOCK).changed == (("Kiln: 900 degrees", "Kiln: 950 degrees"),)


def test_a_session_begins_with_three_lines_about_it(workspace: Workspace) -> None:
    hook = answered(workspace, CLOCK, {"hook_event_name": "SessionStart"})["hookSpecificOutput"]["additionalContext"]

    _, _, told = hook.partition("# The last night that changed memory (2026-11-15)\n")
    lines = told.split("\n\n")[0].split("\n")
    assert [line.partition(":")[0] for line in lines] == ["Added", "Changed", "Waiting"]
    assert "9:30" in lines[1] and "Voucher" in lines[1]
    assert begun(begin(workspace, CLOCK), "")["last_night"] == lines


def test_a_line_that_ends_with_a_stop_ends_the_sentence_about_it_with_one() -> None:
    (added, *_) = in_three_lines(Changes(added=("Sails with Joris.", "和约里斯一起航海。")))

    assert ".." not in added and "。." not in added


def test_a_night_that_was_taken_back_or_is_long_past_is_no_news(workspace: Workspace) -> None:
    assert begin(workspace, fixed("2026-12-15T03:00:00+01:00")).news is None

    commands.undo(workspace, CLOCK)

    assert begin(workspace, CLOCK).news is None and changes(workspace, CLOCK).runs == ()


def test_what_came_and_left_again_since_a_day_is_no_change(workspace: Workspace) -> None:
    note(workspace, fixed("2026-11-16T12:00:00+01:00"), "Correction: the ferry leaves at 8:15, not 9:30", by=OWNER)
    note(workspace, fixed("2026-11-16T13:00:00+01:00"), "I've decided to sell the blue boat", by=OWNER)
    commands.undo(workspace, fixed("2026-11-16T14:00:00+01:00"))

    found = changes(workspace, fixed("2026-11-17T12:00:00+01:00"), "2026-11-15")

    assert found.changed == (("Ferry: leaves at 10:00", "Ferry: leaves at 8:15"),) and found.added == ()
    (night,) = [run for run in runs(workspace) if run.plan.intent == "dream"]
    left = next(edit for edit in night.plan.edits if edit.path == "MEMORY.md" and not edit.new)
    commands.take_back(workspace, fixed("2026-11-16T15:00:00+01:00"), night.id, left.id)
    again = changes(workspace, CLOCK, "2026-11-15")
    assert found.removed and not again.removed and again.added == ()
    assert changes(workspace, fixed("2026-11-17T12:00:00+01:00"), "2026-11-17") == Changes("2026-11-17")


def test_the_command_tells_it_to_people_and_programs(workspace: Workspace) -> None:
    at = ("--workspace", workspace.root, "--now", NIGHT)

    value = json.loads(call("changes", "--json", *at).out)

    assert value["changed"] == [{"old": "Ferry: leaves at 10:00", "new": "Ferry: leaves at 9:30"}]
    assert value["waiting"] == {"suggestions": 0, "questions": 0, "proposal": False}
    assert "~ Ferry: leaves at 10:00 → Ferry: leaves at 9:30" in call("changes", *at).out
    assert call("changes", "--since", "lately", *at).code == 14
    assert TOKEN not in call("changes", "--since", "2026-01-01", *at).out


def test_what_left_looks_like_no_bullet_and_a_day_to_come_is_refused(build: Build) -> None:
    memory = "# Ada\n\n## Notes\n- keeps bees\n\n## Tasks\n- [x] Oil the winch\n- [ ] Call Ilse\n"
    workspace = build({"MEMORY.md": memory, "memory/2026-11-14.md": "- Sailed to the island\n"})
    at = ("--workspace", workspace.root, "--now", NIGHT)
    call("review", *at)

    told = call("changes", *at).out.splitlines()
    to_come = call("changes", "--since", "2031-01-01", *at)
    past = call("search", "bees", "--as-of", "2026-11-14", *at)

    assert any(line.startswith("× ") and "Oil the winch" in line for line in told)
    assert (to_come.code, "has not come yet" in to_come.err) == (14, True)
    assert "up to 2026-11-14" in past.out and "degraded" not in past.out


def test_a_second_night_that_changes_no_line_catches_neither_the_undo_nor_the_changes(workspace: Workspace) -> None:
    before = changes(workspace, CLOCK)
    (workspace.root / "memory/2026-11-15.md").write_text("- The bees: Otto probably takes over two hives next spring\n")
    second = review(workspace, CLOCK).run
    assert second is not None and changes(workspace, CLOCK).removed == before.removed != ()

    commands.undo(workspace, CLOCK)

    assert (workspace.root / "MEMORY.md").read_text() == MEMORY
    assert not next(run for run in runs(workspace) if run.id == second.id).undone_by


def test_a_bold_key_keeps_its_words_and_a_copy_that_left_is_told_as_one(build: Build) -> None:
    memory = "# Ada\n\n## Boat\n- **Winch:** Harken 32\n* *Lena* is moored at pier 4\n- keeps two anchors\n- keeps two anchors\n"
    workspace = build({"MEMORY.md": memory, "memory/2026-11-14.md": "## Boat\n- **Winch:** Harken 40\n"})
    at = ("--workspace", workspace.root, "--now", NIGHT)
    call("review", *at)

    told = call("changes", *at).out

    assert "~ Winch: Harken 32 → Winch: Harken 40\n" in told and "*" not in told
    assert "× keeps two anchors (a copy left; it still stands)\n" in told


def test_what_a_yes_did_belongs_to_the_last_night_and_a_no_hides_nothing(build: Build) -> None:
    notes = {f"memory/2026-11-1{day}.md": "- We decided to moor the boat at pier 4\n" for day in (2, 3)}
    workspace = build({"memory/2026-11-14.md": "- I am allergic to walnuts\n", **notes})
    at = ("--workspace", workspace.root, "--now", NIGHT)
    call("review", *at)
    first, *others = json.loads(call("suggestions", "--json", *at).out)["suggestions"]

    said = call("suggestions", "--yes", first["id"], *at).out
    for other in others:
        call("suggestions", "--no", other["id"], *at)

    assert said.startswith("1 line entered:\n  Add “") and "[init]" not in said
    assert len(changes(workspace, CLOCK).added) == 1
    assert "Since then by your yes: 1 line entered." in call("overview", *at).out


def test_a_proposal_says_what_it_would_do_and_declining_it_says_so(build: Build) -> None:
    memory = "# Ada\n\n## Boat\n- keeps two anchors\n- keeps two anchors\n"
    workspace = build({"MEMORY.md": memory, "reverie.toml": '[review]\nmode = "propose"\n'})
    at = ("--workspace", workspace.root, "--now", NIGHT)

    proposed = call("review", *at).out
    declined = call("apply", "--none", *at).out

    assert "It would: update 0 | add 0 | archive 1 (lines)" in proposed and "This run:" not in proposed
    assert "1 item declined" in declined


def test_an_undo_says_what_it_brought_back_and_nothing_that_it_did_not(build: Build) -> None:
    workspace = build({"MEMORY.md": "# Ada\n", "memory/2026-11-14.md": "- Sailed to the island\n"})
    at = ("--workspace", workspace.root, "--now", NIGHT)

    call("forget", "Sailed to the island", *at)
    noted = call("undo", *at).out
    call("palace", "--rebuild", *at)
    pages = call("undo", *at).out

    assert noted.startswith("1 line brought back into notes.\n")
    assert "written" not in pages and "Takes away" in pages
