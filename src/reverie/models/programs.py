"""A program as a model: it gets the question on standard input, in an empty folder, and is killed with its children in time."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from reverie.errors import ModelFailed

SYSTEM = "Use no tool. Answer with the JSON value alone."
_LARGEST = 4_000_000  # bytes of an answer


@cache
def presets() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("programs.toml").read_text("utf-8"))


def installed() -> list[str]:
    """The agents' programs that this machine has."""
    return [name for name in presets() if name != "files" and _program(name)]


def ask_preset(kind: str, model: str, prompt: str, seconds: float) -> str:
    """What a host's own program answers."""
    preset = presets()[kind]
    words: list[str] = []
    for word in preset["words"]:
        if word == "{model}" and not model:
            words.pop()
            continue
        words.append(SYSTEM if word == "{system}" else model if word == "{model}" else word)
    question = prompt if "{system}" in preset["words"] else f"{SYSTEM}\n\n{prompt}"
    files = presets()["files"].get(kind, {})
    return _unwrapped(run(words, question, seconds, preset["environ"], files), preset["answer"])


def run(
    words: Sequence[str], question: str, seconds: float, environ: Mapping[str, str] = {}, files: Mapping[str, str] = {}
) -> str:
    """The output of a program; ModelFailed where it is not there, fails, or takes too long."""
    program = _program(words[0])
    if not program:
        raise ModelFailed(f"The program {words[0]} is not installed.")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        child = subprocess.Popen(
            [program, *words[1:]], cwd=folder, env={**_environment(folder), **environ}, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            said, _ = child.communicate(question.encode("utf-8", "replace"), seconds)
        except subprocess.TimeoutExpired:
            raise ModelFailed(f"{words[0]} did not answer within {seconds:.0f} seconds.") from None
        finally:
            _end(child)
    if child.returncode or not said.strip() or len(said) > _LARGEST:
        raise ModelFailed(f"{words[0]} gave no answer (it ended with {child.returncode}).")
    return said.decode("utf-8", "replace")


def _end(child: subprocess.Popen[bytes]) -> None:
    """Its children hold the pipe: the whole group goes."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        child.kill()
    child.communicate()


def _program(name: str) -> str | None:
    """A program of an absolute folder of PATH: nothing that lies in a workspace is ever run."""
    folders = [folder for folder in os.environ.get("PATH", "").split(os.pathsep) if os.path.isabs(folder)]
    return (
        name if os.path.isabs(name) and os.access(name, os.X_OK) else shutil.which(name, path=os.pathsep.join(folders))
    )


def _environment(folder: str) -> dict[str, str]:
    folders = [part for part in os.environ.get("PATH", "").split(os.pathsep) if os.path.isabs(part)]
    return dict(os.environ) | {"PWD": folder, "PATH": os.pathsep.join(folders)}


def _unwrapped(text: str, path: Sequence[str]) -> str:
    """What was said inside the program's own JSON, or JSON lines; the text itself where it is none."""
    found = [said for value in _values(text) for said in _at(value, path)]
    return found[-1] if found else text


def _values(text: str) -> Iterator[Any]:
    for part in (text, *text.splitlines()):
        try:
            yield json.loads(part)
        except (ValueError, RecursionError):
            continue
        if part is text:
            return


def _at(value: Any, path: Sequence[str]) -> Iterator[str]:
    if isinstance(value, list):
        yield from (said for item in value for said in _at(item, path))
    elif not path and isinstance(value, str) and value.strip():
        yield value
    elif path and isinstance(value, dict) and path[0] in value:
        yield from _at(value[path[0]], path[1:])
