"""What every provider needs to read an answer: the text, the counts, and a schema that can be sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from reverie.core.model_calls import ModelTrouble, Reply, Status


def plain(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema as JSON knows it, however it was frozen."""
    found: dict[str, Any] = json.loads(json.dumps(schema, default=dict))
    return found


def spoken(said: object, tokens_in: int = 0, tokens_out: int = 0) -> Reply:
    """The reply, if it is words. Half a character is none: nobody could write it down."""
    if not isinstance(said, str) or not said.strip():
        raise ModelTrouble(Status.INVALID, "the model answered nothing")
    try:
        said.encode()
    except UnicodeEncodeError:
        raise ModelTrouble(Status.INVALID, "the model answered something that is no text") from None
    return Reply(said, tokens_in, tokens_out)


def number(answer: object, *path: str) -> int:
    """A count that the provider tells, or nought where it tells none or nonsense."""
    for key in path:
        answer = answer.get(key) if isinstance(answer, Mapping) else None
    return answer if isinstance(answer, int) and not isinstance(answer, bool) and answer > 0 else 0
