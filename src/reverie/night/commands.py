"""What surfaces call besides the night itself: apply, undo, take one decision back, init, pin, answer, the content index, why.

A surface calls one function here and shows what it returns. Everything a function needs comes in as a value: the workspace with
its settings, and the clock. Whatever writes goes through `transact` and the promises, and can be undone. A decision that is taken
back counts as declined, so that no later night makes it again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import dropwhile

from reverie.apply.files import Disk
from reverie.apply.runs import find_run, named_run, runs
from reverie.core.errors import BadInput, BadPlanFile, StalePlan, UndoCollision, UnknownRun
from reverie.core.layout import REJECTED, holds_memory
from reverie.core.ports import Clock
from reverie.judge.operation import CHOICES, Op, Operation, Question
from reverie.lang.messages import say
from reverie.night.night import Night, carried_out, memory_is_readable, plan_dream, review
from reverie.night.proposing import part_of, probed, refuse_if_large, waiting, withdraw
from reverie.night.suggesting import waiting_cards
from reverie.night.transaction import transaction
from reverie.openclaw.recall_lane import TAKEN_BACK, give_back_promotions
from reverie.plan.asked import answer_plan, open_questions, questions_in
from reverie.plan.build import accepted_plan, plan_of
from reverie.plan.content import Item, content_plan, item_of, preference_in
from reverie.plan.part import is_replacement, undo_plan, with_declined
from reverie.plan.promises import check_promises
from reverie.plan.seed import QUESTIONS, init_plan, wants_answers
from reverie.plan.show import (
    Moved,
    Story,
    as_brief,
    as_decisions,
    as_diff,
    as_prose,
    moved,
    moved_sentence,
    sizes,
    story_of,
)
from reverie.plan.splices import VIEW, found_again, hashes_after, in_order, texts_after, turned_round
from reverie.plan.timeline import Moment, timeline_of
from reverie.plan.views import dated
from reverie.privacy.redact import holds_mask, shown
from reverie.text.lines import bare, split_lines
from reverie.text.markdown import Document, Shape, parse
from reverie.text.marks import PIN, is_pinned
from reverie.text.sections import OURS, own_lines
from reverie.workspace.news import unjudged
from reverie.workspace.reader import read_workspace, reread
from reverie.workspace.values import (
    SCRUBBED,
    Author,
    Edit,
    Intent,
    Plan,
    Run,
    Snapshot,
    Statement,
    Workspace,
    short_id,
)


def apply_plan(
    workspace: Workspace,
    plan: Plan | None,
    clock: Clock,
    *,
    only: Sequence[str] = (),
    without: Sequence[str] = (),
    none: bool = False,
    force: bool = False,
    disk: Disk | None = None,
) -> Night:
    """Apply a plan that was saved, or the one that waits (None), or a part of it: the items that are not chosen are declined.

    It must still fit the bytes on disk, keep every promise and harm nobody.
    """
    asked = plan is None
    plan = waiting(workspace) if plan is None else plan
    if plan.intent is not Intent.DREAM:  # an undo is excused from promises because we build it from our own records
        raise BadPlanFile(say("apply.other_intent", intent=plan.intent))
    with transaction(workspace, clock, "apply", disk) as work:

        def decide(snapshot: Snapshot) -> tuple[Night, Plan]:
            for path in plan.paths:
                if plan.base.get(path) != snapshot.hash_of(path):
                    raise StalePlan(path)
            check_promises(snapshot, plan)  # first of all: a promise is named by its name
            chosen = part_of(snapshot, plan, only, without, clock.now(), none=none)
            part = probed(snapshot, dated(snapshot, chosen, clock.now()))
            if not (asked or force):
                refuse_if_large(snapshot, part)
            return Night(snapshot, part), part

        night, run = work.write(decide, tries=1)
        if asked:
            withdraw(workspace, disk)
        return replace(night, run=run, recovered=work.recovered, projected=work.refresh())


def undo(
    workspace: Workspace, clock: Clock, name: str = "", *, dry_run: bool = False, disk: Disk | None = None
) -> Night:
    """Take a run back (the newest one, or the one named). Itself a run, so it can be undone too."""

    def plan(snapshot: Snapshot) -> Plan:
        run = find_run(workspace, name)
        return undo_plan(snapshot, run, clock.now(), _taken_back_of(workspace, run))

    night = carried_out(workspace, clock, "undo", plan, disk, dry_run=dry_run)
    if night.run:
        give_back_promotions(workspace)
    return night


def _taken_back_of(workspace: Workspace, run: Run) -> frozenset[str]:
    """The decisions of a run that `undo --only` took back, and that stayed so."""
    later = list(dropwhile(lambda one: one.id != run.id, runs(workspace)))[1:]
    kept = (edit for one in later if not one.undone_by for edit in one.plan.edits)
    return frozenset(edit.id for edit in kept if edit.tag == TAKEN_BACK)


def init(workspace: Workspace, clock: Clock, answers: Mapping[str, str], *, disk: Disk | None = None) -> Night:
    """Create the vault and, where there is none, a first MEMORY.md. Doing it twice changes nothing."""

    def plan(snapshot: Snapshot) -> Plan:
        memory_is_readable(snapshot)
        return init_plan(snapshot, answers, clock.now())

    return carried_out(workspace, clock, "init", plan, disk)


def index_content(
    workspace: Workspace,
    clock: Clock,
    content: str,
    title: str = "",
    topics: Sequence[str] = (),
    *,
    disk: Disk | None = None,
) -> tuple[Item, Night]:
    """Put a link or a text into the content index, once. What is known already changes nothing."""
    item = replace(item_of(content, title, topics), preference=preference_in(content))
    return item, carried_out(
        workspace, clock, "index", lambda snapshot: content_plan(snapshot, item, clock.now()), disk
    )


def needs_answers(workspace: Workspace) -> bool:
    """Whether `init` would write a first MEMORY.md and so has something to ask."""
    snapshot = read_workspace(workspace)
    memory_is_readable(snapshot)
    return wants_answers(snapshot)


def why(workspace: Workspace, asked: str) -> Story:
    """The story of a line, by its id or its text."""
    return story_of(read_workspace(workspace), runs(workspace), asked)


def timeline(workspace: Workspace, asked: str) -> tuple[Moment, ...]:
    """One fact through all its versions, by the id or the words of one of them, oldest first."""
    return timeline_of(read_workspace(workspace), runs(workspace), asked)


def diff_of(night: Night, *, everything: bool = False) -> Iterator[tuple[str, str]]:
    """The plan as a diff: lines with their role, the reason beside each change."""
    return as_diff(night.snapshot, night.plan, everything=everything)


def prose_of(night: Night) -> Iterator[tuple[str, str]]:
    """The plan in sentences, lines with their role."""
    return as_prose(night.snapshot, night.plan)


def brief_story_of(night: Night) -> Iterator[tuple[str, str]]:
    """The plan in a few lines, with their role."""
    return as_brief(night.snapshot, night.plan, done=night.run is not None)


def run_story(workspace: Workspace, name: str) -> tuple[Run, list[tuple[str, str]]]:
    """A run of the past and every decision of it with its reason, lines with their role."""
    run = named_run(workspace, name)
    probes = run.plan.probes
    came_to = [("plain", say("show.probes", before=probes[0], after=probes[1]))] if probes else []
    return run, [*as_decisions(read_workspace(workspace), run.plan), *came_to]


def sizes_of(night: Night) -> tuple[int, int]:
    """Characters of MEMORY.md before and after the plan."""
    return sizes(night.snapshot, night.plan)


def waiting_suggestions(night: Night, *, planned: bool = False) -> int:
    """How many suggestions wait for an answer now, or `planned`: once this plan is carried out; of other runs nobody asks."""
    return _waiting(night, waiting_cards, planned=planned)


def waiting_questions(night: Night, *, planned: bool = False) -> int:
    """The same of questions."""
    return _waiting(night, open_questions, planned=planned)


def _waiting(night: Night, waits: Callable[[Snapshot, date], Sequence[object]], *, planned: bool) -> int:
    if night.plan.intent not in (Intent.DREAM, Intent.SUGGESTION):
        return 0
    snapshot, plan = night.snapshot, night.plan
    if night.run or planned:
        snapshot = reread(snapshot, texts_after(snapshot, plan), hashes_after(snapshot, plan))
    return len(waits(snapshot, date.fromisoformat(plan.made[:10])))


def declined_items(night: Night) -> int:
    """How many items of a proposal the owner declined with this run."""
    noted = [edit for edit in night.plan.edits if edit.path == REJECTED and night.plan.intent is Intent.DREAM]
    return sum(len(edit.new) for edit in noted)


def given_back(night: Night) -> tuple[int, int]:
    """Of an undo: how many suggestions leave the list with the night, and how many notes count as new again."""
    if not night.plan.undoes:
        return 0, 0
    before = night.snapshot
    after = reread(before, texts_after(before, night.plan), hashes_after(before, night.plan))
    after = replace(after, files={path: one for path, one in after.files.items() if path not in night.plan.removes})
    new_again = {file.path for file in unjudged(after)} - {file.path for file in unjudged(before)}
    gone = {one.id for one in waiting_cards(before)} - {one.id for one in waiting_cards(after)}
    return len(gone), len(new_again)


def list_runs(workspace: Workspace) -> tuple[Run, ...]:
    return runs(workspace)


def questions(workspace: Workspace, *, everything: bool = False, today: date | None = None) -> tuple[Question, ...]:
    """What waits for an answer, oldest first; with `everything` also what was answered, with `today` without what is for later."""
    snapshot = read_workspace(workspace)
    return questions_in(snapshot) if everything else open_questions(snapshot, today)


def answer(
    workspace: Workspace, clock: Clock, its_id: str, choice: str, text: str = "", *, disk: Disk | None = None
) -> Night:
    """Do what the owner answered to a question: one line gives way, both stand, or other words take their place."""

    def plan(snapshot: Snapshot) -> Plan:
        return answer_plan(snapshot, its_id, choice, text, clock.now())

    return carried_out(workspace, clock, "answer", plan, disk)


PIN_TAG, EDIT_TAG = "pin", "edit"
_AT_A_TERMINAL = Author("owner", "cli")
_LEAD = re.compile(r"[ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?")
_SHAPES = (Shape.BULLET, Shape.NUMBERED, Shape.PARAGRAPH)


def seen_as(text: str) -> str:
    """A short name for the words of a statement, by which it is known again; the words themselves need not travel."""
    return short_id(OURS.sub("", text).rstrip())


def lines_of(document: Document, entry: Statement) -> str:
    """A statement as it stands in its file, its continued lines too."""
    return "\n".join(map(bare, document.lines[entry.block.first : entry.block.end]))


def pin(
    workspace: Workspace,
    clock: Clock,
    line: int,
    seen: str,
    *,
    off: bool = False,
    by: Author = _AT_A_TERMINAL,
    disk: Disk | None = None,
) -> Night:
    """Pin the statement that begins in this line of MEMORY.md, if it still says what the owner saw there (`seen_as`).

    `off` takes the pin away again. Only a surface that knows its caller to be the owner calls this."""

    def plan(snapshot: Snapshot) -> Plan:
        document, entry = _line_seen(snapshot, line - 1, seen)
        raw = document.lines[line - 1]
        pinned = is_pinned(raw) and entry.protected
        if pinned is not off:
            problem = "pin.already" if pinned else "line.not_pinned"
            raise BadInput(say(problem, at=line, path=snapshot.memory_path))
        lead = _LEAD.match(raw)
        place = lead.end() if lead else 0
        new = raw.replace(f"{PIN} ", "", 1) if off else f"{raw[:place]}{PIN} {raw[place:]}"
        why = say("line.why_unpinned" if off else "why.pinned")
        edit = Edit(short_id(raw), snapshot.memory_path, line - 1, (raw,), (new,), PIN_TAG, why, by=str(by))
        return plan_of(snapshot, Intent.PIN, [edit], clock.now())

    return carried_out(workspace, clock, "pin", plan, disk)


def edit_line(
    workspace: Workspace,
    clock: Clock,
    line: int,
    seen: str,
    text: str,
    *,
    by: Author = _AT_A_TERMINAL,
    disk: Disk | None = None,
) -> Night:
    """Put the owner's words in the place of the statement that begins in this line, if it still says what they saw there.

    Its bullet and its mark stay, its old words go to the archive. One line stays one line: an edit makes no heading and no list.
    """
    words = " ".join(text.split())

    def plan(snapshot: Snapshot) -> Plan:
        document, entry = _line_seen(snapshot, line - 1, seen)
        if not words or words == statement_words(entry.text):
            raise BadInput(say("line.empty" if not words else "line.unchanged", at=line))
        want = Operation(Op.UPDATE, say("line.why_edited"), (), (entry,), words, by=str(by), tag=EDIT_TAG)
        made = accepted_plan(snapshot, [want], clock.now(), intent=Intent.EDIT)
        after = parse(texts_after(snapshot, made)[snapshot.memory_path])
        if "<!--" in words or _shapes(after) != _shapes(document):
            raise BadInput(say("line.other_shape", at=line))
        return made

    return carried_out(workspace, clock, "edit", plan, disk)


def _shapes(document: Document) -> list[Shape]:
    return [block.shape for block in document.blocks]


def statement_words(text: str) -> str:
    """The words of a statement on one line, without the mark that only machines read."""
    return " ".join(OURS.sub("", text).split())


def line_meant(workspace: Workspace, asked: str) -> tuple[int, str]:
    """The one line of MEMORY.md that is meant, by its id or by words of it, as `pin` wants it: its number and what is seen there."""
    snapshot = read_workspace(workspace)
    entry = line_in(snapshot, asked)
    return entry.first, seen_as(lines_of(snapshot.files[entry.path].document, entry))


def line_in(snapshot: Snapshot, asked: str) -> Statement:
    """The one line of MEMORY.md that is meant, by its id or by words of it; raises BadInput if none or several are."""
    file, wanted = snapshot.files.get(snapshot.memory_path), " ".join(asked.split()).casefold()
    lines = [(entry, lines_of(file.document, entry)) for entry in file.entries] if file else []
    named = [entry for entry, line in lines if (mark := OURS.search(line)) and mark[1] == wanted]
    found = named or [entry for entry, line in lines if wanted and wanted in " ".join(line.split()).casefold()]
    if len(found) != 1:
        raise BadInput(say("authority.which", n=len(found), path=snapshot.memory_path))
    return found[0]


def _line_seen(snapshot: Snapshot, at: int, seen: str) -> tuple[Document, Statement]:
    """The statement that begins at this line of MEMORY.md, if it is the one that was seen and may be touched."""
    path = snapshot.memory_path
    file = snapshot.files.get(path)
    found = [entry for entry in file.entries if entry.block.first == at] if file else []
    if file is None or not found or seen_as(lines_of(file.document, found[0])) != seen:
        raise BadInput(say("line.moved", path=path, at=at + 1))
    if found[0].block.shape not in _SHAPES or at in own_lines(file.document):
        raise BadInput(say("pin.cannot", at=at + 1, path=path))
    return file.document, found[0]


def take_back(
    workspace: Workspace, clock: Clock, run: str, item: str, *, dry_run: bool = False, disk: Disk | None = None
) -> Night:
    """Take the decision with this id back out of the run of this name (the newest, if none is named)."""

    def plan(snapshot: Snapshot) -> Plan:
        edits, ids = way_back(snapshot, find_run(workspace, run), item)
        return with_declined(snapshot, plan_of(snapshot, Intent.UNDO, edits, clock.now()), ids, clock.now())

    night = carried_out(workspace, clock, "undo", plan, disk, dry_run=dry_run)
    if night.run:
        give_back_promotions(workspace)
    return night


def way_back(snapshot: Snapshot, run: Run, item: str) -> tuple[tuple[Edit, ...], frozenset[str]]:
    """The edits that take a decision back, on MEMORY.md as it is now, and the ids that are declined with it."""
    its = [edit for edit in run.plan.edits if holds_memory(edit.path)]
    edit = next((one for one in its if one.tag != VIEW and item and item in decided(one)), None)
    if edit is None:
        raise BadInput(say("undo.no_decision", id=run.id, item=item, memory_path=snapshot.memory_path))  # fmt: skip
    partners = [one for one in its if _belongs(one, edit)]
    if any(len(decided(one)) > 1 for one in partners):
        raise BadInput(say("undo.together", item=item, id=run.id))
    names = {item} | {name for one in partners for name in decided(one)}
    back = [_turned(snapshot, run, its, one, names) for one in (edit, *partners)]
    return tuple(back), frozenset(names)


def decided(edit: Edit) -> frozenset[str]:
    """The decisions that an edit carries: a line that comes is known by its mark, one that leaves or changes by the edit."""
    if not edit.new or is_replacement(edit):
        return frozenset({edit.id})
    there = set(map(bare, edit.old))
    return frozenset(mark[1] for line in edit.new if bare(line) not in there and (mark := OURS.search(bare(line))))


def _belongs(one: Edit, other: Edit) -> bool:
    """A row that left because a line came, and that line, mean nothing without each other."""
    return (
        one is not other
        and (one.tag, one.why) == (other.tag, other.why)
        and bool(one.new) != bool(other.new)
        and bool(set(one.sources) & set(other.sources))
    )


def _turned(snapshot: Snapshot, run: Run, its: Sequence[Edit], edit: Edit, names: set[str]) -> Edit:
    lines, its = split_lines(snapshot.text_of(edit.path)), [one for one in its if one.path == edit.path]
    why = say("why.taken_back", id=run.id)
    if edit.new and not is_replacement(edit):
        return _without(snapshot, lines, edit, names, why)
    back = next(new for old, new in zip(in_order(its), turned_round(its), strict=True) if old is edit)
    if run.after.get(edit.path) == SCRUBBED and any(map(holds_mask, back.new)):
        raise UnknownRun(say("scrub.not_back", id=run.id, path=edit.path))
    again = found_again(back, lines)
    if again is None:
        raise UndoCollision(edit.path, shown(bare((edit.new or edit.old)[0]).strip()))
    return Edit(edit.id, edit.path, again.at, again.old, again.new, TAKEN_BACK, why, edit.sources)


def _without(snapshot: Snapshot, lines: Sequence[str], edit: Edit, names: set[str], why: str) -> Edit:
    """A line that came goes again, if it stands as it was written and nothing hangs on it."""
    wanted = next(bare(line) for line in edit.new if (mark := OURS.search(bare(line))) and mark[1] in names)
    places = [at for at, line in enumerate(lines) if bare(line) == wanted]
    entries = (
        {entry.block.first: entry for entry in snapshot.files[edit.path].entries} if edit.path in snapshot.files else {}
    )
    if len(places) != 1 or (places[0] in entries and entries[places[0]].block.tail > places[0] + 1):
        raise UndoCollision(edit.path, shown(OURS.sub("", wanted).strip()))
    name = next(iter(names & decided(edit)))
    return Edit(name, edit.path, places[0], (lines[places[0]],), (), TAKEN_BACK, why, edit.sources)


__all__ = [
    "CHOICES",
    "QUESTIONS",
    "Item",
    "Moment",
    "Moved",
    "Night",
    "Question",
    "Story",
    "answer",
    "apply_plan",
    "brief_story_of",
    "decided",
    "declined_items",
    "diff_of",
    "edit_line",
    "given_back",
    "index_content",
    "init",
    "line_meant",
    "lines_of",
    "list_runs",
    "moved",
    "moved_sentence",
    "needs_answers",
    "pin",
    "plan_dream",
    "prose_of",
    "questions",
    "review",
    "run_story",
    "seen_as",
    "sizes_of",
    "statement_words",
    "take_back",
    "timeline",
    "undo",
    "waiting_questions",
    "waiting_suggestions",
    "way_back",
    "why",
]
