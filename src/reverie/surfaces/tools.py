"""`dream-tools`: the fourteen flags of seed 000's script, drop-in. One flag a call, its answer on one line or a few."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path

from reverie.core.errors import BadInput, ReverieError
from reverie.core.ports import Clock, SystemClock, fixed
from reverie.surfaces.configure import find_workspace
from reverie.workspace.values import Workspace

USAGE = """usage: dream-tools FLAG [ARGUMENT …]

  --check-idle                                      idle | busy
  --check-size                                      SIZE 16000 18000 ok|warn|critical
  --hash CONTENT                                    eight hex digits
  --atomic-write TARGET TMPFILE                     ok
  --ledger-append ID CATEGORY CONTENT [NOTE]        ok
  --ledger-search KEYWORD                           [ID] DAY [CATEGORY] CONTENT, a line each
  --ledger-mark-reemergence ID                      ok
  --record-removed ID SUMMARY HASH                  ok
  --check-reemergence CONTENT                       matched ID SUMMARY | no-match
  --dedup-index URL|TITLE|HASH                      exists | new
  --active-days-since DAY                           a number
  --record-active-day                               ok
  --init                                            ok
  --status                                          the lines of `dream status`

Works on OPENCLAW_WORKSPACE and DREAM_VAULT_PATH as `dream` does; an error is one sentence and `dream`'s exit code.
"""


@dataclass(frozen=True, slots=True)
class Tool:
    """One flag: how many arguments it takes, and what it prints."""

    least: int
    most: int
    run: Callable[[Workspace, Clock, Sequence[str]], str]


def main(argv: Sequence[str] | None = None) -> None:
    """The console script."""
    args = list(sys.argv[1:] if argv is None else argv)
    if not args or args[0] in ("-h", "--help"):
        _say(USAGE.rstrip("\n"))
        raise SystemExit(0 if args else 2)
    tool = TOOLS.get(args[0])
    if tool is None or not tool.least <= len(args) - 1 <= tool.most:
        said = (
            f"{args[0]!r} is no flag of this tool" if tool is None else f"{args[0]} takes another number of arguments"
        )
        _say(f"dream-tools: {said}. `dream-tools --help` lists them.", err=True)
        raise SystemExit(2)
    try:
        workspace = find_workspace(None, os.environ, Path.cwd())
        said = tool.run(workspace, _clock(workspace.settings.timezone), args[1:])
    except ReverieError as error:
        from reverie.privacy.redact import shown  # only for the rare case: its tables take a moment to load

        _say(f"dream-tools: {shown(str(error))}", err=True)
        raise SystemExit(error.exit_code) from None
    if said:
        _say(said)


def _clock(zone: str) -> Clock:
    moment = os.environ.get("REVERIE_NOW")
    if not moment:
        return SystemClock(zone)
    from zoneinfo import ZoneInfo

    try:
        clock = fixed(moment.strip(), ZoneInfo(zone) if zone else None)
        clock.now().astimezone(UTC)
        return clock
    except (ValueError, OverflowError):
        raise BadInput(f"REVERIE_NOW is {moment!r}, which is not a moment such as 2026-11-15T03:00:00+01:00.") from None


def _idle(workspace: Workspace, clock: Clock, _args: Sequence[str]) -> str:
    from reverie.features.schedule.schedule import idle_of

    return "busy" if idle_of(workspace.settings, clock, os.environ).busy() else "idle"


def _hash(_workspace: Workspace, _clock: Clock, args: Sequence[str]) -> str:
    from reverie.workspace.values import short_id

    return short_id(args[0])


def _init(workspace: Workspace, clock: Clock, _args: Sequence[str]) -> str:
    from reverie.night import commands

    commands.init(workspace, clock, {})
    return "ok"


def _status(workspace: Workspace, clock: Clock, _args: Sequence[str]) -> str:
    from reverie.features.status import as_lines, glance
    from reverie.lang.messages import speaking

    with speaking("en"):  # scripts read it
        return "\n".join(as_lines(glance(workspace.root, workspace.vault, workspace.settings, clock.now())))


def _search(workspace: Workspace, _clock: Clock, args: Sequence[str]) -> str:
    from reverie.features.tools import ledger_search
    from reverie.privacy.redact import shown

    return "\n".join(
        f"[{one.id}] {one.archived[:10]} [{one.category}] {shown(' '.join(' '.join(one.content).split()))}"
        for one in ledger_search(workspace, args[0])
    )


def _tool(name: str, *, timed: bool = True) -> Callable[[Workspace, Clock, Sequence[str]], str]:
    """A step of `tooling`, loaded when it is called."""

    def run(workspace: Workspace, clock: Clock, args: Sequence[str]) -> str:
        from importlib import import_module

        step = getattr(import_module("reverie.features.tools"), name)
        return str(step(workspace, clock, *args) if timed else step(workspace, *args))

    return run


def _atomic(workspace: Workspace, clock: Clock, args: Sequence[str]) -> str:
    from reverie.features.tools import atomic_write

    return atomic_write(workspace, clock, args[0], Path(args[1]))


def _say(text: str, *, err: bool = False) -> None:
    stream = sys.stderr if err else sys.stdout
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
    stream.write(f"{text}\n")


TOOLS = {
    "--check-idle": Tool(0, 0, _idle),
    "--check-size": Tool(0, 0, _tool("check_size", timed=False)),
    "--hash": Tool(1, 1, _hash),
    "--atomic-write": Tool(2, 2, _atomic),
    "--ledger-append": Tool(3, 4, _tool("ledger_append")),
    "--ledger-search": Tool(1, 1, _search),
    "--ledger-mark-reemergence": Tool(1, 1, _tool("mark_reemergence")),
    "--record-removed": Tool(3, 3, _tool("record_removed")),
    "--check-reemergence": Tool(1, 1, _tool("check_reemergence", timed=False)),
    "--dedup-index": Tool(1, 1, _tool("dedup_index", timed=False)),
    "--active-days-since": Tool(1, 1, _tool("active_days_since", timed=False)),
    "--record-active-day": Tool(0, 0, _tool("record_active_day")),
    "--init": Tool(0, 0, _init),
    "--status": Tool(0, 0, _status),
}
