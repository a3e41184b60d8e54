"""How a session that is told in a document is run: its fences, its commands, and what they really print."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from contextlib import chdir
from pathlib import Path

from click.testing import CliRunner

from conftest import EXAMPLE
from reverie.surfaces.cli import main
from terminal import DREAM

FENCE = re.compile(r"^```(?P<kind>console|file)[ \t]*(?P<name>[^\n]*)\n(?P<body>.*?)^```$", re.M | re.S)
NOW = "2026-11-15T03:00:00+01:00"


def start(text: str, root: Path) -> Path:
    """Make the folder that the first line names, here or `at` a place of its own; where it is."""
    first = text.split("\n", 1)[0]
    named = re.fullmatch(r"<!-- workspace: (?P<name>\S+)(?: at (?P<at>~/\S+))? -->", first)
    assert named, f"a session begins with <!-- workspace: NAME -->, not with {first!r}"
    root = Path(named["at"]).expanduser() if named["at"] else root
    if named["name"] == "empty":
        root.mkdir(parents=True)
    else:
        shutil.copytree(EXAMPLE.with_name(named["name"]), root)
    return root


def played(text: str, root: Path, *, here: bool = False) -> str:
    """The session with the outputs that really came. `here`: our commands without a process each, which costs seconds a night."""

    def fence(found: re.Match[str]) -> str:
        if found["kind"] == "file":
            target = root / found["name"]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(found["body"], "utf-8")
            return found[0]
        commands = [line for line in found["body"].split("\n") if line.startswith("$ ")]
        how = run_here if here else run
        outputs = "".join(f"{command}\n{how(command[2:], root)}" for command in commands)
        return f"```console\n{outputs}```"

    return FENCE.sub(fence, text)


def run(command: str, root: Path) -> str:
    """One line in a shell, `dream` being ours; both streams as a terminal would mix them, and a code that is not 0."""
    env = {**os.environ, "REVERIE_NOW": NOW, "PATH": f"{DREAM.parent}:{os.environ['PATH']}", "PYTHONUTF8": "1"}
    done = subprocess.run(["sh", "-c", f"exec 2>&1\n{command}"], cwd=root, env=env, stdout=subprocess.PIPE, check=False)
    return _told(done.stdout.decode(), done.returncode, root)


def run_here(command: str, root: Path) -> str:
    """The same for a command of ours without a pipe; everything else goes to the shell."""
    words = shlex.split(command)
    if words[0] != "dream" or set("|&;<>$`") & set(command):
        return run(command, root)
    with chdir(root):
        done = CliRunner().invoke(main, words[1:], env={"REVERIE_NOW": NOW})
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return _told(done.output, done.exit_code, root)


def _told(said: str, code: int, root: Path) -> str:
    home = Path.home()
    if home not in root.parents:
        said = said.replace(str(root), "/home/ada/agent")
    said = said.replace(str(home), "/home/ada").replace(str(DREAM), "dream")
    said = "".join(f"{line}\n" for line in said.rstrip("\n").split("\n")) if said else ""
    return said + (f"(exit code {code})\n" if code else "")
