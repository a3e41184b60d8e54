"""What a model is asked, what it answers, and what came of it, as values. Nothing here knows a provider or a file.

A model never sees a path and never returns a file. It returns operations that cite entries by their ids; code decides
what becomes of each (`phases/counselled.py`). Every way in which it can fail has a status of its own, and every one of
them ends in what the rules alone decide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
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
    UNGROUNDED = "said what nothing says"
    CAPPED = "cap reached"  # asking would have cost more than the owner allows


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


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered, word for word, and what it counted; nought where it told nothing."""

    text: str
    tokens_in: int = 0
    tokens_out: int = 0


class Op(StrEnum):
    """What a model may want. Everything else it says is dropped."""

    ADD = "add"  # the new line is worth a place in memory
    UPDATE = "update"  # the new line gives a line of memory another value
    SUPERSEDE = "supersede"  # the new line stands where the old one stood
    MERGE = "merge"  # these lines say the same; the fullest stays
    RETIRE = "retire"  # the new line says that the old one is over
    IGNORE = "ignore"  # the new line is not worth a place
    ASK = "ask"  # two lines contradict each other, and a person must decide


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing a model wants, by the ids of what it was shown."""

    op: Op
    new: tuple[str, ...] = ()  # ids of claims of the notes: `Claim.key`
    old: tuple[str, ...] = ()  # ids of lines of MEMORY.md: `entry_id`
    text: str = ""  # a wording; empty: the line's own


@dataclass(frozen=True, slots=True)
class Shown:
    """One line as a model is shown it: what it says, what it stands under, when it was said. Never where."""

    id: str
    text: str
    under: str = ""
    day: str = ""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A small batch of original lines to judge, with the lines of memory that may be about the same."""

    new: tuple[Shown, ...]
    old: tuple[Shown, ...] = ()
    rules: tuple[str, ...] = ()  # the owner's own, in free words
    language: str = "en"

    @property
    def names(self) -> dict[str, str]:
        """The short name of each line in the question → its id."""
        return {
            f"{sort}{nth}": one.id
            for sort, lines in (("n", self.new), ("m", self.old))
            for nth, one in enumerate(lines, 1)
        }

    def data(self) -> dict[str, Any]:
        """What the model is shown."""
        return {
            "new": [{"id": f"n{nth}", "day": one.day, "under": one.under, "text": one.text} for nth, one in enumerate(self.new, 1)],
            "memory": [{"id": f"m{nth}", "under": one.under, "text": one.text} for nth, one in enumerate(self.old, 1)],
            "owner_rules": list(self.rules),
        }  # fmt: skip


def operations_in(answer: Mapping[str, Any], bundle: Bundle) -> tuple[tuple[Operation, ...], int]:
    """The operations of an answer that fits its schema, by the ids of the lines; and how many cite what was not shown."""
    names, found, strangers = bundle.names, [], 0
    for item in answer.get("operations", ()):
        cited = [names.get(str(name)) for name in (*item.get("new", ()), *item.get("memory", ()))]
        if not cited or None in cited:
            strangers += 1
            continue
        new = tuple(dict.fromkeys(names[name] for name in item.get("new", ()) if name.startswith("n")))
        old = tuple(dict.fromkeys(names[name] for name in item.get("memory", ()) if name.startswith("m")))
        if len(new) + len(old) < len(set(cited)):
            strangers += 1  # a line of memory is no news, and news are no memory yet
            continue
        found.append(Operation(Op(item["op"]), new, old, " ".join(str(item.get("text", "")).split())))
    return tuple(found), strangers


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


@dataclass(frozen=True, slots=True)
class Counsel:
    """What a model advises tonight, as it came: nothing of it has been checked yet against the memory."""

    operations: tuple[Operation, ...] = ()
    strangers: int = 0  # operations that cite what the model was not shown
    rules_read: bool = False  # the owner's rules in free words were before its eyes
    narrative: str = ""  # the diary's entry, checked
    reflections: tuple[str, ...] = ()  # lines for the REM report, checked
    troubles: tuple[str, ...] = ()  # what it wrote and what did not hold, with the status
    use: Use | None = None


NO_COUNSEL = Counsel()
REASON = "model: "  # how the reasons for which a model's words were dropped begin, among those of candidates


def candidates(refused: Mapping[str, int]) -> Mapping[str, int]:
    """The candidates that were refused, without a model's words that were dropped: those are no lines of the notes."""
    return {why: count for why, count in refused.items() if not why.startswith(REASON)}


def counted(words: Iterable[str]) -> Mapping[str, int]:
    """How often each word, most first."""
    return MappingProxyType(dict(Counter(map(str, words)).most_common()))


def use_as_dict(use: Use) -> dict[str, Any]:
    return {
        "model": use.model, "calls": use.calls, "cached": use.cached, "tokens_in": use.tokens_in, "tokens_out": use.tokens_out,
        "seconds": round(use.seconds, 2), "cost": round(use.cost, 6), "statuses": dict(use.statuses),
        "accepted": dict(use.accepted), "dropped": dict(use.dropped),
    }  # fmt: skip


def use_from_dict(value: Mapping[str, Any]) -> Use:
    """A receipt as it was kept; raises KeyError, TypeError or ValueError for anything else."""
    tables = {
        name: MappingProxyType({str(key): int(number) for key, number in value[name].items()})
        for name in ("statuses", "accepted", "dropped")
    }
    return Use(
        str(value["model"]), int(value["calls"]), int(value["cached"]), int(value["tokens_in"]), int(value["tokens_out"]),
        float(value["seconds"]), float(value["cost"]), **tables,
    )  # fmt: skip
