"""A thousand kills over a week of nights, while two writers append and an editor saves (EXPLORE alone: it takes minutes)."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path

import laws
import pytest
from laws import EXPLORE, MORNING, review
from power import SteppedDisk
from test_crowd import lines_of, lost

from reverie.surfaces.cli import main
from reverie.workspace.layout import MEMORY

KILLS = int(os.environ.get("KILLS", "1000"))
WRITES = 'for n in $(seq 999); do echo "- Decision: $1 takes crate $n to Bern" >> "$0"; sleep 0.1; done'


@pytest.mark.skipif(not EXPLORE, reason="it takes minutes: make explore")
def test_a_thousand_kills_over_a_week_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    layout, rng, killed = laws.first_night(tmp_path).layout, random.Random(34), 0
    (layout.root / "reverie.toml").write_text("[dream]\nbrake = 1.0\n")
    memory, wishes = layout.root / MEMORY, Counter(lines_of(layout))
    for night in range(1, 8):
        now, takes = MORNING + timedelta(days=night), 0.0
        note = layout.root / f"memory/{now:%Y-%m-%d}.md"
        writers = [subprocess.Popen(["sh", "-c", WRITES, note, f"{name}{night}"]) for name in ("Mara", "Jan")]
        while killed < KILLS * night / 7:
            save(memory, f"- edit {night}.{rng.random()} by hand", wishes)
            begun, child = time.monotonic(), started(layout.root, now.isoformat())
            if rng.random() > 0.03 and takes:
                time.sleep(rng.uniform(0, takes))
                os.kill(child, signal.SIGKILL)
            killed += os.waitpid(child, 0)[1] == signal.SIGKILL
            takes = takes or time.monotonic() - begun
        for writer in writers:
            writer.kill()
            writer.wait()
        review(layout, now + timedelta(hours=1), SteppedDisk())
        said = [line for line in note.read_text().split("\n") if line.startswith("- Decision")]
        assert lost(layout, wishes) == [] and len(said) == len(set(said)) and laws.leftovers(layout) == []
        assert [line for line, times in Counter(lines_of(layout)).items() if times > 1 and line in said] == []
    assert review(layout, MORNING + timedelta(days=9), SteppedDisk()).run is None


def started(root: Path, now: str) -> int:  # in a process that has loaded everything: a kill meets it at its work
    if not (child := os.fork()):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        try:
            main(["review", "-w", str(root), "--now", now])
        finally:
            os._exit(0)
    return child


def save(memory: Path, line: str, wishes: Counter[str]) -> None:
    """An editor that looks before it saves; the line twice, so that every night has work to do."""
    text, about = memory.read_text(), memory.stat()
    memory.with_name("4913~").write_text(f"{text}{line}\n{line}\n")
    if (memory.stat().st_ino, memory.stat().st_mtime_ns) == (about.st_ino, about.st_mtime_ns):
        os.replace(memory.with_name("4913~"), memory)
        wishes[line] += 2  # in memory, or in the archive
