"""A model in this process, from a file of weights, through the optional package `xllamacpp`. Nothing leaves the machine.

One thread and no waiting in circles: a night is in no hurry, and the owner may be at work. The answer comes in pieces, so
that it can be ended when its time is over. The package opens a port of its own on this machine; it is locked with a key that
nobody knows, and what it is asked is not shown there.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import queue
import secrets
import threading
from pathlib import Path
from typing import Any

from reverie.core.model_calls import Ask, ModelTrouble, Reply, Status
from reverie.models import count_in, reply_of, trouble

PACKAGE = "xllamacpp"
CONTEXT = 8_192  # tokens of question and answer: a batch of lines fits, and a small machine has the memory for it
_LOADED: dict[str, Any] = {}  # weights are loaded once in a process
_LOADING = threading.Lock()


class LlamaModel:
    """Implements the `Model` port. Loads nothing before it is asked."""

    def __init__(self, weights: str, context: int = CONTEXT) -> None:
        self._weights = Path(weights).expanduser() if weights else None
        self._context = context
        self.identity = f"llamacpp:{self._weights.name if self._weights else ''}"

    def ask(self, ask: Ask, seconds: float) -> Reply:
        weights = self._present()
        answer: queue.SimpleQueue[Reply | ModelTrouble] = queue.SimpleQueue()
        over = threading.Event()
        threading.Thread(target=self._work, args=(weights, ask, answer, over), daemon=True).start()
        try:
            found = answer.get(timeout=seconds)
        except queue.Empty:
            over.set()  # it stops at its next word
            raise trouble(Status.SLOW, "slow", seconds=seconds) from None
        if isinstance(found, ModelTrouble):
            raise found
        return found

    def _present(self) -> Path:
        if importlib.util.find_spec(PACKAGE) is None:
            raise trouble(Status.NO_MODEL, "no_package", package=PACKAGE)
        if self._weights is None or not self._weights.is_file():
            raise trouble(Status.NO_MODEL, "no_weights")
        return self._weights

    def _work(
        self, weights: Path, ask: Ask, answer: queue.SimpleQueue[Reply | ModelTrouble], over: threading.Event
    ) -> None:
        try:
            answer.put(_answered(self._server(weights), ask, over))
        except ModelTrouble as error:
            answer.put(error)
        except (RuntimeError, ValueError, OSError, ImportError):  # what the package raises; its words may hold a path
            answer.put(trouble(Status.FAILED, "package_failed", package=PACKAGE))

    def _server(self, weights: Path) -> Any:
        with _LOADING:
            name = f"{weights.resolve()}:{self._context}"
            if name not in _LOADED:
                _LOADED[name] = _load(weights, self._context)
            return _LOADED[name]


def _load(weights: Path, context: int) -> Any:
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # else its threads burn a core while they wait
    llama = importlib.import_module(PACKAGE)  # a hundred megabytes of machine code, only for those who chose it
    wanted = llama.CommonParams()
    wanted.model.path = str(weights)
    wanted.n_ctx, wanted.n_parallel = context, 1
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = 1
    wanted.verbosity, wanted.warmup, wanted.cache_ram_mib = -1, False, 0
    wanted.offline, wanted.ui, wanted.endpoint_slots = True, False, False
    wanted.api_keys = [secrets.token_urlsafe(32)]
    try:
        return llama.Server(wanted)
    except RuntimeError:
        raise trouble(Status.NO_MODEL, "bad_weights") from None


def _answered(server: Any, ask: Ask, over: threading.Event) -> Reply:
    pieces: list[Any] = []

    def heard(piece: Any) -> bool:
        pieces.append(piece)
        return over.is_set()  # true ends the stream

    shape = {"name": ask.task or "answer", "strict": True, "schema": ask.plain_schema}
    question = {
        "messages": [{"role": "system", "content": _whole(ask.system)}, {"role": "user", "content": _whole(ask.user)}],
        "max_tokens": ask.most_tokens,
        "temperature": 0,
        "seed": 1,
        "stream": True,
        "stream_options": {"include_usage": True},
        "response_format": {"type": "json_schema", "json_schema": shape},
    }
    server.handle_chat_completions(question, heard)
    return _reply([piece for piece in pieces if isinstance(piece, dict)])


def _reply(pieces: list[dict[str, Any]]) -> Reply:
    choices = [choice for piece in pieces for choice in piece.get("choices") or ()]
    said = "".join(str((choice.get("delta") or {}).get("content") or "") for choice in choices)
    ended = [choice["finish_reason"] for choice in choices if choice.get("finish_reason")]
    if any("error" in piece for piece in pieces):
        raise trouble(Status.FAILED, "too_long")
    if "length" in ended:
        raise trouble(Status.TRUNCATED, "cut")
    usage = [piece for piece in pieces if "usage" in piece][-1:] or [{}]
    sent, received = (count_in(usage[0], "usage", name) for name in ("prompt_tokens", "completion_tokens"))
    return reply_of(said, sent, received)


def _whole(text: str) -> str:
    """Without half characters, which the package cannot take."""
    return text.encode("utf-8", "replace").decode()
