"""Who leads a night besides the built-in judge: the model that the owner named, or the host agent by what it handed in."""

from __future__ import annotations

from dataclasses import dataclass, replace

from reverie.core.model_calls import Ask, ModelTrouble, Reply, Status, Use, counted, together
from reverie.core.ports import Clock, Model
from reverie.evidence.model_records import KeptAnswers
from reverie.judge.asker import Asker
from reverie.judge.brief import DIARY, Brief, Judge, prose_in
from reverie.judge.by_model import ModelJudge
from reverie.judge.operation import AGENT, Level, Op, words_after
from reverie.judge.prompts import asked
from reverie.night.agent import agent_judge
from reverie.night.exam_results import Standing, standing_of
from reverie.night.judging import Judged
from reverie.workspace.values import Workspace


class Quiet:
    """Stands for a model that is not to be asked now: what it answered before counts, and nothing is sent."""

    def __init__(self, model: Model) -> None:
        self.identity = model.identity

    def ask(self, ask: Ask, seconds: float) -> Reply:
        raise ModelTrouble(Status.NO_MODEL, "a look at the plan asks nobody")


@dataclass(frozen=True, slots=True)
class Leader:
    """Who leads besides the built-in judge, and what it cost to find out, or why it is nobody."""

    judge: Judge | None = None
    use: Use | None = None
    writer: Asker | None = None  # of a model that may not lead: it may still write the diary

    def told(self, brief: Brief, night: Judged) -> Judged:
        """A night of the built-in judge with an entry for the diary by a model that did not lead it."""
        facts = _facts(night) if self.writer is not None and DIARY in brief.tells else {}
        if self.writer is None or not any(facts.values()):
            return night
        answered = self.writer.ask(asked("diary", {"day": brief.today.isoformat(), **facts}, brief.language))
        return replace(night, prose=prose_in(answered.value, brief), use=together(night.use, self.writer.use))


def _facts(night: Judged) -> dict[str, list[str]]:
    """What a night would change, in words."""
    told = {Op.ADD: "added", Op.UPDATE: "updated", Op.END: "ended", Op.ASK: "asked"}
    facts: dict[str, list[str]] = {name: [] for name in told.values()}
    for one in night.operations:
        words = one.target.text if one.op is Op.END and one.target else words_after(one)
        if one.level is Level.CERTAIN and one.op in told and words:
            facts[told[one.op]].append(words)
    return facts


def leader(workspace: Workspace, clock: Clock, *, ask: bool = True) -> Leader:
    """The judge of this workspace that leads; nobody where there is only the built-in one, or where a model may not.

    A model that has no result of the exam takes it now. What a model answers about a night is kept, also by a dry run: nobody
    wants to pay twice. Without `ask` only what is kept counts.
    """
    mind, model = workspace.settings.model, workspace.model
    if mind.kind == AGENT:
        return Leader(agent_judge(workspace, clock)) if mind.leads else Leader()
    if model is None:
        return Leader()
    may, use = _may_lead(workspace, clock, ask=ask) if mind.leads else (False, None)
    asker = asker_of(workspace, clock, ask=ask)
    if not may:
        return Leader(None, use, asker)
    return Leader(ModelJudge(asker, model.identity, brief_tokens=workspace.settings.model.brief_tokens), use)


def _may_lead(workspace: Workspace, clock: Clock, *, ask: bool) -> tuple[bool, Use | None]:
    """Whether the model may lead, and what the receipt of the night says about its exam."""
    standing, _ = standing_of(workspace)
    assert workspace.model is not None
    if standing in (Standing.NOT_TAKEN, Standing.UNFINISHED) and ask:
        from reverie.night.examining import examine, receipt  # scenes and the built-in judge, once for each model

        examined = examine(workspace, clock)
        return bool(examined.result.passed), receipt(examined)
    if standing.leads:
        return True, None
    word = Status.NOT_PASSED if standing is Standing.NOT_PASSED else Status.NOT_EXAMINED
    return False, Use(workspace.model.identity, statuses=counted([word]))


def asker_of(workspace: Workspace, clock: Clock, *, ask: bool = True) -> Asker:
    """Who asks the model of this workspace, within its caps, and remembers the answers."""
    assert workspace.model is not None
    kept = KeptAnswers(workspace.root, workspace.settings.privacy.kinds, clock, write=ask)
    return Asker(workspace.model if ask else Quiet(workspace.model), workspace.settings.model, kept)


__all__ = ["Leader", "Quiet", "asker_of", "leader"]
