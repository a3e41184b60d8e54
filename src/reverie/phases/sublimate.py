"""Memory → knowledge (seed 003): what has ripened becomes a page, proposed when it is dense enough. Nothing is deleted.

A finished project with three memories becomes a postmortem, three related feedbacks a chapter of the work-style guide, three
user memories the playbook, and states of projects the tracker. Pages only quote, and every line leads to its source.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from reverie.drawers import slug_of
from reverie.judge.worth import THRESHOLDS, Worth
from reverie.layout import PLAYBOOK, STYLE_GUIDE, TRACKER, Kind, postmortem
from reverie.model import Snapshot
from reverie.phases.classify import Sorted
from reverie.phases.labels import FEEDBACK, USER
from reverie.phases.palace import decides, titles, unique
from reverie.phases.projects import Project
from reverie.phases.related import DENSE, related
from reverie.phases.units import Unit
from reverie.quoted import Chapter, Page, Quote, Said

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
