"""`dream note`: one statement is written down as it is said, and sorted at once (seed 000, real-time capture).

It always goes into today's note. What must not wait for the night goes into MEMORY.md in the same run: the owner corrects
something, tells a decision, or starts a project, and says so in so many words (`lang/`, table `announced`). Everything else is
for the night to judge. Doubt, questions and moods always wait. Who says it is recorded with the run, and only the owner takes a line's
place at once: "Correction: …" in the mouth of a program is text, and waits for the night. While another command holds the workspace, what is said is queued
(`apply/spool.py`), and the next command that writes does with it what would have been done.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache

from reverie.apply.files import Disk
from reverie.apply.runs import runs
from reverie.apply.spool import MOST, Queued, done_with, lay_aside, queue
from reverie.core.errors import BadInput, Busy, OverBudget, RefusedFile, RefusedPlan, StalePlan, WriteFailed
from reverie.core.layout import LEDGER, LEDGER_INDEX, REMOVED, day_note, holds_memory
from reverie.core.ports import Clock
from reverie.evidence.claims import Evidence, Observed, claims_of
from reverie.features.as_of import day_of
from reverie.features.forget.plan import lifted_edits, owner_removed, tombstones_in
from reverie.judge.brief import Brief
from reverie.judge.built_in import BuiltIn
from reverie.judge.checks import refusal
from reverie.judge.compose import Homes, composed, plain_line
from reverie.judge.descriptions import NEVER, rule_for, understood_rules
from reverie.judge.forgotten import Forgotten, Recognised, forgotten_in
from reverie.judge.forms import correction_in, reminder_line
from reverie.judge.leaving import valid
from reverie.judge.operation import Level, Op, Operation, words_after
from reverie.judge.relation import says_the_same
from reverie.judge.said import bare_statement
from reverie.judge.vetoes import veto
from reverie.judge.worth import LineToWeigh, Worth, worth_of
from reverie.lang import words
from reverie.lang.lexicon import any_of, one_of, phrases
from reverie.lang.messages import said_with, say
from reverie.night.briefing import make_brief
from reverie.night.transaction import Transaction, transact
from reverie.plan.build import build_plan, plan_of
from reverie.plan.promises import check_promises
from reverie.plan.splices import spliced
from reverie.privacy.redact import holds_mask, holds_secret
from reverie.text.lines import BOM, appended, count_units, split_lines
from reverie.text.terms import is_negated
from reverie.workspace.reader import reread
from reverie.workspace.values import (
    A_PROGRAM,
    Author,
    Edit,
    Intent,
    Plan,
    Run,
    Snapshot,
    Statement,
    Workspace,
    hash_text,
    short_id,
)

TAG = "note"
TRIES = 20  # somebody else may be writing the same note without a pause
LONGEST = 2_000  # characters of one statement; what is longer is a document
_LATEST = 3  # runs; what was taken in last may still lie in the queue
CORRECTION, DECISION, PROJECT, REMINDER = "correction", "decision", "project", "reminder"
_QUESTION = re.compile(r"[?？][\s\"'”」)）]*$")
_WAIT = ("question", "quote", "mood")
SURE = 0.6  # chance of one of these kinds, by the judge, from which a statement waits
_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.S)


@dataclass(frozen=True, slots=True)
class Noted:
    """Where a statement went: always today's note; `line` if memory has it now, else `why` it waits."""

    path: str
    kind: str = ""
    line: str = ""
    home: str = "MEMORY.md"  # the file that has it; a host may keep topics of its own
    replaced: str = ""
    why: str = ""
    run: str = ""
    queued: str = ""  # who holds the workspace: the next command that writes takes it in


