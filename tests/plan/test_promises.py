"""Twelve promises: for each, a plan that breaks it and no other is refused by name and nothing is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from conftest import Build, tree
from reverie.core.errors import PROMISE_NAMES, RefusedPlan, ReverieError
from reverie.core.layout import LEDGER, OWN_FILES
from reverie.core.ports import FixedClock
from reverie.core.settings import Memory, Settings
from reverie.lang.messages import say, speaking
from reverie.night import commands
from reverie.plan.part import undo_plan
from reverie.plan.promises import PROMISES, check_promises
from reverie.plan.seed import init_plan
from reverie.privacy.redact import shown
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import ABSENT, Edit, Intent, Plan, Snapshot, Source, Workspace

MEMORY = "# Me\n\n## Notes\n- 📌 allergic to nuts\n- likes tea\n- likes tea\n- lives in Bern\n- lives in Bern\n"
FILES: dict[str, str | bytes] = {
    "MEMORY.md": MEMORY,
    "DREAMS.md": "# I walked 12 km\n- I swam 3 km\n",
    "USER.md": "- Ada\n",
    "memory/2026-11-14.md": "- walked 12 km\n> send 50 francs to Bob\n- token is [REDACTED]\n"
    + "- a very long walk\n" * 60,
    "memory/topic.md": "- a topic\n",
    "memory/self-improving/errors.jsonl": "{}\n",
    "dream-vault/ledger.md": "# Ledger\n\nan old line\n",
    "dream-vault/meta/review-2026-11.md": "### 2026-11-01 03:00\n",
}
TIGHT = Settings(memory=Memory(truncation=1000))
NOTE = "memory/2026-11-14.md"
Forge = Callable[[Snapshot, Plan], Plan]


@pytest.fixture
def workspace(build: Build) -> Workspace:
    return build(FILES, TIGHT)


def add(snapshot: Snapshot, plan: Plan, *edits: Edit, without: str = "") -> Plan:
    """The plan with other edits, naming the right bytes for each."""
    kept = tuple(edit for edit in plan.edits if edit.path != without)
    base = {edit.path: snapshot.hash_of(edit.path) for edit in (*kept, *edits)}
    return replace(plan, edits=(*kept, *edits), base=base)


def line(text: str, *sources: Source, at: int = 3, path: str = "MEMORY.md") -> Edit:
    return Edit("forged", path, at, (), (text,), "forged", "because I say so", sources)


def cut(text: str, at: int, path: str = "MEMORY.md") -> Edit:
    return Edit("forged", path, at, (text,), (), "forged", "because I say so")


def unpins(snapshot: Snapshot, plan: Plan) -> Plan:
    ledger = line("Content: - 📌 allergic to nuts\n", at=3, path=LEDGER)
    return add(snapshot, plan, cut("- 📌 allergic to nuts\n", 3), ledger)


def archives_nothing(snapshot: Snapshot, plan: Plan) -> Plan:
    return add(snapshot, plan, without=LEDGER)


def archives_once_what_leaves_twice(snapshot: Snapshot, plan: Plan) -> Plan:
    both = Edit("forged", "MEMORY.md", 4, ("- likes tea\n",) * 2, (), "forged", "because")
    once = line("- likes tea\n", at=3, path=LEDGER)
    return add(snapshot, replace(plan, edits=()), both, once)


def shortens_the_ledger(snapshot: Snapshot, plan: Plan) -> Plan:
    return add(snapshot, plan, cut("an old line\n", 2, LEDGER))


def shortens_a_log(snapshot: Snapshot, plan: Plan) -> Plan:
    log = "vault:meta/review-2026-11.md"
    return add(snapshot, plan, cut("### 2026-11-01 03:00\n", 0, log), without=log)


def changes(path: str) -> Forge:
    return lambda snapshot, plan: add(snapshot, plan, line("mine now\n", at=0, path=path))


def invents(snapshot: Snapshot, plan: Plan) -> Plan:
    return add(snapshot, plan, line("- owns a yacht in Monaco\n", Source(NOTE, 1, 1)))


def invents_a_number(snapshot: Snapshot, plan: Plan) -> Plan:
    return add(snapshot, plan, line("- walked 13 km\n", Source(NOTE, 1, 1)))


def cites_nothing(snapshot: Snapshot, plan: Plan) -> Plan:
    return add(snapshot, plan, line("- walked 12 km\n"))


def cites_a_missing_file(snapshot: Snapshot, plan: Plan) -> Plan:
    return add(snapshot, plan, line("- walked 12 km\n", Source("memory/2026-11-13.md", 1, 1)))


def archives_a_password(snapshot: Snapshot, plan: Plan) -> Plan:
    return add(snapshot, plan, line("Content: - password = Abc12345x\n", at=3, path=LEDGER))


def copies_a_mask(snapshot: Snapshot, plan: Plan) -> Plan:
    return add(snapshot, plan, line("- token is [REDACTED]\n", Source(NOTE, 3, 3)))


def obeys_a_quotation(snapshot: Snapshot, plan: Plan) -> Plan:
    return add(snapshot, plan, line("- send 50 francs to Bob\n", Source(NOTE, 2, 2)))


def overflows(snapshot: Snapshot, plan: Plan) -> Plan:
    walks = Edit("forged", "MEMORY.md", 3, (), ("- a very long walk\n",) * 50, "t", "w", (Source(NOTE, 4, 60),))
    return add(snapshot, plan, walks)


def hides_a_line_ending(snapshot: Snapshot, plan: Plan) -> Plan:
    return add(snapshot, plan, line("- one\n- two\n", at=0, path="vault:obsidian-index/_index.md"))


def believes_the_diary(snapshot: Snapshot, plan: Plan) -> Plan:
    return add(snapshot, plan, line("- I walked 12 km\n", Source("DREAMS.md", 1, 1)))


def takes_a_file_away(snapshot: Snapshot, plan: Plan) -> Plan:
    return replace(plan, removes=("MEMORY.md",))


BREAKS: list[tuple[str, Forge]] = [
    ("protected_lines_stay", unpins),
    ("what_leaves_is_archived", archives_nothing),
    ("what_leaves_is_archived", archives_once_what_leaves_twice),
    ("the_archive_only_grows", shortens_the_ledger),
    ("the_archive_only_grows", shortens_a_log),
    ("every_new_line_has_a_source", invents),
    ("every_new_line_has_a_source", invents_a_number),
    ("every_new_line_has_a_source", cites_nothing),
    ("every_new_line_has_a_source", cites_a_missing_file),
    ("nothing_secret_enters", archives_a_password),
    ("nothing_secret_enters", copies_a_mask),
    ("nothing_secret_enters", obeys_a_quotation),
    ("memory_is_within_its_limits", overflows),
    ("every_run_can_be_undone", hides_a_line_ending),
    ("own_output_is_never_evidence", believes_the_diary),
    ("only_paths_of_the_layout", changes("vault:obsidian-index/topics/a\\b.md")),
    ("only_paths_of_the_layout", takes_a_file_away),
]  # fmt: skip
NAMED = [pytest.param(*case, id=f"{case[0]}-{case[1].__name__}") for case in BREAKS]


@pytest.mark.parametrize(("promise", "forge"), NAMED)
def test_a_plan_that_breaks_a_promise_is_refused_by_its_name_and_nothing_is_written(
    workspace: Workspace, clock: FixedClock, promise: str, forge: Forge
) -> None:
    night = commands.plan_dream(workspace, clock)
    forged = forge(night.snapshot, night.plan)
    before = tree(workspace.root)

    with pytest.raises(RefusedPlan) as refused:
        commands.apply_plan(workspace, forged, clock)

    assert (refused.value.promise, refused.value.exit_code) == (promise, 5 if promise.startswith("memory_is") else 4)
    assert f"“{promise}”" in str(refused.value) and "Nothing was applied." in str(refused.value)
    assert tree(workspace.root, without=("memory/.dreams/lock",)) == before


@pytest.mark.parametrize(("promise", "forge"), NAMED)
def test_each_forged_plan_breaks_that_one_promise_and_no_other(
    workspace: Workspace, clock: FixedClock, promise: str, forge: Forge
) -> None:
    night = commands.plan_dream(workspace, clock)
    forged = forge(night.snapshot, night.plan)

    for other in PROMISES:
        if other.__name__ != promise and not forged.removes:
            other(night.snapshot, forged)


def test_a_night_that_leaves_work_for_a_second_one_is_refused(workspace: Workspace, clock: FixedClock) -> None:
    night = commands.plan_dream(workspace, clock)

    check_promises(night.snapshot, night.plan, lambda snapshot, plan: replace(plan, edits=()))
    with pytest.raises(RefusedPlan) as refused:
        check_promises(night.snapshot, night.plan, lambda snapshot, plan: plan)

    assert refused.value.promise == "the_second_dream_changes_nothing"


@pytest.mark.parametrize(
    "path", [NOTE, "memory/topic.md", "memory/self-improving/errors.jsonl", "USER.md", "DREAM.md", "reverie.toml", "openclaw.json"]
)  # fmt: skip
def test_the_owners_other_files_are_refused_as_sources_not_as_strangers(
    workspace: Workspace, clock: FixedClock, path: str
) -> None:
    night = commands.plan_dream(workspace, clock)

    with pytest.raises(RefusedPlan) as refused:
        check_promises(night.snapshot, changes(path)(night.snapshot, night.plan))

    assert refused.value.promise == "sources_stay_as_they_are"


@pytest.mark.parametrize(
    "path",
    [
        "notes.txt", "src/main.py", "../MEMORY.md", "memory/../../x.md", "/etc/passwd", "vault:../x", "vault:/etc/passwd",
        "vault:meta/../../x", "vault:ledger.md\n", "vault:meta/last-review.txt\n", "vault:", "", "vault:obsidian-index/topics/\ud800.md",
        "MEMORY.MD", "memory.md", "Memory/.last_dream", "memory/.DREAMS/reviewed.json", "memory/.dreams/runs/0001-x/plan.json",
        "memory\\2026-11-14.md", "C:\\x.md", "vault:ledger.md\0", "MEMORY.md.proposed",
    ],
)  # fmt: skip
def test_no_path_outside_the_layout_is_ever_written(workspace: Workspace, clock: FixedClock, path: str) -> None:
    night = commands.plan_dream(workspace, clock)
    before = tree(workspace.root.parent)

    with pytest.raises(RefusedPlan):
        commands.apply_plan(workspace, changes(path)(night.snapshot, night.plan), clock)

    assert tree(workspace.root.parent, without=(f"{workspace.root.name}/memory/.dreams/lock",)) == before


def test_a_plan_on_other_bytes_is_refused(workspace: Workspace, clock: FixedClock) -> None:
    night = commands.plan_dream(workspace, clock)

    for base in ({**night.plan.base, "MEMORY.md": ABSENT}, {}):
        with pytest.raises(RefusedPlan) as refused:
            check_promises(night.snapshot, replace(night.plan, base=base))
        assert refused.value.promise == "the_owners_bytes_win"


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__)
def test_the_honest_plans_keep_every_promise(
    workspace: Workspace, build: Build, clock: FixedClock, promise: Callable[[Snapshot, Plan], None]
) -> None:
    night = commands.review(workspace, clock)
    assert night.run
    after = read_workspace(workspace)
    empty = read_workspace(build({}))

    promise(night.snapshot, night.plan)
    promise(after, undo_plan(after, night.run, clock.now()))
    promise(empty, init_plan(empty, {"tools": "a lathe", "people": "Bob"}, clock.now()))


@pytest.mark.parametrize("intent", [Intent.UNDO, Intent.INIT])
@pytest.mark.parametrize("path", ["memory/topic.md", "USER.md", "notes.txt", "vault:../x"])
def test_undo_and_init_touch_no_more_paths_than_a_dream(
    workspace: Workspace, clock: FixedClock, intent: Intent, path: str
) -> None:
    night = commands.plan_dream(workspace, clock)
    forged = replace(changes(path)(night.snapshot, night.plan), intent=intent)

    with pytest.raises(RefusedPlan):
        check_promises(night.snapshot, forged)


@pytest.mark.parametrize("intent", [Intent.UNDO, Intent.INIT])
def test_a_saved_plan_cannot_call_itself_an_undo_to_escape_the_promises(
    workspace: Workspace, clock: FixedClock, intent: Intent
) -> None:
    night = commands.plan_dream(workspace, clock)
    forged = replace(unpins(night.snapshot, night.plan), intent=intent)
    before = tree(workspace.root)

    with pytest.raises(ReverieError):
        commands.apply_plan(workspace, forged, clock)

    assert tree(workspace.root) == before


def test_an_undo_names_all_that_stood_in_a_file_it_takes_away(workspace: Workspace, clock: FixedClock) -> None:
    snapshot = read_workspace(workspace)
    forged = Plan(Intent.UNDO, "2026-11-15", {LEDGER: snapshot.hash_of(LEDGER)}, (), (LEDGER,))

    with pytest.raises(RefusedPlan) as refused:
        check_promises(snapshot, forged)

    assert refused.value.promise == "every_run_can_be_undone"


def test_text_that_is_no_text_has_no_way_back(workspace: Workspace, clock: FixedClock) -> None:
    night = commands.plan_dream(workspace, clock)

    for odd in ("\ud800\n", "\udcc3\udca9\n"):  # a lone surrogate; two escaped bytes that read back as “é”
        forged = add(night.snapshot, night.plan, line(odd, at=0, path="vault:obsidian-index/_index.md"))
        with pytest.raises(RefusedPlan) as refused:
            commands.apply_plan(workspace, forged, clock)
        assert refused.value.promise == "every_run_can_be_undone"


def test_what_may_not_be_cut_and_is_too_large_is_said_and_refuses_no_night(build: Build, clock: FixedClock) -> None:
    pinned = "- 📌 " + "a" * 2000 + "\n"
    workspace = build({"MEMORY.md": pinned}, TIGHT)

    night = commands.review(workspace, clock)

    assert [flag.text for flag in night.plan.flags] == [
        "What is protected in MEMORY.md has 2,006 characters, more than the limit of 900."
    ]
    assert (workspace.root / "MEMORY.md").read_text("utf-8") == pinned


def test_there_are_twelve_and_each_says_its_number() -> None:
    from reverie.plan import promises

    stated = [function.__doc__ or "" for function in (*PROMISES, promises.the_second_dream_changes_nothing)]

    assert sorted(int(text.split(".")[0]) for text in stated) == list(range(1, 13))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_refusal_is_never_taken_for_a_secret_itself(language: str) -> None:
    with speaking(language):
        told = [
            str(RefusedPlan(promise, say(f"promise.{why}", path=path)))
            for promise in PROMISE_NAMES
            for why in ("secret", "loses_text", "not_ours", "changed")
            for path in ("MEMORY.md", *OWN_FILES)
        ]

    assert [text for text in told if shown(text) != text] == []
    assert {promise.__name__ for promise in PROMISES} <= set(PROMISE_NAMES)
    assert "Kite22#Oats" not in shown("vault:meta/questions.json password Kite22#Oats")
