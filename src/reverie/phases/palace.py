"""The palace (seed 003): the same memory seen by time, by project, by technology, and by the owner's own words.

Pure, and only quotations: a view says nothing that no line says. The same memory gives the same views.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from reverie.judge.vetoes import unfit
from reverie.language import language_of
from reverie.layout import palace
from reverie.marks import is_history
from reverie.model import Snapshot
from reverie.phases.judge import LIKELY, Embed, Judged, Line, judge_lines
from reverie.phases.palace_words import DECIDED, DOMAIN_TITLES, DOMAINS, HOSTS, TITLES, VIEWS, domain_of
from reverie.phases.projects import Project, projects_in
from reverie.phases.sorting_words import key_of
from reverie.quoted import Chapter, Page, Quote, Said
from reverie.sense import bag
from reverie.terms import plain

CHANGES = ("decision", "update", "correction", "project")
SURE = 0.5  # of the judge's belief that a line of a note decides or changes something
MOST_DECIDED = 12  # of one project, the newest ones; the timeline has them all


def palace_of(snapshot: Snapshot, said: Sequence[Said], embed: Embed | None = None) -> tuple[Page, ...]:
    """The four views as pages. One without a line is a title alone."""
    words = titles(snapshot)
    judged = judged_notes(said, embed)
    projects = projects_in(snapshot, said)
    chapters = {
        "timeline": _timeline(said, judged),
        "projects": [part for one in projects for part in _project(one, judged, words)],
        "technology": _technology(said, judged, language(snapshot)),
        "custom": _custom(said, snapshot.workspace.settings.palace.views),
    }
    return tuple(Page(palace(view), words[view], tuple(chapters[view])) for view in VIEWS)


def language(snapshot: Snapshot) -> str:
    memory = snapshot.files.get(snapshot.memory_path)
    return language_of([entry.text for entry in memory.entries]) if memory else "en"


def titles(snapshot: Snapshot) -> dict[str, str]:
    """What the headings of pages are called in the owner's language."""
    return TITLES.get(language(snapshot), TITLES["en"])


def judged_notes(said: Sequence[Said], embed: Embed | None) -> dict[Said, Judged]:
    """The judge's word about every line of a note that could matter."""
    worth = [one for one in said if one.noted and not unfit(one.text)]
    lines = [Line(one.text, " > ".join((*one.headings[-2:], *one.parents))) for one in worth]
    return dict(zip(worth, judge_lines(lines, embed), strict=True)) if lines else {}


def decides(one: Said, judged: dict[Said, Judged]) -> bool:
    """Whether a line tells a decision or a change: by its own label, or because the judge is sure."""
    if one.noted:
        found = judged.get(one)
        if found is None or one.open:
            return False
        labelled = any(word in DECIDED for word in (key_of(one.text)[0], *_plain_headings(one)))
        return labelled or (found.keep >= LIKELY and sum(found.kinds[kind] for kind in CHANGES) >= SURE)
    return bool(one.day) and (one.done or is_history(one.text)) and not one.open


def _plain_headings(one: Said) -> Iterable[str]:
    return (heading.casefold().strip() for heading in one.headings[-1:])


def _timeline(said: Sequence[Said], judged: dict[Said, Judged]) -> list[Chapter]:
    """Newest month first; of the same words on one day only the first, which is memory's."""
    days: dict[str, dict[str, Said]] = {}
    for one in said:
        if one.day and decides(one, judged):
            days.setdefault(one.day, {}).setdefault(plain(one.text), one)
    chapters: list[Chapter] = []
    for day in sorted(days, reverse=True):
        if not chapters or not day.startswith(_month(chapters)):
            chapters.append(Chapter(day[:7]))
        told = tuple(replace(one.quote(_subject(one)), text=_undated(one.text, day)) for one in days[day].values())
        chapters.append(Chapter(day, told, level=3))
    return chapters


def _undated(text: str, day: str) -> str:
    """Without the day that the heading above it says: at its beginning, or as the day on which it was done."""
    text = re.sub(rf"^(?:[^\s:：]{{1,12}}[:：]\s*)?{day}[:：]?\s+", "", text)
    return re.sub(rf"\s*[(（][^()（）]{{0,12}}{day}[)）]$", "", text)


