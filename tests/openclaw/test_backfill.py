"""A look back over old notes: what it writes, and that taking it back leaves every other byte as it was."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import NIGHT, Build, tree
from reverie.core.errors import BadInput, RefusedFile
from reverie.core.layout import PEER_RECALLS
from reverie.core.ports import fixed
from reverie.core.settings import Dreaming, Settings
from reverie.evidence.recall_store import LANE
from reverie.night.commands import undo
from reverie.night.live_lines import recall_state
from reverie.openclaw.backfill import BackfilledLine, Grounded, backfill, backfill_entry, roll_back
from reverie.openclaw.harness import rehearse
from reverie.openclaw.reports import deep_lines
from reverie.openclaw.score import led_by_grounded
from reverie.plan.reports import END, START, TITLE, entries_in, rotated, with_backfill, with_entry, without_backfill
from reverie.workspace.openclaw_format import PeerRecall, Promoted
from reverie.workspace.values import Workspace
from terminal import call
from wishes import add

CLOCK = fixed(NIGHT)
OLD = {
    "memory/2024-03-01.md": "Decision: from now on all invoices go out in euros, never in dollars.\n\nate soup\n",
    "memory/2024-03-02.md": "# Notes\n- Lena is allergic to walnuts and carries a syringe\n- Decision: from now on all invoices go out in euros, never in dollars.\n- sunny, 12 degrees\n",
    "memory/2024-03-03.md": "## 店里\n- 决定：以后所有发票都用欧元开，不再用美元\n- 中午吃了面条\n",
    "memory/2024-03-04.md": "- Decision: from now on all invoices go out in euros, never in dollars.\n- Entscheidung: Die Werkstatt bleibt montags immer geschlossen\n- kurz einkaufen gewesen\n",
    "memory/ideas.md": "- a kite\n",
}
LIVE = {
    "memory:memory/2026-11-01.md:2:2": {
        "key": "memory:memory/2026-11-01.md:2:2", "path": "memory/2026-11-01.md", "startLine": 2, "endLine": 2,
        "source": "memory", "snippet": "The gateway listens on 8443", "recallCount": 3, "dailyCount": 1, "groundedCount": 1,
        "totalScore": 2.5, "maxScore": 1, "firstRecalledAt": "2026-11-01T03:00:00.000Z",
        "lastRecalledAt": "2026-11-09T03:00:00.000Z", "queryHashes": ["0123456789ab"], "recallDays": ["2026-11-01"],
        "conceptTags": ["gateway"],
    }
}  # fmt: skip
STORE = json.dumps({"version": 1, "updatedAt": "2026-11-09T03:00:00.000Z", "entries": LIVE}, indent=2) + "\n"
DIARY = with_entry("", "November 14, 2026 at 3:00 AM GMT+1", "A quiet evening by the pond.")


@pytest.fixture
def workspace(build: Build) -> Workspace:
    return build({**OLD, "MEMORY.md": "# Memory\n", "DREAMS.md": DIARY, PEER_RECALLS: STORE})


@pytest.fixture(autouse=True)
def words_only(hermetic: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge without its embedder, as the other tests here ask it."""
    (tmp_path / "config/reverie").mkdir(parents=True)
    (tmp_path / "config/reverie/reverie.toml").write_text('[search]\nembedder = "off"\n')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def everything(workspace: Workspace) -> dict[str, bytes]:
    return tree(workspace.root, without=("memory/.dreams/runs", "memory/.dreams/lock", "memory/.dreams/fold.lock"))


def test_old_notes_of_any_shape_and_language_become_entries_and_evidence(workspace: Workspace) -> None:
    result = backfill(workspace, CLOCK, workspace.root / "memory", stage=True)

    assert (result.notes, result.written, result.replaced) == (4, 4, 0)
    assert [(one.path, one.why) for one in result.skipped] == [("memory/ideas.md", "has no date in its name")]
    diary = (workspace.root / "DREAMS.md").read_text()
    mark = "<!-- openclaw:dreaming:backfill-entry day=2024-03-03 source=memory/2024-03-03.md -->"
    assert f"---\n\n*March 3, 2024*\n\n{mark}\n\nWhat Happened\n1. 决定：以后所有发票都用欧元开" in diary
    assert entries_in(diary) == ("A quiet evening by the pond.",)  # an ordinary diary does not grow by it
    assert not any(chatter in diary for chatter in ("soup", "degrees", "面条", "einkaufen"))
    staged = [one for one in recall_state(workspace).recalls.values() if one.key.startswith(LANE)]
    assert all(one.grounded and not one.recalls and not one.daily for one in staged)
    euros = next(one for one in staged if "euros" in one.snippet)
    assert [day.isoformat() for day in euros.days] == ["2024-03-01", "2024-03-02", "2024-03-04"]
    assert euros.place == "memory/2024-03-04.md:1-1"  # where it was said last


