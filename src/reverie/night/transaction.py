"""How every command writes: hold the workspace, finish what a crash left, take in what was said meanwhile, read, decide, promise,
write, refresh projections.

`transact` is for a command that decides once; `transaction` for one that has more to do while it holds the workspace. Whoever
types meanwhile gets the last word: then all is read and decided again. After it the projections say what MEMORY.md says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from reverie.apply.files import Disk
from reverie.apply.lock import held
from reverie.apply.recover import recover
from reverie.apply.spool import queued
from reverie.apply.writer import write_run
from reverie.core.errors import StalePlan
from reverie.core.ports import Clock
from reverie.evidence.reminded import reminded
from reverie.features.projections.projections import refreshed
from reverie.lang.detect import language_of
from reverie.lang.messages import speaking, spoken
from reverie.plan.promises import Again, check_promises
from reverie.plan.splices import changes_of
from reverie.workspace.projection import Projected
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Plan, Run, Snapshot, Workspace

TRIES = 5  # an owner who types while we decide gets the last word, and we look again
T = TypeVar("T")
Decide = Callable[
    [Snapshot], tuple[T, Plan | None]
]  # what is told, and what is written; no plan, or an empty one: nothing
Read = Callable[[Workspace, Snapshot | None], Snapshot]


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """What a command came to: what it tells, the run if one was written, and what happened around it."""

    told: T
    run: Run | None
    recovered: tuple[str, ...]
    projected: tuple[Projected, ...]


@dataclass(slots=True)
class Transaction:
    """A workspace that is held."""

    workspace: Workspace
    disk: Disk | None
    recovered: tuple[str, ...]
    projected: tuple[Projected, ...] | None = field(default=None, init=False)

    def write(
        self, decide: Decide[T], *, read: Read = read_workspace, tries: int = TRIES, again: Again | None = None
    ) -> tuple[T, Run | None]:
        """Decide on what stands there now, ask the promises, and write it as one run."""
        previous: Snapshot | None = None
        for left in reversed(range(tries)):
            snapshot = read(self.workspace, previous)
            with speaking(owners_language(snapshot)):
                told, plan = decide(snapshot)
            if plan is None or not (plan.edits or plan.removes):
                return told, None
            check_promises(snapshot, plan, again)
            try:
                return told, write_run(self.workspace, plan, changes_of(snapshot, plan), self.disk)
            except StalePlan:
                if not left:
                    raise
                previous = snapshot
        raise AssertionError("a plan is written or refused")

    def refresh(self) -> tuple[Projected, ...]:
        """The projections as MEMORY.md is now; once, however often it is asked."""
        if self.projected is None:
            self.projected = refreshed(self.workspace, self.disk)
        return self.projected


def owners_language(snapshot: Snapshot) -> str:
    """In which language this memory is spoken of: the owner's setting, else the one MEMORY.md is written in, else as here and now."""
    memory = snapshot.files.get(snapshot.memory_path)
    said = [one.text for one in memory.entries] if memory else []
    return snapshot.workspace.settings.language or language_of(said, unknown=spoken())


@contextmanager
def transaction(workspace: Workspace, clock: Clock, command: str, disk: Disk | None = None) -> Iterator[Transaction]:
    """Hold the workspace for a command, and leave it whole."""
    moment = clock.now().isoformat(timespec="seconds")
    with held(workspace.root, command, moment, workspace.settings.lock_wait):
        work = Transaction(workspace, disk, recover(workspace, disk))
        if reminded(workspace.root):
            from reverie.features.reminders import settle  # the words of reminders, only for those who have some

            settle(workspace)
        work.recovered += _taken_in(work, clock)
        yield work
        work.refresh()


def _taken_in(work: Transaction, clock: Clock) -> tuple[str, ...]:
    """Put what was said while somebody else held the workspace where it belongs, before anything is decided."""
    waiting = queued(work.workspace.root)
    if not waiting:
        return ()
    from reverie.features.note import take_in  # it loads the judge, and writes through this module

    return take_in(work, waiting, clock.now())


def transact(
    workspace: Workspace,
    clock: Clock,
    command: str,
    decide: Decide[T],
    *,
    disk: Disk | None = None,
    read: Read = read_workspace,
    tries: int = TRIES,
) -> Done[T]:
    """Read, decide, promise, write, refresh the projections; again from the start when the owner typed meanwhile."""
    with transaction(workspace, clock, command, disk) as work:
        told, run = work.write(decide, read=read, tries=tries)
        return Done(told, run, work.recovered, work.refresh())
