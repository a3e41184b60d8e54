"""The command `dream`: parse, call one function, show the value that it returns; `--json` prints that value whole."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple, NoReturn

from reverie.errors import ReverieError

Option = tuple[tuple[str, ...], dict[str, Any]]


class Command(NamedTuple):
    help: str
    options: tuple[Option, ...] = ()


def _flag(*names: str, help: str) -> Option:  # noqa: A002
    return names, {"action": "store_true", "help": help}


def _value(*names: str, help: str, **more: Any) -> Option:  # noqa: A002
    return names, {"help": help, **more}


_RUN = _value("run", nargs="?", default="", help="a run by its number, as `dream runs` lists it")
_WORDS = {"nargs": "+", "metavar": "WORD"}
_NIGHT = (
    _flag("--yes", help="also do what would wait for your word"),
    _flag("--again", help="ask anew what was declined or taken back"),
)
COMMANDS: dict[str, Command] = {
    "init": Command("make a memory here; asks five questions on a terminal", (
        *(_value(f"--{name}", help="an answer", default="") for name in ("tools", "environment", "project", "values", "people")),
    )),
    "review": Command("run one night: tidy memory, archive what leaves, say why", (
        _flag("--dry-run", help="show what a night would change; writes nothing"), *_NIGHT,
    )),
    "plan": Command("show what a night would change; writes nothing", _NIGHT),
    "undo": Command("take back the last run, a run, one decision, or all since a day", (
        _RUN,
        _value("--only", default="", metavar="ID", help="one decision of the run"),
        _value("--to", default="", metavar="DAY", help="everything since the beginning of a day"),
    )),
    "runs": Command("list what happened", (_RUN, _value("--since", default="", metavar="DAY", help="only from this day on"))),
    "why": Command("tell the story of a line; for a text that is not there, why not", (
        _value("text", help="words of the line, a place like MEMORY.md:4, or an id", **_WORDS),
    )),
    "inbox": Command("answer what waits for your word", (
        *(_value(f"--{name}", nargs="+", default=[], metavar="ID", help=f"answer {name}") for name in ("yes", "no", "later")),
    )),
    "show": Command("print what memory says"),
    "note": Command("write a line into today's note; decisions, corrections and new projects into memory at once", (
        _value("text", help="the words; - reads them from standard input", **_WORDS),
        _value("--kind", default="", choices=("decision", "correction", "project"), help="what it is"),
        _value("--as", dest="speaker", default="", choices=("agent",), help="an agent says it, not its owner"),
    )),
    "forget": Command("take lines out of memory and notes", (
        _value("text", help="words that stand in the lines, or FILE:LINE", **_WORDS),
        _flag("--dry-run", help="show what would go"),
        _flag("--forever", help="no later note may bring it back"),
        _flag("--purge", help="erase it everywhere, the archive included; cannot be undone"),
        _flag("--yes", help="do not ask"),
    )),
    "status": Command("say how things stand"),
    "brief": Command("print what the next night has to decide on, for your agent to judge"),
    "answer": Command("hand in your agent's answer to the brief", (
        _value("file", help="the file with the answer; - is standard input"),
        _flag("--dry-run", help="show what it would change"),
    )),
}  # fmt: skip


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        sys.stderr.write(f"dream: {message}. `{self.prog} --help` shows how.\n")
        raise SystemExit(2)


def main(words: Sequence[str] | None = None) -> NoReturn:
    """Run a command; every error is one sentence and an exit code."""
    words = sys.argv[1:] if words is None else list(words)
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")
    options = _parsed(words)
    try:
        code = _run(options)
        sys.stdout.flush()
    except ReverieError as error:
        code = _fail(str(error), type(error).__name__, error.exit_code, options)
    except BrokenPipeError:  # a reader that left, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        code = _fail(
            f"{error.filename or 'A file'}: {error.strerror}. Nothing was changed.", "WriteFailed", 16, options
        )
    except KeyboardInterrupt:
        code = _fail("Stopped. Nothing was changed.", "Interrupted", 130, options)
    raise SystemExit(code)


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    """The options of a command. Only the command that is named gets its arguments: the others would cost time."""
    named = next((word for word in words if word in COMMANDS), "")
    parser = _Parser("dream", description="A night's sleep for an agent's Markdown memory.")
    _common(parser, "")
    parsers = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    for name, command in COMMANDS.items():
        child = parsers.add_parser(name, help=command.help, description=command.help)
        if name == named:
            for names, more in command.options:
                child.add_argument(*names, **more)
            _common(child, argparse.SUPPRESS)
    return parser.parse_args(words)


def _common(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument("-w", "--workspace", default=default, metavar="PATH", help="the folder with MEMORY.md")
    parser.add_argument("--now", default=default, metavar="ISO", help="the time it is, as 2026-11-15T03:00")
    as_json = default if default else False
    parser.add_argument(
        "--json", dest="as_json", action="store_true", default=as_json, help="print the whole value as JSON"
    )


def _run(options: argparse.Namespace) -> int:
    options.time = _time(options.now)
    name = options.command or "next_steps"
    if name == "status":
        from reverie.surfaces import glance as module
    else:
        from reverie.surfaces import commands as module  # type: ignore[no-redef]
    function: Callable[[argparse.Namespace], int | None] = getattr(module, name)
    return function(options) or 0


def _time(text: str) -> datetime:
    text = text or os.environ.get("REVERIE_NOW", "")
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None) if text else datetime.now()
    except ValueError:
        raise ReverieError(f"{text!r} is no time. Write it as 2026-11-15T03:00.") from None


def _fail(message: str, kind: str, code: int, options: argparse.Namespace) -> int:
    if options.as_json:
        import json

        print(json.dumps({"error": kind, "message": message, "exit_code": code}))
    sys.stderr.write(f"dream: {message}\n")
    return code
