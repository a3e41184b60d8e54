"""How well and how fast `dream search` answers, by words alone (and by meaning where the extra is installed).

    REVERIE_BENCH=FOLDER python benchmarks/search.py [quality] [newest] [speed] [process]

`quality` asks the questions of FOLDER/locomo_dev.json over its dialogues, a turn a line, a session a daily note: whether a
line that holds the evidence is among the first five or ten, and 1 / its rank. `process` is CPU beside a bare Python start.
"""

from __future__ import annotations

import json
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import cost
from reverie.retrieval.search import Searcher
from reverie.text.days import written
from reverie.workspace.layout import layout_of

TODAY = date(2026, 11, 15)
FACTS = "pump tax boat door dog oven roof bank tent lamp sofa bell kiln yard pipe desk gate sink drill fence".split()  # noqa: SIM905


def main(words: Sequence[str]) -> None:
    parts = {"quality": quality, "newest": newest, "speed": speed, "process": process}
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        os.environ |= {"XDG_CACHE_HOME": f"{folder}/cache", "XDG_STATE_HOME": f"{folder}/state", "HOME": folder}
        for name in words or parts:
            Path(folder, name).mkdir()
            if len(words) == 1:
                parts[name](Path(folder, name))
            else:  # of its own, so that peaks of memory are its own, too
                subprocess.run([sys.executable, __file__, name], check=True)


def quality(folder: Path) -> None:
    data = json.loads(Path(os.environ["REVERIE_BENCH"], "locomo_dev.json").read_text("utf-8"))
    for title, change in (("as asked", str), ("with one slip", slipped)):
        ranks = [rank for n, case in enumerate(data) for rank in ranks_of(case, folder / str(n), change)]
        five, ten = (sum(0 < rank <= most for rank in ranks) / len(ranks) for most in (5, 10))
        mrr = sum(1 / rank for rank in ranks if rank) / len(ranks)
        print(f"{len(ranks)} questions, {title}: R@5 {five:.3f}  R@10 {ten:.3f}  MRR {mrr:.3f}")


def ranks_of(case: dict[str, Any], root: Path, change: Any) -> Iterator[int]:
    """The rank of the first evidence for each question; 0: none of ten."""
    (root / "memory").mkdir(parents=True, exist_ok=True)
    places, talk = {}, case["conversation"]
    for number in range(1, 99):
        if turns := talk.get(f"session_{number}"):
            day = written(talk[f"session_{number}_date_time"])[0].first
            path = f"memory/{day}-{number}.md"
            lines = [f"- {turn['speaker']}: {' '.join(turn['text'].split())}\n" for turn in turns]
            places |= {f"{path}:{n}": turn["dia_id"] for n, turn in enumerate(turns, 3)}
            (root / path).write_text(f"# {talk[f'session_{number}_date_time']}\n\n{''.join(lines)}", "utf-8")
    searcher = Searcher(layout_of(root))
    for asked in case["qa"]:
        if wanted := set(re.findall(r"D\d+:\d+", " ".join(asked.get("evidence") or []))):
            hits = searcher.search(change(asked["question"]), TODAY).hits
            yield next((rank for rank, hit in enumerate(hits, 1) if places.get(hit.place) in wanted), 0)


def slipped(question: str) -> str:
    """The question with a slip of a finger in one of its longer words."""
    chance = random.Random(question)
    word = chance.choice([*re.finditer(r"[A-Za-z]{5,}", question)] or [*re.finditer(r"\w+", question)])
    at = chance.randrange(word.start() + 1, word.end() - 1) if len(word[0]) > 2 else word.start()
    letter = chance.choice("etaoinshrdlu")
    swap = question[at + 1 : at + 2] + question[at]
    kinds = [(letter, 1), (letter + question[at], 1), ("", 1), (swap, 2)]
    new, gone = chance.choice(kinds)
    return question[:at] + new + question[at + gone :]


def newest(folder: Path) -> None:
    """Facts told anew later, two forms of twenty, among ordinary notes."""
    cost.build(folder, 365)
    for n, thing in enumerate(FACTS):
        for days, value in ((200 - n, 12 + n), (100 - n, 400 + n), (50 - n // 2, 77 + n)):
            note = folder / "memory" / f"{TODAY - timedelta(days=days)}.md"
            with open(note, "a") as file:
                file.write(f"- {thing.title()} code: series {value}\n- the {thing} needs {value} screws of brass\n")
    searcher = Searcher(layout_of(folder))
    questions = [(f"what is the code of the {thing}?", 77 + n) for n, thing in enumerate(FACTS)]
    questions += [(f"how many screws does the {thing} need?", 77 + n) for n, thing in enumerate(FACTS)]
    firsts = [searcher.search(question, TODAY).hits[0].text for question, _ in questions]
    right = sum(str(value) in text for text, (_, value) in zip(firsts, questions, strict=True))
    print(f"newest version of a fact first: {right} of {len(questions)}")


def speed(folder: Path) -> None:
    for days in (3_650, 36_500):
        root = folder / str(days)
        cost.build(root, days)
        begun, searcher = time.process_time(), Searcher(layout_of(root))
        searcher.search("valve", TODAY)
        built, times = time.process_time() - begun, list[float]()
        for n in range(300):
            begun = time.perf_counter()
            searcher.search(question_of(n), TODAY)
            times.append((time.perf_counter() - begun) * 1000)
        p50, p95 = statistics.median(times), sorted(times)[int(len(times) * 0.95)]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
        size = layout_of(root).cache.stat().st_size / 1e6
        print(
            f"{days:,} notes: p50 {p50:.1f} ms, p95 {p95:.1f} ms, index built in {built:.1f} s CPU, {size:.0f} MB on disk, peak {peak:.0f} MB"
        )


def question_of(n: int) -> str:
    """Questions of rare words, of common ones, of both, with a slip and for a day."""
    topic, other = cost.TOPICS[n % 10], cost.TOPICS[n // 10 % 10]
    return (
        f"what did the letter about the {other} say the {topic} costs",
        f"{n} checks passed",
        f"who likes the new {topic}",
        f"does it cost {n % 97} farncs",
        f"the {topic} on {TODAY - timedelta(days=n)}",
        f"{topic} number {n % 120} stands in which room",
    )[n % 6]


def process(folder: Path) -> None:
    year, decade = folder / "year", folder / "decade"
    cost.build(year, 365)
    cost.build(decade, 3_650)
    cost.dream(year, "search", "valve")
    bare = cost.least(lambda: cost.spend([sys.executable, "-c", "pass"]), 15)[0]
    for name, limit, measure, times in (
        ("search, 365 notes, nothing new", 8, lambda: cost.dream(year, "search", "what does the valve cost"), 7),
        ("index of 3,650 notes", 350, lambda: cost.dream(decade, "search", "valve", "--rebuild"), 1),
    ):
        seconds, megabytes = cost.least(measure, times)
        print(
            f"{name}: {seconds * 1000:.0f} ms CPU, {seconds / bare:.1f} bare starts (limit {limit}), {megabytes:.0f} MB"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
