"""Anthropic's messages. The answer is the argument of a tool that the model must call, so that it has the shape asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from reverie.core.model_calls import Ask, ModelTrouble, Reply, Status
from reverie.models.address import checked_key, shown
from reverie.models.http import post
from reverie.models.outcomes import number, plain, spoken

ADDRESS = "https://api.anthropic.com"
_VERSION = "2023-06-01"
_TOOL = "answer"
_SENT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class AnthropicModel:
    """Implements the `Model` port."""

    def __init__(self, url: str, model: str, key: str = "", variable: str = "ANTHROPIC_API_KEY") -> None:
        self._url = (url or ADDRESS).rstrip("/").removesuffix("/v1")
        self._model, self._key, self._variable = model, key, variable
        self.identity = f"anthropic:{shown(self._url)}:{model}"

    def ask(self, ask: Ask, seconds: float) -> Reply:
        if not self._model:
            raise ModelTrouble(Status.NO_MODEL, "no model is named: set `model.model`")
        key = checked_key(self._key, self._url, self._variable, needed=True)
        tool = {"name": _TOOL, "description": "Gives the whole answer.", "input_schema": plain(ask.schema)}
        body = {
            "model": self._model,
            "max_tokens": ask.most_tokens,
            "system": ask.system,
            "messages": [{"role": "user", "content": ask.user}],
            "tools": [tool],
            "tool_choice": {"type": "tool", "name": _TOOL, "disable_parallel_tool_use": True},
        }
        headers = {"x-api-key": key, "anthropic-version": _VERSION}
        return _reply(post(f"{self._url}/v1/messages", body, headers, seconds))


def _reply(answer: Mapping[str, Any]) -> Reply:
    ended, blocks = answer.get("stop_reason"), answer.get("content")
    if ended == "refusal":
        raise ModelTrouble(Status.REFUSED, "the model declined to answer")
    if ended == "max_tokens":
        raise ModelTrouble(Status.TRUNCATED, "the answer reached its greatest length before it was whole")
    if not isinstance(blocks, list):
        raise ModelTrouble(Status.INVALID, "the server answered something that holds no message")
    found = [block for block in blocks if isinstance(block, dict)]
    called = [block.get("input") for block in found if block.get("type") == "tool_use"]
    said = "".join(str(block.get("text") or "") for block in found if block.get("type") == "text")
    text = (
        json.dumps(called[0], ensure_ascii=False) if called else said
    )  # words instead of the call: the asker judges them
    return spoken(text, sum(number(answer, "usage", name) for name in _SENT), number(answer, "usage", "output_tokens"))
