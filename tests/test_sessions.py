"""Terminal sessions as documents: prose for people, `$ dream …` and its exact output for this runner.

The first line of a session names its start: `<!-- workspace: lived-in -->` copies an example, `<!-- workspace: empty -->`
begins with nothing. A fence ```file PATH writes a file, a fence ```console runs commands. UPDATE_SESSIONS=1 rewrites
the outputs; read the difference before you commit it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import EXAMPLE
from terminal import DREAM

SESSIONS = sorted((Path(__file__).parent / "sessions").glob("*.md"))
FENCE = re.compile(r"^```(?P<kind>console|file)[ \t]*(?P<name>[^\n]*)\n(?P<body>.*?)^```$", re.M | re.S)
NOW = "2026-11-15T03:00:00+01:00"


def start(text: str, root: Path) -> None:
    first = text.split("\n", 1)[0]
    named = re.fullmatch(r"<!-- workspace: (\S+) -->", first)
    assert named, f"a session begins with <!-- workspace: NAME -->, not with {first!r}"
    if named[1] == "empty":
        root.mkdir(parents=True)
    else:
        shutil.copytree(EXAMPLE.with_name(named[1]), root)


def played(text: str, root: Path) -> str:
    """The session with the outputs that really came."""

    def fence(found: re.Match[str]) -> str:
        if found["kind"] == "file":
            target = root / found["name"]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(found["body"], "utf-8")
            return found[0]
        commands = [line for line in found["body"].split("\n") if line.startswith("$ ")]
        outputs = "".join(f"{command}\n{run(command[2:], root)}" for command in commands)
        return f"```console\n{outputs}```"

    return FENCE.sub(fence, text)


def run(command: str, root: Path) -> str:
    """One line in a shell, `dream` being ours; both streams as a terminal would mix them, and a code that is not 0."""
    env = {**os.environ, "REVERIE_NOW": NOW, "PATH": f"{DREAM.parent}:{os.environ['PATH']}", "PYTHONUTF8": "1"}
    done = subprocess.run(["sh", "-c", f"exec 2>&1\n{command}"], cwd=root, env=env, stdout=subprocess.PIPE, check=False)
    said = done.stdout.decode().replace(str(root), "/home/ada/agent")
    said = "".join(f"{line}\n" for line in said.rstrip("\n").split("\n")) if said else ""
    return said + (f"(exit code {done.returncode})\n" if done.returncode else "")


@pytest.mark.skipif(sys.platform == "win32", reason="sessions are told in a POSIX shell")
@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_the_session_goes_as_it_is_told(path: Path, tmp_path: Path) -> None:
    text = path.read_text("utf-8")
    start(text, tmp_path / "agent")

    now = played(text, tmp_path / "agent")

    if os.environ.get("UPDATE_SESSIONS"):
        path.write_text(now, "utf-8")
    assert now == text, f"if this is right, UPDATE_SESSIONS=1 rewrites {path.name}"


def test_there_are_sessions_and_each_runs_a_command() -> None:
    assert len(SESSIONS) >= 5
    assert [path.name for path in SESSIONS if "\n$ dream " not in path.read_text("utf-8")] == []
