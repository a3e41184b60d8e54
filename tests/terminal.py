"""`dream` as people call it: as a real process, or inside this one where speed matters."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from reverie.surfaces.cli import main

DREAM = Path(sys.executable).with_name("dream")
TOKEN = "ghp_" + "Ab1" * 12  # made up
PASSWORD = "Abc12345x"
SECRETS = (TOKEN, PASSWORD)


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


def dream(*args: str | Path, cwd: Path | None = None, stdin: str = "", **env: str) -> Done:
    """The console script in a process of its own, its streams in pipes."""
    run = subprocess.run(
        [DREAM, *map(str, args)], cwd=cwd, input=stdin.encode(), env={**os.environ, **env}, capture_output=True, check=False
    )  # fmt: skip
    return Done(run.returncode, run.stdout.decode(), run.stderr.decode())


def call(*args: str | Path, stdin: str = "", **env: str) -> Done:
    """The same command without a new process."""
    result = CliRunner().invoke(main, [str(arg) for arg in args], input=stdin, env=env)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Done(result.exit_code, result.stdout, result.stderr)
