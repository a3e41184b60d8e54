"""`dream forget`, from the description to the run: finds what is meant, takes it out, and knows what the owner took out.

Acts at once and can be undone; with `purge` it erases, and cannot. What is only near is named and left.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from reverie.apply.erase import erase_state, histories, still_holding
from reverie.apply.files import Disk
from reverie.apply.lock import held
from reverie.apply.recover import recover
from reverie.apply.writer import write_run
from reverie.core.errors import BadInput, StalePlan
from reverie.core.layout import RECALLS
from reverie.core.ports import Clock
from reverie.evidence.reinforce import let_go_unsaid
from reverie.evidence.shelf import removed
from reverie.evidence.tombstones import statement
from reverie.features.forget.plan import forget_plan
from reverie.features.forget.purge import purge_plan
from reverie.features.forget.seeking import Gone, Sought, sought
from reverie.features.projections.projections import refreshed
from reverie.night.recall_state import recall_state
from reverie.plan.promises import check_promises
from reverie.plan.splices import changes_of
from reverie.text.terms import plain
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Plan, Run, Snapshot, Workspace

TRIES = 5  # an owner who types meanwhile gets the last word, and we look again


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What came of it: what left, what had to stay, what was near, and which entries of the archive say it too."""

    removed: tuple[Gone, ...] = ()
    stays: tuple[Gone, ...] = ()
    near: tuple[Gone, ...] = ()
    archive: tuple[str, ...] = ()
    run: str = ""
    erased: tuple[str, ...] = ()  # files of our own state that a purge cleaned
    left: tuple[str, ...] = ()  # where the words still are, and why


def forget(
    workspace: Workspace,
    clock: Clock,
    description: str,
    *,
    dry_run: bool = False,
    forever: bool = False,
    purge: bool = False,
    disk: Disk | None = None,
) -> Forgotten:
    """Take what a description means out of MEMORY.md and the notes."""
    if not description.strip():
        raise BadInput("There is nothing to forget. Say `dream forget DESCRIPTION`.")
    if dry_run:
        snapshot = read_workspace(workspace)
        found = sought(snapshot, description)
        check_promises(snapshot, _plan(snapshot, found, clock, forever=forever, purge=purge))
        return _told(found)
    now = clock.now().isoformat(timespec="seconds")
    with held(workspace.root, "forget", now, workspace.settings.lock_wait):
        recover(workspace, disk)
        snapshot, found, run = _applied(workspace, clock, description, disk, forever=forever, purge=purge)
        still = tuple(f"{one.path} may hold it: {one.why.rstrip('.')}" for one in refreshed(workspace, disk) if one.why)
        if not purge:
            return _told(found, run.id if run else "", left=still)
        erased, left = _erase(workspace, found, run, disk)
        if let_go_unsaid(workspace.root, recall_state(workspace).recalls, clock.now()):
            erased = tuple(sorted({*erased, RECALLS}))
        return _told(found, run.id if run else "", erased, (*left, *still))


def _applied(
    workspace: Workspace, clock: Clock, description: str, disk: Disk | None, *, forever: bool, purge: bool
) -> tuple[Snapshot, Sought, Run | None]:
    previous = None
    for attempt in range(1, TRIES + 1):
        snapshot = read_workspace(workspace, previous)
        found = sought(snapshot, description)
        plan = _plan(snapshot, found, clock, forever=forever, purge=purge)
        check_promises(snapshot, plan)
        if not plan.edits:
            return snapshot, found, None
        try:
            return snapshot, found, write_run(workspace, plan, changes_of(snapshot, plan), disk)
        except StalePlan:
            if attempt == TRIES:
                raise
            previous = snapshot
    raise AssertionError("forgetting returns or raises")


def _plan(snapshot: Snapshot, found: Sought, clock: Clock, *, forever: bool, purge: bool) -> Plan:
    also = [line for block in found.blocks for line in block.content if statement(line)]
    if purge:
        texts = list(dict.fromkeys([*(cut.text for cut in found.cuts), *also]))
        return purge_plan(snapshot, found.cuts, _holding(found), found.says, texts, clock.now())
    return forget_plan(snapshot, found.cuts, found.says, clock.now(), forever=forever, also=also)


def _holding(found: Sought) -> Callable[[str], bool]:
    """Whether a text holds what is to be erased: all words of the description, or a statement that leaves."""
    gone = {plain(statement(cut.text)) for cut in found.cuts} | {
        plain(statement(line)) for block in found.blocks for line in block.content
    }
    whole = {words: max(words.split(), key=len) for words in gone if len(words) > 2}

    def holds(text: str) -> bool:
        if found.says(text):
            return True
        low = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
        likely = [words for words, longest in whole.items() if longest in low]
        said = f" {plain(text)} " if likely else ""
        return any((f" {words} " if words.isascii() else words) in said for words in likely)

    return holds


def _erase(
    workspace: Workspace, found: Sought, run: Run | None, disk: Disk | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The second half of a purge: our own state. Then every file is searched; what still holds the words is named."""
    holds = _holding(found)
    removed(workspace.root)  # the index and its vectors are derived: the next search builds them anew
    erased = erase_state(workspace, holds, run.id if run else "", disk)
    left = [f"{path} still holds it; it is not ours to change" for path in still_holding(workspace, holds)]
    left += [f"{name} may keep old versions of these files" for name in histories(workspace)]
    if workspace.settings.transcripts:
        left.append("the conversations themselves (`transcripts`) are your host's and were not touched")
    return erased, tuple(left)


def _told(found: Sought, run: str = "", erased: tuple[str, ...] = (), left: tuple[str, ...] = ()) -> Forgotten:
    gone = tuple(Gone(cut.path, cut.first + 1, statement(cut.text)) for cut in found.cuts)
    return Forgotten(gone, found.stays, found.near, tuple(block.id for block in found.blocks), run, erased, left)


__all__ = ["Forgotten", "Gone", "forget"]
