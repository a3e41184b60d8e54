"""What the classified files say already, so that nothing is written twice.

Into which of four drawers a memory belongs (seed 003): user, feedback, project, reference; and what belongs in none.

The owner's own headings decide first, then what a line certainly is, then the judge where it is clear. In doubt a memory
stays where it is. Work in progress is no memory: tasks go to todos.md, states of projects to the tracker. What the code,
its history or its errors say themselves and raw conversation are refused, each with its reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from reverie.core.layout import Kind
from reverie.features.classify.filing import Opinion
from reverie.features.classify.memories import (
    FEEDBACK,
    KINDS,
    PROJECT,
    REFERENCE,
    USER,
    Unit,
    about_the_owner,
    headed,
    is_labelled,
    speaks_of_answers,
    tells_progress,
)
from reverie.judge.relation import says_the_same
from reverie.judge.vetoes import unfit
from reverie.judge.worth import THRESHOLDS, Embed, Line, Worth, worth_of
from reverie.text.comparing import bag, is_negated, values_in
from reverie.text.marks import is_done, is_history, is_marked_heading
from reverie.text.sections import CURRENT, LESSONS, PEOPLE, area_of
from reverie.text.terms import plain
from reverie.workspace.values import File, Origin, Statement, short_id

FEW = 4  # words; fewer stand together in any file by chance
COVERED = 0.85  # share of a memory's words that one file must hold to be about it already
_NAMED = re.compile(r"^(?:name|description):[ \t]*(.+)$", re.M)
_TITLE = re.compile(r"(?:\*\*|__)?(?P<name>[^,，;；.。:：(（*_]{2,60})(?:[:：(（]|\*\*|__|\s+[(（])")
_TYPE = re.compile(r"^type:[ \t]*(\w+)", re.M)


class Known:
    """The classified memories of a workspace, and those that this walk has met."""

    def __init__(self, files: Iterable[File]) -> None:
        self._files = [(file.path, file, *_front(file)) for file in files if file.place.kind is Kind.CLASSIFIED]
        self._met: list[tuple[str, str]] = []

    def learn(self, text: str, where: str) -> None:
        self._met.append((text, where))

    def met(self, whole: str) -> str:
        """The line of this walk that says the same words; empty when none does."""
        return next((where for text, where in self._met if plain(text) == plain(whole)), "")

    def says(self, parts: Sequence[str], kind: str = "") -> tuple[str, bool]:
        """(the file or line that says these parts of a memory, whether in the same words); ("", False) when nobody does."""
        whole, first = " ".join(parts), parts[0]
        if where := self.met(whole):
            return where, True
        for path, file, _, _ in self._files:
            if {plain(part) for part in parts} <= {plain(entry.text) for entry in file.entries}:
                return path, True
            if any(says_the_same(entry.text, whole) for entry in file.entries):
                return path, False
        for path, file, name, its_kind in self._files:
            if any(_covers(f"{name} {entry.text}", whole) for entry in file.entries):
                return path, False
            if kind == its_kind and len(bag(_title(first))) >= 2 and bag(_title(first)) <= bag(name):
                return path, False
        return "", False


def _covers(said: str, whole: str) -> bool:
    """Nearly all words and all values of a memory stand in one statement, its file's name and description."""
    words = bag(whole)
    most = len(words & bag(said)) >= COVERED * len(words) and values_in(whole) <= values_in(said)
    return len(words) >= FEW and most and is_negated(whole) <= is_negated(said)


def _front(file: File) -> tuple[str, str]:
    """(name and description, type) of a classified file; its folder says the type where the front matter does not."""
    head = file.text[:2_000]
    told, kind = " ".join(said.strip("\"' ") for said in _NAMED.findall(head)), _TYPE.search(head)
    return told, kind[1] if kind else file.path.split("/")[1]


def _title(text: str) -> str:
    """What a memory is called where it says so: the words before a colon or a bracket, or the bold ones; else nothing."""
    found = _TITLE.match(text)
    return found["name"] if found else ""


