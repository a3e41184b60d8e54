"""What every command costs beside a bare Python start of the same interpreter, in the same run: CPU, and peak memory.

    python benchmarks/cost.py [--check]     --check: exit 1 where a limit is passed

Each figure is the least of several runs (other programs only ever add to it), of a process of its own.
"""

from __future__ import annotations

import compileall
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path

import reverie
from reverie.signals.journal import record
from reverie.workspace.layout import layout_of

TODAY = date(2026, 11, 15)
MAIN = "from reverie.surfaces.cli import main; main()"
TOPICS = ["valve", "invoice", "harbour", "garden", "router", "lesson", "customer", "kiln", "tax", "bicycle"]


def main(words: Sequence[str]) -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a machine in use has its bytecode
    compileall.compile_dir(Path(reverie.__file__).parent, quiet=1)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        os.environ |= {"XDG_CACHE_HOME": f"{folder}/cache", "XDG_STATE_HOME": f"{folder}/state", "HOME": folder}
        year, decade = Path(folder, "year"), Path(folder, "decade")
        build(year, 365)
        build(decade, 3_650)
        dream(decade, "review")
        bare = least(lambda: spend([sys.executable, "-c", "pass"]), 15)
        print(f"bare Python start: {bare[0] * 1000:.1f} ms CPU, {bare[1]:.0f} MB")
        passed = False
        for name, limit, measure in rows(year, decade, Path(folder)):
            seconds, megabytes = least(measure, 7)
            ratio = seconds / bare[0]
            passed |= ratio > limit or megabytes > 150
            print(f"{name:44} {seconds * 1000:7.1f} ms  {ratio:5.1f} bare starts (limit {limit})  {megabytes:4.0f} MB")
        sys.exit(1 if passed and "--check" in words else 0)


def rows(year: Path, decade: Path, folder: Path) -> list[tuple[str, int, Callable[[], tuple[float, float]]]]:
    def first_night() -> tuple[float, float]:
        shutil.rmtree(folder / "copy", ignore_errors=True)
        shutil.copytree(year, folder / "copy")
        return dream(folder / "copy", "review")

    recalled = folder / "recalled"
    if not recalled.exists():
        shutil.copytree(year, recalled)
        recall(recalled)

    def new_note() -> tuple[float, float]:
        note = decade / "memory" / f"{TODAY}.md"
        with open(note, "a") as file:
            file.write(f"- Decision: shelf {note.stat().st_size} holds the spare valves\n")
        return dream(decade, "review")

    return [
        ("dream --help", 4, lambda: dream(year, "--help")),
        ("dream status, 365 notes", 5, lambda: dream(year, "status")),
        ("dream status, 3,650 notes", 5, lambda: dream(decade, "status")),
        ("night with nothing new, 3,650 notes", 15, lambda: dream(decade, "review")),
        ("night with one new note, 3,650 notes", 20, new_note),
        ("first night, 365 notes", 30, first_night),
        ("promote, 365 notes, 5,000 recalled lines", 40, lambda: dream(recalled, "promote")),
        ("first night, 365 notes, 5,000 recalled lines", 60, lambda: dream(recalled, "review", "--dry-run")),
    ]


def dream(workspace: Path, *words: str) -> tuple[float, float]:
    return spend([sys.executable, "-c", MAIN, "--workspace", str(workspace), "--now", f"{TODAY}T03:00", *words])


def spend(command: Sequence[str]) -> tuple[float, float]:
    """CPU seconds and peak megabytes of a process."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, code, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(code)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed with {process.returncode}")
    scale = 1e6 if sys.platform == "darwin" else 1e3
    return used.ru_utime + used.ru_stime, used.ru_maxrss / scale


def least(measure: Callable[[], tuple[float, float]], times: int) -> tuple[float, float]:
    figures = [measure() for _ in range(times)]
    return min(seconds for seconds, _ in figures), max(megabytes for _, megabytes in figures)


def build(root: Path, days: int) -> None:
    """Notes of a made-up life, 24 lines a day, and a memory of 120 lines."""
    (root / "memory").mkdir(parents=True)
    lines = [f"- The {TOPICS[n % 10]} number {n} stands in room {n * 7 % 90}, since the spring\n" for n in range(120)]
    (root / "MEMORY.md").write_text("# Kim\n\n## Notes\n" + "".join(lines[:60]) + "\n## House\n" + "".join(lines[60:]))
    os.utime(root / "MEMORY.md", (1.7e9, 1.7e9))  # what was saved this very second is read again
    for n in range(days):
        day = TODAY - timedelta(days=n + 1)
        items = [f"- {10 + i // 3}:{i % 60:02} {sentence(n * 24 + i)}\n" for i in range(24)]
        text = f"# {day}\n\n## Work\n{''.join(items[:12])}\n## Home\n{''.join(items[12:])}"
        path = root / "memory" / f"{day}.md"
        path.write_text(text)
        os.utime(path, (1.7e9, 1.7e9))


def recall(root: Path) -> None:
    """5,000 lines of the notes that questions found, one in ten of them often."""
    layout, lines = layout_of(root), list[tuple[str, int, str, float]]()
    for path in sorted((root / "memory").glob("*.md")):
        texts = [
            f"{text} ({path.stem}, {n})" * text.startswith("- ") or text
            for n, text in enumerate(path.read_text().split("\n"))
        ]
        path.write_text("\n".join(texts))
        lines += [(f"memory/{path.name}", n, text[2:], 0.9) for n, text in enumerate(texts, 1) if text.startswith("- ")]
    now = datetime(TODAY.year, TODAY.month, TODAY.day)
    for days in range(1, 6):
        for n, start in enumerate(range(0, 5_000, 10)):
            if days == 1 or n % 10 == 0:
                record(layout, f"question {n} {days}", lines[-5_000:][start : start + 10], now - timedelta(days=days))


def sentence(n: int) -> str:
    topic, other = TOPICS[n % 10], TOPICS[(n // 10) % 10]
    forms = (
        f"looked after the {topic} and wrote to the man about the {other}, nothing decided",
        f"the {topic} costs {n % 97} francs now, said the letter about the {other}",
        f"heartbeat ok, {n} checks passed",
        f"walked to the {other} with Ilka, she likes the new {topic}",
    )
    return forms[n % 4]


if __name__ == "__main__":
    main(sys.argv[1:])
