"""Many processes at once: twenty nights while the owner's programs write, and a lock that nobody can steal."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import laws
import pytest
from laws import EVENING, MORNING, archived, review
from power import SteppedDisk
from test_kill import DREAM, dream, environment, killed

from reverie.errors import Busy
from reverie.features.note import note
from reverie.store.lock import held
from reverie.workspace.layout import LOCK, MEMORY, Layout, layout_of

APPENDS = """
import sys, time
for n in range(100):
    for line in (f"- thought {n} came up\\n", "- likes tea\\n"):  # and a copy, so that there is always work to do
        with open(sys.argv[1], "a") as file:
            file.write(line)
        time.sleep(0.02)
"""
HOLDS = """
import sys, time
from pathlib import Path
from reverie.store.lock import held
from reverie.workspace.layout import layout_of
with held(layout_of(Path(sys.argv[1])), "review", 0.0):
    print("held", flush=True)
    time.sleep(60)
"""
CHANGED, BUSY = 12, 13  # exit codes


@pytest.fixture
def layout(tmp_path: Path) -> Iterator[Layout]:
    with laws.first_night(tmp_path).copied() as layout:
        (layout.root / "reverie.toml").write_text("[dream]\nbrake = 1.0\n")
        yield layout


def test_twenty_nights_at_once_lose_no_line_that_somebody_appends_meanwhile(layout: Layout) -> None:
    wishes = Counter(lines_of(layout))
    thoughts = Counter(f"- thought {n} came up" for n in range(100))

    writer = subprocess.Popen([sys.executable, "-c", APPENDS, layout.root / MEMORY])
    with ThreadPoolExecutor(8) as crowd:
        codes = Counter(crowd.map(lambda _: dream(layout, EVENING, "review").returncode, range(20)))
    assert writer.wait(timeout=60) == 0
    review(layout, MORNING, SteppedDisk())

    assert set(codes) <= {0, CHANGED, BUSY}
    assert codes[0] > 0
    assert lost(layout, wishes) == []
    assert Counter(line for line in held_by(layout).elements() if line in thoughts) == thoughts
    assert laws.leftovers(layout) == []


def test_nights_and_an_editor_that_saves_by_renaming_lose_no_line(layout: Layout) -> None:
    memory, wishes = layout.root / MEMORY, Counter(lines_of(layout))
    running = [started(layout) for _ in range(3)]

    for n in range(12):  # an editor that looks before it saves, as good ones do
        text, about = memory.read_text(), memory.stat()
        line = f"- edit {n} by hand"
        memory.with_name("4913~").write_text(f"{text}{line}\n{line}\n")
        if (memory.stat().st_ino, memory.stat().st_mtime_ns) == (about.st_ino, about.st_mtime_ns):
            os.replace(memory.with_name("4913~"), memory)
            wishes[line] += 1
        running += [started(layout)] if n % 2 else []
        time.sleep(0.1)
    codes = {process.wait(timeout=60) for process in running}
    review(layout, MORNING, SteppedDisk())

    assert codes <= {0, CHANGED, BUSY}
    assert sum(line.startswith("- edit") for line in wishes) > 6
    assert lost(layout, wishes) == []


def test_the_lock_of_a_killed_process_is_taken_at_once(layout: Layout) -> None:
    assert killed(layout, 15) < 0
    assert '"review"' in layout.real(LOCK).read_text()

    with held(layout, "undo", wait=0.0):
        pass


def test_the_lock_of_a_living_process_is_never_stolen(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reverie.store.journal.held", lambda layout, command, _: held(layout, command, 0.1))
    with subprocess.Popen([sys.executable, "-c", HOLDS, layout.root], stdout=subprocess.PIPE, text=True) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "held\n"
            earlier = laws.whole(layout)
            for act in (review, laws.undo, laws.init):
                with pytest.raises(Busy, match=rf"held by `dream review` \(process {holder.pid} since "):
                    act(layout, EVENING, SteppedDisk())
            assert laws.whole(layout) == earlier

            noted = note(layout, EVENING, "the keel is mended")  # a note is never refused
            assert noted.line in (layout.root / noted.path).read_text()
        finally:
            holder.kill()
    assert review(layout, EVENING, SteppedDisk()).run


def test_a_lock_that_is_held_by_this_very_process_is_respected_too(layout: Layout) -> None:
    again = layout_of(layout.root)
    with (
        held(layout, "review", wait=0.0),
        pytest.raises(Busy, match=f"process {os.getpid()} since"),
        held(again, "undo", wait=0.0),
    ):
        raise AssertionError("two commands in one workspace")


def started(layout: Layout) -> subprocess.Popen[bytes]:
    words: list[str | Path] = [*DREAM, "review", "--workspace", layout.root]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(EVENING))


def lines_of(layout: Layout) -> list[str]:
    return [line for line in (layout.root / MEMORY).read_text().splitlines() if line.strip()]


def held_by(layout: Layout) -> Counter[str]:
    """The lines of MEMORY.md and of the ledger together."""
    return Counter(lines_of(layout)) + archived(layout)


def lost(layout: Layout, wishes: Counter[str]) -> list[str]:
    """Lines that stand neither in MEMORY.md nor in the ledger as often as somebody wrote them."""
    return sorted(wishes - held_by(layout))
