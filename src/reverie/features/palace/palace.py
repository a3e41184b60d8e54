"""The palace (seed 003): the same memory seen by time, by project, by technology, and by the owner's own words.

Pure, and only quotations: a view says nothing that no line says. The same memory gives the same views.

Whether a line is about a machine, by its form alone: an address, a port, a version, a size of data, or a machine's name.

`dream palace`: the views of a memory, shown or written down.

The views of the palace as files: rendered whole, changed only where they differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType

from reverie.apply.files import Disk
from reverie.core.layout import LEDGER, palace
from reverie.core.ports import Clock
from reverie.features.classify.memories import is_labelled
from reverie.features.palace.quotes import Archived, Project, projects_in, sayings
from reverie.judge.vetoes import unfit
from reverie.judge.worth import THRESHOLDS, Embed, Line, Worth, worth_of
from reverie.lang import LANGUAGES, table, words
from reverie.lang.detect import language_of
from reverie.lang.lexicon import either
from reverie.night.transaction import transact
from reverie.plan.build import plan_of
from reverie.plan.composed import PALACE
from reverie.plan.ledger import ledger_lines, read_ledger
from reverie.plan.quoting import Chapter, Page, Quote, Said, page_lines
from reverie.plan.splices import difference, hashes_after, texts_after
from reverie.text.comparing import bag
from reverie.text.lines import plain_heading
from reverie.text.marks import is_history
from reverie.text.terms import plain
from reverie.workspace.reader import read_workspace, reread
from reverie.workspace.values import Edit, Intent, Plan, Run, Snapshot, Source, Workspace

VIEWS = ("timeline", "projects", "technology", "custom")
CHANGES = ("decision", "update", "correction", "project")
SURE = 0.5  # of the judge's belief that a line of a note decides or changes something
MOST_DECIDED = 12  # of one project, the newest ones; the timeline has them all
MOSTLY = 1 / 3  # share of technical lines from which all lines of memory under a heading are about technology


def palace_of(snapshot: Snapshot, said: Sequence[Said], embed: Embed | None = None) -> tuple[Page, ...]:
    """The four views as pages. One without a line is a title alone."""
    words = titles(snapshot)
    judged = judged_notes(said, embed)
    projects = projects_in(snapshot, said)
    chapters = {
        "timeline": _timeline(said, judged),
        "projects": [part for one in projects for part in _project(one, judged, words)],
        "technology": _technology(said, judged),
        "custom": _custom(said, snapshot.workspace.settings.palace.views),
    }
    return tuple(Page(palace(view), words[view], tuple(chapters[view])) for view in VIEWS)


def language(snapshot: Snapshot) -> str:
    memory = snapshot.files.get(snapshot.memory_path)
    return language_of([entry.text for entry in memory.entries]) if memory else "en"


def titles(snapshot: Snapshot) -> dict[str, str]:
    """What the headings of pages are called in the owner's language."""
    spoken = language(snapshot)
    return dict(table(spoken if spoken in LANGUAGES else "en", "palace"))


def judged_notes(said: Sequence[Said], embed: Embed | None) -> dict[Said, Worth]:
    """The judge's word about every line of a note that could matter."""
    worth = [one for one in said if one.noted and not unfit(one.text)]
    lines = [Line(one.text, " > ".join((*one.headings[-2:], *one.parents))) for one in worth]
    return dict(zip(worth, worth_of(lines, embed), strict=True))


def decides(one: Said, judged: dict[Said, Worth]) -> bool:
    """Whether a line tells a decision or a change: by its own label, or because the judge is sure."""
    if one.noted:
        found = judged.get(one)
        if found is None or one.open:
            return False
        if is_labelled(one.text, "decided") or _is_under_decisions(one):
            return True
        return found.keep >= THRESHOLDS["recalled"] and sum(found.kinds[kind] for kind in CHANGES) >= SURE
    return bool(one.day) and (one.done or is_history(one.text)) and not one.open


def _is_under_decisions(one: Said) -> bool:
    return any(plain_heading(heading) in words("sorting.decided") for heading in one.headings[-1:])


def _timeline(said: Sequence[Said], judged: dict[Said, Worth]) -> list[Chapter]:
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


def _project(project: Project, judged: dict[Said, Worth], words: dict[str, str]) -> list[Chapter]:
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


def _technology(said: Sequence[Said], judged: dict[Said, Worth]) -> list[Chapter]:
    """What holds now about machines, by the owner's headings: memory's lines, and of the notes those that will matter."""
    now = [one for one in said if not (one.open or one.done or one.archived) and _lasts(one, judged)]
    machines = machines_in(one.text for one in now if not one.noted)
    places: dict[str, list[Said]] = {}
    for one in now:
        places.setdefault(one.headings[-1] if one.headings else "", []).append(one)
    chapters = []
    for heading, lines in places.items():
        found = [one for one in lines if is_technical(one.text) or (not one.noted and names_one(one.text, machines))]
        remembered = [one for one in lines if not one.noted]
        whole = sum(one in found for one in remembered) > MOSTLY * len(remembered)
        told = unique(one for one in lines if one in found or (whole and not one.noted))
        if found:
            quotes = (Quote(one.text, one.source, one.day if one.noted else "", _subject(one)) for one in told)
            chapters.append(Chapter(heading, tuple(quotes)))
    return chapters


