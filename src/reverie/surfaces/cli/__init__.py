"""The command `dream`. Commands stand in files by what they are about, loaded only when one is called, so that help stays quick."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING, Any, TextIO

import click

from reverie.lang.detect import language_of_environment
from reverie.lang.messages import say, speak

if TYPE_CHECKING:
    from pathlib import Path

    from click.shell_completion import CompletionItem

_PLACES = {  # each command with what people want it for and the module it stands in, in the order in which help lists them
    "init": "begin/memory",
    "integrate": "begin/hosts",
    "serve": "begin/servers",
    "completion": "begin/completion",
    "uninstall": "begin/uninstall",
    "review": "night/review",
    "plan": "night/nights",
    "apply": "night/nights",
    "undo": "night/nights",
    "runs": "night/nights",
    "changes": "night/nights",
    "why": "night/why",
    "why-not": "night/why",
    "suggestions": "night/suggestions",
    "questions": "night/agent",
    "answer": "night/agent",
    "search": "ask/search",
    "recall": "ask/search",
    "show": "ask/search",
    "wakeup": "ask/care",
    "note": "tell/memory",
    "pin": "tell/memory",
    "forget": "tell/memory",
    "index": "tell/search",
    "import": "tell/scopes",
    "share": "tell/scopes",
    "scrub": "tell/scrub",
    "snapshot": "tell/snapshots",
    "restore": "tell/snapshots",
    "seal": "tell/seal",
    "unseal": "tell/seal",
    "schedule": "when/schedule",
    "daemon": "when/schedule",
    "due": "when/care",
    "on": "when/care",
    "off": "when/care",
    "status": "well/status",
    "doctor": "well/care",
    "workspaces": "well/workspaces",
    "trial": "well/trial",
    "model": "well/model",
    "classify": "order/pages",
    "palace": "order/pages",
    "refine": "order/pages",
    "sublimate": "order/pages",
    "project": "order/pages",
    "reindex": "order/search",
    "session": "agents/memory",
    "brief": "agents/agent",
    "mcp": "agents/servers",
    "hook": "agents/hosts",
    "promote": "agents/openclaw",
    "promote-explain": "agents/openclaw",
    "rem-harness": "agents/openclaw",
    "rem-backfill": "agents/openclaw",
}
COMMANDS = {name: place.partition("/")[2] for name, place in _PLACES.items()}
ALIASES = {"explain": "promote-explain"}
_ALONE = {"overview": "overview"}  # what `dream` alone on a terminal means; no help lists it
_NEAR = 2  # commands that are named instead of one that there is not


_JSON = "reverie.json"  # in the context of the call: whether a program reads the answer
_EARLY = {
    "--workspace": 2,
    "--now": 2,
    "--json": 1,
    "--quiet": 1,
}  # options of all commands, and how many words each takes
_SHARED = ("where", "now", "as_json", "quiet", "help", "version")  # options that all commands have


def fill_in_help(command: click.Command, ctx: click.Context, name: str) -> None:
    """The help texts from the language files, when somebody reads them: `[say.help.NAME]`, and `[say.help.all]` for what is shared."""
    command.help = say(f"help.{name}.text")
    for param in command.get_params(ctx):
        if isinstance(param, click.Option):
            key = "help" if "--help" in param.opts else param.name
            param.help = say(f"help.{'all' if key in _SHARED else name}.{key}")


class _Commands(click.Group):
    """Knows the commands by name and loads the one that is called."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        speak(language_of_environment(os.environ))  # until a workspace is found; then its owner's language
        with _reader_may_leave():
            return super().make_context(info_name, args, parent, **extra)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and sys.stdin.isatty() and sys.stdout.isatty():
            args = [*_ALONE]
        early: list[str] = []
        while (
            args and args[0].partition("=")[0] in _EARLY
        ):  # `dream --workspace X status` means `dream status --workspace X`
            count = _EARLY[args[0].partition("=")[0]] if "=" not in args[0] else 1
            early += args[:count]
            args = args[count:]
        ctx.meta[_JSON] = "--json" in (*early, *args)
        return super().parse_args(ctx, [*args[:1], *early, *args[1:]])

    def invoke(self, ctx: click.Context) -> Any:
        with _reader_may_leave():
            try:
                return super().invoke(ctx)
            except click.UsageError as error:
                if ctx.meta.get(_JSON):
                    import json

                    value = {"error": "UsageError", "message": error.format_message(), "exit_code": error.exit_code}
                    click.echo(json.dumps(value, indent=2))
                raise

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The names of commands without loading one of them; options as click finds them."""
        if not incomplete.isascii() or incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        from click.shell_completion import CompletionItem

        return [CompletionItem(n, help=say(f"commands.{n}")) for n in COMMANDS if n.startswith(incomplete)]

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        name = ALIASES.get(name, name)
        module_name = COMMANDS.get(name) or _ALONE.get(name)
        if module_name is None:
            return None
        from importlib import import_module

        module = import_module(f"reverie.surfaces.cli.{module_name}")
        command = getattr(module, name.replace("-", "_"), None) or getattr(
            module, f"{name}_command"
        )  # `import` is Python's
        assert isinstance(command, click.Command)
        return command

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        fill_in_help(self, ctx, "dream")
        super().format_help(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        widest = max(map(len, COMMANDS))  # one column for all groups
        for group, places in groupby(_PLACES.items(), key=lambda item: item[1].partition("/")[0]):
            with formatter.section(say(f"help.groups.{group}")):
                formatter.write_dl([(f"{name:<{widest}}", say(f"commands.{name}")) for name, _ in places])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] == "help":  # what many other programs know
            args = [*args[1:2], "--help"]
        known = not args or args[0] in (*COMMANDS, *ALIASES, *_ALONE) or args[0].startswith("-")
        if not known and not ctx.resilient_parsing:
            from itertools import takewhile

            words = list(takewhile(lambda word: not word.startswith("-"), args))
            if asks_for_memory(" ".join(words)):
                return super().resolve_command(ctx, ["wakeup", "--snapshot", *args[len(words) :]])
            if asks_for_night(" ".join(words)):
                return super().resolve_command(ctx, ["review", *args[len(words) :]])
            near = say("cli.or").join(f"`dream {name}`" for name in meant_by(args[0]))
            hint = say("cli.did_you_mean", near=near) if near else say("cli.list_commands")
            if topic := done_elsewhere(args[0]):
                hint = say(f"elsewhere.{topic}")
            raise click.UsageError(say("cli.no_command", name=args[0], hint=hint))
        return super().resolve_command(ctx, args)


@contextmanager
def _reader_may_leave() -> Iterator[None]:
    """Whoever closed our end of the pipe (`| head -1`) has read enough; that is no error and nothing to talk about.

    Where what we print cannot be written for another reason (a full disk), one sentence says so.
    """
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        left = isinstance(error, BrokenPipeError)
        _print_nowhere(sys.stdout, *([sys.stderr] if left else []))
        if left:
            raise SystemExit(0) from None
        from reverie.core.errors import WriteFailed

        click.echo(f"dream: {say('errors.output', why=error.strerror)}", err=True)
        raise SystemExit(WriteFailed.exit_code) from None


def _print_nowhere(*streams: TextIO) -> None:
    """What is still to be flushed at the end goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        os.dup2(nowhere, stream.fileno())


