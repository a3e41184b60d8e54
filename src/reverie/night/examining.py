"""The exam of a model: a question for each packed scene, through the same judge and checks as a night, beside the built-in judge.

What it answers is marked and forgotten; only the marks are kept, after each scene, so that an exam which ends in the middle (a
cap, a provider that asks for patience) goes on where it was and nothing is paid twice. Nothing of a workspace is read or written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, replace
from types import MappingProxyType
from typing import Any

from reverie.core.model_calls import Ask, Status, Use, counted
from reverie.core.ports import Clock, Embedder
from reverie.evidence.model_records import examining_alone, keep_exam
from reverie.judge.asker import Asker
from reverie.judge.brief import Brief
from reverie.judge.brief_text import windows
from reverie.judge.built_in import BuiltIn
from reverie.judge.by_model import ModelJudge, question
from reverie.judge.checks import refusal
from reverie.judge.exam import Marks, briefs, marked, passes, score
from reverie.judge.operation import Operation
from reverie.night.exam_results import Four, Result, as_record, blank_result, result_of
from reverie.workspace.values import Workspace

# Not the model's fault: the scene is asked again another time. Whatever else is no answer counts as one without operations.
_NOT_ITS_FAULT = frozenset({Status.NO_MODEL, Status.RATE_LIMITED, Status.CAPPED, Status.FAILED})
NOT_KEPT = "its result cannot be kept"
ELSEWHERE = "another process examines it now"


@dataclass(frozen=True, slots=True)
class Examined:
    """What came of an exam, and what it cost; no cost where nothing had to be asked."""

    result: Result
    use: Use | None = None


class Forgotten:
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
            return Examined(replace(result, why=ELSEWHERE))
        workspace = replace(workspace, embedder=_answering(workspace.embedder))
        own = _built_in(workspace.embedder)
        result = replace(result, built_in=_fours(own))
        if not keep_exam(file, result.key, as_record(result)):  # before anything is paid
            return Examined(replace(result, why=NOT_KEPT))
        return _asked(workspace, result, on_scene)


def exam_questions(workspace: Workspace) -> list[Ask]:
    """What an exam would still ask at most: each scene, and once more about what might be refused of it."""
    result = result_of(workspace)
    left = [brief for name, brief in briefs() if result is None or name not in result.marks]
    parts = [part for brief in left for part in windows(brief, workspace.settings.model.brief_tokens)]
    return [*(question(part) for part in parts), *(question(part, refused=True) for part in parts)]


def exam_asker(workspace: Workspace) -> Asker:
    """Who asks the questions of an exam: with caps of its own, and a bad memory."""
    assert workspace.model is not None
    return Asker(workspace.model, workspace.settings.model, Forgotten())


def receipt(examined: Examined) -> Use | None:
    """What the exam adds to the receipt of a night: its cost, and what it came to. Its answers are no part of the night."""
    result = examined.result
    word = {True: Status.PASSED, False: Status.NOT_PASSED, None: Status.NOT_EXAMINED}[result.passed]
    if examined.use is None:
        return None if result.passed else Use(result.model, statuses=counted([word]))
    nothing: Mapping[str, int] = MappingProxyType({})
    return replace(examined.use, statuses=counted([word]), accepted=nothing, dropped=nothing)


def _asked(workspace: Workspace, result: Result, on_scene: Callable[[str], None] | None) -> Examined:
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


def _fours(marks: Mapping[str, Marks]) -> Mapping[str, Four]:
    return MappingProxyType({name: _four(one) for name, one in marks.items()})


__all__ = ["Examined", "Forgotten", "exam_asker", "exam_questions", "examine", "finished", "receipt"]
