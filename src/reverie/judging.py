"""EVIDENCE → EVIDENCE with counsel: the engine's part that asks a model about what the rules are unsure of.

What comes back are values: operations that the phases check one by one, a diary entry and reflections that were checked
against what the night found. Whatever the model does, the night goes on; the receipt says what happened.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import MappingProxyType

from reverie.apply.history import runs
from reverie.claim import Evidence
from reverie.counsel import Ask as Question
from reverie.counsel import Bundle, Counsel, ModelTrouble, Operation, Reply, Status, Use, counted, operations_in
from reverie.dreaming import LATEST_RUNS, decided
from reverie.evidence.kept_answers import KeptAnswers
from reverie.llm.asker import Asker
from reverie.llm.prompts import asked
from reverie.model import Plan, Snapshot, Workspace
from reverie.phases.advice import BY_MODEL, REASON
from reverie.phases.unsure import unsure
from reverie.plan.forget import owner_removed
from reverie.ports import Clock, Model
from reverie.question import TAG as QUESTION

AGENT = "agent"
JUDGE, DIARY, REFLECTIONS = "judge", "diary", "reflections"
FINE = (Status.ANSWERED, Status.CACHED)


class Absent:
    """Stands where the host agent answers by hand: what it answered is kept; nobody can be called at night."""

    identity = AGENT

    def ask(self, ask: Question, seconds: float) -> Reply:
        raise ModelTrouble(
            Status.NO_MODEL, "the agent has not answered this yet; `dream questions --for-agent` asks it"
        )


class Quiet:
    """Stands for a model that is not to be asked now: what it answered before counts, and nothing is sent."""

    def __init__(self, model: Model) -> None:
        self.identity = model.identity

    def ask(self, ask: Question, seconds: float) -> Reply:
        raise ModelTrouble(Status.NO_MODEL, "a look at the plan asks nobody")


def model_of(workspace: Workspace) -> Model | None:
    """Who judges for this workspace; None for the rules alone."""
    return Absent() if workspace.settings.model.kind == AGENT else workspace.model


def questions_for(snapshot: Snapshot, evidence: Evidence) -> tuple[tuple[Bundle, Question], ...]:
    """What would be asked about tonight's lines, bundle by bundle."""
    mind = snapshot.workspace.settings.model
    by_hand = owner_removed(snapshot, runs(snapshot.workspace)[-LATEST_RUNS:])
    bundles = unsure(snapshot, evidence, by_hand, max(1, mind.max_calls)) if evidence.fresh and mind.judge else ()
    return tuple((bundle, asked(JUDGE, bundle.data(), bundle.language)) for bundle in bundles)


def counselled(snapshot: Snapshot, evidence: Evidence, clock: Clock, *, ask: bool = True) -> Evidence:
    """The evidence with what a model advises. Without a model, or without news, as it was.

    What it answers is kept, also by a dry run: nobody wants to pay twice. Without `ask` only what is kept counts.
    """
    workspace = snapshot.workspace
    model = model_of(workspace)
    if model is None or not evidence.fresh:
        return evidence
    kept = KeptAnswers(workspace.root, workspace.settings.privacy.kinds, clock, write=ask)
    asker = Asker(model if ask else Quiet(model), workspace.settings.model, kept)
    evidence = replace(evidence, counsel=_judged(snapshot, evidence, asker))
    if workspace.settings.model.write and model.identity != AGENT:
        evidence = _told(snapshot, evidence, clock, asker, ask=ask)
    return replace(evidence, counsel=replace(evidence.counsel, use=asker.use))


def _judged(snapshot: Snapshot, evidence: Evidence, asker: Asker) -> Counsel:
    """The operations of every bundle that was answered."""
    operations: list[Operation] = []
    strangers, read = 0, False
    for bundle, question in questions_for(snapshot, evidence):
        answer = asker.ask(question)
        if answer.value is None:
            continue
        found, unknown = operations_in(answer.value, bundle)
        operations += found
        strangers += unknown
        read = read or bool(bundle.rules)
    return Counsel(tuple(operations), strangers, read)


