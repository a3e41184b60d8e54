"""Other programs: from absolute places of PATH, in an empty folder of their own, never in a workspace: it may be a stranger's."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from tempfile import TemporaryDirectory, TemporaryFile


def find_program(name: str) -> str | None:
    """The program of this name on the owner's PATH; never one that lies in the present folder."""
    found = shutil.which(name, path=_absolute_path())
    return found if found and os.path.isabs(found) else None


def call(words: Sequence[str], seconds: float, given: bytes = b"") -> tuple[int, bytes, str]:
    """Exit code, answer, complaint. FileNotFoundError where there is no such program, TimeoutError when it takes longer."""
    if (program := find_program(words[0])) is None:
        raise FileNotFoundError(2, f"`{words[0]}` is not there")
    # Answers into files: a pipe would stay open as long as any child of a child lives.
    with TemporaryDirectory(prefix="dream-") as folder, TemporaryFile() as out, TemporaryFile() as err:
        command, env = [program, *words[1:]], os.environ | {"PATH": _absolute_path(), "PWD": folder}
        try:
            done = subprocess.run(command, input=given, stdout=out, stderr=err, timeout=seconds, cwd=folder, env=env)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"`{words[0]}` gave no answer within {seconds:.0f} seconds") from None
        out.seek(0)
        err.seek(0)
        return done.returncode, out.read(), err.read().decode("utf-8", "replace").strip().partition("\n")[0]


def _absolute_path() -> str:
    return os.pathsep.join(filter(os.path.isabs, os.environ.get("PATH", "").split(os.pathsep))) or os.sep
