"""The one who asks: within the caps, never twice the same, and whatever happens, with a status.

Answers are kept by their question (model, prompt version, instructions, data), so that unchanged input costs nothing. What
comes back is parsed and checked against the schema of its prompt; what it means is for the phases to check.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from reverie.counsel import Ask, Status, Use
from reverie.ports import Model
from reverie.setting_groups import Mind


class Answers(Protocol):
    """Where answers are kept between nights, and what was asked is written down."""

    def get(self, key: str) -> str | None: ...

    def put(self, key: str, task: str, text: str) -> None: ...

    def log(self, record: Mapping[str, Any]) -> None: ...


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of one question. Without a value the rules decide."""

    value: Any  # the parsed answer, which fits its schema; None if there is none
    status: Status
    why: str = ""  # a sentence for people


class Asker:
    """Asks one model for one night. Never raises for anything that a model or a network does."""

    def __init__(self, model: Model, settings: Mind, answers: Answers) -> None:
        raise NotImplementedError

    def ask(self, ask: Ask) -> Answered:
        raise NotImplementedError

    def would_cost(self, asks: list[Ask]) -> Use:
        """What these questions would cost at most, without asking: calls that are not kept, tokens, money."""
        raise NotImplementedError

    @property
    def use(self) -> Use:
        """The receipt so far."""
        raise NotImplementedError
