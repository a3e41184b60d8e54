"""A hundred years of notes in one workspace, and two hundred workspaces in one scheduled run, beside a bare Python start.

    python benchmarks/scale.py [--check]     --check: exit 1 where a limit is passed

Each figure is the least of several processes. How fast a search over 36,500 notes is says `benchmarks/search.py speed`.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

import cost

NOTES, WORKSPACES = 36_500, 200


def main(*, check: bool) -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a machine in use has its bytecode
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        os.environ |= {"XDG_CACHE_HOME": f"{folder}/cache", "XDG_STATE_HOME": f"{folder}/state", "HOME": folder}
        bare = cost.least(lambda: cost.spend([sys.executable, "-c", "pass"]), 15)[0]
        print(f"bare Python start: {bare * 1000:.1f} ms CPU")
        rows = [*century(Path(folder, "century")), *many(Path(folder, "many"))]
    for name, (seconds, megabytes), limit in rows:
        print(f"{name:52} {seconds:6.2f} s  {seconds / bare:6.1f} bare starts (limit {limit})  {megabytes:4.0f} MB")
    sys.exit(check and any(seconds / bare > limit or megabytes > 200 for _, (seconds, megabytes), limit in rows))


def century(root: Path) -> list[tuple[str, tuple[float, float], int]]:
    cost.build(root, NOTES)
    first = cost.dream(root, "review")
    note = root / "memory" / f"{cost.TODAY}.md"

    def new_note() -> tuple[float, float]:
        with note.open("a") as file:
            file.write(f"- Decision: shelf {note.stat().st_size} holds the spare valves\n")
        return cost.dream(root, "review")

    return [
        (f"first night, {NOTES:,} notes", first, 100),
        ("night with nothing new", cost.least(lambda: cost.dream(root, "review"), 5), 40),
        ("night with one new note", cost.least(new_note, 5), 40),
    ]


def many(folder: Path) -> list[tuple[str, tuple[float, float], int]]:
    """A timer's call for all of them: first every one has a night, then none is due."""
    cost.build(folder / "w0", 30)
    roots = [folder / f"w{number}" for number in range(WORKSPACES)]
    for root in roots[1:]:
        shutil.copytree(roots[0], root)
    words = [word for root in roots for word in ("--workspace", str(root))]
    call = [sys.executable, "-c", cost.MAIN, "review", "--scheduled", "--now", f"{cost.TODAY}T03:30", *words]
    busy = cost.spend(call)
    dreamt = sum(any((root / "memory/.dreams/runs").iterdir()) for root in roots)
    return [
        (f"one call, {WORKSPACES} workspaces, {dreamt} nights", busy, WORKSPACES * 20),
        (f"one call, {WORKSPACES} workspaces, nothing due", cost.least(lambda: cost.spend(call), 3), WORKSPACES),
    ]


if __name__ == "__main__":
    main(check="--check" in sys.argv)
