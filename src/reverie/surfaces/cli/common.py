"""What all commands share: the four options, help in the owner's language, how errors are shown, how values become JSON."""

from __future__ import annotations

import functools
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from reverie.core.errors import BadInput, ReverieError, WriteFailed
from reverie.core.ports import Clock
from reverie.lang.messages import say
from reverie.surfaces.cli import fill_in_help
from reverie.surfaces.configure import chosen_clock, find_workspace, present_folder

if TYPE_CHECKING:
    from reverie.workspace.values import Workspace

F = TypeVar("F", bound=Callable[..., Any])
Lines = Iterator[tuple[str, str]]  # what people read: a role, which gives the colour, and a line
_VAULT = "reverie.vault"  # in the context of the call: the path of the vault, as it can be opened
_IN_VAULT = re.compile(r"(?<![\w/:])vault:(?=(?:ledger|meta/|obsidian-index/))")  # our name for a file of the vault
_COLOURS = {"add": "green", "cut": "red", "why": "cyan"}  # a heading is bold, in whatever colour the terminal writes


@dataclass(frozen=True, slots=True)
class Asked:
    """How a command was called: where, when, and how to answer."""

    where: str | None
    now: str | None
    json: bool
    quiet: bool

    def workspace(self) -> Workspace:
        found = find_workspace(self.where, os.environ, present_folder())
        if call := click.get_current_context(silent=True):
            call.call_on_close(lambda: _keep_in_mind(found))
            inside = found.vault.is_relative_to(found.root) and found.home is None
            call.meta[_VAULT] = (found.vault.relative_to(found.root) if inside else found.vault).as_posix()
        return found

    def clock(self, zone: str = "") -> Clock:
        return chosen_clock(zone, self.now or os.environ.get("REVERIE_NOW"))

    def open(self) -> tuple[Workspace, Clock]:
        """The workspace that is meant, and the clock of its owner."""
        workspace = self.workspace()
        return workspace, self.clock(workspace.settings.timezone)

    def answer(self, value: Any, lines: Iterable[tuple[str, str]]) -> None:
        """Print the value as JSON, or the lines for people, or nothing."""
        if self.json:
            click.echo(json.dumps(value, ensure_ascii=True, indent=2))
        else:
            self.show(lines)

    def show(self, lines: Iterable[tuple[str, str]]) -> None:
        """The lines for people, if people look."""
        if not (self.json or self.quiet):
            print_lines(lines)

    def progress(self) -> Callable[[int], None] | None:
        """A counter on a terminal; silence in a pipe."""
        if self.json or self.quiet or not sys.stderr.isatty():
            return None

        def show(count: int) -> None:
            if count % 50 == 0:
                click.echo(f"\r\033[K{say('cli.reading', count=count)}\r", nl=False, err=True)

        return show


def _keep_in_mind(workspace: Workspace) -> None:
    """Know at the end of a command where something of ours lies now, so that `dream uninstall` finds it from anywhere."""
    from reverie.apply.folders import keep_in_mind
    from reverie.core.layout import STATE_DIR

    if workspace.home is None and ((workspace.root / STATE_DIR).is_dir() or workspace.vault.is_dir()):
        keep_in_mind(workspace.root, os.environ, nights=False)


def at_a_terminal() -> bool:
    """Whether a person sits there: what is said comes from a terminal and the answer goes to one.

    A program that calls us reads the answer, so its end is a pipe; one that holds a terminal of its own says `--as agent`.
    """
    return sys.stdin.isatty() and sys.stdout.isatty()


class Command(click.Command):
    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        fill_in_help(self, ctx, self.name or "")
        super().format_help(ctx, formatter)


def command(function: F, kind: type[Command] = Command) -> click.Command:
    """Turn a function of (Asked, …) into a command with the four options and the error handling."""
    options = (
        click.option("--workspace", "where", metavar="PATH"),
        click.option("--now", metavar="ISO"),
        click.option("--json", "as_json", is_flag=True),
        click.option("--quiet", is_flag=True),
    )

    @functools.wraps(function)
    def run(where: str | None, now: str | None, *, as_json: bool, quiet: bool, **rest: Any) -> None:
        try:
            function(Asked(where, now, as_json, quiet), **rest)
        except ReverieError as error:
            _fail(error, as_json=as_json)
        except OSError as error:
            if error.filename is None:  # a reader that went away, which click knows how to meet
                raise
            _fail(WriteFailed(say("errors.disk", path=error.filename, why=error.strerror)), as_json=as_json)

    for option in reversed(options):
        run = option(run)
    return click.command(name=function.__name__.removesuffix("_command"), cls=kind)(run)


def print_lines(lines: Iterable[tuple[str, str]]) -> None:
    for role, line in lines:
        line = line if role == "text" else _openable(line)
        click.secho(line, fg=_COLOURS.get(role), bold=role == "path" or None)


def _openable(line: str) -> str:
    """The line with every file of the vault named by a path that can be opened from the workspace."""
    call = click.get_current_context(silent=True)
    return _IN_VAULT.sub(f"{call.meta[_VAULT]}/", line) if call and _VAULT in call.meta else line


def run_lines(run: str | None, message: str = "cli.run") -> Lines:
    """That there was a run, and how to take it back."""
    if run:
        yield "plain", say(message, run=run)


def said_in(words: tuple[str, ...]) -> str:
    """The text of an argument; `-` alone means standard input."""
    return sys.stdin.read() if words == ("-",) else " ".join(words)


def person_answers() -> bool:
    return sys.stdin.isatty()


def confirm(*, yes: bool, question: str = "cli.write_this") -> None:
    """Ask before something is written, unless the answer was given."""
    if yes:
        return
    if not person_answers():
        raise BadInput(say("cli.nobody_to_ask"))
    if not click.confirm(say(question)):
        click.echo(say("cli.nothing_written"), err=True)
        raise SystemExit(1)


def _fail(error: ReverieError, *, as_json: bool) -> None:
    from reverie.privacy.redact import shown  # only for the rare case: its tables take a moment to load

    message = shown(str(error))
    if as_json:
        value = {"error": type(error).__name__, "message": message, "exit_code": error.exit_code}
        click.echo(json.dumps(value, indent=2))
    click.echo(f"dream: {_openable(message)}", err=True)
    raise SystemExit(error.exit_code)
