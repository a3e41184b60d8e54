"""Which of four kinds a memory is (seed 003): user, feedback, project, reference; and what is none of them.

What a line certainly is decides first, then what it says, by learned chances (`judge/kinds.py`): the owner's heading makes its kind
likelier and never decides alone, except where the network is switched off and nobody reads. In doubt a memory stays where it is. Work in progress is no memory: tasks go to todos.md, states of projects to the tracker. What the code,
its history or its errors say themselves and raw conversation are refused, each with its reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from reverie.core.layout import Kind
from reverie.features.classify.memories import (
    FEEDBACK,
    KINDS,
    PROJECT,
    REFERENCE,
    USER,
    MemoryItem,
    about_the_owner,
    headed,
    is_labelled,
    is_state,
    is_task,
    speaks_of_answers,
    tells_progress,
)
from reverie.judge.kinds import kinds_of
from reverie.judge.relation import says_the_same
from reverie.judge.vetoes import (
    CODE,
    INSTRUCTION,
    SECRET,
    UNTRUSTED,
    acts_behind_backs,
    is_chatter,
    is_for_machines,
    unfit,
)
from reverie.judge.worth import THRESHOLDS, Embed, LineToWeigh, Worth, worth_of
from reverie.lang.messages import said_with, say
from reverie.text.marks import is_done, is_history, is_marked_heading
from reverie.text.sections import CURRENT, LESSONS, PEOPLE, STABLE, area_of
from reverie.text.terms import bag, is_negated, plain, values_in
from reverie.workspace.values import File, Origin, Statement, short_id

_BY_AREA = {LESSONS: FEEDBACK, PEOPLE: REFERENCE}
_WISHES = ("preference", "rule", "lesson", "correction")  # kinds by which somebody wants something to be so
_WISHED = 0.5  # share of the judge's belief that they need
_CLEAR = (
    0.55  # chance that a kind needs: of lines that were held out 19 in 20 were then right (`training/kinds.py`), and
)
_APART = 0.15  # how far the next one must be behind
_HEADED = 10.0  # so much likelier is the kind that a heading names; one that the words hardly speak for stays out
_PLAUSIBLE = 0.1  # chance that a kind must have for a model to choose it
# What the code, its history and its errors say themselves: files of code, calls, hashes of commits, numbers of requests.
_OF_THE_CODE = {
    "git": re.compile(
        r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b|\b[PM]R ?[#!]?\d+\b|\bgit (?:log|blame)\b"
        r"|#\d+\b.*\b(?:main|master|develop)\b|\b(?:main|master|develop)\b.*#\d+\b"
    ),
    "fix": re.compile(r"\b[A-Z]\w+(?:Error|Exception)\b|\bTraceback\b"),
    "code_pattern": re.compile(
        r"[\w./-]+\.(?:py|pyi|js|jsx|ts|tsx|go|rs|java|kt|c|cc|cpp|h|hpp|cs|rb|php|swift|scala|vue|svelte|sql)(?::\d+)?\b"
        r"|\b\w+(?:\.\w+)*\(\w*\)|\bsrc/"
    ),
}
_BY_ORIGIN = {
    Origin.MACHINE: "machine",
    Origin.SESSION: "conversation",
    Origin.FENCED: "code",
    Origin.QUOTED: "quoted",
}
_BY_VETO = {CODE: "code", SECRET: "secret", UNTRUSTED: "untrusted", INSTRUCTION: "instruction"}
NO_STATEMENT, STATE = "no statement", "state"
_OPEN = (":", "：", "?", "？")
_ASKABLE = ("unclear", "table")  # why the kind is open where a model may tell it


class Sort(StrEnum):
    """What becomes of a memory."""

    MEMORY = "memory"  # a file in one of the four folders
    STATE = "state"  # work in progress: todos.md, the tracker
    FINISHED = "finished"  # done: the archive's, when it leaves
    KNOWN = "known"  # a classified file says it already
    REFUSED = "refused"  # must not be saved
    UNSURE = "unsure"  # stays where it is


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a model thinks of a memory in doubt: its kind, and which of its own clauses give the reason and the way to act."""

    kind: str
    why: str = ""
    how: str = ""


