"""Take one decision of a run back and keep the others, and everything that came later.

A run of its own, so it can be undone like any other. What came back stays: the decision counts as declined, so that no later night
makes it again. The archive keeps its record of a line that returns, because it only grows.
"""

from __future__ import annotations

from collections.abc import Sequence

from reverie.apply.files import Disk
from reverie.apply.history import find_run
from reverie.core.errors import BadInput, UndoCollision
from reverie.core.ports import Clock
from reverie.night.night import Night, carried_out
from reverie.plan.build import plan_of
from reverie.plan.part import is_replacement, with_declined
from reverie.plan.splices import found_again, in_order, turned_round
from reverie.plan.views import TAG as VIEW
from reverie.privacy.redact import shown
from reverie.text.lines import bare, split_lines
from reverie.text.sections import OURS
from reverie.workspace.values import Edit, Intent, Plan, Run, Snapshot, Workspace

TAG = "taken back"


def take_back(
    workspace: Workspace, clock: Clock, run: str, item: str, *, dry_run: bool = False, disk: Disk | None = None
) -> Night:
    """Take the decision with this id back out of the run of this name (the newest, if none is named)."""

    def plan(snapshot: Snapshot) -> Plan:
        edits, ids = way_back(snapshot, find_run(workspace, run), item)
        return with_declined(snapshot, plan_of(snapshot, Intent.UNDO, edits, clock.now()), ids, clock.now())

    return carried_out(workspace, clock, "undo", plan, disk, dry_run=dry_run)


def way_back(snapshot: Snapshot, run: Run, item: str) -> tuple[tuple[Edit, ...], frozenset[str]]:
    """The edits that take a decision back, on MEMORY.md as it is now, and the ids that are declined with it."""
    its = [edit for edit in run.plan.edits if edit.path == snapshot.memory_path]
    edit = next((one for one in its if one.tag != VIEW and item and item in decided(one)), None)
    if edit is None:
        raise BadInput(f"The run {run.id} has no decision {item!r} about {snapshot.memory_path}. `dream runs` and the page list them.")  # fmt: skip
    partners = [one for one in its if _belongs(one, edit)]
    if any(len(decided(one)) > 1 for one in partners):
        raise BadInput(f"The decision {item} belongs together with others. Undo the whole run {run.id}.")
    names = {item} | {name for one in partners for name in decided(one)}
    back = [_turned(snapshot, run, its, one, names) for one in (edit, *partners)]
    return tuple(back), frozenset(names)


def decided(edit: Edit) -> frozenset[str]:
    """The decisions that an edit carries: a line that comes is known by its mark, one that leaves or changes by the edit."""
    if not edit.new or is_replacement(edit):
        return frozenset({edit.id})
    there = set(map(bare, edit.old))
    return frozenset(mark[1] for line in edit.new if bare(line) not in there and (mark := OURS.search(bare(line))))


def _belongs(one: Edit, other: Edit) -> bool:
    """A row that left because a line came, and that line, mean nothing without each other."""
    return (
        one is not other
        and (one.tag, one.why) == (other.tag, other.why)
        and bool(one.new) != bool(other.new)
        and bool(set(one.sources) & set(other.sources))
    )


def _turned(snapshot: Snapshot, run: Run, its: Sequence[Edit], edit: Edit, names: set[str]) -> Edit:
    lines = split_lines(snapshot.text_of(snapshot.memory_path))
    why = f"you took it back from the run {run.id}"
    if edit.new and not is_replacement(edit):
        return _without(snapshot, lines, edit, names, why)
    back = next(new for old, new in zip(in_order(its), turned_round(its), strict=True) if old is edit)
    again = found_again(back, lines)
    if again is None:
        raise UndoCollision(edit.path, shown(bare((edit.new or edit.old)[0]).strip()))
    return Edit(edit.id, edit.path, again.at, again.old, again.new, TAG, why, edit.sources)


def _without(snapshot: Snapshot, lines: Sequence[str], edit: Edit, names: set[str], why: str) -> Edit:
    """A line that came goes again, if it stands as it was written and nothing hangs on it."""
    wanted = next(bare(line) for line in edit.new if (mark := OURS.search(bare(line))) and mark[1] in names)
    places = [at for at, line in enumerate(lines) if bare(line) == wanted]
    entries = (
        {entry.block.first: entry for entry in snapshot.files[edit.path].entries} if edit.path in snapshot.files else {}
    )
    if len(places) != 1 or (places[0] in entries and entries[places[0]].block.tail > places[0] + 1):
        raise UndoCollision(edit.path, shown(OURS.sub("", wanted).strip()))
    name = next(iter(names & decided(edit)))
    return Edit(name, edit.path, places[0], (lines[places[0]],), (), TAG, why, edit.sources)


__all__ = ["decided", "take_back", "way_back"]
