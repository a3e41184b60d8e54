"""Ollama, on this machine or another. It holds the answer to its schema, and tells what it counted."""

from __future__ import annotations

from typing import Any

from reverie.core.model_calls import Ask, ModelTrouble, Reply, Status
from reverie.models.address import checked_key, shown
from reverie.models.http import post
from reverie.models.outcomes import number, plain, spoken

ADDRESS = "http://localhost:11434"
_LEAST, _MOST = 4_096, 65_536  # tokens of context


class OllamaModel:
    """Implements the `Model` port."""

    def __init__(self, url: str, model: str, key: str = "", variable: str = "OLLAMA_API_KEY") -> None:
        self._url = (url or ADDRESS).rstrip("/").removesuffix("/api")
        self._model, self._key, self._variable = model, key, variable
        self.identity = f"ollama:{shown(self._url)}:{model}"

    def ask(self, ask: Ask, seconds: float) -> Reply:
        if not self._model:
            raise ModelTrouble(Status.NO_MODEL, "no model is named: set `model.model`")
        key = checked_key(self._key, self._url, self._variable, needed=False)
        body = {
            "model": self._model,
            "messages": [{"role": "system", "content": ask.system}, {"role": "user", "content": ask.user}],
            "format": plain(ask.schema),
            "stream": False,
            "options": {"temperature": 0, "num_predict": ask.most_tokens, "num_ctx": _context(ask)},
        }
        return _reply(post(f"{self._url}/api/chat", body, {"Authorization": f"Bearer {key}"} if key else {}, seconds))


def _context(ask: Ask) -> int:
    """Room for question and answer. Without it Ollama drops the beginning of a long question, which is our instructions.

    In steps of a factor two: another size makes it load the model anew.
    """
    needed = len((ask.system + ask.user).encode("utf-8", "replace")) // 3 + ask.most_tokens
    room = _LEAST
    while room < min(needed, _MOST):
        room *= 2
    return room


def _reply(answer: dict[str, Any]) -> Reply:
    message = answer.get("message")
    if not isinstance(message, dict):
        raise ModelTrouble(Status.INVALID, "the server answered something that holds no message")
    if answer.get("done_reason") == "length":
        raise ModelTrouble(Status.TRUNCATED, "the answer reached its greatest length before it was whole")
    return spoken(message.get("content"), number(answer, "prompt_eval_count"), number(answer, "eval_count"))
