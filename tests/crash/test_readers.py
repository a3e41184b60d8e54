"""Twelve programs search while notes are written and somebody deletes and damages the index: no error, no wrong answer."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

from conftest import NOW, Make
from reverie.retrieval.search import Searcher

SECONDS, READERS = (60 if os.environ.get("EXPLORE") else 4), 12
READER = """
import sys, time
from datetime import date
from pathlib import Path
from reverie.retrieval.search import Searcher
from reverie.workspace.layout import layout_of
root, until = Path(sys.argv[1]), time.time() + float(sys.argv[2])
searcher, asked = Searcher(layout_of(root)), 0
while time.time() < until:
    before = int((root / "written").read_text())
    answer = searcher.search("kettle", date(2026, 3, 31), limit=200)
    after = int((root / "written").read_text())
    said = {int(hit.text.split()[2]) for hit in answer.hits}
    assert set(range(before)) <= said <= set(range(after + 1)), (before, after, sorted(said))
    for hit in answer.hits:
        assert (root / hit.path).read_text().split("\\n")[hit.line - 1] == f"- {hit.text}", hit
    asked += 1
print(asked)
"""


def test_readers_see_every_line_that_was_written_before_they_asked(workspace: Make) -> None:
    layout = workspace("# Kim\n")
    (layout.root / "written").write_text("0")
    command = [sys.executable, "-c", READER, str(layout.root), str(SECONDS)]
    readers = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(READERS)
    ]
    chance, number = random.Random(7), 0

    while any(reader.poll() is None for reader in readers):
        if number < 60:
            with open(layout.root / f"memory/2026-03-{1 + number % 28:02}.md", "a") as note:
                note.write(f"- kettle number {number} whistles\n")
            number += 1
            write_whole(layout.root / "written", str(number))
        damage(layout.cache, chance)
        time.sleep(SECONDS / 80)

    assert [reader.communicate()[1][-800:] for reader in readers] == [""] * READERS
    assert number == 60
    assert len(Searcher(layout).search("kettle", NOW.date(), limit=200).hits) == 60


def damage(index: Path, chance: random.Random) -> None:
    """Now and then: remove the file, cut it off, write over it, or put another one in its place."""
    if not index.exists() or chance.random() > 0.3:
        return
    match chance.randrange(4):
        case 0:
            index.unlink(missing_ok=True)
        case 1:
            os.truncate(index, chance.randrange(index.stat().st_size + 1))
        case 2:
            with open(index, "r+b") as file:
                file.write(b"no index " * 2_000)
        case 3:
            write_whole(index, "no index")


def write_whole(path: Path, text: str) -> None:
    path.with_name(f"{path.name}.new").write_text(text)
    os.replace(path.with_name(f"{path.name}.new"), path)
