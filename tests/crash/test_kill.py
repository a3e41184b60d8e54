"""Real processes, really killed: kill -9 between two steps, and (with strace) at the door of a system call."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import laws
import pytest
from laws import EVENING, MORNING, Stage, leftovers, lines_in_neither, memory_of, undisturbed, unlike, whole

from reverie.workspace.values import Workspace

DREAM = str(Path(sys.executable).with_name("dream"))
CHILD = str(Path(__file__).with_name("child.py"))
STRACE = shutil.which("strace") or ""
needs_strace = pytest.mark.skipif(not STRACE, reason="strace is not installed: system calls cannot be made to fail")


@pytest.mark.parametrize("prepare", [laws.first_night, laws.later_night])
def test_a_process_that_is_killed_between_two_steps_loses_nothing(tmp_path: Path, prepare) -> None:  # type: ignore[no-untyped-def]
    stage = prepare(tmp_path)
    laws_of, steps = Laws(stage), laws.steps_of(stage)
    commit = steps.index("rename COMMIT.dream-tmp → COMMIT") + 1
    for at in sorted({*range(3, len(steps), 24), commit, commit + 1, len(steps)}):
        with stage.copied() as workspace:
            child = subprocess.run([sys.executable, CHILD, workspace.root.parent, stage.vault, str(at)], timeout=60)
            assert child.returncode == -signal.SIGKILL
            print(f"killed before step {at}: {steps[at - 1]}")
            laws_of.hold(workspace)


@needs_strace
@pytest.mark.parametrize(
    ("prepare", "call", "share"),
    [
        (laws.first_night, "fsync", 27),
        (laws.first_night, "linkat", 9),
        (laws.first_night, "unlink", 15),
        (laws.later_night, "rename", 9),
        (laws.later_night, "renameat2", 9),
        (laws.later_night, "openat", 51),
    ],
)
def test_a_process_that_is_killed_at_the_door_of_a_system_call_loses_nothing(tmp_path, prepare, call, share) -> None:  # type: ignore[no-untyped-def]
    stage = prepare(tmp_path)
    laws_of, total = Laws(stage), calls(stage, call)
    first = max(1, total - 160)  # before that, only Python opens files
    for number in range(first, total + 1, share):
        with stage.copied() as workspace:
            dream(workspace, EVENING, "review", traced=f"{call}:signal=SIGKILL:when={number}")
            print(f"killed at {call} number {number} of {total}")
            laws_of.hold(workspace)


@needs_strace
def test_a_process_without_an_exchange_of_files_that_is_killed_leaves_nothing_behind(tmp_path: Path) -> None:
    stage = laws.later_night(tmp_path)
    laws_of = Laws(stage)
    without = "renameat2:error=ENOSYS"
    for number in range(1, calls(stage, "rename", without) + 1, 5):
        with stage.copied() as workspace:
            dream(workspace, EVENING, "review", traced=f"rename:signal=SIGKILL:when={number}", also=without)
            print(f"killed at rename number {number}")
            laws_of.hold(workspace, still=without)


@needs_strace
@pytest.mark.parametrize(
    ("fault", "said"),
    [("write:error=ENOSPC", "No space left on device"), ("fsync:error=EIO", "Input/output error")],
)
def test_a_system_call_that_fails_is_told_in_one_sentence_and_costs_nothing(tmp_path, fault, said) -> None:  # type: ignore[no-untyped-def]
    stage = laws.first_night(tmp_path)
    laws_of, total = Laws(stage), calls(stage, fault.partition(":")[0])
    for number in sorted({1, 2, *range(3, total + 1, 11)}):
        with stage.copied() as workspace:
            failed = dream(workspace, EVENING, "review", traced=f"{fault}:when={number}")
            print(f"{fault} at number {number} of {total}: {failed.stderr}")
            if number in (1, 2, total) and not failed.returncode:
                # The text of both locks, and at the end the proof that somebody tried: the night happens without them.
                assert memory_of(whole(workspace)) in [memory_of(state) for state in laws_of.nights]
                continue
            assert (failed.returncode, said in failed.stderr) == (13, True)
            assert re.fullmatch(r"dream: .*\.\n", failed.stderr)
            laws_of.hold(workspace)


class Laws:
    """What holds after a killed night: the real command mends it, and the real command takes it back."""

    def __init__(self, stage: Stage) -> None:
        with stage.copied() as workspace:
            self.before = whole(workspace)
        self.nights = undisturbed(stage, laws.review)

    def hold(self, workspace: Workspace, still: str = "") -> None:
        assert memory_of(whole(workspace)) in [memory_of(state) for state in (self.before, *self.nights)]
        assert lines_in_neither(workspace, self.before) == []

        again = dream(workspace, MORNING, "review", also=still)
        assert (again.returncode, again.stderr) == (0, "")
        assert whole(workspace) in self.nights, unlike(whole(workspace), self.nights)
        assert leftovers(workspace) == []

        back = dream(workspace, MORNING, "undo", also=still)
        assert (back.returncode, back.stderr) == (0, "")
        assert whole(workspace) == self.before, unlike(whole(workspace), [self.before])


def dream(
    workspace: Workspace, clock: laws.Clock, command: str, *, traced: str = "", also: str = "", log: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the real command; under strace, if a system call is to be counted or spoiled."""
    words: list[str | Path] = [DREAM, command, "--quiet", "--workspace", workspace.root]
    faults = [fault for fault in (traced, also) if fault]
    if faults:
        watched = ",".join(fault.partition(":")[0] for fault in faults)
        injected = [word for fault in faults if ":" in fault for word in ("-e", f"inject={fault}")]
        words = [STRACE, "-f", "-qq", "-o", log or os.devnull, "-e", f"trace={watched}", *injected, *words]
    return subprocess.run(words, capture_output=True, text=True, timeout=60, env=environment(clock))


def environment(clock: laws.Clock) -> Mapping[str, str]:
    return os.environ | {"REVERIE_NOW": clock.now().isoformat(), "PYTHONDONTWRITEBYTECODE": "1"}


def calls(stage: Stage, call: str, also: str = "") -> int:
    """How often a whole night makes a system call."""
    with stage.copied() as workspace:
        log = workspace.root.parent / "calls"
        assert dream(workspace, EVENING, "review", traced=call, also=also, log=log).returncode == 0
        return len(re.findall(rf"\b{call}\(", log.read_text()))
