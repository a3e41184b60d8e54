"""The list of suggestions, and what a yes, a no or a later does. A surface shows the cards and calls one function here.

A yes becomes the operation that was suggested: the checks ask it, the promises ask it, the one writer writes it, and the same run
marks it as accepted, so that undoing the run opens it again. A no is remembered until newer evidence speaks for it. A later
hides it for a week. What does not fit any more leaves the list by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from types import MappingProxyType

from reverie.apply.files import Disk
from reverie.apply.runs import runs
from reverie.core.errors import BadInput, RefusedSuggestion
from reverie.core.ports import Clock
from reverie.evidence.claims import Evidence
from reverie.judge.compose import plain_line
from reverie.judge.leaving import is_over
from reverie.judge.operation import OWNER, Level, Op, Operation
from reverie.lang.messages import say, spoken
from reverie.night.briefing import make_brief, with_cited
from reverie.night.checking import History, checked, history_of
from reverie.night.fit import TAG as ROOM
from reverie.night.fit import fit
from reverie.night.night import Night, gone_today, with_outcome
from reverie.night.promising import Dropped, keeping_promises
from reverie.night.transaction import transact
from reverie.plan.build import accepted_plan
from reverie.plan.suggested import (
    ACCEPTED,
    DECLINED,
    KNOWLEDGE,
    LATER_IS,
    OPEN,
    Suggestion,
    answered,
    leaning,
    like,
    line_words,
    open_suggestions,
    operation_of,
    suggestions_in,
)  # fmt: skip
from reverie.privacy.redact import holds_secret
from reverie.text.sections import AREAS, name_of
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Plan, Snapshot, Workspace

YES, NO, LATER = "yes", "no", "later"
ANSWERS = (YES, NO, LATER)
YES_IS_WORTH = 0.9
LONGEST_QUOTED = 80  # characters of a line inside a reason


@dataclass(frozen=True, slots=True)
class CardSource:
    """A statement that a suggestion rests on, where it stands now and of which day it is."""

    place: str
    day: str
    text: str


@dataclass(frozen=True, slots=True)
class Card:
    """A suggestion as people are shown it: what was said, the line it may concern, and the change inside that line."""

    id: str
    op: Op
    why: str
    worth: float
    leaning: float  # how far your answers to others like it moved it
    by: str
    said: tuple[CardSource, ...]
    lines: tuple[CardSource, ...] = ()  # of MEMORY.md; the first is the one that changes, leaves or stays
    old: str = ""
    new: str = ""
    text: str = ""  # what enters, or the whole line told anew
    section: str = ""
    asked: str = ""
    later: str = ""
    status: str = OPEN
    decided: str = ""
    decided_by: str = ""
    detail: str = ""  # the numbers behind the reason
    beside: CardSource | None = None  # the line about the same thing, as it is now, that a new one would stand beside


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of answers: the night that carried them out, and those that could not be, by id and with the reason."""

    night: Night
    refused: tuple[tuple[str, str], ...] = ()


def suggestions(workspace: Workspace, clock: Clock, *, everything: bool = False) -> tuple[Card, ...]:
    """What waits for an answer, best first; with `everything` also what was answered, and what is to be shown later."""
    snapshot = read_workspace(workspace)
    if not everything:
        return waiting_cards(snapshot, clock.now().date())
    decided = [one for one in suggestions_in(snapshot) if one.status != OPEN]
    return (*waiting_cards(snapshot), *_cards(snapshot, sorted(decided, key=lambda one: (one.decided, one.id))))


def waiting_cards(snapshot: Snapshot, today: date | None = None) -> tuple[Card, ...]:
    """The cards of what waits and still fits the lines it is about, best first; with `today` without what is for later, or over."""
    fitting = [one for one in open_suggestions(snapshot, today) if operation_of(snapshot, one) is not None]
    alive = (one for one in fitting if today is None or not is_over(one.text, (one.section,), today))
    return tuple(_cards(snapshot, list(alive)))


def accept(workspace: Workspace, clock: Clock, its_id: str, by: str = OWNER, *, disk: Disk | None = None) -> Night:
    """Do what a suggestion says. Raises RefusedSuggestion when it does not fit any more or a check is against it."""
    done = answer(workspace, clock, {its_id: YES}, by, disk=disk)
    for name, why in done.refused:
        raise RefusedSuggestion(name, why)
    return done.night


def decline(workspace: Workspace, clock: Clock, its_id: str, by: str = OWNER, *, disk: Disk | None = None) -> Night:
    """Do not do it, and do not suggest it again unless newer evidence speaks for it."""
    return answer(workspace, clock, {its_id: NO}, by, disk=disk).night


