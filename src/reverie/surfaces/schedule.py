"""The commands about when it dreams."""

import os
import shlex
import shutil
import sys
from argparse import Namespace
from functools import partial
from pathlib import Path

import reverie
from reverie.errors import Deferred, NeedsAYes, ReverieError
from reverie.features import schedule as features
from reverie.features import timers
from reverie.features.when import Do
from reverie.settings import load_settings
from reverie.store.disk import Disk
from reverie.surfaces import show as shown
from reverie.surfaces.cli import guarded
from reverie.surfaces.commands import ask, is_on_terminal, print_value, workspace_of

_ENVIRONMENT = (
    "DREAM_VAULT_PATH", "OPENCLAW_STATE_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME",
    "DREAM_MODEL_URL", "DREAM_MODEL_PRICE", "DREAM_MODEL_MOST",
)  # a timer knows none of them  # fmt: skip


def review(options: Namespace) -> None:
    """`review --scheduled`: silent. One workspace that fails stops no other."""
    if options.dry_run or options.yes or options.again:
        raise ReverieError("--scheduled decides by itself: leave --dry-run, --yes and --again away, or it.")
    outcomes, roots = list[features.Outcome](), features.scheduled_workspaces(options.workspaces)
    code = max(guarded(partial(_one_night, root, options, outcomes), options) for root in roots)
    if options.as_json:
        print(shown.as_json(outcomes))
    is_deferred = any(outcome.due.do is Do.DEFER for outcome in outcomes)
    raise SystemExit(code or is_deferred * Deferred.exit_code)


def _one_night(root: Path, options: Namespace, outcomes: list[features.Outcome]) -> None:
    outcomes.append(reverie.scheduled(root, options.time, model=options.model))


def due(options: Namespace) -> None:
    """In the words of seed 001's script, with its exit codes: 0 is ready, 1 is not."""
    found = features.due(workspace_of(options), options.time)
    is_ready = found.do in (Do.DREAM, Do.WAKE)
    until = f"; the next look is due at {found.until:%Y-%m-%d %H:%M}" if found.until else ""
    print_value(options, found, [f"{'READY' if is_ready else 'SKIP'}: {shown.safe(found.reason)}{until}"])
    raise SystemExit(not is_ready)


def on(options: Namespace) -> None:
    is_on = options.command == "on"
    features.switch(workspace_of(options), on=is_on)
    words = "Nights happen by themselves." if is_on else "Nights wait for `dream on`; `dream review` is still yours."
    print_value(options, {"on": is_on}, [words])


off = on


def wakeup(options: Namespace) -> None:
    awake = reverie.wakeup(workspace_of(options), options.time)
    first = ["Awake again; nothing was deleted."] * awake.was_asleep
    print_value(options, awake, [*first, *map(shown.safe, awake.lines)])


def schedule(options: Namespace) -> None:
    """Show what would be done, ask, do it."""
    roots, here = features.scheduled_workspaces(options.workspaces), Path(sys.executable).with_name("dream")
    kept = [f"{name}={os.environ[name]}" for name in _ENVIRONMENT if os.environ.get(name) and os.name == "posix"]
    command = [*["/usr/bin/env"] * bool(kept), *kept, str(here) if here.exists() else shutil.which("dream") or "dream"]
    leader = options.model or os.environ.get("DREAM_MODEL", "")
    command += [
        "review",
        "--scheduled",
        *[f"--model={leader}"] * bool(leader),
        *(f"--workspace={os.path.abspath(root)}" for root in roots),
    ]
    timer = timers.timer(options.kind, command, load_settings(roots[0]))
    there = timers.installed(timer)
    lines = [f"Installed ({timer.kind}): {', '.join(there)}." if there else f"Not installed ({timer.kind})."]
    if options.what == "show":
        lines += [f"For SOUL.md or HEARTBEAT.md: Run `{shlex.join(command)}`. It is silent and decides by itself."]
        return print_value(options, there, lines)
    texts = [*(f"── {path} ──\n{text}" for path, text in timer.files.items()), timer.crontab]
    calls = [f"$ {shlex.join(words)}" for words in timer.enable]
    print("\n".join([*filter(None, texts), *calls] if options.what == "install" else lines), file=sys.stderr)
    if not options.yes and (not is_on_terminal(options) or ask("Do this? [y/N] ").lower()[:1] != "y"):
        raise NeedsAYes("Nothing was changed. Add --yes to do this.")
    done = (timers.install if options.what == "install" else timers.remove)(timer, Disk())
    return print_value(options, done, done or ["Done."])
