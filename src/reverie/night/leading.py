"""Who leads a night besides the built-in judge: the model that the owner named, or the host agent by what it handed in."""

from __future__ import annotations

from dataclasses import dataclass

from reverie.counsel import Ask, ModelTrouble, Reply, Status, Use, counted
from reverie.evidence.kept_answers import KeptAnswers
from reverie.judge.by_model import ModelJudge
from reverie.judge.operation import AGENT
from reverie.judge.port import Judge
from reverie.llm.asker import Asker
from reverie.model import Workspace
from reverie.night.agent import agent_judge
from reverie.night.exam_results import Standing, standing_of
from reverie.ports import Clock, Model


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


def leader(workspace: Workspace, clock: Clock, *, ask: bool = True) -> Leader:
    """The judge of this workspace that leads; nobody where there is only the built-in one, or where a model may not.

    A model that has no result of the exam takes it now. What a model answers about a night is kept, also by a dry run: nobody
    wants to pay twice. Without `ask` only what is kept counts.
    """
    if workspace.settings.model.kind == AGENT:
        return Leader(agent_judge(workspace, clock))
    model = workspace.model
    if model is None:
        return Leader()
    may, use = _may_lead(workspace, clock, ask=ask)
    if not may:
        return Leader(None, use)
    asker = asker_of(workspace, clock, ask=ask)
    settings = workspace.settings
    diary = settings.model.write and settings.diary.enabled
    return Leader(ModelJudge(asker, model.identity, brief_tokens=settings.model.brief_tokens, diary=diary), use)


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
