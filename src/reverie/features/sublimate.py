"""Memory → knowledge (seed 003): what has ripened becomes a page, proposed when it is dense enough. Nothing is deleted.

A finished project with three memories becomes a postmortem, three related feedbacks a chapter of the work-style guide, three
user memories the playbook, and states of projects the tracker. Pages only quote, and every line leads to its source.

Memories that belong together: about how answers look, about one word, or under one heading of the owner's.

Words decide, because a cluster that a person cannot name is no cluster. A memory stands in one group only.

`dream sublimate`: which memories have ripened into knowledge, and, at the owner's word, the pages they become.

`dream sublimate`: pages of knowledge, each with our block in it and the owner's words around it as they were.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType

from reverie.apply.files import Disk
from reverie.core.layout import PLAYBOOK, STYLE_GUIDE, TRACKER, Kind, postmortem
from reverie.core.model_calls import Use
from reverie.core.ports import Clock
from reverie.features.classify.filing import slug_of, tracker_edits
from reverie.features.classify.memories import FEEDBACK, USER, Unit, speaks_of_answers, units_of
from reverie.features.classify.sorting import Known, Sorted, classify
from reverie.features.palace.palace import decides, judged_notes, said_in, titles, unique
from reverie.features.palace.quotes import Project, projects_in
from reverie.judge.worth import THRESHOLDS, Worth
from reverie.lang.lexicon import valued
from reverie.night.transaction import transact
from reverie.plan.build import plan_of
from reverie.plan.composed import SUBLIMATE
from reverie.plan.promises import check_promises
from reverie.plan.quoting import Chapter, Page, Quote, Said, block_edits, page_lines
from reverie.text.comparing import bag, values_in
from reverie.text.lines import plain_heading
from reverie.text.marks import is_generic
from reverie.text.terms import STOP_WORDS, stem
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Edit, Intent, Plan, Run, Snapshot, Workspace

RULE = "rule / fact"
SURE = 0.6  # of the judge's belief that a line of a note is a lesson
Notes = Mapping[Said, Worth]


def knowledge_of(
    snapshot: Snapshot, said: Sequence[Said], verdicts: Sequence[Sorted], projects: Sequence[Project], judged: Notes
) -> tuple[Page, ...]:
    """The pages that are worth making now, each with the reason in `about`."""
    words = titles(snapshot)
    pages = [page for project in projects if (page := _postmortem(project, judged, words))]
    pages += _style_guide(_memories(snapshot, said, verdicts, FEEDBACK), words)
    pages += _playbook(snapshot, _memories(snapshot, said, verdicts, USER), words)
    pages += _tracker(projects)
    return tuple(pages)


def _memories(snapshot: Snapshot, said: Sequence[Said], verdicts: Sequence[Sorted], kind: str) -> list[Said]:
    """What memory says of one kind, each wording once: entries of MEMORY.md, then the rules of classified files."""
    units = [one.unit for one in verdicts if one.kind == kind]
    found = [one for unit in units for one in _lines(unit, said)]
    found += [
        one
        for one in said
        if one.source.path.startswith(f"memory/{kind}/")
        and snapshot.files[one.source.path].place.kind is Kind.CLASSIFIED
        and one.headings
        and one.headings[-1].casefold() == RULE
    ]
    return unique(found)


def _lines(unit: Unit, said: Sequence[Said]) -> Iterable[Said]:
    path, first, end = unit.entry.source.path, unit.first + 1, unit.end
    return (one for one in said if one.source.path == path and first <= one.source.first <= end and not one.open)


def _postmortem(project: Project, judged: Notes, words: Mapping[str, str]) -> Page | None:
    """The page of a finished project; None while it goes on, or when memory hardly knows it."""
    memories = unique(project.remembered)
    if not project.finished or len(memories) < DENSE:
        return None
    decided = sorted(unique(one for one in project.lines if decides(one, dict(judged))), key=lambda one: one.day)
    lessons = [one for one in project.noted if _teaches(one, judged)]
    about = [one for one in memories if one not in decided and not one.archived]
    past = [one for one in memories if one not in decided and one.archived]
    chapters = [
        Chapter(words[name], tuple(one.quote() for one in lines))
        for name, lines in (("about", about), ("decided", decided), ("done", past), ("lessons", unique(lessons)))
        if lines
    ]
    reason = f"{len(memories)} memories of a finished project ({project.name})"
    return Page(postmortem(slug_of(project.name)), f"{project.name}: {words['postmortem']}", tuple(chapters), reason)


def _teaches(one: Said, judged: Notes) -> bool:
    """A lesson of a note, if the judge is sure of it and it is likely to last."""
    found = judged.get(one)
    return found is not None and found.keep >= THRESHOLDS["likely"] and found.kinds["lesson"] >= SURE


def _style_guide(feedback: Sequence[Said], words: Mapping[str, str]) -> list[Page]:
    groups = related(feedback, words["answers"])
    if not groups:
        return []
    chapters = tuple(Chapter(name, tuple(_plain(one) for one in lines)) for name, lines in groups)
    told = ", ".join(f"{len(lines)} about {name}" for name, lines in groups)
    count = sum(len(lines) for _, lines in groups)
    return [Page(STYLE_GUIDE, words["style"], chapters, f"{count} related feedback entries ({told})")]


def _playbook(snapshot: Snapshot, known: Sequence[Said], words: Mapping[str, str]) -> list[Page]:
    """Everything about the owner by heading; single lines of classified files stand together."""
    if len(known) < DENSE:
        return []
    chapters: dict[str, list[Said]] = {}
    for one in known:
        heading = one.headings[-1] if one.headings else ""
        named = heading if heading.casefold() != RULE and one.source.path == snapshot.memory_path else ""
        chapters.setdefault(named or words["about"], []).append(one)
    made = tuple(Chapter(name, tuple(_plain(one) for one in lines)) for name, lines in chapters.items())
    return [Page(PLAYBOOK, words["playbook"], made, f"{len(known)} memories about the user")]


def _tracker(projects: Sequence[Project]) -> list[Page]:
    known = [one for one in projects if one.states]
    chapters = tuple(Chapter(one.name, tuple(_plain(state, one.name) for state in one.states)) for one in known)
    return [Page(TRACKER, "Project tracker", chapters, f"the state of {len(known)} projects")] if chapters else []


def _plain(one: Said, subject: str = "") -> Quote:
    """Without a day: what holds is not dated by where it stands."""
    return Quote(one.text, one.source, subject=subject)


DENSE = 3  # memories that make a group worth a page of its own
COMMON = 0.5  # a word in more than this share of all says nothing about any of them
_FRAMES = frozenset(("rule / fact", "why", "how to apply"))
Group = tuple[str, tuple[Said, ...]]


def related(lines: Sequence[Said], answers: str) -> list[Group]:
    """Groups of three and more with their names; `answers` names the one about how they look. What is left alone is left out."""
    left = list(lines)
    groups: list[Group] = []
    _take(groups, left, answers, [one for one in left if speaks_of_answers(one.text)])
    while word := _commonest(left, len(lines)):
        _take(groups, left, _spelt(word, left), [one for one in left if word in bag(one.text)])
    for heading in dict.fromkeys(one.headings[-1] for one in left if one.headings):
        if plain_heading(heading) not in _FRAMES and not is_generic(heading):
            _take(groups, left, heading, [one for one in left if one.headings and one.headings[-1] == heading])
    return groups


def _take(groups: list[Group], left: list[Said], name: str, found: list[Said]) -> None:
    if len(found) >= DENSE:
        groups.append((name, tuple(found)))
        left[:] = [one for one in left if one not in found]


def _commonest(lines: Sequence[Said], all_of_them: int) -> str:
    """The word that most of these share, if three do; the longer one of two, then the first in the alphabet."""
    counts = Counter(word for one in lines for word in bag(one.text) if _names(word))
    dense = [word for word, count in counts.items() if DENSE <= count <= max(DENSE, COMMON * all_of_them)]
    return max(dense, key=lambda word: (counts[word], len(word), word), default="")


def _names(word: str) -> bool:
    """Whether a word can be what something is about: no function word, no numeral, no single character."""
    wide = any("\u3040" <= char <= "\u9fff" for char in word)
    counts = values_in(word) or any(word == stem(said) for said, _ in valued("hints"))  # four, fourth
    return (len(word) == 2 if wide else len(word) > 3) and word not in STOP_WORDS and not counts


def _spelt(word: str, lines: Sequence[Said]) -> str:
    """A word as the owner writes it where it stands first."""
    for one in lines:
        for said in one.text.replace("/", " ").split():
            bare = said.strip(".,;:!?()[]\"'“”„`*—–").casefold()
            if stem(bare) == word:
                return bare[:1].upper() + bare[1:]
    return word


@dataclass(frozen=True, slots=True)
class Ripened:
    """The pages that are worth making, the plan that writes what they do not say yet, and the run if it was applied."""

    snapshot: Snapshot
    pages: tuple[Page, ...]
    plan: Plan
    run: Run | None = None

    @property
    def proposed(self) -> tuple[Page, ...]:
        """The pages that would change."""
        return tuple(page for page in self.pages if page.path in self.plan.paths)


def sublimate(workspace: Workspace, clock: Clock, *, apply: bool = False, disk: Disk | None = None) -> Ripened:
    """Propose pages of knowledge, or write them. Sources are linked, and nothing is deleted."""
    if not apply:
        return _ripened(read_workspace(workspace), clock, keep=False)

    def decide(snapshot: Snapshot) -> tuple[Ripened, Plan]:
        found = _ripened(snapshot, clock, keep=True)
        return found, found.plan

    done = transact(workspace, clock, "sublimate", decide, disk=disk)
    return replace(done.told, run=done.run)


def _ripened(snapshot: Snapshot, clock: Clock, *, keep: bool) -> Ripened:
    workspace = snapshot.workspace
    embed = workspace.embedder.embed if workspace.embedder else None
    said = said_in(snapshot)
    memory = snapshot.files.get(snapshot.memory_path)
    verdicts = classify(units_of(memory), Known(()), embed) if memory else ()
    pages = knowledge_of(snapshot, said, verdicts, projects_in(snapshot, said), judged_notes(said, embed))
    use: Use | None = None
    if workspace.model is not None:
        from reverie.features.classify.opinions import (
            with_titles,  # prompts and the asker, only for those who have a model
        )

        pages, use = with_titles(workspace, clock, pages, keep=keep)
    plan = replace(sublimate_plan(snapshot, pages, clock.now()), use=use)
    check_promises(snapshot, plan)
    return Ripened(snapshot, pages, plan)


def sublimate_plan(snapshot: Snapshot, pages: Sequence[Page], now: datetime) -> Plan:
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


__all__ = ["Ripened", "sublimate"]
