"""One process that keeps the schedule of all workspaces, its sign of life, and what else starts the nights on this machine.

The daemon decides nothing: `outlook` says when, a child process dreams. It holds a few words for each workspace and nothing of
what stands in it. A look reads small state files; only a workspace whose night has come costs a process. One that is slow is
ended after its time, one that is broken is tried again later, and neither delays the others by more than that.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO, Protocol

from reverie.core.children import find_program, python, start_alone
from reverie.core.durable import read_plain
from reverie.core.errors import ReverieError
from reverie.core.ports import Clock
from reverie.features.schedule.when import DEFERRED, Do, NightDecision, State, outlook
from reverie.hosts.timers import installed_kind
from reverie.lang.messages import say
from reverie.surfaces.configure import discovered
from reverie.workspace.settings_files import state_folder
from reverie.workspace.values import Workspace

LOOK = timedelta(minutes=5)  # how soon somebody who speaks wakes a hibernating workspace
SOON = timedelta(minutes=1)  # after a night: nothing that went well is done again at once, whatever the state says
AGAIN = timedelta(hours=1)  # settings may change, and a clock may be set: no look is further away
REST = timedelta(seconds=30)  # the longest pause between two rounds
TRIES = 3  # nights of one workspace that end without a word, one after the other, before it is left for hours
PATIENCE = 0.3  # seconds from asking to insisting; what was begun is finished or forgotten by the next start
_LAST_WORDS = 500  # bytes of what a failed child said
_CALL = "from reverie.surfaces.cli import main; main()"
STALE = timedelta(minutes=3)  # several times the pause between two beats


@dataclass(frozen=True, slots=True)
class Beat:
    """What the daemon says about itself."""

    pid: int
    started: str
    at: str  # when it was last well
    workspaces: int = 0
    running: tuple[str, ...] = ()  # workspaces that dream now
    troubles: tuple[str, ...] = ()  # what went wrong last, a sentence for each workspace that has some
    stopped: bool = False  # it went as it should

    def is_alive(self, now: datetime) -> bool:
        """Whether it lives as far as a file can tell; a heartbeat from the future was written under another clock."""
        try:
            age = now - datetime.fromisoformat(self.at)
        except (ValueError, TypeError):
            return False
        return not self.stopped and abs(age) < STALE


def heartbeat_file(environ: Mapping[str, str]) -> Path:
    """By which a dead daemon is noticed."""
    return state_folder(environ) / "daemon.json"


def beat(file: Path, said: Beat) -> None:
    """Leave a sign of life. A disk that says no must not stop the nights, so it is left out then."""
    fresh = file.with_name(f".{file.name}.{said.pid}")
    with suppress(OSError):
        file.parent.mkdir(0o700, parents=True, exist_ok=True)
        fresh.touch(0o600)  # it names workspaces and their troubles
        fresh.write_text(json.dumps(asdict(said), indent=1) + "\n", "utf-8")
        os.replace(fresh, file)


def last_beat(file: Path) -> Beat | None:
    """What the daemon said last; nothing where there never was one, or where nobody can read it."""
    try:
        kept = json.loads(read_plain(file))
        running, troubles = tuple(map(str, kept["running"])), tuple(map(str, kept["troubles"]))
        times = str(kept["started"]), str(kept["at"])
        return Beat(int(kept["pid"]), *times, int(kept["workspaces"]), running, troubles, bool(kept["stopped"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def started_by(environ: Mapping[str, str], now: datetime, folder: Path) -> str | None:
    """What starts the nights of this folder: the daemon, or the kind of timer; None when nothing does."""
    if Path(os.path.realpath(folder)) not in discovered(environ):
        return None
    last = last_beat(heartbeat_file(environ))
    if last is not None and last.is_alive(now):
        return "the daemon"
    kind = installed_kind(environ)
    return str(kind) if kind else None


class Child(Protocol):
    """A night under way."""

    def poll(self) -> int | None:
        """Its exit code, or nothing while it goes on. Negative: it was ended by a signal."""
        ...

    def end(self) -> None:
        """End it now."""
        ...

    def said(self) -> str:
        """Its last words, once it is over. Asked once; then nothing of it is left."""
        ...


class Process:
    """The real child: `dream review --scheduled` in a session of its own, and as low as the system lets it.

    Its memory ends with it, and it can be ended at any moment.
    """

    def __init__(self, root: Path) -> None:
        # A pipe would fill up, and nobody empties it while the night goes on.
        self._words: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  closed by `said`, or with the child
        nice = find_program("nice", os.environ)
        night = python(_CALL, "review", "--scheduled", "--workspace", str(root.absolute()), workspace=root)
        command = [*([nice, "-n", "10"] if nice else []), *night]
        nowhere, words = subprocess.DEVNULL, self._words.fileno()
        self._child, self._folder = start_alone(command, os.environ, stdout=nowhere, stderr=words)

    def poll(self) -> int | None:
        return self._child.poll()

    def end(self) -> None:
        self._signal(signal.SIGTERM)
        try:
            self._child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))
            self._child.wait()

    def said(self) -> str:
        with self._folder, self._words as words:
            size = words.seek(0, os.SEEK_END)
            words.seek(max(0, size - _LAST_WORDS))
            return words.read().decode("utf-8", "replace").strip()

    def _signal(self, number: int) -> None:
        with suppress(OSError):  # it may be over by now
            if hasattr(os, "killpg"):
                os.killpg(self._child.pid, number)
            else:
                self._child.send_signal(number)


@dataclass(slots=True)
class _Kept:
    """What is known about one workspace."""

    look_at: datetime | None = None  # nothing: at once
    limit: float = 0.0  # seconds that its night may take
    pause: timedelta = LOOK
    wants: bool = False  # its night has come
    child: Child | None = None
    since: float = 0.0
    failed: int = 0
    trouble: str = ""
    news: str = ""  # what it waits for, for people who look


class Daemon:
    """The schedule of many workspaces, a round at a time. The clock, the ticks and what starts a child come from outside."""

    def __init__(
        self,
        find: Callable[[], Sequence[Path]],
        configure: Callable[[Path], Workspace],
        start: Callable[[Path], Child],
        clock: Callable[[str], Clock],
        ticks: Callable[[], float],
        at_once: int = 2,
    ) -> None:
        self.find, self.configure, self.start, self.clock, self.ticks = find, configure, start, clock, ticks
        self.at_once = at_once
        self.kept: dict[Path, _Kept] = {}
        self.trouble = ""
        self._found = float("-inf")

    def round(self) -> None:
        """Reap what is over, end what takes too long, look where it is time, start what may start."""
        self._find()
        for root, one in self.kept.items():
            self._reap(root, one)
        now = self.clock("").now()
        for root, one in self.kept.items():
            if one.child is None and not one.wants and (one.look_at is None or one.look_at <= now):
                self._look(root, one, now)
        free = self.at_once - len(self.running)
        for root, one in [(root, one) for root, one in self.kept.items() if one.wants][: max(0, free)]:
            self._start(root, one)

    @property
    def running(self) -> tuple[str, ...]:
        return tuple(str(root) for root, one in self.kept.items() if one.child)

    @property
    def busy(self) -> bool:
        """Whether a night goes on or waits for its turn."""
        return any(one.child or one.wants for one in self.kept.values())

    @property
    def news(self) -> tuple[str, ...]:
        """What each workspace waits for, a sentence each; for a machine without one, that it is looked for."""
        said = tuple(f"{root}: {one.news}" for root, one in self.kept.items() if one.news)
        return said if self.kept else (say("daemon.none", minutes=int(LOOK / timedelta(minutes=1))),)

    def stop(self) -> None:
        """End all children at once. What they had begun is finished or forgotten by the next start."""
        for one in self.kept.values():
            if one.child:
                one.child.end()
                one.child.said()
                one.child = None

    def as_beat(self, pid: int, started: str, *, stopped: bool = False) -> Beat:
        now = self.clock("").now().isoformat(timespec="seconds")
        each = (f"{root}: {one.trouble}" for root, one in self.kept.items() if one.trouble)
        troubles = (*([self.trouble] if self.trouble else ()), *each)
        return Beat(pid, started, now, len(self.kept), self.running, troubles, stopped)

    def rest(self) -> float:
        """Seconds until the next round: short while something goes on."""
        if self.busy:
            return 0.2
        now = self.clock("").now()
        waits = [one.look_at - now for one in self.kept.values() if one.look_at is not None]
        return max(0.0, min([REST, *waits]).total_seconds())

    def _find(self) -> None:
        """New workspaces are met within some minutes, and those that are gone are let go."""
        if self.ticks() - self._found < LOOK.total_seconds():
            return
        self._found = self.ticks()
        try:
            there = list(self.find())
            self.trouble = ""
        except (ReverieError, OSError) as error:  # the owner's settings are being edited: go on with those we know
            self.trouble = str(error)
            return
        for root in there:
            self.kept.setdefault(root, _Kept())
        for root in [root for root, one in self.kept.items() if root not in there and one.child is None]:
            del self.kept[root]

    def _look(self, root: Path, one: _Kept, now: datetime) -> None:
        one.look_at = now + AGAIN
        try:
            workspace = self.configure(root)
            seen, decision = outlook(workspace, self.clock(workspace.settings.timezone))
        except (ReverieError, OSError) as error:  # what cannot be read is its trouble, and nobody else's
            one.trouble = str(error)
            return
        if one.failed == 0:
            one.trouble = ""
        one.limit = workspace.settings.schedule.timeout_minutes * 60.0
        one.pause = timedelta(minutes=workspace.settings.schedule.defer_minutes)
        if decision.do is Do.SLEEP:
            one.look_at = now + LOOK
        elif decision.until is not None:
            one.look_at = min(decision.until, now + AGAIN)
        one.news = _awaited(decision)
        mends = decision.do is Do.WAIT and seen.state is State.PENDING
        one.wants = decision.do in (Do.DUE, Do.WAKE, Do.TOO_SOON) or mends

    def _start(self, root: Path, one: _Kept) -> None:
        one.wants, one.since, one.news = False, self.ticks(), say("daemon.dreams")
        try:
            one.child = self.start(root)
        except OSError as error:  # no process to be had now
            self._failed(one, say("daemon.no_process", error=error.strerror))

    def _reap(self, root: Path, one: _Kept) -> None:
        if one.child is None:
            return
        code = one.child.poll()
        if code is None and self.ticks() - one.since < one.limit:
            return
        child, one.child = one.child, None
        if code is None:
            child.end()
        words = child.said()
        if code is None:
            self._failed(one, say("daemon.too_long", minutes=f"{one.limit / 60:g}"))
        elif code not in (0, DEFERRED):
            self._failed(one, words or say("daemon.ended_with", code=code))
        else:
            one.failed, one.trouble = 0, ""
            one.news = say("daemon.deferred" if code == DEFERRED else "daemon.done")
            one.look_at = self.clock("").now() + (one.pause if code == DEFERRED else SOON)

    def _failed(self, one: _Kept, why: str) -> None:
        """Later. One that fails again and again is left alone for longer, so that it cannot take everybody's turn."""
        one.failed += 1
        one.trouble, one.news = why, ""
        one.look_at = self.clock("").now() + (one.pause if one.failed < TRIES else timedelta(hours=6))


def _awaited(decision: NightDecision) -> str:
    if decision.do is Do.SLEEP:
        return say("daemon.sleeps")
    if decision.until is not None:
        return say("daemon.until", when=f"{decision.until:%Y-%m-%d %H:%M}", why=decision.why)
    return say("daemon.due", why=decision.why)
