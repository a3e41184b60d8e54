"""Who leads a night besides the built-in judge: the model that the owner named, or the host agent by what it handed in."""

from __future__ import annotations

from reverie.counsel import Ask, ModelTrouble, Reply, Status
from reverie.evidence.kept_answers import KeptAnswers
from reverie.judge.by_model import ModelJudge
from reverie.judge.operation import AGENT
from reverie.judge.port import Judge
from reverie.llm.asker import Asker
from reverie.model import Workspace
from reverie.night.agent import agent_judge
from reverie.ports import Clock, Model


class Quiet:
    """Stands for a model that is not to be asked now: what it answered before counts, and nothing is sent."""

    def __init__(self, model: Model) -> None:
        self.identity = model.identity

    def ask(self, ask: Ask, seconds: float) -> Reply:
        raise ModelTrouble(Status.NO_MODEL, "a look at the plan asks nobody")


def leader(workspace: Workspace, clock: Clock, *, ask: bool = True) -> Judge | None:
    """The judge of this workspace that leads; None where there is only the built-in one.

    What a model answers is kept, also by a dry run: nobody wants to pay twice. Without `ask` only what is kept counts.
    """
    if workspace.settings.model.kind == AGENT:
        return agent_judge(workspace, clock)
    model = workspace.model
    if model is None:
        return None
    asker = asker_of(workspace, clock, ask=ask)
    settings = workspace.settings
    return ModelJudge(
        asker, model.identity, brief_tokens=settings.model.brief_tokens, diary=settings.model.write and settings.diary.enabled
    )


def asker_of(workspace: Workspace, clock: Clock, *, ask: bool = True) -> Asker:
    """Who asks the model of this workspace, within its caps, and remembers the answers."""
    assert workspace.model is not None
    kept = KeptAnswers(workspace.root, workspace.settings.privacy.kinds, clock, write=ask)
    return Asker(workspace.model if ask else Quiet(workspace.model), workspace.settings.model, kept)


__all__ = ["Quiet", "asker_of", "leader"]
