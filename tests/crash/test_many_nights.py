"""Thirty nights of a made-up life, half of them cut short: nothing is lost, nothing is done twice, and it comes to rest."""

from __future__ import annotations

import errno
import json
import random
from collections import Counter
from datetime import date, datetime, timedelta
from pathlib import Path

import laws
import pytest
from laws import EXPLORE, archived, ledger_of, leftovers, long_term, memory_of, review, whole
from power import FailingDisk, Loses, PowerCut, PowerDisk, SteppedDisk
from test_full_disk import NEEDS_ROOM
from test_kill import killed

from reverie.archive.ledger import read_blocks
from reverie.errors import WriteFailed
from reverie.store.disk import Disk
from reverie.workspace.layout import MEMORY

NIGHTS = 90 if EXPLORE else 30
KILLS = frozenset({3, 11, 19, 27})
START = datetime(2026, 1, 1, 3)
OPENING = """# Hanne

## Current State
- [ ] find a mooring for the winter
- The shop opens at 9:00

## Stable Knowledge
- 📌 allergic to walnuts
- The workshop stands at Lindenhof 4

## Dream
"""
WHO, WHERE = (
    ("Marta", "Joris", "Svenja", "小林", "陈医生", "Frau Adler"),
    ("Bergen", "Thun", "Lübeck", "杭州", "Tromsø"),
)
WHAT = (
    "boiler",
    "keel",
    "mast",
    "crane",
    "winch",
    "lathe",
    "kiln",
    "pump",
    "forge",
    "sail",
    "rudder",
    "anchor",
    "stove",
)
SAID = (
    "Decision: the {what} goes to {where} with {who} from now on", "Rule: {who} checks the {what} before {where}",
    "Lesson: never lend the {what} to {who}, it came back from {where} broken", "决定：{who}在{where}管理{what}的维修",
    "Decision: the {what} is painted in RAL {n}", "{what} number: {n}, from {who}", "Regel: {who} prüft {what} und {where}",
    "Decision: the {what} stays in {where} until {day}", "heartbeat ok {n}", "had soup", "rain again, {n} mm",
)  # fmt: skip


class Nights:
    """A workspace, its owner and the disasters of its nights; `happened` counts them."""

    def __init__(self, tmp_path: Path, seed: int) -> None:
        self.rng = random.Random(seed)
        settings = "[memory]\nlimit = 2000\n[dream]\nbrake = 1.0\nmost_asked = 0\n"
        self.layout = laws.staged(tmp_path, {MEMORY: OPENING, "reverie.toml": settings, "memory/x.txt": ""}).layout
        self.memory = self.layout.root / MEMORY
        self.happened: Counter[str] = Counter()

    def night(self, number: int) -> None:
        """A day, its night with or without a disaster, recovery, and every law that can be asked at once."""
        now = START + timedelta(days=number)
        self.day(now.date() - timedelta(days=1))
        if number % 3 == 0:
            self.memory.write_text(self.by_hand(self.memory.read_text()))
        earlier, kept, ledger = memory_of(self.layout), archived(self.layout), ledger_of(self.layout)
        self.disaster(number, now)
        done = review(self.layout, now + timedelta(minutes=30), SteppedDisk())
        self.happened["runs"] += done.run is not None

        left = long_term(earlier, self.layout) - long_term(memory_of(self.layout), self.layout)
        missing = [line for line in left - (archived(self.layout) - kept) if line and "<!-- dream:" not in line]
        assert missing == [], f"night {number}"
        assert ledger_of(self.layout).startswith(ledger)
        assert {key: data for key, data in memory_of(self.layout).items() if key != MEMORY}.items() <= earlier.items()
        assert leftovers(self.layout) == []
        self.rest(now + timedelta(minutes=40), f"night {number}")

    def rest(self, now: datetime, which: str) -> None:
        """A night over nothing new changes no byte, and the lists name what the archive holds."""
        earlier = whole(self.layout)
        again = review(self.layout, now, SteppedDisk())
        assert (again.run, laws.unlike(whole(self.layout), earlier)) == (None, []), which
        blocks = (
            {block.id for block in read_blocks(ledger_of(self.layout).decode())} if ledger_of(self.layout) else set()
        )
        index = self.layout.vault / "ledger-index.json"
        assert {record["id"] for record in json.loads(index.read_bytes() if index.exists() else b"[]")} == blocks, which

    def undo(self, number: int) -> None:
        """One more night, and back: every byte of the owner's is as it was."""
        now = START + timedelta(days=number)
        (self.layout.root / f"memory/{now.date()}.md").write_text("- Decision: the bow is painted in RAL 3003\n")
        earlier = memory_of(self.layout)
        assert review(self.layout, now, SteppedDisk()).run
        assert memory_of(self.layout) != earlier
        laws.undo(self.layout, now + timedelta(hours=1), SteppedDisk())
        assert memory_of(self.layout) == earlier

    def day(self, day: date) -> None:
        lines = [f"- {self.line(day)}" for _ in range(self.rng.randint(4, 9))]
        (self.layout.root / f"memory/{day}.md").write_text("\n".join([f"# {day}", "", "## Evening", *lines, ""]))

    def line(self, day: date) -> str:
        rng, until = self.rng, day + timedelta(days=self.rng.randint(1, 20))
        words = {
            "who": rng.choice(WHO),
            "where": rng.choice(WHERE),
            "what": rng.choice(WHAT),
            "n": rng.randrange(11, 99),
        }
        return rng.choice(SAID).format(**words, day=until)

    def by_hand(self, memory: str) -> str:
        """What the owner does to MEMORY.md now and then: ticks a box, opens one, adds a line, says a thing twice."""
        act = self.rng.random()
        if act < 0.25:
            return memory.replace("- [ ] ", "- [x] ", 1)
        lines = memory.split("\n")
        at = next(n for n, line in enumerate(lines) if line.startswith("## Stable")) + 1
        if act < 0.5:
            at = lines.index("## Current State") + 1
            return "\n".join([*lines[:at], f"- [ ] order {self.rng.randrange(99)} litres of varnish", *lines[at:]])
        return "\n".join([*lines[:at], lines[at] if act < 0.75 else f"- {self.line(date(2026, 1, 1))}", *lines[at:]])

    def disaster(self, number: int, now: datetime) -> None:
        at, kind = self.rng.randrange(1, 45), self.rng.random()
        if number in KILLS:
            self.happened["killed"] += killed(self.layout, 1 + at % 20, now) < 0
        elif kind < 0.35:
            disk = PowerDisk(self.layout, at, self.rng.choice(list(Loses)))
            self.attempt(now, disk)
            disk.close()
        elif kind < 0.6:
            self.attempt(now, FailingDisk(errno.ENOSPC, at, NEEDS_ROOM, forever=self.rng.random() < 0.5))

    def attempt(self, now: datetime, disk: Disk) -> None:
        try:
            review(self.layout, now, disk)
        except PowerCut:
            self.happened["power cut"] += 1
        except WriteFailed:
            self.happened["full disk"] += 1


