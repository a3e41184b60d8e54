"""The commands about when it dreams."""

import os
import shlex
import shutil
import sys
from argparse import Namespace
from functools import partial
from pathlib import Path

import reverie
from reverie.errors import Deferred, NeedsAYes, ReverieError, WriteFailed
from reverie.features import schedule as features
from reverie.features import timers
from reverie.features.when import Do
from reverie.settings import load_settings
from reverie.store.disk import DISK
from reverie.surfaces import show as shown
from reverie.surfaces.cli import guarded
from reverie.surfaces.commands import ask, is_on_terminal, print_value, workspace_of

_ENVIRONMENT = (
    "DREAM_VAULT_PATH", "OPENCLAW_STATE_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME",
    "DREAM_MODEL_URL", "DREAM_MODEL_PRICE", "DREAM_MODEL_MOST",
)  # a timer knows none of them  # fmt: skip


def review(options: Namespace) -> None:
    """`review --scheduled`: silent. One workspace that fails stops no other."""
    if options.dry_run or options.yes or options.again or options.estimate:
        raise ReverieError("--scheduled decides by itself: leave --dry-run, --estimate, --yes and --again away, or it.")
    outcomes, roots = list[features.Outcome](), features.scheduled_workspaces(options.workspaces)
    in_words = Namespace(as_json=False)  # of what fails: what is printed as JSON is one value
    code = max(guarded(partial(_one_night, root, options, outcomes), in_words) for root in roots)
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
    roots = [os.path.realpath(root) for root in features.scheduled_workspaces(options.workspaces)]
    kinds = [options.kind] if options.kind else (*timers.kinds(), "openclaw")
    named = roots if options.workspaces else [""]  # of nobody in particular: of all
    there = {each.kind: each for root in named for each in timers.found(root, kinds)}.values()
    lines = [f"Installed ({each.kind}): {', '.join([*timers.installed(each), *each.workspaces])}." for each in there]
    lines = lines or [f"Not installed ({', '.join(kinds)})."]
    if options.what == "show":
        word = shlex.join(_command(options, roots))
        lines += [f"For SOUL.md or HEARTBEAT.md: Run `{word}`. It is silent and decides by itself."]
        return print_value(options, [what for each in there for what in timers.installed(each)], lines)
    new = _joined(options, roots) if options.what == "install" else None
    if new:
        texts = [*(f"── {path} ──\n{text}" for path, text in new.files.items()), new.crontab]
        lines = [*filter(None, texts), *(f"$ {shlex.join(words)}" for words in new.enable)]
    print("\n".join(lines), file=sys.stderr)
    if not options.yes and (not is_on_terminal(options) or ask("Do this? [y/N] ").lower()[:1] != "y"):
        raise NeedsAYes("Nothing was changed. Add --yes to do this.")
    removed = (what for root in named for each in timers.found(root, kinds) for what in timers.remove(each, DISK, root))
    done = timers.install(new, DISK) if new else list(removed)
    print_value(options, done, done or ["Done."])
    raise SystemExit(WriteFailed.exit_code if new and done else 0)


def _joined(options: Namespace, roots: list[str]) -> timers.Timer:
    """One timer for all workspaces of this machine: those that it calls already stay in it."""
    there = timers.found("", kinds := [options.kind or timers.kinds()[0]])
    roots = list(dict.fromkeys([*(place for each in there for place in each.workspaces), *roots]))
    made = timers.timer(kinds[0], _command(options, roots), load_settings(Path(roots[-1])))
    if len(roots) > 1 and any(word.startswith("DREAM_VAULT_PATH=") for each in (*there, made) for word in each.command):
        raise ReverieError("DREAM_VAULT_PATH names one archive for several workspaces; `dream schedule remove` first.")
    return made


def _command(options: Namespace, roots: list[str]) -> list[str]:
    """What a timer calls, with what it would not know."""
    here = Path(sys.executable).with_name("dream")
    kept = [f"{name}={os.environ[name]}" for name in _ENVIRONMENT if os.environ.get(name) and os.name == "posix"]
    command = [*["/usr/bin/env"] * bool(kept), *kept, str(here) if here.exists() else shutil.which("dream") or "dream"]
    leader = options.model or os.environ.get("DREAM_MODEL", "")
    command += ["review", "--scheduled", *[f"--model={leader}"] * bool(leader)]
    return command + [f"{timers.PLACE}{root}" for root in roots]
