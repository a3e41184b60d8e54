"""The plan of `dream forget`: lines of memory and notes leave at the owner's word, and nothing else changes (seed 000).

The archive is left alone. A summary of what left goes to `meta/removed-entries.json`, and a tombstone without the words
to `meta/tombstones.json`, so that reading the same old lines again brings nothing back. A purge takes the words out of every
file we may write, the archive included, which keeps a stub without them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Any

from reverie.core.layout import JUDGED, LEDGER, LEDGER_INDEX, REMOVED, TOMBSTONES, Kind, holds_memory, place_of
from reverie.judge.forgotten import Forgotten, Tombstone, as_record, from_records, statement, stronger, tombstone
from reverie.lang.messages import say
from reverie.plan.build import plan_of
from reverie.plan.ledger import array_text, json_text, ledger_lines, read_array, read_ledger, summary
from reverie.plan.promises import FORGET, PURGE, PURGEABLE
from reverie.plan.splices import difference, spliced
from reverie.privacy.redact import redacted
from reverie.text.lines import BOM, bare, ending_of, split_lines, with_frame, without_sentences
from reverie.text.terms import plain
from reverie.workspace.news import judged_in, judged_line
from reverie.workspace.values import Edit, Intent, Plan, Run, Snapshot, hash_text, short_id, to_bytes

_OURS = re.compile(r"<!-- dream:([0-9a-f]{8}) -->")

_TOLD = frozenset({Kind.DIARY, Kind.REPORT, Kind.PALACE, Kind.REVIEW_LOG, Kind.PROPOSED})
Says = Callable[[str], bool]  # whether a text says what is to be forgotten


@dataclass(frozen=True, slots=True)
class Cut:
    """Lines (from zero, end excluded) of which a statement leaves. `whole` takes all of them along, come what may."""

    path: str
    first: int
    end: int
    text: str
    whole: bool = False


def forget_plan(
    snapshot: Snapshot,
    cuts: Sequence[Cut],
    says: Says,
    now: datetime,
    *,
    forever: bool = False,
    also: Sequence[str] = (),
    quotes: Sequence[Cut] = (),
    files: Sequence[str] = (),
) -> Plan:
    """The plan that takes these lines out; `also` are statements of the archive that get a tombstone besides.

    `quotes` are lines that leave without one, `files` those that leave whole.
    """
    edits = cut_edits(snapshot, [*cuts, *quotes], says, FORGET, files)
    if not edits and not (forever and also):
        return plan_of(snapshot, Intent.FORGET, [], now)
    stones = [*(cut.text for cut in cuts), *(also if forever else ())]
    edits += _tombstone_edits(snapshot, stones, now, forever=forever)
    if forever:  # what is gone for good has nothing to come back from
        edits += _told_edits(snapshot, cuts, _saying(stones, says))
    else:
        edits += _summaries(snapshot, cuts, now)
    return _plan_of(snapshot, edits, files, now)


def _plan_of(snapshot: Snapshot, edits: Sequence[Edit], files: Sequence[str], now: datetime) -> Plan:
    plan = plan_of(snapshot, Intent.FORGET, [*edits, *_judged_edits(snapshot, edits)], now)
    return replace(plan, removes=tuple(files))


def _saying(texts: Sequence[str], says: Says) -> Says:
    """Whether a text says one of these statements, in whatever words."""
    gone = Forgotten(tuple(tombstone(text, forever=True, whole=True) for text in texts))
    words = [plain(statement(text)) for text in texts]

    def holds(text: str) -> bool:
        return says(text) or any(one and one in plain(text) for one in words) or gone.is_gone(text)

    return holds


def _told_edits(snapshot: Snapshot, cuts: Sequence[Cut], holds: Says) -> list[Edit]:
    """What dreams told of it leaves too: logs, diary, palace, reports, and records of what was asked or suggested."""
    told = [cut for cut in _other_lines(snapshot, cuts, holds) if place_of(cut.path).kind in _TOLD]
    edits = cut_edits(snapshot, told, holds, FORGET)
    for path in filter(_is_list, snapshot.files):
        if path != LEDGER_INDEX:  # a view of the archive, which stays as it is
            edits += _list_edits(snapshot, path, holds, "view", say("forget.why"))
    return edits


def _list_edits(snapshot: Snapshot, path: str, holds: Says, tag: str, why: str) -> list[Edit]:
    """A list without the records that hold the words."""
    before = snapshot.text_of(path)
    records = read_array(before, path, dict)
    kept = [one for one in records if not any(map(holds, (json_text(one), *_texts_in(one))))]
    return list(difference(path, before, array_text(kept), id=tag, tag=tag, why=why)) if kept != records else []


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(inner)


def cut_edits(snapshot: Snapshot, cuts: Sequence[Cut], says: Says, tag: str, files: Sequence[str] = ()) -> list[Edit]:
    """One edit for each statement that leaves, outermost first; sentences beside it in the same paragraph stay. `files` leave whole."""
    whole = {path: split_lines(snapshot.text_of(path)) for path in files}
    edits = [Edit(short_id(path), path, 0, lines, (), tag, say("forget.why")) for path, lines in whole.items()]
    done = {path: len(lines) for path, lines in whole.items()}
    for cut in sorted(cuts, key=lambda cut: (cut.path, cut.first, -cut.end)):
        if cut.first < done.get(cut.path, 0):
            continue  # it leaves with the item it hangs on
        lines = split_lines(snapshot.text_of(cut.path))
        first, end = cut.first, cut.end
        new = () if cut.whole else without_sentences(lines[first:end], says)
        if not new:
            gone = {i for one in cuts if one.path == cut.path for i in range(one.first, one.end)}
            first, end = with_frame(lines, first, end, gone)
        old = lines[first:end]
        if first == 0 and old and old[0].startswith(BOM) and not (new and new[0].startswith(BOM)):
            new = (BOM + new[0], *new[1:]) if new else (BOM + old[0][len(bare(old[0])) :],)
        edits.append(Edit(short_id(cut.text), cut.path, first, old, new, tag, say("forget.why")))
        done[cut.path] = end
    return edits


def _tombstone_edits(
    snapshot: Snapshot, texts: Sequence[str], now: datetime, *, forever: bool, purged: bool = False
) -> list[Edit]:
    """A tombstone for each statement; one that was forgotten before gets the later day and the stronger word."""
    before = snapshot.text_of(TOMBSTONES)
    stones = {stone.id: stone for stone in from_records(read_array(before, TOMBSTONES, dict))}
    for text in texts:
        new = tombstone(text, now.isoformat(timespec="seconds"), forever=forever, purged=purged, whole=True)
        stones[new.id] = stronger(new, stones.get(new.id, new))
    after = array_text([as_record(stone) for stone in stones.values()])
    return list(difference(TOMBSTONES, before, after, id="tombstone", tag="view", why=say("forget.why")))


def lifted_edits(snapshot: Snapshot, text: str) -> list[Edit]:
    """The tombstones without those that stand for this: the owner says it again and wants it kept."""
    before = snapshot.text_of(TOMBSTONES)
    stones = [one for one in tombstones_in(snapshot) if not one.covers(text)]
    after = array_text([as_record(stone) for stone in stones])
    return list(difference(TOMBSTONES, before, after, id="tombstone", tag="view", why=say("note.said_again")))


def tombstones_in(snapshot: Snapshot) -> tuple[Tombstone, ...]:
    return from_records(read_array(snapshot.text_of(TOMBSTONES), TOMBSTONES, dict))


def _judged_edits(snapshot: Snapshot, edits: Sequence[Edit]) -> list[Edit]:
    """A note that only lost lines has nothing new to judge: its place in the cursor follows its new bytes."""
    before = snapshot.text_of(JUDGED)
    known = judged_in(before)
    lines = {bare(line).partition(" ")[2]: i for i, line in enumerate(split_lines(before))}
    new = list(split_lines(before))
    for path in sorted({edit.path for edit in edits} & set(known)):
        file = snapshot.files[path]
        if known[path] != file.written_hash[: len(known[path])]:
            continue
        text = spliced(file.text, [edit for edit in edits if edit.path == path])
        told = replace(file, text=text, hash=hash_text(text)).written_hash
        new[lines[path]] = judged_line(told, path) if told else ""
    return list(difference(JUDGED, before, "".join(new), id="cursor", tag="view", why=say("forget.cursor")))


def owner_removed(snapshot: Snapshot, runs: Sequence[Run]) -> frozenset[str]:
    """Lines of ours that stand in no MEMORY.md any more though no run took them out: the owner did, by hand.

    A memory that says nothing at all is a lost file, not a hundred decisions.
    """
    memory = "".join(file.text for file in snapshot.memories)
    if not memory.removeprefix(BOM).strip():
        return frozenset()
    ours: dict[str, str] = {}
    for run in runs:
        for edit in (edit for edit in run.plan.edits if edit.tag != "view" and (edit.path, edit.at) not in run.left):
            if holds_memory(edit.path):
                for its in (found[1] for line in edit.old for found in _OURS.finditer(line)):
                    ours.pop(its, None)
                ours |= {found[1]: statement(line) for line in edit.new for found in _OURS.finditer(line)}
    there = {found[1] for found in _OURS.finditer(memory)}
    return frozenset(text for its, text in ours.items() if its not in there)


def _summaries(snapshot: Snapshot, cuts: Sequence[Cut], now: datetime) -> list[Edit]:
    before = snapshot.text_of(REMOVED)
    records: dict[str, Any] = {str(item.get("id")): item for item in read_array(before, REMOVED, dict)}
    for cut in cuts:
        its = short_id(statement(cut.text))
        records[its] = {
            "id": its, "summary": redacted(summary(cut.text), frozenset()), "content_hash": sha256(to_bytes(statement(cut.text))).hexdigest(),
            "removed_at": f"{now:%Y-%m-%d %H:%M}", "removed_ts": int(now.timestamp()),
            "reemergence_count": records.get(its, {}).get("reemergence_count", 0), "forgotten": True,
        }  # fmt: skip
    return list(
        difference(REMOVED, before, array_text(list(records.values())), id="index", tag="view", why=say("forget.why"))
    )


def purge_plan(
    snapshot: Snapshot,
    cuts: Sequence[Cut],
    holds: Says,
    says: Says,
    texts: Sequence[str],
    now: datetime,
    *,
    files: Sequence[str] = (),
) -> Plan:
    """Everything that holds the words, in every file that was read and is ours to clean; `texts` get tombstones."""
    erased = say("forget.erased")
    cuts = [*cuts, *_other_lines(snapshot, cuts, holds)]
    edits = cut_edits(snapshot, cuts, says, PURGE, files)
    edits += _ledger_edits(snapshot, holds, now)
    for path in filter(_is_list, snapshot.files):
        edits += _list_edits(snapshot, path, holds, PURGE, erased)
    if not edits and not texts:
        return plan_of(snapshot, Intent.FORGET, [], now)
    edits += _tombstone_edits(snapshot, texts, now, forever=True, purged=True)
    return _plan_of(snapshot, edits, files, now)


def _is_list(path: str) -> bool:
    """Lists in JSON lose whole records: a line taken out would take its comma along."""
    return place_of(path).kind is Kind.INDEX and path.endswith(".json") and path != TOMBSTONES


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
    text, erased = snapshot.text_of(LEDGER), say("forget.erased")
    lines, blocks, starts = split_lines(text), read_ledger(text), ledger_lines(text)
    edits: list[Edit] = []
    for block, start in zip(blocks, starts, strict=True):
        end = min((other for other in starts if other > start), default=len(lines) + 1) - 1
        if not any(holds(bare(line)) for line in (*lines[start - 1 : end], " ".join(block.content))):
            continue
        ending = ending_of(lines)
        stub = ("---", f"ID: {block.id}", f"Updated: {now:%Y-%m-%d %H:%M}", "Event: erased", f"Note: {erased}", "---")
        new = tuple(line + ending for line in stub)
        edits.append(Edit(block.id, LEDGER, start - 1, lines[start - 1 : end], new, PURGE, erased))
    taken = {i for edit in edits for i in range(edit.at, edit.at + len(edit.old))}
    for number, line in enumerate(lines):  # an older tool's lines between the blocks
        if number not in taken and holds(bare(line)):
            edits.append(Edit(PURGE, LEDGER, number, (line,), (), PURGE, erased))
    return edits
