from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import click

from reverie.core.errors import Busy, SomeFailed
from reverie.night.workspaces import discover
from reverie.surfaces.children import Processes
from reverie.surfaces.cli.common import Asked, command
from reverie.surfaces.configure import configured, owners_settings
from reverie.surfaces.daemon import Daemon
from reverie.surfaces.heartbeat import beat, heartbeat_file, last_beat


@command
@click.option("--once", is_flag=True, help="Do what is due now, then end.")
def daemon(asked: Asked, *, once: bool) -> None:
    """Keep the schedule of every workspace, in one process that stays; a child dreams, a few at a time."""
    file, clock = heartbeat_file(os.environ), asked.clock()
    _alone(file, asked)
    if asked.now:
        os.environ["REVERIE_NOW"] = asked.now  # the children live at the same moment
    mine = owners_settings(os.environ)
    keeper = Daemon(
        find=lambda: _roots(asked),
        configure=lambda root: configured(root, os.environ),
        runner=Processes(),
        clock=asked.clock,
        ticks=time.monotonic,
        at_once=mine.schedule.at_once,
    )
    started = clock.now().isoformat(timespec="seconds")
    _keep(keeper, file, started, once=once)
    said = keeper.as_beat(os.getpid(), started, stopped=True)
    beat(file, said)
    asked.answer(asdict(said), ())
    if once and said.troubles:
        raise SystemExit(SomeFailed.exit_code)


def _keep(keeper: Daemon, file: Path, started: str, *, once: bool) -> None:
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
            known = set(now.troubles)
            if once and not keeper.busy:
                return
            leave.wait(keeper.rest())
    finally:
        keeper.stop()


def _roots(asked: Asked) -> Sequence[Path]:
    if asked.where:
        return [asked.workspace().root]
    return [found.root for found in discover(os.environ, owners_settings(os.environ))]


def _alone(file: Path, asked: Asked) -> None:
    """Two daemons would do no harm, since each night is held by one, but they would be twice the work."""
    last = last_beat(file)
    if os.name == "nt":  # there is no way to ask for a process there that does it no harm
        return
    if last is None or last.pid == os.getpid() or not last.is_alive(asked.clock().now()):
        return
    with suppress(OSError):
        os.kill(last.pid, 0)
        raise Busy(f"`dream daemon` (process {last.pid}, since {last.started})")
