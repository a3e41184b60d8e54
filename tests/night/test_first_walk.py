"""The whole walk once: read, plan, write, nothing more to do, undo."""

from __future__ import annotations

from conftest import Build, tree
from reverie.core.ports import FixedClock
from reverie.night import commands
from reverie.workspace.values import Workspace

MEMORY = "# Me\n\n## Notes\n- likes tea\n- lives in Bern\n- likes tea\n"


def test_a_duplicate_is_kept_once_and_archived_once(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": MEMORY})

    commands.review(workspace, clock)

    assert (workspace.root / "MEMORY.md").read_text() == "# Me\n\n## Notes\n- likes tea\n- lives in Bern\n"
    assert "Content: - likes tea\n" in (workspace.vault / "ledger.md").read_text()


def test_the_second_night_changes_nothing(lived_in: Workspace, clock: FixedClock) -> None:
    commands.review(lived_in, clock)
    after_one = tree(lived_in.root, without=())

    night = commands.review(lived_in, clock)

    assert night.run is None
    assert tree(lived_in.root) == {k: v for k, v in after_one.items() if not k.startswith("memory/.dreams")}


def test_undo_brings_back_every_byte(lived_in: Workspace, clock: FixedClock) -> None:
    before = tree(lived_in.root)

    commands.review(lived_in, clock)
    commands.undo(lived_in, clock)

    assert tree(lived_in.root) == before
