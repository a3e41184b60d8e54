"""What left and is said again comes back, marked, with an event in the ledger; what only sounds like it does not."""

from __future__ import annotations

import json

import pytest

from conftest import NIGHT, Build
from reverie.core.ports import fixed
from reverie.judge.operation import Op, Operation
from reverie.judge.recurring import returning, says_it_again
from reverie.night.briefing import make_brief
from reverie.night.night import plan_dream
from reverie.night.remember import evidence_of
from reverie.plan.ledger import Archived, array_text, block, indexed, read_ledger, with_events
from reverie.plan.splices import spliced, texts_after
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Snapshot

OLD = "- Choir rehearsal in the old mill on Thursdays"
AGAIN = "choir rehearsal in the old mill on Thursdays"
ID = "0a0b0c0d"


def workspace_files(note: str, category: str = "over budget", removed: str = "2026-11-02 03:00") -> dict[str, str]:
    entry = Archived(ID, removed, category, (OLD,), "MEMORY.md:4", "left")
    listed = {"id": ID, "summary": OLD[2:], "removed_at": removed, "removed_ts": 0, "reemergence_count": 0}
    return {
        "MEMORY.md": "# Me\n\n## Stable Knowledge\n- lives in Bern\n",
        "memory/2026-11-14.md": f"# 2026-11-14\n- {note}\n",
        "dream-vault/ledger.md": "\n".join(block(entry)) + "\n",
        "dream-vault/ledger-index.json": array_text(indexed([], entry)),
        "dream-vault/meta/removed-entries.json": array_text([listed]),
    }


def back_in(snapshot: Snapshot) -> tuple[Operation, ...]:
    return tuple(returning(make_brief(snapshot, evidence_of(snapshot), fixed(NIGHT).now())))


def found(build: Build, files: dict[str, str]) -> tuple[Operation, ...]:
    return back_in(read_workspace(build(dict(files))))


def test_what_is_said_again_later_comes_back_with_its_mark_and_its_source(build: Build) -> None:
    (back,) = found(build, workspace_files(AGAIN))

    assert (back.op, back.tag, back.text) == (Op.ADD, "re-emerged", f"[re-emerged] {AGAIN}")
    assert [source.path for source in back.sources] == ["memory/2026-11-14.md"]
    assert back.why.endswith(f"[{ID}]")


@pytest.mark.parametrize(("section", "home"), [("Music", "Music"), ("Gone", "Stable Knowledge")])
def test_it_comes_back_to_the_section_it_stood_in_if_that_is_there(build: Build, section: str, home: str) -> None:
    files = workspace_files(AGAIN)
    files["MEMORY.md"] += "\n## Music\n- plays the viola\n"
    listed = json.loads(files["dream-vault/meta/removed-entries.json"])
    files["dream-vault/meta/removed-entries.json"] = array_text([{**listed[0], "section": section}])

    assert [back.section for back in found(build, files)] == [home]


def test_what_leaves_is_listed_with_its_section(build: Build) -> None:
    memory = "# Me\n\n## Music\n- plays the viola\n- rehearsals in the mill (valid until 2026-11-01)\n"
    workspace = build({"MEMORY.md": memory, "memory/2026-11-14.md": "- walked\n"})
    plan = plan_dream(workspace, fixed(NIGHT)).plan

    (listed,) = json.loads(texts_after(read_workspace(workspace), plan)["vault:meta/removed-entries.json"])
    assert listed["section"] == "Music"


@pytest.mark.parametrize("category", ["superseded", "duplicate", "retracted", "contradiction"])
def test_what_was_replaced_or_wrong_stays_in_the_archive(build: Build, category: str) -> None:
    assert found(build, workspace_files(AGAIN, category)) == ()


@pytest.mark.parametrize(
    ("category", "removed", "returns"),
    [
        ("over budget", "2026-11-14 03:00", True),  # the day after that night
        ("forgotten", "2026-11-14 15:00", False),  # the note may be older than the forgetting
        ("forgotten", "2026-11-13 15:00", True),
        ("over budget", "2026-11-15 03:00", False),
    ],
)
def test_only_evidence_after_the_removal_counts(build: Build, category: str, removed: str, *, returns: bool) -> None:
    assert bool(found(build, workspace_files(AGAIN, category, removed))) is returns


