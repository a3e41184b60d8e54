from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import click

from reverie.features.classify import classify as feature
from reverie.features.classify.classify import Classified, Sort, Sorted
from reverie.privacy.redact import shown
from reverie.surfaces.cli.common import Asked, command


@command
@click.argument("text", nargs=-1, metavar="[TEXT]")
@click.option("--apply", "applied", is_flag=True, help="Write the files, as a run.")
def classify(asked: Asked, *, text: tuple[str, ...], applied: bool) -> None:
    """Sort memories into user, feedback, project and reference, each a file of its own. Only --apply writes.

    With TEXT it only says where that statement would belong.
    """
    workspace = asked.workspace()
    if text:
        one = feature.sort_statement(workspace, " ".join(text))
        asked.answer(_item(one), _verdict(one))
        return
    found = feature.sort_memories(workspace, asked.clock(workspace.settings.timezone), apply=applied)
    asked.answer(_value(found), _lines(found, applied=applied))


def _value(found: Classified) -> dict[str, Any]:
    return {
        "workspace": str(found.snapshot.workspace.root),
        "run": found.run.id if found.run else None,
        "changed": bool(found.run),
        "files": [path for path in found.plan.paths if path.startswith("memory/")],
        "writes": list(found.plan.paths),
        "unlinked": list(found.unlinked),
        "memories": [_item(one) for one in found.verdicts],
    }


def _item(one: Sorted) -> dict[str, Any]:
    return {
        "text": shown(one.unit.text), "source": str(one.unit.source), "sort": str(one.sort), "kind": one.kind or None,
        "why": shown(one.why), "tasks": len(one.tasks), "states": len(one.states), "knownIn": one.said_by or None,
    }  # fmt: skip


def _verdict(one: Sorted) -> Iterator[tuple[str, str]]:
    yield "path", one.kind if one.sort is Sort.MEMORY else str(one.sort)
    yield "why", f"  because {shown(one.why)}"


def _lines(found: Classified, *, applied: bool) -> Iterator[tuple[str, str]]:
    written = {
        source: edit.path for edit in found.plan.edits for source in edit.sources if edit.path.startswith("memory/")
    }
    for one in found.of(Sort.MEMORY):
        yield "add", f"+ {written.get(one.unit.source, one.kind)}: {_short(one)}"
        yield "why", f"    {one.unit.source}: {shown(one.why)}"
    for sort, title in (
        (Sort.REFUSED, "Not to be saved"),
        (Sort.UNSURE, "Left where it is"),
        (Sort.KNOWN, "Known already"),
    ):
        if group := found.of(sort):
            yield "path", f"{title}:"
        for one in group:
            yield "plain", f"· {one.unit.source}: {_short(one)}"
            yield "why", f"    {shown(one.why)}"
    for path in found.unlinked:
        yield "why", f"! {path} is not linked from MEMORY.md."
    yield from _counted(found)
    if found.run:
        yield "plain", f"Run {found.run.id}. `dream undo` takes it back."
    elif not found.plan.edits:
        yield "plain", "Nothing to write."
    elif not applied:
        yield "plain", "A dry run: nothing was written. `dream classify --apply` writes it."


def _counted(found: Classified) -> Iterator[tuple[str, str]]:
    kinds = Counter(one.kind for one in found.of(Sort.MEMORY))
    sorts = Counter(str(one.sort) for one in found.verdicts if one.sort is not Sort.MEMORY)
    told = [f"{number} {name}" for name, number in [*kinds.items(), *sorts.items()]]
    tasks = sum(len(one.tasks) for one in found.verdicts)
    yield "path", f"{len(found.verdicts)} memories: {', '.join(told) or 'none'}; {tasks} open tasks belong to todos.md."


def _short(one: Sorted) -> str:
    text = shown(one.unit.text)
    return text if len(text) <= 100 else text[:99] + "…"
