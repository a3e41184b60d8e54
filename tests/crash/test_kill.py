"""Real processes, really killed: kill -9 between two steps, and (with strace) at the door of a system call."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import laws
import pytest
from laws import EVENING, EXPLORE, MORNING, Stage, hold, review, whole

from reverie.workspace.layout import Layout

DREAM = [sys.executable, "-c", "from reverie.surfaces.cli import main; main()"]
STRACE = shutil.which("strace") or ""
needs_strace = pytest.mark.skipif(not STRACE, reason="strace is not installed: system calls cannot be made to fail")
WITHOUT = "renameat2:error=ENOSYS"


def killed(layout: Layout, at: int, now: datetime = EVENING) -> int:
    """A night in a process of its own, killed before a step."""
    words: list[str | Path] = [
        sys.executable,
        Path(__file__).with_name("laws.py"),
        layout.root,
        layout.vault,
        now.isoformat(),
        str(at),
    ]
    return subprocess.run(words, timeout=60).returncode


def dream(
    layout: Layout, now: datetime, command: str, *faults: str, log: str = os.devnull
) -> subprocess.CompletedProcess[str]:
    """Run the real command; under strace, if system calls are to be counted or spoiled."""
    words: list[str | Path] = [*DREAM, command, "--workspace", layout.root]
    if faults := tuple(filter(None, faults)):
        watched = ",".join(fault.partition(":")[0] for fault in faults)
        injected = [word for fault in faults if ":" in fault for word in ("-e", f"inject={fault}")]
        words = [STRACE, "-f", "-qq", "-o", log, "-e", f"trace={watched}", *injected, *words]
    return subprocess.run(words, capture_output=True, text=True, timeout=60, env=environment(now))


def environment(now: datetime) -> dict[str, str]:
    return os.environ | {"REVERIE_NOW": now.isoformat(), "PYTHONDONTWRITEBYTECODE": "1"}


def calls(stage: Stage, call: str, also: str = "") -> int:
    """How often a whole night makes a system call."""
    with stage.copied() as layout:
        log = layout.root.parent / "calls"
        assert dream(layout, EVENING, "review", call, also, log=str(log)).returncode == 0
        return len(re.findall(rf"\b(?:{call.replace(',', '|')})\(", log.read_text()))


def test_a_process_that_is_killed_between_two_steps_loses_nothing(tmp_path: Path) -> None:
    stage = laws.topic_night(tmp_path)
    earlier, nights = laws.before(stage), laws.undisturbed(stage, review)
    steps = laws.steps_of(stage)
    decided = next(n for n, step in enumerate(steps, 1) if step.startswith("rename .0001-review.commit"))
    for at in sorted({*range(3, len(steps), 1 if EXPLORE else 24), decided, decided + 1}):
        with stage.copied() as layout:
            assert killed(layout, at) == -signal.SIGKILL
            print(f"killed before step {at}: {steps[at - 1]}")
            hold(layout, earlier, nights)


@needs_strace
@pytest.mark.parametrize(
    ("prepare", "call", "still"),
    [
        (laws.first_night, "fsync", ""),
        (laws.no_memory_yet, "linkat,link", ""),
        (laws.topic_night, "unlink", ""),
        (laws.later_night, "rename", ""),
        (laws.topic_night, "renameat2", ""),
        (laws.topic_night, "rename", WITHOUT),
        (laws.topic_night, "linkat,link", WITHOUT),
    ],
)
def test_a_process_that_is_killed_at_the_door_of_a_system_call_loses_nothing(
    tmp_path: Path, prepare: Callable[[Path], Stage], call: str, still: str
) -> None:
    stage = prepare(tmp_path)
    earlier, nights = laws.before(stage), laws.undisturbed(stage, review)
    total = calls(stage, call, still)
    assert total > 0
    for number in range(total, 0, -1 if EXPLORE else -max(1, total // 2)):
        with stage.copied() as layout:
            dream(layout, EVENING, "review", f"{call}:signal=SIGKILL:when={number}", still)
            print(f"killed at {call} number {number} of {total}")
            hold(layout, earlier, nights)


@needs_strace
@pytest.mark.parametrize(
    ("call", "code", "reason"),
    [("write", "ENOSPC", "No space left on device"), ("fsync", "EIO", "Input/output error")],
)
def test_a_system_call_that_fails_is_named_in_one_sentence_and_costs_nothing(
    tmp_path: Path, call: str, code: str, reason: str
) -> None:
    stage = laws.first_night(tmp_path)
    earlier, nights = laws.before(stage), laws.undisturbed(stage, review)
    total = calls(stage, call)
    for number in range(1, total + 1, 1 if EXPLORE else 13):
        with stage.copied() as layout:
            failed = dream(layout, EVENING, "review", f"{call}:error={code}:when={number}")
            print(f"{call} failed at number {number} of {total}: {failed.stderr}")
            if failed.returncode:
                assert (failed.returncode, reason in failed.stderr) == (16, True)
                assert re.fullmatch(r"dream: [^\n]*\n", failed.stderr)
            hold(layout, earlier, nights)


def test_the_real_command_finishes_what_a_kill_left_says_so_and_takes_it_back(tmp_path: Path) -> None:
    stage = laws.later_night(tmp_path)
    earlier, nights = laws.before(stage, laws.memory_of), laws.undisturbed(stage, review)
    at = next(n for n, step in enumerate(laws.steps_of(stage), 1) if step.startswith("swap"))
    with stage.copied() as layout:
        killed(layout, at)
        again = dream(layout, MORNING, "review")
        assert (again.returncode, again.stderr) == (0, "")
        assert "Finished the run 0002-review, which a crash had interrupted." in again.stdout
        assert laws.unlike(whole(layout), *nights) == []
        assert dream(layout, MORNING, "undo").returncode == 0
        assert laws.memory_of(layout) == earlier
