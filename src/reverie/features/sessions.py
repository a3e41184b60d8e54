"""`dream session`: what an agent reads when a conversation begins, and what it leaves when it ends (seed 003).

Beginning reads only, and wakes a memory that hibernates. Ending adds the agent's summary to today's note, redacted; what of it
lasts is for the night to decide, so that a summary is never a shortcut into memory. Where `dream classify` was asked for before, what
MEMORY.md gained during the conversation gets its file and its line in the index at once, if its kind is clear. A host that says
which transcript it is writing has its turns kept at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path

from reverie.apply.files import Disk
from reverie.apply.runs import runs
from reverie.core.errors import BadInput, Busy, RefusedPlan
from reverie.core.layout import TODOS, Kind, day_note, place_of
from reverie.core.ports import Clock
from reverie.evidence.reminded import reminded
from reverie.evidence.session_corpus import Ingested, append_turns, read_cursors
from reverie.features.changes import Changes, news
from reverie.features.note import keep_for_later, note_edit, note_plan, without_gone
from reverie.features.reminders import give
from reverie.features.status import is_on
from reverie.features.wakeup import roused
from reverie.judge.forgotten import forgotten_in
from reverie.judge.leaving import end_of, is_over, start_of
from reverie.judge.operation import Question
from reverie.judge.reminders import reminder_in
from reverie.lang.messages import say
from reverie.night.live_lines import forgotten_of
from reverie.night.suggesting import Card, waiting_cards
from reverie.night.transaction import transact
from reverie.plan.asked import open_questions
from reverie.privacy.redact import redacted
from reverie.text.lines import BOM, count_units, split_lines
from reverie.text.managed import without_managed
from reverie.text.markdown import Shape
from reverie.text.marks import is_done
from reverie.workspace.news import unjudged
from reverie.workspace.reader import read_workspace
from reverie.workspace.sessions import find_transcripts
from reverie.workspace.transcripts import Transcript, read_transcript
from reverie.workspace.values import Author, Intent, Plan, Refusal, Snapshot, Workspace

LONGEST_NOTE = 6_000  # characters of a note that are read again; its end is the newest
LONGEST_SUMMARY = 4_000
SUGGESTIONS = 3  # that a conversation begins with; more would be a task of its own
BY = Author("agent", "session")  # a summary is an agent's, whoever calls the command
_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.S)
_OURS = re.compile(r" *<!-- dream:[0-9a-f]{8} -->")
_LEAD = re.compile(r"^[\s>#]*(?:[-*+•]|\d+[.)])?\s*(?:\[[ xX]\]\s+)?")


@dataclass(frozen=True, slots=True)
class PageToRead:
    """A file that an agent should read, as it should read it."""

    title: str
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Begun:
    """What a conversation begins with."""

    pages: tuple[PageToRead, ...]  # today, yesterday, then what lasts
    questions: tuple[Question, ...]
    todos: tuple[str, ...]
    suggestions: tuple[Card, ...] = ()  # the best few of what waits for a yes
    awake: str = ""  # that the memory was hibernating and this conversation woke it
    unjudged: int = 0  # notes of earlier days that wait for the agent who reads this, where it leads the nights
    reminders: tuple[str, ...] = ()  # whose day has come; each is given once
    news: Changes | None = None  # what the last night did, where that is news


@dataclass(frozen=True, slots=True)
class Ended:
    """Where a summary went; without one, nowhere."""

    path: str = ""
    lines: tuple[str, ...] = ()
    run: str = ""
    classified: tuple[str, ...] = ()  # the files that memories got
    sorted_by: str = ""  # the run that wrote them
    unsorted: str = ""  # why they got none, where something forbade it
    queued: str = ""  # who holds the workspace: the next command that writes takes it in


def begin(workspace: Workspace, clock: Clock, *, remind: bool = True) -> Begun:
    """What to read now: the notes of today and yesterday, MEMORY.md, open questions and tasks, three suggestions, what is new.

    Writes nothing of the owner's, but wakes a memory that hibernates. With `remind`, reminders whose day has come are given,
    and then they are.
    """
    awake = roused(workspace)
    snapshot, today = read_workspace(workspace), clock.now().date()
    days = (("session.today", today), ("session.yesterday", today - timedelta(days=1)))
    notes = [page for title, day in days for page in _notes(snapshot, say(title), day)]
    known = workspace.home is not None  # a host that keeps MEMORY.md itself reads it itself
    memory = "" if known else _as_read(_OURS.sub("", _with_terms(snapshot, today)))
    lasting = [PageToRead(say("session.memory"), snapshot.memory_path, memory)] if memory else []
    likely = waiting_cards(snapshot, today)[:SUGGESTIONS]
    mind = workspace.settings.model
    leads = mind.kind == "agent" and mind.leads and is_on(workspace.root, workspace.settings)
    waiting = _unjudged(snapshot, today) if leads else 0
    asked, tasks = open_questions(snapshot, today), tuple(_todos(snapshot))
    due = give(workspace, "", today) if remind else ()
    return Begun((*notes, *lasting), asked, tasks, likely, awake, waiting, due, news(snapshot, today))


def end(workspace: Workspace, clock: Clock, summary: str, *, disk: Disk | None = None) -> Ended:
    """Add a summary to today's note, a bullet for each of its lines. An empty one writes nothing."""
    lines = _lines(summary, workspace.settings.privacy.kinds)
    if not lines:
        return Ended()

    begun = list[Snapshot]()

    def decide(snapshot: Snapshot) -> tuple[Ended, Plan]:
        begun.append(snapshot)
        kept = without_gone(snapshot, lines)
        plan = note_plan(snapshot, note_edit(snapshot, kept, clock.now(), BY), (), clock.now())
        return Ended(day_note(clock.now().date()), kept), plan

    try:
        done = transact(workspace, clock, "session", decide, disk=disk)
    except Busy as busy:
        if begun:  # the workspace was ours, and something else was held
            raise
        keep_for_later(workspace, lines, clock.now(), busy, BY, is_note=False)
        return Ended(day_note(clock.now().date()), lines, queued=busy.holder)
    return _sorted(workspace, clock, replace(done.told, run=done.run.id if done.run else ""), disk)


