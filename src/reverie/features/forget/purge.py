"""`dream forget --purge`: the words leave every file we may write, the archive included, which keeps a stub without them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from reverie.core.layout import LEDGER, TOMBSTONES, Kind, place_of
from reverie.features.forget.plan import Cut, cut_edits, judged_edits, tombstone_edits
from reverie.plan.build import plan_of
from reverie.plan.ledger import array_text, json_text, ledger_lines, read_array, read_ledger
from reverie.plan.promises import PURGE, PURGEABLE
from reverie.plan.splices import difference
from reverie.text.lines import bare, ending_of, split_lines
from reverie.workspace.values import Edit, Intent, Plan, Snapshot

_WHY = "erased at the owner's word"

Says = Callable[[str], bool]


def purge_plan(
    snapshot: Snapshot, cuts: Sequence[Cut], holds: Says, says: Says, texts: Sequence[str], now: datetime
) -> Plan:
    """Everything that holds the words, in every file that was read and is ours to clean; `texts` get tombstones."""
    cuts = [*cuts, *_other_lines(snapshot, cuts, holds)]
    edits = cut_edits(snapshot, cuts, says, PURGE)
    edits += _ledger_edits(snapshot, holds, now)
    for path in filter(_is_list, snapshot.files):
        before = snapshot.text_of(path)
        records = read_array(before, path, dict)
        kept = [record for record in records if not holds(json_text(record)) and not any(map(holds, _said(record)))]
        edits += difference(path, before, array_text(kept), id=PURGE, tag=PURGE, why=_WHY) if kept != records else ()
    if not edits and not texts:
        return plan_of(snapshot, Intent.FORGET, [], now)
    edits += tombstone_edits(snapshot, texts, now, forever=True, purged=True)
    return plan_of(snapshot, Intent.FORGET, [*edits, *judged_edits(snapshot, edits)], now)


def _is_list(path: str) -> bool:
    """Lists in JSON lose whole records: a line taken out would take its comma along."""
    return place_of(path).kind is Kind.INDEX and path.endswith(".json") and path != TOMBSTONES


def _said(record: dict[str, object]) -> list[str]:
    return [value for value in record.values() if isinstance(value, str)]


def _other_lines(snapshot: Snapshot, cuts: Sequence[Cut], holds: Says) -> list[Cut]:
    """Lines that hold the words and are no statement of their own: headings, quotations, what a dream told of them."""
    found = []
    covered = {(cut.path, line) for cut in cuts for line in range(cut.first, cut.end)}
    for path, file in snapshot.files.items():
        if file.place.kind not in PURGEABLE or path == TOMBSTONES or _is_list(path):
            continue
        guarded = {line for e in file.entries if e.protected for line in range(e.block.first, e.block.tail)}
        for number, line in enumerate(split_lines(file.text)):
            if (path, number) not in covered and number not in guarded and holds(bare(line)):
                found.append(Cut(path, number, number + 1, bare(line).strip()))
    return found


def _ledger_edits(snapshot: Snapshot, holds: Says, now: datetime) -> list[Edit]:
    """A block that holds the words becomes a stub: its id, when it was erased, and why. Nothing else of it stays."""
    text = snapshot.text_of(LEDGER)
    lines, blocks, starts = split_lines(text), read_ledger(text), ledger_lines(text)
    edits: list[Edit] = []
    for block, start in zip(blocks, starts, strict=True):
        end = min((other for other in starts if other > start), default=len(lines) + 1) - 1
        if not any(holds(bare(line)) for line in (*lines[start - 1 : end], " ".join(block.content))):
            continue
        ending = ending_of(lines)
        stub = ("---", f"ID: {block.id}", f"Updated: {now:%Y-%m-%d %H:%M}", "Event: erased", f"Note: {_WHY}", "---")
        new = tuple(line + ending for line in stub)
        edits.append(Edit(block.id, LEDGER, start - 1, lines[start - 1 : end], new, PURGE, _WHY))
    taken = {i for edit in edits for i in range(edit.at, edit.at + len(edit.old))}
    for number, line in enumerate(lines):  # an older tool's lines between the blocks
        if number not in taken and holds(bare(line)):
            edits.append(Edit(PURGE, LEDGER, number, (line,), (), PURGE, _WHY))
    return edits
