"""Do no harm: what a plan changes is asked of the memory before it and after it, and so are questions really asked.

A probe asks for one fact by its telling words. It is answered when MEMORY.md or the archive says the fact within the first
results, and no outdated value of MEMORY.md stands before the current one. What was answered before a plan must be answered
after it; the decisions at fault are named, and whoever made the plan leaves them out. The small search that answers weighs as
`dream search` does, but holds the statements before and after a plan side by side. Pure: no file, no clock.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from heapq import heapify, heappop
from math import log
from typing import Any

from reverie.core.layout import LEDGER, holds_memory, place_of
from reverie.judge.relation import Later, says_the_same
from reverie.lang.messages import say
from reverie.text.lines import bare, split_lines
from reverie.text.sections import OURS
from reverie.text.terms import asked as terms_asked
from reverie.text.terms import plain, terms
from reverie.workspace.values import Edit, Origin, Plan, Snapshot, Statement

VIEW = "view"  # the tag of what is derived and rendered anew each night
LEDGER_SEEN = 500  # entries of the archive that compete with what leaves tonight, the newest
NOTES_SEEN = 2_000
ANSWERS = 0.25  # score from which a line may be called the answer to a question somebody asked
_LEAD = re.compile(r"^\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:\[[ xX]\]\s+)?")
_TRUSTED = frozenset({Origin.OWNER.value, Origin.SESSION.value})


@dataclass(frozen=True, slots=True)
class ProbeQuestions:
    """What probes are asked with: the questions of late, what new notes say, and vectors where there are any."""

    questions: tuple[str, ...] = ()
    notes: tuple[Statement, ...] = ()
    embed: Embed | None = None


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """How many probes are answered before and after a plan, and which decisions harm, with the reason."""

    before: int = 0
    after: int = 0
    at_fault: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """One edit of MEMORY.md as a decision: the statements that leave, and those that come."""

    edit: Edit
    olds: tuple[Statement, ...]
    news: tuple[tuple[str, str], ...]  # id and text

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.news) or (self.edit.id,)

    @cached_property
    def said(self) -> tuple[str, ...]:
        """What leaves, in plain words."""
        return tuple(plain(old.text) for old in self.olds)

    @cached_property
    def day(self) -> str:
        """The last day on which its sources said it; empty when none has one."""
        days = [place_of(source.path).day for source in self.edit.sources]
        return max((day.isoformat() for day in days if day), default="")


@dataclass(frozen=True, slots=True)
class Probe:
    """A question and its terms, the statements that answer it, the outdated ones, and whose fault it is when nothing does."""

    question: str
    words: tuple[str, ...]
    wanted: tuple[str, ...]
    outdated: tuple[str, ...] = ()
    blamed: tuple[str, ...] = ()


def weigh(snapshot: Snapshot, plan: Plan, asked: ProbeQuestions) -> ProbeResult:
    """Ask the probes of this plan. A plan that decides nothing about MEMORY.md needs none and harms nobody."""
    steps = steps_of(snapshot, plan)
    if not steps:
        return ProbeResult()
    library = Library(_said(snapshot, plan, steps, asked.notes), asked.embed)
    probes = [*_facts(library, steps), *(Probe(text, tuple(terms_asked(text)), ()) for text in asked.questions)]
    near = library.nearness([probe.question for probe in probes])
    before = after = 0
    at_fault = dict(_overtaken(steps, asked.notes))
    for number, probe in enumerate(probes):
        scores = library.scores(probe.words, None if near is None else near[number])
        probe = probe if probe.wanted else _lately(library, scores, probe, steps)
        was, now = (_answered(library, scores, probe, after=when) for when in (False, True))
        before, after = before + was, after + now
        if was and not now:
            blamed = probe.blamed or _in_the_way(library, scores, steps) or _everything(steps)
            at_fault |= dict.fromkeys(blamed, say("refused.unanswered", question=_short(probe.question)))
        elif probe.outdated and not now:
            at_fault |= dict.fromkeys(probe.blamed, say("refused.outdated_first"))
    return ProbeResult(before, after, at_fault)


def steps_of(snapshot: Snapshot, plan: Plan) -> list[Step]:
    """The decisions of a plan about MEMORY.md; what is derived decides nothing."""
    entries = [entry for file in snapshot.memories for entry in file.entries]
    at = {(entry.path, n): entry for entry in entries for n in range(entry.block.first, entry.block.end)}
    found = []
    for edit in plan.edits:
        if not holds_memory(edit.path) or edit.tag == VIEW:
            continue
        kept = {bare(line) for line in edit.new}
        gone = [(edit.path, edit.at + n) for n, line in enumerate(edit.old) if bare(line) not in kept]
        olds = tuple({at[n].source: at[n] for n in gone if n in at}.values())
        there = {bare(line) for line in edit.old}
        news = tuple(
            (mark[1] if (mark := OURS.search(bare(line))) and not edit.old else edit.id, _bare_text(line))
            for line in edit.new
            if bare(line) not in there and (edit.op in ("update", "merge") or OURS.search(bare(line)))
        )
        if olds or news:
            found.append(Step(edit, olds, news))
    return found


def _said(snapshot: Snapshot, plan: Plan, steps: Sequence[Step], notes: Sequence[Statement]) -> list[ProbeLine]:
    """Everything that may answer: memory and archive before and after, and what new notes say."""
    gone = {entry.source for step in steps for entry in step.olds}
    entries = [entry for file in snapshot.memories for entry in file.entries if entry.text.strip()]
    said = [
        ProbeLine(OURS.sub("", entry.text), _context(entry), Where.MEMORY, True, entry.source not in gone)
        for entry in entries
    ]
    for step in steps:
        above = _context(step.olds[0]) if step.olds else ""
        said += [ProbeLine(text, above, Where.MEMORY, before=False) for _, text in step.news]
    kept = list(_contents(split_lines(snapshot.text_of(LEDGER))))[-LEDGER_SEEN:]
    said += [ProbeLine(content, "", Where.ARCHIVE) for content in kept]
    fresh = [line for edit in plan.edits if edit.path == LEDGER for line in edit.new]
    said += [ProbeLine(content, "", Where.ARCHIVE, before=False) for content in _contents(fresh)]
    said += [ProbeLine(claim.text, claim.context, Where.NOTE) for claim in notes[-NOTES_SEEN:]]
    return said


def _facts(library: Library, steps: Sequence[Step]) -> Iterator[Probe]:
    """A probe for every statement that leaves, and one for every value that takes another's place."""
    for step in steps:
        for old, said in zip(step.olds, step.said, strict=True):
            words = library.telling(terms_asked(f"{_context(old)} {old.text}"))
            yield Probe(old.text, words, (said,), blamed=step.ids)
        for _, new in step.news:
            for old in step.olds or _retired_for(step, steps):
                one, other = set(terms_asked(old.text)), set(terms_asked(new))
                words = library.telling(one & other or one | other)
                yield Probe(f"{old.text} {new}", words, (plain(new),), (old.text,), step.ids)


