"""OPERATIONS → those that may happen: each is asked alone, whoever judged. What fails leaves, with its reason.

What the owner did not want (undone, declined, answered no, deleted by hand, forgotten) does not come back by itself; only newer
evidence speaks for it again. Compared is the statement, not its bytes: another wording of the same wish is the same. Files that
were not read, and places where the text itself is in doubt, are told: a night never looks better than it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from reverie.core.layout import Kind, holds_memory
from reverie.evidence.claims import Evidence
from reverie.features.forget.plan import owner_removed, tombstones_in
from reverie.judge.brief import Brief
from reverie.judge.checks import refusal
from reverie.judge.descriptions import NEVER, rule_for, understood_rules
from reverie.judge.forgotten import Forgotten, Recognised, Tombstone, statement, tombstone
from reverie.judge.leaving import is_over
from reverie.judge.operation import OWNER, Level, Op, Operation, leaving_lines, question_of, words_after
from reverie.judge.relation import key_of
from reverie.lang.messages import said_with, say
from reverie.night.promising import Dropped
from reverie.plan.part import declined
from reverie.plan.suggested import DECLINED, suggestions_in
from reverie.privacy.redact import opens_something
from reverie.text.lines import bare
from reverie.text.terms import plain
from reverie.workspace.news import unjudged
from reverie.workspace.values import Edit, File, Notice, Origin, Run, Snapshot, Source, short_id

LATEST_RUNS = 90  # runs that are looked at; what was undone longer ago is long gone from the notes too


@dataclass(frozen=True, slots=True)
class Unwanted:
    """One thing the owner did not want: the words that must not enter, or the line that must stay; since when, and why."""

    words: str
    enters: bool  # True: these words may not enter; False: this line may not change or leave
    day: str
    why: str
    id: str = ""  # of a suggestion that was declined: this wish is meant, and not all that may happen to its line


@dataclass(frozen=True, slots=True)
class History:
    """What is known of the owner's wishes against operations."""

    unwanted: tuple[Unwanted, ...] = ()
    declined: Mapping[str, str] = field(default_factory=dict)  # ids of items of a plan, and since when
    forgotten: Forgotten = field(default_factory=Forgotten)
    memory: Mapping[str, File] = field(default_factory=dict)  # items of a plan are known by the lines they change

    def against(self, operation: Operation) -> str:
        """Why the owner does not want this; empty when nothing is known, or when newer evidence speaks for it."""
        if operation.by == OWNER or operation.op is Op.ASK:
            return ""
        names = _names(self.memory, operation) if self.declined else set()
        if any(_is_older(operation, self.declined[name]) for name in names & self.declined.keys()):
            return say("refused.declined")
        enters = operation.op is Op.ADD
        found, why = self.recognised(operation)
        if found is Recognised.SAME:
            return why
        for one in self.unwanted:
            if one.enters is enters and _is_older(operation, one.day) and _is_meant(one, operation):
                return one.why
        return ""

    def asking(self, operation: Operation) -> Operation:
        """The operation, or a question to the owner where it is only near what they wanted forgotten."""
        if operation.by == OWNER or operation.level is not Level.CERTAIN:
            return operation
        found, why = self.recognised(operation)
        return replace(operation, level=Level.LIKELY, why=why) if found is Recognised.NEAR else operation

    def recognised(self, operation: Operation) -> tuple[Recognised, str]:
        """Whether it would bring back what was forgotten: by a new line, or by what it puts into another."""
        if operation.op is Op.ADD:
            return self.forgotten.against(operation.text, operation.day)
        told = words_after(operation) if operation.op in (Op.UPDATE, Op.MERGE) else ""
        before = " ".join(entry.text for entry in operation.memory)
        if not told or self.forgotten.against(before, operation.day)[0] is not Recognised.OTHER:
            return Recognised.OTHER, ""  # it stood there before
        return self.forgotten.against(told, operation.day)


def history_of(snapshot: Snapshot, runs: Sequence[Run]) -> History:
    """The owner's wishes against operations, from the runs and the lists beside them."""
    runs = runs[-LATEST_RUNS:]
    found = [one for run in runs if run.undone_by for edit in run.plan.edits for one in _undone(run, edit)]
    said_no = [one for one in suggestions_in(snapshot) if one.status == DECLINED]
    found += [
        Unwanted(one.words, one.op == Op.ADD, one.decided[:10], say("refused.declined"), one.id) for one in said_no
    ]
    return History(
        tuple(found),
        declined(snapshot),
        Forgotten(tombstones_in(snapshot), owner_removed(snapshot, runs)),
        {file.path: file for file in snapshot.memories},
    )


def _undone(run: Run, edit: Edit) -> Iterator[Unwanted]:
    """What an undone run had done to MEMORY.md. Undoing an undo brings it back, and then nothing is unwanted."""
    if not holds_memory(edit.path) or edit.tag in ("view", "init") or run.plan.undoes:
        return
    why = say("refused.undone", undone_by=run.undone_by)
    there = {bare(line) for line in edit.old}
    for line in edit.old:
        if statement(bare(line)):
            yield Unwanted(statement(bare(line)), False, run.at[:10], why)
    for line in edit.new:
        if statement(bare(line)) and bare(line) not in there and not line.startswith("#"):
            yield Unwanted(statement(bare(line)), True, run.at[:10], why)


def _is_older(operation: Operation, day: str) -> bool:
    """Whether nothing newer than the owner's no speaks for it."""
    return not operation.day or operation.day <= day


