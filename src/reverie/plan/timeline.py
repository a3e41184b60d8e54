"""One fact through its versions, and what a run moved: both read from the edits of runs, nothing is decided here.

A fact is followed by its words: the run that wrote them says which words stood there before, and the run that took them away says
which came instead, so that `number 12` leads to `number 31` and back to the note that first said it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reverie.core.layout import LEDGER
from reverie.judge.forgotten import forgotten_in
from reverie.plan.ledger import read_ledger
from reverie.plan.part import is_replacement
from reverie.plan.show import hidden_in
from reverie.plan.splices import VIEW
from reverie.text.lines import bare
from reverie.text.marks import PIN
from reverie.text.sections import OURS
from reverie.workspace.values import Edit, Intent, Plan, Run, Snapshot

ENTERED, CHANGED, ARCHIVED, RETURNED, FORGOTTEN = "entered", "changed", "archived", "returned", "forgotten"
PINNED, UNPINNED, EDITED, TAKEN_BACK = "pinned", "unpinned", "edited", "taken back"
_ID = re.compile(r"[0-9a-f]{8}")
_BULLET = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")


@dataclass(frozen=True, slots=True)
class Moment:
    """What one run did to one fact: its words before (empty: it came) and after (empty: it went)."""

    run: str
    at: str
    did: str
    old: str
    new: str
    why: str
    sources: tuple[str, ...]
    by: str
    undone_by: str


def timeline_of(snapshot: Snapshot, runs: Sequence[Run], asked: str) -> tuple[Moment, ...]:
    """All that runs did to the fact with this id or these words, under all the words it ever had, oldest first."""
    gone = forgotten_in(snapshot)
    swaps = [
        (run, edit, *pair)
        for run in runs
        for one in run.plan.edits
        if one.path == snapshot.memory_path and one.tag != VIEW
        for edit in [hidden_in(one, gone)]
        for pair in _pairs(edit)
    ]
    known = _meant(snapshot, [edit for _, edit, *_ in swaps], asked)
    while True:
        more = {words for _, _, old, new in swaps if {_key(old), _key(new)} & known for words in (_key(old), _key(new))}
        if more - {""} <= known:
            break
        known |= more - {""}
    return tuple(_moment(*swap) for swap in swaps if {_key(swap[2]), _key(swap[3])} & known)


def _meant(snapshot: Snapshot, edits: Sequence[Edit], asked: str) -> set[str]:
    """The words that somebody means who names an id or the words themselves."""
    wanted = asked.strip()
    if not _ID.fullmatch(wanted):
        return {_key(wanted)} - {""}
    memory = snapshot.files.get(snapshot.memory_path)
    lines = [*(memory.document.lines if memory else ()), *(line for edit in edits for line in edit.new)]
    marked = {_key(line) for line in lines if (mark := OURS.search(bare(line))) and mark[1] == wanted}
    blocks = [block for block in read_ledger(snapshot.text_of(LEDGER)) if block.id == wanted]
    return (marked | {_key(" ".join(block.content)) for block in blocks}) - {""}


def _pairs(edit: Edit) -> Iterator[tuple[str, str]]:
    """What an edit swaps for what; a line that only comes or only goes has nothing on its other side."""
    if edit.new and is_replacement(edit):
        yield _words(" ".join(edit.old)), _words(" ".join(edit.new))
        return
    old, new = (Counter(map(bare, lines)) for lines in (edit.old, edit.new))
    yield from ((_words(line), "") for line in old - new if _states(line))
    yield from (("", _words(line)) for line in new - old if _states(line))


def _states(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#")  # a heading states nothing


def _words(text: str) -> str:
    """A line without its bullet and without the mark that only machines read."""
    return " ".join(_BULLET.sub("", OURS.sub("", text), count=1).split())


def _key(text: str) -> str:
    """The same for the same words, pinned or not."""
    return _words(text).replace(f"{PIN} ", "", 1).casefold()


def _moment(run: Run, edit: Edit, old: str, new: str) -> Moment:
    did = _did(run.plan, edit, old, new)
    sources = tuple(map(str, edit.sources))
    return Moment(run.id, run.at, did, old, new, edit.why, sources, edit.by, run.undone_by)


def _did(plan: Plan, edit: Edit, old: str, new: str) -> str:
    if plan.intent is Intent.UNDO:
        return RETURNED if new and not old else TAKEN_BACK
    if plan.intent is Intent.PIN:
        return PINNED if new.count(PIN) > old.count(PIN) else UNPINNED
    if not new:
        return FORGOTTEN if plan.intent is Intent.FORGET else ARCHIVED
    if old:
        return EDITED if plan.intent is Intent.EDIT else CHANGED
    back = edit.sources and all(source.path == LEDGER for source in edit.sources)
    return RETURNED if back else ENTERED


def moved_by(run: Run) -> dict[str, int]:
    """How many lines of MEMORY.md a run let enter, changed, or sent away, in that order; empty where it moved none."""
    did = Counter(
        ENTERED if not old else ARCHIVED if not new else CHANGED
        for edit in run.plan.edits
        if edit.path.lower() == "memory.md" and edit.tag != VIEW
        for old, new in _pairs(edit)
    )
    return {kind: did[kind] for kind in (ENTERED, CHANGED, ARCHIVED) if did[kind]}
