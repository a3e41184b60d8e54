"""The command `dream`: parse, call one function, show the value that it returns; `--json` prints that value whole.
Exit codes: 0, those of `reverie.errors` from 10 on, 2 for words that no command has, 70 for a bug, 130 for Ctrl-C."""

import argparse
import gc
import json
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NoReturn

from reverie.errors import ReverieError
from reverie.text.clock import moment


def _option(*names: str, help: str, **more: Any) -> Any:  # noqa: A002
    return names, {"help": help, **({} if more else {"action": "store_true"}), **more}


_RUN = _option("run", nargs="?", default="", help="a run by its number, as `dream runs` lists it")
_DRY_RUN = _option("--dry-run", help="show what would change; writes nothing")
_YES = _option("--yes", help="also do what would wait for your word")
_AGAIN = _option("--again", help="ask anew what was declined or taken back")
_MODEL = _option(
    "--model", default="", metavar="KIND:NAME", help="who judges: none, auto, claude, openai:NAME, ollama:NAME, …"
)
_APPLY = _option("--apply", help="do it; otherwise it is only shown")
_HOMES = {
    **dict.fromkeys(("search", "reindex", "recall"), "find"),
    **dict.fromkeys(("connect", "doctor", "uninstall"), "hosts"),
    "fleet": "fleet",
    **dict.fromkeys(("palace", "sublimate", "classify", "refine", "session", "project"), "views"),
    "serve": "page.serve",
    **dict.fromkeys(("due", "on", "off", "wakeup", "schedule"), "schedule"),
}
COMMANDS: dict[str, tuple[Any, ...]] = {
    "init": ("make a memory here; asks five questions on a terminal",
        *(_option(f"--{name}", default="", help="an answer") for name in ("tools", "environment", "project", "values", "people"))),
    "review": ("run one night: tidy memory, archive what leaves, say why", _DRY_RUN, _YES, _AGAIN, _MODEL,
        _option("--estimate", help="say what a night with a model would send; asks nobody"),
        _option("--scheduled", help="only if a night is due and the agent rests; silent; --workspace may be given several times")),
    "plan": ("show what a night would change; writes nothing", _YES, _AGAIN, _MODEL),
    "undo": ("take back the last run, a run, one decision, or all since a day", _RUN,
        _option("--only", default="", metavar="ID", help="one decision of the run"),
        _option("--to", default="", metavar="DAY", help="everything since the beginning of a day")),
    "runs": ("list what happened", _RUN, _option("--since", default="", metavar="DAY", help="only from this day on")),
    "why": ("tell the story of a line; for a text that is not there, why not",
        _option("text", nargs="+", metavar="WORD", help="words of the line, a place like MEMORY.md:4, or an id")),
    "inbox": ("answer what waits for your word",
        *(_option(f"--{name}", nargs="+", default=[], metavar="ID", help=f"answer {name}") for name in ("yes", "no", "later"))),
    "show": ("print what memory says",),
    "note": ("write a line into today's note; decisions, corrections and new projects into memory at once",
        _option("text", nargs="+", metavar="WORD", help="the words; - reads them from standard input"),
        _option("--kind", default="", choices=("decision", "correction", "project"), help="what it is"),
        _option("--as", dest="speaker", default="", choices=("agent",), help="an agent says it, not its owner")),
    "index": ("add a page, a link or a text to the content index",
        _option("content", nargs="+", metavar="CONTENT", help="the words, a link, a file; - is standard input"),
        *(_option(f"--{name}", default="", help=f"its {name}, where the content does not say it") for name in ("title", "url", "source", "summary")),
        _option("--date", default="", metavar="DAY", help="its day; else today"),
        _option("--topics", nargs="+", default=[], metavar="TOPIC", help="at most five")),
    "forget": ("take lines out of memory and notes", _DRY_RUN,
        _option("text", nargs="+", metavar="WORD", help="words that stand in the lines, or FILE:LINE"),
        _option("--forever", help="no later note may bring it back"),
        _option("--purge", help="erase it everywhere, the archive included; cannot be undone"),
        _option("--yes", help="do not ask")),
    "search": ("find what memory, archive, content index and notes say about something",
        _option("text", nargs="+", metavar="WORD", help="a question, or some words of the lines"),
        _option("--limit", type=int, default=10, metavar="N", help="so many lines at most"),
        _option("--days", type=int, default=0, metavar="N", help="only what was written in the last N days"),
        _option("--where", default="", choices=("memory", "archive", "index", "notes"), help="only there"),
        _option("--rebuild", help="make the index anew")),
    "recall": ("what an agent should remember before it answers a message; nothing, where nothing fits",
        _option("text", nargs="+", metavar="WORD", help="the message; - reads it from standard input"),
        _option("--style", default="", metavar="STYLE", help="strict, balanced, contextual, recall-heavy, precision-heavy or preference-only")),
    "palace": ("make views of memory: by time, project, technique, and your own",),
    "sublimate": ("show pages that what memory has enough of would make; --apply makes them", _APPLY),
    "classify": ("sort memory into files: user, feedback, project, reference", _APPLY,
        _option("--kind", nargs="+", default=[], metavar="PLACE=TYPE", help="the type of a line, as MEMORY.md:4=user"),
        _option("--user", help="what is about you goes into USER.md")),
    "refine": ("look again at what the last nights wrote",),
    "session": ("what an agent reads first; what of a conversation is written down",
        _option("what", choices=("start", "end"), help="begin or end a conversation"),
        _option("--summary", default="", metavar="TEXT", help="of the conversation; - or nothing reads standard input")),
    "project": ("show memory in a file of another host, as AGENTS.md",
        _option("file", nargs="?", default="", metavar="FILE", help="without one: bring all up to date"),
        _option("--budget", default="", metavar="N", help="characters that the file may get"),
        _option("--remove", help="take it out again")),
    "connect": ("put Reverie into a host's settings: shows every line, asks, and takes it out again", _DRY_RUN,
        _option("host", nargs="?", default="", metavar="HOST", help="claude-code, openclaw, codex, gemini, cursor, opencode or hermes"),
        _option("--project", help="only for the present folder"),
        _option("--remove", help="take out what was added"),
        _option("--yes", help="do not ask")),
    "doctor": ("five questions: is it connected, does it run, when next, did it do anything, what needs you",),
    "uninstall": ("take away all that is ours on this machine; memory, notes and archive stay", _DRY_RUN,
        _option("--yes", help="do not ask")),
    "mcp": ("serve any agent as an MCP server on standard input and output; needs the extra mcp",),
    "serve": ("show memory, inbox and nights as a page in your browser, on this machine alone; needs the extra web",
        _option("--port", default="0", metavar="N", help="else any that is free"), _MODEL,
        _option("--open", help="open the browser, also where this is no terminal")),
    "hook": ("answer a host's hook; reads its JSON from standard input, and never breaks the host",
        _option("host", metavar="HOST", help="claude-code, codex, gemini, cursor or hermes")),
    "fleet": ("many workspaces on PostgreSQL; needs the extra fleet",
        _option("what", choices=("init", "add", "remove", "worker", "status", "pause", "drain", "tenant", "provider"), help="what to do"),
        _option("words", nargs="*", metavar="WORD", help="add NAME PLACE, remove NAME, pause NAME, tenant NAME MODEL NIGHT_COST MONTH_COST, provider NAME NIGHTS_PER_MINUTE"),
        _option("--tenant", default="", metavar="NAME", help="whose workspace it is"),
        _option("--priority", type=int, default=0, metavar="N", help="the higher first"),
        _option("--jitter", type=int, default=0, metavar="SECONDS", help="over which nights of one hour spread"),
        _option("--concurrency", type=int, default=os.cpu_count() or 1, metavar="N", help="nights at a time"),
        _option("--scratch", default="", metavar="FOLDER", help="for copies of object stores"),
        _option("--secrets", default="", metavar="FOLDER", help="with TENANT.env, for nights of that tenant alone"),
        _option("--listen", default="", metavar="HOST:PORT", help="a page, /health and /metrics"),
        _option("--once", help="stop when nothing is due")),
    "status": ("say how things stand",),
    "due": ("say whether a scheduled night would begin now, or why not and until when",),
    "on": ("let nights happen by themselves again",),
    "off": ("no night happens by itself until `dream on`",),
    "wakeup": ("say what was archived last, what memory holds, what is new; ends a hibernation",),
    "schedule": ("let this machine call the nights",
        _option("what", nargs="?", default="show", choices=("install", "show", "remove"), help="asks before it does anything"),
        _MODEL, _option("--kind", default="", choices=("systemd", "launchd", "cron", "windows", "openclaw"), help="else what is here"),
        _option("--yes", help="do not ask")),
    "brief": ("print what the next night has to decide on, for your agent to judge",),
    "answer": ("hand in your agent's answer to the brief", _DRY_RUN,
        _option("file", metavar="FILE", help="the file with the answer; - is standard input")),
}  # fmt: skip
_PATH = _option("--path", default="", help="old notes: a file or a folder")
RECALLED: dict[str, tuple[Any, ...]] = {
    "promote": ("list what was recalled often enough to last", _option("--apply", help="let it enter memory now"),
        _option("--include-promoted", help="also list what is in memory"), _option("--limit", type=int, default=None, help="lines that enter"),
        *(_option(f"--min-{name}", type=float, default=None, help="a gate; else as the profile has it") for name in ("score", "recall-count", "unique-queries"))),
    "promote-explain": ("say why a line would be promoted or not", _option("text", nargs="+", metavar="TEXT", help="its words, place or key")),
    "rem-harness": ("preview themes, truths and candidates; writes nothing", _PATH, _option("--grounded", help="also what old notes say that should last")),
    "rem-backfill": ("what old notes say that should last, into DREAMS.md", _PATH, _option("--stage-short-term", help="also count it as recalled"),
        _option("--rollback", help="take the entries back"), _option("--rollback-short-term", help="take back what was staged")),
    "dreaming": ("whether nights happen by themselves, as OpenClaw's /dreaming says it",
        _option("word", nargs="?", default="status", choices=("status", "on", "off", "help"), help="ask, switch, or list these words")),
    "reindex": ("read every file for the search anew", _option("--force", help="as OpenClaw spells it; it is always done")),
    "memory-status": ("what was recalled, in figures; `memory NAME` is OpenClaw's spelling of these five and of `dream`", _option("--deep", help="gates and phases, too")),
}  # fmt: skip
COMMANDS |= RECALLED
# Where OpenClaw's name below `memory` is not ours.
_SPELLED = {"dream": "review", "status": "memory-status", "index": "reindex"}