def note(
    workspace: Workspace,
    clock: Clock,
    text: str,
    *,
    by: Author = A_PROGRAM,
    again: bool = False,
    first: str = "",
    last: str = "",
    disk: Disk | None = None,
) -> Noted:
    """Write one statement down, and into MEMORY.md at once if it is a correction, a decision or a new project.

    What was forgotten for ever is refused; with `again`, which only the owner can say, it is no longer forgotten. `first` and
    `last` are the days between which it holds.
    """
    said, now, begun = _allowed(text), clock.now(), list[str]()
    said = valid(said, *_term(first, last, now.date()))

    def decide(snapshot: Snapshot) -> tuple[Noted, Plan]:
        begun.append(said)
        return _decided(snapshot, said, now, by, again=again)

    try:
        done = transact(workspace, clock, "note", decide, disk=disk, tries=TRIES)
    except Busy as busy:
        if begun or again:  # the workspace was ours, and something else was held; and a wish does not wait in a queue
            raise
        keep_for_later(workspace, [said], now, busy, by)
        return Noted(day_note(now.date()), why=say("records.queued_why"), queued=busy.holder)
    return replace(done.told, run=done.run.id if done.run else "")


def _term(first: str, last: str, today: date) -> tuple[date | None, date | None]:
    """The days between which a statement holds; raises BadInput where they are none or make no sense."""
    begins, ends = (day_of(said) if said else None for said in (first, last))
    if begins and ends and begins > ends:
        raise BadInput(say("time.turned", first=first, last=last))
    if ends and ends < today:
        raise BadInput(say("time.past", last=last))
    return begins, ends


def _allowed(text: str) -> str:
    """The statement in one line; raises BadInput if it may not be noted."""
    said = " ".join(_COMMENT.sub(" ", text).split())
    if not said:
        raise BadInput(say("note.empty"))
    if count_units(said) > LONGEST:
        raise BadInput(say("note.too_long", size=count_units(said), most=LONGEST))
    if holds_secret(said) or holds_mask(said):
        raise BadInput(say("note.secret"))
    return said


def keep_for_later(
    workspace: Workspace, said: Sequence[str], now: datetime, busy: Busy, by: Author, *, is_note: bool = True
) -> None:
    """Queue what was said; raises WriteFailed when too much waits already."""
    if not queue(workspace.root, said, now.isoformat(timespec="seconds"), is_note=is_note, by=by):
        raise WriteFailed(say("records.queue_full", holder=busy.holder, n=MOST))


def take_in(work: Transaction, waiting: Sequence[Queued], now: datetime) -> tuple[str, ...]:
    """Do with what was queued what would have been done with it, each once; returns what was done, in words."""
    known = {edit.id for run in runs(work.workspace, _LATEST) for edit in run.plan.edits}
    told, taken = list[str](), 0
    for one in waiting:
        try:
            if one.id not in known:  # else a crash came before it left the queue
                _write_queued(work, one, _said_at(one.at, now))
            done_with(one)
            taken += 1
        except BadInput as refused:
            lay_aside(one)
            told.append(say("records.not_taken_in", why=refused))
        except (RefusedPlan, RefusedFile, StalePlan) as refused:  # it waits on; the command that came is not to blame
            told.append(say("records.not_taken_in", why=refused))
    return (say("records.taken_in", n=taken), *told) if taken else tuple(told)


def _write_queued(work: Transaction, one: Queued, at: datetime) -> None:
    said = [_allowed(line) for line in one.said]

    def decide(snapshot: Snapshot) -> tuple[Noted, Plan]:
        if one.is_note:
            return _decided(snapshot, said[0], at, one.by, one.id)
        edit = replace(note_edit(snapshot, without_gone(snapshot, said), at, one.by), id=one.id)
        return Noted(edit.path), note_plan(snapshot, edit, (), at)

    work.write(decide, tries=TRIES)


def _said_at(moment: str, now: datetime) -> datetime:
    """When it was said; a moment that nobody can read, or that has not come yet, is now."""
    try:
        at = datetime.fromisoformat(moment)
        return at if at <= now else now
    except (ValueError, TypeError):
        return now


