"""A command of the owner's as a model: `claude -p`, `openclaw agent`, a script. No shell, no key, no address.

It reads the question on its input and prints the answer. Its environment is the owner's, its errors are nobody's business,
and when its time is over it ends together with everything that it started.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from reverie.counsel import Ask, ModelTrouble, Reply, Status
from reverie.llm.answer_text import value_in
from reverie.llm.http import LARGEST
from reverie.llm.told import number, plain, spoken

MODEL = "{model}"  # in a word of the command: the name of the model stands there
FRESH = "{fresh}"  # in a word of the command: a name that was never used before, for a conversation of its own
_CHUNK = 65_536
_SENT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class CommandModel:
    """Implements the `Model` port."""

    def __init__(
        self, command: Sequence[str], model: str = "", environ: Mapping[str, str] | None = None, *, identity: str = ""
    ) -> None:
        self._words = tuple(word.replace(MODEL, model) for word in command)
        self._nameless = not model and any(MODEL in word for word in command)
        self._environ = dict(os.environ if environ is None else environ)
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
        words = [word.replace(FRESH, f"dream-{secrets.token_hex(8)}") for word in self._words[1:]]
        said = _run([str(Path(program).absolute()), *words], question_of(ask), self._environ, seconds)
        return _unwrapped(said.decode("utf-8", "replace"), ask.schema)


def question_of(ask: Ask) -> bytes:
    """The whole question as one text: instructions, data, and the shape of the answer if the instructions do not tell it."""
    shape = json.dumps(plain(ask.schema), ensure_ascii=False, separators=(",", ":"))
    told = "" if shape in ask.system else f"\nThe schema of the answer:\n{shape}\n"
    last = "Use no tool. Answer with the JSON value alone: no sentence before or after it."
    return f"{ask.system}\n\n{ask.user}\n{told}\n{last}\n".encode("utf-8", "replace")


def _run(words: list[str], question: bytes, environ: Mapping[str, str], seconds: float) -> bytes:
    """What a program prints when it is told a question. It works in an empty folder: it has no business in ours."""
    ends = time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="dream-", ignore_cleanup_errors=True) as nowhere:
        try:
            child = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(environ),
                cwd=nowhere, start_new_session=True,
            )  # fmt: skip
        except OSError:
            raise ModelTrouble(Status.NO_MODEL, "the program of `model.command` cannot be started") from None
        assert child.stdin and child.stdout
        said = bytearray()
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
) -> bytes:
    hear.join(max(0.0, ends - time.monotonic()))
    if len(said) > LARGEST:
        raise ModelTrouble(Status.INVALID, f"the command printed more than {LARGEST:,} bytes")
    try:
        code = child.wait(max(0.0, ends - time.monotonic()) if not hear.is_alive() else 0)
    except subprocess.TimeoutExpired:
        code = None
    if code is None or hear.is_alive():
        raise ModelTrouble(Status.SLOW, f"no whole answer came in {seconds:g} seconds")
    if code:
        raise ModelTrouble(Status.FAILED, f"the command ended with code {code}")
    return bytes(said)


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


def _unwrapped(text: str, schema: Mapping[str, Any]) -> Reply:
    """The model's own words, out of what some programs wrap around them, and what they counted."""
    outer = value_in(text).value
    if not isinstance(outer, dict) or _has_the_shape(outer, schema):
        inner = _inside(outer) if isinstance(outer, dict) else None
        # An answer of ours may have a field `text` too: only what holds a whole answer in it is a wrapping.
        wrapped = inner is not None and _has_the_shape(value_in(inner).value, schema)
        return spoken(inner if wrapped else text)
    inner = _inside(outer)
    if outer.get("is_error"):
        busy = inner is not None and any(word in inner.lower() for word in ("rate limit", "rate_limit", "429", "529"))
        raise ModelTrouble(
            *((Status.RATE_LIMITED, "the command takes no more questions for now") if busy
              else (Status.FAILED, "the command says that it failed"))
        )  # fmt: skip
    return spoken(inner if inner is not None else text, *_counts(outer))


def _inside(outer: Mapping[str, Any]) -> str | None:
    """`result` (claude -p --output-format json), `payloads[0].text` (openclaw agent --json), `text`, or `response` (gemini)."""
    result = outer.get("result")
    if isinstance(result, Mapping):
        return _inside(result)
    payloads = outer.get("payloads")
    first = payloads[0] if isinstance(payloads, list) and payloads else None
    found = (
        result,
        first.get("text") if isinstance(first, Mapping) else None,
        outer.get("text"),
        outer.get("response"),
    )
    return next((one for one in found if isinstance(one, str)), None)


def _counts(outer: Mapping[str, Any]) -> tuple[int, int]:
    """Tokens in and out, as either program tells them."""
    result = outer.get("result")
    meta = ((result if isinstance(result, Mapping) else outer), "meta", "agentMeta", "usage")
    sent = sum(number(outer, "usage", name) for name in _SENT)
    return sent or number(*meta, "input"), number(outer, "usage", "output_tokens") or number(*meta, "output")


def _has_the_shape(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether an object has the fields that the schema asks for, and no other."""
    known = set(schema.get("properties") or ())
    return isinstance(value, dict) and set(schema.get("required") or known) <= set(value) <= known
