"""The port `Judge`: a function of values, from a brief to operations. Three implementations and a published fake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

from reverie.core.model_calls import Use
from reverie.judge.brief import Brief
from reverie.judge.operation import Operation
from reverie.judge.prose import Prose


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge made of a brief: what it wants, what it would not take (how many, by reason), and what it cost."""

    operations: tuple[Operation, ...] = ()
    ignored: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    use: Use | None = None  # the receipt of a model
    prose: Prose = field(default_factory=Prose)  # what a model tells of the night, unchecked
    unread: tuple[str, ...] = ()  # ids of note lines that nobody judged: a window without an answer


class Judge(Protocol):
    """Decides what should happen to a memory. Opens no file, reads no clock."""

    @property
    def name(self) -> str:
        """Who decides, as operations and receipts call it."""
        ...

    def judge(self, brief: Brief) -> Verdict: ...


class ScriptedJudge:
    """The published fake: wants these operations, whatever the brief says."""

    name = "scripted"

    def __init__(self, operations: Sequence[Operation] = ()) -> None:
        self.operations = tuple(operations)
        self.briefs: list[Brief] = []

    def judge(self, brief: Brief) -> Verdict:
        self.briefs.append(brief)
        return Verdict(self.operations)


__all__ = ["Judge", "ScriptedJudge", "Verdict"]
