"""Many nights in a row, some of them cut short: the life of `life.py`, the disasters of `power.py`, and laws after each.

`python many_nights.py ROOT CACHE NOW STEP` is one night in a process that is killed before its n-th step.
"""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))  # conftest
sys.path.insert(0, str(Path(__file__).parent))

from life import MEMORY, Life, specifics
from power import FailingDisk, Loses, PowerCut, PowerDisk, SteppedDisk

from conftest import tree
from reverie.apply.files import Disk
from reverie.core.errors import WriteFailed
from reverie.core.layout import OWN_CURSORS
from reverie.core.ports import FixedClock
from reverie.core.settings import Memory, Settings
from reverie.features.search import default_embedder
from reverie.night import commands
from reverie.text.lines import bare, split_lines
from reverie.text.markdown import parse
from reverie.text.sections import dream_section
from reverie.workspace.values import Workspace

START = datetime.fromisoformat("2026-01-01T03:00:00+01:00")
NEEDS_ROOM = ("make_folder", "create", "rename", "place", "append")
SOON = 40
STEPS_OF_A_NIGHT = 160  # about; a disaster that comes later finds a night that is over


class KilledDisk(SteppedDisk):
    """The process is killed before step `at`."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at

    def step(self, kind: str, *paths: Path) -> None:
        if len(self.took) == self.at:
            os.kill(os.getpid(), signal.SIGKILL)


def workspace_in(root: Path, cache: Path) -> Workspace:
    """A small budget, so that room runs out again and again."""
    settings = Settings(memory=Memory(truncation=4000), lock_wait=0.0)
    return Workspace(root, root / "dream-vault", settings, default_embedder(cache))


@dataclass
class Nights:
    """A workspace, its owner and the disasters of its nights; `told` counts what happened."""

    root: Path
    cache: Path
    seed: int
    kills: frozenset[int] = frozenset()  # nights on which a real process is killed
    told: Counter[str] = field(default_factory=Counter)
    entered: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.life, self.rng = Life(self.seed), random.Random(-self.seed - 1)
        self.workspace = workspace_in(self.root, self.cache)
        (self.root / "memory").mkdir(parents=True)
        (self.root / "MEMORY.md").write_text(MEMORY)

    def night(self, number: int) -> None:
        """A day, its night with or without a disaster, recovery, and every law that can be asked at once."""
        now = START + timedelta(days=number)
        day = (now - timedelta(days=1)).date()
        self._note(day, self.life.day(day))
        if number % 5 == 0:
            self._write(self.life.owner(self.memory))
        before = self.memory
        self._disaster(number, now)
        night = commands.review(self.workspace, FixedClock(now + timedelta(minutes=30)), disk=SteppedDisk(), force=True)
        self.told["runs"] += night.run is not None
        self.told["unsettled"] += sum(flag.tag == "unsettled" for flag in night.plan.flags)
        assert self._lost(before) == [], f"night {number}: {self._lost(before)}"
        self.entered |= statements(self.memory)
        self.rest(now + timedelta(minutes=40), f"night {number}")

    def rest(self, now: datetime, which: str) -> None:
        """A dream over nothing new changes no byte."""
        before = self.whole
        again = commands.review(self.workspace, FixedClock(now), disk=SteppedDisk(), force=True)
        after = self.whole
        changed = sorted(path for path in before | after if before.get(path) != after.get(path))
        assert (again.run, changed) == (None, []), f"{which}: a second dream changed {changed or again.plan.paths}"

    def undo(self, number: int) -> None:
        """One more night, and back: every byte of the owner's is as it was."""
        now = START + timedelta(days=number)
        self._note(now.date(), "- Decision: Marta paints the bow in colour RAL 3003\n")
        before = self.whole
        if commands.review(self.workspace, FixedClock(now), disk=SteppedDisk(), force=True).run:
            commands.undo(self.workspace, FixedClock(now + timedelta(hours=1)), disk=SteppedDisk())
        assert self.whole == before

    @property
    def memory(self) -> str:
        return (self.root / "MEMORY.md").read_text()

    @property
    def ledger(self) -> str:
        path = self.root / "dream-vault/ledger.md"
        return path.read_text() if path.exists() else ""

    @property
    def whole(self) -> dict[str, bytes]:
        """Every byte that is not machine state, and the cursors; what light and REM noted for later nights may grow."""
        cursors = {path: (self.root / path).read_bytes() for path in OWN_CURSORS if (self.root / path).exists()}
        return tree(self.root) | cursors

    def missing(self) -> list[str]:
        """Specifics of lines that once stood in memory and are now neither there nor in the archive."""
        kept = self.memory + self.ledger
        return sorted({one for line in self.entered for one in specifics(line) if one not in kept})

    def _note(self, day: date, text: str) -> None:
        """Written in the evening: a file of this very moment is not trusted by its time, and looked at again."""
        path = self.root / f"memory/{day}.md"
        path.write_text(text)
        evening = datetime.combine(day, datetime.min.time()).timestamp() + 72_000
        os.utime(path, (evening, evening))

    def _write(self, memory: str) -> None:
        (self.root / "MEMORY.md").write_text(memory)

    def _disaster(self, number: int, now: datetime) -> None:
        at, kind = self.rng.randrange(1, STEPS_OF_A_NIGHT), self.rng.random()
        if number in self.kills:
            at = 1 + at % SOON  # a night that has little to write is over soon
            words = [sys.executable, __file__, str(self.root), str(self.cache), now.isoformat(), str(at)]
            done = subprocess.run(words, timeout=120)
            self.told["killed" if done.returncode == -signal.SIGKILL else "too late"] += 1
        elif kind < 0.25:
            disk = PowerDisk(self.workspace, at, self.rng.choice(list(Loses)))
            try:
                self._try(now, disk)
            finally:
                disk.close()
        elif kind < 0.45:
            self._try(now, FailingDisk(errno.ENOSPC, at, NEEDS_ROOM, forever=self.rng.random() < 0.5))

    def _try(self, now: datetime, disk: Disk) -> None:
        try:
            commands.review(self.workspace, FixedClock(now), disk=disk, force=True)
        except PowerCut:
            self.told["power cut"] += 1
        except WriteFailed:
            self.told["full disk"] += 1

    def _lost(self, before: str) -> list[str]:
        """Lines that left MEMORY.md and are not in the ledger, byte for byte."""
        left = Counter(statements(before)) - Counter(statements(self.memory))
        archived = {line.removeprefix("Content: ") for line in split_lines(self.ledger)}
        kept = {bare(line) for line in archived}
        return sorted(line for line in left if line not in kept)


def statements(memory: str) -> set[str]:
    """The lines of MEMORY.md that say something; our own section names what left, and headings say nothing."""
    document = parse(memory)
    section = range(*(dream_section(document) or (0, 0)))
    return {
        bare(line)
        for n, line in enumerate(document.lines)
        if n not in section and not line.startswith("#") and line.strip()
    }


if __name__ == "__main__":
    root, cache, now, at = sys.argv[1:]
    clock = FixedClock(datetime.fromisoformat(now))
    commands.review(workspace_in(Path(root), Path(cache)), clock, disk=KilledDisk(int(at)), force=True)
