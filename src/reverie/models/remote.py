"""Models that are asked over HTTP: Anthropic's, Ollama's, and any endpoint that speaks as OpenAI's (llama.cpp, vLLM, LM Studio …).

Each is held to the schema of the answer in its own way: Anthropic's must call a tool whose argument is the answer, Ollama and
OpenAI take the schema itself. An OpenAI-like server that does not know schemas is asked once more for any JSON object, and from
then on at once so; the asker checks the shape anyway.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from reverie.core.model_calls import Ask, Reply, Status
from reverie.evidence.http import Declined, checked_key, post, shown
from reverie.models import count_in, reply_of, trouble

_TOOL = "answer"
_SENT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_LEAST_CONTEXT, _MOST_CONTEXT = 4_096, 65_536  # tokens
_NOT_OPENAIS = frozenset({"minLength", "maxLength"})  # keywords that its strict schemas refuse


class RemoteModel:
    """What the three have in common: an address, the name of a model, a key. `url` is empty for the usual address."""

    kind = usual_url = ending = ""  # `ending` is what people write behind the address and we write ourselves

    def __init__(self, url: str, model: str, key: str, variable: str) -> None:
        self._url = (url or self.usual_url).rstrip("/").removesuffix(self.ending)
        self._model, self._key, self._variable = model, key, variable
        self.identity = f"{self.kind}:{shown(self._url)}:{model}"

    def ask(self, ask: Ask, seconds: float) -> Reply:
        raise NotImplementedError

    def _checked_key(self, *, needed: bool, named: bool = True) -> str:
        if named and not self._model:
            raise trouble(Status.NO_MODEL, "unnamed")
        return checked_key(self._key, self._url, self._variable, needed=needed)


class AnthropicModel(RemoteModel):
    """Implements the `Model` port."""

    kind, usual_url, ending = "anthropic", "https://api.anthropic.com", "/v1"

    def ask(self, ask: Ask, seconds: float) -> Reply:
        key = self._checked_key(needed=True)
        tool = {"name": _TOOL, "description": "Gives the whole answer.", "input_schema": ask.plain_schema}
        body = {
            "model": self._model,
            "max_tokens": ask.most_tokens,
            "system": ask.system,
            "messages": [{"role": "user", "content": ask.user}],
            "tools": [tool],
            "tool_choice": {"type": "tool", "name": _TOOL, "disable_parallel_tool_use": True},
        }
        headers = {"x-api-key": key, "anthropic-version": "2023-06-01"}
        return _anthropic_reply(post(f"{self._url}/v1/messages", body, headers, seconds))


def _anthropic_reply(answer: Mapping[str, Any]) -> Reply:
    ended, blocks = answer.get("stop_reason"), answer.get("content")
    if ended == "refusal":
        raise trouble(Status.REFUSED, "declined")
    if ended == "max_tokens":
        raise trouble(Status.TRUNCATED, "cut")
    if not isinstance(blocks, list):
        raise trouble(Status.INVALID, "no_message")
    found = [block for block in blocks if isinstance(block, dict)]
    called = [block.get("input") for block in found if block.get("type") == "tool_use"]
    said = "".join(str(block.get("text") or "") for block in found if block.get("type") == "text")
    text = json.dumps(called[0], ensure_ascii=False) if called else said  # the asker judges words instead of the call
    sent = sum(count_in(answer, "usage", name) for name in _SENT)
    return reply_of(text, sent, count_in(answer, "usage", "output_tokens"))


class OllamaModel(RemoteModel):
    """Implements the `Model` port."""

    kind, usual_url, ending = "ollama", "http://localhost:11434", "/api"

    def ask(self, ask: Ask, seconds: float) -> Reply:
        key = self._checked_key(needed=False)
        body = {
            "model": self._model,
            "messages": _messages(ask),
            "format": ask.plain_schema,
            "stream": False,
            "options": {"temperature": 0, "num_predict": ask.most_tokens, "num_ctx": _context(ask)},
        }
        return _ollama_reply(post(f"{self._url}/api/chat", body, _bearer(key), seconds))


def _context(ask: Ask) -> int:
    """Room for question and answer. Without it Ollama drops the beginning of a long question, which is our instructions.

    In steps of a factor two: another size makes it load the model anew.
    """
    needed = len((ask.system + ask.user).encode("utf-8", "replace")) // 3 + ask.most_tokens
    room = _LEAST_CONTEXT
    while room < min(needed, _MOST_CONTEXT):
        room *= 2
    return room


def _ollama_reply(answer: Mapping[str, Any]) -> Reply:
    message = answer.get("message")
    if not isinstance(message, dict):
        raise trouble(Status.INVALID, "no_message")
    if answer.get("done_reason") == "length":
        raise trouble(Status.TRUNCATED, "cut")
    return reply_of(message.get("content"), count_in(answer, "prompt_eval_count"), count_in(answer, "eval_count"))


class OpenAIModel(RemoteModel):
    """Implements the `Model` port."""

    kind, usual_url = "openai", "https://api.openai.com/v1"

    def __init__(self, url: str, model: str, key: str, variable: str) -> None:
        super().__init__(url, model, key, variable)
        self._original = shown(self._url).startswith("https://api.openai.com/")
        self._knows_schemas = True

    def ask(self, ask: Ask, seconds: float) -> Reply:
        headers = _bearer(self._checked_key(needed=self._original, named=self._original))
        url, ends = f"{self._url}/chat/completions", time.monotonic() + seconds
        try:
            return _openai_reply(post(url, self._body(ask, schema=self._knows_schemas), headers, seconds))
        except Declined as declined:
            if declined.code not in (400, 422) or not self._knows_schemas:
                raise
        reply = _openai_reply(post(url, self._body(ask, schema=False), headers, ends - time.monotonic()))
        self._knows_schemas = False  # only now is it certain that the schema was the trouble
        return reply

    def _body(self, ask: Ask, *, schema: bool) -> dict[str, Any]:
        body: dict[str, Any] = {
            "messages": _messages(ask),
            "stream": False,
            "response_format": {"type": "json_object"},
        }
        if self._model:
            body["model"] = self._model
        if self._original:  # its newer models take neither a temperature nor the old name of the limit
            body["max_completion_tokens"] = ask.most_tokens
        else:
            body |= {"max_tokens": ask.most_tokens, "temperature": 0}
        if schema:
            shape = strict(ask.plain_schema) if self._original else ask.plain_schema
            named = {"name": ask.task or "answer", "strict": _is_closed(shape) or not self._original, "schema": shape}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        return body


def strict(schema: Any) -> Any:
    """A schema without the keywords that OpenAI refuses. A property of that name stays: a schema, where theirs is a number."""
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: strict(value) for key, value in schema.items() if key not in _NOT_OPENAIS or isinstance(value, dict)}


def _is_closed(schema: Any) -> bool:
    """Whether every object has all of its fields and no other: OpenAI holds an answer to no other schema."""
    if isinstance(schema, list):
        return all(map(_is_closed, schema))
    if not isinstance(schema, dict):
        return True
    fields = schema.get("properties")
    open_ = isinstance(fields, dict) and (
        set(schema.get("required", ())) != set(fields) or schema.get("additionalProperties") is not False
    )
    return not open_ and all(map(_is_closed, schema.values()))


def _openai_reply(answer: Mapping[str, Any]) -> Reply:
    try:
        choice = answer["choices"][0]
        message, ended = choice["message"], choice.get("finish_reason")
        said, refusal = message.get("content"), message.get("refusal")
    except (LookupError, TypeError, AttributeError):
        raise trouble(Status.INVALID, "no_message") from None
    if refusal or ended == "content_filter":
        raise trouble(Status.REFUSED, "declined")
    if ended == "length":
        raise trouble(Status.TRUNCATED, "cut")
    sent, received = (count_in(answer, "usage", name) for name in ("prompt_tokens", "completion_tokens"))
    return reply_of(said, sent, received)


def _messages(ask: Ask) -> list[dict[str, str]]:
    return [{"role": "system", "content": ask.system}, {"role": "user", "content": ask.user}]


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}