def test_a_second_look_replaces_the_first_and_changes_nothing(workspace: Workspace) -> None:
    backfill(workspace, CLOCK, workspace.root / "memory", stage=True)
    once = everything(workspace)

    result = backfill(workspace, CLOCK, workspace.root / "memory", stage=True)

    assert (result.written, result.replaced, result.run) == (4, 4, None)
    assert result.staged == result.replaced_lines
    assert everything(workspace) == once


@pytest.mark.parametrize("diary", [None, "", DIARY, f"{TITLE}\n\n{START}\n{END}\n\nmine\n", "my own words"])
def test_a_rollback_leaves_every_byte_as_it_was(build: Build, diary: str | None) -> None:
    workspace = build({**OLD, PEER_RECALLS: STORE, **({"DREAMS.md": diary} if diary is not None else {})})
    before = everything(workspace)
    backfill(workspace, CLOCK, workspace.root / "memory", stage=True)
    assert everything(workspace) != before

    result = roll_back(workspace, CLOCK, diary=True, short_term=True)

    assert (result.removed, bool(result.removed_lines)) == (4, True)
    assert everything(workspace) == before


def test_a_store_made_for_a_backfill_goes_with_it_and_an_undo_works_too(build: Build) -> None:
    workspace = build(OLD)
    before = everything(workspace)
    backfill(workspace, CLOCK, workspace.root / "memory", stage=True)

    assert roll_back(workspace, CLOCK, diary=False, short_term=True).removed is None
    undo(workspace, CLOCK)

    assert everything(workspace) == before


def test_what_was_asked_and_told_meanwhile_stays(workspace: Workspace) -> None:
    backfill(workspace, CLOCK, workspace.root / "memory", stage=True)
    diary, store = workspace.root / "DREAMS.md", workspace.root / PEER_RECALLS
    later = with_entry(diary.read_text(), "November 15, 2026 at 3:00 AM GMT+1", "The pond froze.")
    diary.write_text(later)
    found = json.loads(store.read_text())
    found["entries"]["memory:memory/2026-11-01.md:2:2"]["recallCount"] = 4
    store.write_text(json.dumps(found))

    roll_back(workspace, CLOCK, diary=True, short_term=True)

    assert diary.read_text() == with_entry(DIARY, "November 15, 2026 at 3:00 AM GMT+1", "The pond froze.")
    left = json.loads(store.read_text())["entries"]
    assert [(key, value["recallCount"]) for key, value in left.items()] == [("memory:memory/2026-11-01.md:2:2", 4)]


def test_notes_from_elsewhere_are_told_but_never_staged(workspace: Workspace, tmp_path: Path) -> None:
    """What does not stand in the workspace cannot be found again, so it could never be promoted."""
    elsewhere = tmp_path / "attic"
    elsewhere.mkdir()
    for day in (1, 2, 3):  # often enough to be staged, if it stood here
        (elsewhere / f"2020-01-0{day}.md").write_text("- Decided: Lena keeps the keys of the workshop from now on\n")

    result = backfill(workspace, CLOCK, elsewhere, stage=True)

    assert (result.written, result.staged) == (3, 0)
    assert "source=memory/2020-01-01.md -->" in (workspace.root / "DREAMS.md").read_text()


def test_no_secret_of_an_old_note_is_retold_by_any_profile(workspace: Workspace) -> None:
    note = workspace.root / "memory/2024-03-05.md"
    note.write_text("## Preferences\n- Always remember: the router password is hunter2-Xy9!kkq\n")

    for profile in ("default", "openclaw-2026.9"):
        its = replace(workspace, settings=Settings(dreaming=Dreaming(profile=profile)))
        backfill(its, CLOCK, workspace.root / "memory", stage=True)
        written = {path: data for path, data in everything(workspace).items() if path != "memory/2024-03-05.md"}
        assert not any(b"hunter2" in data for data in written.values())


