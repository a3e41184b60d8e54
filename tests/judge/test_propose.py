"""Proposals: a night that only asks, a change that is too large, and an owner who decides item by item."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Build, tree
from reverie.apply.runs import plan_as_dict
from reverie.core.errors import BadInput, BadPlanFile, RefusedPlan, StalePlan
from reverie.core.ports import FixedClock
from reverie.core.settings import Memory, Review, Settings
from reverie.night import commands
from reverie.night.proposing import LARGE, must_ask, share, with_size
from reverie.night.suggesting import suggestions
from reverie.plan.build import build_plan
from reverie.plan.part import changed, decisions, parted
from reverie.plan.promises import check_promises
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Plan, Snapshot, Workspace
from terminal import call
from wishes import add, claim, end, line_of, retell

MEMORY = "# Me\n- likes black tea\n- uses vim\n- likes black tea\n- lives in Bern\n- uses vim\n"
PROPOSE = Settings(review=Review(mode="propose"))
NIGHT = "2026-11-15T03:00:00+01:00"


def ids_of(night: commands.Night) -> list[str]:
    return [one.id for one in decisions(night.snapshot, night.plan)]


def memory_of(workspace: Workspace) -> str:
    return (workspace.root / "MEMORY.md").read_text("utf-8")


def test_a_night_that_proposes_changes_nothing_but_the_proposal(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": MEMORY}, PROPOSE)

    night = commands.review(workspace, clock)

    assert night.run is None and night.proposed == "MEMORY.md.proposed" and night.plan.probes == (2, 2)
    assert tree(workspace.root) == {
        "MEMORY.md": MEMORY.encode(),
        "MEMORY.md.proposed": b"# Me\n- likes black tea\n- uses vim\n- lives in Bern\n",
    }


def test_the_second_night_proposes_the_same_and_writes_nothing(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": MEMORY}, PROPOSE)
    commands.review(workspace, clock)
    before = tree(workspace.root, without=("memory/.dreams/lock",))

    commands.review(workspace, FixedClock(datetime.fromisoformat("2026-11-16T03:00:00+01:00")))

    after = tree(workspace.root, without=("memory/.dreams/lock",))
    assert after.keys() == before.keys() and after["MEMORY.md.proposed"] == before["MEMORY.md.proposed"]


def test_accepting_all_of_it_is_a_run_and_the_proposal_goes(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": MEMORY}, PROPOSE)
    commands.review(workspace, clock)

    done = commands.apply_plan(workspace, None, clock)

    assert done.run and memory_of(workspace) == "# Me\n- likes black tea\n- uses vim\n- lives in Bern\n"
    assert (
        not list(workspace.root.glob("*.proposed")) and not (workspace.root / "memory/.dreams/proposal.json").exists()
    )
    with pytest.raises(BadPlanFile, match="No proposal waits"):
        commands.apply_plan(workspace, None, clock)


@pytest.mark.parametrize("how", ["only", "without"])
def test_a_part_is_applied_and_the_rest_is_not_proposed_again(build: Build, clock: FixedClock, how: str) -> None:
    workspace = build({"MEMORY.md": MEMORY}, PROPOSE)
    tea, vim = ids_of(commands.review(workspace, clock))

    chosen = {"only": [tea]} if how == "only" else {"without": [vim]}
    done = commands.apply_plan(workspace, None, clock, **chosen)  # type: ignore[arg-type]

    assert done.run and memory_of(workspace) == "# Me\n- likes black tea\n- uses vim\n- lives in Bern\n- uses vim\n"
    assert "- uses vim" not in (workspace.vault / "ledger.md").read_text("utf-8")
    later = commands.review(workspace, clock)
    assert (later.run, later.proposed, later.plan.edits) == (None, "", ())


@pytest.mark.parametrize("chosen", [{"without": 0}, {"only": 1}, {"none": True}])
def test_what_waits_for_a_yes_still_waits_when_an_item_is_left_out(
    build: Build, clock: FixedClock, chosen: dict[str, object]
) -> None:
    files = {
        "MEMORY.md": MEMORY,
        "memory/2026-11-14.md": "- The insurance is settled: they pay the new sum of 300 francs\n",
    }
    whole, part = build(files, PROPOSE), build(files, PROPOSE)
    for workspace in (whole, part):
        items = ids_of(commands.review(workspace, clock))
    named = {key: [items[at]] if type(at) is int else at for key, at in chosen.items()}

    commands.apply_plan(whole, None, clock)
    commands.apply_plan(part, None, clock, **named)  # type: ignore[arg-type]

    assert [card.text for card in suggestions(part, clock)] == [card.text for card in suggestions(whole, clock)] != []


def test_declining_everything_changes_no_word_and_can_be_undone(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": MEMORY}, PROPOSE)
    commands.review(workspace, clock)

    commands.apply_plan(workspace, None, clock, none=True)

    assert memory_of(workspace) == MEMORY and not commands.review(workspace, clock).proposed
    commands.undo(workspace, clock)
    assert commands.review(workspace, clock).proposed == "MEMORY.md.proposed"


def test_an_owner_who_writes_a_note_meanwhile_may_still_decide(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": MEMORY, "memory/2026-11-14.md": "- walked\n"}, PROPOSE)
    commands.review(workspace, clock)
    (workspace.root / "memory/2026-11-15.md").write_text("- a new day\n")

    assert commands.apply_plan(workspace, None, clock).run
    judged = (workspace.root / "memory/.dreams/judged.txt").read_text()
    assert "2026-11-14" in judged and "2026-11-15" not in judged  # the next night reads what this plan never saw


def test_an_owner_who_changed_the_memory_is_asked_anew(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": MEMORY}, PROPOSE)
    commands.review(workspace, clock)
    (workspace.root / "MEMORY.md").write_text(MEMORY + "- sings\n")

    with pytest.raises(StalePlan):
        commands.apply_plan(workspace, None, clock)
    assert commands.review(workspace, clock).proposed
    assert "- sings" in (workspace.root / "MEMORY.md.proposed").read_text()
    (workspace.root / "MEMORY.md").write_text("# Me\n")
    commands.review(workspace, clock)
    assert not (workspace.root / "MEMORY.md.proposed").exists()  # nothing is left to decide


def test_a_file_of_somebody_else_under_that_name_is_left_alone(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": MEMORY, "MEMORY.md.proposed": "mine\n"}, PROPOSE)

    night = commands.review(workspace, clock)
    commands.apply_plan(workspace, None, clock)

    assert night.proposed == "memory/.dreams/proposal.json"
    assert (workspace.root / "MEMORY.md.proposed").read_text() == "mine\n"


def test_an_item_nobody_proposed_is_refused(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": MEMORY}, PROPOSE)
    commands.review(workspace, clock)

    with pytest.raises(BadInput, match="no item 'ffffffff'"):
        commands.apply_plan(workspace, None, clock, only=["ffffffff"])


def test_force_applies_what_would_only_be_proposed(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": MEMORY}, PROPOSE)
    commands.review(workspace, clock)

    assert commands.review(workspace, clock, force=True).run
    assert not (workspace.root / "MEMORY.md.proposed").exists()


# The change gate


def leaving(snapshot: Snapshot, count: int, tag: str = "stale") -> Plan:
    """A plan that archives the first entries."""
    entries = snapshot.files["MEMORY.md"].entries[:count]
    return build_plan(snapshot, [end(entry, tag=tag) for entry in entries], datetime.fromisoformat(NIGHT))


def facts(count: int) -> str:
    return "# Me\n" + "".join(f"- fact number {n}\n" for n in range(count))


@pytest.mark.parametrize(
    ("entries", "leave", "flagged", "asks"),
    [
        (40, 12, False, False),
        (40, 13, True, False),
        (40, 20, True, False),
        (40, 21, True, True),
        (5, 5, False, False),  # a small memory may change whole: two of five are not many
        (12, 7, True, False),
        (12, 11, True, True),
    ],
)
def test_a_large_change_is_flagged_and_a_larger_one_only_proposed(
    build: Build, entries: int, leave: int, *, flagged: bool, asks: bool
) -> None:
    snapshot = read_workspace(build({"MEMORY.md": facts(entries)}))

    plan = with_size(snapshot, leaving(snapshot, leave))

    assert any(flag.tag == LARGE for flag in plan.flags) is flagged
    assert must_ask(snapshot, plan) is asks


def test_copies_change_nothing_that_is_said(build: Build) -> None:
    snapshot = read_workspace(build({"MEMORY.md": facts(30) + facts(30) + facts(30)}))

    assert changed(snapshot, leaving(snapshot, 60)) == (0, 30)


def test_what_leaves_for_want_of_room_does_not_count(build: Build) -> None:
    small, large = Settings(memory=Memory(truncation=1_000)), Settings()
    for settings_, expected in ((small, 0.0), (large, 1.0)):
        snapshot = read_workspace(build({"MEMORY.md": facts(60)}, settings_))

        assert share(snapshot, leaving(snapshot, 60, "over budget")) == expected


def test_a_saved_plan_that_changes_most_needs_a_word(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": facts(40)})
    plan = leaving(read_workspace(workspace), 30)
    before = tree(workspace.root)

    with pytest.raises(RefusedPlan):
        commands.apply_plan(workspace, plan, clock)
    assert tree(workspace.root) == before


# Parts of plans


@settings(max_examples=60)
@given(st.data())
def test_any_part_of_a_plan_keeps_every_promise(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    root = tmp_path_factory.mktemp("part")
    ending = data.draw(st.sampled_from(("\n", "\r\n")))
    lines = ["# Me", "## Now", *(f"- fact number {n}" for n in range(8)), "", "## People", "- Mira sings", "- Nils"]
    cut = data.draw(st.integers(0, len(lines)))
    (root / "MEMORY.md").write_bytes("".join(line + ending for line in lines[:cut]).encode())
    (root / "memory").mkdir()
    (root / "memory/2026-11-14.md").write_text("".join(f"- new thing {n}\n" for n in range(5)))
    snapshot = read_workspace(Workspace(root, root / "dream-vault"))
    entries = snapshot.files["MEMORY.md"].entries
    homes = st.sampled_from(("People", "Now", "lessons", "stable"))
    operations = [end(entry) for entry in entries[::3]]
    operations += [
        retell(entry, f"new thing {n}", cites=(claim(f"new thing {n}", n + 1),))
        for n, entry in enumerate(entries[1::3][:2])
    ]
    operations += [add(f"new thing {n}", data.draw(homes), line=n + 1) for n in range(2, 5)]
    plan = build_plan(snapshot, operations, datetime.fromisoformat(NIGHT))
    ids = [one.id for one in decisions(snapshot, plan)]
    assert len(ids) == len(operations)
    out = data.draw(st.sets(st.sampled_from(ids)))

    part = parted(snapshot, plan, out)

    check_promises(snapshot, part)
    assert sorted(one.id for one in decisions(snapshot, part)) == sorted(name for name in ids if name not in out)
    assert parted(snapshot, plan, set()) is plan


def test_a_row_and_the_line_that_takes_its_place_go_together(build: Build) -> None:
    table = "# Me\n## Prices\n| what | price |\n|---|---|\n| tea | 4 Euro |\n| milk | 2 Euro |\n"
    snapshot = read_workspace(build({"MEMORY.md": table, "memory/2026-11-14.md": "- tea costs 5 Euro\n"}))
    told = add("tea costs 5 Euro", "Prices", tag="superseded", why="superseded on 2026-11-14")
    row = end(line_of(snapshot, "tea"), tag="superseded", why="superseded on 2026-11-14", cites=told.cites)
    plan = build_plan(snapshot, [row, told], datetime.fromisoformat(NIGHT))
    for one in decisions(snapshot, plan):
        assert decisions(snapshot, parted(snapshot, plan, {one.id})) == ()


# As people call it


def test_the_numbers_stand_on_every_receipt(build: Build) -> None:
    root = build({"MEMORY.md": MEMORY}).root
    said = "Questions that memory and archive answer: 2 before, 2 after"

    assert said in call("review", "--dry-run", "--workspace", root, "--now", NIGHT).out
    assert said in call("review", "--workspace", root, "--now", NIGHT).out
    assert "answer: 2 before, 2 after" in call("runs", "1", "--workspace", root).out
    assert json.loads(call("runs", "--workspace", root, "--json").out)[0]["probes"] == {"before": 2, "after": 2}


def test_a_proposal_is_decided_by_the_ids_that_plan_shows(build: Build) -> None:
    root = build({"MEMORY.md": MEMORY, "reverie.toml": '[review]\nmode = "propose"\n'}).root
    where = ("--workspace", root, "--now", NIGHT)

    shown = call("plan", *where).out
    night = json.loads(call("review", *where, "--json").out)
    tea = next(edit["id"] for edit in night_plan(root)["edits"] if edit["old"] == ["- likes black tea\n"])

    assert night["proposed"] == "MEMORY.md.proposed" and not night["changed"]
    assert f"({tea})" in shown
    assert call("apply", *where, "--only", tea).code == 0
    assert (root / "MEMORY.md").read_text() == "# Me\n- likes black tea\n- uses vim\n- lives in Bern\n- uses vim\n"


def night_plan(root: Path) -> dict[str, list[dict[str, object]]]:
    plan: dict[str, list[dict[str, object]]] = json.loads((root / "memory/.dreams/proposal.json").read_text())["plan"]
    return plan


def test_a_part_of_a_saved_plan_can_be_applied_too(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": MEMORY})
    night = commands.plan_dream(workspace, clock)
    tea, _ = ids_of(night)
    saved = json.dumps(plan_as_dict(replace(night.plan, probes=(9, 9))))

    done = call("apply", "-", "--without", tea, "--workspace", workspace.root, "--now", NIGHT, "--json", stdin=saved)

    assert json.loads(done.out)["probes"] == {"before": 1, "after": 1}  # asked anew, whatever the file said
    assert memory_of(workspace) == "# Me\n- likes black tea\n- uses vim\n- likes black tea\n- lives in Bern\n"
