"""Pin a line: the owner's mark that no dream may move it. A run like any other, so it can be undone."""

from __future__ import annotations

import re

from reverie.apply.files import Disk
from reverie.core.errors import BadInput
from reverie.core.ports import Clock
from reverie.night.night import Night, carried_out
from reverie.plan.build import plan_of
from reverie.text.lines import bare
from reverie.text.markdown import Shape
from reverie.text.marks import PIN, is_pinned
from reverie.text.sections import OURS, own_lines
from reverie.workspace.values import Edit, Intent, Plan, Snapshot, Workspace, short_id

TAG = "pin"
_LEAD = re.compile(r"[ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?")
_SHAPES = (Shape.BULLET, Shape.NUMBERED, Shape.PARAGRAPH)


def seen_as(text: str) -> str:
    """A short name for the words of a line, by which it is known again; the words themselves need not travel."""
    return short_id(OURS.sub("", text).rstrip())


def pin(workspace: Workspace, clock: Clock, line: int, seen: str, *, disk: Disk | None = None) -> Night:
    """Pin the statement that begins in this line of MEMORY.md, if it still says what the owner saw there (`seen_as`)."""

    def plan(snapshot: Snapshot) -> Plan:
        return plan_of(snapshot, Intent.PIN, [_edit(snapshot, line - 1, seen)], clock.now())

    return carried_out(workspace, clock, "pin", plan, disk)


def _edit(snapshot: Snapshot, at: int, seen: str) -> Edit:
    path = snapshot.memory_path
    file = snapshot.files.get(path)
    found = [entry for entry in file.entries if entry.block.first == at] if file else []
    if file is None or not found or seen_as(bare(file.document.lines[at])) != seen:
        raise BadInput(f"{path} does not say that in line {at + 1} any more. Look at it again, then pin it.")
    if found[0].block.shape not in _SHAPES or at in own_lines(file.document):
        raise BadInput(f"Line {at + 1} of {path} cannot carry a pin: only list items and paragraphs can.")
    raw = file.document.lines[at]
    if is_pinned(raw):
        raise BadInput(f"Line {at + 1} of {path} is pinned already.")
    lead = _LEAD.match(raw)
    place = lead.end() if lead else 0
    return Edit(short_id(raw), path, at, (raw,), (f"{raw[:place]}{PIN} {raw[place:]}",), TAG, "you pinned it")


__all__ = ["pin", "seen_as"]