def later(workspace: Workspace, clock: Clock, its_id: str, by: str = OWNER, *, disk: Disk | None = None) -> Night:
    """Show it again in a week."""
    return answer(workspace, clock, {its_id: LATER}, by, disk=disk).night


def answer(
    workspace: Workspace, clock: Clock, answers: Mapping[str, str], by: str = OWNER, *, disk: Disk | None = None
) -> Answered:
    """Answers by id (or the beginning of one), all in one run. A yes that cannot be done is named; the others are done."""

    def decide(snapshot: Snapshot) -> tuple[Answered, Plan]:
        chosen = _chosen(snapshot, answers)
        pages = {its_id: one.section for its_id, (one, said) in chosen.items() if one.tag == KNOWLEDGE and said == YES}
        if pages and len(pages) < len(chosen):
            raise BadInput(say("sublimate.alone"))
        if pages:
            plan, gone = _page_plan(snapshot, pages, by, clock.now())
            return Answered(Night(snapshot, plan), gone), plan
        plan, operations, refused = _decided(snapshot, chosen, by, clock.now())
        return Answered(Night(snapshot, plan, operations=operations), refused), plan

    done = transact(workspace, clock, "suggestions", decide, disk=disk)
    return replace(done.told, night=with_outcome(done.told.night, done))


def _page_plan(
    snapshot: Snapshot, pages: Mapping[str, str], by: str, now: datetime
) -> tuple[Plan, tuple[tuple[str, str], ...]]:
    """The plan that writes the pages and marks their suggestions; and those that are not worth making any more."""
    from reverie.features.sublimate import accepted_pages  # the judge and its weights, only for a yes to a page

    plan = accepted_pages(snapshot, frozenset(pages.values()), now)
    written = {its_id: ACCEPTED for its_id, path in pages.items() if path in plan.paths}
    also = answered(snapshot, written, by, now, {}) if written else []
    base = {**plan.base, **{edit.path: snapshot.hash_of(edit.path) for edit in also}}
    gone = tuple((its_id, say("suggestions.changed")) for its_id in pages if its_id not in written)
    return replace(plan, edits=(*plan.edits, *also), base=MappingProxyType(base)), gone


def _chosen(snapshot: Snapshot, answers: Mapping[str, str]) -> dict[str, tuple[Suggestion, str]]:
    found: dict[str, tuple[Suggestion, str]] = {}
    for its_id, said in answers.items():
        if said not in ANSWERS:
            raise BadInput(say("suggestions.no_answer", said=said, YES=YES, NO=NO, LATER=LATER))
        one = _named(snapshot, its_id)
        if one.status == ACCEPTED or (one.status == DECLINED and said != YES):
            hint = say("suggestions.undo") if one.status == ACCEPTED else say("suggestions.still", YES=YES, id=one.id)
            raise BadInput(
                say("suggestions.decided", id=one.id, status=one.status, decided=one.decided[:10], hint=hint)
            )
        if found.setdefault(one.id, (one, said))[1] != said:
            raise BadInput(say("suggestions.two_answers", id=one.id, found=found[one.id][1], said=said))
    return found


def _named(snapshot: Snapshot, its_id: str) -> Suggestion:
    wanted = its_id.strip().lower()
    found = [one for one in suggestions_in(snapshot) if wanted and one.id.startswith(wanted)]
    if len(found) != 1:
        what = (
            say("suggestions.ambiguous", its_id=its_id, found=len(found))
            if found
            else say("suggestions.unknown", its_id=its_id)
        )
        raise BadInput(say("suggestions.see_list", what=what))
    return found[0]


def _decided(
    snapshot: Snapshot, chosen: Mapping[str, tuple[Suggestion, str]], by: str, now: datetime
) -> tuple[Plan, tuple[Operation, ...], tuple[tuple[str, str], ...]]:
    """The plan of all answers, what it does to MEMORY.md, and what was refused."""
    accepted = {its_id: operation_of(snapshot, one) for its_id, (one, said) in chosen.items() if said == YES}
    refused = {its_id: say("suggestions.changed") for its_id, operation in accepted.items() if operation is None}
    operations = {its_id: _certain(one, by) for its_id, one in accepted.items() if one is not None}
    kept, dropped = _allowed(snapshot, list(operations.values()), by, now) if operations else ([], [])
    whys = {id(one.operation): _sentence(one.why) for one in dropped}
    refused |= {its_id: whys[id(one)] for its_id, one in operations.items() if id(one) in whys}
    answers = {its_id: _mark(said, now) for its_id, (_, said) in chosen.items() if its_id not in refused}
    done = tuple(replace(one, by=by) if one.tag != ROOM else one for one in kept)
    also = answered(snapshot, answers, by, now, _told_anew(done)) if answers else []
    return accepted_plan(snapshot, done, now, also), done, tuple(refused.items())


