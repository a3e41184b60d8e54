"""What programs wrap around a model's words: one JSON object, or one line of JSON for every event. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from reverie.core.model_calls import ModelTrouble, Reply, Status
from reverie.judge.answer_text import value_in
from reverie.models.outcomes import number, spoken
from reverie.text.lines import split_lines

_SENT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_FAILED = ("error", "turn.failed")  # events of opencode and codex; codex has the first for what it tries again, too
_BUSY = ("rate limit", "rate_limit", "usage limit", "usage_limit", "overloaded", "429", "529")


def unwrapped(text: str, schema: Mapping[str, Any], code: int = 0) -> Reply:
    """The model's own words and what was counted; with a code that says no, only what kind of trouble it was."""
    events = _events(text)
    outer = None if events else value_in(text).value
    if code:
        raise _trouble(
            events or ([outer] if isinstance(outer, dict) else ()),
            f"the command ended with code {code}; start it by hand once, it may want a login",
        )
    if events:
        return _of_events(events)
    if not isinstance(outer, dict) or _has_the_shape(outer, schema):
        inner = _inside(outer) if isinstance(outer, dict) else None
        # An answer of ours may have a field `text` too: only what holds a whole answer in it is a wrapping.
        wrapped = inner is not None and _has_the_shape(value_in(inner).value, schema)
        return spoken(inner if wrapped else text)
    if outer.get("is_error") or outer.get("ok") is False:
        raise _trouble([outer], "the command says that it failed")
    inner = _inside(outer)
    return spoken(inner if inner is not None else text, *_counts(outer))


def _trouble(told: Sequence[Mapping[str, Any]], otherwise: str) -> ModelTrouble:
    said = json.dumps(told, default=str).lower()
    if any(word in said for word in _BUSY):
        return ModelTrouble(Status.RATE_LIMITED, "the command takes no more questions for now")
    return ModelTrouble(Status.FAILED, otherwise)


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
    """Tokens in and out: claude's and openclaw's `usage`, that of openclaw behind a gateway, or gemini's sum over its models."""
    usage = outer.get("usage")
    sent = sum(number(usage, name) for name in _SENT)
    if sent or number(usage, "output_tokens"):
        return sent, number(usage, "output_tokens")
    result = outer.get("result")
    behind = ((result if isinstance(result, Mapping) else outer), "meta", "agentMeta", "usage")
    models = (outer.get("stats") or {}).get("models") if isinstance(outer.get("stats"), Mapping) else None
    each = list(models.values()) if isinstance(models, Mapping) else []
    read = number(usage, "cacheRead") + number(usage, "cacheWrite")
    return (
        number(usage, "input") + read or number(*behind, "input") or sum(number(one, "tokens", "prompt") for one in each),
        number(usage, "output") or number(*behind, "output") or sum(number(one, "tokens", "candidates") for one in each),
    )  # fmt: skip


def _events(text: str) -> list[dict[str, Any]]:
    """The events of a program that tells its work line by line; none where the text is something else."""
    found = []
    for line in split_lines(text):
        if not line.strip():
            continue
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            return []
        if not isinstance(event, dict) or not isinstance(event.get("type"), str) or "result" in event:
            return []  # `claude` tells its one object with a type, too
        found.append(event)
    return found


def _of_events(events: Sequence[Mapping[str, Any]]) -> Reply:
    """The last message: `item.text` (codex exec --json) or `part.text` (opencode run --format json)."""
    parts = [part for event in events for part in (event.get("item"), event.get("part")) if isinstance(part, Mapping)]
    texts = [part.get("text") for part in parts if part.get("type") in ("agent_message", "text")]
    if not texts and any(event["type"] in _FAILED for event in events):
        raise _trouble(events, "the command says that it failed")
    sent = sum(number(event, "usage", "input_tokens") for event in events)
    received = sum(number(event, "usage", "output_tokens") for event in events)
    for part in parts:
        sent += (
            number(part, "tokens", "input")
            + number(part, "tokens", "cache", "read")
            + number(part, "tokens", "cache", "write")
        )
        received += number(part, "tokens", "output") + number(part, "tokens", "reasoning")
    return spoken(texts[-1] if texts else "", sent, received)


def _has_the_shape(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether an object has the fields that the schema asks for, and no other."""
    known = set(schema.get("properties") or ())
    return isinstance(value, dict) and set(schema.get("required") or known) <= set(value) <= known


__all__ = ["unwrapped"]
