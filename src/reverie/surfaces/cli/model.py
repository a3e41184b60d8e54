"""`dream model`: the model that may lead the nights, and its exam."""

from __future__ import annotations

from typing import Any

import click

from reverie.core.errors import BadInput
from reverie.lang.messages import said_with, say
from reverie.night.exam import Result, Standing, as_record, sentence, standing_of
from reverie.surfaces.cli.common import Asked, Lines, command
from reverie.workspace.values import Workspace

_MARKS = ("right", "wrong", "harm", "wanted")  # the four figures of a scene, as they are kept


@command
@click.argument("action", required=False, type=click.Choice(["show", "exam"]), default="show")
@click.option("--again", is_flag=True)
def model(asked: Asked, *, action: str, again: bool) -> None:
    workspace = asked.workspace()
    examined = action == "exam"
    use = _examine(asked, workspace, again=again) if examined else None
    standing, result = standing_of(workspace)
    if examined and result is None:
        raise BadInput(say("cli.model.not_kept", path=workspace.exams))
    exam = as_record(result) if result else None
    if exam is not None:
        for part in ("marks", "built_in"):
            exam[part] = {name: dict(zip(_MARKS, four, strict=True)) for name, four in exam[part].items()}
    kind, name = workspace.settings.model.kind, result.model if result else workspace.settings.model.model
    value = {
        "kind": kind,
        "model": name or None,
        "leads": standing.leads,
        "standing": str(standing),
        "exam": exam,
        "use": use,
    }
    table = _table_lines(result) if examined and result else ()
    asked.answer(value, [("path", f"{kind} · {name}" if name else kind), *table, *_lines(standing, result, use)])


def _examine(asked: Asked, workspace: Workspace, *, again: bool) -> dict[str, Any] | None:
    if workspace.model is None:
        raise BadInput(say("cli.model.no_model"))
    from reverie.core.model_calls import use_as_dict
    from reverie.night.exam import examine  # the scenes and the built-in judge

    def show(name: str) -> None:
        if not (asked.json or asked.quiet):
            click.echo(say("cli.model.asking", scene=said_with("scenes", name)), err=True)

    examined = examine(workspace, asked.clock(workspace.settings.timezone), again=again, on_scene=show)
    return use_as_dict(examined.use) if examined.use else None


def _table_lines(result: Result) -> Lines:
    heads = [said_with("marks", name) for name in ("wanted", "right", "wrong", "harm", "built-in")]
    yield "plain", f"{said_with('marks', 'scene'):<14}" + "".join(f"{head:>8}" for head in heads)
    for name, own in result.built_in.items():
        right, wrong, harm, wanted = result.marks.get(name, ("-", "-", "-", own[3]))
        yield "plain", f"{name:<14}{wanted:>8}{right:>8}{wrong:>8}{harm:>8}{own[0]:>8}"
    yield "plain", say("cli.model.score", score=result.score, built_in=result.built_in_score)


def _lines(standing: Standing, result: Result | None, use: dict[str, Any] | None) -> Lines:
    if use:
        cost = say("cli.model.cost", cost=use["cost"]) if use["cost"] else ""
        counts = {"calls": use["calls"], "sent": use["tokens_in"], "received": use["tokens_out"]}
        yield "plain", say("cli.model.used", cost=cost, **counts)
    said = sentence(standing, result)
    yield "add" if standing.leads else "why", say("cli.sentence", text=said[0].upper() + said[1:])
    if standing in (Standing.NOT_TAKEN, Standing.UNFINISHED):
        yield "why", say("cli.model.take_it")