def _lately(library: Library, scores: Mapping[int, float], probe: Probe, steps: Sequence[Step]) -> Probe:
    """A question somebody asked: whatever answered it best before, or what took that line's place, must answer it after."""
    best = _best(library, scores, after=False)
    if best is None:
        now = _best(library, scores, after=True)
        return replace(probe, wanted=(now.plain,) if now else ())
    moved = [step for step in steps if any(best.says(words) for words in step.said)]
    news = tuple(plain(text) for step in moved for _, text in step.news)
    return replace(probe, wanted=(best.plain, *news), blamed=tuple(name for step in moved for name in step.ids))


def _best(library: Library, scores: Mapping[int, float], *, after: bool) -> ProbeLine | None:
    hits = library.hits(scores, after=after)
    return next((one for score, one in hits if one.where is not Where.NOTE and score >= ANSWERS), None)


def _answered(library: Library, scores: Mapping[int, float], probe: Probe, *, after: bool) -> bool:
    for _, one in library.hits(scores, after=after):
        if one.where is Where.NOTE:
            continue
        if any(one.says(wanted) for wanted in probe.wanted):
            return True
        if one.where is Where.MEMORY and any(says_the_same(old, one.text) for old in probe.outdated):
            return False  # what the archive says is shown as archived; what MEMORY.md says is believed
    return False


def _overtaken(steps: Iterable[Step], notes: Iterable[Statement]) -> Iterator[tuple[str, str]]:
    """New lines that a later note of somebody we trust says otherwise."""
    later = Later(claim for claim in notes if claim.day and claim.origin in _TRUSTED)
    for step in steps:
        for name, text in step.news:
            if step.day and (claim := later.changing(text, step.day)):
                yield name, say("refused.says_otherwise", source=claim.source, day=claim.day)


def _retired_for(step: Step, steps: Sequence[Step]) -> tuple[Statement, ...]:
    """The statements that leave because this one comes, where the two are edits of their own (a row of a table)."""
    return tuple(
        old
        for other in steps
        if other is not step and not other.news and (other.edit.tag, other.edit.why) == (step.edit.tag, step.edit.why)
        if set(step.edit.sources) & set(other.edit.sources)
        for old in other.olds
    )


def _in_the_way(library: Library, scores: Mapping[int, float], steps: Iterable[Step]) -> tuple[str, ...]:
    """The new lines that stand where the answer stood."""
    first = {one.text for _, one in library.hits(scores, after=True)}
    return tuple(name for step in steps for name, text in step.news if text in first)


def _everything(steps: Iterable[Step]) -> tuple[str, ...]:
    return tuple(name for step in steps for name in step.ids)


