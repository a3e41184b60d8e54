"""Many processes at once: forty dreams while the owner's programs write, and a lock that nobody can steal."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import laws
import pytest
from test_kill import CHILD, DREAM, dream

from reverie.apply.lock import held
from reverie.core.errors import Busy
from reverie.workspace.values import Workspace

APPENDS = """
import sys, time
for n in range(150):
    for line in (f"- thought {n} came up\\n", "- likes tea\\n"):  # and a duplicate, so that there is always work to do
        with open(sys.argv[1], "a") as file:
            file.write(line)
        time.sleep(0.02)
"""
HOLDS = """
import sys, time
from pathlib import Path
from reverie.apply.lock import held
with held(Path(sys.argv[1]), "review", "2026-11-15T03:00:00+01:00", 0.0):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with laws.first_night(tmp_path).copied() as workspace:
        yield workspace


def test_forty_dreams_at_once_lose_no_line_that_somebody_appends_meanwhile(workspace: Workspace) -> None:
    (workspace.root / "reverie.toml").unlink()
    memory = workspace.root / "MEMORY.md"
    wishes = Counter(memory.read_text().splitlines(keepends=True))
    thoughts = Counter(f"- thought {n} came up\n" for n in range(150))

    writer = subprocess.Popen([sys.executable, "-c", APPENDS, memory])
    with ThreadPoolExecutor(16) as crowd:
        codes = Counter(crowd.map(lambda _: dream(workspace, laws.EVENING, "review").returncode, range(40)))
    assert writer.wait(timeout=60) == 0
    assert dream(workspace, laws.MORNING, "review").returncode == 0

    assert set(codes) <= {0, 3, 6}
    assert codes[0] > 0
    assert lost(workspace, wishes) == []
    assert Counter(line for line in held_by(workspace).elements() if line in thoughts) == thoughts
    assert laws.leftovers(workspace) == []


def test_dreams_and_an_editor_that_saves_by_renaming_lose_no_line(workspace: Workspace) -> None:
    (workspace.root / "reverie.toml").unlink()
    memory = workspace.root / "MEMORY.md"
    wishes = Counter(memory.read_text().splitlines(keepends=True))
    running = [start(workspace) for _ in range(6)]

    for n in range(12):  # an editor that looks before it saves, as good ones do
        seen, about = memory.read_text(), memory.stat()
        line = f"- edit {n} by hand\n"
        memory.with_name("4913~").write_text(seen + line + line)
        if (memory.stat().st_ino, memory.stat().st_mtime_ns) == (about.st_ino, about.st_mtime_ns):
            os.replace(memory.with_name("4913~"), memory)
            wishes[line] += 1
        running += [start(workspace)]
        time.sleep(0.15)
    codes = {process.wait(timeout=60) for process in running}
    assert dream(workspace, laws.MORNING, "review").returncode == 0

    assert codes <= {0, 3, 6}
    assert len(wishes) > 20
    assert lost(workspace, wishes) == []


def test_the_lock_of_a_killed_process_is_taken_at_once(workspace: Workspace) -> None:
    killed = subprocess.run([sys.executable, CHILD, workspace.root.parent, "workspace/dream-vault", "50"], timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert json.loads((workspace.root / "memory/.dreams/lock").read_text())["command"] == "review"

    with held(workspace.root, "undo", "now", wait=0.0):
        pass


def test_the_lock_of_a_living_process_is_never_stolen(workspace: Workspace) -> None:
    settings = Path(os.environ["HOME"], ".config", "reverie", "reverie.toml")
    settings.write_text(
        'lock_wait = 0.2\n[search]\nembedder = "off"\n[diary]\nenabled = false\n[storage]\ndream_log = false\n'
    )
    before = laws.whole(workspace)

    with held_elsewhere(workspace) as holder:
        began = time.monotonic()
        for command in ("review", "undo", "init"):
            refused = dream(workspace, laws.EVENING, command)
            assert refused.returncode == 6
            assert f"is held by `dream review` (process {holder} on " in refused.stderr
        assert time.monotonic() - began < 10
        assert laws.whole(workspace) == before

    assert dream(workspace, laws.EVENING, "review").returncode == 0


def test_a_dream_that_waits_gets_its_turn(workspace: Workspace) -> None:
    with held(workspace.root, "plan", "now", wait=0.0):
        waiting = start(workspace)
        time.sleep(0.5)
        assert waiting.poll() is None
    assert waiting.wait(timeout=30) == 0


def test_a_lock_that_is_held_by_this_very_process_is_respected_too(workspace: Workspace) -> None:
    with (
        held(workspace.root, "review", "now", wait=0.0),
        pytest.raises(Busy, match=f"process {os.getpid()} on"),
        held(workspace.root, "undo", "now", wait=0.0),
    ):
        raise AssertionError("two dreams in one workspace")


@contextmanager
def held_elsewhere(workspace: Workspace) -> Iterator[int]:
    """Another process holds the workspace until it is killed."""
    with subprocess.Popen([sys.executable, "-c", HOLDS, workspace.root], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        try:
            assert holder.stdout.readline() == "held\n"
            yield holder.pid
        finally:
            holder.kill()


def start(workspace: Workspace) -> subprocess.Popen[bytes]:
    return subprocess.Popen([DREAM, "review", "--quiet", "--workspace", workspace.root], stderr=subprocess.DEVNULL)


def lost(workspace: Workspace, wishes: Counter[str]) -> list[str]:
    """Lines that stand neither in MEMORY.md nor in the ledger as often as somebody wrote them."""
    return [line for line in wishes - held_by(workspace) if line.strip()]


def held_by(workspace: Workspace) -> Counter[str]:
    """The lines of MEMORY.md and of the ledger together."""
    memory, ledger = workspace.root / "MEMORY.md", workspace.vault / "ledger.md"
    kept = [line.removeprefix("Content: ") for line in ledger.read_text().splitlines(keepends=True)]
    return Counter(memory.read_text().splitlines(keepends=True)) + Counter(kept)
