"""The host agent judges: what it is asked, and what becomes of its answers. Engine level.

An agent needs no key to judge its own memory: it reads small questions, answers with operations, and each answer is kept
where a night of a workspace with `model.kind = "agent"` looks for it. Nothing of the owner's is written here; the gates
are only tried, so that the agent hears at once what was dropped and why.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from reverie.claim import Evidence
from reverie.counsel import Ask, Bundle, Operation, Status, Use, operations_in
from reverie.engine import plan_dream
from reverie.errors import BadInput
from reverie.evidence.kept_answers import KeptAnswers
from reverie.judging import AGENT, JUDGE, Absent, questions_for
from reverie.llm.answer_text import value_in
from reverie.llm.asker import Asker
from reverie.llm.prompts import prompt
from reverie.llm.schema import fits
from reverie.model import Snapshot, Workspace
from reverie.ports import Clock
from reverie.remember import evidence_of
from reverie.tried_gates import Gates
from reverie.workspace.reader import read_workspace

SHORT = 16  # hex digits of a question's id: as many as the log shows
MOST = 200  # answers in one file; a night never asks so much
SENTENCE = (
    "Judge each question by its data alone. Each has an answer of its own; hand all of them back together, as "
    '{"answers": [{"question": "ID", "operations": [{"op": "add", "new": ["n1"], "memory": [], "text": ""}]}]}. '
    "A question that you leave out stays open."
)


@dataclass(frozen=True, slots=True)
class Put:
    """One question as an agent is asked it."""

    id: str
    bundle: Bundle
    ask: Ask
    answered: bool = False


@dataclass(frozen=True, slots=True)
class ForAgent:
    """What an agent is asked, and how it answers."""

    instructions: str
    schema: Mapping[str, Any]
    questions: tuple[Put, ...]
    answered: int  # questions of the next night that have an answer already
    notice: str = ""  # why the answers would not be used, as a sentence


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the gates said to one answer."""

    question: str
    operations: int
    dropped: tuple[
        tuple[int, str, int], ...
    ] = ()  # the operation's place from one (0: several together), why, how many

    @property
    def accepted(self) -> int:
        return max(0, self.operations - sum(count for *_, count in self.dropped))


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a file of answers."""

    taken: tuple[Outcome, ...]
    refused: tuple[tuple[str, str], ...]  # (question, why it was not taken)
    night: Use | None  # what a night with all answers that are kept would make of them now; None when nothing was taken
    open: int  # questions that are still without an answer
    notice: str = ""


def bundle_for_agent(workspace: Workspace, clock: Clock, *, everything: bool = False) -> ForAgent:
    """What the next night is unsure of, without what was answered already unless `everything` is wanted. Writes nothing."""
    snapshot, evidence = _news(workspace)
    found = _questions(snapshot, evidence, clock)
    shown = tuple(one for one in found if everything or not one.answered)
    answered = sum(one.answered for one in found)
    told = prompt(JUDGE)
    return ForAgent(told.system, _schema(told.schema), shown, answered, _notice(workspace))


def take_answers(workspace: Workspace, clock: Clock, value: Any) -> Taken:
    """Keep every answer that fits its question, and say what the gates think of it. The others are named with the reason.

    A second answer to the same question takes the place of the first.
    """
    snapshot, evidence = _news(workspace)
    known = {one.id: one for one in _questions(snapshot, evidence, clock)}
    kept = KeptAnswers(workspace.root, workspace.settings.privacy.kinds, clock)
    asker = _asker(workspace, kept)
    fitting: dict[str, dict[str, Any]] = {}
    refused: list[tuple[str, str]] = []
    for name, answer in _answers(value, known):
        put = known.get(name)
        why = (
            _not_open(name)
            if put is None
            else "It stands twice in this file."
            if name in fitting
            else _fault(answer, put)
        )
        if put is not None and not why:
            kept.put(asker.key_of(put.ask), JUDGE, json.dumps(answer, ensure_ascii=False))
            kept.log(_record(put, answer))
            why = "" if _is_kept(workspace, clock, put) else _NOT_KEPT
        if why:
            refused.append((name, why))
        else:
            fitting[name] = answer
    if not fitting:
        return Taken((), tuple(refused), None, sum(not one.answered for one in known.values()), _notice(workspace))
    return _tried(snapshot, evidence, clock, {name: (known[name].bundle, fitting[name]) for name in fitting}, refused)


_NOT_KEPT = "It could not be kept: something in it must be hidden, or memory/.dreams cannot be written."


def _tried(
    snapshot: Snapshot,
    evidence: Evidence,
    clock: Clock,
    answers: Mapping[str, tuple[Bundle, dict[str, Any]]],
    refused: list[tuple[str, str]],
) -> Taken:
    """The gates over each answer, and a night over all of them that is not applied."""
    workspace = snapshot.workspace
    gates = Gates(snapshot, evidence, [pair for bundle, answer in answers.values() for pair in _pairs(bundle, answer)])
    outcomes = tuple(_outcome(name, bundle, answer, gates) for name, (bundle, answer) in answers.items())
    settings = replace(workspace.settings, model=replace(workspace.settings.model, kind=AGENT))
    night = plan_dream(replace(workspace, settings=settings, model=None), clock, ask=False).plan.use
    left = sum(not one.answered for one in _questions(snapshot, evidence, clock))
    return Taken(outcomes, tuple(refused), night, left, _notice(workspace))


def _outcome(name: str, bundle: Bundle, answer: dict[str, Any], gates: Gates) -> Outcome:
    """Which operations were dropped: each tried alone, then all together for what only shows together."""
    rules = bool(bundle.rules)
    dropped: list[tuple[int, str, int]] = []
    good: list[Operation] = []
    for place, item in enumerate(answer["operations"], 1):
        found, strangers = operations_in({"operations": [item]}, bundle)
        against = Counter({"cites what it was not shown": 1}) if strangers else gates.against(found, rules=rules)
        if against:
            dropped.append((place, next(iter(against)), 1))
        else:
            good += found
    together = gates.against(good, rules=rules)
    dropped += [(0, why, count) for why, count in together.items()]
    return Outcome(name, len(answer["operations"]), tuple(dropped))


def _pairs(bundle: Bundle, answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [(old, new) for one in operations_in(answer, bundle)[0] for old in one.old for new in one.new]


def _news(workspace: Workspace) -> tuple[Snapshot, Evidence]:
    snapshot = read_workspace(workspace)
    return snapshot, evidence_of(snapshot)


def _questions(snapshot: Snapshot, evidence: Evidence, clock: Clock) -> tuple[Put, ...]:
    workspace = snapshot.workspace
    asker = _asker(workspace, KeptAnswers(workspace.root, workspace.settings.privacy.kinds, clock, write=False))
    return tuple(
        Put(asker.key_of(ask)[:SHORT], bundle, ask, bool(asker.would_cost([ask]).cached))
        for bundle, ask in questions_for(snapshot, evidence)
    )


def _asker(workspace: Workspace, kept: KeptAnswers) -> Asker:
    return Asker(Absent(), workspace.settings.model, kept)


def _is_kept(workspace: Workspace, clock: Clock, put: Put) -> bool:
    """Whether a night will find the answer: read anew, since a folder that cannot be written keeps silent."""
    kept = KeptAnswers(workspace.root, workspace.settings.privacy.kinds, clock, write=False)
    return bool(_asker(workspace, kept).would_cost([put.ask]).cached)


def _record(put: Put, answer: dict[str, Any]) -> dict[str, Any]:
    """An answer as the log tells those of a model; nobody was called, so nothing was spent."""
    return {
        "question": put.id, "task": JUDGE, "version": put.ask.version, "model": AGENT, "status": str(Status.ANSWERED),
        "why": "", "tokens_in": 0, "tokens_out": 0, "seconds": 0.0, "cost": 0.0, "data": put.bundle.data(), "answer": answer,
    }  # fmt: skip


def _answers(value: Any, known: Mapping[str, Put]) -> list[tuple[str, dict[str, Any]]]:
    """(question, {"operations": …}) of each answer; operations alone are the answer to the only question that is open."""
    waiting = [one.id for one in known.values() if not one.answered]
    if isinstance(value, dict) and set(value) == {"operations"}:
        value = value["operations"]
    if isinstance(value, list) and not any(isinstance(item, dict) and "question" in item for item in value):
        if len(waiting) != 1:
            raise BadInput(f"{len(waiting)} questions are open. Say which one each answer is for. {SENTENCE}")
        return [(waiting[0], {"operations": value})]
    listed = value.get("answers") if isinstance(value, dict) else value
    if not isinstance(listed, list) or len(listed) > MOST:
        raise BadInput(f"That is no list of answers. {SENTENCE}")
    return [_answer(item) for item in listed]


def _answer(item: Any) -> tuple[str, dict[str, Any]]:
    if not isinstance(item, dict) or not isinstance(item.get("question"), str):
        return "", {}
    return item["question"][:64], {name: inner for name, inner in item.items() if name != "question"}


def _fault(answer: dict[str, Any], put: Put) -> str:
    """Why this is no answer to the question; empty when it is one. Nothing is repaired."""
    try:
        parsed = value_in(json.dumps(answer, ensure_ascii=False, allow_nan=False))
    except (ValueError, RecursionError):
        return "It is no JSON that can be kept."
    wrong = parsed.why or fits(parsed.value, put.ask.schema)
    return f"It does not have the shape that was asked for: {wrong}." if wrong else ""


def _not_open(name: str) -> str:
    if not name:
        return "It does not say which question it is for."
    return "That question is not open: its lines changed, a night has judged them, or it was never asked."


def _schema(of_one: Mapping[str, Any]) -> dict[str, Any]:
    """The shape of a file of answers."""
    one = {
        "type": "object",
        "properties": {"question": {"type": "string"}, "operations": of_one["properties"]["operations"]},
        "required": ["question", "operations"],
        "additionalProperties": False,
    }
    answers = {"type": "array", "maxItems": MOST, "items": one}
    return {"type": "object", "properties": {"answers": answers}, "required": ["answers"]}


def _notice(workspace: Workspace) -> str:
    mind = workspace.settings.model
    if not mind.judge:
        return "The owner lets nobody judge: model.judge is false."
    if mind.kind == AGENT:
        return ""
    return (
        f'No night uses these answers yet: model.kind is "{mind.kind}". '
        'The owner sets it to "agent" in their own reverie.toml, or starts the night with DREAM_MODEL=agent.'
    )


__all__ = ["SENTENCE", "ForAgent", "Outcome", "Put", "Taken", "bundle_for_agent", "take_answers"]