class _Parser(argparse.ArgumentParser):
    def _get_formatter(self) -> argparse.HelpFormatter:  # asked for a width of its own it would load shutil
        return argparse.HelpFormatter(self.prog, width=int(os.environ.get("COLUMNS") or 100))

    def error(self, message: str) -> NoReturn:
        sys.stderr.write(f"dream: {message}. `{self.prog} --help` shows how.\n")
        raise SystemExit(2)


def main(words: Sequence[str] | None = None) -> NoReturn:
    """Run a command; every error is one sentence and an exit code."""
    gc.set_threshold(100_000, 50, 50)  # a command is short: looking for cycles would be a tenth of what it costs
    words, named = _spelled(list(sys.argv[1:] if words is None else words))
    if named == "hook":
        from reverie.surfaces.hook import hook

        hook([*words[(at := words.index("hook")) + 1 :], *words[:at]])
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")
    if words == ["--version"]:
        from importlib.metadata import version

        raise SystemExit(print(f"dream {version('reverie-dream')}"))
    if named and named not in COMMANDS:
        from difflib import get_close_matches

        near = get_close_matches(named, COMMANDS, 1)
        hint = f" Did you mean `{near[0]}`?" if near else " `dream --help` lists them."
        sys.stderr.write(f"dream: {named!r} is no command.{hint}\n")
        raise SystemExit(2)
    parser = _Parser("dream", description="A night's sleep for an agent's Markdown memory.")
    _add_common(parser, default="", as_json=False)
    parsers = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser, prog="dream")
    for name in [named] if named in COMMANDS else COMMANDS:  # each parser costs time
        about, *details = COMMANDS[name]
        child = parsers.add_parser(name, help=about, description=about)
        if name == named:
            for names, more in details:
                child.add_argument(*names, **more)
            _add_common(child, default=argparse.SUPPRESS, as_json=argparse.SUPPRESS)
    options = parser.parse_args(words)
    raise SystemExit(guarded(lambda: _run(options), options))


