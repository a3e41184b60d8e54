"""Are questions answered as people ask them? Workspaces by blind authors, each with its questions.

    REVERIE_NEWCOMER=FOLDER/OF/FOLDERS python benchmarks/newcomer.py [--show]

Every folder holds a workspace and `questions.tsv`: id, language, kind (plain, reworded, changed, cross), question, answer,
outdated; the last two are literal pieces, ` | ` between them, of lines that answer now and of lines that did once. The data is
not part of the project. `first`, `top 3`: where search has a line that answers. `stale`: a line that is outdated stands
before it, `unmarked`: and does not say so. `recall`: what is told holds a line that answers; its `stale` and `unmarked` likewise.
Then messages that no workspace knows anything about, on which recall is to be silent, and what a warm search costs.
"""

from __future__ import annotations

import csv
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from reverie.core.ports import Clock, fixed
from reverie.evidence.search import Hit
from reverie.features.recall.recall import recall
from reverie.features.search import ask
from reverie.surfaces.configure import configured
from reverie.workspace.values import Workspace

CACHE = Path(tempfile.gettempdir()) / "reverie-bench"
SHOW = "--show" in sys.argv
LIMIT = 6
COLUMNS = ("first", "top 3", "stale", "unmarked", "recall", "r.stale", "r.unmarked")
UNRELATED = (
    "good morning!", "thanks, that was great", "haha nice one", "tell me a joke about penguins",
    "what is the capital of Mongolia?", "translate 'butterfly' into Portuguese", "how do volcanoes form?",
    "write a haiku about autumn leaves", "is seventeen a prime number?", "who won the chess olympiad in 1972?",
    "早上好", "谢谢你，辛苦了", "给我讲个冷笑话", "长城是哪个朝代修的？", "帮我写一首关于月亮的诗",
    "Wie hoch ist der Mount Everest?", "¿cuántos planetas tiene el sistema solar?", "ok, bonne nuit",
    "asdf qwer zxcv", "量子纠缠是什么意思",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, the pieces of lines that answer it, and of those that no longer do."""

    id: str
    language: str
    kind: str
    question: str
    answer: tuple[str, ...]
    outdated: tuple[str, ...]


def questions(file: Path) -> list[Asked]:
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        Asked(
            row["id"], row["language"], row["kind"], row["question"], _pieces(row["answer"]), _pieces(row["outdated"])
        )
        for row in rows
    ]


def _pieces(cell: str | None) -> tuple[str, ...]:
    return tuple(piece.strip() for piece in (cell or "").split(" | ") if piece.strip())


def opened(folder: Path, into: Path) -> tuple[Workspace, Clock]:
    """A copy of the workspace, on the day after its last note."""
    root = into / folder.name
    shutil.copytree(folder, root, ignore=shutil.ignore_patterns("questions.tsv"))
    days = [date.fromisoformat(note.stem[:10]) for note in root.glob("memory/????-??-??*.md")]
    now = max(days, default=date(2026, 11, 10)) + timedelta(days=1)
    return configured(root, {"HOME": str(into), "XDG_CACHE_HOME": str(CACHE)}), fixed(f"{now}T12:00:00+00:00")


def line_of(root: Path, hit: Hit) -> str:
    lines = (root / hit.claim.path).read_text("utf-8").split("\n")
    return "\n".join(lines[hit.claim.first - 1 : hit.claim.last])


def places(lines: Sequence[str], pieces: Sequence[str]) -> list[int]:
    return [at for at, line in enumerate(lines) if any(piece in line for piece in pieces)]


def scored(one: Asked, lines: Sequence[str], marked: Sequence[bool]) -> tuple[int, bool, bool]:
    """(the place of the first line that answers, or a large number; an outdated line before it; and one without a mark)."""
    right = min(places(lines, one.answer), default=99)
    old = [at for at in places(lines, one.outdated) if at < right and at not in places(lines, one.answer)]
    return right, bool(old), any(not marked[at] for at in old)


def measure(folder: Path, into: Path) -> Iterator[tuple[Asked, tuple[bool, ...], float]]:
    workspace, clock = opened(folder, into)
    ask(workspace, workspace.embedder, clock, "warm", record=False)
    for one in questions(folder / "questions.tsv"):
        begun = time.process_time()
        hits = ask(workspace, workspace.embedder, clock, one.question, limit=LIMIT, record=False).hits
        spent = time.process_time() - begun
        lines = [line_of(workspace.root, hit) for hit in hits]
        at, stale, unmarked = scored(one, lines, [hit.current is False for hit in hits])
        found = recall(workspace, clock, one.question, record=False)
        told = [line_of(workspace.root, fact.hit) for fact in found.facts]
        said, told_stale, told_unmarked = scored(one, told, [fact.hit.current is False for fact in found.facts])
        row = (at == 0, at < 3, stale, unmarked, said < 99, told_stale, told_unmarked)
        if SHOW and (at or stale or said == 99 or told_stale):
            show(one, lines, hits, found.summary or f"({found.why})", row)
        yield one, row, spent


def show(one: Asked, lines: Sequence[str], hits: Sequence[Hit], summary: str, row: tuple[bool, ...]) -> None:
    print(f"\n{one.id} {one.kind}: {one.question}  {[name for name, yes in zip(COLUMNS, row, strict=True) if yes]}")
    for line, hit in zip(lines[:4], hits, strict=False):
        sign = "+" if any(piece in line for piece in one.answer) else "-" if places([line], one.outdated) else " "
        print(f"  {sign} {hit.score:.2f} {hit.vector_score:.2f} {hit.current!s:<6}{hit.place:<26}{line.strip()[:110]}")
    print(f"  recall: {summary}")


def silence(folder: Path, into: Path) -> list[bool]:
    """Whether recall is silent on each message that is about nothing in here."""
    workspace, clock = opened(folder, into)
    found = [recall(workspace, clock, message, record=False) for message in UNRELATED]
    for message, one in zip(UNRELATED, found, strict=True):
        if SHOW and one.summary:
            print(f"NOT SILENT {folder.name}: {message}: {one.summary}")
    return [not one.summary for one in found]


def main() -> None:
    given = os.environ.get("REVERIE_NEWCOMER", "")
    folders = sorted(file.parent for file in Path(given).glob("*/questions.tsv")) if given else []
    if not folders:
        print("newcomer: not measured. Set REVERIE_NEWCOMER to a folder of workspaces with a questions.tsv each.")
        return
    rows: dict[str, list[tuple[bool, ...]]] = defaultdict(list)
    quiet: list[bool] = []
    spent: list[float] = []
    for folder in folders:
        with tempfile.TemporaryDirectory() as place:
            for one, row, cost in measure(folder, Path(place)):
                within = "across" if one.kind == "cross" else one.language
                for name in (f"kind {one.kind}", f"language {within}", f"set {folder.name}", "all"):
                    rows[name].append(row)
                spent.append(cost)
        with tempfile.TemporaryDirectory() as place:
            quiet += silence(folder, Path(place))
    print(f"{'':<18}{'asked':>6}" + "".join(f"{name:>11}" for name in COLUMNS))
    for name in sorted(rows):
        found = rows[name]
        print(
            f"{name:<18}{len(found):>6}"
            + "".join(f"{sum(col) / len(found):>11.2f}" for col in zip(*found, strict=True))
        )
    print(
        f"silent on {sum(quiet)} of {len(quiet)} unrelated messages; a warm search: {statistics.median(spent) * 1000:.1f} ms of CPU"
    )


if __name__ == "__main__":
    main()