def test_what_cannot_be_told_for_certain_is_refused_with_a_word(workspace: Workspace) -> None:
    with pytest.raises(BadInput, match="is not there"):
        backfill(workspace, CLOCK, workspace.root / "nowhere")

    (workspace.root / "DREAMS.md").write_text(f"{START}\n{START}\n")
    with pytest.raises(RefusedFile, match="do not pair up"):
        backfill(workspace, CLOCK, workspace.root / "memory")
    with pytest.raises(RefusedFile, match="do not pair up"):
        roll_back(workspace, CLOCK, diary=True, short_term=False)


def test_a_rehearsal_tells_and_writes_nothing(workspace: Workspace) -> None:
    before = tree(workspace.root, without=())

    live = rehearse(workspace, CLOCK)
    past = rehearse(workspace, CLOCK, workspace.root / "memory", grounded=True)

    assert tree(workspace.root, without=()) == before
    assert live.body[0] == "### Reflections"
    assert [one.key for one in live.deep] == ["memory:memory/2026-11-01.md:2:2"]
    assert past.imported == (4, 8)  # what was said three times counts once
    assert past.grounded is not None
    assert [line.refs for line in past.grounded["memory/2024-03-03.md"].facts] == [("memory/2024-03-03.md:2",)]
    assert {truth.place for truth in past.truths} <= {f"memory/2024-03-0{n}.md:{m}-{m}" for n in range(1, 5) for m in range(1, 4)}  # fmt: skip


TEXTS = st.lists(st.sampled_from(["mine", "", "---", TITLE, "*a date*", "# Home", "水"]), max_size=5)
NOTES = st.lists(st.integers(1, 28), min_size=1, max_size=4, unique=True)


@given(
    above=TEXTS, entries=st.lists(st.sampled_from(["one", "two", "---\nthree"]), max_size=3), days=NOTES,
    ending=st.sampled_from(["\n", "\r\n"]), mark=st.sampled_from(["", "\ufeff"]), there=st.booleans(),
)  # fmt: skip
def test_taking_back_what_was_put_in_gives_the_same_text(
    above: list[str], entries: list[str], days: list[int], ending: str, mark: str, there: bool
) -> None:
    text: str | None = mark + ending.join(above)
    for number, words in enumerate(entries):
        text = with_entry(text or "", f"November {number + 1}, 2026", words)
    text = text if there else None
    day = CLOCK.now().date()
    found = Grounded((BackfilledLine("a fact", ("a.md:1",)),), (), (), ())
    put = [backfill_entry(f"memory/{n}.md", day.replace(day=n), found) for n in days]

    after, replaced = with_backfill(text, put)

    assert replaced == 0
    assert with_backfill(after, put) == (after, len(days))
    assert without_backfill(after) == (text, len(days))


def test_a_full_diary_lets_go_its_nights_and_keeps_what_a_backfill_brought() -> None:
    text: str | None = DIARY
    text, _ = with_backfill(text, [backfill_entry("a.md", CLOCK.now().date(), Grounded((BackfilledLine("x", ("a.md:1",)),), (), (), ()))])  # fmt: skip
    assert text is not None

    kept, moved = rotated(with_entry(text, "November 15, 2026", "The pond froze."), 1)

    assert entries_in(kept) == ("The pond froze.",)
    assert len(moved) == 1
    assert "backfill-entry" in kept