def _month(chapters: Sequence[Chapter]) -> str:
    return next(one.title for one in reversed(chapters) if one.level == 2)


def _subject(one: Said) -> str:
    """What a line of a note hangs on: its parent, or the heading it stands under, where it does not name it itself."""
    for above in (*reversed(one.parents), *(one.headings[-1:] if one.noted and len(one.headings) > 1 else ())):
        if above and "|" not in above and len(above) <= 50 and not bag(above) & bag(one.text):
            return above.strip(" :：*_#")
    return ""


def _project(project: Project, judged: dict[Said, Judged], words: dict[str, str]) -> list[Chapter]:
    about = [one for one in project.remembered if not one.archived and not one.done]
    decided = sorted(
        (one for one in project.lines if decides(one, judged)), key=lambda one: (one.day, one.noted), reverse=True
    )
    parts = (
        ("state", project.states), ("about", about), ("decided", unique(decided)[:MOST_DECIDED]), ("open", project.tasks),
    )  # fmt: skip
    done = f" ({words['done']})" if project.finished else ""
    chapters = [Chapter(project.name + done)]
    for name, lines in parts:
        quotes = tuple(_dated(one, name) for one in unique(lines))
        if quotes:
            chapters.append(Chapter(words[name], quotes, level=3))
    return chapters


def _dated(one: Said, part: str) -> Quote:
    return one.quote() if part == "decided" else Quote(one.text, one.source)


def unique(lines: Iterable[Said]) -> list[Said]:
    """Each wording once, where it stands first."""
    found: dict[str, Said] = {}
    for one in lines:
        found.setdefault(plain(one.text), one)
    return list(found.values())


def _technology(said: Sequence[Said], judged: dict[Said, Judged], spoken: str) -> list[Chapter]:
    """What holds now: memory's lines, and of the notes those that will matter, each in one domain."""
    lines: dict[str, list[Said]] = {domain: [] for domain in DOMAINS}
    hosts = _hosts(said)
    for one in said:
        holds = not (one.open or one.done or one.archived)
        if one.noted:
            found = judged.get(one)
            holds = (
                holds
                and found is not None
                and found.keep >= LIKELY
                and found.kind in ("fact", "rule", "update", "decision", "lesson")
            )
        domain = domain_of(one.text) if holds else ""
        if holds and not domain and not one.noted and any(name.search(one.text) for name in hosts):
            domain = HOSTS
        if domain:
            lines[domain].append(one)
    names = dict(zip(DOMAINS, DOMAIN_TITLES.get(spoken, tuple(DOMAINS)), strict=True))
    return [
        Chapter(names[domain], tuple(Quote(one.text, one.source, one.day if one.noted else "", _subject(one)) for one in unique(found)))
        for domain, found in lines.items()
        if found
    ]  # fmt: skip


def _hosts(said: Sequence[Said]) -> list[re.Pattern[str]]:
    """The names of the owner's machines: the keys of memory's lines about hosts, spelt exactly so."""
    keys = [re.match(r"([^\W\d_][\w-]{2,20})[:：]", one.text) for one in said if not (one.noted or one.done)]
    named = [key[1] for key in keys if key and domain_of(key.string) == HOSTS]
    return [re.compile(rf"(?<!\w){re.escape(name)}(?!\w)") for name in dict.fromkeys(named)]


def _custom(said: Sequence[Said], views: Sequence[str]) -> list[Chapter]:
    """The owner's own views: `Name: word, other word, #heading`. One of the words is enough."""
    chapters = []
    for view in views:
        name, _, wanted = view.partition(":")
        words = [word.strip() for word in wanted.replace("，", ",").split(",") if word.strip()]
        lines = unique(one for one in said if not one.archived and any(_meant(one, word) for word in words))
        chapters.append(Chapter(name.strip(), tuple(one.quote(_subject(one)) for one in lines)))
    return chapters


def _meant(one: Said, word: str) -> bool:
    if word.startswith("#"):
        return any(plain(word) == plain(heading) for heading in one.headings)
    if not any(char.isalnum() for char in word):
        return word in one.text  # a sign such as €
    return f" {plain(word)} " in f" {plain(one.text)} " or (bool(bag(word)) and bag(word) <= bag(one.text))
