"""A made-up life, day by day, from a seed: what its owner writes in the evening, in three languages and without order.

Facts that hold, facts that change, tasks that are finished, corrections, and the noise between them. The same seed is the
same life. `specifics` names what no night may lose: numbers, names, dates and paths.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from datetime import date

MEMORY = """# Hanne

## Current State
- [ ] find a mooring for the winter
- The shop opens at 9:00

## Stable Knowledge
- 📌 allergic to walnuts
- The workshop stands at Lindenhof 4

## Dream
"""
PEOPLE = ("Marta", "Joris", "Svenja", "Tomasz", "Oluwaseun", "小林", "陈医生", "Frau Adler")
PLACES = ("Bergen", "Thun", "Lübeck", "杭州", "Porto", "Tromsø")
# what changes: (frame of a statement, frame of the next one, values)
CHANGING = (
    ("Decision: the rent of the workshop is {} EUR a month", "The rent of the workshop is now {} EUR a month", range(800, 1400, 35)),
    ("The boiler runs at {} bar", "No, actually the boiler runs at {} bar", ("1.2", "1.5", "1.8", "2.1", "2.4")),
    ("Hanne's sister lives in {}", "Hanne's sister moved to {}", PLACES),
    ("Decision: {} keeps the books of the association", "From now on {} keeps the books of the association", PEOPLE),
    ("The backups go to /srv/backup/{}", "The backups now go to /srv/backup/{}", ("alder", "birch", "cedar", "dune", "elm")),
    ("Wir heizen die Werkstatt auf {} Grad", "Korrektur: wir heizen die Werkstatt jetzt auf {} Grad", range(16, 24)),
    ("Der Liegeplatz kostet {} Euro im Jahr", "Der Liegeplatz kostet jetzt {} Euro im Jahr", range(400, 900, 25)),
    ("决定：每周的例会在{}举行", "不对，例会改到{}举行", ("周一", "周二", "周三", "周四", "周五")),
    ("仓库的门锁编号是{}", "更正：仓库的门锁编号现在是{}", range(100, 999, 37)),
)  # fmt: skip
LASTING = (
    "{who} prefers to be written to, never phoned", "Decision: the boat is painted in colour RAL {n} from now on",
    "Lesson: always check the tide table before leaving {where}", "{who} is responsible for the customs papers in {where}",
    "The insurance number of the boat is HB-{n}-K", "{who} bevorzugt Tee ohne Zucker", "Regel: Rechnungen über {n} Euro prüft {who}",
    "经验教训：发货到{where}之前一定要核对箱号{n}", "{who}喜欢喝乌龙茶，不喝咖啡", "The design files live in ~/designs/loom-{n}",
)  # fmt: skip
NOISE = (
    "heartbeat ok {n}", "{n}:12 built the site, all green", "had soup", "rain again, {n} mm", "long call with {who}", "今天很累",
    "kurz beim Bäcker", "see https://example.org/{n}", "cron: job {n} finished", "??", "Wetter: {n} Grad, bewölkt",
)  # fmt: skip
TASKS = (
    "order {n} litres of varnish", "book the ferry to {where}", "call {who} about the lease", "den Kompressor {n} warten lassen",
    "给{who}寄样品，编号{n}",
)  # fmt: skip
_SPECIFIC = re.compile(r"[/~][\w./-]{4,}|\d{4}-\d\d-\d\d|[A-Z]{2}-\d+-[A-Z]|\d+(?:[.,]\d+)*")


@dataclass
class Life:
    """Somebody's days. Call `day` once for each, in order."""

    seed: int
    values: dict[int, str] = field(default_factory=dict)
    tasks: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    def day(self, day: date) -> str:
        """The note of one evening."""
        lines = [self._line(self.rng.random()) for _ in range(self.rng.randint(4, 9))]
        if self.told and self.rng.random() < 0.4:
            lines.append(self.rng.choice(self.told))  # said again, and not for the first time
        self.told += [line for line in lines if line not in self.told]
        bullets = [f"- {line}" for line in lines]
        middle = len(bullets) // 2
        return "\n".join([f"# {day}", "", "## Morning", *bullets[:middle], "", "## Evening", *bullets[middle:], ""])

    def owner(self, memory: str) -> str:
        """What the owner does to MEMORY.md by hand now and then: ticks a box, adds a line, says a thing twice."""
        act = self.rng.random()
        if act < 0.3 and "- [ ] " in memory:
            return memory.replace("- [ ] ", "- [x] ", 1)
        lines = memory.split("\n")
        at = next((n for n, line in enumerate(lines) if line.startswith("## Stable")), len(lines) - 1)
        if act < 0.6:
            lines.insert(at + 1, f"- {self._line(0.5)}")
        elif act < 0.8 and len(lines) > at + 2:
            lines.insert(at + 1, lines[at + 2])
        return "\n".join(lines)

    def _line(self, kind: float) -> str:
        if kind < 0.25:
            return self._changing()
        if kind < 0.55:
            return self._filled(self.rng.choice(LASTING))
        if kind < 0.65:
            self.tasks.append(self._filled(self.rng.choice(TASKS)))
            return f"[ ] {self.tasks[-1]}"
        if kind < 0.72 and self.tasks:
            return f"[x] {self.tasks.pop(self.rng.randrange(len(self.tasks)))}"
        return self._filled(self.rng.choice(NOISE))

    def _changing(self) -> str:
        which = self.rng.randrange(len(CHANGING))
        first, later, values = CHANGING[which]
        value = str(self.rng.choice(list(values)))
        frame = later if which in self.values else first
        self.values[which] = value
        return frame.format(value)

    def _filled(self, frame: str) -> str:
        return frame.format(who=self.rng.choice(PEOPLE), where=self.rng.choice(PLACES), n=self.rng.randrange(11, 9999))


def specifics(line: str) -> frozenset[str]:
    """What of a line may never be lost: numbers, dates, paths, and the names of people and places."""
    names = {name for name in (*PEOPLE, *PLACES) if name in line}
    return frozenset({*_SPECIFIC.findall(line), *names})