def without_gone(snapshot: Snapshot, said: Sequence[str]) -> tuple[str, ...]:
    """What may be written down of this; raises BadInput when all of it was forgotten for ever."""
    gone = forgotten_in(snapshot)
    kept = tuple(line for line in said if not gone.is_gone(line))
    if not kept:
        raise BadInput(say("note.forgotten", how=gone.against(said[0])[1]))
    return kept


def _decided(
    snapshot: Snapshot, said: str, now: datetime, by: Author, name: str = "", *, again: bool = False
) -> tuple[Noted, Plan]:
    lifted = lifted_edits(snapshot, said) if again else []
    edit = note_edit(snapshot, [said] if again else without_gone(snapshot, [said]), now, by)
    edit = replace(edit, id=name or edit.id)
    operations, noted = _sorted(snapshot, edit, said, runs(snapshot.workspace), now, by, again=again)
    plan = note_plan(snapshot, edit, operations, now, lifted)
    try:
        check_promises(snapshot, plan)
    except OverBudget:  # the statement is safe in today's note, and the night makes room
        plan = note_plan(snapshot, edit, (), now, lifted)
        noted = replace(noted, line="", replaced="", why=say("note.full"))
    homes = (edit.path for edit in plan.edits if holds_memory(edit.path))
    return replace(noted, home=next(homes, snapshot.memory_path)), plan


def note_edit(snapshot: Snapshot, said: Sequence[str], now: datetime, by: Author) -> Edit:
    """Bullets with their time at the end of today's note; a note that is not there yet gets its day as heading."""
    path = day_note(now.date())
    before = snapshot.text_of(path)
    lines = [f"- {now:%H:%M} {one}" for one in said]
    if not before.removeprefix(BOM).strip():
        lines = [f"# {now:%Y-%m-%d}", "", *lines]
    at, old, new = appended(split_lines(before), lines)
    why = say("note.said" if by.is_owner else "authority.said")
    return Edit(short_id(said[0]), path, at, old, new, TAG, why, by=str(by))


def note_plan(
    snapshot: Snapshot, note: Edit, operations: Sequence[Operation], now: datetime, also: Sequence[Edit] = ()
) -> Plan:
    """The note, and what enters, changes or leaves MEMORY.md with it. The night's cursors stay where they are."""
    edits = [note, *also]
    if operations:
        ours = (LEDGER, LEDGER_INDEX, REMOVED)
        built = build_plan(snapshot, operations, now).edits
        edits += [edit for edit in built if edit.path in ours or holds_memory(edit.path)]
    return plan_of(snapshot, Intent.NOTE, edits, now)


def _sorted(
    snapshot: Snapshot, edit: Edit, said: str, history: Sequence[Run], now: datetime, by: Author, *, again: bool
) -> tuple[tuple[Operation, ...], Noted]:
    """What the statement does to MEMORY.md, and what is told about it."""
    brief, claim = _brief(snapshot, edit, now)
    embed = brief.embedder.embed if brief.embedder else None
    (worth,) = worth_of([LineToWeigh(plain_line(said))], embed)
    reminder = reminder_line(claim) if claim else ""
    kind = REMINDER if reminder else kind_at_once(plain_line(said), worth)
    noted = Noted(edit.path, kind)
    if claim is None or not kind:
        no_reminder = claim is not None and any_of("reminders.remind").search(claim.text)
        return (), replace(noted, why=say("note.no_reminder" if no_reminder else "note.waits"))
    if kind == CORRECTION and not by.is_owner:
        return (), replace(noted, why=say("authority.waits"))
    changes = _changes(brief, claim) if by.is_owner and not reminder else []
    certain = [one for one in changes if one.level is Level.CERTAIN]
    if kind == CORRECTION and not certain and not correction_in(plain_line(said), firm=True):
        return (), Noted(edit.path, why=say("note.waits"))
    line = reminder or composed(replace(claim, headings=(), parents=()))
    forgotten = Forgotten() if again else Forgotten(tombstones_in(snapshot), owner_removed(snapshot, history))
    if why := _against(snapshot, claim, line, forgotten):
        return (), replace(noted, why=why)
    why = say("note.at_once" if by.is_owner else "authority.at_once", kind=said_with("kinds", kind))
    if certain and certain[0].target:
        done = replace(certain[0], by=by.who, why=why)
        return (done,), replace(noted, line=words_after(done), replaced=certain[0].target.text)
    if (
        kind == CORRECTION and changes and changes[0].target
    ):  # beside the line that it corrects it would stand against it
        return (), replace(noted, why=say("note.asks", place=changes[0].target.source))
    home = Homes(brief).home_of(line, kind)
    return (Operation(Op.ADD, why, (claim,), text=line, section=home, by=by.who, tag=TAG),), replace(noted, line=line)


