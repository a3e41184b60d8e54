"""Language models behind the `Model` port, and what each of them needs to read an answer: the text and the counts."""

from __future__ import annotations

from collections.abc import Mapping

from reverie.core.model_calls import ModelTrouble, Reply, Status
from reverie.lang.messages import say


def trouble(status: Status, name: str, **values: object) -> ModelTrouble:
    """Why there is no answer, in the sentence `say.model.<name>`."""
    return ModelTrouble(status, say(f"model.{name}", **values))


def reply_of(text: object, tokens_in: int = 0, tokens_out: int = 0) -> Reply:
    """The reply, if it is words. Half a character is none: nobody could write it down."""
    if not isinstance(text, str) or not text.strip():
        raise trouble(Status.INVALID, "empty")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise trouble(Status.INVALID, "not_text") from None
    return Reply(text, tokens_in, tokens_out)


def count_in(answer: object, *path: str) -> int:
    """A count that the provider tells, or nought where it tells none or nonsense."""
    for key in path:
        answer = answer.get(key) if isinstance(answer, Mapping) else None
    return answer if isinstance(answer, int) and not isinstance(answer, bool) and answer > 0 else 0
