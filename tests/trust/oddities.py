"""A small workspace that has dreamt once, and the odd things that may stand at any path of it.

Each command runs in a child made by `fork`, so that one that hangs can be ended, and hundreds of them cost seconds.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

NOW = "2026-11-15T03:00:00+01:00"
FILES = {
    "MEMORY.md": "# Memory\n\n## People\n- Mara runs the bakery in Kiel\n- **Pump valve:** number 12, ordered from Kern\n",
    "DREAM.md": "# Wishes\n\n- keep it short\n",
    "USER.md": "# User\n- Name: Jo\n",
    "memory/2026-11-12.md": "# Thursday\n\n- The dentist moved to Holtenauer Strasse 12\n- I prefer tea over coffee in the morning\n",
    "memory/2026-11-13.md": "# Friday\n\n## People\n- **Pump valve:** number 31\n- Mara opens a second bakery in Plön\n",
    "memory/self-improving/corrections.jsonl": '{"ts": "2026-11-13T10:00:00Z", "correction": "use metric units"}\n',
}
COMMANDS: dict[str, tuple[str, ...]] = {
    "review": ("review",),
    "plan": ("plan",),
    "status": ("status",),
    "search": ("search", "bakery in Kiel"),
    "recall": ("recall", "who runs the bakery in Kiel?"),
    "note": ("note", "The new oven arrives in March"),
    "session start": ("session", "start"),
    "doctor": ("doctor",),
    "palace": ("palace",),
    "undo": ("undo",),
}


@dataclass(frozen=True)
class Ended:
    """How a command ended: its code (None: it hung and was killed), what it said, and for how long it ran."""

    code: int | None
    out: str
    err: str
    seconds: float

    @property
    def crashed(self) -> bool:
        return "Traceback (most recent call last)" in self.err


def warm(root: Path) -> None:
    """Run every command once in this process, so that its children find patterns and words loaded."""
    from click.testing import CliRunner

    from reverie.surfaces.cli import main

    write(root)
    for args in COMMANDS.values():
        CliRunner().invoke(main, [*args, "--workspace", str(root), "--now", NOW])


def run(root: Path, *args: str, limit: float = 20.0, plain_user: bool = False, **env: str) -> Ended:
    """A command on this workspace, in a child that is killed after `limit` seconds."""
    out, err = root.with_name(root.name + ".out"), root.with_name(root.name + ".err")
    for path in (out, err):
        path.write_bytes(b"")
        path.chmod(0o666)
    begin = time.monotonic()
    child = os.fork()
    if child == 0:
        _as_child([*args, "--workspace", str(root), "--now", NOW], out, err, env, plain_user=plain_user)
    code = _waited(child, begin + limit)
    return Ended(code, out.read_text("utf-8", "replace"), err.read_text("utf-8", "replace"), time.monotonic() - begin)


def _as_child(args: list[str], out: Path, err: Path, env: dict[str, str], *, plain_user: bool) -> None:
    code = 70
    try:
        os.setsid()
        os.environ.update(env)
        for path, number in ((out, 1), (err, 2)):
            os.dup2(os.open(path, os.O_WRONLY), number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, mode) for number, mode in ((0, "r"), (1, "w"), (2, "w")))
        if plain_user:
            _give_up_rights()
        from reverie.surfaces.cli import main

        main(args, prog_name="dream")
        code = 0
    except SystemExit as asked:
        code = asked.code if isinstance(asked.code, int) else int(asked.code is not None)
    except BaseException:  # noqa: BLE001  whatever it is, the test must see it
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _give_up_rights() -> None:
    """Let permissions hold for root too, who may otherwise write anywhere: give all capabilities back."""
    if sys.platform == "linux":
        libc, header, nothing = ctypes.CDLL(None), struct.pack("Ii", 0x20080522, 0), bytes(24)
        assert libc.capset(header, nothing) == 0


def _waited(child: int, deadline: float) -> int | None:
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def write(root: Path, files: dict[str, str] | None = None) -> Path:
    for path, text in (FILES if files is None else files).items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return root


def cleared(path: Path) -> Path:
    """The path, with nothing standing at it and its folder there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)  # a pipe or a socket is no file either
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def fifo(path: Path) -> None:
    os.mkfifo(cleared(path))


def unix_socket(path: Path) -> None:
    here = os.open(cleared(path).parent, os.O_RDONLY)
    try:  # the name of a socket may have 100 bytes at most, so it is given from inside its folder
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(f"/proc/self/fd/{here}/{path.name}")
    finally:
        os.close(here)


def device(path: Path) -> None:
    """/dev/zero under another name, or a link to it where we may not make one."""
    cleared(path)
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except PermissionError:
        path.symlink_to("/dev/zero")


def loop(path: Path) -> None:
    cleared(path).symlink_to(path.name)