@pytest.mark.parametrize("seed", range(25) if EXPLORE else (5, 7))
def test_many_nights_with_cuts_kills_and_full_disks_lose_nothing_and_come_to_rest(tmp_path: Path, seed: int) -> None:
    nights = Nights(tmp_path, seed)
    for number in range(1, NIGHTS + 1):
        nights.night(number)

    assert min(nights.happened[kind] for kind in ("killed", "power cut", "full disk")) > 0, nights.happened
    assert len(archived(nights.layout)) > 60
    for late in range(1, 4):  # nobody writes any more
        review(nights.layout, START + timedelta(days=NIGHTS + late), SteppedDisk())
        nights.rest(START + timedelta(days=NIGHTS + late, hours=1), f"quiet night {late}")
    nights.undo(NIGHTS + 4)


def test_a_second_night_asks_nothing_again_although_the_first_moved_the_lines(tmp_path: Path) -> None:
    """More than the brake lets through waits as cards; a new line above them moves what they are about."""
    chores = laws.FILES[MEMORY] + "\n## Chores\n- [x] sweep\n- [x] polish\n- [ ] oil\n"
    stage = laws.staged(tmp_path, laws.FILES | {MEMORY: chores, "reverie.toml": "[dream]\nbrake = 0.01\n"})
    with stage.copied() as layout:
        first = review(layout, laws.EVENING, SteppedDisk())
        assert first.plan.waiting
        assert first.plan.splices
        assert review(layout, laws.MORNING, SteppedDisk()).run is None


def test_a_memory_over_its_limit_whose_list_of_what_left_is_still_empty_gets_its_night(tmp_path: Path) -> None:
    memory = "## Tasks\n- [x] a\n- [ ] b\n\n## Facts\n" + "- 📌 stays for ever\n" * 10 + "\n## Dream\n"
    stage = laws.staged(tmp_path, {MEMORY: memory, "reverie.toml": "[memory]\nlimit = 200\n", "memory/x.txt": ""})
    with stage.copied() as layout:
        assert review(layout, laws.EVENING, SteppedDisk()).run
        assert "- [x] a" in archived(layout)
