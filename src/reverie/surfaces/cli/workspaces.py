"""Every workspace of this machine: `workspaces` lists them, and `--all` of other commands does something to each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import click

from reverie.core.errors import SomeFailed
from reverie.features.status import is_on, last_dream
from reverie.lang.messages import said_with, say
from reverie.night.workspaces import FoundWorkspace, WorkspaceOutcome, discover, over_all
from reverie.privacy.redact import shown
from reverie.surfaces.cli.common import Asked, Lines, command
from reverie.surfaces.configure import configured, owners_settings
from reverie.workspace.values import Workspace

Answer = tuple[Any, Iterable[tuple[str, str]]]  # the value for programs, the lines for people


@command
def workspaces(asked: Asked) -> None:
    seen = over_all(_everywhere(), _about)
    value = [
        {
            "root": str(one.found.root),
            "label": one.found.label,
            "source": one.found.source,
            **(one.value or {"error": one.error}),
        }
        for one in seen
    ]
    asked.answer(value, _workspace_lines(seen))


def _everywhere() -> tuple[FoundWorkspace, ...]:
    return discover(os.environ, owners_settings(os.environ))


def _about(found: FoundWorkspace) -> dict[str, Any]:
    workspace = configured(found.root, os.environ)
    return {"on": is_on(workspace.root, workspace.settings), "last_review": last_dream(workspace.vault) or None}


def _workspace_lines(seen: Sequence[WorkspaceOutcome[dict[str, Any]]]) -> Lines:
    for one in seen:
        about = one.value or {}
        last = about.get("last_review")
        when = one.error or (say("cli.workspaces.last_dream", when=last) if last else say("cli.workspaces.never"))
        off = "" if about.get("on", True) else say("cli.workspaces.off")
        who = said_with("sources", one.found.source)
        yield "cut" if one.failed else "plain", f"{one.found.root}  ({who}: {one.found.label})  {when}{off}"
    if not seen:
        yield "plain", say("cli.workspaces.none")


def each(asked: Asked, do: Callable[[Workspace], Answer]) -> None:
    """Do it to every workspace and tell all of it; ends with SomeFailed's exit code if one failed."""

    def one(found: FoundWorkspace) -> tuple[Any, list[tuple[str, str]]]:
        value, lines = do(configured(found.root, os.environ))
        return value, list(lines)

    outcomes = over_all(_everywhere(), one)
    asked.answer([_outcome_as_dict(outcome) for outcome in outcomes], _outcome_lines(outcomes))
    failed = [outcome for outcome in outcomes if outcome.failed]
    for outcome in failed:
        click.echo(f"dream: {outcome.found.root}: {shown(outcome.error)}", err=True)
    if failed:
        raise SystemExit(SomeFailed.exit_code)


def _outcome_as_dict(outcome: WorkspaceOutcome[tuple[Any, Any]]) -> dict[str, Any]:
    about = {"workspace": str(outcome.found.root), "label": outcome.found.label, "source": outcome.found.source}
    if outcome.value is None:
        return about | {"error": outcome.kind, "message": shown(outcome.error), "exit_code": outcome.exit_code}
    return about | {"result": outcome.value[0]}


def _outcome_lines(outcomes: Sequence[WorkspaceOutcome[tuple[Any, list[tuple[str, str]]]]]) -> Lines:
    for number, outcome in enumerate(outcomes):
        title = f"{outcome.found.label} — {outcome.found.root}"
        yield "path", f"\n{title}" if number else title
        if outcome.value is None:
            yield "cut", f"⚠ {outcome.kind}"
        else:
            yield from outcome.value[1]
    if not outcomes:
        yield "plain", say("cli.workspaces.none_for_all")