@dataclass(frozen=True, slots=True)
class Placement:
    """One memory, what becomes of it and why. Of work in progress, which of its lines are tasks and which are states."""

    item: MemoryItem
    sort: Sort
    why: str
    kind: str = ""
    tasks: tuple[Statement, ...] = ()
    states: tuple[Statement, ...] = ()
    kept: tuple[Statement, ...] = ()  # what hangs on it besides tasks and states
    said_by: str = ""  # of a KNOWN: the file
    certain: bool = False  # of a KNOWN: word for word, so that nothing is lost when this one leaves
    askable: bool = False  # of an UNSURE: only because nobody can tell its kind
    opinion: Opinion | None = None  # a model's, where it decided


def classify(
    items: Sequence[MemoryItem],
    files: Iterable[File] = (),
    embed: Embed | None = None,
    opinions: Mapping[str, Opinion] = MappingProxyType({}),
) -> tuple[Placement, ...]:
    """One placement a memory, in their order. What a classified file among `files` says is known.

    `opinions` by `item_id` count only where the rules and the judge cannot tell.
    """
    known = _KnownMemories(files)
    judged = worth_of([LineToWeigh(item.plain, item.statement.heading) for item in items], embed)
    read = kinds_of([item.whole for item in items]) if embed else [{} for _ in items]
    found = []
    for item, judgement, chances in zip(items, judged, read, strict=True):
        one = _placed(item, _Seen(judgement, _with_heading(item, chances)), known, opinions.get(item_id(item)))
        if one.sort is Sort.MEMORY:
            known.learn(item)  # the same words further down are not written twice
        found.append(one)
    return tuple(_double(one, known) for one in found)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the judge thinks of a memory, and of which kind it is by its words and its heading; nothing without the network."""

    judged: Worth
    chances: Mapping[str, float]

    @property
    def kind(self) -> str:
        """The likeliest kind, if it is clear."""
        if not self.chances:
            return ""
        best, second = sorted(self.chances, key=lambda name: -self.chances[name])[:2]
        clear = self.chances[best] >= _CLEAR and self.chances[best] - self.chances[second] >= _APART
        return best if clear else ""


def _with_heading(item: MemoryItem, chances: Mapping[str, float]) -> Mapping[str, float]:
    named = _kind_by_heading(item)
    if named in (USER, "") and speaks_of_answers(item.plain):
        named = FEEDBACK  # how answers look is told to the agent, wherever it is written down
    raised = {kind: chance * (_HEADED if kind == named else 1.0) for kind, chance in chances.items()}
    return {kind: chance / sum(raised.values()) for kind, chance in raised.items()}


def _double(one: Placement, known: _KnownMemories) -> Placement:
    """A memory in doubt whose words stand further down, where the heading makes them clear, is that one's double."""
    where = known.met(one.item.whole) if one.sort is Sort.UNSURE else ""
    why = say("classify.known", where=where)
    return Placement(one.item, Sort.KNOWN, why, said_by=where, certain=True) if where else one


def item_id(item: MemoryItem) -> str:
    """The name of a memory in a question: its place and its words."""
    return short_id(f"{item.first}\n{item.whole}")


