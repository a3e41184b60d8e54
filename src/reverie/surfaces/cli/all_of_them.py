"""`--all`: one command over every workspace of this machine. The exit code says when one of them failed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

import click

from reverie.core.errors import SomeFailed
from reverie.night.workspaces import Found, Outcome, discover, over_all
from reverie.surfaces.cli.common import Asked
from reverie.surfaces.configure import configured, owners_settings
from reverie.workspace.values import Workspace

Told = tuple[Any, Iterable[tuple[str, str]]]  # the value for programs, the lines for people


def everywhere() -> tuple[Found, ...]:
    return discover(os.environ, owners_settings(os.environ))


def each(asked: Asked, do: Callable[[Workspace], Told]) -> None:
    """Do it to every workspace and tell all of it; ends with SomeFailed's exit code if one failed."""

    def one(found: Found) -> tuple[Any, list[tuple[str, str]]]:
        value, lines = do(configured(found.root, os.environ))
        return value, list(lines)

    outcomes = over_all(everywhere(), one)
    asked.answer([_as_dict(outcome) for outcome in outcomes], _lines(outcomes))
    if failed := [outcome for outcome in outcomes if outcome.failed]:
        from reverie.privacy.redact import shown  # only for the rare case: its tables take a moment to load

        for outcome in failed:
            click.echo(f"dream: {outcome.found.root}: {shown(outcome.error)}", err=True)
        raise SystemExit(SomeFailed.exit_code)


def _as_dict(outcome: Outcome[tuple[Any, Any]]) -> dict[str, Any]:
    about = {"workspace": str(outcome.found.root), "label": outcome.found.label, "source": outcome.found.source}
    if outcome.value is None:
        from reverie.privacy.redact import shown

        error = {"error": outcome.kind, "message": shown(outcome.error), "exit_code": outcome.exit_code}
        return about | error
    return about | {"result": outcome.value[0]}


def _lines(outcomes: Iterable[Outcome[tuple[Any, list[tuple[str, str]]]]]) -> Iterable[tuple[str, str]]:
    none = True
    for outcome in outcomes:
        yield "path", f"{'' if none else chr(10)}{outcome.found.label} — {outcome.found.root}"
        none = False
        if outcome.value is None:
            yield "cut", f"⚠ {outcome.kind}"
        else:
            yield from outcome.value[1]
    if none:
        yield "plain", "No workspace was found. `dream workspaces` tells where it looks."
