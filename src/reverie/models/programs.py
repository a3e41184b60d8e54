"""A program as a model: it gets the question on standard input, in an empty folder, and is killed with its children in time."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from glob import glob
from pathlib import Path
from typing import Any

from reverie.errors import ModelFailed
from reverie.workspace.layout import openclaw_folder

SYSTEM = "Use no tool. Answer with the JSON value alone."
_LARGEST = 4_000_000  # bytes of an answer


@cache
def presets() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("programs.toml").read_text("utf-8"))


def installed() -> list[str]:
    """The agents' programs that this machine has."""
    return [name for name in presets() if _program(name)]


def ask_preset(kind: str, model: str, prompt: str, seconds: float) -> str:
    """What a host's own program answers."""
    preset = presets()[kind]
    filled, words = {"{system}": [SYSTEM], "{model}": [model] * bool(model), "{server}": _switched_off()}, list[str]()
    for word in preset["words"]:
        if word in filled:
            before = words.pop()
            words += [part for value in filled[word] for part in (before, value)]
        else:
            words.append(word)
    question = prompt if "{system}" in preset["words"] else f"{SYSTEM}\n\n{prompt}"
    said = run(words, question, seconds, preset["environ"], preset.get("files", {}), preset.get("leaves", ()))
    if found := re.search(preset.get("session", "$^"), said):
        with suppress(ModelFailed):  # what it prints does not matter
            run([*preset["forget"], found[1]], "", seconds, preset["environ"])
    return _unwrapped(said, preset["answer"])


def _switched_off() -> list[str]:
    """The MCP servers of Codex's owner, each of which has to be switched off by its name."""
    try:
        settings = Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex") / "config.toml"
        servers = tomllib.loads(settings.read_text("utf-8")).get("mcp_servers", {})
    except (OSError, ValueError):
        return []
    return [f"mcp_servers.{name}.enabled=false" for name in servers if re.fullmatch(r"[\w-]+", name)]


def run(
    words: Sequence[str],
    question: str,
    seconds: float,
    environ: Mapping[str, str] = {},
    files: Mapping[str, str] = {},
    leaves: Sequence[str] = (),
) -> str:
    """The output of a program; ModelFailed where it is not there, fails, or takes too long."""
    program = _program(words[0])
    if not program:
        raise ModelFailed(f"The program {words[0]} is not installed.")
    with tempfile.TemporaryDirectory() as folder:
        openclaw = os.environ.get("OPENCLAW_CONFIG_PATH") or str(openclaw_folder() / "openclaw.json")
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace('"{openclaw}"', json.dumps(openclaw)))
        given = {name: value.replace("{settings}", os.path.dirname(openclaw)) for name, value in environ.items()}
        try:
            child = subprocess.Popen(
                [program, *words[1:]], cwd=folder, env=_environment(folder) | given, start_new_session=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except OSError as error:
            raise ModelFailed(f"The program {words[0]} cannot be started: {error.strerror}.") from None
        try:
            said, _ = child.communicate(question.encode("utf-8", "replace"), seconds)
        except subprocess.TimeoutExpired:
            raise ModelFailed(f"{words[0]} did not answer within {seconds:.0f} seconds.") from None
        finally:
            _end(child)
            for path in (Path(found) for pattern in leaves for found in glob(os.path.expanduser(pattern))):
                if os.path.realpath(path.read_text("utf-8", "replace").strip()) == os.path.realpath(folder):
                    shutil.rmtree(path.parent, ignore_errors=True)
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
