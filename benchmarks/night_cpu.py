"""What a night costs: CPU of a first night over a workspace, of a second one over one new note, and of a night with nothing new.

    python benchmarks/night_cpu.py [--tree NAME=FOLDER ...] WORKSPACE [WORKSPACE ...]

Each night is a process of its own, `dream review`, with one thread; noise only adds, so the cheapest of three counts (`--times`).
Printed are seconds of user and system time, and multiples of a bare `python -c pass`. `--tree` measures other checkouts with the same
interpreter, one column each (`--tree 0.1=/path/to/worktree`); without it this one.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
NOTE = """# {day}

## Workshop
- Decision: from now on every delivery is booked before noon
- The new press arrived, serial label photographed
- Called the supplier, no answer
- Lena prefers tea without sugar
- Swept the floor and emptied the bins
- The spare key hangs behind the second cupboard
"""
KINDS = ("first", "one note", "nothing new")


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("workspaces", nargs="+", type=Path)
    asked.add_argument("--tree", action="append", default=[], help="NAME=FOLDER of a checkout")
    asked.add_argument("--times", type=int, default=3)
    given = asked.parse_args()
    trees = dict(one.split("=", 1) for one in given.tree) or {"now": str(HERE)}
    bare = min(cpu([sys.executable, "-c", "pass"], os.environ) for _ in range(10))
    print(f"a bare start of Python: {bare:.3f} s of CPU\n")
    print(f"| workspace | night | {' | '.join(trees)} |\n|---|---|{'---|' * len(trees)}")
    for workspace in given.workspaces:
        columns = [cheapest(workspace, Path(tree), given.times) for tree in trees.values()]
        for kind in KINDS:
            cells = [f"{one[kind]:.2f} s, {one[kind] / bare:.0f}×" for one in columns]
            print(f"| {named(workspace)} | {kind} | {' | '.join(cells)} |", flush=True)


def cheapest(workspace: Path, tree: Path, times: int) -> dict[str, float]:
    nights = [three_nights(workspace, tree) for _ in range(times)]
    return {kind: min(one[kind] for one in nights) for kind in KINDS}


def three_nights(workspace: Path, tree: Path) -> dict[str, float]:
    """Over a copy: everything that is there, then one more note, then nothing."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "workspace"
        shutil.copytree(workspace, root)
        cache = Path(tempfile.gettempdir()) / "reverie-bench"  # the embedder's tables are made once, by nobody's night
        environment = {**os.environ, "HOME": folder, "XDG_CACHE_HOME": str(cache), "PYTHONPATH": str(tree / "src"), "OPENBLAS_NUM_THREADS": "1"}  # fmt: skip
        last = last_day(root)
        first = night(root, last + timedelta(days=1), environment)
        (root / "memory" / f"{last + timedelta(days=1)}.md").write_text(
            NOTE.format(day=last + timedelta(days=1)), "utf-8"
        )
        second = night(root, last + timedelta(days=2), environment)
        return dict(zip(KINDS, (first, second, night(root, last + timedelta(days=3), environment)), strict=True))


def night(root: Path, day: date, environment: Mapping[str, str]) -> float:
    command = ["review", "--workspace", str(root), "--now", f"{day}T03:00:00", "--quiet"]
    return cpu([sys.executable, "-c", "from reverie.surfaces.cli import main; main()", *command], environment)


def last_day(root: Path) -> date:
    days = [path.stem for path in (root / "memory").glob("*.md") if re.fullmatch(r"\d{4}-\d\d-\d\d", path.stem)]
    return date.fromisoformat(max(days))


def named(workspace: Path) -> str:
    return workspace.parent.name if workspace.name == "workspace" else workspace.name


def cpu(command: list[str], environment: Mapping[str, str]) -> float:
    """Seconds of user and system time of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=dict(environment), stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