def _run(options: argparse.Namespace) -> None:
    options.workspaces = options.workspace
    options.workspace = options.workspaces[-1] if options.workspaces else ""
    options.time = moment(options.now)
    quick = print_status if options.command in ("status", None) else None
    home = _HOMES.get(options.command, "memory" if options.command in RECALLED else "commands")
    home = "schedule" if getattr(options, "scheduled", False) else home
    name = str(options.command).replace("-", "_")
    (quick or getattr(import_module(f"reverie.surfaces.{home}"), name))(options)
    sys.stdout.flush()


def guarded(command: Callable[[], object], options: argparse.Namespace) -> int:
    """The exit code of a command; every error is one sentence."""
    code = 0
    try:
        command()
    except ReverieError as error:
        code = _fail(str(error), type(error).__name__, error.exit_code, options)
    except BrokenPipeError:  # a reader that left, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        code = _fail(f"{error.filename or 'A file'}: {error.strerror}.", "WriteFailed", 16, options)
    except KeyboardInterrupt:
        code = _fail("Stopped. What was decided by then is finished by the next command.", "Interrupted", 130, options)
    except Exception as error:  # noqa: BLE001
        import traceback

        last = traceback.extract_tb(error.__traceback__)[-1]  # what the error says may hold words of the workspace
        where = f"{type(error).__name__} in {os.path.basename(last.filename)}:{last.lineno}"
        code = _fail(f"This is a bug: {where}. Please report this line.", "Bug", 70, options)
    return code


