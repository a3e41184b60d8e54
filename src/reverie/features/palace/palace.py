"""The palace (seed 003): the same memory seen by time, by project, by technology, and by the owner's own words.

Only quotations: a view says nothing that no line says, and the same memory gives the same views. `dream palace` shows them;
with `--rebuild` they are written to memory/palace, whole, and changed only where they differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType

from reverie.apply.files import Disk
from reverie.core.layout import VIEWS, palace
from reverie.core.ports import Clock
from reverie.features.palace.quotes import (
    Judged,
    Project,
    decides,
    judged_notes,
    page_words,
    projects_in,
    quotes_in,
    unique,
)
from reverie.judge.worth import THRESHOLDS
from reverie.lang import words
from reverie.lang.lexicon import either
from reverie.lang.messages import say
from reverie.night.live_lines import read_remembered
from reverie.night.transaction import transact
from reverie.plan.build import plan_of
from reverie.plan.quoting import PALACE, Chapter, Page, Quote, page_lines
from reverie.plan.splices import difference, hashes_after, texts_after
from reverie.text.terms import bag, plain
from reverie.workspace.reader import reread
from reverie.workspace.values import Edit, Intent, Plan, Run, Snapshot, Workspace

_MOST_DECIDED = 12  # of one project, the newest ones; the timeline has them all
_MOSTLY = 1 / 3  # share of technical lines from which all lines of memory under a heading are about technology
_FORM = re.compile(
    r"\b(?:\d{1,3}\.){3}\d{1,3}\b|\blocalhost\b|\b[\w-]+\.(?:local|lan|internal)\b|\b[a-z][\w-]*:\d{4,5}\b"
    r"|\bv\d+(?:\.\d+)+\b|\b\d+\.\d+\.\d+\b(?!\.\d)|\b\d+(?:[.,]\d+)? ?[KMGT]i?B\b",
    re.I,
)
_KEY = re.compile(r"(?:^|[;；]\s*)([^\W\d_][\w-]{2,20})[:：]")


@dataclass(frozen=True, slots=True)
class PalaceViews:
    """The views of one moment, and the run that wrote them, if one did."""

    snapshot: Snapshot
    pages: tuple[Page, ...]
    run: Run | None = None

    def text_of(self, page: Page) -> str:
        """A view as Markdown; the days stand in the headings of the timeline and nowhere else there."""
        lines = page_lines(page, self.snapshot.workspace, dated=not page.path.endswith("timeline.md"))
        while lines and not lines[-1]:
            lines.pop()
        return "\n".join([f"# {page.title}", "", f"<!-- {page_words(self.snapshot)['note']} -->", "", *lines, ""])


def show(workspace: Workspace) -> PalaceViews:
    """The views as they would be written now. Writes nothing."""
    return _palace_of(read_remembered(workspace))


def rebuild(workspace: Workspace, clock: Clock, *, disk: Disk | None = None) -> PalaceViews:
    """Write the views of memory/palace. A memory that did not change gives the same bytes, and then no run."""

    def decide(snapshot: Snapshot) -> tuple[PalaceViews, Plan]:
        found = _palace_of(snapshot)
        plan = plan_of(snapshot, Intent.PALACE, _edits(found), clock.now())
        return found, replace(plan, counts=MappingProxyType({"views": len(plan.paths)}))

    done = transact(workspace, clock, "palace", decide, disk=disk, read=read_remembered)
    return replace(done.told, run=done.run)


def with_views(snapshot: Snapshot, plan: Plan) -> Plan:
    """The plan of a night with the views of the memory it leaves. A second night finds them as they must be."""
    after = reread(snapshot, texts_after(snapshot, plan), hashes_after(snapshot, plan))
    edits = _edits(_palace_of(after))
    base = {**plan.base, **{edit.path: snapshot.hash_of(edit.path) for edit in edits}}
    return replace(plan, edits=(*plan.edits, *edits), base=MappingProxyType(base))


def _edits(found: PalaceViews) -> list[Edit]:
    """The edits that bring the views up to date; none where they are. A link in the place of a view costs that view."""
    refused = {refusal.path for refusal in found.snapshot.refused}
    edits: list[Edit] = []
    for page in found.pages:
        if page.path not in refused:
            text, before = found.text_of(page), found.snapshot.text_of(page.path)
            edits += difference(page.path, before, text, id=PALACE, tag=PALACE, why=say("palace.why"), sources=())
    return edits


def _palace_of(snapshot: Snapshot) -> PalaceViews:
    """The four views as pages. One without a line is a title alone."""
    quotes, titles = quotes_in(snapshot), page_words(snapshot)
    judged = judged_notes(snapshot, quotes)
    chapters = {
        "timeline": _timeline(quotes, judged),
        "projects": [part for one in projects_in(snapshot, quotes) for part in _project(one, judged, titles)],
        "technology": _technology(quotes, judged),
        "custom": _custom(quotes, snapshot.workspace.settings.palace.views),
    }
    return PalaceViews(snapshot, tuple(Page(palace(view), titles[view], tuple(chapters[view])) for view in VIEWS))


def _timeline(quotes: Sequence[Quote], judged: Judged) -> list[Chapter]:
    """Newest month first; of the same words on one day only the first, which is memory's."""
    days: dict[str, dict[str, Quote]] = {}
    for one in quotes:
        if one.day and decides(one, judged):
            days.setdefault(one.day, {}).setdefault(plain(one.text), one)
    chapters: list[Chapter] = []
    month = ""
    for day in sorted(days, reverse=True):
        if month != day[:7]:
            month = day[:7]
            chapters.append(Chapter(month))
        lines = (replace(one, subject=_subject(one), text=_undated(one.text, day)) for one in days[day].values())
        chapters.append(Chapter(day, tuple(lines), level=3))
    return chapters


