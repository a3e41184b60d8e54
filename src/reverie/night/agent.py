"""What the host agent hands in for the next night: kept beside the answers of models until the night uses it.

Nothing of the owner's is written here. The checks are tried at once, so that the agent hears what is refused and why while it
can still correct it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from reverie.core.model_calls import Status
from reverie.core.ports import Clock
from reverie.evidence.model_records import KeptAnswers
from reverie.judge.answer import RefusedOperation, value_of
from reverie.judge.brief import Brief, Prose, prose_in
from reverie.judge.by_agent import AgentJudge, hash_of, record_of, take
from reverie.judge.by_model import TASK
from reverie.judge.operation import AGENT, Operation
from reverie.lang.messages import say
from reverie.night.briefing import brief_of
from reverie.privacy.redact import redacted
from reverie.workspace.values import Workspace

KEY = sha256(b"night of the host agent").hexdigest()  # one answer waits at a time


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of an agent's answer."""

    brief: str  # the name of what it was judged on
    taken: tuple[Operation, ...]
    refused: tuple[RefusedOperation, ...]
    waiting: int  # operations that the next night will do, with those of earlier answers
    notice: str = ""  # why no night would use them, as a sentence


def keep_answer(workspace: Workspace, clock: Clock, text: str) -> Taken:
    """Keep the operations of an answer that pass the checks; name the others. Corrections come as another answer."""
    brief = brief_of(workspace, clock)
    passed, refused = take(text, brief)
    kinds = workspace.settings.privacy.kinds
    good = [one for one in passed if redacted(_said(one), kinds) == _said(one)]
    refused += [
        RefusedOperation(0, one.text or one.new, say("agent.must_be_hidden")) for one in passed if one not in good
    ]
    before = kept_answer(workspace, clock)
    prose = prose_in(value_of(text).value, brief)
    clean = [one for one in prose.reflections if redacted(one.text, kinds) == one.text]
    record = record_of(good, brief, before, Prose(redacted(prose.diary, kinds), tuple(clean)))
    if passed or not refused:  # an answer without operations says that nothing is to be done
        kept = KeptAnswers(workspace.root, kinds, clock)
        kept.put(KEY, TASK, json.dumps(record, ensure_ascii=False))
        kept.log(_record(brief, good, refused))
        if kept_answer(workspace, clock) != record:
            return Taken(
                record["brief"],
                (),
                (*refused, *(RefusedOperation(0, one.text, say("agent.not_kept")) for one in good)),
                _waiting(before),
            )
        before = record
    return Taken(record["brief"], tuple(good), tuple(refused), _waiting(before), notice(workspace))


def kept_answer(workspace: Workspace, clock: Clock) -> dict[str, Any] | None:
    """The answer that waits for a night; None when there is none."""
    text = KeptAnswers(workspace.root, workspace.settings.privacy.kinds, clock, write=False).get(KEY)
    value = json.loads(text) if text else None
    return value if isinstance(value, dict) and value.get("operations") is not None else None


def agent_judge(workspace: Workspace, clock: Clock) -> AgentJudge:
    """The judge of a night whose owner lets the host agent lead."""
    return AgentJudge(kept_answer(workspace, clock))


def answer_used(workspace: Workspace, clock: Clock) -> None:
    """A night has done what was handed in: it waits no longer, so that what is undone stays undone."""
    if kept_answer(workspace, clock) is not None:
        KeptAnswers(workspace.root, workspace.settings.privacy.kinds, clock).put(KEY, TASK, "{}")


def notice(workspace: Workspace) -> str:
    """Why no night would use an agent's answer; empty when one does."""
    mind = workspace.settings.model
    if mind.kind == AGENT:
        return ""
    return say("agent.not_used", kind=mind.kind)


def awaited(workspace: Workspace, clock: Clock) -> str:
    """What to say about a night that comes before its agent has answered; empty where an answer waits, or none is expected."""
    mind = workspace.settings.model
    if mind.kind != AGENT or not mind.leads or kept_answer(workspace, clock) is not None:
        return ""
    return say("agent.unanswered") if is_something(brief_of(workspace, clock)) else ""


def is_something(brief: Brief) -> bool:
    """Whether there is anything to judge: something new, or a memory that is too large."""
    return bool(brief.notes) or brief.room.units > brief.room.limit


def _said(operation: Operation) -> str:
    return "\n".join((operation.text, operation.old, operation.new, operation.why, *operation.drops))


def _waiting(record: dict[str, Any] | None) -> int:
    return len(record["operations"]) if record else 0


def _record(brief: Brief, good: Sequence[Operation], refused: Sequence[RefusedOperation]) -> dict[str, Any]:
    """An answer as the log tells those of a model; nobody was called, so nothing was spent."""
    return {
        "question": hash_of(brief), "task": TASK, "version": "", "model": AGENT, "status": str(Status.ANSWERED), "why": "",
        "tokens_in": 0, "tokens_out": 0, "seconds": 0.0, "cost": 0.0, "taken": len(good),
        "refused": [one.why for one in refused],
    }  # fmt: skip