def _certain(operation: Operation, by: str) -> Operation:
    """The wish as something to do. Nothing that may make room is worth as much as what the owner said yes to."""
    worth = 1.0 if operation.op is Op.END else max(operation.worth, YES_IS_WORTH) if by == OWNER else operation.worth
    return replace(operation, level=Level.CERTAIN, worth=worth)


def _allowed(
    snapshot: Snapshot, operations: list[Operation], by: str, now: datetime
) -> tuple[list[Operation], list[Dropped]]:
    """What the checks, the room in MEMORY.md and the promises let through, with what leaves to make room; and what not."""
    brief = with_cited(make_brief(snapshot, Evidence(embedder=snapshot.workspace.embedder), now), operations)
    # The owner's yes is newer than all that they took back, declined or forgot before; nobody else's is.
    history = History() if by == OWNER else history_of(snapshot, runs(snapshot.workspace))
    unsure = {id(one): near.why for one in operations if (near := history.asking(one)) is not one}  # the owner's alone
    passed = checked(snapshot, brief, [one for one in operations if id(one) not in unsure], history)
    settings = snapshot.workspace.settings
    share, gone = settings.memory.leaving, gone_today(snapshot, brief)
    fitted = fit(brief, passed.operations, share=share, gone_today=gone)
    # What makes room is the last to be left out.
    fitting = [
        replace(one, worth=1.0) if one.tag == ROOM and one not in operations else one for one in fitted.operations
    ]
    kept, broken = keeping_promises(snapshot, fitting, _builder(snapshot, now))
    asked = [Dropped(one, unsure[id(one)]) for one in operations if id(one) in unsure]
    dropped = [*asked, *passed.dropped, *(Dropped(one, say("suggestions.full")) for one in fitted.waiting), *broken]
    if kept and not any(edit.op for edit in accepted_plan(snapshot, kept, now).edits):
        return [], [*dropped, *(Dropped(one, say("suggestions.no_change")) for one in kept)]
    return kept, dropped


def _builder(snapshot: Snapshot, now: datetime) -> Callable[..., Plan]:
    def build(operations: Sequence[Operation], *, told: bool = True) -> Plan:
        del told  # no page tells of it, so there is none to leave out
        return accepted_plan(snapshot, operations, now)

    return build


def _mark(said: str, now: datetime) -> str:
    return {YES: ACCEPTED, NO: DECLINED}.get(said) or (now.date() + LATER_IS).isoformat()


def _told_anew(operations: Sequence[Operation]) -> dict[str, str]:
    """The words of the lines that these operations change, before and after."""
    found: dict[str, str] = {}
    for one in operations:
        if one.op is Op.UPDATE and one.target is not None:
            words = line_words(one.target.text)
            found[words] = found.get(words, words).replace(one.old, one.new, 1) if one.old else one.text
    return found


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTED else text[: LONGEST_QUOTED - 1] + "…"


def _sentence(why: str) -> str:
    return why if why.endswith((".", "!", "?")) else f"{why}."


def _cards(snapshot: Snapshot, found: Sequence[Suggestion]) -> Iterator[Card]:
    lean = leaning(suggestions_in(snapshot))
    for one in found:
        operation = operation_of(snapshot, one)
        why, beside = operation.why if operation else one.why, operation.beside if operation else None
        if beside is not None:
            named = say("why.beside", line=_short(plain_line(beside.text)))
            why += "" if holds_secret(named) else named
        if operation is not None:
            said = tuple(CardSource(str(claim.source), claim.day, claim.text) for claim in operation.cites)
            lines = tuple(CardSource(str(entry.source), "", line_words(entry.text)) for entry in operation.memory)
        else:
            said = tuple(CardSource(place, "", words) for place, words in one.cites)
            lines = tuple(CardSource("", "", words) for words in one.memory)
        section = name_of(one.section, spoken()) if one.section in AREAS else one.section
        yield Card(
            one.id, Op(one.op), why, one.worth, lean.get(like(one), 0.0), one.by, said, lines, one.old, one.new, one.text,
            section, one.asked, one.later, one.status, one.decided, one.decided_by,
            one.detail, CardSource(str(beside.source), "", line_words(beside.text)) if beside else None,
        )  # fmt: skip


__all__ = [
    "ANSWERS",
    "LATER",
    "NO",
    "OPEN",
    "YES",
    "Answered",
    "Card",
    "CardSource",
    "accept",
    "answer",
    "decline",
    "later",
    "suggestions",
    "waiting_cards",
]
