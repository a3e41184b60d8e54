"""BRIEF → OPERATIONS: who decides tonight. A model or the agent leads where there is one; the built-in judge does the rest.

The leader is the model that the owner named and that passed the exam, or the host agent by what it handed in. Whatever it does,
the night goes on: what it did not answer, the built-in judge decides, and the receipt says so.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from reverie.core.model_calls import Ask, ModelTrouble, Reply, Status, Use, counted, together
from reverie.core.ports import Clock, Model
from reverie.evidence.model_records import KeptAnswers
from reverie.judge.asker import Asker
from reverie.judge.brief import DIARY, Brief, Judge, Prose, Verdict, prose_in
from reverie.judge.by_model import ModelJudge
from reverie.judge.operation import AGENT, Level, Op, Operation, words_after
from reverie.judge.prompts import asked
from reverie.lang.messages import say
from reverie.night.agent import agent_judge
from reverie.night.exam import Standing, standing_of
from reverie.text.terms import plain
from reverie.workspace.values import Workspace


@dataclass(frozen=True, slots=True)
class Judged:
    """What the judges want, who led, what they would not take, and what it cost."""

    operations: tuple[Operation, ...] = ()
    ignored: Counter[str] | None = None
    use: Use | None = None
    prose: Prose = field(default_factory=Prose)
    led: bool = False  # a model or the agent decided, not the built-in judge alone


def judged(workspace: Workspace, brief: Brief, clock: Clock, *, ask: bool = True, judge: Judge | None = None) -> Judged:
    """What tonight's judges want of this brief. Without `ask` only what a model answered before counts."""
    if judge is not None:
        found = judge.judge(brief)
        return Judged(found.operations, Counter(found.ignored), found.use, found.prose, led=True)
    leader = _leader(workspace, clock, ask=ask) if brief.notes or _is_over(brief) else None
    if leader is None:
        return _alone(brief)
    if leader.judge is None:
        return leader.told(brief, replace(_alone(brief), use=leader.use))
    found = leader.judge.judge(brief)
    use = together(leader.use, found.use)
    if not found.operations and set(found.unread) >= {note.id for note in brief.notes}:
        return replace(_alone(brief), use=use)
    rest = _rest(brief, found)
    return Judged(
        (*found.operations, *rest.operations),
        Counter(found.ignored) + Counter(rest.ignored),
        use,
        found.prose,
        led=True,
    )


def _alone(brief: Brief) -> Judged:
    from reverie.judge.built_in import BuiltIn  # numpy and the weights

    found = BuiltIn().judge(brief)
    return Judged(found.operations, Counter(found.ignored))


def _rest(brief: Brief, found: Verdict) -> Verdict:
    """What the built-in judge makes of what the leader did not see; what is certain of memory itself it does on any night.

    Nor is it for a leader to say whether the owner is reminded of something.
    """
    from reverie.judge.built_in import BuiltIn
    from reverie.judge.forms import reminders

    unread = set(found.unread)
    left = replace(
        brief,
        notes=tuple(note for note in brief.notes if note.id in unread),
        returned=tuple(line for line in brief.returned if line.note in unread),
    )
    mine = BuiltIn().judge(left)
    touched = {id(entry) for one in found.operations for entry in one.memory}
    kept = [one for one in mine.operations if not touched & {id(entry) for entry in one.memory}]
    entering = {plain(one.text) for one in (*found.operations, *kept)}
    wanted = [one for one in reminders(brief) if one.op is Op.ADD and plain(one.text) not in entering]
    return Verdict((*kept, *wanted), mine.ignored)


def _leader(workspace: Workspace, clock: Clock, *, ask: bool) -> Leader | None:
    """Who leads besides the built-in judge, or why it is nobody; None without a model."""
    if workspace.model is None and workspace.settings.model.kind != "agent":
        return None

    return leader(workspace, clock, ask=ask)


def _is_over(brief: Brief) -> bool:
    return brief.room.units > brief.room.limit or brief.room.lines > brief.room.max_lines


class Quiet:
    """Stands for a model that is not to be asked now: what it answered before counts, and nothing is sent."""

    def __init__(self, model: Model) -> None:
        self.identity = model.identity

    def ask(self, ask: Ask, seconds: float) -> Reply:
        raise ModelTrouble(Status.NO_MODEL, say("receipt.only_looked"))


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
        language = brief.diary_language or brief.language
        day = brief.today.isoformat()
        answered = self.writer.ask(asked("diary", {"day": day, **facts}, language, style=brief.diary_style))
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
        from reverie.night.exam import examine, receipt  # scenes and the built-in judge, once for each model

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


__all__ = ["Judged", "Leader", "Quiet", "asker_of", "judged", "leader"]
