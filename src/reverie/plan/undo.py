"""The plan that takes a run back: a run like any other, with its own record.

While a file is as the run left it, its bytes before are restored exactly, and a file that the run created
goes away again. Where something happened later, each edit is found again by its text and its neighbours; later,
unrelated changes stay, and a collision is refused with the line that collides. Cursors that later runs moved on
stay where those left them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Any

from reverie.core.errors import UndoCollision
from reverie.core.layout import Kind, place_of
from reverie.plan.ledger import array_text, json_text, read_array
from reverie.plan.reports import INLINE
from reverie.plan.splices import difference, found_again, turned_round, with_neighbours
from reverie.plan.views import TAG
from reverie.privacy.redact import shown
from reverie.text.lines import bare, split_lines
from reverie.workspace.values import ABSENT, Edit, Intent, Plan, Run, Snapshot

_PAGES = frozenset({Kind.DIARY, Kind.REPORT, Kind.PALACE})


def undo_plan(snapshot: Snapshot, run: Run, now: datetime) -> Plan:
    """What undoing `run` means for the files as they are now. Raises UndoCollision where they disagree."""
    edits: list[Edit] = []
    removes: list[str] = []
    for path in run.plan.paths:
        before, its = (
            run.plan.base[path],
            [e for e in run.plan.edits if e.path == path and (path, e.at) not in run.left],
        )
        if snapshot.hash_of(path) != run.after[path]:
            edits += _relocated(snapshot, path, its)
        else:
            edits += turned_round(its)
            removes += [path] if before == ABSENT else []
    placed = [
        replace(edit, why=f"undoes the run {run.id}")
        for path in dict.fromkeys(edit.path for edit in edits)
        for edit in with_neighbours([e for e in edits if e.path == path], split_lines(snapshot.text_of(path)))
    ]
    base = {path: snapshot.hash_of(path) for path in sorted({edit.path for edit in placed} | set(removes))}
    made = now.isoformat(timespec="seconds")
    return Plan(Intent.UNDO, made, MappingProxyType(base), tuple(placed), tuple(removes), undoes=run.id)


def _relocated(snapshot: Snapshot, path: str, edits: Sequence[Edit]) -> list[Edit]:
    """The way back on a file that has moved on."""
    kind = place_of(path).kind
    if kind is Kind.CURSOR:
        return []
    if kind is Kind.INDEX and path.endswith(".json"):
        return _without_items(snapshot, path, edits)
    lines = split_lines(snapshot.text_of(path))
    leaving = frozenset(bare(line) for edit in edits for line in edit.new)
    found: list[Edit] = []
    for edit in turned_round(edits):
        if edit.tag == TAG and kind is Kind.MEMORY:
            continue  # the Dream section is rendered anew by the next night
        again = found_again(edit, lines, leaving)
        if again is None and (kind in _PAGES or edit.tag == INLINE):
            continue  # pages are for reading; a later night has written over this one
        if again is None:
            raise UndoCollision(path, shown(bare((edit.old or edit.new)[0]).strip()))
        found.append(again)
    return found


def _without_items(snapshot: Snapshot, path: str, edits: Sequence[Edit]) -> list[Edit]:
    """Lists in JSON are compared item by item, because a comma belongs to no item."""
    text = snapshot.text_of(path)
    left = read_array(text, path)
    for edit in edits:
        added, taken = _items(edit.new, path), _items(edit.old, path)
        for item in added:
            before = [old for old in taken if _name(old) == _name(item)]
            if item in left and item not in taken:  # still as the run left it
                left[left.index(item) : left.index(item) + 1] = before
        gone = [old for old in taken if _name(old) not in map(_name, added) and _name(old) not in map(_name, left)]
        left += gone
    return list(difference(path, text, array_text(left), id="index", tag=TAG, why="the index follows the ledger"))


def _name(item: Any) -> str:
    """What makes two items of a list the same one: their id, else all of them."""
    return str(item["id"]) if isinstance(item, dict) and "id" in item else json_text(item)


def _items(lines: Sequence[str], path: str) -> list[Any]:
    """The items that these lines of a list hold, laid out by us or by another tool."""
    inner = "".join(lines).strip().removeprefix("[").strip(", \t\r\n")
    for text in (inner, inner.removesuffix("]").strip(", \t\r\n")):
        try:
            return list(json.loads(f"[{text}]"))
        except ValueError:
            continue
    raise UndoCollision(path, shown(bare(lines[0]).strip()))
