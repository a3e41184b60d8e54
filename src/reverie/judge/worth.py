"""STUB by the founder until the learned judge is there: overwrite this file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

THRESHOLDS = {"sure": 0.95, "likely": 0.5, "recalled": 0.5}


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    under: str = ""
    day: str = ""
    near: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Worth:
    keep: float
    kind: str
    kinds: Mapping[str, float] = field(default_factory=dict)
    access: float = 0.0
    machine: float = 0.0
    order: float = 0.0


def worth_of(lines: Sequence[Line], embed: Callable[[Sequence[str]], Any] | None) -> list[Worth]:
    from reverie.phases import judge

    found = judge.judge_lines([judge.Line(one.text, one.under) for one in lines], embed)
    return [Worth(one.keep, one.kind, one.kinds) for one in found]


def about_same(pairs: Sequence[tuple[str, str]], embed: Callable[[Sequence[str]], Any] | None) -> list[float]:
    from reverie.phases import judge

    return [1 - one.relations.get("unrelated", 1.0) for one in judge.judge_pairs(list(pairs), embed)]
