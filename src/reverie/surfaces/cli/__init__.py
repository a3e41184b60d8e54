"""The command `dream`. A file per command, loaded only when it is called, so that help and status stay quick."""

from __future__ import annotations

import sys

import click

COMMANDS = {
    "review": "The night: tidy MEMORY.md, archive what leaves, write down why.",
    "plan": "Show what a night would change, and why. Writes nothing.",
    "apply": "Apply a plan that was saved with `dream plan --json`.",
    "undo": "Take a run back, byte for byte.",
    "runs": "List what happened.",
    "why": "Tell the story of a line, by its id or its words.",
    "why-not": "Say why a text is not in memory.",
    "promote": "Rank what was recalled and repeated, and show what may enter MEMORY.md.",
    "promote-explain": "Explain a candidate: every component, weight, gate and margin.",
    "rem-harness": "Preview REM: themes, possible lasting truths, what deep would weigh.",
    "rem-backfill": "Look back over old notes: entries for the diary, lines for the recall store.",
    "search": "Ask the memory: words and meaning, in any language.",
    "recall": "What memory knows about a message, before the reply to it.",
    "session": "Begin or end a conversation: what an agent should read, and the summary it leaves.",
    "note": "Write a statement into today's note, and into MEMORY.md if it must not wait.",
    "forget": "Take what a description means out of memory and notes.",
    "brief": "Print what the next night has to decide on, for an agent to judge.",
    "suggestions": "List what is likely and waits for a yes; answer yes, no or later.",
    "questions": "List what the nights could not settle.",
    "answer": "Answer a question of `dream questions`, or hand in an agent's answer to `dream brief`.",
    "classify": "Sort memories into user, feedback, project and reference, each a file of its own.",
    "palace": "Show the palace: views of the memory by time, project, technology and your own words.",
    "refine": "Look again at what the last dreams wrote: is it still said, does it still hold.",
    "sublimate": "Propose pages of knowledge: postmortems, a work-style guide, a playbook, the tracker.",
    "project": "Write this memory for other hosts, each within its own limits.",
    "index": "Put a link or a text into the content index.",
    "reindex": "Bring the search index up to date, or build it anew.",
    "schedule": "Let the machine call the scheduled night, or show what does.",
    "daemon": "Keep the schedule of every workspace, in one process that stays.",
    "serve": "Open the Dreams page in a browser of this machine.",
    "integrate": "Write into a host's settings what it needs to know about us, or take it away.",
    "hook": "Answer a hook of a host.",
    "mcp": "Serve the memory to programs that speak MCP.",
    "model": "Show the model that may lead, and what its exam said; or let it take the exam.",
    "status": "Six lines about the memory, at a glance.",
    "due": "Say whether it is time to dream.",
    "wakeup": "Wake up from hibernation: what was archived, what is remembered, what is new.",
    "doctor": "Say what is wrong, in plain words, and what mends it.",
    "workspaces": "List every workspace of this machine.",
    "on": "Let dreams happen by themselves again.",
    "off": "Let no dream happen by itself.",
    "init": "Create the vault and a first MEMORY.md.",
}
ALIASES = {"explain": "promote-explain"}


class _Lazy(click.Group):
    """Knows the commands by name and loads the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        name = ALIASES.get(name, name)
        if name not in COMMANDS:
            return None
        from importlib import import_module

        word = name.replace("-", "_")
        command = getattr(import_module(f"reverie.surfaces.cli.{word}_command"), word)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:  # fmt: skip
        if args and args[0] not in (*COMMANDS, *ALIASES) and not args[0].startswith("-"):
            import difflib
            from itertools import takewhile

            from reverie.surfaces.cli.asked_memory import asks_for_memory  # only for words that are no command

            words = list(takewhile(lambda word: not word.startswith("-"), args))
            if asks_for_memory(" ".join(words)):
                return super().resolve_command(ctx, ["wakeup", "--snapshot", *args[len(words) :]])
            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean `dream {near[0]}`?" if near else " `dream --help` lists them."
            raise click.UsageError(f"There is no command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="reverie", prog_name="dream")
def main() -> None:
    """Reverie gives an agent's Markdown memory a night's sleep.

    Works on --workspace PATH, else OPENCLAW_WORKSPACE, else the current folder if it looks like a workspace, else
    OpenClaw's default. Every command takes --json, --quiet and --now.
    """
    for stream in (
        sys.stdout,
        sys.stderr,
    ):  # notes may hold any bytes; a terminal that cannot show one must not stop us
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