def _lasts(one: Said, judged: dict[Said, Worth]) -> bool:
    found = judged.get(one)
    return not one.noted or (found is not None and found.keep >= THRESHOLDS["likely"])


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


_FORM = re.compile(
    r"\b(?:\d{1,3}\.){3}\d{1,3}\b|\blocalhost\b|\b[\w-]+\.(?:local|lan|internal)\b|\b[a-z][\w-]*:\d{4,5}\b"
    r"|\bv\d+(?:\.\d+)+\b|\b\d+\.\d+\.\d+\b(?!\.\d)|\b\d+(?:[.,]\d+)? ?[KMGT]i?B\b",
    re.I,
)
_KEY = re.compile(r"(?:^|[;；]\s*)([^\W\d_][\w-]{2,20})[:：]")


def is_technical(text: str) -> bool:
    """Whether a line holds something only machines have."""
    return bool(_FORM.search(text) or _numbered().search(text))


def machines_in(lines: Iterable[str]) -> list[re.Pattern[str]]:
    """The names of the owner's machines: the keys of technical lines, spelt exactly so."""
    keys = [key for line in lines if is_technical(line) for key in _KEY.findall(line)]
    return [re.compile(rf"(?<!\w){re.escape(name)}(?!\w)") for name in dict.fromkeys(keys)]


def names_one(text: str, machines: Sequence[re.Pattern[str]]) -> bool:
    return any(name.search(text) for name in machines)


@cache
def _numbered() -> re.Pattern[str]:
    """`port 5433`, `version 3.11`, in any language."""
    ports, versions = either(words("technology.ports")), either(words("technology.versions"))
    return re.compile(rf"(?:{ports})\s*[:：号]?\s*\d{{2,5}}\b|(?:{versions})\s*\d+(?:\.\d+)*", re.I)


@dataclass(frozen=True, slots=True)
class Palace:
    """The views of one moment, and the run that wrote them, if one did."""

    snapshot: Snapshot
    pages: tuple[Page, ...]
    run: Run | None = None

    def text_of(self, page: Page) -> str:
        return palace_text(page, self.snapshot)


def show(workspace: Workspace) -> Palace:
    """The views as they would be written now. Writes nothing."""
    snapshot = read_workspace(workspace)
    return Palace(snapshot, pages_of(snapshot))


def rebuild(workspace: Workspace, clock: Clock, *, disk: Disk | None = None) -> Palace:
    """Write the views of memory/palace. A memory that did not change gives the same bytes, and then no run."""

    def decide(snapshot: Snapshot) -> tuple[Palace, Plan]:
        pages = pages_of(snapshot)
        plan = plan_of(snapshot, Intent.PALACE, palace_edits(snapshot, pages), clock.now())
        return Palace(snapshot, pages), replace(plan, counts=MappingProxyType({"views": len(plan.paths)}))

    done = transact(workspace, clock, "palace", decide, disk=disk)
    return replace(done.told, run=done.run)


def with_views(snapshot: Snapshot, plan: Plan) -> Plan:
    """The plan of a night with the views of the memory it leaves. A second night finds them as they must be."""
    after = reread(snapshot, texts_after(snapshot, plan), hashes_after(snapshot, plan))
    edits = palace_edits(after, pages_of(after))
    base = {**plan.base, **{edit.path: snapshot.hash_of(edit.path) for edit in edits}}
    return replace(plan, edits=(*plan.edits, *edits), base=MappingProxyType(base))


def pages_of(snapshot: Snapshot) -> tuple[Page, ...]:
    embedder = snapshot.workspace.embedder
    return palace_of(snapshot, said_in(snapshot), embedder.embed if embedder else None)


def said_in(snapshot: Snapshot) -> tuple[Said, ...]:
    """Everything the workspace and its archive say that may be told again."""
    return sayings(snapshot, _archived(snapshot))


def _archived(snapshot: Snapshot) -> list[Archived]:
    text = snapshot.text_of(LEDGER)
    return [
        (Source(LEDGER, line + 4, line + 4), block.content[0], block.archived, block.category)
        for block, line in zip(read_ledger(text), ledger_lines(text), strict=True)
    ]


NOTE = "<!-- Written by `dream palace --rebuild`; what is changed here is lost at the next one. -->"


def palace_text(page: Page, snapshot: Snapshot) -> str:
    """A view as Markdown; the days stand in the headings of the timeline and nowhere else there."""
    lines = page_lines(page, snapshot.workspace, dated=not page.path.endswith("timeline.md"))
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join([f"# {page.title}", "", NOTE, "", *lines, ""])


def palace_edits(snapshot: Snapshot, pages: Sequence[Page]) -> list[Edit]:
    """The edits that bring the views up to date; none where they are. A link in the place of a view costs that view."""
    refused = {refusal.path for refusal in snapshot.refused}
    why = "the palace shows what memory says now"
    edits: list[Edit] = []
    for page in pages:
        if page.path not in refused:
            text, before = palace_text(page, snapshot), snapshot.text_of(page.path)
            edits += difference(page.path, before, text, id=PALACE, tag=PALACE, why=why, sources=())
    return edits


__all__ = ["VIEWS", "Palace", "pages_of", "rebuild", "said_in", "show", "with_views"]
