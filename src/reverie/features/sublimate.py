"""`dream sublimate`: memories that belong together become a page of knowledge (seed 003). Proposed first; nothing is deleted.

A finished project with three memories becomes a postmortem, three related feedbacks a chapter of the work-style guide, three
user memories the playbook, and states of projects the tracker. Pages only quote, every line leads to its source, and the
owner's words around our block stay as they are. A model may only choose better titles, in words of the quoted lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any

from reverie.apply.files import Disk
from reverie.core.layout import PLAYBOOK, STYLE_GUIDE, SUGGESTIONS, TRACKER, Kind, postmortem
from reverie.core.model_calls import Use, counted
from reverie.core.ports import Clock
from reverie.features.classify.classify import UNKNOWN_ID, asker_for, may_be_shown
from reverie.features.classify.filing import tracker_edits
from reverie.features.classify.memories import FEEDBACK, USER, items_of, slug_of, speaks_of_answers
from reverie.features.classify.sorting import Placement, classify
from reverie.features.diary.entry import gives_orders, is_prose
from reverie.features.palace.quotes import (
    Finished,
    Judged,
    Project,
    decides,
    judged_notes,
    page_words,
    projects_in,
    quotes_in,
    unique,
)
from reverie.judge.operation import BUILT_IN, Op
from reverie.judge.prompts import asked
from reverie.judge.worth import THRESHOLDS
from reverie.lang.detect import language_of
from reverie.lang.lexicon import valued
from reverie.lang.messages import say
from reverie.night.live_lines import read_remembered
from reverie.night.transaction import transact
from reverie.plan.build import plan_of
from reverie.plan.promises import check_promises
from reverie.plan.quoting import SUBLIMATE, Chapter, Page, Quote, block_edits, page_lines
from reverie.plan.splices import VIEW, difference, hashes_after, spliced, texts_after
from reverie.plan.suggested import KNOWLEDGE, OPEN, Suggestion, is_secret, suggestion_edits, suggestions_in
from reverie.text.lines import plain_heading
from reverie.text.marks import is_generic
from reverie.text.terms import bag, stem, stop_words, terms, values_in
from reverie.workspace.reader import reread
from reverie.workspace.values import Edit, Intent, Plan, Run, Snapshot, Workspace, short_id

NO_TITLE = "title not in its lines"  # why a model's title was not taken, as receipts count it
_WORTH = 0.5  # of a page among other suggestions
_DENSE = 3  # memories that make a group worth a page of its own
_COMMON = 0.5  # a word in more than this share of all says nothing about any of them
_SURE = 0.6  # of the judge's belief that a line of a note is a lesson
_RULE = "rule / fact"
_FRAMES = frozenset((_RULE, "why", "how to apply"))  # headings of classified files
_LINES_SHOWN = 12  # of a chapter in a question
_LONGEST_TITLE = 60
Titles = Mapping[str, str]
Group = tuple[str, tuple[Quote, ...]]


@dataclass(frozen=True, slots=True)
class Sublimated:
    """The pages that are worth making, the plan that writes what they do not say yet, and the run if it was applied."""

    snapshot: Snapshot
    pages: tuple[Page, ...]
    plan: Plan
    run: Run | None = None

    @property
    def proposed(self) -> tuple[Page, ...]:
        """The pages that would change."""
        return tuple(page for page in self.pages if page.path in self.plan.paths)


def sublimate(workspace: Workspace, clock: Clock, *, apply: bool = False, disk: Disk | None = None) -> Sublimated:
    """Propose pages of knowledge, or write them. Sources are linked, and nothing is deleted."""
    if not apply:
        return _decided(read_remembered(workspace), clock, keep=False)

    def decide(snapshot: Snapshot) -> tuple[Sublimated, Plan]:
        found = _decided(snapshot, clock, keep=True)
        return found, found.plan

    done = transact(workspace, clock, "sublimate", decide, disk=disk, read=read_remembered)
    return replace(done.told, run=done.run)


def _decided(snapshot: Snapshot, clock: Clock, *, keep: bool) -> Sublimated:
    pages, use = _with_titles(snapshot.workspace, clock, tuple(_pages(snapshot, _proposed(snapshot))), keep=keep)
    plan = replace(_plan(snapshot, pages, clock.now()), use=use)
    check_promises(snapshot, plan)
    return Sublimated(snapshot, pages, plan)


def _plan(snapshot: Snapshot, pages: Sequence[Page], now: datetime) -> Plan:
    """The edits that write these pages; none for a page that says it all already."""
    refused = {refusal.path for refusal in snapshot.refused}
    edits: list[Edit] = []
    for page in pages:
        if page.path == TRACKER:
            edits += tracker_edits(snapshot, page.quotes, SUBLIMATE, page.about)
        elif page.path not in refused:
            body = page_lines(page, snapshot.workspace)
            edits += block_edits(snapshot.text_of(page.path), page, body, SUBLIMATE, page.about)
    plan = plan_of(snapshot, Intent.SUBLIMATE, edits, now)
    return replace(plan, counts=MappingProxyType({"pages": len(plan.paths)}))


# What a night proposes


def with_proposals(snapshot: Snapshot, plan: Plan, now: datetime) -> Plan:
    """The plan of a night; the pages that are worth making wait in its list of suggestions, and those that are not any more leave it.

    The states of projects need no yes: they go to the tracker when memories are classified.
    """
    # What the night leaves is what a yes will find: ticked lines that tell of the end are in the archive by then, without their heading.
    after = reread(snapshot, texts_after(snapshot, plan), hashes_after(snapshot, plan))
    ticked = any(edit.tag == "completed" for edit in plan.edits)
    finished = {**_proposed(after), **(_finished(snapshot) if ticked else {})}
    pages = [page for page in _pages(after, finished, noted=False) if page.path != TRACKER]
    changing = _plan(after, pages, now).paths
    named = {postmortem(slug_of(name)): (name, *texts) for name, texts in finished.items()}
    fresh = [_card(page, named.get(page.path, ()), now) for page in pages if page.path in changing]
    old = {one.id for one in suggestions_in(after) if one.tag == KNOWLEDGE and one.status == OPEN}
    if not fresh and not old:
        return plan
    listed = suggestion_edits(
        after, [one for one in fresh if not is_secret(one)], (), now, old - {one.id for one in fresh}
    )
    text = spliced(after.text_of(SUGGESTIONS), listed)
    others = tuple(edit for edit in plan.edits if edit.path != SUGGESTIONS)
    edits = difference(
        SUGGESTIONS, snapshot.text_of(SUGGESTIONS), text, id="suggestion", tag=VIEW, why=say("why.suggestions")
    )
    base = {**plan.base, SUGGESTIONS: snapshot.hash_of(SUGGESTIONS)} if edits else plan.base
    return replace(plan, edits=(*others, *edits), base=MappingProxyType(base))


def _finished(snapshot: Snapshot) -> Finished:
    """The finished projects that memory knows well, with the words of their lines."""
    projects = projects_in(snapshot, quotes_in(snapshot, noted=False))
    return {
        one.name: [line.text for line in one.remembered]
        for one in projects
        if one.finished and len(unique(one.remembered)) >= _DENSE
    }


def _proposed(snapshot: Snapshot) -> Finished:
    """The same, of those whose page waits for a yes."""
    waiting = [one for one in suggestions_in(snapshot) if one.tag == KNOWLEDGE and one.status == OPEN]
    return {one.project[0]: one.project[1:] for one in waiting if one.project}


def _card(page: Page, project: tuple[str, ...], now: datetime) -> Suggestion:
    text = say("sublimate.found", about=page.about)
    why, day = say("sublimate.why"), f"{now:%Y-%m-%d}"
    return Suggestion(
        short_id(text + page.path),
        str(Op.ADD),
        why,
        text,
        section=page.path,
        worth=_WORTH,
        by=BUILT_IN,
        asked=day,
        tag=KNOWLEDGE,
        project=project,
    )


def accepted_pages(snapshot: Snapshot, paths: Collection[str], now: datetime) -> Plan:
    """The plan that writes those of these pages that are still worth making, for a yes to their suggestions."""
    return _plan(snapshot, [page for page in _pages(snapshot, _proposed(snapshot)) if page.path in paths], now)


# Which pages are worth making


def _pages(snapshot: Snapshot, finished: Finished, *, noted: bool = True) -> Iterator[Page]:
    """The pages that are worth making now, each with the reason in `about`; without `noted` from memory and archive alone."""
    quotes, titles = quotes_in(snapshot, noted=noted), page_words(snapshot)
    embedder = snapshot.workspace.embedder
    items = items_of(snapshot.files.get(snapshot.memory_path))
    placements = classify(items, embed=embedder.embed if embedder else None)
    projects, judged = projects_in(snapshot, quotes, finished), judged_notes(snapshot, quotes)
    yield from (page for project in projects if (page := _postmortem(project, judged, titles)))
    yield from _style_guide(_memories(snapshot, quotes, placements, FEEDBACK), titles)
    yield from _playbook(snapshot, _memories(snapshot, quotes, placements, USER), titles)
    yield from _tracker(projects, titles)


def _memories(snapshot: Snapshot, quotes: Sequence[Quote], placements: Sequence[Placement], kind: str) -> list[Quote]:
    """What memory says of one kind, each wording once: entries of MEMORY.md, then the rules of classified files."""
    spans = [one.item.source for one in placements if one.kind == kind]
    found = [
        quote
        for span in spans
        for quote in quotes
        if quote.source.path == span.path and span.first <= quote.source.first <= span.last and not quote.open
    ]
    found += [
        quote
        for quote in quotes
        if quote.source.path.startswith(f"memory/{kind}/")
        and snapshot.files[quote.source.path].place.kind is Kind.CLASSIFIED
        and quote.headings
        and quote.headings[-1].casefold() == _RULE
    ]
    return unique(found)


def _postmortem(project: Project, judged: Judged, titles: Titles) -> Page | None:
    """The page of a finished project; None while it goes on, or when memory hardly knows it."""
    memories = unique(project.remembered)
    if not project.finished or len(memories) < _DENSE:
        return None
    decided = sorted(unique(one for one in project.lines if decides(one, judged)), key=lambda one: one.day)
    parts = {
        "about": [one for one in memories if one not in decided and not one.archived],
        "decided": decided,
        "done": [one for one in memories if one not in decided and one.archived],
        "lessons": unique(one for one in project.lines if _teaches(one, judged)),
    }
    chapters = tuple(Chapter(titles[name], tuple(lines)) for name, lines in parts.items() if lines)
    reason = say("sublimate.postmortem", n=len(memories), name=project.name)
    return Page(postmortem(slug_of(project.name)), f"{project.name}: {titles['postmortem']}", chapters, reason)


def _teaches(one: Quote, judged: Judged) -> bool:
    """A lesson of a note, if the judge is sure of it and it is likely to last."""
    found = judged.get(one)
    return found is not None and found.keep >= THRESHOLDS["likely"] and found.kinds["lesson"] >= _SURE


def _style_guide(feedback: Sequence[Quote], titles: Titles) -> Iterator[Page]:
    groups = related(feedback, titles["answers"])
    if groups:
        chapters = tuple(Chapter(name, _undated(lines)) for name, lines in groups)
        parts = say("sublimate.between").join(say("sublimate.group", n=len(lines), name=name) for name, lines in groups)
        reason = say("sublimate.style", n=sum(len(lines) for _, lines in groups), parts=parts)
        yield Page(STYLE_GUIDE, titles["style"], chapters, reason)


def _playbook(snapshot: Snapshot, known: Sequence[Quote], titles: Titles) -> Iterator[Page]:
    """Everything about the owner by heading; single lines of classified files stand together."""
    if len(known) < _DENSE:
        return
    chapters: dict[str, list[Quote]] = {}
    for one in known:
        heading = one.headings[-1] if one.headings and one.source.path == snapshot.memory_path else ""
        chapters.setdefault(heading if heading.casefold() not in ("", _RULE) else titles["about"], []).append(one)
    made = tuple(Chapter(name, _undated(lines)) for name, lines in chapters.items())
    yield Page(PLAYBOOK, titles["playbook"], made, say("sublimate.playbook", n=len(known)))


def _tracker(projects: Sequence[Project], titles: Titles) -> Iterator[Page]:
    known = [one for one in projects if one.states]
    if known:
        chapters = tuple(Chapter(one.name, _undated(one.states, one.name)) for one in known)
        yield Page(TRACKER, titles["tracker"], chapters, say("sublimate.tracker", n=len(known)))


def _undated(quotes: Sequence[Quote], subject: str = "") -> tuple[Quote, ...]:
    """Without a day: what holds is not dated by where it stands."""
    return tuple(replace(one, day="", subject=subject) for one in quotes)


# Which memories belong together


def related(quotes: Sequence[Quote], answers: str) -> list[Group]:
    """Groups of three and more with their names: about how answers look (named `answers`), one word, or one heading.

    Words decide, because a cluster that a person cannot name is no cluster. A memory stands in one group only; what is left
    alone is left out.
    """
    left = list(quotes)
    groups: list[Group] = []
    _take(groups, left, answers, [one for one in left if speaks_of_answers(one.text)])
    while word := _commonest(left, len(quotes)):
        _take(groups, left, _spelt(word, left), [one for one in left if word in bag(one.text)])
    for heading in dict.fromkeys(one.headings[-1] for one in left if one.headings):
        if plain_heading(heading) not in _FRAMES and not is_generic(heading):
            _take(groups, left, heading, [one for one in left if one.headings and one.headings[-1] == heading])
    return groups


def _take(groups: list[Group], left: list[Quote], name: str, found: list[Quote]) -> None:
    if len(found) >= _DENSE:
        groups.append((name, tuple(found)))
        left[:] = [one for one in left if one not in found]


def _commonest(quotes: Sequence[Quote], all_of_them: int) -> str:
    """The word that most of these share, if three do; the longer one of two, then the first in the alphabet."""
    counts = Counter(word for one in quotes for word in bag(one.text) if _is_subject(word))
    dense = [word for word, count in counts.items() if _DENSE <= count <= max(_DENSE, _COMMON * all_of_them)]
    return max(dense, key=lambda word: (counts[word], len(word), word), default="")


def _is_subject(word: str) -> bool:
    """Whether a word can be what something is about: no function word, no numeral, no single character."""
    wide = any("\u3040" <= char <= "\u9fff" for char in word)
    counts = values_in(word) or any(word == stem(said) for said, _ in valued("hints"))  # four, fourth
    return (len(word) == 2 if wide else len(word) > 3) and word not in stop_words() and not counts


def _spelt(word: str, quotes: Sequence[Quote]) -> str:
    """A word as the owner writes it where it stands first."""
    for one in quotes:
        for said in one.text.replace("/", " ").split():
            bare = said.strip(".,;:!?()[]\"'“”„`*—–").casefold()
            if stem(bare) == word:
                return bare[:1].upper() + bare[1:]
    return word


# What a model may change


def _with_titles(
    workspace: Workspace, clock: Clock, pages: tuple[Page, ...], *, keep: bool
) -> tuple[tuple[Page, ...], Use | None]:
    """The pages with better titles for the chapters of the work-style guide, whose own are only a word; and what it cost."""
    guide = next((page for page in pages if page.path == STYLE_GUIDE), None)
    asker = asker_for(workspace, clock, keep=keep) if guide and workspace.settings.model.write else None
    if asker is None or guide is None:
        return pages, None
    by_id = {f"c{nth}": chapter for nth, chapter in enumerate(guide.chapters, 1)}
    data = [{"id": name, **_shown(chapter, workspace)} for name, chapter in by_id.items()]
    data = [one for one in data if one["lines"]]
    if not data:
        return pages, None
    answer = asker.ask(asked("sublimate", {"chapters": data}, language_of(quote.text for quote in guide.quotes)))
    titles, dropped = _titles_in(answer.value["titles"], by_id) if answer.value is not None else ({}, [])
    chapters = tuple(replace(one, title=titles.get(one.title, one.title)) for one in guide.chapters)
    better = tuple(replace(page, chapters=chapters) if page is guide else page for page in pages)
    return better, replace(asker.use, accepted=counted("title" for _ in titles), dropped=counted(dropped))


def _shown(chapter: Chapter, workspace: Workspace) -> dict[str, Any]:
    kinds = workspace.settings.privacy.kinds
    lines = [quote.text for quote in chapter.quotes if may_be_shown(quote.text, kinds)]
    return {"title": chapter.title, "lines": lines[:_LINES_SHOWN]}


def _titles_in(
    answers: Sequence[Mapping[str, Any]], chapters: Mapping[str, Chapter]
) -> tuple[dict[str, str], list[str]]:
    """(better titles by the present one, what was dropped)."""
    found: dict[str, str] = {}
    dropped: list[str] = []
    taken = {chapter.title.casefold() for chapter in chapters.values()}
    for answer in answers:
        chapter = chapters.get(str(answer["id"]))
        title = " ".join(str(answer["title"]).split()).rstrip(" .。:：")
        if chapter is None or chapter.title in found:
            dropped.append(UNKNOWN_ID)
        elif title.casefold() in taken or not _is_title_of(title, chapter):
            dropped.append(NO_TITLE)
        else:
            taken.add(title.casefold())
            found[chapter.title] = title
    return found, dropped


def _is_title_of(title: str, chapter: Chapter) -> bool:
    """Every word of the title stands in the lines, no value among them, and most of the lines have one of its words."""
    if not title or len(title) > _LONGEST_TITLE or not is_prose(title) or gives_orders(title) or values_in(title):
        return False
    words = set(terms(title))
    lines = [set(terms(quote.text)) for quote in chapter.quotes]
    about = sum(bool(words & line) for line in lines)
    return bool(words) and words <= set().union(*lines) and about * 2 > len(lines)
