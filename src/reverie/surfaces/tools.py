"""`dream-tools`: the fourteen flags of seed 000's script, drop-in. One flag a call, its answer on one line or a few."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from reverie.core.errors import ReverieError
from reverie.core.ports import Clock
from reverie.lang.messages import say
from reverie.surfaces.configure import chosen_clock, find_workspace, present_folder
from reverie.workspace.values import Workspace

USAGE = """  --check-idle                                      idle | busy
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
"""
TOOLS = {  # each flag with the fewest and the most arguments it takes
    "--check-idle": (0, 0),
    "--check-size": (0, 0),
    "--hash": (1, 1),
    "--atomic-write": (2, 2),
    "--ledger-append": (3, 4),
    "--ledger-search": (1, 1),
    "--ledger-mark-reemergence": (1, 1),
    "--record-removed": (3, 3),
    "--check-reemergence": (1, 1),
    "--dedup-index": (1, 1),
    "--active-days-since": (1, 1),
    "--record-active-day": (0, 0),
    "--init": (0, 0),
    "--status": (0, 0),
}


def main(argv: Sequence[str] | None = None) -> None:
    """The console script."""
    flag, *args = list(sys.argv[1:] if argv is None else argv) or [""]
    if flag in ("", "-h", "--help"):
        _print(f"usage: dream-tools FLAG [ARGUMENT …]\n\n{USAGE}\n{say('cli.tools.usage')}")
        raise SystemExit(0 if flag else 2)
    least, most = TOOLS.get(flag, (0, -1))
    if not least <= len(args) <= most:
        _fail(say("cli.tools.wrong_count" if flag in TOOLS else "cli.tools.no_flag", flag=flag), 2)
    try:
        workspace = find_workspace(None, os.environ, present_folder())
        clock = chosen_clock(workspace.settings.timezone, os.environ.get("REVERIE_NOW"))
        answer = _light_answer(flag, workspace, clock, args)
        answer = _answer(flag, workspace, clock, args) if answer is None else answer
    except ReverieError as error:
        from reverie.privacy.redact import shown  # only for the rare case: its tables take a moment to load

        _fail(shown(str(error)), error.exit_code)
    if answer:
        _print(answer)


def _light_answer(flag: str, workspace: Workspace, clock: Clock, args: Sequence[str]) -> str | None:
    """What needs few modules, because a script may call it often; None for the other flags."""
    if flag == "--check-idle":
        from reverie.features.schedule.when import idle_of

        return "busy" if idle_of(workspace.settings, clock, os.environ).busy() else "idle"
    if flag == "--hash":
        from reverie.workspace.values import short_id

        return short_id(args[0])
    if flag == "--status":
        from reverie.features.status import as_lines, glance
        from reverie.lang.messages import speaking

        with speaking("en"):  # scripts read it
            return "\n".join(
                as_lines(glance(workspace.root, workspace.vault, workspace.settings, clock.now(), workspace.home))
            )
    return None


def _answer(flag: str, workspace: Workspace, clock: Clock, args: Sequence[str]) -> str:
    from reverie.features import tools

    match flag:
        case "--check-size":
            return tools.check_size(workspace)
        case "--atomic-write":
            return tools.atomic_write(workspace, clock, args[0], Path(args[1]))
        case "--ledger-append":
            return tools.ledger_append(workspace, clock, *args)
        case "--ledger-mark-reemergence":
            return tools.mark_reemergence(workspace, clock, args[0])
        case "--record-removed":
            return tools.record_removed(workspace, clock, *args)
        case "--check-reemergence":
            return tools.check_reemergence(workspace, args[0])
        case "--dedup-index":
            return tools.dedup_index(workspace, args[0])
        case "--active-days-since":
            return str(tools.active_days_since(workspace, args[0]))
        case "--record-active-day":
            return tools.record_active_day(workspace, clock)
        case "--ledger-search":
            from reverie.privacy.redact import shown

            return "\n".join(
                f"[{one.id}] {one.archived[:10]} [{one.category}] {shown(' '.join(' '.join(one.content).split()))}"
                for one in tools.ledger_search(workspace, args[0])
            )
    from reverie.night import commands

    commands.init(workspace, clock, {})
    return "ok"


def _fail(message: str, code: int) -> NoReturn:
    _print(f"dream-tools: {message}", err=True)
    raise SystemExit(code)


def _print(text: str, *, err: bool = False) -> None:
    stream = sys.stderr if err else sys.stdout
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
    stream.write(f"{text}\n")
