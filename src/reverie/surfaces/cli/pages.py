"""The memory in other shapes: `classify`, `palace`, `refine`, `sublimate` and `project`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import click

from reverie.core.errors import RefusedFile
from reverie.core.layout import VIEWS
from reverie.features import sublimate as sublimate_feature
from reverie.features.classify import classify as classify_feature
from reverie.features.classify.classify import Classified
from reverie.features.classify.sorting import Placement, Sort
from reverie.features.palace import palace as palace_feature
from reverie.features.palace.palace import PalaceViews
from reverie.features.projections import projections
from reverie.features.refine import refine as refine_feature
from reverie.features.refine.mistakes import Mistake
from reverie.features.refine.refine import Refined
from reverie.features.sublimate import Sublimated
from reverie.judge.operation import Op, Operation
from reverie.lang.messages import said_with, say
from reverie.plan.quoting import Page
from reverie.privacy.redact import shown
from reverie.surfaces.cli.common import Asked, Lines, command, run_lines
from reverie.workspace.projection import REFUSED, Projected

_IN_BYTES = ("claude-code",)  # the host that measures bytes; the others measure characters


@command
@click.argument("text", nargs=-1, metavar="[TEXT]")
@click.option("--apply", "applied", is_flag=True)
@click.option("--user", is_flag=True)
def classify(asked: Asked, *, text: tuple[str, ...], applied: bool, user: bool) -> None:
    workspace, clock = asked.open()
    if text:
        one = classify_feature.sort_statement(workspace, " ".join(text))
        kind = said_with("kinds", one.kind) if one.sort is Sort.MEMORY else said_with("sorts", str(one.sort))
        asked.answer(_sorted_as_dict(one), [("path", kind), ("why", "  " + say("cli.because", why=shown(one.why)))])
        return
    found = classify_feature.sort_memories(workspace, clock, apply=applied, user=user)
    value = {
        "workspace": str(found.snapshot.workspace.folder),
        "run": found.run.id if found.run else None,
        "changed": bool(found.run),
        "files": [path for path in found.plan.paths if path.startswith("memory/")],
        "writes": list(found.plan.paths),
        "unlinked": list(found.unlinked),
        "aboutYou": [shown(text) for text in found.about_the_user],
        "memories": [_sorted_as_dict(one) for one in found.placements],
    }
    asked.answer(value, _classified_lines(found, applied=applied))


def _sorted_as_dict(one: Placement) -> dict[str, Any]:
    return {
        "text": shown(one.item.text),
        "source": str(one.item.source),
        "sort": str(one.sort),
        "kind": one.kind or None,
        "why": shown(one.why),
        "tasks": len(one.tasks),
        "states": len(one.states),
        "knownIn": one.said_by or None,
    }


def _classified_lines(found: Classified, *, applied: bool) -> Lines:
    written = {
        source: edit.path for edit in found.plan.edits for source in edit.sources if edit.path.startswith("memory/")
    }
    for one in found.of(Sort.MEMORY):
        yield "add", f"+ {written.get(one.item.source, one.kind)}: {_short(one)}"
        yield "why", f"    {one.item.source}: {shown(one.why)}"
    for sort in (Sort.REFUSED, Sort.UNSURE, Sort.KNOWN):
        if group := found.of(sort):
            yield "path", say(f"cli.pages.{sort.name.lower()}")
        for one in group:
            yield "plain", f"· {one.item.source}: {_short(one)}"
            yield "why", f"    {shown(one.why)}"
    for path in found.unlinked:
        yield "why", say("cli.pages.unlinked", path=path)
    if about := found.about_the_user:
        yield "path", say("types.user_waits")
        yield from (("plain", f"· {shown(text)}") for text in about)
    yield "path", _counted(found)
    if found.plan.edits and found.snapshot.memory_path not in found.plan.paths:
        yield "plain", say("cli.pages.copies")
    if found.run:
        yield from run_lines(found.run.id)
    elif not found.plan.edits:
        yield "plain", say("cli.pages.nothing_to_write")
    elif not applied:
        yield "plain", say("cli.pages.classify_dry")


def _counted(found: Classified) -> str:
    kinds = Counter(said_with("kinds", one.kind) for one in found.of(Sort.MEMORY))
    sorts = Counter(said_with("sorts", str(one.sort)) for one in found.placements if one.sort is not Sort.MEMORY)
    counts = ", ".join(f"{number} {name}" for name, number in [*kinds.items(), *sorts.items()])
    tasks = sum(len(one.tasks) for one in found.placements)
    return say("cli.pages.counted", memories=len(found.placements), counts=counts or say("cli.none"), tasks=tasks)


def _short(one: Placement) -> str:
    text = shown(one.item.text)
    return text if len(text) <= 100 else text[:99] + "…"


@command
@click.argument("view", required=False, type=click.Choice(VIEWS))
@click.option("--rebuild", is_flag=True)
def palace(asked: Asked, *, view: str | None, rebuild: bool) -> None:
    workspace, clock = asked.open()
    found = palace_feature.rebuild(workspace, clock) if rebuild else palace_feature.show(workspace)
    pages = [page for page in found.pages if view is None or page.path.endswith(f"/{view}.md")]
    value = {
        "workspace": str(workspace.folder),
        "run": found.run.id if found.run else None,
        "views": [_page_as_dict(page) for page in pages],
    }
    asked.answer(value, _rebuilt_lines(found) if rebuild else _page_lines(pages))


def _page_as_dict(page: Page) -> dict[str, Any]:
    chapters = [
        {
            "title": chapter.title,
            "level": chapter.level,
            "lines": [
                {
                    "text": shown(one.text),
                    "source": str(one.source),
                    "day": one.day or None,
                    "subject": one.subject or None,
                }
                for one in chapter.quotes
            ],
        }
        for chapter in page.chapters
    ]
    return {"path": page.path, "title": page.title, "chapters": chapters}


def _page_lines(pages: Sequence[Page]) -> Lines:
    for page in pages:
        yield "path", f"── {shown(page.title)} ──"
        for chapter in page.chapters:
            yield "path", f"{'  ' * (chapter.level - 2)}{shown(chapter.title)}"
            for one in chapter.quotes:
                subject = f"{one.subject}: " if one.subject else ""
                yield "plain", f"{'  ' * (chapter.level - 1)}· {shown(subject + one.text)}"
                yield "why", f"{'  ' * chapter.level}{one.source}"
        if not page.chapters:
            yield "plain", say("cli.pages.own_view" if page.path.endswith("custom.md") else "cli.pages.empty_view")


def _rebuilt_lines(found: PalaceViews) -> Lines:
    for page in found.pages:
        yield "plain", say("cli.pages.page_size", path=page.path, n=len(page.quotes))
    if found.run:
        yield from run_lines(found.run.id)
    else:
        yield "plain", say("cli.pages.views_unchanged")


@command
@click.option("--apply", "applied", is_flag=True)
@click.option("--dry-run", is_flag=True)
def refine(asked: Asked, *, applied: bool, dry_run: bool) -> None:
    found = refine_feature.refine(*asked.open(), apply=applied, dry_run=dry_run)
    value = {
        "workspace": str(found.snapshot.workspace.folder),
        "looked": found.looked,
        "run": found.run.id if found.run else None,
        "report": found.path,
        "findings": [
            {
                "tag": one.tag,
                "certain": one in found.certain,
                "op": str(one.op) if isinstance(one, Operation) else None,
                "line": shown(refine_feature.quoted(one)),
                "instead": shown(one.text) if isinstance(one, Operation) and one.op is Op.UPDATE else None,
                "where": str(one.target.source) if one.target else None,
                "why": shown(one.why),
                "sources": list(map(str, one.sources)),
                "undo": one.command if isinstance(one, Mistake) else None,
            }
            for one in found.findings
        ],
        "belongs": {drawer: [str(at) for at, _ in lines] for drawer, lines in found.belongs.items()},
    }
    asked.answer(value, _refined_lines(found, applied=applied, dry_run=dry_run))


def _refined_lines(found: Refined, *, applied: bool, dry_run: bool) -> Lines:
    for one in found.findings:
        place = f" ({one.target.source})" if one.target else ""
        yield "cut", f"- {said_with('tags', one.tag)}: {shown(refine_feature.quoted(one))}{place}"
        yield "why", f"    {shown(one.why)}"
        if isinstance(one, Operation) and one.op is Op.UPDATE:
            yield "add", f"    + {shown(one.text)}"
        elif isinstance(one, Operation):
            yield "plain", "    " + say("cli.pages.to_archive")
        elif isinstance(one, Mistake):
            yield "plain", f"    {one.command}"
    counts = {"lines": found.looked, "findings": len(found.findings), "certain": len(found.certain)}
    yield "plain", say("cli.pages.looked", **counts)
    if found.run and applied and found.certain:
        yield from run_lines(found.run.id)
    elif found.certain and not applied:
        yield "plain", say("cli.pages.refine_dry")
    if not dry_run:
        yield "plain", say("cli.pages.report", path=found.path)


@command
@click.option("--apply", "applied", is_flag=True)
def sublimate(asked: Asked, *, applied: bool) -> None:
    found = sublimate_feature.sublimate(*asked.open(), apply=applied)
    value = {
        "workspace": str(found.snapshot.workspace.folder),
        "run": found.run.id if found.run else None,
        "changed": bool(found.run),
        "pages": [
            {
                "path": page.path,
                "why": shown(page.about),
                "changes": page in found.proposed,
                "chapters": [{"title": shown(one.title), "lines": len(one.quotes)} for one in page.chapters],
                "sources": list(dict.fromkeys(str(quote.source) for quote in page.quotes)),
            }
            for page in found.pages
        ],
    }
    asked.answer(value, _ripened_lines(found))


def _ripened_lines(found: Sublimated) -> Lines:
    for page in found.proposed:
        yield "add", f"+ {page.path}"
        yield "why", "    " + say("cli.pages.because_of", what=shown(page.about))
        for chapter in page.chapters:
            yield "plain", "    " + say("cli.pages.page_size", path=shown(chapter.title), n=len(chapter.quotes))
    if found.run:
        yield from run_lines(found.run.id)
    else:
        yield "plain", say("cli.pages.sublimate_dry" if found.proposed else "cli.pages.nothing_ripe")


@command
@click.option("--dry-run", is_flag=True)
def project(asked: Asked, *, dry_run: bool) -> None:
    workspace, clock = asked.open()
    found = projections.project(workspace, clock, dry_run=dry_run)
    names = ("size", "limit", "lines", "entries", "omitted", "withheld")
    value = [
        {
            "path": one.path,
            "host": one.host,
            "outcome": one.outcome,
            "why": one.why or None,
            **{name: getattr(one, name) for name in names},
            **({"text": shown(one.text)} if dry_run else {}),
        }
        for one in found
    ]
    asked.answer({"workspace": str(workspace.folder), "projections": value}, _projected_lines(found, dry_run=dry_run))
    if any(one.outcome == REFUSED for one in found):
        raise SystemExit(RefusedFile.exit_code)


def _projected_lines(found: Sequence[Projected], *, dry_run: bool) -> Lines:
    for one in found:
        yield "path", f"{one.path} ({one.host})"
        if one.why:
            yield "cut", "  " + say("cli.pages.not_written", why=one.why)
            continue
        outcome = "would_be_written" if dry_run and one.outcome == "written" else one.outcome
        size = say(
            "cli.pages.bytes" if one.host in _IN_BYTES else "cli.pages.characters", size=one.size, limit=one.limit
        )
        counts = {"lines": one.lines, "entries": one.entries}
        yield "plain", "  " + say(f"cli.pages.{outcome}", size=size, **counts)
        if one.omitted:
            yield "plain", "  " + say("cli.pages.omitted", count=one.omitted)
        if one.withheld:
            yield "plain", "  " + say("cli.pages.withheld", count=one.withheld)
        if dry_run:
            yield from (("plain", f"  | {shown(line)}") for line in one.text.rstrip("\n").split("\n"))
    if not found:
        yield "plain", say("cli.pages.no_host")
