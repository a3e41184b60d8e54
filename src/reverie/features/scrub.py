"""`dream scrub`: masks in every file of ours what an older version or another program wrote of secrets, and proves it.

Without `really` it only looks. MEMORY.md and the notes are the owner's: where they hold a secret is named, by place, never by
value. OpenClaw's own state is named too, and masked only with `hosts`. It cannot be undone, on purpose: whatever could bring a
secret back would have to hold it. Afterwards every byte is read again, and what is left is told.

With `words` the same is done for words that the owner names. They are kept nowhere, not in the record of the run either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

from reverie.apply.erase import histories
from reverie.apply.files import Disk
from reverie.apply.scrub import Held, Item, Look, Whose, bytes_of, items_of, look, mask
from reverie.core.errors import BadInput
from reverie.core.layout import Kind, review_log
from reverie.core.ports import Clock
from reverie.lang.messages import say
from reverie.night.transaction import Transaction, transaction
from reverie.plan.build import plan_of
from reverie.plan.splices import VIEW
from reverie.privacy.masking import Wanted, known_values, masked_file, wanted_secrets, wanted_words
from reverie.privacy.names import masked_path
from reverie.text.lines import appended, split_lines
from reverie.workspace.values import Edit, Intent, Plan, Snapshot, Workspace, to_bytes, to_text

SHORTEST = 3  # letters of a word that the owner names; less stands everywhere
ROUNDS = 3  # one is the rule; somebody may be writing while we mask
# Of the owner's files, those that are given to others whole: a secret in a note is where it belongs.
_NAMED = frozenset(
    {Kind.MEMORY, Kind.CLASSIFIED, Kind.PROPOSED, Kind.STATE}
)  # of the state, versions kept for the owner
_OWNERS = frozenset(Kind) - {Kind.FOREIGN}


@dataclass(frozen=True, slots=True)
class Place:
    """A file with what is wanted: its name without a secret, and the lines (from one) where it stands or stood."""

    path: str
    lines: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        return len(self.lines) or 1  # a file that is no text leaves as a whole


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """What was found and what became of it. No value is in here."""

    found: tuple[Place, ...] = ()  # in our own files; masked, if it was really done
    owners: tuple[Place, ...] = ()
    hosts: tuple[Place, ...] = ()
    lost: tuple[str, ...] = ()  # runs that cannot be undone any more
    run: str = ""
    really: bool = False
    files: int = 0  # looked at, after all was done
    size: int = 0
    left: tuple[Place, ...] = ()  # what the second look found
    histories: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  # files whose names hold it, without it
    unread: tuple[str, ...] = ()  # files of ours that nobody could look into

    @property
    def places(self) -> int:
        return sum(one.count for one in self.found)


def scrub(
    workspace: Workspace,
    clock: Clock,
    *,
    words: Sequence[str] | None = None,
    really: bool = False,
    hosts: bool = False,
    beside: Sequence[Path] = (),
    disk: Disk | None = None,
) -> Scrubbed:
    """Find what is wanted in every file of ours; with `really`, mask it, read every byte again, and tell what is left."""
    given = [word for word in words if word.strip()] if words is not None else None
    if given is not None and (not given or any(len("".join(word.split())) < SHORTEST for word in given)):
        raise BadInput(say("scrub.no_words", n=SHORTEST))
    if not really:
        items = tuple(items_of(workspace, beside))
        wanted = _wanted(items, given)
        return _told(_look(workspace, items, wanted, given), wanted, hosts=hosts)
    with transaction(workspace, clock, "scrub", disk) as work:
        return _scrubbed(work, clock.now(), given, beside, hosts=hosts)


def _scrubbed(
    work: Transaction, now: datetime, given: Sequence[str] | None, beside: Sequence[Path], *, hosts: bool
) -> Scrubbed:
    workspace, found, lost = work.workspace, dict[str, Place](), set[str]()
    wanted = _wanted(tuple(items_of(workspace, beside)), given)
    for _ in range(ROUNDS):  # what a mask set free, or somebody wrote meanwhile
        seen = _look(workspace, tuple(items_of(workspace, beside)), wanted, given)
        held = _ours(seen, hosts=hosts)
        if not held:
            break
        lost.update(seen.lost)
        mask(workspace, held, wanted, work.disk)
        found |= {one.item.name: _place(one) for one in held if one.item.name not in found}
    told = Scrubbed(tuple(found[name] for name in sorted(found)), really=True)
    _, run = work.write(lambda snapshot: (None, _record(snapshot, told, now))) if found else (None, None)
    work.refresh()
    proof = _told(_look(workspace, tuple(items_of(workspace, beside)), wanted, given), wanted, hosts=hosts)
    return Scrubbed(
        found=told.found,
        names=proof.names,
        unread=proof.unread,
        owners=proof.owners,
        hosts=proof.hosts,
        lost=tuple(sorted(lost)),
        run=run.id if run else "",
        really=True,
        files=proof.files,
        size=proof.size,
        left=proof.found,
        histories=histories(workspace),
    )


def _wanted(items: Sequence[Item], given: Sequence[str] | None) -> Wanted:
    """What the owner named; else all that is recognised, and the values that any of these files holds, wherever they stand."""
    if given is not None:
        return wanted_words(given)
    return wanted_secrets(value for item in items for value in _known(item))


def _known(item: Item) -> Iterator[str]:
    data = bytes_of(item.path)
    if data is not None:
        yield from known_values(item.name, data)


def _look(workspace: Workspace, items: Sequence[Item], wanted: Wanted, given: Sequence[str] | None) -> Look:
    return look(workspace, items, wanted, _NAMED if given is None else _OWNERS)


def _ours(found: Look, *, hosts: bool) -> tuple[Held, ...]:
    return tuple(one for one in found.held if one.item.whose is Whose.OURS or (hosts and one.item.whose is Whose.HOST))


def _told(found: Look, wanted: Wanted, *, hosts: bool) -> Scrubbed:
    """A look in words. A projection counts as ours: it is made anew, and what it still says is left."""
    ours = {*_ours(found, hosts=hosts), *(one for one in found.held if one.item.whose is Whose.SHOWN)}
    return Scrubbed(
        found=tuple(_place(one) for one in found.held if one in ours),
        owners=tuple(_place(one) for one in found.held if one.item.whose is Whose.OWNER),
        hosts=tuple(_place(one) for one in found.held if one.item.whose is Whose.HOST and one not in ours),
        names=tuple(_nameless(item.name, wanted) for item in found.named),
        unread=tuple(_nameless(item.name, wanted) for item in found.unread),
        lost=found.lost,
        files=found.files,
        size=found.size,
    )


def _place(held: Held) -> Place:
    return Place(masked_path(held.item.name), held.lines)


def _nameless(name: str, wanted: Wanted) -> str:
    """The name of a file with a mask for what must not be told."""
    return to_text(masked_file("", to_bytes(masked_path(name)), wanted).data)


def _record(snapshot: Snapshot, told: Scrubbed, now: datetime) -> Plan:
    """The exception to "the archive only grows" is on record: how many places were masked, and in how many files; not what."""
    path = review_log(now.date())
    said = say("scrub.logged", n=told.places, files=len(told.found))
    at, old, new = appended(split_lines(snapshot.text_of(path)), (f"### {now:%Y-%m-%d %H:%M}", said, ""))
    edit = Edit("log", path, at, old, new, VIEW, say("scrub.why"))
    return replace(plan_of(snapshot, Intent.SCRUB, [edit], now), counts=MappingProxyType({"masked": told.places}))


__all__ = ["Place", "Scrubbed", "scrub"]