def _undated(text: str, day: str) -> str:
    """Without the day that the heading above it says: at its beginning, or as the day on which it was done."""
    text = re.sub(rf"^(?:[^\s:：]{{1,12}}[:：]\s*)?{day}[:：]?\s+", "", text)
    return re.sub(rf"\s*[(（][^()（）]{{0,12}}{day}[)）]$", "", text)


def _subject(one: Quote) -> str:
    """What a line of a note hangs on: its parent, or the heading it stands under, where it does not name it itself."""
    heading = one.headings[-1:] if one.noted and len(one.headings) > 1 else ()
    for above in (*reversed(one.statement.parents), *heading):
        if above and "|" not in above and len(above) <= 50 and not bag(above) & bag(one.text):
            return above.strip(" :：*_#")
    return ""


def _project(project: Project, judged: Judged, titles: Mapping[str, str]) -> list[Chapter]:
    about = [one for one in project.remembered if not one.archived and not one.done]
    decided = sorted(
        (one for one in project.lines if decides(one, judged)), key=lambda one: (one.day, one.noted), reverse=True
    )
    parts = {
        "state": _undated_quotes(project.states),
        "about": _undated_quotes(about),
        "decided": unique(decided)[:_MOST_DECIDED],
        "open": _undated_quotes(project.tasks),
    }
    done = f" ({titles['done']})" if project.finished else ""
    below = [Chapter(titles[name], tuple(lines), level=3) for name, lines in parts.items() if lines]
    return [Chapter(project.name + done), *below]


def _undated_quotes(quotes: Iterable[Quote]) -> list[Quote]:
    return [replace(one, day="") for one in unique(quotes)]


def _technology(quotes: Sequence[Quote], judged: Judged) -> list[Chapter]:
    """What holds now about machines, by the owner's headings: memory's lines, and of the notes those that will matter."""
    now = [one for one in quotes if not (one.open or one.done or one.archived) and _lasts(one, judged)]
    machines = _machines_in(one.text for one in now if not one.noted)
    places: dict[str, list[Quote]] = {}
    for one in now:
        places.setdefault(one.headings[-1] if one.headings else "", []).append(one)
    chapters = []
    for heading, lines in places.items():
        remembered = [one for one in lines if not one.noted]
        found = {one for one in lines if is_technical(one.text)}
        found.update(one for one in remembered if any(name.search(one.text) for name in machines))
        whole = sum(one in found for one in remembered) > _MOSTLY * len(remembered)
        if found:
            shown = unique(one for one in lines if one in found or (whole and not one.noted))
            dated = (replace(one, day=one.day if one.noted else "", subject=_subject(one)) for one in shown)
            chapters.append(Chapter(heading, tuple(dated)))
    return chapters


def _lasts(one: Quote, judged: Judged) -> bool:
    found = judged.get(one)
    return not one.noted or (found is not None and found.keep >= THRESHOLDS["likely"])


def _custom(quotes: Sequence[Quote], views: Sequence[str]) -> list[Chapter]:
    """The owner's own views: `Name: word, other word, #heading`. One of the words is enough."""
    chapters = []
    for view in views:
        name, _, wanted = view.partition(":")
        listed = [word.strip() for word in wanted.replace("，", ",").split(",") if word.strip()]
        lines = unique(one for one in quotes if not one.archived and any(_matches(one, word) for word in listed))
        chapters.append(Chapter(name.strip(), tuple(replace(one, subject=_subject(one)) for one in lines)))
    return chapters


def _matches(one: Quote, word: str) -> bool:
    if word.startswith("#"):
        return any(plain(word) == plain(heading) for heading in one.headings)
    if not any(char.isalnum() for char in word):
        return word in one.text  # a sign such as €
    return f" {plain(word)} " in f" {plain(one.text)} " or (bool(bag(word)) and bag(word) <= bag(one.text))


def is_technical(text: str) -> bool:
    """Whether a line holds something only machines have: an address, a port, a version, a size of data."""
    return bool(_FORM.search(text) or _numbered().search(text))


def _machines_in(lines: Iterable[str]) -> list[re.Pattern[str]]:
    """The names of the owner's machines: the keys of technical lines, spelt exactly so."""
    keys = [key for line in lines if is_technical(line) for key in _KEY.findall(line)]
    return [re.compile(rf"(?<!\w){re.escape(name)}(?!\w)") for name in dict.fromkeys(keys)]


@cache
def _numbered() -> re.Pattern[str]:
    """`port 5433`, `version 3.11`, in any language."""
    ports, versions = either(words("technology.ports")), either(words("technology.versions"))
    return re.compile(rf"(?:{ports})\s*[:：]?\s*\d{{2,5}}\b|(?:{versions})\s*\d+(?:\.\d+)*", re.I)
