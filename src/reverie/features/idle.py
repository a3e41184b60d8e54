"""Whether the agent is at work: by the ages of locks and conversations first, then by its host's own command.

Other programs are started here alone: from absolute places of PATH, in an empty folder, never in a (stranger's) workspace.
"""

import os
import re
from collections.abc import Sequence
from datetime import datetime

from reverie.workspace.layout import Layout
from reverie.workspace.transcripts import sessions_of

_DREAM_LOCK = "memory/.dream_lock"  # seed 001's tools lay it down while they dream
_LOCK_MINUTES, _QUIET_MINUTES = 30, 10
_SECONDS = 5.0  # that OpenClaw's command gets (seed 000)
_AT_WORK = re.compile(r"\b(?:busy|running|working|active|processing|streaming)\b|忙|运行中")
# "inactive" is another word; "not running", "0 active sessions" and "active (idle)" are at rest.
_AT_REST = re.compile(r"\b(?:idle|not|no|none|0|false|stopped|offline)\b|空闲|未|没有|不")


def busy(layout: Layout, now: datetime) -> str:
    """What the agent is at, as a sentence; empty where it rests or nobody can tell."""
    if (minutes := _age(layout.real(_DREAM_LOCK), now)) < _LOCK_MINUTES:
        return f"{_DREAM_LOCK} is {minutes:.0f} minutes old"
    for path, _ in sessions_of(layout).values():
        minutes = min(_age(place, now) for place in (path, path.with_name(f"{path.name}.lock")))
        if minutes < _QUIET_MINUTES:
            return f"the agent was at work {minutes:.0f} minutes ago"
    try:
        code, out, _ = call(("openclaw", "agent", "status"), _SECONDS)
    except OSError as error:
        return str(error) if isinstance(error, TimeoutError) else ""
    # Many versions have no such command: a failure tells nothing.
    parts = re.split(r"[\n,;{}]", out.decode("utf-8", "replace").casefold()) if code == 0 else []
    at_work = any(_AT_WORK.search(part) and not _AT_REST.search(part) for part in parts)
    return "OpenClaw says that the agent is at work" if at_work else ""


def call(words: Sequence[str], seconds: float = 30.0, given: bytes = b"") -> tuple[int, bytes, str]:
    """Exit code, answer, complaint. FileNotFoundError where there is no such program, TimeoutError when it takes longer."""
    import shutil
    import subprocess
    from tempfile import TemporaryDirectory, TemporaryFile

    places = os.pathsep.join(filter(os.path.isabs, os.environ.get("PATH", "").split(os.pathsep))) or os.sep
    program = shutil.which(words[0], path=places)
    if not program or not os.path.isabs(program):
        raise FileNotFoundError(2, f"`{words[0]}` is not there")
    # Answers into files: a pipe would stay open as long as any child of a child lives.
    with TemporaryDirectory(prefix="dream-") as folder, TemporaryFile() as out, TemporaryFile() as err:
        command, env = [program, *words[1:]], os.environ | {"PATH": places, "PWD": folder}
        try:
            done = subprocess.run(command, input=given, stdout=out, stderr=err, timeout=seconds, cwd=folder, env=env)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"`{words[0]}` gave no answer within {seconds:.0f} seconds") from None
        out.seek(0)
        err.seek(0)
        return done.returncode, out.read(), err.read().decode("utf-8", "replace").strip().partition("\n")[0]


def _age(path: os.PathLike[str], now: datetime) -> float:
    """Minutes since a file was written, or until then by a clock that differs; endless where there is none."""
    return abs(now.timestamp() - os.lstat(path).st_mtime) / 60 if os.path.lexists(path) else float("inf")
