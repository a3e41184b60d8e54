"""Which files a first night leaves, and how large they are: python benchmarks/footprint.py [--write]

One night and one question over a copy of the example workspace, with an empty home. `--write` puts the table into docs/files.md.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "files.md"
NIGHT = "2026-11-15T03:00:00+01:00"
# The first pattern that fits a path names its row.
ROWS = (
    (r"w/MEMORY\.md", "`MEMORY.md`", "your memory, changed in place"),
    (r"w/DREAMS\.md", "`DREAMS.md`", "a diary: a short entry after a night with news"),
    (r"w/memory/dream-log-.*", "`memory/dream-log-DAY.md`", "what a night changed, and what it could not settle"),
    (r"w/dream-vault/ledger\.md", "`dream-vault/ledger.md`", "the archive: everything that left `MEMORY.md`"),
    (r"w/dream-vault/.*", "`dream-vault/`, the rest", "its index, suggestions, what must not come back"),
    (r"w/memory/\.dreams/runs/.*", "`memory/.dreams/runs/`", "a record of every run, so that it can be undone"),
    (r"w/memory/\.dreams/index.*", "`memory/.dreams/index*`", "the search index, without a readable word; may be deleted"),
    (r"w/memory/(?:\.dreams/.*|.*\.last_.*)", "`memory/.dreams/`, the rest", "what was recalled, how far the last night came"),
    (r"home/\.cache/.*", "`~/.cache/reverie/`", "vectors for search, once for all workspaces; may be deleted"),
    (r"home/.*", "`~/.local/state/reverie/`", "what was added to hosts, results of exams"),
)  # fmt: skip


def measured() -> tuple[dict[str, int], int]:
    """Bytes for each row, of files that a night made or changed; and the bytes of the notes before it."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        shutil.copytree(ROOT / "examples" / "lived-in", base / "w")
        before = _files(base)
        home = {"HOME": str(base / "home"), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src")}
        for words in (("review", "--force", "--quiet"), ("search", "varnish", "--quiet")):
            asked = [sys.executable, "-m", "reverie", *words, "--workspace", str(base / "w"), "--now", NIGHT]
            subprocess.run(asked, env=home, check=True)
        sizes = dict.fromkeys((name for _, name, _ in ROWS), 0)
        for path, known in _files(base).items():
            if known != before.get(path):
                sizes[next(name for pattern, name, _ in ROWS if re.fullmatch(pattern, path))] += known[0]
        return sizes, sum(size for size, _ in before.values())


def _files(base: Path) -> dict[str, tuple[int, bytes]]:
    found = (path for path in base.rglob("*") if path.is_file())
    return {path.relative_to(base).as_posix(): (path.stat().st_size, path.read_bytes()[:1000]) for path in found}


def table(sizes: dict[str, int], notes: int) -> str:
    lines = ["| file | what it is | after the first night |", "|---|---|---|"]
    lines += [f"| {name} | {what} | {_told(sizes[name])} |" for _, name, what in ROWS]
    return "\n".join([*lines, "", f"Measured on the example workspace, whose own files have {_told(notes)}."])


def _told(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{-(-size // 1000)} KB" if size else "–"


if __name__ == "__main__":
    found = table(*measured())
    print(found)
    if "--write" in sys.argv:
        text = PAGE.read_text("utf-8")
        head, tail = text.split("<!-- measured -->")[0], text.split("<!-- /measured -->")[1]
        PAGE.write_text(f"{head}<!-- measured -->\n{found}\n<!-- /measured -->{tail}", "utf-8")