_BY_AREA = {LESSONS: FEEDBACK, PEOPLE: REFERENCE}
_BY_JUDGE = {
    "decision": PROJECT, "project": PROJECT, "correction": FEEDBACK, "rule": FEEDBACK, "lesson": FEEDBACK, "preference": USER,
    "person": REFERENCE, "fact": REFERENCE, "schedule": REFERENCE,
}  # fmt: skip
_WISHES = ("preference", "rule", "lesson", "correction")  # kinds by which somebody wants something to be so
CLEAR = 0.5  # share of the judge's belief that a reference needs,
SURE = 0.6  # that the other drawers need, which say more about somebody, and
APART = 0.15  # how far the next one must be behind
PLAUSIBLE = 0.1  # share that a drawer must have for a model to choose it
# What the code, its history and its errors say themselves: files of code, calls, hashes of commits, numbers of requests.
_CODE = re.compile(
    r"[\w./-]+\.(?:py|pyi|js|jsx|ts|tsx|go|rs|java|kt|c|cc|cpp|h|hpp|cs|rb|php|swift|scala|vue|svelte|sql)(?::\d+)?\b"
    r"|\b\w+(?:\.\w+)*\(\w*\)|\bsrc/"
)
_GIT = re.compile(
    r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b|\b[PM]R ?[#!]?\d+\b|\bgit (?:log|blame)\b"
    r"|#\d+\b.*\b(?:main|master|develop)\b|\b(?:main|master|develop)\b.*#\d+\b"
)
_ERROR = re.compile(r"\b[A-Z]\w+(?:Error|Exception)\b|\bTraceback\b")
NO_KIND, NO_KIND_OF_TABLE = "its kind is not clear", "a table under a heading that names no kind"
_ASKABLE = frozenset({NO_KIND, NO_KIND_OF_TABLE})
_BY_ORIGIN = {
    Origin.MACHINE: "ephemeral state: a machine's routine",
    Origin.SESSION: "raw conversation",
    Origin.FENCED: "code: it is written where it runs",
    Origin.QUOTED: "somebody else's words",
}


class Sort(StrEnum):
    """What becomes of a memory."""

    MEMORY = "memory"  # a file in one of the four folders
    STATE = "state"  # work in progress: todos.md, the tracker
    FINISHED = "finished"  # done: the archive's, when it leaves
    KNOWN = "known"  # a classified file says it already
    REFUSED = "refused"  # must not be saved
    UNSURE = "unsure"  # stays where it is


@dataclass(frozen=True, slots=True)
class Sorted:
    """One memory, what becomes of it and why. Of work in progress, which of its lines are tasks and which are states."""

    unit: Unit
    sort: Sort
    why: str
    kind: str = ""  # of a MEMORY: its drawer
    tasks: tuple[Statement, ...] = ()
    states: tuple[Statement, ...] = ()
    said_by: str = ""  # of a KNOWN: the file
    certain: bool = False  # of a KNOWN: word for word, so that nothing is lost when this one leaves
    kept: tuple[Statement, ...] = field(default=())  # what is left of it besides tasks and states
    opinion: Opinion | None = None  # a model's, where it decided


def classify(
    units: Sequence[Unit],
    known: Known,
    embed: Embed | None = None,
    opinions: Mapping[str, Opinion] = MappingProxyType({}),
) -> tuple[Sorted, ...]:
    """One verdict a memory, in their order. `opinions` by `unit_id` count only where the rules and the judge cannot tell."""
    judged = worth_of([Line(unit.plain, unit.context) for unit in units], embed)
    found = []
    for unit, judgement in zip(units, judged, strict=True):
        verdict = _sorted(unit, judgement, known, opinions.get(unit_id(unit)))
        if verdict.sort is Sort.MEMORY:
            known.learn(unit.whole, str(unit.source))  # the same words further down are not written twice
        found.append(verdict)
    return tuple(_overtaken(verdict, known) for verdict in found)


def _overtaken(verdict: Sorted, known: Known) -> Sorted:
    """A memory in doubt whose words stand further down, where the heading makes them clear, is that one's double."""
    where = known.met(verdict.unit.whole) if verdict.sort is Sort.UNSURE else ""
    return (
        Sorted(verdict.unit, Sort.KNOWN, f"{where} says it already", said_by=where, certain=True) if where else verdict
    )


def unit_id(unit: Unit) -> str:
    """The name of a memory in a question: its place and its words."""
    return short_id(f"{unit.first}\n{unit.whole}")


def is_askable(verdict: Sorted) -> bool:
    """Whether a memory stays where it is only because nobody can tell its kind."""
    return verdict.sort is Sort.UNSURE and verdict.why in _ASKABLE


def _sorted(unit: Unit, judged: Worth, known: Known, opinion: Opinion | None) -> Sorted:
    if why := _BY_ORIGIN.get(unit.entry.origin, ""):
        return Sorted(unit, Sort.REFUSED, why)
    if is_done(unit.text, checked=unit.entry.block.checked):
        return Sorted(unit, Sort.FINISHED, "it says of itself that it is finished")
    if unit.text.startswith("~~"):
        return Sorted(unit, Sort.UNSURE, "it is struck through in part")
    if is_history(unit.plain) and _headed(unit) != FEEDBACK:
        return Sorted(unit, Sort.UNSURE, "it tells what happened then")
    tasks = tuple(e for e in (unit.entry, *unit.parts) if is_task(e))
    states = tuple(e for e in unit.parts if is_state(e))
    if unit.entry in tasks:
        return Sorted(unit, Sort.STATE, "a task in progress", tasks=tasks, states=states)
    if is_labelled(unit.text, "open_thoughts"):
        return Sorted(unit, Sort.UNSURE, "an open thought")
    if not (unit.parts or unit.protected) and _is_current(unit) and tells_progress(unit.plain):
        return Sorted(unit, Sort.STATE, "it says how far something has come", states=(unit.entry,))
    if why := refused(unit, judged):
        return Sorted(unit, Sort.REFUSED, why)
    kind, why = (PROJECT, "it has a state or open tasks") if tasks or states else _kind(unit, judged)
    if opinion and why in _ASKABLE and _is_plausible(unit, judged, opinion.kind):
        kind, why = opinion.kind, f"a model takes it for {opinion.kind}"
    else:
        opinion = None
    kept = tuple(e for e in unit.parts if e not in tasks and e not in states and not _done(e))
    if (tasks or states) and not kept and len(bag(unit.plain)) < 2:
        return Sorted(unit, Sort.STATE, "only its state is told", tasks=tasks, states=states)
    file, certain = known.says([unit.text, *(part.text for part in kept)], kind)
    if file:
        return Sorted(unit, Sort.KNOWN, f"{file} says it already", kind, tasks, states, file, certain, kept)
    if not kind:
        return Sorted(unit, Sort.UNSURE, why)
    return Sorted(unit, Sort.MEMORY, why, kind, tasks, states, kept=kept, opinion=opinion)


def is_task(entry: Statement) -> bool:
    """A box that is not ticked, or words that say that it is under way."""
    return entry.block.checked is False or is_labelled(entry.text, "in_progress")


def is_state(entry: Statement) -> bool:
    """A line such as `Status: active` below the thing it speaks of."""
    return entry.block.checked is None and is_labelled(entry.text, "status", "states")


def _done(entry: Statement) -> bool:
    return is_done(entry.text, checked=entry.block.checked)


def refused(unit: Unit, judged: Worth) -> str:
    """Why this must not be saved; empty when nothing speaks against it."""
    if judged.keep < THRESHOLDS["recalled"] and (why := _of_the_code(unit.whole)):
        return why
    if unit.is_table:
        return ""
    if unit.parts and unit.text.rstrip().endswith((":", "：")):
        return ""  # a label with its items below it says something together
    why = unfit(unit.plain) if not (unit.parts or unit.protected) else unfit(unit.whole)
    return _REASONS.get(why, why)


def _of_the_code(text: str) -> str:
    """Why a line that names code needs no place in memory; the judge must doubt its worth besides."""
    if _GIT.search(text):
        return "git history: `git log` says it"
    if _ERROR.search(text):
        return "a debugging fix: the fix is in the code"
    return "a code pattern: the code says it" if _CODE.search(text) else ""


_REASONS = {
    "code": "code: it is written where it runs",
    "no statement": "it states nothing by itself",
    "secret or personal data": "secret or personal data: it is not copied to more places",
}


def _is_current(unit: Unit) -> bool:
    return any(area_of(heading) == CURRENT for heading in unit.entry.headings)


def _headed(unit: Unit) -> str:
    """The drawer that the owner's headings name, the innermost first."""
    if about_the_owner(unit.entry.headings):
        return USER
    for heading in reversed(unit.entry.headings[1:] or unit.entry.headings):
        if kind := headed(heading) or _BY_AREA.get(area_of(heading), ""):
            return kind
        if is_marked_heading(heading):
            return FEEDBACK
    return ""


def _kind(unit: Unit, judged: Worth) -> tuple[str, str]:
    """The drawer and why; an empty one where it is not clear."""
    kind = _headed(unit)
    wished = kind == USER or sum(judged.kinds[name] for name in _WISHES) >= CLEAR
    if kind in (USER, "") and wished and speaks_of_answers(unit.plain):
        return FEEDBACK, "it says how answers should look"
    if kind:
        return kind, f"it stands under “{unit.entry.headings[-1]}”"
    if unit.is_table:
        return "", NO_KIND_OF_TABLE
    shares = _shares(judged)
    best, second = sorted(KINDS, key=lambda name: -shares[name])[:2]
    if shares[best] < (CLEAR if best == REFERENCE else SURE) or shares[best] - shares[second] < APART:
        return "", NO_KIND
    if best == REFERENCE and _is_current(unit):
        return "", "it tells a state of things; its kind is not clear"
    return best, f"it reads like a {judged.kind}"


def _shares(judged: Worth) -> dict[str, float]:
    """How much of the judge's belief each drawer has. A change counts for none: it may be one of anything."""
    shares = dict.fromkeys(KINDS, 0.0)
    for name, chance in judged.kinds.items():
        if name in _BY_JUDGE:
            shares[_BY_JUDGE[name]] += chance / (1 - judged.kinds["update"])
    return shares


def _is_plausible(unit: Unit, judged: Worth, kind: str) -> bool:
    """Whether a model may choose this drawer: not against the judge, who knows nothing of tables."""
    return kind in KINDS and (unit.is_table or _shares(judged)[kind] >= PLAUSIBLE)
