"""What a night leaves for people to read: a diary, reports, a block in the day's note; and not a byte elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import NIGHT, Build, tree
from reverie.apply.runs import find_run
from reverie.apply.writer import write_run
from reverie.core.errors import RefusedPlan
from reverie.core.layout import may_write, place_of
from reverie.core.settings import Diary, Settings, Storage
from reverie.evidence.claims import Observed
from reverie.features.diary.entry import similarity
from reverie.judge.operation import Op, Operation
from reverie.night.remember import evidence_of
from reverie.night.telling import pages_of
from reverie.openclaw.reports import light_lines
from reverie.plan.build import plan_of
from reverie.plan.part import undo_plan
from reverie.plan.promises import check_promises
from reverie.plan.reports import START, Pages, entries_in, page_edits
from reverie.plan.splices import changes_of, hashes_after, texts_after
from reverie.plan.views import night_edits
from reverie.text.managed import without_managed
from reverie.workspace.news import unjudged
from reverie.workspace.openclaw_format import PeerRecall
from reverie.workspace.reader import read_workspace, reread
from reverie.workspace.values import Edit, Intent, Origin, Plan, Run, Snapshot, Workspace, stated
from wishes import add, claim

NOW = datetime.fromisoformat(NIGHT)
TODAY = "memory/2026-11-15.md"
NOTES = {
    "MEMORY.md": "# Memory\n\n## Home\n- The pump in the cellar is from 1998\n",
    "memory/2026-11-12.md": "# Home\n- The garden pond needs a deeper bank for the winter\n",
    "memory/2026-11-13.md": "# Home\n- Ordered slate slabs for the garden pond from Lena\n",
    "memory/2026-11-14.md": "# Home\n- Lena says the garden pond must rest until spring\n",
}
GERMAN = {
    "MEMORY.md": "# Gedächtnis\n- Die Pumpe im Keller ist von 1998 und wird bald ersetzt\n",
    "memory/2026-11-12.md": "- Der Gartenteich braucht vor dem Winter ein tieferes Ufer\n",
    "memory/2026-11-13.md": "- Lena bringt die Platten für den Gartenteich am Montag\n",
    "memory/2026-11-14.md": "- Mit der Nachbarin über den Gartenteich und den Zaun gesprochen\n",
}
CHINESE = {
    "MEMORY.md": "# 记忆\n- 地下室的水泵是1998年装的\n",
    "memory/2026-11-12.md": "- 花园池塘冬天之前要加深岸边\n",
    "memory/2026-11-13.md": "- 莉娜周一送来花园池塘的石板\n",
    "memory/2026-11-14.md": "- 和邻居聊了花园池塘和篱笆的事\n",
}
FULL = Settings(storage=Storage(mode="both"))


def planned(snapshot: Snapshot, now: datetime, operations: Sequence[Operation] = ()) -> Plan:
    """The pages of a night and its cursors, without the decisions about MEMORY.md."""
    told = page_edits(snapshot, pages_of(snapshot, evidence_of(snapshot), operations, now, {}), now)
    return plan_of(snapshot, Intent.DREAM, [*night_edits(snapshot, [], [], now, 0, told), *told], now)


def sleep(workspace: Workspace, now: datetime = NOW, operations: Sequence[Operation] = ()) -> Run | None:
    snapshot = read_workspace(workspace)
    plan = planned(snapshot, now, operations)
    check_promises(
        snapshot,
        plan,
        lambda old, its: planned(reread(old, texts_after(old, its), hashes_after(old, its)), now),
    )
    return write_run(workspace, plan, changes_of(snapshot, plan)) if plan.edits else None


def undo(workspace: Workspace, name: str = "") -> None:
    snapshot = read_workspace(workspace)
    plan = undo_plan(snapshot, find_run(workspace, name), NOW)
    check_promises(snapshot, plan)
    write_run(workspace, plan, changes_of(snapshot, plan))


def read(workspace: Workspace, path: str) -> str:
    return (workspace.root / path).read_bytes().decode("utf-8", "surrogateescape")


@pytest.mark.parametrize(
    ("notes", "phrase"),
    [(NOTES, "garden pond"), (GERMAN, "Gartenteich"), (CHINESE, "花园池塘")],
    ids=["en", "de", "zh"],
)
def test_a_night_with_news_writes_one_entry_in_the_owners_language(
    build: Build, notes: dict[str, str | bytes], phrase: str
) -> None:
    workspace = build(notes)

    sleep(workspace)

    diary = read(workspace, "DREAMS.md")
    assert diary.startswith(f"# Dream Diary\n\n{START}\n---\n\n*November 15, 2026 at 3:00 AM GMT+1*\n\n")
    assert phrase in entries_in(diary)[0]
    assert not (workspace.root / "memory/dreaming").exists()  # by default the diary is all
    assert sleep(workspace) is None


def test_an_open_question_is_told_once(build: Build) -> None:
    workspace = build({"MEMORY.md": "# Memory\n", "memory/2026-11-14.md": "- lunch alone\n"})
    asked = Operation(
        Op.ASK, "both stand", (claim("The gate is green"), claim("The gate is blue", 2)), text="Is it green?"
    )

    sleep(workspace, operations=[asked])
    (workspace.root / TODAY).write_text("- lunch with Pia\n")
    sleep(workspace, operations=[asked])

    entries = entries_in(read(workspace, "DREAMS.md"))
    assert len(entries) == 1
    assert "Is it green?" in entries[0]


def test_a_night_without_news_writes_nothing_and_a_diary_can_be_switched_off(build: Build) -> None:
    silent = build(NOTES, Settings(diary=Diary(enabled=False)))
    empty = build({"MEMORY.md": "# Memory\n"})

    sleep(silent)
    sleep(empty)

    assert not (silent.root / "DREAMS.md").exists()
    assert not (empty.root / "DREAMS.md").exists()


def test_an_old_lower_case_name_is_honoured_and_what_else_stands_there_stays(build: Build) -> None:
    workspace = build({**NOTES, "dreams.md": "\ufeffMy own dreams\r\n\r\nflying"})

    sleep(workspace)

    assert read(workspace, "dreams.md").startswith(f"\ufeff# Dream Diary\r\n\r\n{START}\r\n---\r\n")
    assert read(workspace, "dreams.md").endswith("My own dreams\r\n\r\nflying")
    undo(workspace)
    assert read(workspace, "dreams.md") == "\ufeffMy own dreams\r\n\r\nflying"


def test_a_diary_whose_markers_do_not_pair_up_is_left_alone(build: Build) -> None:
    workspace = build({**NOTES, "DREAMS.md": f"{START}\n{START}\nhalf a diary\n"})

    sleep(workspace)

    assert read(workspace, "DREAMS.md") == f"{START}\n{START}\nhalf a diary\n"


def test_thirty_nights_are_told_in_thirty_ways_and_no_byte_is_lost(build: Build) -> None:
    workspace = build(NOTES, Settings(diary=Diary(most_entries=12)))

    for night in range(30):
        now = NOW + timedelta(days=night)
        note = workspace.root / f"memory/{now:%Y-%m-%d}.md"
        note.write_text(f"- The {_THINGS[night % 10]} was repaired again, bill {100 + night}\n")
        sleep(workspace, now, [add(f"The {_THINGS[night % 10]} is repaired by Lena, bill {100 + night}")])

    kept = entries_in(read(workspace, "DREAMS.md"))
    everything = [*entries_in(read(workspace, "memory/dreaming/diary-2026.md")), *kept]
    assert (len(kept), len(everything)) == (12, 30)
    assert max(similarity(one, other) for one, other in combinations(everything, 2)) <= 0.8


def test_a_night_long_past_can_be_undone_and_takes_only_its_own_entry_along(build: Build) -> None:
    workspace = build(NOTES, FULL)
    runs = []
    for night in range(4):
        now = NOW + timedelta(days=night)
        (workspace.root / f"memory/{now:%Y-%m-%d}.md").write_text(f"- The {_THINGS[night]} is cold\n")
        several = [add(f"The {_THINGS[night]} is repaired by Lena, part {n}") for n in range(night + 1)]
        runs.append(sleep(workspace, now, several))  # deep counts another number each night
    told = entries_in(read(workspace, "DREAMS.md"))

    undo(workspace, runs[1].id if runs[1] else "")

    assert entries_in(read(workspace, "DREAMS.md")) == (told[0], *told[2:])
    assert read(workspace, "memory/2026-11-16.md") == "- The boiler is cold\n"


_THINGS = ["gate", "boiler", "bicycle", "lamp", "roof", "piano", "kettle", "drain", "fence", "stove"]


def test_a_secret_is_not_retold(build: Build) -> None:
    workspace = build(NOTES, FULL)
    secret = "The gateway password is hunter2-Xy9!kkq"
    (workspace.root / "memory/2026-11-11.md").write_text(f"- {secret}\n- {secret} for the garden pond\n")

    sleep(workspace, operations=[add(secret)])

    pages = [path for path in workspace.root.rglob("*.md") if path.name not in ("2026-11-11.md",)]
    assert [path for path in pages if "hunter2" in path.read_text()] == []


def test_reports_tell_light_and_rem_and_deep_and_rem_says_when_it_repeats_itself(build: Build) -> None:
    workspace = build(NOTES, Settings(storage=Storage(reports=True)))

    sleep(workspace, operations=[add("The garden pond rests until spring")])

    light, rem, deep = (read(workspace, f"memory/dreaming/{phase}/2026-11-15.md") for phase in ("light", "rem", "deep"))
    assert light.startswith("# Light Sleep\n\n- Candidate: ")
    assert "- Theme: " in rem
    assert "memory/2026-11-14.md:2" in rem
    assert deep.endswith("- Promoted 1 candidate(s) into MEMORY.md.\n")
    assert "## Deep Sleep\n<!-- openclaw:dreaming:deep:start -->\n- Ranked 1" in read(workspace, "DREAMS.md")
    (workspace.root / "memory/2026-11-16.md").write_text("- lunch alone\n")
    sleep(workspace, NOW + timedelta(days=1))
    again = read(workspace, "memory/dreaming/rem/2026-11-16.md")
    assert "- Theme: " not in again
    assert "- Reflection: " in again


def test_what_a_night_wrote_is_never_evidence(build: Build) -> None:
    workspace = build({**NOTES, TODAY: "- The stove is cold\n"}, FULL)

    sleep(workspace)

    after = read_workspace(workspace)
    ours = [file for path, file in after.files.items() if path == "DREAMS.md" or path.startswith("memory/dreaming/")]
    assert len(ours) == 3
    assert {entry.origin for file in ours for entry in file.entries} <= {Origin.DREAM}
    assert [e.text for e in after.files[TODAY].entries if e.origin is not Origin.DREAM] == ["The stove is cold"]
    assert unjudged(after) == ()


ODD = st.lists(st.sampled_from(["- a walk", "# Home", "", "```", "<!-- open", "水泵", "| a |", "---", "\u2028x", "## REM Sleep", "  - b"]), max_size=8)  # fmt: skip


@given(
    lines=ODD, ending=st.sampled_from(["\n", "\r\n", "\r"]), last=st.booleans(), mark=st.sampled_from(["", "\ufeff"])
)
def test_a_note_keeps_every_byte_of_its_owner_around_the_block(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], ending: str, last: bool, mark: str
) -> None:
    note = mark + ending.join(lines) + (ending if last else "")
    root = tmp_path_factory.mktemp("odd")
    workspace = Workspace(root, root / "dream-vault", Settings(storage=Storage(mode="inline")))
    (root / "memory").mkdir()
    for path, text in {**NOTES, TODAY: note}.items():
        (root / path).write_bytes(text.encode("utf-8", "surrogateescape"))
    before = tree(root)

    sleep(workspace)

    after = read(workspace, TODAY)
    assert "openclaw:dreaming:light:start" in after
    assert without_managed(after).rstrip("\r\n") == note.rstrip("\r\n")
    assert after.startswith(note)
    assert sleep(workspace) is None
    undo(workspace)
    assert tree(root) == before


def test_a_second_night_replaces_the_block_where_it_stands(build: Build) -> None:
    workspace = build({**NOTES, TODAY: "- The stove is cold\r\n"}, Settings(storage=Storage(mode="inline")))
    sleep(workspace)
    note = workspace.root / TODAY
    note.write_bytes(note.read_bytes() + b"- written below the block\r\n")

    sleep(workspace, NOW + timedelta(hours=1))

    after = read(workspace, TODAY)
    assert after.startswith("- The stove is cold\r\n\r\n## Light Sleep\r\n")
    assert after.endswith("- written below the block\r\n")
    assert after.count("light:start") == after.count("rem:start") == 1
    assert "- Candidate: written below the block\r\n" in after


def test_nothing_is_written_into_a_conversation_or_beside_broken_markers(build: Build) -> None:
    broken = "- The stove is cold\n<!-- openclaw:dreaming:light:start -->\n- mine\n"
    workspace = build({**NOTES, TODAY: broken}, Settings(storage=Storage(mode="inline")))

    sleep(workspace)

    assert read(workspace, TODAY) == broken


@pytest.mark.parametrize("mode", ["separate", "inline"])
def test_only_our_own_block_of_only_this_days_note_may_be_touched(build: Build, mode: str) -> None:
    """Promise 4, with the one exception that the owner asked for."""
    workspace = build({**NOTES, TODAY: "- cold\n"}, Settings(storage=Storage(mode=mode)))
    snapshot = read_workspace(workspace)
    block = ("## Light Sleep\n", "<!-- openclaw:dreaming:light:start -->\n", "<!-- openclaw:dreaming:light:end -->\n")
    other = "memory/2026-11-14.md"
    forged = {
        "the block": Edit("x", TODAY, 1, (), block, "inline", ""),
        "another line": Edit("x", TODAY, 1, (), ("- and warm\n",), "inline", ""),
        "the owner's line": Edit("x", TODAY, 0, ("- cold\n",), block, "inline", ""),
        "another day": Edit("x", other, 2, (), block, "inline", ""),
    }

    allowed = set()
    for name, edit in forged.items():
        try:
            check_promises(snapshot, plan_of(snapshot, Intent.DREAM, [edit], NOW))
            allowed.add(name)
        except RefusedPlan as error:
            assert "sources_stay_as_they_are" in str(error)

    assert allowed == ({"the block"} if mode == "inline" else set())


@pytest.mark.parametrize(
    ("path", "ours"),
    [
        ("DREAMS.md", True), ("dreams.md", True), ("Dreams.md", False), ("memory/dreaming/rem/2026-11-15.md", True),
        ("memory/dreaming/rem/notes.md", False), ("memory/dreaming/diary-2026.md", True),
        ("memory/dreaming/2026-11-15.md", False), ("memory/dreaming/rem/2026-11-15.md/x.md", False), (TODAY, False),
    ],
)  # fmt: skip
def test_of_diaries_and_reports_only_these_names_are_ours(path: str, ours: bool) -> None:
    assert may_write(path) is ours


def test_a_link_in_the_place_of_the_diary_costs_the_entry_and_not_the_night(build: Build, tmp_path: Path) -> None:
    workspace = build(NOTES)
    (tmp_path / "elsewhere.md").write_text("mine\n")
    (workspace.root / "DREAMS.md").symlink_to(tmp_path / "elsewhere.md")

    assert sleep(workspace) is not None

    assert (tmp_path / "elsewhere.md").read_text() == "mine\n"


def test_pages_without_words_are_no_edits(build: Build) -> None:
    workspace = replace(build(NOTES), settings=FULL)

    assert page_edits(read_workspace(workspace), Pages(), NOW) == []
    assert place_of("DREAMS.md").kind.value == "diary"


@pytest.mark.parametrize(("recalls", "sure"), [(0, "0.62"), (3, "0.80")])
def test_light_gives_each_candidate_the_peers_confidence(recalls: int, sure: str) -> None:
    """The average of what was recorded for its words; what was only read has the fixed score of a reading."""
    claim = stated("memory/2026-11-14.md", 2, 2, "The pump stands in the shed", day="2026-11-14")
    entry = PeerRecall("k", claim.path, 2, 2, claim.text, recalls=recalls, total_score=0.8 * recalls)

    lines = light_lines([Observed(claim, days=("2026-11-14",), recalls=recalls)], [entry], frozenset(), 9)

    assert lines[:4] == (
        "- Candidate: The pump stands in the shed",
        f"  - confidence: {sure}",
        "  - evidence: memory/2026-11-14.md:2-2",
        f"  - recalls: {recalls}",
    )