def _contents(lines: Sequence[str]) -> Iterator[str]:
    """The contents of an archive's blocks as they stand between their fields."""
    inside: list[str] = []
    for line in map(bare, lines):
        if line.startswith("Content:"):
            inside = [_bare_text(line.removeprefix("Content:"))]
        elif inside and line.startswith(("Source:", "Note:", "---")):
            yield " ".join(inside)
            inside = []
        elif inside:
            inside.append(_bare_text(line))


def _context(entry: Statement) -> str:
    return " ".join((*entry.headings[-2:], *entry.parents))


def _bare_text(line: str) -> str:
    return OURS.sub("", _LEAD.sub("", bare(line))).strip()


def _short(question: str) -> str:
    return question if len(question) <= 60 else question[:59] + "…"


Embed = Callable[[Sequence[str]], Any]
FIRST = 6  # results that people and agents look at
TELLING = 10  # words of a question that count; the rarest tell most
LEXICAL, VECTOR = 0.7, 0.3
NEAR = 0.45  # cosine from which a statement may answer without a word of the question
NEAREST = 4 * FIRST  # statements that vectors alone may bring in; some of them are only there before or after


class Where(IntEnum):
    """Where a statement stands. Of two that answer equally well the one in MEMORY.md comes first."""

    MEMORY = 0
    ARCHIVE = 1
    NOTE = 2


@dataclass(frozen=True)  # no slots: what was computed is kept
class ProbeLine:
    """A statement, what it stands under, and whether it is there before the plan, after it, or both."""

    text: str
    context: str
    where: Where
    before: bool = True
    after: bool = True

    @cached_property
    def plain(self) -> str:
        return plain(self.text)

    def says(self, wanted: str) -> bool:
        """The very words, perhaps with more around them."""
        return bool(wanted) and f" {wanted} " in f" {self.plain} "


class Library:
    """Statements that can be asked."""

    def __init__(self, said: Sequence[ProbeLine], embed: Embed | None = None) -> None:
        self.said = said
        self._words = [frozenset(terms(f"{one.context} {one.text}")) for one in said]
        self._brevity = [1.0 - min(len(words), 200) / 1000 for words in self._words]
        self._at: dict[str, list[int]] = defaultdict(list)
        for number, words in enumerate(self._words):
            for word in words:
                self._at[word].append(number)
        self._weights: dict[str, float] = {}
        self._where = [one.where for one in said]
        self._before = {n for n, one in enumerate(said) if one.before}
        self._after = {n for n, one in enumerate(said) if one.after}
        self._embed = embed

    def telling(self, words: Iterable[str]) -> tuple[str, ...]:
        """The rarest of some terms: what somebody who half remembers would type."""
        return tuple(sorted(set(words), key=lambda word: (-self._weight(word), word))[:TELLING])

    def nearness(self, questions: Sequence[str]) -> Any:
        """Cosines of every question with every statement; None without an embedder, or when it fails."""
        if self._embed is None or not questions or not self.said:
            return None
        import numpy as np  # only where vectors are

        try:
            rows, others = (np.asarray(self._embed(texts)) for texts in (questions, [one.text for one in self.said]))
            return rows @ others.T
        except Exception:  # noqa: BLE001  an embedder may be anything, and words alone can answer too
            return None

    def scores(self, wanted: Sequence[str], near: Any = None) -> dict[int, float]:
        """Every statement that has to do with these terms, with how well it answers them."""
        # A word that nothing says counts half: it may be a way of asking, as many pairs of Chinese characters are.
        whole = sum(self._weight(word) * (1.0 if word in self._at else 0.5) for word in wanted) or 1.0
        found: dict[int, float] = defaultdict(float)
        for word in wanted:
            weight = self._weight(word) / whole
            for number in self._at.get(word, ()):
                found[number] += weight
        lexical = {n: share * self._brevity[n] for n, share in found.items()}
        if near is None:
            return lexical
        cosines = near.tolist()
        close = [n for n in near.argsort()[-NEAREST:].tolist() if cosines[n] >= NEAR]
        return {n: LEXICAL * lexical.get(n, 0.0) + VECTOR * max(cosines[n], 0.0) for n in {*lexical, *close}}

    def hits(self, scores: Mapping[int, float], *, after: bool) -> Iterator[tuple[float, ProbeLine]]:
        """The first results, best first, before or after the plan. The same words are one result, wherever they stand."""
        there = self._after if after else self._before
        found = [(-int(score * 1e6), self._where[n], n) for n, score in scores.items() if n in there]
        heapify(found)  # few are looked at, so few need to be in order
        seen: set[str] = set()
        while found:
            number = heappop(found)[2]
            seen.add(self.said[number].plain)
            if len(seen) > FIRST:
                return
            yield scores[number], self.said[number]

    def _weight(self, word: str) -> float:
        if word not in self._weights:
            self._weights[word] = log(1.0 + (len(self.said) + 1) / (1 + len(self._at.get(word, ()))))
        return self._weights[word]