def _sorted(workspace: Workspace, clock: Clock, ended: Ended, disk: Disk | None) -> Ended:
    """The memories whose kind is clear in their files, as `dream classify --apply` does it, once the owner has had it done."""
    wanted = workspace.settings.memory.shape == "index" or any(
        run.plan.intent is Intent.CLASSIFY and not run.undone_by for run in runs(workspace)
    )
    if workspace.home is not None or not wanted:
        return ended
    from reverie.features.classify.classify import (
        sort_memories,
    )  # the judge and its weights, only for those who need them

    try:
        found = sort_memories(replace(workspace, model=None), clock, apply=True, disk=disk)  # nobody waits for a model
    except (Busy, RefusedPlan) as error:  # the summary is kept; the next night or `dream classify` says more
        return replace(ended, unsorted=str(error))
    files = tuple(path for path in found.plan.paths if place_of(path).kind is Kind.CLASSIFIED)
    return replace(ended, classified=files, sorted_by=found.run.id) if found.run else ended


def _notes(snapshot: Snapshot, title: str, day: date) -> Iterator[PageToRead]:
    """The notes of a day without what a dream put into them; of a long one the end."""
    for path, file in sorted(snapshot.files.items()):
        if file.place.kind is Kind.DAILY and file.place.day == day:
            lines, gone = split_lines(without_managed(file.text)), forgotten_in(snapshot)
            text = _as_read("".join(line for line in lines if not gone.is_gone(line)))
            if count_units(text) > LONGEST_NOTE:
                text = "…\n" + text[-LONGEST_NOTE:].partition("\n")[2]
            if text:
                yield PageToRead(title, path, text)


def _with_terms(snapshot: Snapshot, today: date) -> str:
    """MEMORY.md; a line behind its last day or before its first says so, and a reminder that was given."""
    file, given = snapshot.files.get(snapshot.memory_path), reminded(snapshot.workspace.root)
    lines = list(split_lines(file.text)) if file else []
    for entry in file.entries if file else ():
        end, start, reminder = end_of(entry.text), start_of(entry.text), reminder_in(entry.text)
        why = say("time.not_yet", day=start.isoformat()) if start is not None and start > today else ""
        why = say("hit.expired", day=end.isoformat()) if end and is_over(entry.text, entry.headings, today) else why
        why = say("time.was_given") if reminder and reminder.key in given else why
        if why:
            line = lines[entry.block.end - 1]
            lines[entry.block.end - 1] = f"{line.rstrip()} ({why}){line[len(line.rstrip()) :]}"
    return "".join(lines)


def _as_read(text: str) -> str:
    """Without what only a file needs: the mark of its byte order, and endings of another system."""
    return text.removeprefix(BOM).replace("\r\n", "\n").strip()


def _unjudged(snapshot: Snapshot, today: date) -> int:
    """Notes that no night has judged; those of today are still being written."""
    days = [file.place.day for file in unjudged(snapshot)]
    return sum(1 for day in days if day is not None and day < today)


def _todos(snapshot: Snapshot) -> Iterator[str]:
    """What todos.md has that is not done; where it has boxes, only what has one."""
    file = snapshot.files.get(TODOS)
    items = [e for e in (file.entries if file else ()) if e.block.shape in (Shape.BULLET, Shape.NUMBERED)]
    boxed = any(entry.block.checked is not None for entry in items)
    for entry in items:
        if not is_done(entry.text, checked=entry.block.checked) and (entry.block.checked is not None or not boxed):
            yield entry.text


def _lines(summary: str, kinds: frozenset[str]) -> tuple[str, ...]:
    """The summary's statements, one a line, redacted; headings, bullets and comments are only its frame."""
    if count_units(summary) > LONGEST_SUMMARY:
        raise BadInput(say("session.too_long", size=count_units(summary), most=LONGEST_SUMMARY))
    clean = redacted(_COMMENT.sub(" ", summary), kinds)
    said = (" ".join(_LEAD.sub("", line, count=1).split()) for line in split_lines(clean) if not line.startswith("#"))
    return tuple(line for line in said if line)


def overhear(workspace: Workspace, clock: Clock, transcript: Path) -> Ingested:
    """Append what is new in this transcript to the corpus of its day."""
    named = [found for found in find_transcripts([transcript.parent]) if found[1] == transcript]
    if not named:
        raise BadInput(say("session.no_transcript", path=transcript))
    path, real, agent = named[0]
    found: list[Transcript] = []
    cursor = read_cursors(workspace.root).get(path)
    while True:
        read = read_transcript(real, path, agent, cursor)
        if isinstance(read, Refusal):
            raise BadInput(say("session.refused", path=transcript, why=read.why))
        found.append(read)
        cursor = read.cursor
        if not read.more:
            break
    now = clock.now()
    return append_turns(
        workspace.root,
        found,
        now.tzinfo,
        now=now,
        kinds=workspace.settings.privacy.kinds,
        gone=forgotten_of(workspace).is_gone,
    )
