"""The exam of a model: whether it may lead, what it answered to each packed scene beside the built-in judge, what a night would cost.

What it answers is marked and forgotten; only the marks are kept, after each scene, so that an exam which ends in the middle (a
cap, a provider that is busy) goes on where it was and nothing is paid twice. Nothing of a workspace is read or written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, field, replace
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

from reverie.core.model_calls import Ask, Status, Use, counted
from reverie.core.ports import Clock, Embedder
from reverie.core.settings import Mind
from reverie.evidence.model_records import examining_alone, keep_exam, kept_exams
from reverie.judge.asker import Asker
from reverie.judge.brief import Brief
from reverie.judge.checks import refusal
from reverie.judge.exam import Marks, briefs, marked, passes, score
from reverie.judge.operation import AGENT, Operation
from reverie.lang.messages import say
from reverie.workspace.values import Workspace

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
        return say("exam.model", model="", standing=say("exam.agent"))
    name = result.model if result else workspace.settings.model.model or workspace.settings.model.kind
    return say("exam.model", model=f"{name} · ", standing=sentence(standing, result))


def sentence(standing: Standing, result: Result | None) -> str:
    """The standing as a clause, with the figures where there are some."""
    if standing is Standing.NOT_PASSED and result:
        return say("exam.failed", result=_figures(result))
    if standing is Standing.PASSED and result:
        return say("exam.passed", result=_figures(result))
    if standing is Standing.UNFINISHED and result:
        why = f" ({result.why})" if result.why else ""
        return say("exam.unfinished", marks=len(result.marks), built_in=len(result.built_in), why=why)
    return say(f"exam.{standing.name.lower()}")


def _figures(result: Result) -> str:
    return say("exam.figures", score=result.score, built_in_score=result.built_in_score)


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


# Not the model's fault: the scene is asked again another time. Whatever else is no answer counts as one without operations.
_NOT_ITS_FAULT = frozenset({Status.NO_MODEL, Status.RATE_LIMITED, Status.CAPPED, Status.FAILED})


@dataclass(frozen=True, slots=True)
class Examined:
    """What came of an exam, and what it cost; no cost where nothing had to be asked."""

    result: Result
    use: Use | None = None


class NoAnswersKept:
    """Implements `Answers` and keeps none: what a model says in an exam is nobody's memory."""

    def get(self, key: str) -> str | None:
        return None

    def put(self, key: str, task: str, text: str) -> None:
        pass

    def log(self, record: Mapping[str, Any]) -> None:
        pass


def examine(
    workspace: Workspace, clock: Clock, *, again: bool = False, on_scene: Callable[[str], None] | None = None
) -> Examined:
    """Let the workspace's model take the exam, once for each model and prompt. `again` forgets what it did before.

    The caps of a night hold for an exam by itself.
    """
    file = workspace.exams
    assert workspace.model is not None and file is not None
    with examining_alone(file) as free:
        before = None if again else result_of(workspace)
        if before is not None and before.passed is not None:
            return Examined(before)
        blank = replace(blank_result(workspace), at=clock.now().isoformat(timespec="seconds"))
        result = replace(before or blank, at=blank.at, why="")
        if not free:
            return Examined(replace(result, why=say("exam.elsewhere")))
        workspace = replace(workspace, embedder=_answering(workspace.embedder))
        own = _built_in(workspace.embedder)
        result = replace(result, built_in=_four_of_each(own))
        if not keep_exam(file, result.key, as_record(result)):  # before anything is paid
            return Examined(replace(result, why=say("exam.not_kept")))
        return _asked(workspace, result, on_scene)


def exam_questions(workspace: Workspace) -> list[Ask]:
    """What an exam would still ask at most: each scene, and once more about what might be refused of it."""
    from reverie.judge.brief_text import windows  # numpy: only who asks pays for it, `dream status` reads a result
    from reverie.judge.by_model import question

    result = result_of(workspace)
    left = [brief for name, brief in briefs() if result is None or name not in result.marks]
    parts = [part for brief in left for part in windows(brief, workspace.settings.model.brief_tokens)]
    return [*(question(part) for part in parts), *(question(part, refused=True) for part in parts)]


def exam_asker(workspace: Workspace) -> Asker:
    """Who asks the questions of an exam: with caps of its own, and a bad memory."""
    assert workspace.model is not None
    return Asker(workspace.model, workspace.settings.model, NoAnswersKept())


def receipt(examined: Examined) -> Use | None:
    """What the exam adds to the receipt of a night: its cost, and what it came to. Its answers are no part of the night."""
    result = examined.result
    word = {True: Status.PASSED, False: Status.NOT_PASSED, None: Status.NOT_EXAMINED}[result.passed]
    if examined.use is None:
        return None if result.passed else Use(result.model, statuses=counted([word]))
    nothing: Mapping[str, int] = MappingProxyType({})
    return replace(examined.use, statuses=counted([word]), accepted=nothing, dropped=nothing)


def _asked(workspace: Workspace, result: Result, on_scene: Callable[[str], None] | None) -> Examined:
    from reverie.judge.by_model import ModelJudge  # numpy

    assert workspace.exams is not None
    asker = exam_asker(workspace)
    judge = ModelJudge(asker, result.model, brief_tokens=workspace.settings.model.brief_tokens)
    for name, brief in briefs(workspace.embedder):
        if name in result.marks:
            continue
        if on_scene:
            on_scene(name)
        before = asker.use.statuses
        verdict = judge.judge(brief)
        if verdict.unread and (why := _trouble(before, asker.use.statuses)):
            result = replace(result, why=why)
            break
        marks = MappingProxyType({**result.marks, name: _four(marked(name, verdict.operations))})
        result = replace(result, marks=marks)
        keep_exam(workspace.exams, result.key, as_record(result))
    result = finished(result)
    keep_exam(workspace.exams, result.key, as_record(result))
    return Examined(result, asker.use)


def finished(result: Result) -> Result:
    """The result with its verdict, when every scene has its marks."""
    scenes = [name for name, _ in briefs()]
    own = [Marks(*result.built_in[name]) for name in scenes if name in result.marks]
    mine = [Marks(*result.marks[name]) for name in scenes if name in result.marks]
    passed = passes(mine, own) if len(mine) == len(scenes) else None
    return replace(result, score=score(mine), built_in_score=score(own), passed=passed)


def _built_in(embedder: Embedder | None) -> dict[str, Marks]:
    """The marks of the judge that would lead otherwise, held to the same checks."""
    return {name: marked(name, _checked(brief)) for name, brief in briefs(embedder)}


def _checked(brief: Brief) -> list[Operation]:
    from reverie.judge.built_in import BuiltIn  # numpy and the weights

    return [one for one in BuiltIn().judge(brief).operations if not refusal(one, brief)]


def _answering(embedder: Embedder | None) -> Embedder | None:
    """The embedder, if it answers. Without one, words must do."""
    try:
        if embedder is not None:
            embedder.embed(["tea"])
    except Exception:  # noqa: BLE001  an embedder may be anything: a server, a package, a broken file
        return None
    return embedder


def _trouble(before: Mapping[str, int], after: Mapping[str, int]) -> str:
    """Which trouble came, if it is none of the model's making."""
    return next((str(one) for one in _NOT_ITS_FAULT if after.get(one, 0) > before.get(one, 0)), "")


def _four(marks: Marks) -> Four:
    right, wrong, harm, wanted = astuple(marks)
    return right, wrong, harm, wanted


def _four_of_each(marks: Mapping[str, Marks]) -> Mapping[str, Four]:
    return MappingProxyType({name: _four(one) for name, one in marks.items()})