def meant_by(word: str) -> list[str]:
    """The commands that a word which is none may mean: by what people call them elsewhere, else by its spelling."""
    import difflib

    from reverie.lang import LANGUAGES, table

    names: dict[str, list[str]] = {name: [name] for name in COMMANDS}
    for language in LANGUAGES:
        for name, others in table(language, "synonyms").items():
            for other in others:
                names.setdefault(other.casefold(), []).append(name)
    said = word.casefold()
    near = [said] if said in names else difflib.get_close_matches(said, names, n=1, cutoff=0.7)
    return list(dict.fromkeys(name for one in near for name in names[one]))[:_NEAR]


def done_elsewhere(word: str) -> str:
    """Of a word that is no command because no command is needed (`dream config`): what it is about."""
    from reverie.lang import LANGUAGES, table

    tables = (table(language, "elsewhere").items() for language in LANGUAGES)
    return next((topic for items in tables for topic, others in items if word.casefold() in others), "")


def asks_for_night(sentence: str) -> bool:
    """Whether somebody wants a night now, in the words of the seeds: "organize memory"."""
    from reverie.lang import words

    return sentence.casefold() in words("memory_requests.phrases")


def asks_for_memory(sentence: str) -> bool:
    """Whether somebody wants to hear all that is remembered: "what do you remember about me" (a trigger of seed 000).

    Whole sentences only. Anything more particular ("what do you remember about my bike") is a search.
    """
    import re
    import unicodedata

    from reverie.lang import words

    plain = unicodedata.normalize("NFKC", sentence).casefold().replace("\u2019", "'")
    plain = " ".join(plain.strip(" \t\r\n?!.\u3002\u00bf\u00a1,").split())
    return any(re.fullmatch(pattern, plain) for pattern in words("memory_questions.patterns"))


def version() -> str:
    """The version of the package, and the commit it was built of or is checked out at, where that is known."""
    from importlib.metadata import distributions
    from pathlib import Path

    number = next(
        (one.version for one in distributions(name="reverie-dream")), "0"
    )  # of a checkout that is not installed
    package = Path(__file__).parents[2]
    built = package / "_commit.txt"  # written by tools/release.py
    commit = built.read_text("utf-8").strip() if built.is_file() else _checked_out(package.parents[1])
    return f"{number} (commit {commit[:12]})" if commit else number


def _checked_out(root: Path) -> str:
    """The commit of a checkout of ours; nothing where it is none, or where there is no git."""
    if not (root / "pyproject.toml").is_file() or not (root / ".git").exists():
        return ""
    import subprocess

    from reverie.core.children import call, find_program

    git = find_program("git", os.environ)
    try:
        done = call([git, "-C", str(root), "rev-parse", "HEAD"], os.environ, 5.0) if git else None
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("ascii", "replace").strip() if done and done.returncode == 0 else ""


def _tell_version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:  # noqa: FBT001  as click calls it
    if wanted and not ctx.resilient_parsing:
        click.echo(f"dream, version {version()}")
        ctx.exit()


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_tell_version)
def main() -> None:
    for stream in (sys.stdout, sys.stderr):  # notes may hold any bytes; what a terminal cannot show must not stop us
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
