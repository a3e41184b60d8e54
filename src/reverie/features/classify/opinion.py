"""What a model may decide about memories and pages: a drawer, clauses of the memory's own, titles in its lines' words. Pure.

Pages and files only quote (`plan/composed.py`), so no word of a model's own can stand there. It chooses; what it chooses must
be there already.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from reverie.features.classify.drawers import Opinion, cut, is_clause
from reverie.features.classify.sorting import Sorted, unit_id
from reverie.features.classify.units import Unit
from reverie.features.diary.narrative import gives_orders, not_plain
from reverie.judge.compose import plain_line
from reverie.judge.requests import is_request
from reverie.plan.quoting import Chapter, Page
from reverie.privacy.redact import holds_mask, redacted
from reverie.text.comparing import values_in
from reverie.text.terms import terms

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