def _spelled(words: list[str]) -> tuple[list[str], str]:
    """The words and the command they name: options may stand before it, and `memory NAME` is the command NAME."""
    valued = {"-w", "--workspace", "--now"}
    at = next(
        (n for n, word in enumerate(words) if word[:1] != "-" and (not n or words[n - 1] not in valued)), len(words)
    )
    if words[at : at + 1] == ["memory"] and (verb := "".join(words[at + 1 : at + 2])) in {*COMMANDS, *_SPELLED}:
        words = [*words[:at], _SPELLED.get(verb, verb), *words[at + 2 :]]
    return words, "" if {"-h", "--help"} & {*words[:at]} else "".join(words[at : at + 1])


def _add_common(parser: argparse.ArgumentParser, *, default: str, as_json: str | bool) -> None:
    where = "the folder with MEMORY.md"
    parser.add_argument("-w", "--workspace", action="append", default=default or [], metavar="PATH", help=where)
    parser.add_argument("--now", default=default, metavar="ISO", help="the time it is, as 2026-11-15T03:00")
    parser.add_argument("--json", dest="as_json", action="store_true", default=as_json, help="print the value as JSON")


def print_status(options: argparse.Namespace) -> None:
    """The lines of seed 000, and what to do next. It stands here because it must be quick."""
    from reverie.features.status import status
    from reverie.workspace.layout import open_workspace

    found = status(open_workspace(options.workspace), options.time)
    if options.as_json:
        return print(json.dumps(found._asdict(), indent=1, default=str))
    share, last = 100 * found.characters // max(1, found.limit), "never"
    if found.last_night:
        hours = int((found.now - found.last_night).total_seconds() // 3600)
        last = f"{found.last_night:%Y-%m-%d %H:%M} ({hours} hours ago)"
    warning = ""
    if share >= 85:
        full = "over its limit" if share > 100 else "nearly full"
        warning = f"Warning: MEMORY.md is {full}; beyond {found.limit:,} characters its host may cut it.\n"
    if found.lines >= 0.9 * found.most_lines:  # seed 001
        warning += f"Warning: MEMORY.md has {found.lines} of at most {found.most_lines} lines.\n"
    left_alone = "".join(f"Left alone: {path} ({why})\n" for path, why in found.unread.items())
    size = f"{found.characters:,} chars / {found.limit:,} limit ({share}%), {found.lines} lines"
    print(f"""🌙 Dream Status — {found.now:%Y-%m-%d %H:%M}
MEMORY.md: {"not read" if "MEMORY.md" in found.unread else size}
Permanent archive: {found.archived} records
Last distillation: {last}
System state: {found.state}
Obsidian index: {found.indexed} entries
Pending journals: {found.pending_notes} files
Inbox: {found.inbox} cards
{warning}{left_alone}{found.next_step}""")


def _fail(message: str, kind: str, code: int, options: argparse.Namespace) -> int:
    from reverie.surfaces.show import safe

    message = safe(message).replace("\n", " ")
    if options.as_json:
        print(json.dumps({"error": kind, "message": message, "exit_code": code}))
    sys.stderr.write(f"dream: {message}\n")
    return code
