"""How a session that is told in a document is run: its fences, its commands, and what they really print."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from conftest import EXAMPLE
from terminal import DREAM

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
