"""The library as its page shows it: the examples of docs/internals/library.md are run as they stand there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import reverie
from conftest import Build, tree
from reverie import FixedClock, HashEmbedder, Workspace, dream, fixed, forget, note, recall, search

PAGE = Path(__file__).parents[2] / "docs" / "internals" / "library.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.S)
CLOCK = fixed("2026-11-15T09:00:00+01:00")


@pytest.fixture
def notes(build: Build, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder `notes` here, as the examples have it."""
    root = build({"notes/MEMORY.md": "# Me\n- likes tea\n- likes tea\n"}).root
    monkeypatch.chdir(root)
    return root / "notes"


def test_five_lines_note_search_recall_and_dream(notes: Path) -> None:
    done = subprocess.run([sys.executable, "-c", EXAMPLES[0]], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    found, summary, counts = done.stdout.splitlines()
    assert found.startswith("We decided to keep the ledger in PostgreSQL.")
    assert "PostgreSQL" in summary and "duplicate" in counts
    assert len([line for line in EXAMPLES[0].splitlines()[1:] if line]) == 5


def test_the_fakes_dream_twice_and_the_second_night_changes_nothing(notes: Path) -> None:
    exec(EXAMPLES[1], {})

    assert (notes / "MEMORY.md").read_text().count("likes tea") == 1


def test_a_workspace_is_one_that_is_open_or_its_path(build: Build) -> None:
    workspace = build({"MEMORY.md": "# Me\n- the lathe runs at 900 rpm\n"})

    ways = [
        search(where, "lathe", clock=CLOCK, record=False) for where in (workspace, workspace.root, str(workspace.root))
    ]

    assert [answer.hits[0].claim.text for answer in ways] == ["the lathe runs at 900 rpm"] * 3


def test_what_was_noted_is_forgotten_and_a_dry_run_leaves_it(build: Build) -> None:
    workspace = build({"MEMORY.md": "# Me\n- likes tea\n"})
    said = note(workspace, "The kiln is broken.", clock=CLOCK)
    before = tree(workspace.root)

    dry = forget(workspace, "the kiln is broken", clock=CLOCK, dry_run=True)

    assert [gone.path for gone in dry.removed] == [said.path] and tree(workspace.root) == before
    assert forget(workspace, "the kiln is broken", clock=CLOCK).run
    assert "kiln" not in (workspace.root / said.path).read_text()


def test_a_recall_of_nothing_is_empty_and_leaves_no_trace_unless_wanted(build: Build) -> None:
    workspace = build({"MEMORY.md": "# Me\n- likes tea\n"})

    found = recall(workspace, "Good morning!", clock=CLOCK, record=False, turns=[("user", "Hello")])

    assert (found.summary, found.text) == ("", "")
    assert not (workspace.root / "memory" / ".dreams" / "reverie-events.jsonl").exists()


def test_a_dream_at_a_fixed_moment_can_be_taken_back(build: Build) -> None:
    workspace = build({"MEMORY.md": "# Me\n- likes tea\n- likes tea\n"})

    night = dream(workspace, clock=CLOCK)

    assert night.run and isinstance(CLOCK, FixedClock) and isinstance(workspace, Workspace)
    reverie.undo(workspace, CLOCK)
    assert (workspace.root / "MEMORY.md").read_text() == "# Me\n- likes tea\n- likes tea\n"


def test_importing_the_package_loads_no_room() -> None:
    heavy = "print(sorted(n for n in sys.modules if n.startswith(('numpy', 'sqlite3', 'reverie.'))))"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys, reverie; {heavy}"], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"
    assert HashEmbedder().dimensions == 64
