"""Every command that writes goes one way, and after each of them the projections say what MEMORY.md says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from conftest import Build
from reverie.core.ports import FixedClock
from reverie.core.settings import OtherHost
from reverie.features.classify.classify import sort_memories
from reverie.features.forget.forget import forget
from reverie.features.note import note
from reverie.features.palace.palace import rebuild
from reverie.features.projections.projections import refreshed
from reverie.features.refine.refine import refine
from reverie.features.sublimate import sublimate
from reverie.night.commands import index_content, pin, seen_as, take_back, undo
from reverie.night.night import Night, review
from reverie.night.transaction import transact
from reverie.plan.build import plan_of
from reverie.workspace.projection import UNCHANGED
from reverie.workspace.values import Author, Edit, Intent, Plan, Snapshot, Workspace

MEMORY = "# Me\n\n## Notes\n- likes tea\n- likes tea\n- lives in Bern\n- the router stands in the cellar\n"
OWNER = Author("owner", "cli")
Command = Callable[[Workspace, FixedClock], object]


def dreamt(workspace: Workspace, clock: FixedClock) -> Night:
    return review(workspace, clock)


def undone(workspace: Workspace, clock: FixedClock) -> object:
    review(workspace, clock)
    return undo(workspace, clock)


def one_taken_back(workspace: Workspace, clock: FixedClock) -> object:
    run = review(workspace, clock).run
    assert run is not None
    item = next(edit.id for edit in run.plan.edits if edit.path == "MEMORY.md" and edit.tag == "duplicate")
    return take_back(workspace, clock, run.id, item)


COMMANDS: dict[str, Command] = {
    "review": dreamt,
    "undo": undone,
    "undo --only": one_taken_back,
    "pin": lambda workspace, clock: pin(workspace, clock, 6, seen_as("- lives in Bern")),
    "palace": rebuild,
    "sublimate": lambda workspace, clock: sublimate(workspace, clock, apply=True),
    "classify": lambda workspace, clock: sort_memories(workspace, clock, apply=True),
    "refine": lambda workspace, clock: refine(workspace, clock, apply=True),
    "note": lambda workspace, clock: note(workspace, clock, "Correction: I live in Basel, not in Bern.", by=OWNER),
    "forget": lambda workspace, clock: forget(workspace, clock, "the router in the cellar"),
    "index": lambda workspace, clock: index_content(workspace, clock, "https://example.org/tea", "Tea"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_after_a_command_the_projections_equal_the_memory(
    build: Build, clock: FixedClock, tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    other = tmp_path_factory.mktemp("host") / "AGENTS.md"
    workspace: Workspace = build({"MEMORY.md": MEMORY, "memory/2026-11-14.md": "- the router stands in the cellar\n"})
    workspace = replace(
        workspace, settings=replace(workspace.settings, project=(OtherHost(path=str(other), host="agents-md"),))
    )

    COMMANDS[name](workspace, clock)

    assert [one.outcome for one in refreshed(workspace, dry_run=True)] == [UNCHANGED], (
        "a second refresh finds nothing to do"
    )


def test_what_the_owner_types_meanwhile_is_read_and_decided_again(build: Build, clock: FixedClock) -> None:
    workspace: Workspace = build({"MEMORY.md": "- likes tea\n"})
    memory, seen = workspace.root / "MEMORY.md", list[str]()

    def decide(snapshot: Snapshot) -> tuple[str, Plan]:
        if not seen:
            memory.write_text("- likes tea\n- and coffee\n", "utf-8")
        seen.append(snapshot.text_of("MEMORY.md"))
        edit = Edit("pin", "MEMORY.md", 0, ("- likes tea\n",), ("- 📌 likes tea\n",), "pin", "a test pins it")
        return "told", plan_of(snapshot, Intent.PIN, [edit], clock.now())

    done = transact(workspace, clock, "test", decide)

    assert seen == ["- likes tea\n", "- likes tea\n- and coffee\n"]
    assert done.run is not None and memory.read_text("utf-8") == "- 📌 likes tea\n- and coffee\n"
