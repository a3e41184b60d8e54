"""The commands about when it dreams."""

import argparse
import os
import shlex
import shutil
import sys
from datetime import datetime
from functools import partial
from pathlib import Path

import reverie
from reverie.errors import Deferred, NeedsAYes, ReverieError
from reverie.features import timers
from reverie.features.schedule import Outcome, scheduled_workspaces
from reverie.features.when import Do
from reverie.settings import load_settings
from reverie.store.disk import Disk
from reverie.surfaces import show as shown
from reverie.surfaces.cli import guarded
from reverie.surfaces.commands import ask, is_on_terminal, print_value, workspace_of

_ENVIRONMENT = (
    "DREAM_VAULT_PATH",
    "OPENCLAW_STATE_DIR",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
)  # what a timer must know, too


def review(options: argparse.Namespace) -> None:
    """`review --scheduled`: silent. One workspace that fails stops no other."""
    if options.dry_run or options.yes or options.again:
        raise ReverieError("--scheduled decides by itself: leave --dry-run, --yes and --again away, or it.")
    outcomes, codes = list[Outcome](), list[int]()
    for root in scheduled_workspaces(options.workspaces):
        codes.append(guarded(partial(_scheduled, root, options.time, outcomes), options))
    if options.as_json:
        print(shown.as_json(outcomes))
    deferred = any(outcome.due.do is Do.DEFER for outcome in outcomes)
    raise SystemExit(max(codes) or (Deferred.exit_code if deferred else 0))


def _scheduled(root: Path, now: datetime, outcomes: list[Outcome]) -> None:
    outcomes.append(reverie.scheduled(root, now))


def due(options: argparse.Namespace) -> None:
    """In the words of seed 001's script, with its exit codes: 0 is ready, 1 is not."""
    found = reverie.due(workspace_of(options), options.time)
    is_ready = found.do in (Do.DREAM, Do.WAKE)
    until = f"; the next look is due at {found.until:%Y-%m-%d %H:%M}" if found.until else ""
    print_value(options, found, [f"{'READY' if is_ready else 'SKIP'}: {shown.safe(found.reason)}{until}"])
    raise SystemExit(0 if is_ready else 1)


def on(options: argparse.Namespace) -> None:
    is_on = options.command == "on"
    is_changed = reverie.switch(workspace_of(options), on=is_on)
    word = f"{'On' if is_on else 'Off'}{'' if is_changed else ' already'}."
    print_value(options, {"on": is_on}, [word if is_on else f"{word} `dream review` still dreams when you ask for it."])


off = on


def wakeup(options: argparse.Namespace) -> None:
    awake = reverie.wakeup(workspace_of(options), options.time)
    lines = ["Awake again; nothing was deleted."] * awake.was_asleep
    print_value(options, awake, [*lines, *map(shown.safe, awake.lines)])


def schedule(options: argparse.Namespace) -> None:
    """Show what would be done, ask, do it."""
    roots, disk = scheduled_workspaces(options.workspaces), Disk()
    command = [*_program(), "review", "--scheduled"]
    command += [word for root in roots for word in ("--workspace", os.path.abspath(root))]
    timer = timers.timer(options.kind or timers.usual_kind(), command, load_settings(roots[0]))
    there = timers.installed(timer)
    state = [f"Installed ({timer.kind}): {', '.join(there)}." if there else f"Not installed ({timer.kind})."]
    if options.what == "show":
        state += ["For SOUL.md: Run `dream review --scheduled` every day at 03:30"]
        state += [f"For HEARTBEAT.md: - Run `{shlex.join(command)}`. It is silent and decides by itself."]
        return print_value(options, there, state)
    print("\n".join(timer.shown if options.what == "install" else state), file=sys.stderr)
    if not options.yes and (not is_on_terminal(options) or ask("Do this? [y/N] ").lower()[:1] != "y"):
        raise NeedsAYes("Nothing was changed. Add --yes to do this.")
    done = timers.install(timer, disk) if options.what == "install" else timers.remove(timer, disk)
    return print_value(options, done, done or ["Done."])


def _program() -> list[str]:
    """How a timer calls us: it knows nothing of our variables."""
    names = ("DREAM_VAULT_PATH", "OPENCLAW_STATE_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME")
    kept = [f"{name}={os.environ[name]}" for name in names if os.environ.get(name) and os.name == "posix"]
    here = Path(sys.executable).with_name("dream")
    return [*["/usr/bin/env"] * bool(kept), *kept, str(here) if here.exists() else shutil.which("dream") or "dream"]
