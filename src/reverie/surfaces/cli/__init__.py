"""The command `dream`. Commands stand in files by what they are about, loaded only when one is called, so that help stays quick."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from reverie.lang.detect import language_of_environment
from reverie.lang.messages import say, speak

COMMANDS = {  # each with the module it stands in, in the order in which help lists them
    "review": "review",
    "plan": "nights",
    "apply": "nights",
    "undo": "nights",
    "runs": "nights",
    "why": "why",
    "why-not": "why",
    "promote": "openclaw",
    "promote-explain": "openclaw",
    "rem-harness": "openclaw",
    "rem-backfill": "openclaw",
    "search": "search",
    "recall": "search",
    "session": "memory",
    "note": "memory",
    "pin": "memory",
    "forget": "memory",
    "scrub": "scrub",
    "brief": "agent",
    "suggestions": "suggestions",
    "questions": "agent",
    "answer": "agent",
    "classify": "pages",
    "palace": "pages",
    "refine": "pages",
    "sublimate": "pages",
    "project": "pages",
    "index": "search",
    "reindex": "search",
    "schedule": "schedule",
    "daemon": "schedule",
    "serve": "servers",
    "integrate": "hosts",
    "hook": "hosts",
    "mcp": "servers",
    "model": "model",
    "status": "status",
    "due": "care",
    "wakeup": "care",
    "doctor": "care",
    "workspaces": "workspaces",
    "on": "care",
    "off": "care",
    "init": "memory",
}
ALIASES = {"explain": "promote-explain"}


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
        return super().make_context(info_name, args, parent, **extra)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        name = ALIASES.get(name, name)
        if name not in COMMANDS:
            return None
        from importlib import import_module

        module = import_module(f"reverie.surfaces.cli.{COMMANDS[name]}")
        command = getattr(module, name.replace("-", "_"))
        assert isinstance(command, click.Command)
        return command

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        fill_in_help(self, ctx, "dream")
        super().format_help(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section(say("help.all.commands")):
            formatter.write_dl([(name, say(f"commands.{name}")) for name in COMMANDS])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in (*COMMANDS, *ALIASES) and not args[0].startswith("-"):
            import difflib
            from itertools import takewhile

            words = list(takewhile(lambda word: not word.startswith("-"), args))
            if asks_for_memory(" ".join(words)):
                return super().resolve_command(ctx, ["wakeup", "--snapshot", *args[len(words) :]])
            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = say("cli.did_you_mean", near=near[0]) if near else say("cli.list_commands")
            raise click.UsageError(say("cli.no_command", name=args[0], hint=hint))
        return super().resolve_command(ctx, args)


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


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="reverie-dream", prog_name="dream")
def main() -> None:
    for stream in (sys.stdout, sys.stderr):  # notes may hold any bytes; what a terminal cannot show must not stop us
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