def _names(memory: Mapping[str, File], operation: Operation) -> set[str]:
    """The ids by which people know it: its own, and the one a plan gives to the lines that change or leave."""
    its = [(memory[entry.path].document.lines, entry.block) for entry in operation.memory if entry.path in memory]
    spans = [lines[block.first : end] for lines, block in its for end in (block.end, block.tail)]
    return {operation.id, *(short_id("\n".join(map(bare, span))) for span in spans)}


def _is_meant(one: Unwanted, operation: Operation) -> bool:
    if one.id and (operation.id == one.id or not one.enters):
        return operation.id == one.id
    if one.enters:
        return _stone(one.words).covers(operation.text)
    return any(plain(statement(entry.text)) == plain(one.words) for entry in operation.memory)


@lru_cache(maxsize=2_000)
def _stone(words: str) -> Tombstone:
    return tombstone(words)


_FILED = frozenset({Kind.TOPIC, Kind.KNOWLEDGE, Kind.CLASSIFIED, Kind.CONTEXT})


@dataclass(frozen=True, slots=True)
class Checked:
    operations: tuple[Operation, ...]
    dropped: tuple[Dropped, ...] = ()


def checked(snapshot: Snapshot, brief: Brief, operations: Sequence[Operation], history: History) -> Checked:
    """The operations that are grounded, allowed and wanted; of several that want the same line each other way, the first."""
    rules = understood_rules(snapshot.workspace.settings.custom_rules)
    kept: list[Operation] = []
    dropped: list[Dropped] = []
    entering: set[str] = set()
    filed = _filed(snapshot) if any(one.op is Op.ADD for one in operations) else {}
    for one in operations:
        why = refusal(one, brief) or history.against(one)
        if not why and one.op is Op.ADD:
            why = _against_entering(one, brief, rules, entering) or filed.get(plain(one.text), "")
        if not why and one.op is Op.ASK and question_of(one, "").id in brief.asked:
            why = say("refused.asked_before")
        if not why and _overlaps(one, kept):
            why = say("refused.same_line")
        if why:
            dropped.append(Dropped(one, why))
            continue
        one = history.asking(one)
        kept.append(one)
        if one.op is Op.ADD:
            entering.add(plain(one.text))
    return Checked(tuple(kept), tuple(dropped))


def _against_entering(one: Operation, brief: Brief, rules: Sequence[object], entering: set[str]) -> str:
    if plain(one.text) in entering:
        return say("refused.enters_once")
    if one.by != OWNER and rule_for(one.text, rules) == NEVER:  # type: ignore[arg-type]
        return say("refused.rule")
    return say("refused.over") if is_over(one.text, (one.section,), brief.today) else ""


def _filed(snapshot: Snapshot) -> dict[str, str]:
    """What stands in files of the owner's own, by its words: an archive of theirs, a page about a topic."""
    return {
        plain(entry.text): say("refused.kept_elsewhere", path=path)
        for path, file in snapshot.files.items()
        if file.place.kind in _FILED
        for entry in file.entries
    }


def _overlaps(one: Operation, kept: Sequence[Operation]) -> bool:
    """Whether a line that this operation changes leaves already, or one that it takes out changes already."""
    changing = {Op.UPDATE, Op.MERGE}
    gone = set(leaving_lines(kept))
    mine = set(leaving_lines([one]))
    told = {(other.target.path, other.target.block.first) for other in kept if other.op in changing and other.target}
    first = (one.target.path, one.target.block.first) if one.op in changing and one.target else ("", -1)
    return bool(mine & gone) or bool(mine & told) or first in gone


TAG = "doubt"
LATEST_WITHHELD = 3  # as many as questions a night


def find_unread(evidence: Evidence) -> tuple[Notice, ...]:
    """What a peer left behind that could not be read: a night does without it, and says so."""
    why = say("why.night_went_on")
    return tuple(Notice("unread", say("notice.unread", what=doubt), why) for doubt in evidence.doubts)


def find_withheld(brief: Brief, evidence: Evidence) -> tuple[Notice, ...]:
    """Lines of memory whose key a new note gives with words that may open something: no judge sees it, so the owner looks."""
    told = {key: line.entry for line in brief.memory if (key := key_of(line.text))}
    found = []
    for claim in (one.claim for one in evidence.fresh if one.claim.origin == Origin.OWNER):
        entry = told.get(key_of(claim.text))
        if entry is not None and plain(entry.text) != plain(claim.text) and opens_something(claim.text, entry.text):
            found.append(Notice(TAG, entry.text, say("upkeep.withheld", place=claim.source), (entry.source,), entry))
    return tuple(found[:LATEST_WITHHELD])


def find_doubts(snapshot: Snapshot) -> tuple[Notice, ...]:
    """Refused files, and doubts about the marks of MEMORY.md and the notes."""
    found = [
        Notice(
            "unread",
            say("notice.unread", what=f"{refusal.path} {refusal.why}"),
            say("why.not_read"),
            (Source(refusal.path, 1, 1),),
        )
        for refusal in snapshot.refused
    ]
    new = {file.path for file in unjudged(snapshot)}  # what was doubtful in an old note was told when it was new
    for path in sorted(new | {file.path for file in snapshot.memories}):
        file = snapshot.files[path]
        for doubt in sorted(file.document.doubts):
            said = say("notice.doubt", path=path, doubt=said_with("doubts", doubt))
            found.append(Notice(TAG, said, say("why.left_alone"), ()))
    return tuple(found)


__all__ = ["Checked", "History", "Unwanted", "checked", "history_of"]