@pytest.mark.parametrize(
    "said",
    [
        "The mill museum is closed on Thursdays",
        "No choir rehearsal in the old mill on Thursdays",
        "maybe choir rehearsal in the old mill on Thursdays",
        "choir rehearsal in the old mill on Thursdays is cancelled",
        "is the choir rehearsal in the old mill on Thursdays?",
        "choir rehearsal in room 12 of the old mill on Thursdays",
    ],
)
def test_what_only_sounds_like_it_does_not(build: Build, said: str) -> None:
    assert found(build, workspace_files(said)) == ()


@pytest.mark.parametrize(
    ("old", "new", "cosine", "same"),
    [
        ("合唱团周四在老磨坊排练", "老磨坊那边，合唱团还是周四排练", 0.8, True),
        ("合唱团周四在老磨坊排练", "老磨坊周四停业", 0.7, False),
        (
            "Der Chor probt donnerstags in der alten Mühle",
            "In der alten Mühle probt weiterhin donnerstags der Chor",
            0.9,
            True,
        ),
        ("Rent is 890 Euro for the studio", "Rent for the studio is 935 Euro", 0.9, False),
    ],
)
def test_the_same_values_and_most_of_the_words_are_worth_a_look(
    old: str, new: str, cosine: float, *, same: bool
) -> None:
    assert says_it_again(old, new, cosine) is same


def test_a_night_brings_it_back_once_and_a_second_one_finds_it_there(build: Build) -> None:
    workspace = build(dict(workspace_files(AGAIN)))

    night = plan_dream(workspace, fixed(NIGHT))

    memory = texts_after(night.snapshot, night.plan)["MEMORY.md"]
    assert memory.count(AGAIN) == 1 and f"- [re-emerged] {AGAIN}" in memory
    (workspace.root / "MEMORY.md").write_text(memory, "utf-8")
    assert AGAIN not in [one.text for one in plan_dream(workspace, fixed(NIGHT)).operations]


def test_the_archive_tells_the_event_and_counts_it(build: Build) -> None:
    snapshot = read_workspace(build(dict(workspace_files(AGAIN))))
    back = back_in(snapshot)

    edits = with_events(snapshot, [], back, fixed(NIGHT).now())

    after = {edit.path: spliced(snapshot.text_of(edit.path), [edit]) for edit in edits}
    assert after["vault:ledger.md"].startswith(snapshot.text_of("vault:ledger.md"))
    assert (
        f"---\nID: {ID}\nUpdated: 2026-11-15 03:00\nEvent: re-emerged\nNote: said again on 2026-11-14;"
        in after["vault:ledger.md"]
    )
    assert [entry.id for entry in read_ledger(after["vault:ledger.md"])] == [ID]
    (record,) = json.loads(after["vault:ledger-index.json"])
    assert (record["status"], len(record["events"])) == ("re-emerged", 2)
    (item,) = json.loads(after["vault:meta/removed-entries.json"])
    assert item["reemergence_count"] == 1


def test_what_was_forgotten_comes_back_from_its_summary_when_it_is_said_later(build: Build) -> None:
    files = {"memory/2026-11-14.md": f"- {AGAIN}\n"}
    listed = {"id": ID, "summary": OLD[2:], "removed_at": "2026-11-02 15:00", "reemergence_count": 0, "forgotten": True}
    files["dream-vault/meta/removed-entries.json"] = array_text([listed])
    snapshot = read_workspace(build(dict(files)))

    (back,) = back_in(snapshot)
    edits = with_events(snapshot, [], (back,), fixed(NIGHT).now())

    assert [source.path for source in back.sources] == ["memory/2026-11-14.md"]
    assert {edit.path for edit in edits} == {"vault:ledger.md", "vault:meta/removed-entries.json"}


def test_a_night_without_re_emergence_keeps_its_edits(build: Build) -> None:
    snapshot = read_workspace(build(dict(workspace_files("bought bread"))))

    assert with_events(snapshot, [], (), fixed(NIGHT).now()) == []
