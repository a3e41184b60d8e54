"""What search costs as a memory grows: notes of about 3 KB, index, update, warm and cold questions, memory, disk.

    python benchmarks/search.py [--full] [--json] [COUNT …]

30, 365 and 3,650 notes; with --full also 36,500. The notes are made up, the same on every machine: a vocabulary of
invented words used as unevenly as real ones (Zipf), names, numbers, and a Chinese line now and then. Each measurement runs
in a process of its own, in CPU seconds, because other work on the machine must not count.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from bisect import bisect
from collections.abc import Callable
from datetime import date, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any

COUNTS = (30, 365, 3_650)
FULL = 36_500
QUESTIONS = 200
DREAM = str(Path(sys.executable).with_name("dream"))
AIMS = (
    ("cold search, 3,650 notes, CPU s", 3_650, "cold", 0.5),
    ("index with vectors, 3,650 notes, CPU s", 3_650, "index", 60.0),
    ("warm p95, 36,500 notes, ms", FULL, "p95", 30.0),
)


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_HEADS = _split("b br c ch d f fl g gr h k kl l m n p pr r s sh st t tr v w z")
_MIDDLES = _split("a ai e ea i o ou u")
_TAILS = _split("ck d l ll m n nd ng r rt s st t x")
_HAN = "今天开会讨论项目进度决定周末去杭州看外婆客户要求报告使用繁体字数据库密码更换空调维修早上跑步公里办公室三楼电梯绿茶咖啡花生过敏午餐注意学校"
_NAMES = _split("Marta Elsa Jonas Kim Weber Okafor Lindqvist Tanaka Moreau Silva Novak Haddad Björk Nguyen Costa Rossi")
_GLUE = _split("the of to and in for with on is was will from at by that it we about after before")


class Words:
    """Invented words, used as unevenly as people use theirs."""

    def __init__(self, seed: int, size: int = 6_000) -> None:
        self.random = random.Random(seed)
        made = random.Random(1)
        words = dict.fromkeys(
            "".join(made.choice(_HEADS) + made.choice(_MIDDLES) for _ in range(made.randint(1, 2)))
            + made.choice(_TAILS)
            for _ in range(size * 2)
        )
        self.words = list(words)[:size]
        self.weights = list(accumulate(1 / (rank + 8) for rank in range(len(self.words))))

    def word(self) -> str:
        at = self.random.random() * self.weights[-1]
        return self.words[min(bisect(self.weights, at), len(self.words) - 1)]

    def line(self) -> str:
        if self.random.random() < 0.06:
            return "".join(self.random.choice(_HAN) for _ in range(self.random.randint(12, 30)))
        said = [
            self.random.choice(_GLUE) if self.random.random() < 0.35 else self.word()
            for _ in range(self.random.randint(9, 18))
        ]
        if self.random.random() < 0.4:
            said.insert(self.random.randrange(len(said)), self.random.choice(_NAMES))
        if self.random.random() < 0.4:
            said.insert(self.random.randrange(len(said)), str(self.random.randint(2, 9_999)))
        return " ".join(said)

    def note(self, day: date) -> str:
        lines = [f"# {day}", ""]
        for number in range(34):
            if number % 9 == 0:
                lines += [f"## {self.word().title()} {self.word()}", ""]
            lead = "  - " if number % 7 == 3 else "- "
            lines.append(lead + self.line())
        return "\n".join(lines) + "\n"


def write_notes(root: Path, count: int) -> None:
    folder = root / "memory"
    folder.mkdir(parents=True)
    words, first = Words(2026), date(2026, 11, 14) - timedelta(days=count - 1)
    for number in range(count):
        day = first + timedelta(days=number)
        (folder / f"{day}.md").write_text(words.note(day), "utf-8")
        os.utime(
            folder / f"{day}.md", (1_700_000_000 + number, 1_700_000_000 + number)
        )  # not just now: trusted at once


def questions(root: Path) -> list[str]:
    """Half of them in words of a note, half in words of anybody; some with a slip, a name, a number or in Chinese."""
    chance, words = random.Random(7), Words(99)
    notes = sorted((root / "memory").glob("*.md"))
    found = []
    for number in range(QUESTIONS):
        lines = [line for line in chance.choice(notes).read_text("utf-8").splitlines() if line.startswith("- ")]
        said = chance.choice(lines)[2:].split()
        if len(said) == 1:
            found.append(said[0][: chance.randint(1, 4)])
        elif number % 2:
            found.append(" ".join(chance.sample(said, min(len(said), chance.randint(2, 5)))))
        else:
            found.append(" ".join([chance.choice(_NAMES), *[words.word() for _ in range(chance.randint(1, 4))]]))
        if number % 10 == 0 and len(found[-1]) > 6:
            found[-1] = found[-1][:3] + found[-1][4:]
    return found


def child(what: str, root: Path, cache: Path) -> dict[str, float]:
    """One measurement in a process of its own."""
    done = subprocess.run([sys.executable, __file__, "--child", what, root, cache], stdout=subprocess.PIPE, check=True)
    value = json.loads(done.stdout)
    assert isinstance(value, dict)
    return value


def measure(count: int, cache: Path) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "workspace"
        write_notes(root, count)
        size = sum(path.stat().st_size for path in (root / "memory").glob("*.md")) / count
        index = child("index", root, cache)
        new = date(2026, 11, 15)
        (root / f"memory/{new}.md").write_text(Words(3).note(new), "utf-8")
        os.utime(root / f"memory/{new}.md", (1_700_900_000, 1_700_900_000))
        update = child("update", root, cache)
        warm = child("warm", root, cache)
        cold = min(cold_cpu(root, cache) for _ in range(3))
        disk = sum(path.stat().st_size for path in (root / "memory/.dreams").rglob("*") if path.is_file())
        return {
            "notes": count, "claims": index["claims"], "note_kb": size / 1024, "index": index["cpu"], "index_mb": index["peak"],
            "update": update["cpu"], "p50": warm["p50"], "p95": warm["p95"], "pause": warm["pause"], "warm_mb": warm["peak"], "cold": cold,
            "disk_mb": disk / 1e6,
        }  # fmt: skip


def cold_cpu(root: Path, cache: Path) -> float:
    env = {**os.environ, "XDG_CACHE_HOME": str(cache.parent), "HOME": str(root.parent)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [DREAM, "search", "meeting Marta", "--workspace", root], env=env, stdout=subprocess.DEVNULL, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _inside(what: str, root: Path, cache: Path) -> dict[str, float]:
    """What runs inside the child."""
    from reverie.core.ports import fixed
    from reverie.features import search
    from reverie.workspace.values import Workspace

    workspace, embedder = Workspace(root, root / "dream-vault"), search.default_embedder(cache)
    embedder.embed(["warm"])
    clock = fixed("2026-11-15T03:00:00+01:00")
    result: dict[str, float] = {}
    if what == "warm":
        asked = questions(root)
        search.ask(workspace, embedder, clock, "first", record=False)
        times = sorted(_timed(lambda q=q: search.ask(workspace, embedder, clock, q, record=False)) for q in asked)  # type: ignore[misc]
        result = {"p50": times[len(times) // 2] * 1000, "p95": times[int(len(times) * 0.95)] * 1000}
        result["pause"] = 1000 * min(_after_a_pause(workspace, embedder, clock, question) for question in asked[:3])
    else:
        holder: dict[str, Any] = {}
        result["cpu"] = _timed(lambda: holder.update(done=search.reindex(workspace, embedder)))
        result["claims"] = holder["done"].claims
    return {**result, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def _after_a_pause(workspace: Any, embedder: Any, clock: Any, question: str) -> float:
    """A question so long after the last one that every file is looked at again."""
    from reverie.features import search
    from reverie.workspace.reader import AGAIN

    time.sleep(AGAIN + 0.1)
    return _timed(lambda: search.ask(workspace, embedder, clock, question, record=False))


def _timed(work: Callable[[], object]) -> float:
    before = time.process_time()
    work()
    return time.process_time() - before


COLUMNS = (
    ("notes", "notes", "{:,.0f}"), ("lines", "claims", "{:,.0f}"), ("index s", "index", "{:.2f}"), ("+1 note ms", "update", "{:.0f}"),
    ("warm p50 ms", "p50", "{:.1f}"), ("warm p95 ms", "p95", "{:.1f}"), ("after a pause ms", "pause", "{:.0f}"), ("cold s", "cold", "{:.2f}"), ("index MB", "index_mb", "{:.0f}"),
    ("warm MB", "warm_mb", "{:.0f}"), ("disk MB", "disk_mb", "{:.1f}"),
)  # fmt: skip


def table(rows: list[dict[str, float]]) -> str:
    """The figures, and in brackets how many times those of 365 notes they are."""
    base = next((row for row in rows if row["notes"] == 365), rows[0])
    out = ["| " + " | ".join(name for name, _, _ in COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    for row in rows:
        cells = []
        for _, key, form in COLUMNS:
            value = row[key] * (1000 if key == "update" else 1)
            ratio = f" ({row[key] / base[key]:.1f})" if key not in ("notes", "claims") and base[key] else ""
            cells.append(form.format(value) + ratio)
        out.append("| " + " | ".join(cells) + " |")
    return "\n".join(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("counts", nargs="*", type=int, metavar="COUNT")
    parser.add_argument("--full", action="store_true", help="36,500 notes too")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "reverie"
        for count in asked.counts or (*COUNTS, *([FULL] if asked.full else [])):
            if not rows:
                write_notes(Path(folder) / "none", 1)
                child("index", Path(folder) / "none", cache)  # the tables of the embedder are made once
                shutil.rmtree(Path(folder) / "none")
            rows.append(measure(count, cache))
            print(f"{count:,} notes measured", file=sys.stderr)
    if asked.json:
        print(json.dumps(rows, indent=2))
        return
    print(table(rows))
    for name, count, key, aim in AIMS:
        for row in rows:
            if row["notes"] == count:
                print(f"{name}: {row[key]:.2f}, aim {aim:g}: {'kept' if row[key] <= aim else 'MISSED'}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(_inside(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))))
    else:
        main()
