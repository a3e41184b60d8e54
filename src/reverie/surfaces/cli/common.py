"""What all commands share: the four options, how errors are shown, how values become JSON."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any, TypeVar

import click

from reverie.core.errors import BadInput, ReverieError
from reverie.core.ports import Clock, SystemClock, fixed
from reverie.surfaces.configure import find_workspace
from reverie.workspace.values import Workspace

F = TypeVar("F", bound=Callable[..., Any])
COLOURS = {"add": "green", "cut": "red", "why": "cyan", "path": "bright_white"}


@dataclass(frozen=True, slots=True)
class Asked:
    """How a command was called: where, when, and how to answer."""

    where: str | None
    now: str | None
    json: bool
    quiet: bool

    def workspace(self) -> Workspace:
        return find_workspace(self.where, os.environ, Path.cwd())

    def clock(self, zone: str = "") -> Clock:
        """The machine's clock in the owner's zone, or one stopped at --now."""
        moment = self.now or os.environ.get("REVERIE_NOW")
        if not moment:
            return SystemClock(zone)
        from zoneinfo import ZoneInfo

        try:
            clock = fixed(moment.strip(), ZoneInfo(zone) if zone else None)
            clock.now().astimezone(UTC)  # a moment at the very edge of the calendar cannot be told everywhere
            return clock
        except (ValueError, OverflowError):
            raise BadInput(f"--now is {moment!r}, which is not a moment such as 2026-11-15T03:00:00+01:00.") from None

    def answer(self, value: Any, lines: Iterable[tuple[str, str]]) -> None:
        """Print the value as JSON, or the lines for people, or nothing."""
        if self.json:
            click.echo(json.dumps(value, ensure_ascii=True, indent=2))
        elif not self.quiet:
            for role, line in lines:
                click.secho(line, fg=COLOURS.get(role), bold=role == "path" or None)

    def progress(self) -> Callable[[int], None] | None:
        """A counter on a terminal; silence in a pipe."""
        if self.json or self.quiet or not sys.stderr.isatty():
            return None

        def show(count: int) -> None:
            if count % 50 == 0:
                click.echo(f"\r\033[KReading … {count:,} files\r", nl=False, err=True)

        return show


def command(function: F, kind: type[click.Command] = click.Command) -> click.Command:
    """Turn a function of (Asked, …) into a command with the four options and the error handling."""
    options = (
        click.option("--workspace", "where", metavar="PATH", help="The folder of Markdown to work on."),
        click.option("--now", metavar="ISO", help="Dream as of another moment (also REVERIE_NOW)."),
        click.option("--json", "as_json", is_flag=True, help="Print the result as JSON."),
        click.option("--quiet", is_flag=True, help="Print nothing but errors."),
    )

    @functools.wraps(function)
    def run(where: str | None, now: str | None, *, as_json: bool, quiet: bool, **rest: Any) -> None:
        try:
            function(Asked(where, now, as_json, quiet), **rest)
        except ReverieError as error:
            _fail(error, as_json=as_json)

    for option in reversed(options):
        run = option(run)
    name = function.__name__.removesuffix("_command")
    return click.command(name=name, cls=kind, help=function.__doc__)(run)


def _fail(error: ReverieError, *, as_json: bool) -> None:
    from reverie.privacy.redact import shown  # only for the rare case: its tables take a moment to load

    said = shown(str(error))
    if as_json:
        click.echo(json.dumps({"error": type(error).__name__, "message": said, "exit_code": error.exit_code}, indent=2))
    click.echo(f"dream: {said}", err=True)
    raise SystemExit(error.exit_code)
