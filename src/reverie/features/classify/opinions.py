"""What a model may decide about memories and pages: a drawer, clauses of the memory's own, titles in its lines' words. Pure.

Pages and files only quote (`plan/composed.py`), so no word of a model's own can stand there. It chooses; what it chooses must
be there already.

A model's opinion about memories in doubt and about titles of pages: asked, checked, and handed on as a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from reverie.core.layout import STYLE_GUIDE
from reverie.core.model_calls import Use, counted
from reverie.core.ports import Clock
from reverie.evidence.model_records import KeptAnswers
from reverie.features.classify.filing import Opinion, cut, is_clause
from reverie.features.classify.memories import Unit
from reverie.features.classify.sorting import Sorted, is_askable, unit_id
from reverie.features.diary.entry import gives_orders, not_plain
from reverie.judge.asker import Asker
from reverie.judge.compose import plain_line
from reverie.judge.prompts import asked
from reverie.judge.vetoes import is_request
from reverie.lang.detect import language_of
from reverie.plan.quoting import Chapter, Page
from reverie.privacy.redact import holds_mask, redacted
from reverie.text.comparing import values_in
from reverie.text.terms import terms
from reverie.workspace.values import Workspace

LONGEST = 600  # characters of a memory that are shown
LINES = 12  # of a chapter
LONGEST_TITLE = 60
NO_CLAUSE, NO_TITLE, STRANGER = (
    "a clause that it does not have",
    "a title that its lines do not give",
    "an id that was not shown",
)


def memories_shown(verdicts: Sequence[Sorted], kinds: frozenset[str]) -> tuple[list[dict[str, str]], dict[str, Unit]]:
    """(memories as data, the units by the ids they have there); without secrets and orders."""
    units = [one.unit for one in verdicts if _may_be_shown(one.unit.whole, kinds)]
    by_id = {f"m{nth}": unit for nth, unit in enumerate(units, 1)}
    told = [
        {
            "id": name,
            "under": unit.context if _may_be_shown(unit.context, kinds) else "",
            "text": cut(unit.whole, LONGEST),
        }
        for name, unit in by_id.items()
    ]
    return told, by_id


def opinions_in(items: Sequence[Mapping[str, Any]], units: Mapping[str, Unit]) -> tuple[dict[str, Opinion], list[str]]:
    """(opinions by `unit_id`, what was dropped). A clause that the memory does not have is left out; the drawer stays."""
    found: dict[str, Opinion] = {}
    dropped: list[str] = []
    for item in items:
        unit = units.get(str(item["id"]))
        if unit is None or unit_id(unit) in found:
            dropped.append(STRANGER)
            continue
        why, how = (" ".join(str(item[name]).split()).rstrip(" .。") for name in ("why", "how"))
        dropped += [NO_CLAUSE for part in (why, how) if part and not _is_its_own(part, unit)]
        own = [part if part and _is_its_own(part, unit) else "" for part in (why, how)]
        found[unit_id(unit)] = Opinion(str(item["kind"]), own[0], own[1] if own[1] != own[0] else "")
    return found, dropped


def chapters_shown(page: Page, kinds: frozenset[str]) -> tuple[list[dict[str, Any]], dict[str, Chapter]]:
    """(chapters as data, the chapters by the ids they have there); without secrets and orders."""
    by_id = {f"c{nth}": chapter for nth, chapter in enumerate(page.chapters, 1)}
    told = [
        {
            "id": name,
            "title": chapter.title,
            "lines": [q.text for q in chapter.quotes if _may_be_shown(q.text, kinds)][:LINES],
        }
        for name, chapter in by_id.items()
    ]
    return [one for one in told if one["lines"]], by_id


def titles_in(items: Sequence[Mapping[str, Any]], chapters: Mapping[str, Chapter]) -> tuple[dict[str, str], list[str]]:
    """(better titles by the present one, what was dropped)."""
    found: dict[str, str] = {}
    dropped: list[str] = []
    taken = {chapter.title.casefold() for chapter in chapters.values()}
    for item in items:
        chapter = chapters.get(str(item["id"]))
        title = " ".join(str(item["title"]).split()).rstrip(" .。:：")
        if chapter is None or chapter.title in found:
            dropped.append(STRANGER)
        elif title.casefold() in taken or not _names(title, chapter):
            dropped.append(NO_TITLE)
        else:
            taken.add(title.casefold())
            found[chapter.title] = title
    return found, dropped


def retitled(page: Page, titles: Mapping[str, str]) -> Page:
    """The page with these titles in the place of its own."""
    return replace(page, chapters=tuple(replace(one, title=titles.get(one.title, one.title)) for one in page.chapters))


def _names(title: str, chapter: Chapter) -> bool:
    """Every word of the title stands in the lines, no value among them, and most of the lines have one of its words."""
    if not title or len(title) > LONGEST_TITLE or not_plain(title) or gives_orders(title) or values_in(title):
        return False
    words = set(terms(title))
    lines = [set(terms(quote.text)) for quote in chapter.quotes]
    about = sum(bool(words & line) for line in lines)
    return bool(words) and words <= set().union(*lines) and about * 2 > len(lines)


def _is_its_own(part: str, unit: Unit) -> bool:
    lines = (unit.plain, *(plain_line(one.text) for one in unit.parts))
    return not holds_mask(part) and any(is_clause(part, line) for line in lines)


def _may_be_shown(text: str, kinds: frozenset[str]) -> bool:
    return redacted(text, kinds) == text and not holds_mask(text) and not is_request(text)


BATCH = 20  # memories of one question
IMPLAUSIBLE = "a drawer that the judge does not believe, or a memory that is known"


def opinions_on(
    workspace: Workspace, clock: Clock, verdicts: Sequence[Sorted], *, keep: bool
) -> tuple[Mapping[str, Opinion], Use | None]:
    """What a model thinks of the memories whose kind nobody can tell, by their ids; and what it cost. None: nobody was asked."""
    unsure = [one for one in verdicts if is_askable(one)]
    asker = _asker(workspace, clock, keep=keep) if unsure and workspace.settings.model.leads else None
    if asker is None:
        return {}, None
    found: dict[str, Opinion] = {}
    dropped: list[str] = []
    for batch in _batches(unsure):
        told, units = memories_shown(batch, workspace.settings.privacy.kinds)
        answer = asker.ask(asked("classify", {"memories": told})) if told else None
        if answer is not None and answer.value is not None:
            opinions, refused = opinions_in(answer.value["memories"], units)
            found.update(opinions)
            dropped += refused
    return found, replace(asker.use, dropped=counted(dropped))


def taken(use: Use, opinions: Mapping[str, Opinion], verdicts: Sequence[Sorted]) -> Use:
    """The receipt with what became of the opinions: which drawers were taken, and how many the judge did not believe."""
    heard = [one.kind for one in verdicts if one.opinion]
    refused = {IMPLAUSIBLE: len(opinions) - len(heard)} if len(opinions) > len(heard) else {}
    return replace(use, accepted=counted(heard), dropped=MappingProxyType({**use.dropped, **refused}))


def with_titles(
    workspace: Workspace, clock: Clock, pages: Iterable[Page], *, keep: bool
) -> tuple[tuple[Page, ...], Use | None]:
    """The pages with better titles for the chapters of the work-style guide, whose own are only a word; and what it cost."""
    pages = tuple(pages)
    guide = next((page for page in pages if page.path == STYLE_GUIDE), None)
    asker = _asker(workspace, clock, keep=keep) if guide and workspace.settings.model.write else None
    told, chapters = chapters_shown(guide, workspace.settings.privacy.kinds) if guide else ([], {})
    if asker is None or guide is None or not told:
        return pages, None
    language = language_of(quote.text for quote in guide.quotes)
    answer = asker.ask(asked("sublimate", {"chapters": told}, language))
    titles, dropped = titles_in(answer.value["titles"], chapters) if answer.value is not None else ({}, [])
    better = tuple(retitled(page, titles) if page is guide else page for page in pages)
    return better, replace(asker.use, accepted=counted("title" for _ in titles), dropped=counted(dropped))


def _asker(workspace: Workspace, clock: Clock, *, keep: bool) -> Asker | None:
    if workspace.model is None:
        return None
    kept = KeptAnswers(workspace.root, workspace.settings.privacy.kinds, clock, write=keep)
    return Asker(workspace.model, workspace.settings.model, kept)


def _batches(verdicts: Sequence[Sorted]) -> Iterator[Sequence[Sorted]]:
    return (verdicts[at : at + BATCH] for at in range(0, len(verdicts), BATCH))
