"""A year of nights in an invented life: what a night costs as the year goes on, and what it leaves on the disk.

    python benchmarks/year.py [--check]     --check: exit 1 where a bar is missed

Each night is a process of its own, as a timer starts it; a day's cost is the middle one of the nine nights around it, the
oldest of which is nine nights old. The index of words is a cache outside the workspace and is not counted.
"""

from __future__ import annotations

import compileall
import json
import os
import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from statistics import median

import cost
import reverie
from reverie.signals.journal import record
from reverie.workspace.layout import layout_of

FIRST, DAYS, EARLY = date(2026, 1, 1), 365, 30
MOST_MEGABYTES, MOST_GROWTH = 6.0, 1.2
SYLLABLES = ["ba", "der", "ki", "lo", "mun", "ra", "sen", "ti", "vo", "gar", "hel", "nis", "pu", "tam", "wen"]
LINES: tuple[Callable[[Callable[[], str], int], str], ...] = (
    lambda name, n: f"Decision: {name()} {name()} the {name()} {name()} of {name()}",
    lambda name, n: f"**{name()} {name()}:** number {n}, with {name()}",
    lambda name, n: f"Lesson: never {name()} the {name()} below {n % 20} {name()}, {name()} {name()} it",
    lambda name, n: f"{name()} called about the {name()}, nothing decided, again tomorrow",
    lambda name, n: f"looked after the {name()} and wrote {n % 13} letters to {name()}",
    lambda name, n: f"{name()} {name()} the {name()} best in month {n % 12 + 1}, with little {name()}",
    lambda name, n: f"sent the {name()} of {name()} to {name()}, {n % 40} pages",
    lambda name, n: f"heartbeat ok, {n} checks passed",
)
WEIGHTS = (1, 1, 1, 8, 8, 8, 8, 4)  # two or three lines a day are worth keeping


def main(words: Sequence[str]) -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a machine in use has its bytecode
    compileall.compile_dir(Path(reverie.__file__).parent, quiet=1)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        os.environ |= {"XDG_CACHE_HOME": f"{folder}/cache", "XDG_STATE_HOME": f"{folder}/state", "HOME": folder}
        workspace, dice, nights = Path(folder, "year"), random.Random(365), list[float]()
        begin(workspace)
        for n in range(DAYS):
            day = FIRST + timedelta(days=n)
            live(workspace, day, dice)
            command = [sys.executable, "-c", cost.MAIN, "--workspace", str(workspace)]
            nights.append(cost.spend([*command, "--now", f"{day + timedelta(days=1)}T03:30", "review"])[0])
        early, late = median(nights[EARLY - 5 : EARLY + 4]), median(nights[-9:])
        state, parts = megabytes(workspace)
        print(
            f"night {EARLY}: {early * 1000:.0f} ms CPU; night {DAYS}: {late * 1000:.0f} ms, {late / early:.2f} times as much"
        )
        print(f"state after {DAYS} nights: {state:.2f} MB ({', '.join(parts)})")
        missed = late > MOST_GROWTH * early or state > MOST_MEGABYTES
        print(f"bars: {MOST_GROWTH} times, {MOST_MEGABYTES} MB: {'missed' if missed else 'kept'}")
        sys.exit(1 if missed and "--check" in words else 0)


def begin(root: Path) -> None:
    (root / "memory/self-improving").mkdir(parents=True)
    facts = "".join(
        f"- the {place} {n} keeps its books in room {n % 90}, behind the blue door\n"
        for n, place in enumerate(SYLLABLES * 14)
    )
    sections = ("## Current State\n", f"## Stable Knowledge\n{facts}", "## Relationships & Context\n", "## Dream\n")
    (root / "MEMORY.md").write_text("\n".join(sections))  # full from the start: only the past grows


def live(root: Path, day: date, dice: random.Random) -> None:
    """A day: a note of 24 lines, a log of mistakes, three questions, and now and then a task that is done."""

    def name() -> str:
        return "".join(dice.choices(SYLLABLES, k=3))

    items = [
        f"- {8 + n // 2}:{dice.randrange(60):02} {dice.choices(LINES, WEIGHTS)[0](name, day.toordinal() * 24 + n)}"
        for n in range(24)
    ]
    (root / f"memory/{day}.md").write_text(f"# {day}\n\n" + "\n".join(items) + "\n")
    with open(root / "memory/self-improving/errors.jsonl", "a") as log:
        words = f"form {dice.randrange(300)} wants the day first"
        log.write(json.dumps({"date": str(day), "type": "error", "text": words}) + "\n")
    for n in dice.sample(range(20), 3):
        hits = [(f"memory/{day}.md", at, items[at - 3][2:], 0.9) for at in range(n + 3, n + 7)]
        record(layout_of(root), f"what about {items[n]}?", hits, datetime.combine(day, time(20)))
    if day.day % 3 == 0:
        memory, tasks = root / "MEMORY.md", "".join(f"- [{box}] letter to {name()}\n" for box in "xx ")
        memory.write_text(memory.read_text().replace("## Current State\n", f"## Current State\n{tasks}", 1))


def megabytes(root: Path) -> tuple[float, list[str]]:
    """What Reverie keeps beside the owner's own files, and what of it is most."""
    owned = {root / "MEMORY.md", *(root / "memory").glob("20*.md"), *(root / "memory/self-improving").glob("*.jsonl")}
    sizes: dict[str, float] = {}
    for path in (path for path in root.rglob("*") if path.is_file() and path not in owned):
        parts = path.relative_to(root).parts
        name = "/".join(parts[:-1]) or parts[0]
        sizes[name] = sizes.get(name, 0) + path.stat().st_size / 1e6
    most = sorted(sizes.items(), key=lambda pair: -pair[1])[:5]
    return sum(sizes.values()), [f"{name} {size:.2f}" for name, size in most]


if __name__ == "__main__":
    main(sys.argv[1:])
