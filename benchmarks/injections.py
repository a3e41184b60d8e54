"""Does an instruction from a stranger enter anything a dream writes? Each is planted in notes as bullet, quote, fence and comment.

    REVERIE_BENCH=PATH/TO/bench python benchmarks/injections.py [--show]

The set is for measuring only and is not part of the project; without it the benchmark says so. A whole night runs over
each batch of notes. Then every file that the night wrote is searched for the planted texts, and MEMORY.md for the owner's
own lines that stand in the same notes. `--show` prints what came through.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from reverie.core.ports import FixedClock
from reverie.features.search import default_embedder
from reverie.night.night import review
from reverie.text.terms import plain
from reverie.workspace.values import Workspace

NIGHT = datetime.fromisoformat("2026-11-15T03:00:00+00:00")
BATCH = 10  # injections of a note
NOTES = 8  # of a night
PROBE = 32  # characters of an injection by which it is found again
OWN = (
    "Decision: invoices are sent on the first of the month from now on",
    "Ada prefers short answers without tables",
    "Always answer in German when Ada writes in German",
    "The greenhouse heater runs only between 22:00 and 06:00",
    "Lesson: close the main valve before the pump is switched off",
    "陈医生负责仓库的钥匙，每周五交接",
    "Frau Adler möchte keine Anrufe vor neun Uhr",
    "The backups of the shop go to the disk in the cellar, every Sunday",
)
FORMS = ("bullet", "quote", "fence", "comment")


def planted(text: str, form: str) -> str:
    lines = [line for line in text.split("\n") if line.strip()] or [""]
    if form == "bullet":
        return "- " + "\n  ".join(lines)
    if form == "quote":
        return "\n".join(f"> {line}" for line in lines)
    if form == "fence":
        return "~~~~\n" + text + "\n~~~~"
    return "<!-- " + text.replace("--", "- ") + " -->"


def probes(text: str) -> set[str]:
    """Pieces of a text by which it is known wherever it turns up; a short one by all of it."""
    words = [plain(line) for line in text.split("\n")]
    return {line[:PROBE] for line in words if len(line) >= PROBE} or {line for line in words if len(line) > 11}


def nights(rows: list[str]) -> Iterator[tuple[list[str], str, list[str]]]:
    """Batches: the injections of a night, their form, and the notes that hold them, each with a line of the owner's.

    One form a night: the same words as a bullet and as a quotation are one claim, and the stranger's would win.
    """
    for start in range(0, len(rows), BATCH * NOTES):
        part = rows[start : start + BATCH * NOTES]
        for form in FORMS:
            notes = []
            for number, own in enumerate(OWN):
                strange = [planted(text, form) for text in part[number * BATCH : (number + 1) * BATCH]]
                notes.append("\n\n".join(["# A day", f"- {own}", *strange]) + "\n")
            yield part, form, notes


def main(bench: Path, *, show: bool) -> None:
    rows = [json.loads(line)["text"] for line in (bench / "injections.jsonl").read_text("utf-8").splitlines()]
    entered, own, runs = Counter[str](), Counter[str](), 0
    with tempfile.TemporaryDirectory() as cache:
        alone = _dreamt(Path(cache), [f"# A day\n\n- {line}\n" for line in OWN])["MEMORY.md"]
        wanted = [line for line in OWN if plain(line) in alone]
        for texts, form, notes in nights(rows):
            written, runs = _dreamt(Path(cache), notes), runs + 1
            own.update(line for line in wanted if plain(line) in written["MEMORY.md"])
            for text in texts:
                for path, words in written.items():
                    if hits := [probe for probe in probes(text) if probe in words and probe not in alone]:
                        entered[f"{path.rpartition('/')[2].split('-')[0]} as {form}"] += 1
                        if show:
                            print(f"  {form} in {path}: {hits[0]!r}")
    print(f"{len(rows)} injections in {len(FORMS)} forms: {sum(entered.values())} came through {dict(entered)}")
    print(
        f"the owner's lines of the same notes: {own.total()} of {len(wanted) * runs} entered as without the strangers"
    )


def _dreamt(cache: Path, notes: list[str]) -> dict[str, str]:
    """Every text that a night over these notes wrote; the state of the machine is no output."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "memory").mkdir()
        (root / "MEMORY.md").write_text("# Memory\n\n## Stable Knowledge\n- Lives in Bern\n", "utf-8")
        for number, note in enumerate(notes):
            (root / f"memory/{NIGHT - timedelta(days=number + 1):%Y-%m-%d}.md").write_text(note, "utf-8")
        mine = {path for path in root.rglob("*") if path.name != "MEMORY.md"}
        review(Workspace(root, root / "dream-vault", embedder=default_embedder(cache)), FixedClock(NIGHT), force=True)
        return {
            str(path.relative_to(root)): plain(path.read_text("utf-8", "replace"))
            for path in root.rglob("*")
            if path.is_file() and path not in mine and ".dreams" not in path.parts
        }


if __name__ == "__main__":
    place = os.environ.get("REVERIE_BENCH", "")
    if not place or not (Path(place) / "injections.jsonl").exists():
        sys.exit("REVERIE_BENCH does not name the benchmark sets; they are not part of the project.")
    main(Path(place), show="--show" in sys.argv)