def _changes(brief: Brief, claim: Statement) -> list[Operation]:
    """What the statement may change in a line of memory, the likeliest first."""
    found = BuiltIn().judge(brief).operations
    return [one for one in found if one.op is Op.UPDATE and claim in one.cites and not refusal(one, brief)]


def _brief(snapshot: Snapshot, edit: Edit, now: datetime) -> tuple[Brief, Statement | None]:
    """The statement as the night would read it in today's note, beside MEMORY.md."""
    text = spliced(snapshot.text_of(edit.path), [edit])
    after = reread(snapshot, {edit.path: text}, {edit.path: hash_text(text)})
    claims = list(claims_of(after.files[edit.path], snapshot.workspace.settings.privacy.kinds))
    claim = max(claims, key=lambda claim: claim.last) if claims else None
    observed = (Observed(claim, claim.key, (claim.day,), (claim.source,)),) if claim else ()
    return make_brief(after, Evidence(observed, embedder=snapshot.workspace.embedder), now), claim


def _against(snapshot: Snapshot, claim: Statement, line: str, forgotten: Forgotten) -> str:
    """What keeps it out of MEMORY.md for now; the owner's own rules and wishes first."""
    if not line:
        return say("note.not_one_line")
    if rule_for(line, understood_rules(snapshot.workspace.settings.custom_rules)) == NEVER:
        return say("note.rule")
    found, why = forgotten.against(line, claim.day)
    if found is not Recognised.OTHER:
        return why
    if why := veto(line, "", claim.origin):
        return said_with("codes", why)
    entries = (entry for file in snapshot.memories for entry in file.entries)
    known = [entry for entry in entries if says_the_same(bare_statement(entry.text), line)]
    return say("note.known", place=known[0].source) if known else ""


def kind_at_once(text: str, judged: Worth) -> str:
    """`correction`, `decision` or `project` if it must not wait; else empty."""
    if _QUESTION.search(text) or _any_of("perhaps").search(text):
        return ""
    if any(judged.kinds.get(kind, 0.0) >= SURE for kind in _WAIT):
        return ""
    if correction_in(text) or _not_so().search(text):
        return CORRECTION
    if _labelled().match(text):
        return DECISION
    if (said := _any_of("decided").search(text)) and not any_of("specifics.negations").search(said[0]):
        return DECISION
    return PROJECT if _any_of("projects").search(text) and not is_negated(text) else ""


@cache
def _any_of(group: str) -> re.Pattern[str]:
    return re.compile(phrases(words(f"announced.{group}")), re.I)


@cache
def _labelled() -> re.Pattern[str]:
    """`Decision: …` at the beginning."""
    return re.compile(rf"{one_of('logs.decision')}\s?[:：]", re.I)


@cache
def _not_so() -> re.Pattern[str]:
    """`…, not 2026-12-01` at the end: a value, and the one that it takes the place of."""
    return re.compile(rf"\d.*[,，;；]\s?{one_of('announced.not')}\s?(?=\S*\d)[^,，;；]{{1,40}}$", re.I)