def _placed(item: MemoryItem, seen: _Seen, known: _KnownMemories, opinion: Opinion | None) -> Placement:
    tasks = tuple(one for one in (item.statement, *item.parts) if is_task(one))
    states = tuple(one for one in item.parts if is_state(one))
    if code := _BY_ORIGIN.get(item.statement.origin, ""):
        return Placement(item, Sort.REFUSED, say(f"classify.{code}"))
    if is_done(item.text, checked=item.statement.block.checked):
        return Placement(item, Sort.FINISHED, say("classify.finished"))
    if item.text.startswith("~~"):
        return Placement(item, Sort.UNSURE, say("classify.struck"))
    if is_history(item.plain) and _kind_by_heading(item) != FEEDBACK:
        return Placement(item, Sort.UNSURE, say("classify.past"))
    if item.statement in tasks:
        return Placement(item, Sort.STATE, say("classify.task"), tasks=tasks, states=states)
    if is_labelled(item.text, "open_thoughts"):
        return Placement(item, Sort.UNSURE, say("classify.thought"))
    if not (item.parts or item.protected) and _is_current(item) and tells_progress(item.plain):
        return Placement(item, Sort.STATE, say("classify.progress"), states=(item.statement,))
    if code := _refusal(item, seen):
        return Placement(item, Sort.REFUSED, say(f"classify.{code}"))
    if not (item.parts or item.protected) and seen.kind == STATE:
        return Placement(item, Sort.STATE, say("classify.progress"), states=(item.statement,))
    return _with_kind(item, seen, known, opinion, tasks, states)


def _with_kind(
    item: MemoryItem,
    seen: _Seen,
    known: _KnownMemories,
    opinion: Opinion | None,
    tasks: tuple[Statement, ...],
    states: tuple[Statement, ...],
) -> Placement:
    kind, code = (PROJECT, "has_state") if tasks or states else _kind(item, seen)
    askable = not kind and code in _ASKABLE
    if opinion and askable and _is_plausible(item, seen, opinion.kind):
        kind, code = opinion.kind, "model"
    else:
        opinion = None
    left = (one for one in item.parts if one not in tasks and one not in states)
    kept = tuple(one for one in left if not is_done(one.text, checked=one.block.checked))
    if (tasks or states) and not kept and len(bag(item.plain)) < 2:
        return Placement(item, Sort.STATE, say("classify.only_state"), tasks=tasks, states=states)
    file, certain = known.says([item.text, *(part.text for part in kept)], kind)
    if file:
        why = say("classify.known", where=file)
        return Placement(item, Sort.KNOWN, why, kind, tasks, states, kept, said_by=file, certain=certain)
    why = say(f"classify.{code}", heading=item.under, kind=said_with("kinds", kind))
    if not kind:
        return Placement(item, Sort.UNSURE, why, askable=askable)
    return Placement(item, Sort.MEMORY, why, kind, tasks, states, kept, opinion=opinion)


def _refusal(item: MemoryItem, seen: _Seen) -> str:
    """Why this must not be saved; empty when nothing speaks against it."""
    if seen.judged.keep < THRESHOLDS["recalled"]:
        for code, form in _OF_THE_CODE.items():
            if form.search(item.whole):
                return code
    if item.is_table or (item.parts and item.text.rstrip().endswith((":", "："))):
        return ""  # a label with its items below it says something together
    said = item.whole if item.parts or item.protected else item.plain
    why = unfit(said)
    read = (seen.kind in (*KINDS, STATE) and why == NO_STATEMENT) or (seen.kind == FEEDBACK and why == INSTRUCTION)
    if read and _is_owners_word(said):
        return ""
    return _BY_VETO.get(why, "no_statement") if why else ""


def _is_owners_word(text: str) -> bool:
    """A correction or a yes is often an order, or too short to state anything; not a question, nor a stranger's order."""
    return not (acts_behind_backs(text) or is_for_machines(text) or is_chatter(text) or text.rstrip().endswith(_OPEN))


def _is_current(item: MemoryItem) -> bool:
    return any(area_of(heading) == CURRENT for heading in item.statement.headings)


def _kind_by_heading(item: MemoryItem) -> str:
    """The kind that the owner's headings name, the innermost first. A heading for everything that lasts names none."""
    headings = item.statement.headings
    if about_the_owner(headings):
        return USER
    for heading in reversed(headings[1:] or headings):
        kind, area = headed(heading), area_of(heading)
        if kind and (kind, area) != (REFERENCE, STABLE):
            return kind
        if area in _BY_AREA:
            return _BY_AREA[area]
        if is_marked_heading(heading):
            return FEEDBACK
    return ""


