"""What every room of the page is given: the workspace with its clock, a dream in the background, a cache, and who is visiting."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from reverie.apply.lock import holder_of
from reverie.core.children import python, start_alone
from reverie.core.errors import Busy
from reverie.core.ports import Clock
from reverie.lang.messages import say, speak, spoken
from reverie.night.workspaces import FoundWorkspace
from reverie.surfaces.web.html import Attribute, Html, Inside, h, hidden
from reverie.workspace.values import Plan, Workspace

T = TypeVar("T")
Form = Mapping[str, Sequence[str]]
MOST_CACHED = 400  # values
_NEVER = float("-inf")
_CHILD = "import sys; from reverie.surfaces.web.state import child; child(*sys.argv[1:])"
_OFTEN = 25  # files between two signs of life


class Done(NamedTuple):
    """What an act did, in words, and the run that can be taken back, if it made one."""

    words: str
    run: str = ""


def given(form: Form, name: str) -> str:
    """The first value of a field, or nothing."""
    return form.get(name, [""])[0]


@dataclass
class _Slot:
    busy: threading.Lock = field(default_factory=threading.Lock)
    value: Any = None
    made: float = _NEVER
    known: bool = False  # there is a value, however old


class Cache:
    """What rooms have just computed, so that many readers cost as much as one. Safe for many threads.

    Nothing here is older than a moment. While one reader computes a value, others are given the one before, if there is one: a
    page that is two seconds old is better than a page that waits. After a change made on the page everybody waits for the new
    value, except where the old one will do: what takes seconds to weigh and is only looked at.
    """

    def __init__(self, ticks: Callable[[], float] = time.monotonic) -> None:
        self._ticks, self._lock = ticks, threading.Lock()
        self._slots: dict[tuple[str, str], _Slot] = {}
        self._changes = 0

    def get(self, name: str, make: Callable[[], T], fresh_for: float = 2.0, *, old_will_do: bool = False) -> T:
        """The value of this name in the language that is spoken, made anew when it is older than that many seconds."""
        with self._lock:
            slot = self._slots.setdefault((spoken(), name), _Slot())
            while len(self._slots) > MOST_CACHED:
                del self._slots[next(iter(self._slots))]
        made = slot.made
        if self._ticks() - made < fresh_for:
            return slot.value  # type: ignore[no-any-return]
        can_wait = slot.known and (old_will_do or made > _NEVER)
        if not slot.busy.acquire(blocking=not can_wait):
            return slot.value  # type: ignore[no-any-return]
        try:
            if self._ticks() - slot.made >= fresh_for:  # another reader may have made it while we waited
                began, before = self._ticks(), self._changes
                slot.value, slot.known = make(), True
                slot.made = began if before == self._changes else _NEVER  # what changed meanwhile was perhaps not seen
            return slot.value  # type: ignore[no-any-return]
        finally:
            slot.busy.release()

    def clear(self) -> None:
        """Something changed: every value is made anew."""
        with self._lock:
            self._changes += 1
            for slot in self._slots.values():
                slot.made = _NEVER


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a dream is: whether one runs, which step it is at, how many files it has read, and how the last one ended."""

    kind: str = ""
    running: bool = False
    step: str = ""  # of `core.progress`; nothing of a dream that somebody else started
    read: int = 0
    by: str = ""  # who else dreams here: a schedule, a terminal
    ended: Mapping[str, Any] = field(default_factory=dict)


