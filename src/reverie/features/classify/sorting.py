"""Which of four kinds a memory is (seed 003): user, feedback, project, reference; and what is none of them.

The owner's own headings decide first, then what a line certainly is, then the judge where it is clear. In doubt a memory
stays where it is. Work in progress is no memory: tasks go to todos.md, states of projects to the tracker. What the code,
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
from reverie.judge.relation import says_the_same
from reverie.judge.vetoes import CODE, INSTRUCTION, SECRET, UNTRUSTED, unfit
from reverie.judge.worth import THRESHOLDS, Embed, LineToWeigh, Worth, worth_of
from reverie.lang.messages import said_with, say
from reverie.text.marks import is_done, is_history, is_marked_heading
from reverie.text.sections import CURRENT, LESSONS, PEOPLE, area_of
from reverie.text.terms import bag, is_negated, plain, values_in
from reverie.workspace.values import File, Origin, Statement, short_id

_BY_AREA = {LESSONS: FEEDBACK, PEOPLE: REFERENCE}
_BY_JUDGE = {
    "decision": PROJECT,
    "project": PROJECT,
    "correction": FEEDBACK,
    "rule": FEEDBACK,
    "lesson": FEEDBACK,
    "preference": USER,
    "person": REFERENCE,
    "fact": REFERENCE,
    "schedule": REFERENCE,
}
_WISHES = ("preference", "rule", "lesson", "correction")  # kinds by which somebody wants something to be so
_CLEAR = 0.5  # share of the judge's belief that a reference needs,
_SURE = 0.6  # that the other kinds need, which say more about somebody, and
_APART = 0.15  # how far the next one must be behind
_PLAUSIBLE = 0.1  # share that a kind must have for a model to choose it
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
    found = []
    for item, judgement in zip(items, judged, strict=True):
        one = _placed(item, judgement, known, opinions.get(item_id(item)))
        if one.sort is Sort.MEMORY:
            known.learn(item)  # the same words further down are not written twice
        found.append(one)
    return tuple(_double(one, known) for one in found)


def _double(one: Placement, known: _KnownMemories) -> Placement:
    """A memory in doubt whose words stand further down, where the heading makes them clear, is that one's double."""
    where = known.met(one.item.whole) if one.sort is Sort.UNSURE else ""
    why = say("classify.known", where=where)
    return Placement(one.item, Sort.KNOWN, why, said_by=where, certain=True) if where else one


def item_id(item: MemoryItem) -> str:
    """The name of a memory in a question: its place and its words."""
    return short_id(f"{item.first}\n{item.whole}")


def _placed(item: MemoryItem, judged: Worth, known: _KnownMemories, opinion: Opinion | None) -> Placement:
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
    if code := _refusal(item, judged):
        return Placement(item, Sort.REFUSED, say(f"classify.{code}"))
    return _with_kind(item, judged, known, opinion, tasks, states)


def _with_kind(
    item: MemoryItem,
    judged: Worth,
    known: _KnownMemories,
    opinion: Opinion | None,
    tasks: tuple[Statement, ...],
    states: tuple[Statement, ...],
) -> Placement:
    kind, code = (PROJECT, "has_state") if tasks or states else _kind(item, judged)
    askable = not kind and code in _ASKABLE
    if opinion and askable and _is_plausible(item, judged, opinion.kind):
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
    why = say(
        f"classify.{code}", heading=item.under, like=said_with("kinds", judged.kind), kind=said_with("kinds", kind)
    )
    if not kind:
        return Placement(item, Sort.UNSURE, why, askable=askable)
    return Placement(item, Sort.MEMORY, why, kind, tasks, states, kept, opinion=opinion)


def _refusal(item: MemoryItem, judged: Worth) -> str:
    """Why this must not be saved; empty when nothing speaks against it."""
    if judged.keep < THRESHOLDS["recalled"]:
        for code, form in _OF_THE_CODE.items():
            if form.search(item.whole):
                return code
    if item.is_table or (item.parts and item.text.rstrip().endswith((":", "："))):
        return ""  # a label with its items below it says something together
    why = unfit(item.whole if item.parts or item.protected else item.plain)
    return _BY_VETO.get(why, "no_statement") if why else ""


def _is_current(item: MemoryItem) -> bool:
    return any(area_of(heading) == CURRENT for heading in item.statement.headings)


def _kind_by_heading(item: MemoryItem) -> str:
    """The kind that the owner's headings name, the innermost first."""
    headings = item.statement.headings
    if about_the_owner(headings):
        return USER
    for heading in reversed(headings[1:] or headings):
        if kind := headed(heading) or _BY_AREA.get(area_of(heading), ""):
            return kind
        if is_marked_heading(heading):
            return FEEDBACK
    return ""


def _kind(item: MemoryItem, judged: Worth) -> tuple[str, str]:
    """The kind and the name of the reason; an empty kind where it is not clear."""
    kind = _kind_by_heading(item)
    wished = kind == USER or sum(judged.kinds[name] for name in _WISHES) >= _CLEAR
    if kind in (USER, "") and wished and speaks_of_answers(item.plain):
        return FEEDBACK, "answers"
    if kind:
        return kind, "heading"
    if item.is_table:
        return "", "table"
    shares = _shares(judged)
    best, second = sorted(KINDS, key=lambda name: -shares[name])[:2]
    if shares[best] < (_CLEAR if best == REFERENCE else _SURE) or shares[best] - shares[second] < _APART:
        return "", "unclear"
    if best == REFERENCE and _is_current(item):
        return "", "current"
    return best, "reads_like"


def _shares(judged: Worth) -> dict[str, float]:
    """How much of the judge's belief each kind has. A change counts for none: it may be one of anything."""
    shares = dict.fromkeys(KINDS, 0.0)
    for name, chance in judged.kinds.items():
        if name in _BY_JUDGE:
            shares[_BY_JUDGE[name]] += chance / (1 - judged.kinds["update"])
    return shares


def _is_plausible(item: MemoryItem, judged: Worth, kind: str) -> bool:
    """Whether a model may choose this kind: not against the judge, who knows nothing of tables."""
    return kind in KINDS and (item.is_table or _shares(judged)[kind] >= _PLAUSIBLE)


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
