"""Who calls the scheduled nights: `schedule` for the machine's own timers, `daemon` for one process that stays."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import click

from reverie.apply.folders import keep_in_mind
from reverie.core.errors import Busy, NoWorkspace, SomeFailed, WriteFailed
from reverie.features.schedule.when import outlook
from reverie.hosts.timers import WRITTEN, Kind, Timer, best_kind, install, is_installed, remove, timer
from reverie.lang.messages import said_with, say
from reverie.surfaces.cli.common import Asked, Lines, command, confirm
from reverie.surfaces.configure import configured, discovered, owners_settings
from reverie.surfaces.daemon import Daemon, Process, beat, heartbeat_file, last_beat, started_by
from reverie.workspace.settings_files import folders_file


@command
@click.argument("action", type=click.Choice(["install", "remove", "show"]))
@click.option("--kind", type=click.Choice([str(kind) for kind in Kind]))
@click.option("--dry-run", is_flag=True)
@click.option("--yes", is_flag=True)
def schedule(asked: Asked, *, action: str, kind: str | None, dry_run: bool, yes: bool) -> None:
    if action == "show":
        _show(asked)
        return
    if action == "remove":
        _remove(asked, kind, dry_run=dry_run)
        return
    wanted = _timer(asked, Kind(kind) if kind else best_kind(os.environ))
    value = {
        "kind": str(wanted.kind),
        "files": {str(path): text for path, text in wanted.files},
        "crontab": wanted.crontab or None,
        "shown": wanted.shown or None,
        "commands": [list(words) for words in wanted.enable],
    }
    asked.show(_timer_lines(wanted))
    if wanted.shown or dry_run:
        lines = [("plain", say("cli.schedule.yours" if wanted.shown else "cli.dry"))]
        asked.answer(value | {"installed": False}, lines)
        return
    confirm(yes=yes)
    folders = _with_nights(asked)
    troubles = install(wanted, os.environ)
    said = say("cli.schedule.where", folders=", ".join(map(str, folders)))
    lines = [("add", say("cli.schedule.installed")), ("plain", said), *(("cut", f"⚠ {one}") for one in troubles)]
    asked.answer(value | {"installed": True, "workspaces": [*map(str, folders)], "troubles": troubles}, lines)


def _with_nights(asked: Asked) -> Sequence[Path]:
    """The folders whose nights come by themselves, the one that is meant here among them; NoWorkspace where there is none."""
    try:
        here = asked.workspace().folder
    except NoWorkspace:
        if asked.where or not (there := _roots(asked)):
            raise
        return there
    if here.is_dir() and here not in discovered():
        keep_in_mind(here, os.environ, nights=True)
        if here not in discovered():
            raise WriteFailed(say("cli.schedule.not_kept", path=folders_file(os.environ), folder=here))
    return _roots(asked)


def _remove(asked: Asked, kind: str | None, *, dry_run: bool) -> None:
    kinds = [Kind(kind)] if kind else list(WRITTEN)
    there = [one for one in (_timer(asked, each) for each in kinds) if is_installed(one, os.environ)]
    gone: list[str] = []
    for one in there:
        names = [str(path) for path, _ in one.files] or [say("timer.crontab_lines")]
        gone += names if dry_run else remove(one, os.environ)
    message = "cli.schedule.would_remove" if dry_run else "cli.schedule.removed"
    lines = [("plain", say(message, what=name)) for name in gone]
    asked.answer({"removed": gone}, lines or [("plain", say("cli.schedule.none_installed"))])


def _show(asked: Asked) -> None:
    """What starts the nights, and what the schedule says about this workspace now."""
    workspace, clock = asked.open()
    by = started_by(os.environ, clock.now(), workspace.folder)
    seen, decision = outlook(workspace, clock)
    cron = workspace.settings.schedule.cron
    until = decision.until.isoformat(timespec="seconds") if decision.until else None
    value = {
        "started_by": by,
        "cron": cron,
        "state": str(seen.state),
        "do": str(decision.do),
        "why": decision.why,
        "until": until,
        "kinds": {str(kind): is_installed(_timer(asked, kind), os.environ) for kind in WRITTEN},
    }
    start = say("cli.schedule.started_by", by=said_with("timers", by)) if by else say("cli.schedule.not_started")
    do = said_with("do", str(decision.do))
    now = say("cli.schedule.now_until" if until else "cli.schedule.now", do=do, why=decision.why, until=until)
    nights = say("cli.schedule.nights", cron=cron, state=said_with("states", str(seen.state)))
    asked.answer(value, [("plain", line) for line in (start, nights, now)])


def _timer(asked: Asked, kind: Kind) -> Timer:
    """For every workspace of the machine, or for the one named."""
    program = Path(sys.executable).with_name("dream.exe" if os.name == "nt" else "dream")
    where = ["--workspace", str(asked.workspace().folder)] if asked.where else ["--all"]
    command = [str(program), "review", "--scheduled", *where]
    if kind is not Kind.OPENCLAW:
        return timer(kind, os.environ, command)
    settings = asked.workspace().settings
    return timer(kind, os.environ, command, settings.schedule.cron, settings.timezone)


def _timer_lines(one: Timer) -> Lines:
    for path, text in one.files:
        yield "path", str(path)
        yield "plain", text
    if one.crontab:
        yield "path", say("cli.schedule.in_crontab")
        yield "plain", one.crontab
    if one.shown:
        yield "path", say("cli.schedule.run_it" if one.kind is Kind.OPENCLAW else "cli.schedule.in_heartbeat")
        yield "plain", one.shown
    for words in one.enable:
        yield "plain", f"$ {' '.join(words)}"


@command
@click.option("--once", is_flag=True)
def daemon(asked: Asked, *, once: bool) -> None:
    file, clock = heartbeat_file(os.environ), asked.clock()
    _refuse_a_second(file, asked)
    with suppress(NoWorkspace):  # one may come: the daemon goes on looking
        _with_nights(asked)
    if asked.now:
        os.environ["REVERIE_NOW"] = asked.now  # the children live at the same moment
    keeper = Daemon(
        find=lambda: _roots(asked),
        configure=lambda root: configured(root, os.environ),
        start=Process,
        clock=asked.clock,
        ticks=time.monotonic,
        at_once=owners_settings(os.environ).schedule.at_once,
    )
    started = clock.now().isoformat(timespec="seconds")
    asked.show([("path", say("cli.schedule.daemon", pid=os.getpid()))])
    _keep(keeper, file, started, asked, once=once)
    last = keeper.as_beat(os.getpid(), started, stopped=True)
    beat(file, last)
    asked.answer(asdict(last), [] if once else [("plain", say("cli.schedule.daemon_ends"))])
    if once and last.troubles:
        raise SystemExit(SomeFailed.exit_code)


def _keep(keeper: Daemon, file: Path, started: str, asked: Asked, *, once: bool) -> None:
    """Round after round, until somebody asks us to go."""
    leave = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: leave.set())
    known: set[str] = set()
    try:
        while not leave.is_set():
            keeper.round()
            now = keeper.as_beat(os.getpid(), started)
            beat(file, now)
            for trouble in (one for one in now.troubles if one not in known):
                click.echo(f"dream: {trouble}", err=True)
            asked.show(("plain", news) for news in keeper.news if news not in known)
            sys.stdout.flush()  # whoever reads a log wants to know now
            known = {*now.troubles, *keeper.news}
            if once and not keeper.busy:
                return
            leave.wait(keeper.rest())
    finally:
        keeper.stop()


def _roots(asked: Asked) -> Sequence[Path]:
    if asked.where:
        return [asked.workspace().folder]
    return discovered()


def _refuse_a_second(file: Path, asked: Asked) -> None:
    """Two daemons would do no harm, since each night is held by one, but they would be twice the work."""
    last = last_beat(file)
    if os.name == "nt":  # there is no way to ask for a process there that does it no harm
        return
    if last is None or last.pid == os.getpid() or not last.is_alive(asked.clock().now()):
        return
    with suppress(OSError):
        os.kill(last.pid, 0)
        raise Busy(say("cli.schedule.other_daemon", pid=last.pid, since=last.started))