class BackgroundDream:
    """A dream that was started on the page, in a process of its own, so that the page stays quick. One at a time.

    The child says how far it has come, a line of JSON each:

        {"step": "judge"}                  it began this
        {"read": 120}                      so many files so far
        {"run": "0004-2026-11-15", …}      the end of a night
        {"plan": {…}}                      the end of a preview
        {"error": "…"}                     it could not be done
    """

    def __init__(self, root: Path, now: str, on_end: Callable[[Progress], None]) -> None:
        self._root, self._now, self._on_end = root, now, on_end
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self.progress = Progress()

    def seen(self) -> Progress:
        """The dream that runs here, whoever started it; else how the last one of this page ended."""
        now = self.progress
        holder = "" if now.running else holder_of(self._root)[0]
        return Progress(running=True, by=holder) if holder else now

    def start(self, kind: str) -> bool:
        """Begin a `review` or a `plan`. False when one is running."""
        with self._lock:
            if self.progress.running:
                return False
            environ = {**os.environ, **({"REVERIE_NOW": self._now} if self._now else {})}
            command = python(_CHILD, kind, str(self._root.absolute()), spoken(), workspace=self._root)
            # Not in a session of its own: Ctrl-C ends it together with the page.
            pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
            child, its = start_alone(command, environ, stdout=pipe, stderr=nowhere, own_session=False)
            self._child = child
            self.progress = Progress(kind, running=True)
        threading.Thread(target=self._listen, args=(child, its, say("page.dream_vanished")), daemon=True).start()
        return True

    def stop(self) -> None:
        """End what is running; what was begun is finished or forgotten by the next start."""
        if self._child is not None and self._child.poll() is None:
            self._child.terminate()

    def _listen(self, child: subprocess.Popen[bytes], its: ExitStack, vanished: str) -> None:
        ended: dict[str, Any] = {"error": vanished}
        assert child.stdout is not None
        with its, child.stdout as lines:
            for line in lines:
                try:
                    heard = json.loads(line)
                except ValueError:
                    continue
                if "read" in heard:
                    self.progress = replace(self.progress, read=int(heard["read"]))
                elif "step" in heard:
                    self.progress = replace(self.progress, step=str(heard["step"]))
                else:
                    ended = heard
        child.wait()
        done = replace(self.progress, running=False, ended=ended)
        try:
            self._on_end(done)
        finally:
            self.progress = done


def child(kind: str, root: str, language: str) -> None:
    """The other side: dream, and say how far it has come."""
    from reverie.apply.runs import plan_as_dict
    from reverie.core.errors import ReverieError
    from reverie.core.progress import following
    from reverie.features.schedule import recorded
    from reverie.night import commands
    from reverie.privacy.redact import shown
    from reverie.surfaces.cli.common import Asked
    from reverie.surfaces.configure import configured

    def tell(value: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(value) + "\n")
        sys.stdout.flush()

    read = 0

    def on_read(count: int) -> None:
        nonlocal read
        read = count
        if count % _OFTEN == 0:
            tell({"read": count})

    def on_step(step: str) -> None:
        tell({"read": read})  # all of them, where a step begins that reads none
        tell({"step": step})

    try:
        workspace = configured(Path(root), os.environ)
        clock = Asked(root, None, json=True, quiet=True).clock(workspace.settings.timezone)
        with following(on_step):
            if kind == "plan":
                speak(language)
                tell({"plan": plan_as_dict(commands.plan_dream(workspace, clock, on_read=on_read, ask=False).plan)})
                return
            # what is written into the owner's files is in the owner's language, whoever started the night
            night = recorded.review(workspace, clock, on_read=on_read)
        speak(language)
        came = recorded.outcome_of(workspace)
        told = recorded.headline(came) if came else ""
        tell({"run": night.run.id if night.run else "", "proposed": night.proposed, "told": told})
    except ReverieError as error:
        tell({"error": shown(str(error))})


@dataclass
class Site:
    """One workspace, open in the browser."""

    workspace: Workspace
    clock: Clock
    dream: BackgroundDream
    cache: Cache = field(default_factory=Cache)
    preview: Plan | None = (
        None  # the plan that was asked for on the page; it waits for nobody and is never written down
    )


def start(site: Site, kind: str) -> None:
    """Begin a dream in the background; raises Busy while one runs."""
    if not site.dream.start(kind):
        raise Busy(say("page.started_here"))


@dataclass(frozen=True, slots=True)
class Visit:
    """One request: the token of its session, what it asks for, how it wants to see, and where it may go."""

    token: str
    asked: Callable[[str], str]  # a parameter of the address, or nothing
    theme: str = ""
    workspaces: Mapping[str, FoundWorkspace] = field(default_factory=dict)  # by their short names

    def form(self, action: str, *inside: Inside, **attributes: Attribute) -> Html:
        """A form that only this session can send."""
        return h("form", hidden("token", self.token), *inside, method="post", action=action, **attributes)