def dangling(path: Path) -> None:
    cleared(path).symlink_to("nowhere-at-all")


def folder(path: Path) -> None:
    cleared(path).mkdir()
    (path / "inside.md").write_text("- nothing to see\n")


def empty(path: Path) -> None:
    cleared(path).write_bytes(b"")


def noise(path: Path) -> None:
    cleared(path).write_bytes(bytes(range(256)) * 40)


def latin(path: Path) -> None:
    cleared(path).write_bytes("# Gedächtnis\n\n- Die Küche in Köln ist grün\n".encode("latin-1"))


def deep_json(path: Path) -> None:
    cleared(path).write_text('{"a":' * 60_000 + "[" * 60_000)


def wrong_json(path: Path) -> None:
    cleared(path).write_text('[1, null, "x", {"files": 3, "entries": [7], "version": "new"}]')


def unreadable(path: Path) -> None:
    cleared(path).write_text("- closed\n")
    path.chmod(0)


KINDS: dict[str, Callable[[Path], None]] = {
    made.__name__: made
    for made in (
        fifo,
        unix_socket,
        device,
        loop,
        dangling,
        folder,
        empty,
        noise,
        latin,
        deep_json,
        wrong_json,
        unreadable,
    )
}
# Every path that some command of ours opens.
PLACES = (
    "MEMORY.md", "memory.md", "DREAM.md", "USER.md", "DREAMS.md", "openclaw.json", "reverie.toml", "todos.md",
    "MEMORY.md.proposed", "memory", "memory/2026-11-14.md", "memory/2026-11-13.md", "memory/topic.md",
    "memory/self-improving", "memory/self-improving/corrections.jsonl", "memory/self-improving/.last_distill",
    "memory/.last_dream", "memory/dreaming", "memory/dream-log-2026-11-15.md", "memory/palace",
    "memory/palace/timeline.md", "memory/user", "knowledge", "knowledge/playbook.md", ".learnings",
    "memory/.dreams", "memory/.dreams/lock", "memory/.dreams/reviewed.json", "memory/.dreams/judged.txt",
    "memory/.dreams/rejected.txt", "memory/.dreams/proposal.json", "memory/.dreams/switch.txt",
    "memory/.dreams/watched.json", "memory/.dreams/attempts.jsonl", "memory/.dreams/model-answers.jsonl",
    "memory/.dreams/model-log.jsonl", "memory/.dreams/index.db", "memory/.dreams/index.db-wal",
    "memory/.dreams/index.db-shm", "memory/.dreams/index.db-journal", "memory/.dreams/index-x.codes",
    "memory/.dreams/reverie-events.jsonl", "memory/.dreams/reverie-recall.json", "memory/.dreams/reverie-signals.json",
    "memory/.dreams/reverie-sessions.json", "memory/.dreams/events.jsonl", "memory/.dreams/short-term-recall.json",
    "memory/.dreams/phase-signals.json", "memory/.dreams/daily-ingestion.json", "memory/.dreams/session-ingestion.json",
    "memory/.dreams/session-corpus", "memory/.dreams/session-corpus/2026-11-13.txt",
    "memory/.dreams/session-corpus/reverie", "memory/.dreams/session-corpus/reverie/2026-11-13.txt",
    "memory/.dreams/runs", "memory/.dreams/runs/20261114T000000-aaaa",
    "RUN", "RUN/plan.json", "RUN/COMMIT", "RUN/DONE",
    "dream-vault", "dream-vault/ledger.md", "dream-vault/ledger-index.json", "dream-vault/meta",
    "dream-vault/meta/removed-entries.json", "dream-vault/meta/tombstones.json", "dream-vault/meta/questions.json",
    "dream-vault/meta/suggestions.json", "dream-vault/meta/active-days.json", "dream-vault/meta/last-review.txt",
    "dream-vault/meta/dream-state.txt", "dream-vault/meta/review-2026-11.md", "dream-vault/obsidian-index",
    "dream-vault/obsidian-index/_index.md",
)  # fmt: skip


def place_in(root: Path, name: str) -> Path:
    """The path of a place; RUN is the last run that was recorded."""
    if name.startswith("RUN"):
        runs = sorted(item for item in (root / "memory/.dreams/runs").iterdir() if item.is_dir())
        return Path(str(runs[-1]) + name.removeprefix("RUN"))
    return root / name


def dreamt(root: Path) -> Path:
    """A workspace that has dreamt, noted and been asked, so that every kind of file of ours is there."""
    write(root)
    for command in ("note", "review", "search", "palace"):
        ended = run(root, *COMMANDS[command], limit=120)
        assert ended.code == 0, (command, ended)
    return root


def copy(source: Path, target: Path) -> Path:
    subprocess.run(["cp", "-a", source, target], check=True)
    return target
