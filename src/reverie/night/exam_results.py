"""What is known about the model of a workspace: whether it may lead, by the exam it took. Reads one small file, loads no judge."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

from reverie.core.settings import Mind
from reverie.evidence.model_records import kept_exams
from reverie.workspace.values import Workspace

AGENT = "agent"
TASK = "night"  # the prompt with which a model leads, and is examined
Four = tuple[int, int, int, int]  # right, wrong, harm, wanted


@dataclass(frozen=True, slots=True)
class Result:
    """How a model did, scene by scene, beside the built-in judge. Without `passed` the exam is not finished."""

    model: str
    prompt: str  # the version it was asked with
    at: str = ""
    marks: Mapping[str, Four] = field(default_factory=lambda: MappingProxyType({}))
    built_in: Mapping[str, Four] = field(default_factory=lambda: MappingProxyType({}))
    score: float = 0.0
    built_in_score: float = 0.0
    passed: bool | None = None
    why: str = ""  # why it is not finished, as a clause
    asked: str = ""  # by which a glance finds it: see `_asked_as`

    @property
    def key(self) -> str:
        return f"{self.model} {self.prompt}"


class Standing(StrEnum):
    """Whether the model of a workspace leads its nights."""

    NO_MODEL = "no model"
    AGENT = "agent"  # the host agent leads by what it hands in
    NEVER = "never leads"  # the owner's wish
    UNASKED = "no exam asked for"  # it leads
    PASSED = "passed"  # it leads
    NOT_PASSED = "not passed"
    NOT_TAKEN = "not taken"  # before its first night it will be
    UNFINISHED = "unfinished"  # the next night goes on with it

    @property
    def leads(self) -> bool:
        return self in (Standing.AGENT, Standing.UNASKED, Standing.PASSED)


def standing_of(workspace: Workspace, *, glance: bool = False) -> tuple[Standing, Result | None]:
    """Whether the model leads, and its result if it has one. A `glance` loads neither the provider nor the prompt."""
    mind = workspace.settings.model
    if mind.kind == AGENT:
        return (Standing.AGENT if mind.leads else Standing.NEVER), None
    if workspace.model is None:
        return Standing.NO_MODEL, None
    result = _glanced(workspace) if glance else result_of(workspace)
    if not mind.leads:
        return Standing.NEVER, result
    if workspace.exams is None or not mind.exam:
        return Standing.UNASKED, result
    if result is None:
        return Standing.NOT_TAKEN, None
    if result.passed is None:
        return Standing.UNFINISHED, result
    return (Standing.PASSED if result.passed else Standing.NOT_PASSED), result


def result_of(workspace: Workspace) -> Result | None:
    """The result that is kept for this model and this prompt."""
    if workspace.model is None or workspace.exams is None:
        return None
    exams = kept_exams(workspace.exams)
    if not exams:
        return None
    blank = blank_result(workspace)
    return result_from(blank, exams.get(blank.key))


def blank_result(workspace: Workspace) -> Result:
    """An exam of this model of which nothing is done."""
    from reverie.judge.prompts import prompt  # only for those who have a model

    assert workspace.model is not None
    return Result(workspace.model.identity, prompt(TASK).version, asked=_asked_as(workspace.settings.model))


def _glanced(workspace: Workspace) -> Result | None:
    """The newest result of a model that is set in the same words and is asked with the same files."""
    exams = kept_exams(workspace.exams) if workspace.exams is not None else {}
    name = _asked_as(workspace.settings.model) if exams else ""
    for record in reversed(exams.values()):
        if name and record.get("asked") == name:
            return result_from(Result(str(record.get("model")), str(record.get("prompt"))), record)
    return None


def _asked_as(mind: Mind) -> str:
    """A name for what is asked and how, without asking the provider who it is; empty where the prompt cannot be read."""
    folder = Path(__file__).parents[1] / "judge" / "prompt_texts"
    try:
        words = b"".join((folder / f"{TASK}{end}").read_bytes() for end in (".md", ".schema.json"))
    except OSError:
        return ""
    named = json.dumps([mind.kind, mind.url, mind.model, mind.command]).encode()
    return sha256(named + words).hexdigest()[:16]


def told_of(workspace: Workspace, *, glance: bool = False) -> str:
    """One line for people about the model; empty where there is none."""
    standing, result = standing_of(workspace, glance=glance)
    if standing is Standing.NO_MODEL:
        return ""
    if standing is Standing.AGENT:
        return "Model: the host agent leads by what it hands in"
    name = result.model if result else workspace.settings.model.model or workspace.settings.model.kind
    return f"Model: {name} · {sentence(standing, result)}"


def sentence(standing: Standing, result: Result | None) -> str:
    """The standing as a clause, with the figures where there are some."""
    if standing is Standing.NOT_PASSED and result:
        return f"does not lead: it did not pass the exam ({_figures(result)})"
    if standing is Standing.PASSED and result:
        return f"leads: it passed the exam ({_figures(result)})"
    if standing is Standing.UNFINISHED and result:
        why = f" ({result.why})" if result.why else ""
        return f"does not lead yet: {len(result.marks)} of {len(result.built_in)} scenes of its exam are done{why}"
    return _CLAUSES[standing]


_CLAUSES = {
    Standing.NO_MODEL: "there is none; the built-in judge decides",
    Standing.AGENT: "the host agent leads by what it hands in",
    Standing.NEVER: "never leads, as you set it (model.leads)",
    Standing.UNASKED: "leads without an exam, as you set it (model.exam)",
    Standing.NOT_TAKEN: "takes the exam before its first night",
    Standing.PASSED: "leads",
    Standing.NOT_PASSED: "does not lead",
    Standing.UNFINISHED: "does not lead yet",
}


def _figures(result: Result) -> str:
    return f"{result.score:.2f}; the built-in judge {result.built_in_score:.2f}"


def as_record(result: Result) -> dict[str, Any]:
    return {
        "model": result.model, "prompt": result.prompt, "at": result.at, "passed": result.passed,
        "score": round(result.score, 4), "built_in_score": round(result.built_in_score, 4), "why": result.why, "asked": result.asked,
        "marks": {name: list(four) for name, four in result.marks.items()},
        "built_in": {name: list(four) for name, four in result.built_in.items()},
    }  # fmt: skip


def result_from(blank: Result, record: Mapping[str, Any] | None) -> Result | None:
    """A result as it was kept; None for anything else."""
    try:
        if record is None or (record["model"], record["prompt"]) != (blank.model, blank.prompt):
            return None
        passed = record["passed"]
        if passed is not None and not isinstance(passed, bool):
            return None
        return Result(
            blank.model, blank.prompt, str(record["at"]), _fours(record["marks"]), _fours(record["built_in"]),
            float(record["score"]), float(record["built_in_score"]), passed, str(record["why"]), str(record["asked"]),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _fours(value: Mapping[str, Any]) -> Mapping[str, Four]:
    found: dict[str, Four] = {}
    for name, (right, wrong, harm, wanted) in value.items():
        found[str(name)] = (int(right), int(wrong), int(harm), int(wanted))
    return MappingProxyType(found)


__all__ = [
    "Four", "Result", "Standing", "as_record", "blank_result", "result_from", "result_of", "sentence", "standing_of", "told_of",
]  # fmt: skip
