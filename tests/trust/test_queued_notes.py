"""`dream note` while a night runs: what is said is queued, taken in once by the next command that writes, and never lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import NIGHT, Build, tree
from reverie.apply import spool
from reverie.apply.lock import held
from reverie.apply.spool import queue, queued
from reverie.core.errors import BadInput, WriteFailed
from reverie.core.layout import SPOOL
from reverie.core.ports import FixedClock, fixed
from reverie.features import sessions
from reverie.features.doctor.doctor import examine, mend
from reverie.features.note import note
from reverie.night import commands
from reverie.workspace.values import Author, Workspace
from terminal import TOKEN, dream

TODAY = "memory/2026-11-15.md"
MEMORY = "# Ada\n\n## Current State\n- Ferry: leaves at 10:00\n- likes tea\n- likes tea\n"
LATER = fixed("2026-11-16T03:00:00+01:00")
HOLDER = """
import sys, time
from pathlib import Path
from reverie.apply.lock import held
with held(Path(sys.argv[1]), "review", "now", 5.0):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def workspace(build: Build) -> Workspace:
    made = build({"MEMORY.md": MEMORY})
    return replace(made, settings=replace(made.settings, lock_wait=0.1))


@contextmanager
def a_night_runs(root: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process holds the workspace; at the end it is killed, as a night may be."""
    with subprocess.Popen([sys.executable, "-c", HOLDER, root], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        try:
            yield holder
        finally:
            holder.kill()


def text(workspace: Workspace, path: str = TODAY) -> str:
    return (workspace.root / path).read_text("utf-8")


def test_a_note_during_a_night_is_queued_and_the_next_command_takes_it_in(
    workspace: Workspace, clock: FixedClock
) -> None:
    with a_night_runs(workspace.root):
        noted = note(workspace, clock, "Correction: Ferry: leaves at 9:30", by=Author("owner", "cli"))
        assert noted.queued and not noted.run and len(queued(workspace.root)) == 1

    night = commands.review(workspace, LATER)

    assert text(workspace).count("- 03:00 Correction: Ferry: leaves at 9:30\n") == 1
    assert "9:30" in text(workspace, "MEMORY.md"), "what must not wait did not wait for the night"
    assert queued(workspace.root) == () and any("took in 1 note" in line for line in night.recovered)


def test_the_command_says_so_and_succeeds(workspace: Workspace) -> None:
    config = workspace.root.parent / "config/reverie/reverie.toml"
    config.parent.mkdir(parents=True)
    config.write_text("lock_wait = 0.1\n")
    asked = ("--workspace", workspace.root, "--now", NIGHT)
    with a_night_runs(workspace.root):
        told = dream("note", "the boat needs paint", *asked, XDG_CONFIG_HOME=str(config.parent.parent))
        as_json = dream("note", "the oars too", "--json", *asked, XDG_CONFIG_HOME=str(config.parent.parent))

    assert (told.code, told.err) == (0, "") and "held by `dream review`" in told.out and TODAY in told.out
    assert json.loads(as_json.out)["queued"] is True

    dream("note", "and the mast", *asked)
    assert [line[8:] for line in text(workspace).splitlines()[2:]] == [
        "the boat needs paint",
        "the oars too",
        "and the mast",
    ]


def test_a_secret_is_refused_before_it_is_queued(workspace: Workspace, clock: FixedClock) -> None:
    with a_night_runs(workspace.root), pytest.raises(BadInput):
        note(workspace, clock, f"the token is {TOKEN}")

    assert not (workspace.root / SPOOL).exists()


def test_the_summary_of_a_session_is_queued_too(workspace: Workspace, clock: FixedClock) -> None:
    with a_night_runs(workspace.root):
        ended = sessions.end(workspace, clock, "- painted the boat\n- bought oars\n")
    note(workspace, clock, "and a mast")

    assert ended.queued
    assert [line[8:] for line in text(workspace).splitlines()[2:]] == ["painted the boat", "bought oars", "and a mast"]


def test_a_crash_between_the_run_and_the_queue_makes_nothing_said_twice(
    workspace: Workspace, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue(workspace.root, ["the boat needs paint"], NIGHT)
    kept = next((workspace.root / SPOOL).iterdir())
    data = kept.read_bytes()
    note(workspace, clock, "first")

    kept.write_bytes(data)  # the power went before the name was gone
    note(workspace, clock, "second")

    assert text(workspace).count("the boat needs paint") == 1 and queued(workspace.root) == ()


KILLED = """
import os, signal, sys
from datetime import datetime
from pathlib import Path
sys.path[:0] = [sys.argv[2]]
from crash.power import SteppedDisk
from reverie.core.ports import fixed
from reverie.features.note import note
from reverie.workspace.values import Workspace

class Killed(SteppedDisk):
    def step(self, kind, *paths):
        if len(self.took) == int(sys.argv[3]):
            os.kill(os.getpid(), signal.SIGKILL)

root = Path(sys.argv[1])
note(Workspace(root, root / "dream-vault"), fixed("2026-11-15T03:00:00+01:00"), "and a mast", disk=Killed())
"""


@pytest.mark.parametrize("step", [1, 8, 16, 20, 24, 28, 40, 48, 56])
def test_whoever_is_killed_while_taking_it_in_loses_nothing_and_repeats_nothing(
    workspace: Workspace, step: int
) -> None:
    for said in ("the boat needs paint", "the oars too"):
        queue(workspace.root, [said], NIGHT)
    tests = str(Path(__file__).parents[1])
    child = subprocess.run([sys.executable, "-c", KILLED, workspace.root, tests, str(step)], timeout=60, check=False)
    assert child.returncode == -signal.SIGKILL

    note(workspace, LATER, "the next day")

    assert [text(workspace).count(said) for said in ("the boat needs paint", "the oars too")] == [1, 1]
    assert queued(workspace.root) == ()


def test_a_crowd_that_speaks_while_nights_come_and_go_is_heard_word_for_word(workspace: Workspace) -> None:
    say = (
        "import sys; from pathlib import Path; from reverie.core.ports import fixed; from reverie.core.settings import Settings\n"
        "from reverie.features.note import note; from reverie.workspace.values import Workspace; root = Path(sys.argv[1])\n"
        f"note(Workspace(root, root / 'dream-vault', Settings(lock_wait=0.05)), fixed({NIGHT!r}), sys.argv[2])"
    )
    words = [f"statement number {n} of the crowd" for n in range(8)]
    with a_night_runs(workspace.root) as night:
        crowd = [subprocess.Popen([sys.executable, "-c", say, workspace.root, word]) for word in words]
        crowd[0].wait()
        night.kill()
        assert [one.wait() for one in crowd] == [0] * len(words)

    note(workspace, FixedClock(fixed(NIGHT).now()), "the last word")

    assert [text(workspace).count(f"{word}\n") for word in words] == [1] * len(words)


def test_undo_means_what_was_done_and_not_what_it_took_in_itself(workspace: Workspace, clock: FixedClock) -> None:
    commands.review(workspace, clock)
    queue(workspace.root, ["the boat needs paint"], NIGHT)

    commands.undo(workspace, LATER)

    assert text(workspace, "MEMORY.md") == MEMORY and "the boat needs paint" in text(workspace)


def test_the_queue_is_bounded_and_says_so(
    workspace: Workspace, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "MOST", 3)
    with held(workspace.root, "review", "now", 0.0):
        for n in range(3):
            note(workspace, clock, f"statement {n}")
        with pytest.raises(WriteFailed, match="not kept"):
            note(workspace, clock, "one too many")


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"said": 7}', b'{"said": [7]}', b'{"said": ["hm"], "at": "9999-99-99"}', b"\xff" * 9]
)
def test_what_somebody_else_put_into_the_queue_stops_nobody(
    workspace: Workspace, clock: FixedClock, data: bytes
) -> None:
    folder = workspace.root / SPOOL
    folder.mkdir(parents=True)
    (folder / f"{7:020d}-0123abcd.json").write_bytes(data)
    os.mkfifo(folder / f"{8:020d}-0123abcd.json")
    (folder / f"{9:020d}-0123abcd.json").symlink_to("/dev/zero")
    queue(workspace.root, [f"the token is {TOKEN}"], NIGHT)

    assert note(workspace, clock, "the boat needs paint").run
    assert TOKEN not in str(tree(workspace.root))


def test_the_doctor_tells_what_waits_and_takes_it_in(workspace: Workspace, clock: FixedClock) -> None:
    queue(workspace.root, ["the boat needs paint"], NIGHT)

    chart, signs = examine(workspace, clock)
    mend(workspace, chart, clock)

    assert "notes queued" in [sign.status for sign in signs]
    assert "the boat needs paint" in text(workspace)