def _kind(item: MemoryItem, seen: _Seen) -> tuple[str, str]:
    """The kind and the name of the reason; an empty kind where it is not clear."""
    named, judged = _kind_by_heading(item), seen.judged
    if item.is_table:  # its cells are no sentence that anybody could read
        return named, "heading" if named else "table"
    if not seen.chances:
        wished = named == USER or sum(judged.kinds[name] for name in _WISHES) >= _WISHED
        if named in (USER, "") and wished and speaks_of_answers(item.plain):
            return FEEDBACK, "answers"
        return named, "heading" if named else "unclear"
    best = PROJECT if seen.kind == STATE else seen.kind if seen.kind in KINDS else ""
    if best == REFERENCE and _is_current(item):
        return "", "current"
    return best, "reads_like" if best else "unclear"


def _is_plausible(item: MemoryItem, seen: _Seen, kind: str) -> bool:
    """Whether a model may choose this kind: not against what was read, where anything was."""
    return kind in KINDS and (item.is_table or not seen.chances or seen.chances[kind] >= _PLAUSIBLE)


_FEW = 4  # words; fewer stand together in any file by chance
_COVERED = 0.85  # share of a memory's words that one file must hold to be about it already
_NAMED = re.compile(r"^(?:name|description):[ \t]*(.+)$", re.M)
_TITLE = re.compile(r"(?:\*\*|__)?(?P<name>[^,，;；.。:：(（*_]{2,60})(?:[:：(（]|\*\*|__|\s+[(（])")
_TYPE = re.compile(r"^type:[ \t]*(\w+)", re.M)


class _KnownMemories:
    """What the classified files say, and the memories met so far, so that nothing is written twice."""

    def __init__(self, files: Iterable[File]) -> None:
        self._files = [(file, *_front(file)) for file in files if file.place.kind is Kind.CLASSIFIED]
        self._met: dict[str, str] = {}

    def learn(self, item: MemoryItem) -> None:
        self._met.setdefault(plain(item.whole), str(item.source))

    def met(self, whole: str) -> str:
        """The memory met so far that says the same words; empty when none does."""
        return self._met.get(plain(whole), "")

    def says(self, parts: Sequence[str], kind: str) -> tuple[str, bool]:
        """(the file or line that says these parts of a memory, whether in the same words); ("", False) when nobody does."""
        whole, title = " ".join(parts), bag(_title(parts[0]))
        if where := self.met(whole):
            return where, True
        for file, _, _ in self._files:
            if {plain(part) for part in parts} <= {plain(one.text) for one in file.entries}:
                return file.path, True
            if any(says_the_same(one.text, whole) for one in file.entries):
                return file.path, False
        for file, name, its_kind in self._files:
            if any(_covers(f"{name} {one.text}", whole) for one in file.entries):
                return file.path, False
            if kind == its_kind and len(title) >= 2 and title <= bag(name):
                return file.path, False
        return "", False


def _covers(said: str, whole: str) -> bool:
    """Nearly all words and all values of a memory stand in one statement, its file's name and description."""
    words = bag(whole)
    most = len(words & bag(said)) >= _COVERED * len(words) and values_in(whole) <= values_in(said)
    return len(words) >= _FEW and most and is_negated(whole) <= is_negated(said)


def _front(file: File) -> tuple[str, str]:
    """(name and description, type) of a classified file; its folder says the type where the front matter does not."""
    head = file.text[:2_000]
    name, kind = " ".join(part.strip("\"' ") for part in _NAMED.findall(head)), _TYPE.search(head)
    return name, kind[1] if kind else file.path.split("/")[1]


def _title(text: str) -> str:
    """What a memory is called where it says so: the words before a colon or a bracket, or the bold ones; else nothing."""
    found = _TITLE.match(text)
    return found["name"] if found else ""