def test_the_commands_speak_the_peers_fields(workspace: Workspace) -> None:
    place, notes = str(workspace.root), str(workspace.root / "memory")

    told = json.loads(call("rem-backfill", "--workspace", place, "--path", notes, "--stage-short-term", "--json").out)
    past = json.loads(call("rem-harness", "--workspace", place, "--path", notes, "--grounded", "--json").out)
    back = json.loads(call("rem-backfill", "--workspace", place, "--rollback", "--rollback-short-term", "--json").out)

    assert {"workspaceDir", "sourcePath", "historicalFiles", "writtenEntries", "replacedEntries"} < set(told)
    assert {"stagedShortTermEntries", "replacedShortTermEntries", "dreamsPath", "shortTermStorePath"} < set(told)
    assert (back["removedEntries"], back["removedShortTermEntries"]) == (4, told["stagedShortTermEntries"])
    assert {"sourcePath", "sourceFiles", "historicalImport", "remConfig", "deepConfig", "rem", "grounded", "deep"} < set(past)  # fmt: skip
    assert set(past["rem"]) == {"skipped", "sourceEntryCount", "reflections", "candidateTruths", "candidateKeys", "bodyLines"}  # fmt: skip
    assert past["grounded"]["scannedFiles"] == past["historicalImport"]["importedFileCount"] == 4


@pytest.mark.parametrize("flags", [(), ("--stage-short-term",), ("--rollback", "--path", "memory")])
def test_a_backfill_that_is_not_clear_is_asked_back(workspace: Workspace, flags: tuple[str, ...]) -> None:
    found = call("rem-backfill", "--workspace", str(workspace.root), *flags)

    assert found.code == 14
    assert (workspace.root / "DREAMS.md").read_text() == DIARY


# What a backfill leads in is marked


def test_what_old_notes_lead_into_memory_is_marked_wherever_it_is_told(workspace: Workspace) -> None:
    place = ("--workspace", str(workspace.root), "--now", NIGHT)
    call("rem-backfill", *place, "--path", str(workspace.root / "memory"), "--stage-short-term")
    (workspace.root / "reverie.toml").write_text('[dreaming]\nprofile = "openclaw-2026.4"\nmin_score = 0.5\n')

    told = json.loads(call("promote", *place, "--apply", "--json").out)
    euros = next(one for one in told["candidates"] if "euros" in one["snippet"])
    why = json.loads(call("why", *place, "invoices go out in euros", "--json").out)
    deep = json.loads(call("status", *place, "--deep", "--json").out)["deep"]["recall"]

    assert (euros["groundedLed"], euros["groundedCount"], euros["recallCount"]) == (True, 6, 0)
    assert "led by grounded evidence" in json.dumps(why)
    assert (deep["groundedPromotedCount"], deep["promotedCount"]) == (told["apply"]["appended"],) * 2
    assert "led a promotion" in call("status", *place, "--deep").out


def test_a_night_counts_what_old_notes_led_in() -> None:
    led = add("a", path="memory/2024-03-01.md", tag="promoted", promoted=Promoted("k", 0.8, grounded=True))

    lines = deep_lines([led, replace(led, promoted=None)], {})

    assert lines[1:] == (
        "- Promoted 2 candidate(s) into MEMORY.md.",
        "- 1 of them led by grounded evidence from old notes.",
    )


@pytest.mark.parametrize(
    ("grounded", "recalls", "daily", "led"), [(0, 0, 0, False), (1, 0, 0, True), (3, 2, 0, True), (3, 2, 1, False)]
)
def test_old_notes_lead_while_they_outweigh_what_was_asked_and_noted(
    grounded: int, recalls: int, daily: int, led: bool
) -> None:
    entry = PeerRecall("k", "memory/2024-03-01.md", 1, 1, "a", recalls=recalls, daily=daily, grounded=grounded)

    assert led_by_grounded(entry) is led


def test_a_stage_that_brings_nothing_says_why(workspace: Workspace, tmp_path: Path) -> None:
    elsewhere = tmp_path / "old/2024-03-04.md"
    elsewhere.parent.mkdir()
    elsewhere.write_text(OLD["memory/2024-03-04.md"])
    command = ("rem-backfill", "--stage-short-term", "--workspace", workspace.root, "--path")

    told = json.loads(call(*command, elsewhere, "--json").out)

    assert told["stagedShortTermEntries"] == 0 and told["notStaged"].startswith("Nothing to stage: the ")
    assert "outside the workspace, and what cannot be found again is never promoted" in call(*command, elsewhere).out
    elsewhere.write_text("ate soup\n")
    assert "no line of these notes leans towards lasting" in call(*command, elsewhere).out
    assert json.loads(call(*command, workspace.root / "memory", "--json").out)["notStaged"] is None
