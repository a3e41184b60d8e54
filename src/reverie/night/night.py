"""A night, as one list:

    recover    finish or forget what a crash left
    read       FILES → Snapshot: every file once, with its hash
    remember   Snapshot → Evidence: only what is new
    brief      what is new, what memory holds, what came back from the archive: one value
    judge      Brief → Operations: the built-in judge, a model, or the host agent
    check      each operation alone: cited, grounded, allowed, loses nothing; what fails leaves, with its reason
    fit        room for what is worth more
    plan       Operations → Plan (splices of lines)
    probe      do no harm: questions before and after; the edits at fault leave
    promise    twelve questions; the edit that breaks one leaves, and the rest is asked again
    write      one transaction
    tell       log, diary, views, projections

Nothing is decided outside `judge`, nothing is vetoed outside `check`, nothing is written outside `write`. One bad edit never
costs the night. A night writes nothing only when the disk, the lock or the owner's own typing forbids it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reverie.apply.files import Disk, real_path
from reverie.apply.peer_lock import peers_wait
from reverie.apply.runs import runs
from reverie.core.errors import RefusedFile
from reverie.core.layout import LAST_REVIEW, LEDGER, Kind
from reverie.core.ports import Clock
from reverie.core.progress import begin
from reverie.evidence.claims import Evidence
from reverie.judge.brief import Brief, Judge, Prose
from reverie.judge.descriptions import unclear_rules
from reverie.judge.leaving import missing_files
from reverie.judge.operation import Level, Op, Operation, leaving_lines
from reverie.lang.messages import say, speaking
from reverie.night.briefing import make_brief, with_cited
from reverie.night.checking import History, checked, find_doubts, find_unread, find_withheld, history_of
from reverie.night.claude_index import OVER, index_edits, index_suggestions
from reverie.night.fit import fit, next_to_leave
from reverie.night.judging import Judged, judged
from reverie.night.live_lines import read_remembered
from reverie.night.promising import Dropped, Promised, promised
from reverie.night.proposing import asked_of, must_ask, propose, with_size, withdraw
from reverie.night.remember import evidence_of, sweep
from reverie.night.telling import pages_of, with_pages, with_palace, with_receipt
from reverie.night.transaction import Done, owners_language, transact, transaction
from reverie.plan.asked import question_edits
from reverie.plan.build import build_plan
from reverie.plan.ledger import read_ledger
from reverie.plan.promises import check_promises
from reverie.plan.reports import NO_PAGES
from reverie.plan.splices import hashes_after, texts_after
from reverie.plan.suggested import is_secret, suggested, suggestion_edits, suggestions_in, waiting_operations
from reverie.text.terms import plain
from reverie.workspace.projection import Projected
from reverie.workspace.reader import read_workspace, reread
from reverie.workspace.values import Edit, File, Notice, Plan, Run, Snapshot, Statement, Workspace

MOST_QUESTIONS = 3
_ROUNDS = 3  # what only shows once tonight's lines stand in MEMORY.md is decided tonight too


@dataclass(frozen=True, slots=True)
class Night:
    """What a night came to: the plan, the snapshot it was made on, and the run if it was applied."""

    snapshot: Snapshot
    plan: Plan
    run: Run | None = None
    recovered: tuple[str, ...] = ()
    proposed: str = ""  # the file to look at, when the plan waits for the owner's word
    projected: tuple[Projected, ...] = ()  # what came of the other hosts that get this memory
    derived: tuple[str, ...] = ()  # machine state under memory/.dreams that was brought up to date on the way
    operations: tuple[Operation, ...] = ()  # what happens
    suggestions: tuple[Operation, ...] = ()  # what is likely and waits for a yes
    dropped: tuple[Dropped, ...] = ()  # what a judge wanted and the checks, probes or promises did not let through


def review(
    workspace: Workspace,
    clock: Clock,
    *,
    dry_run: bool = False,
    force: bool = False,
    disk: Disk | None = None,
    on_read: Callable[[int], None] | None = None,
    judge: Judge | None = None,
) -> Night:
    """The whole list. Nothing to change means that nothing is written.

    What the owner wants to be asked about, and what is too large a change, is only proposed unless `force` accepts it.
    """
    if dry_run:
        return plan_dream(workspace, clock, on_read=on_read, judge=judge)
    with transaction(workspace, clock, "review", disk) as work, peers_wait(workspace.root, clock.now()):
        begin("read")
        first = read_remembered(workspace, None, on_read)
        memory_is_readable(first)  # before anything is brought up to date: a refused night leaves all as it is
        real_path(workspace, LAST_REVIEW)  # the vault is no link
        sweep(workspace, clock)

        def decide(snapshot: Snapshot) -> tuple[Night, Plan | None]:
            night = _planned(snapshot, clock, keep=True, judge=judge)
            asks = must_ask(snapshot, night.plan) and not force
            begin("write")
            return (replace(night, proposed=propose(snapshot, night.plan, disk)), None) if asks else (night, night.plan)

        night, run = work.write(decide, read=lambda _, known: read_remembered(workspace, known or first, on_read))
        if not night.proposed:
            withdraw(workspace, disk)
        if workspace.settings.model.kind == "agent" and run is not None:
            from reverie.night.agent import answer_used  # what was handed in waits no longer

            answer_used(workspace, clock)
        return replace(night, run=run, recovered=work.recovered, projected=work.refresh())


def carried_out(
    workspace: Workspace,
    clock: Clock,
    command: str,
    plan_of: Callable[[Snapshot], Plan],
    disk: Disk | None = None,
    *,
    dry_run: bool = False,
) -> Night:
    """A command that only makes a plan, done or (dry) only checked."""
    if dry_run:
        snapshot = read_workspace(workspace)
        plan = plan_of(snapshot)
        check_promises(snapshot, plan)
        return Night(snapshot, plan)

    def decide(snapshot: Snapshot) -> tuple[Night, Plan]:
        plan = plan_of(snapshot)
        return Night(snapshot, plan), plan

    done = transact(workspace, clock, command, decide, disk=disk)
    return with_outcome(done.told, done)


def with_outcome(night: Night, done: Done[Any]) -> Night:
    """What was decided, with what came of it."""
    return replace(night, run=done.run, recovered=done.recovered, projected=done.projected)


def plan_dream(
    workspace: Workspace,
    clock: Clock,
    previous: Snapshot | None = None,
    on_read: Callable[[int], None] | None = None,
    *,
    keep: bool = False,
    ask: bool = True,
    judge: Judge | None = None,
) -> Night:
    """Decide what to change. Writes nothing; with `keep` the index, which is derived, is brought up to date.

    A model is asked, and what it answers is kept; without `ask` only what it answered before counts.
    """
    begin("read")
    snapshot = read_remembered(workspace, previous, on_read)
    with speaking(owners_language(snapshot)):
        return _planned(snapshot, clock, keep=keep, ask=ask, judge=judge)


def _planned(
    snapshot: Snapshot, clock: Clock, *, keep: bool = False, ask: bool = True, judge: Judge | None = None
) -> Night:
    memory_is_readable(snapshot)
    begin("remember")
    evidence = evidence_of(snapshot, keep=keep)
    brief = make_brief(snapshot, evidence, clock.now())
    begin("judge")
    wanted = judged(snapshot.workspace, brief, clock, ask=ask, judge=judge)
    begin("check")
    night = decided(snapshot, evidence, brief, wanted, clock)
    plan = with_palace(snapshot, with_receipt(snapshot, night, wanted))
    return replace(night, plan=with_pages(snapshot, plan, clock.now()) if brief.notes else plan)


def decided(snapshot: Snapshot, evidence: Evidence, brief: Brief, wanted: Judged, clock: Clock) -> Night:
    """What becomes of what the judges want: a function of values, the same for the same."""
    past = runs(snapshot.workspace)
    history = history_of(snapshot, past)
    asked = asked_of(snapshot)
    dropped: list[Dropped] = []
    waiting = () if wanted.led else waiting_operations(snapshot, brief.today)
    index = tuple(index_suggestions(snapshot, past, brief.today))
    # A topic that is over is suggested whole, before the built-in judge takes single lines of it.
    over = [one for one in index if one.tag == OVER and not wanted.led]
    wishes = [*over, *wanted.operations, *waiting, *(one for one in index if one not in over)]
    if snapshot.workspace.home is not None and not wanted.led:
        # Into a host's own files nothing new goes without somebody's yes.
        wishes = [replace(one, level=Level.LIKELY) if one.op is Op.ADD else one for one in wishes]
    missing = index_edits(snapshot, past, clock.now())
    for _ in range(_ROUNDS):
        checks = checked(snapshot, with_cited(brief, waiting), wishes, history)
        dropped += checks.dropped
        night = _fitting(snapshot, evidence, brief, checks.operations, wanted, clock, asked, index=missing)
        dropped += night.dropped
        left_out = {one.operation.id for one in dropped}  # what may not happen tonight may not happen tomorrow either
        more = [one for one in _second_night(snapshot, night, history, clock) if one.id not in left_out]
        if not more:
            return replace(night, dropped=tuple(dropped))
        wishes = _with(snapshot, night.operations, more, checks.operations)
    likely = [one for one in checks.operations if one.level is Level.LIKELY]
    return replace(_quiet(snapshot, evidence, brief, night, likely, wanted, clock), dropped=tuple(dropped))


def _fitting(
    snapshot: Snapshot, evidence: Evidence, brief: Brief, operations: Sequence[Operation], wanted: Judged, clock: Clock, asked: object,
    *, making_room: bool = True, index: Sequence[Edit] = (),
) -> Night:  # fmt: skip
    """Fit, plan, probe and promise; what is likely or found no place becomes a suggestion."""
    limits = snapshot.workspace.settings.memory
    certain = [one for one in operations if one.level is Level.CERTAIN and one.op is not Op.ASK]
    questions = [one for one in operations if one.op is Op.ASK][:MOST_QUESTIONS]
    likely = [one for one in operations if one.level is Level.LIKELY and one.op is not Op.ASK]
    certain, crowded = (certain, []) if wanted.led else _few(certain, limits.new_lines)
    share = limits.leaving if making_room else 0.0
    fitted = fit(brief, certain, share=share, gone_today=gone_today(snapshot, brief))
    leaving = list(next_to_leave(brief, fitted.operations, 20))
    suggestions = [*fitted.waiting, *crowded, *likely, *leaving]
    notices = [
        *find_unread(evidence),
        *find_doubts(snapshot),
        *find_withheld(brief, evidence),
        *missing_files(snapshot),
        *fitted.notices,
    ]
    notices += () if wanted.led else unclear_rules(snapshot.workspace.settings.custom_rules)
    refused = Counter(wanted.ignored or ()) + Counter({"too old": brief.too_old})

    known = {one.id for one in suggestions_in(snapshot)}
    unsure = [one for one in likely if one.op is Op.UPDATE and one.cites and one.id not in known][:MOST_QUESTIONS]

    def build(chosen: Sequence[Operation], *, told: bool = True) -> Plan:
        happening = [*chosen, *questions]
        pages = pages_of(snapshot, evidence, happening, clock.now(), refused, wanted.prose) if told else NO_PAGES
        also = question_edits(snapshot, questions, clock.now())
        cards = [suggested(one, clock.now()) for one in suggestions]
        fresh = [one for one in cards if not is_secret(one)]
        also += index
        also += suggestion_edits(snapshot, fresh, chosen, clock.now()) if brief.notes or fresh or chosen else []
        return build_plan(
            snapshot, happening, clock.now(), notices=notices, refused=refused, pages=pages, also=also, unsure=unsure
        )

    found: Promised = promised(snapshot, fitted.operations, build, asked)  # type: ignore[arg-type]
    plan = with_size(snapshot, found.plan)
    told = tuple(_left_out(one) for one in found.dropped)
    plan = replace(plan, flags=(*plan.flags, *told))
    return Night(
        snapshot,
        plan,
        operations=(*found.operations, *questions),
        suggestions=tuple(suggestions),
        dropped=found.dropped,
    )


def _few(certain: Sequence[Operation], most: int) -> tuple[list[Operation], list[Operation]]:
    """The best new lines of a night, and those that wait for a later one."""
    adds = sorted((one for one in certain if one.op is Op.ADD), key=lambda one: -one.worth)
    return [one for one in certain if one.op is not Op.ADD] + adds[:most], adds[most:]


def gone_today(snapshot: Snapshot, brief: Brief) -> int:
    """How many lines have left today for want of room: a second night of the same day takes no more."""
    today = brief.today.isoformat()
    blocks = read_ledger(snapshot.text_of(LEDGER)) if LEDGER in snapshot.files else ()
    return sum(1 for one in blocks if one.category == "over budget" and one.archived.startswith(today))


def _second_night(snapshot: Snapshot, night: Night, history: History, clock: Clock) -> tuple[Operation, ...]:
    """What another night over the outcome would still change (promise 9)."""
    if not night.plan.edits:
        return ()
    after = reread(snapshot, texts_after(snapshot, night.plan), hashes_after(snapshot, night.plan))
    evidence = evidence_of(after)
    brief = make_brief(after, evidence, clock.now())
    again = judged(replace(after.workspace, model=None), brief, clock, ask=False)
    checks = checked(after, brief, [one for one in again.operations if one.level is Level.CERTAIN], history)
    return tuple(one for one in checks.operations if one.op is not Op.ASK)


def _with(
    snapshot: Snapshot, happening: Sequence[Operation], more: Sequence[Operation], checked_: Sequence[Operation]
) -> list[Operation]:
    """Tonight's wishes with what the second night showed: a line of tonight does not enter, a line of the owner's leaves now."""
    words = {plain(entry.text) for one in more for entry in one.memory}
    ours = [one for one in happening if one.op is Op.ADD and plain(one.text) in words]
    there = {plain(entry.text): entry for file in snapshot.memories for entry in file.entries}
    ends = [(one, there.get(plain(one.memory[0].text))) for one in more if one.op is Op.END and one.memory]
    gone = set(leaving_lines(happening))
    also = [
        replace(one, memory=(line, *_below(snapshot.files.get(line.path), line, gone)))
        for one, line in ends
        if line is not None
    ]
    return [*(one for one in checked_ if one not in ours), *also]


def _below(memory: File | None, line: Statement, gone: set[tuple[str, int]]) -> list[Statement]:
    """What hangs on a line, if all of it leaves tonight anyway: then the line may go along. Else it may not, and nothing is named."""
    inside = range(line.block.end, line.block.tail)
    below = [entry for entry in (memory.entries if memory else ()) if entry.block.first in inside]
    return below if all((entry.path, entry.block.first) in gone for entry in below) else []


def _quiet(
    snapshot: Snapshot, evidence: Evidence, brief: Brief, night: Night, likely: Sequence[Operation], wanted: Judged, clock: Clock
) -> Night:  # fmt: skip
    """The last resort: MEMORY.md stays as it is, what is likely waits, and every line that wanted to enter or leave is told."""
    empty = _fitting(snapshot, evidence, brief, likely, replace(wanted, prose=Prose()), clock, asked_of(snapshot))
    told = tuple(_left_out(Dropped(one, say("refused.second_night"))) for one in night.operations)
    return replace(empty, plan=replace(empty.plan, flags=(*empty.plan.flags, *told)))


def _left_out(one: Dropped) -> Notice:
    operation = one.operation
    text = operation.text or (operation.target.text if operation.target else "")
    return Notice("left out", say("notice.left", text=text.replace("**", "")), one.why, operation.sources)


def memory_is_readable(snapshot: Snapshot) -> None:
    """A MEMORY.md that we may not read is not an empty one."""
    for refusal in snapshot.refused:
        if refusal.path.lower() == "memory.md" or refusal.path == "memory":
            raise RefusedFile(say("night.unreadable", path=refusal.path, why=refusal.why))
    memory = snapshot.files.get(snapshot.memory_path)
    if memory is not None and memory.place.kind is Kind.PROJECTION:
        raise RefusedFile(say("night.projection", path=memory.path))


__all__ = ["Night", "decided", "gone_today", "memory_is_readable", "plan_dream", "review"]
