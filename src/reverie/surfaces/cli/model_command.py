from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from reverie.core.errors import BadInput
from reverie.night.exam_results import Result, Standing, as_record, sentence, standing_of
from reverie.surfaces.cli.common import Asked, command
from reverie.workspace.values import Workspace

_PARTS = ("right", "wrong", "harm", "wanted")


@command
@click.argument("action", required=False, type=click.Choice(["show", "exam"]), default="show")
@click.option("--again", is_flag=True, help="With `exam`: take it again, though there is a result.")
def model(asked: Asked, *, action: str, again: bool) -> None:
    """Show the model that may lead the nights, and what its exam said; or let it take the exam.

    The exam: twelve small memories with known answers. A model that is not clearly better than the built-in judge, or that
    would hurt lines nobody spoke of, does not lead.
    """
    workspace = asked.workspace()
    use = _taken(asked, workspace, again=again) if action == "exam" else None
    standing, result = standing_of(workspace)
    if action == "exam" and result is None:
        raise BadInput(f"The result of the exam cannot be kept in {workspace.exams}, so it was not taken.")
    table = action == "exam"
    asked.answer(_as_dict(workspace, standing, result, use), _lines(workspace, standing, result, use, table=table))


def _taken(asked: Asked, workspace: Workspace, *, again: bool) -> dict[str, Any] | None:
    if workspace.model is None:
        raise BadInput(
            "There is no model that could be examined: set [model] in your own reverie.toml, or DREAM_MODEL."
        )
    from reverie.core.model_calls import use_as_dict
    from reverie.night.examining import examine  # the scenes and the built-in judge

    def show(name: str) -> None:
        if not (asked.json or asked.quiet):
            click.echo(f"Asking about {name} …", err=True)

    examined = examine(workspace, asked.clock(workspace.settings.timezone), again=again, on_scene=show)
    return use_as_dict(examined.use) if examined.use else None


def _as_dict(
    workspace: Workspace, standing: Standing, result: Result | None, use: dict[str, Any] | None
) -> dict[str, Any]:
    mind = workspace.settings.model
    exam = as_record(result) if result else None
    if exam is not None:
        for part in ("marks", "built_in"):
            exam[part] = {name: dict(zip(_PARTS, four, strict=True)) for name, four in exam[part].items()}
    return {
        "kind": mind.kind, "model": result.model if result else mind.model or None, "leads": standing.leads,
        "standing": str(standing), "exam": exam, "use": use,
    }  # fmt: skip


def _lines(
    workspace: Workspace, standing: Standing, result: Result | None, use: dict[str, Any] | None, *, table: bool
) -> Iterator[tuple[str, str]]:
    mind = workspace.settings.model
    yield "path", f"{mind.kind}{f' · {result.model}' if result else f' · {mind.model}' if mind.model else ''}"
    if table and result:
        yield (
            "plain",
            f"{'scene':<14}" + "".join(f"{part:>8}" for part in ("wanted", "right", "wrong", "harm", "built-in")),
        )
        for name, own in result.built_in.items():
            right, wrong, harm, wanted = result.marks.get(name, ("-", "-", "-", own[3]))
            yield "plain", f"{name:<14}{wanted:>8}{right:>8}{wrong:>8}{harm:>8}{own[0]:>8}"
        yield "plain", f"score: {result.score:.2f}; the built-in judge {result.built_in_score:.2f}"
    if use:
        cost = f", cost {use['cost']:.4f}" if use["cost"] else ""
        yield "plain", f"{use['calls']} calls, {use['tokens_in']:,} tokens sent, {use['tokens_out']:,} received{cost}."
    said = sentence(standing, result)
    yield ("add" if standing.leads else "why"), f"{said[0].upper()}{said[1:]}."
    if standing in (Standing.NOT_TAKEN, Standing.UNFINISHED):
        yield "why", "`dream model exam` lets it take the exam now."