def _told(snapshot: Snapshot, evidence: Evidence, clock: Clock, asker: Asker, *, ask: bool) -> Evidence:
    """With the diary's entry and reflections, as far as the model's words hold."""
    from reverie.narrating import narrated  # the diary's grammar, only for those who let a model write
    from reverie.phases.night import night_facts
    from reverie.reflecting import reflected

    workspace = snapshot.workspace
    findings, _ = decided(snapshot, evidence, clock)
    facts, language, earlier = night_facts(snapshot, evidence, findings, clock.now())
    narrative, troubles = "", []
    if workspace.settings.diary.enabled:
        other = workspace.diary_model
        first, again = (asker.beside(other if ask else Quiet(other)), asker) if other else (asker, None)
        narrative, status, _ = narrated(facts, language, earlier, first, again)
        troubles += [f"{DIARY}: {status}"] if status not in FINE else []
    words, status, _ = reflected(snapshot, evidence, clock.now(), language, asker)
    troubles += [f"{REFLECTIONS}: {status}"] if status not in FINE else []
    counsel = replace(evidence.counsel, narrative=narrative, reflections=words, troubles=tuple(troubles))
    return replace(evidence, counsel=counsel)


def without_operations(evidence: Evidence, promise: str) -> Evidence:
    """What is left of counsel that would have broken a promise: the receipt, and that it was dropped whole."""
    counsel = evidence.counsel
    statuses = dict(counsel.use.statuses) if counsel.use else {}
    statuses[f"dropped whole: {promise}"] = len(counsel.operations)
    use = replace(counsel.use or Use(), statuses=MappingProxyType(statuses))
    return replace(evidence, counsel=replace(counsel, operations=(), strangers=0, rules_read=False, use=use))


def receipt(plan: Plan, counsel: Counsel) -> Use | None:
    """The receipt of a night: with what became of the model's words in this plan."""
    if counsel.use is None:
        return None
    accepted = [edit.tag for edit in plan.edits if BY_MODEL in edit.why and edit.path.lower() == "memory.md"]
    accepted += [flag.tag for flag in plan.flags if flag.tag == QUESTION and BY_MODEL in flag.why]
    accepted += ["diary"] if counsel.narrative else []
    accepted += ["reflection"] * len(counsel.reflections)
    dropped = {why.removeprefix(REASON): count for why, count in plan.refused.items() if why.startswith(REASON)}
    dropped |= counted(counsel.troubles)
    return replace(counsel.use, accepted=counted(accepted), dropped=MappingProxyType(dropped))


def estimate(snapshot: Snapshot, evidence: Evidence, clock: Clock) -> Use | None:
    """What a night would cost at most, without asking anybody; None without a model."""
    workspace = snapshot.workspace
    model = model_of(workspace)
    if model is None:
        return None
    kept = KeptAnswers(workspace.root, workspace.settings.privacy.kinds, clock, write=False)
    return Asker(model, workspace.settings.model, kept).would_cost(list(_all(snapshot, evidence, clock)))


def _all(snapshot: Snapshot, evidence: Evidence, clock: Clock) -> Iterator[Question]:
    from reverie.narrating import diary_question
    from reverie.phases.night import night_facts
    from reverie.reflecting import themes_question

    yield from (question for _, question in questions_for(snapshot, evidence))
    if snapshot.workspace.settings.model.write and evidence.fresh and snapshot.workspace.settings.diary.enabled:
        findings, _ = decided(snapshot, evidence, clock)
        facts, language, earlier = night_facts(snapshot, evidence, findings, clock.now())
        yield diary_question(facts, language, earlier)
        if (themes := themes_question(snapshot, evidence, clock.now(), language)) is not None:
            yield themes
