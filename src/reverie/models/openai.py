"""Any endpoint that speaks as OpenAI's: also the servers of llama.cpp and vLLM, LM Studio, and most that are for hire.

The answer is held to its schema by the server. A server that does not know schemas is asked once more for any JSON object,
and from then on at once so; the asker checks the shape anyway.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from reverie.core.model_calls import Ask, ModelTrouble, Reply, Status
from reverie.models.address import checked_key, shown
from reverie.models.http import Declined, post
from reverie.models.outcomes import number, plain, spoken

ADDRESS = "https://api.openai.com/v1"
_NOT_THEIRS = frozenset({"minLength", "maxLength"})  # keywords that its strict schemas refuse


class OpenAIModel:
    """Implements the `Model` port."""

    def __init__(self, url: str, model: str, key: str = "", variable: str = "OPENAI_API_KEY") -> None:
        self._url = (url or ADDRESS).rstrip("/")
        self._model, self._key, self._variable = model, key, variable
        self._original = shown(self._url).startswith("https://api.openai.com/")
        self._knows_schemas = True
        self.identity = f"openai:{shown(self._url)}:{model}"

    def ask(self, ask: Ask, seconds: float) -> Reply:
        if self._original and not self._model:
            raise ModelTrouble(Status.NO_MODEL, "no model is named: set `model.model`")
        key = checked_key(self._key, self._url, self._variable, needed=self._original)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        url, ends = f"{self._url}/chat/completions", time.monotonic() + seconds
        try:
            return reply_in(post(url, self._body(ask, schema=self._knows_schemas), headers, seconds))
        except Declined as declined:
            if declined.code not in (400, 422) or not self._knows_schemas:
                raise
        reply = reply_in(post(url, self._body(ask, schema=False), headers, ends - time.monotonic()))
        self._knows_schemas = False  # only now is it certain that the schema was the trouble
        return reply

    def _body(self, ask: Ask, *, schema: bool) -> dict[str, Any]:
        body: dict[str, Any] = {
            "messages": [{"role": "system", "content": ask.system}, {"role": "user", "content": ask.user}],
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
            shape = strict(plain(ask.schema)) if self._original else plain(ask.schema)
            named = {"name": ask.task or "answer", "strict": _is_closed(shape) or not self._original, "schema": shape}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        return body


def strict(schema: Any) -> Any:
    """A schema without the keywords that theirs refuse. A property of that name stays: a schema, where theirs is a number."""
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: strict(value) for key, value in schema.items() if key not in _NOT_THEIRS or isinstance(value, dict)}


def _is_closed(schema: Any) -> bool:
    """Whether every object has all of its fields and no other: theirs hold an answer to no other schema."""
    if isinstance(schema, list):
        return all(map(_is_closed, schema))
    if not isinstance(schema, dict):
        return True
    fields = schema.get("properties")
    open_ = isinstance(fields, dict) and (
        set(schema.get("required", ())) != set(fields) or schema.get("additionalProperties") is not False
    )
    return not open_ and all(map(_is_closed, schema.values()))


def reply_in(answer: Mapping[str, Any]) -> Reply:
    try:
        choice = answer["choices"][0]
        message, ended = choice["message"], choice.get("finish_reason")
        said, refusal = message.get("content"), message.get("refusal")
    except (LookupError, TypeError, AttributeError):
        raise ModelTrouble(Status.INVALID, "the server answered something that holds no message") from None
    if refusal or ended == "content_filter":
        raise ModelTrouble(Status.REFUSED, "the model declined to answer")
    if ended == "length":
        raise ModelTrouble(Status.TRUNCATED, "the answer reached its greatest length before it was whole")
    return spoken(said, number(answer, "usage", "prompt_tokens"), number(answer, "usage", "completion_tokens"))
