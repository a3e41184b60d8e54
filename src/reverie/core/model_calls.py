"""What a model is asked, what it answers, and what came of it, as values. Nothing here knows a provider or a file.

A model never sees a path and never returns a file. It returns operations that cite lines by their ids (`judge/answer.py`);
code decides what becomes of each (`judge/checks.py`). Every way in which it can fail has a status of its own, and every one
of them ends in what the built-in judge decides.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from types import MappingProxyType
from typing import Any

NONE: Mapping[str, Any] = MappingProxyType({})


class Status(StrEnum):
    """What one question to a model came to."""

    ANSWERED = "answered"
    CACHED = "answered before"  # the same question to the same model: nothing was sent
    NO_MODEL = "no model"  # nobody answers at that address, the key is missing, the package is not installed
    SLOW = "too slow"
    REFUSED = "refused"  # it would not answer
    INVALID = "invalid answer"  # no JSON, or not of the shape that was asked for
    TRUNCATED = "cut short"
    RATE_LIMITED = "rate limited"
    FAILED = "failed"  # the server said that it broke
    WRONG_LANGUAGE = "wrong language"
    OBEYED = "obeyed an instruction in the notes"
    UNGROUNDED = "told what no note says"
    CAPPED = "cap reached"  # asking would have cost more than the owner allows
    PASSED = "passed the exam"  # before its first night
    NOT_PASSED = "did not pass the exam"  # so it does not lead
    NOT_EXAMINED = "has no result of the exam"  # nor does it without one


class ModelTrouble(Exception):
    """Why a model gave no answer. Its message is shown: no key, no answer of a server, no word of the owner's is in it."""

    def __init__(self, status: Status, message: str = "") -> None:
        super().__init__(message or str(status))
        self.status = status


@dataclass(frozen=True, slots=True)
class Ask:
    """One question to a model: the instructions of a versioned prompt, the data, and the shape of the answer."""

    task: str  # night, diary, themes, classify, sublimate, recall
    version: str
    system: str
    user: str
    schema: Mapping[str, Any]
    most_tokens: int = 2_000
    least: Mapping[str, Any] | None = None  # what an answer must be to count, where whoever asks reads leniently

    @property
    def plain_schema(self) -> dict[str, Any]:
        """The schema as JSON knows it, however it was frozen."""
        found: dict[str, Any] = json.loads(json.dumps(self.schema, default=dict))
        return found


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered, word for word, and what it counted; nought where it told nothing."""

    text: str
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, slots=True)
class Use:
    """The receipt: what the model was asked tonight, what it cost, and what became of its words."""

    model: str = ""
    calls: int = 0
    cached: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    cost: float = 0.0  # in the currency of the prices that the owner set; 0 without prices
    statuses: Mapping[str, int] = field(default_factory=lambda: NONE)  # status → questions
    accepted: Mapping[str, int] = field(default_factory=lambda: NONE)  # operation or text → how many passed
    dropped: Mapping[str, int] = field(default_factory=lambda: NONE)  # reason → how many did not


_NUMBERS: Mapping[str, type] = {
    "calls": int,
    "cached": int,
    "tokens_in": int,
    "tokens_out": int,
    "seconds": float,
    "cost": float,
}
_TABLES = ("statuses", "accepted", "dropped")


def together(one: Use | None, other: Use | None) -> Use | None:
    """Two receipts of one model as one."""
    if one is None or other is None:
        return one or other
    sums: dict[str, Any] = {name: getattr(one, name) + getattr(other, name) for name in _NUMBERS}
    for name in _TABLES:
        sums[name] = MappingProxyType(dict(Counter(getattr(one, name)) + Counter(getattr(other, name))))
    return Use(one.model, **sums)


def counted(words: Iterable[str]) -> Mapping[str, int]:
    """How often each word, most first."""
    return MappingProxyType(dict(Counter(map(str, words)).most_common()))


def use_as_dict(use: Use) -> dict[str, Any]:
    values = {item.name: getattr(use, item.name) for item in fields(use)}
    tables = {name: dict(values[name]) for name in _TABLES}
    return {**values, **tables, "seconds": round(use.seconds, 2), "cost": round(use.cost, 6)}


def use_from_dict(value: Mapping[str, Any]) -> Use:
    """A receipt as it was kept; raises KeyError, TypeError or ValueError for anything else."""
    kept: dict[str, Any] = {name: kind(value[name]) for name, kind in _NUMBERS.items()}
    for name in _TABLES:
        kept[name] = MappingProxyType({str(key): int(number) for key, number in value[name].items()})
    return Use(str(value["model"]), **kept)
