"""Whatever stands at whatever path: no traceback, nobody waits, nothing is lost."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conftest import Make
from reverie.surfaces.cli import main

MEMORY = "# Kim\n\n## People\n- Mara runs the bakery in Kiel\n- Mara runs the bakery in Kiel\n- **Valve:** number 12\n"
NOTE = "# Friday\n\n- **Valve:** number 31\n- Decision: the shop closes at six\n"
COMMANDS = ("status", "review", "search bakery", "why Valve", "session start", "doctor", "undo", "note a kettle")
MANY = 100_000 if os.environ.get("EXPLORE") else 10_000  # lines, or twice as many words
LONGEST = 20 if MANY < 100_000 else 200  # seconds for all of them

Odd = Callable[[Path], object]
ODD: dict[str, Odd] = {
    "empty": lambda path: path.write_bytes(b""),
    "blank lines": lambda path: path.write_bytes(b"\n\n \n\t\n"),
    "NUL bytes": lambda path: path.write_bytes(b"- a\0b\n" * 9),
    "binary": lambda path: path.write_bytes(bytes(range(256)) * 400),
    "UTF-16": lambda path: path.write_bytes("- naïve café\r\n".encode("utf-16")),
    "UTF-32": lambda path: path.write_bytes("- naïve café\n".encode("utf-32")),
    "Shift-JIS": lambda path: path.write_bytes("- 店は六時に閉まる\n".encode("shift-jis")),
    "GB 18030": lambda path: path.write_bytes("- 店铺六点关门\n".encode("gb18030")),
    "Latin-1": lambda path: path.write_bytes("- na\xefve caf\xe9\n".encode("latin-1")),
    "BOM and CRLF": lambda path: path.write_bytes(b"\xef\xbb\xbf# A\r\n- b\r\n- b\r\n"),
    "lone CR": lambda path: path.write_bytes(b"# A\r- b\r- b\r"),
    "odd line ends": lambda path: path.write_bytes("- a\u2028- b\x0b- c\x0c- d\u0085- e\n".encode()),
    "conflict markers": lambda path: path.write_bytes(b"<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> x\n"),
    "unclosed fence": lambda path: path.write_bytes(b"- a\n```\n- b\n<!-- \n- c\n"),
    "deep nesting": lambda path: path.write_bytes(b"".join(b"  " * n + b"- x\n" for n in range(600))),
    "one endless line": lambda path: path.write_bytes(b"- " + b"word, " * MANY * 2 + b"\n"),
    "many equal lines": lambda path: path.write_bytes(b"- the same line again\n" * MANY),
    "a million lines": lambda path: path.write_bytes(b"".join(b"- item %d\n" % n for n in range(1_000_000))),
    "300 MB": lambda path: (path.touch(), os.truncate(path, 300_000_000)),
    "half of JSON": lambda path: path.write_bytes(b'{"a": [1, {"b": '),
    "JSON of another shape": lambda path: path.write_bytes(b'[[], {"id": [1]}, null, "x", 1e999]'),
    "a bomb of brackets": lambda path: path.write_bytes(b"[" * 200_000),
    "a bomb in an object": lambda path: path.write_bytes(b'{"id": ' + b"[" * 200_000),
    "a bomb in a list": lambda path: path.write_bytes(b'[{"id": ' + b"[" * 200_000),
    "a bomb in a table": lambda path: path.write_bytes(b"id = " + b"[" * 200_000),
    "a folder": lambda path: path.mkdir(),
    "a link to itself": lambda path: path.symlink_to(path),
    "a link to its folder": lambda path: path.symlink_to(path.parent),
    "a link out": lambda path: path.symlink_to("/etc/hostname"),
    "an endless device": lambda path: path.symlink_to("/dev/zero"),
    "a pipe": lambda path: os.mkfifo(path),
    "a socket": lambda path: bind(path),
}  # fmt: skip
PATHS = (
    "MEMORY.md", "DREAM.md", "memory/2026-03-29.md", "memory/user/kim.md", "memory/self-improving/errors.jsonl",
    "memory/2026-03-28-a\nb.md", "dream-vault/ledger.md", "dream-vault/ledger-index.json", "dream-vault/meta/active-days.json",
    "memory/.dreams/state.json", "memory/.dreams/runs/0001-review.json", "memory/.dreams/short-term-recall.json",
    "memory/.dreams/schedule.json", "reverie.toml", "DREAMS.md",
)  # fmt: skip


def bind(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as found, contextlib.chdir(path.parent):
        found.bind(path.name)


def said(words: list[str]) -> tuple[int, str]:
    out, code = io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            main(words)
        except SystemExit as ended:
            code = int(ended.code or 0)
    return code, out.getvalue()


@pytest.fixture
def hurried() -> Iterator[None]:
    def late(*_: object) -> None:
        raise TimeoutError("it waits, or takes longer than linear time")

    signal.signal(signal.SIGALRM, late)
    signal.alarm(LONGEST)
    yield
    signal.alarm(0)


@pytest.mark.parametrize("path", PATHS, ids=repr)
@pytest.mark.parametrize("odd", ODD)
def test_every_command_ends_in_a_sentence_and_the_owners_lines_stay(
    odd: str, path: str, workspace: Make, hurried: None
) -> None:
    layout = workspace(MEMORY, {"memory/2026-03-30.md": NOTE})
    if ".dreams" in path or "dream-vault" in path or path == "DREAMS.md":  # what is ours is there, and then odd
        assert said(["review", "-w", str(layout.root), "--now", "2026-03-30T23:00"])[0] == 0
    target = layout.root / path
    shutil.rmtree(target) if target.is_dir() else target.unlink(missing_ok=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    ODD[odd](target)
    before = target.read_bytes() if target.is_file() and not target.is_symlink() else None
    for words in COMMANDS:
        code, text = said([*words.split(), "-w", str(layout.root), "--now", "2026-03-31T03:00"])
        assert code in (0, *range(10, 21)) and "Traceback" not in text, (words, text)
        assert code == 0 or text.count("\n") <= 30
    if path != "MEMORY.md":
        memory = (layout.root / "MEMORY.md").read_text()
        assert "- Mara runs the bakery in Kiel\n" in memory and "Valve" in memory
    if before is not None and path.startswith(("memory/2026", "memory/user", "memory/self", "DREAM.md", "reverie")):
        assert target.read_bytes()[: len(before)] == before or path.startswith("memory/user")
