"""A command of the owner's as a model: `claude -p`, `openclaw agent`, a script. No shell, no key, no address.

It reads the question on its input and prints the answer. Its environment is the owner's, its errors are nobody's business,
and when its time is over it ends together with everything that it started.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from reverie.core.model_calls import NONE, Ask, ModelTrouble, Reply, Status
from reverie.models.http import LARGEST
from reverie.models.outcomes import plain
from reverie.models.wrappings import unwrapped

MODEL = "{model}"  # in a word of the command: the name of the model stands there
_CHUNK = 65_536

Afterwards = Callable[[Path, str], None]  # the folder it worked in, and what it printed


class CommandModel:
    """Implements the `Model` port."""

    def __init__(
        self,
        command: Sequence[str],
        model: str = "",
        environ: Mapping[str, str] | None = None,
        *,
        identity: str = "",
        files: Mapping[str, str] = NONE,  # what stands in its folder, by path: settings for it alone
        afterwards: Afterwards | None = None,  # takes away what it would leave behind
    ) -> None:
        self._words = tuple(word.replace(MODEL, model) for word in command)
        self._nameless = not model and any(MODEL in word for word in command)
        self._environ = dict(os.environ if environ is None else environ)
        self._files, self._afterwards = files, afterwards
        # The words of a command may hold a key, so its identity shows the program alone.
        digest = hashlib.sha256("\0".join(self._words).encode("utf-8", "replace")).hexdigest()[:8]
        usual = f"command:{Path(self._words[0]).name}:{digest}" if self._words else "command:"
        self.identity = identity or usual

    def ask(self, ask: Ask, seconds: float) -> Reply:
        if not self._words or self._nameless:
            missing = f"`model.model` is empty, and the command asks for it with {MODEL}" if self._words else ""
            raise ModelTrouble(Status.NO_MODEL, missing or "no command is set: set `model.command`")
        program = shutil.which(self._words[0], path=self._environ.get("PATH"))
        if program is None:
            raise ModelTrouble(Status.NO_MODEL, "the program of `model.command` is not installed")
        code, said = self._run([str(Path(program).absolute()), *self._words[1:]], question_of(ask), seconds)
        return unwrapped(said.decode("utf-8", "replace"), ask.schema, code)

    def _run(self, words: list[str], question: bytes, seconds: float) -> tuple[int, bytes]:
        """How a program ended and what it printed. It works in an empty folder: it has no business in ours."""
        with tempfile.TemporaryDirectory(prefix="dream-", ignore_cleanup_errors=True) as nowhere:
            folder, said = Path(nowhere), bytearray()
            for name, text in self._files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text, encoding="utf-8")
            try:
                return _run(words, question, self._environ, seconds, folder, said), bytes(said)
            finally:
                if self._afterwards:
                    self._afterwards(folder, bytes(said).decode("utf-8", "replace"))


def question_of(ask: Ask) -> bytes:
    """The whole question as one text: instructions, data, and the shape of the answer if the instructions do not tell it."""
    shape = json.dumps(plain(ask.schema), ensure_ascii=False, separators=(",", ":"))
    told = "" if shape in ask.system else f"\nThe schema of the answer:\n{shape}\n"
    last = "Use no tool. Answer with the JSON value alone: no sentence before or after it."
    return f"{ask.system}\n\n{ask.user}\n{told}\n{last}\n".encode("utf-8", "replace")


def _run(
    words: list[str], question: bytes, environ: Mapping[str, str], seconds: float, folder: Path, said: bytearray
) -> int:
    """The code that a program ends with when it is told a question; what it prints goes to `said`."""
    ends = time.monotonic() + seconds
    here = {
        **environ,
        "PWD": str(folder),
    }  # some ask the environment where they are, and would work in the owner's folder
    try:
        child = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=here, cwd=folder,
            start_new_session=True,
        )  # fmt: skip
    except OSError:
        raise ModelTrouble(Status.NO_MODEL, "the program of `model.command` cannot be started") from None
    assert child.stdin and child.stdout
    talk = threading.Thread(target=_tell, args=(child.stdin, question), daemon=True)
    hear = threading.Thread(target=_hear, args=(child.stdout, said), daemon=True)
    talk.start()
    hear.start()
    try:
        return _outcome(child, hear, said, ends, seconds)
    finally:
        if child.returncode is None or hear.is_alive():
            _end(child)
        for thread in (talk, hear):
            thread.join(1)


def _outcome(
    child: subprocess.Popen[bytes], hear: threading.Thread, said: bytearray, ends: float, seconds: float
) -> int:
    hear.join(max(0.0, ends - time.monotonic()))
    if len(said) > LARGEST:
        raise ModelTrouble(Status.INVALID, f"the command printed more than {LARGEST:,} bytes")
    try:
        code = child.wait(max(0.0, ends - time.monotonic()) if not hear.is_alive() else 0)
    except subprocess.TimeoutExpired:
        code = None
    if code is None or hear.is_alive():
        raise ModelTrouble(Status.SLOW, f"no whole answer came in {seconds:g} seconds")
    return code


def _tell(pipe: IO[bytes], question: bytes) -> None:
    with suppress(OSError, ValueError), pipe:  # it may end without having read everything
        pipe.write(question)


def _hear(pipe: IO[bytes], said: bytearray) -> None:
    with suppress(OSError, ValueError), pipe:
        while len(said) <= LARGEST and (part := os.read(pipe.fileno(), _CHUNK)):
            said += part


def _end(child: subprocess.Popen[bytes]) -> None:
    """The command and whatever it started: a child of it would hold the pipes open."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()
    child.wait()
