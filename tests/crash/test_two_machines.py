"""Clocks that jump, time zones that change, and two machines on one folder that some program keeps in step."""

from __future__ import annotations

import os
import random
import subprocess
from collections import Counter
from datetime import timedelta
from pathlib import Path

import laws
import pytest
from laws import EXPLORE, MORNING, review
from power import SteppedDisk
from test_crowd import lines_of, lost
from test_kill import DREAM

from reverie.workspace.layout import MEMORY

CRATE = "- Decision: crate {} goes to Bern\n"
Files = dict[str, bytes]


@pytest.mark.parametrize("seed", range(40 if EXPLORE else 6))
def test_two_machines_that_dream_on_a_synced_folder_lose_no_line(tmp_path: Path, seed: int) -> None:
    chance, stage = random.Random(seed), laws.first_night(tmp_path)
    (stage.layout.root / "reverie.toml").write_text("[dream]\nbrake = 1.0\n")
    with stage.copied() as here, stage.copied() as there:
        both, wishes, known = (here, there), Counter(lines_of(here)), files_of(here.root)
        for night in range(4):
            for number, layout in enumerate(both if chance.random() < 0.7 else both[:1]):
                with (layout.root / f"memory/2026-11-{16 + night}-{number}.md").open("a") as note:
                    note.write(CRATE.format(f"{night}{number}"))
                wishes[CRATE.format(f"{night}{number}").strip()] += 1
                review(layout, MORNING + timedelta(days=night, minutes=chance.randrange(90)), SteppedDisk())
            known = synced(here.root, there.root, known, chance)
        for layout in both:
            assert review(layout, MORNING + timedelta(days=9), SteppedDisk()).notices == ()
            copies = [path.read_text() for path in layout.root.rglob("*conflict*") if path.suffix == ".md"]
            assert [line for line in lost(layout, wishes) if not any(line[2:] in text for text in copies)] == []
            assert [line for line, times in Counter(lines_of(layout)).items() if times > 1] == []
            assert laws.leftovers(layout) == []


def files_of(root: Path) -> Files:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def synced(here: Path, there: Path, known: Files, chance: random.Random) -> Files:
    """What changed on one side goes to the other; of what changed on both one wins, and the other is kept beside it."""
    ours, theirs = files_of(here), files_of(there)
    for name in {*ours, *theirs, *known}:
        mine, yours, before = ours.get(name), theirs.get(name), known.get(name)
        if mine == yours:
            continue
        wins, loses = (mine, None) if yours == before else (yours, None) if mine == before else (mine, yours)
        wins, loses = (loses, wins) if wins and loses and chance.random() < 0.5 else (wins, loses)
        copy = str(Path(name).with_suffix(f".sync-conflict-{chance.randrange(10**6)}{Path(name).suffix}"))
        for root in (here, there):
            for path, data in ((root / name, wins), (root / copy, loses)):
                if data is not None:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(data)
            if wins is None:
                (root / name).unlink(missing_ok=True)
    return files_of(here)


def test_a_clock_that_jumps_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    chance, stage = random.Random(34), laws.later_night(tmp_path)
    with stage.copied() as layout:
        wishes = Counter(line for line in lines_of(layout) if "<!-- dream:" not in line) + laws.archived(layout)
        for night in range(30 if EXPLORE else 8):
            now = MORNING + timedelta(days=chance.choice([-20_000, -365, -1, 1, 30, 365, 20_000]), hours=night)
            line = f"- [x] shipped number {night} on {now:%Y-%m-%d}\n"
            with (layout.root / MEMORY).open("a") as memory:
                memory.write(line)
            wishes[line.strip()] += 1
            review(layout, now, SteppedDisk())
            assert lost(layout, wishes) == [] and laws.leftovers(layout) == []
        assert review(layout, now, SteppedDisk()).run is None


@pytest.mark.parametrize("zones", [("Pacific/Kiritimati", "Pacific/Pago_Pago"), ("Asia/Kathmandu", "Nowhere/Atall")])
def test_a_machine_that_travels_dreams_each_night_once(tmp_path: Path, zones: tuple[str, str]) -> None:
    with laws.first_night(tmp_path).copied() as layout:
        wishes, runs = Counter(lines_of(layout)), layout.root / "memory/.dreams/runs"
        for zone in (*zones, *zones):
            words = [*DREAM, "review", "--workspace", str(layout.root)]
            done = subprocess.run(words, env=os.environ | {"TZ": zone}, capture_output=True, text=True, timeout=60)
            assert (done.returncode, done.stderr) == (0, "")
        assert lost(layout, wishes) == [] and laws.leftovers(layout) == [] and len(list(runs.iterdir())) == 1
