"""How other processes are started: in a folder of their own, so that nothing which lies in a workspace is taken for code.

Python, the system and many programs look for modules, libraries and settings in the folder they are started in, and a
workspace may be a stranger's. So a child never stands there: not by its folder, not by its path of modules, and not by a
variable that means "here". Every process of ours is started by this file (`tests/docs/test_rooms.py`).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path

# The child takes our own path of modules instead of one that is made from its surroundings, then calls what it is told.
_BEGIN = "import sys, json; sys.path[:] = json.loads(sys.argv.pop(1)); "
_LISTS = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "NODE_PATH", "PERL5LIB")  # an empty one: here
_PLACES = ("HOME", "OPENCLAW_STATE_DIR", "OPENCLAW_WORKSPACE", "CLAUDE_CONFIG_DIR",
           "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "TMPDIR")  # fmt: skip


def python(code: str, *words: str, workspace: Path) -> list[str]:
    """The command of a Python that runs this code of ours with these words, and finds modules only where we found ours.

    `-I` alone would lose packages of the user's own site and of a PYTHONPATH; so it is given the places we use, without the
    folder we were started in and without the workspace.
    """
    flags = ["-I", *(["-B"] if sys.dont_write_bytecode else []), *(["-X", "utf8"] if sys.flags.utf8_mode else [])]
    return [sys.executable, *flags, "-c", _BEGIN + code, json.dumps(module_places(workspace)), *words]


def module_places(workspace: Path) -> list[str]:
    """Where modules may come from: our own path, without the present folder and the workspace; always the package itself."""
    ours = str(Path(__file__).parents[2])
    never = {workspace.resolve()}
    with suppress(OSError):  # the folder we were started in may be gone
        never.add(Path.cwd())
    places = [one for one in sys.path if one == ours or (Path(one).is_absolute() and Path(one).resolve() not in never)]
    return places if ours in places else [ours, *places]


def environment(environ: Mapping[str, str], folder: Path) -> dict[str, str]:
    """The same variables for somebody who stands in another folder: places stay what they were, and none means "here"."""
    clean = {name: value for name, value in environ.items() if name != "OLDPWD"}
    for name in _LISTS:
        if name in clean:
            clean[name] = _absolute(clean[name])
    for name in _PLACES:
        if clean.get(name) and not clean[name].startswith("~"):
            clean[name] = str(Path(clean[name]).absolute())
    return {**clean, "PWD": str(folder)}


def find_program(name: str, environ: Mapping[str, str]) -> str | None:
    """The program of this name on the owner's PATH, never one that lies in the present folder."""
    if Path(name).name != name and not Path(name).is_absolute():
        return None
    found = shutil.which(name, path=_absolute(environ.get("PATH", os.defpath)))
    return found if found and Path(found).is_absolute() else None


def _absolute(places: str) -> str:
    return os.pathsep.join(one for one in places.split(os.pathsep) if Path(one).is_absolute())


@contextmanager
def own_folder() -> Iterator[Path]:
    """An empty folder that nobody else can write to; it goes when its user is done."""
    with tempfile.TemporaryDirectory(prefix="dream-", ignore_cleanup_errors=True) as name:
        yield Path(name)


def start(
    words: Sequence[str],
    environ: Mapping[str, str],
    folder: Path,
    *,
    stdin: int = subprocess.DEVNULL,
    stdout: int = subprocess.DEVNULL,
    stderr: int = subprocess.DEVNULL,
    own_session: bool = True,
) -> subprocess.Popen[bytes]:
    """A child that stands in this folder, heard only where a pipe or a file is given. Raises OSError."""
    return subprocess.Popen(
        words,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        env=environment(environ, folder),
        cwd=folder,
        start_new_session=own_session and hasattr(os, "killpg"),
    )


def start_alone(
    words: Sequence[str], environ: Mapping[str, str], *, stdout: int, stderr: int, own_session: bool = True
) -> tuple[subprocess.Popen[bytes], ExitStack]:
    """A child in an empty folder, and what takes the folder away once the child is over. Raises OSError."""
    with ExitStack() as until_started:
        folder = until_started.enter_context(own_folder())
        child = start(words, environ, folder, stdout=stdout, stderr=stderr, own_session=own_session)
        return child, until_started.pop_all()


def call(
    words: Sequence[str], environ: Mapping[str, str], seconds: float, given: bytes = b"", folder: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    """A short call and all it said, from a folder of its own if none is given. Raises OSError and TimeoutExpired."""
    with nullcontext(folder) if folder else own_folder() as here:
        clean = environment(environ, here)
        return subprocess.run(
            words, input=given, capture_output=True, env=clean, cwd=here, timeout=seconds, check=False
        )
