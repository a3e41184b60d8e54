"""A part of a plan, and the way back: some decisions left out, or a whole run taken back as a run of its own.

The archive, the `## Dream` section, the index and the log follow the decisions that remain: they are built anew, so that a
line and its archive go together. While a file is as a run left it, undo restores its bytes exactly; where something happened
later, each edit is found again by its text and its neighbours, later changes stay, and a collision is refused with its line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any

from reverie.core.errors import UndoCollision, UnknownRun
from reverie.core.layout import JUDGED, LEDGER, QUESTIONS, REJECTED, REVIEWED, SUGGESTIONS, Kind, holds_memory, place_of
from reverie.judge.operation import Op, Operation
from reverie.lang.messages import say
from reverie.plan.build import build_plan, plan_of
from reverie.plan.ledger import Archived, array_text, json_text, read_array, read_ledger
from reverie.plan.reports import INLINE
from reverie.plan.splices import (
    FOOTER,
    VIEW,
    difference,
    found_again,
    lines_leaving,
    spliced,
    turned_round,
    with_neighbours,
)
from reverie.privacy.redact import shown
from reverie.text.lines import bare, count_units, split_lines
from reverie.text.markdown import Block, Shape
from reverie.text.sections import AREAS, OURS, STABLE, area_of, section_names, sections_of
from reverie.text.terms import plain
from reverie.workspace.claude_topics import topic_name
from reverie.workspace.news import judged_text
from reverie.workspace.openclaw_format import read_back, words_of
from reverie.workspace.values import (
    ABSENT,
    SCRUBBED,
    Edit,
    File,
    Intent,
    Plan,
    Run,
    Snapshot,
    Source,
    Statement,
    stated,
)

_LEAD = re.compile(r"[ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?")
_TOLD = frozenset({Kind.DIARY, Kind.REPORT, Kind.DAILY})  # pages of the night: they tell what was noticed


BUDGET = ("completed", "over budget")  # tags of what leaves for want of room


@dataclass(frozen=True, slots=True)
class Decision:
    """One thing a plan decides about MEMORY.md, by the id people see."""

    id: str
    operation: Operation


def decisions(snapshot: Snapshot, plan: Plan) -> tuple[Decision, ...]:
    """What a plan decides about MEMORY.md, in its own order; what is derived from that is not decided."""
    kept = {entry.id: entry for entry in read_ledger(_archive_of(plan))}
    found: list[Decision] = []
    made: dict[int, str] = {}  # headings that the plan makes, by the place where it does
    for edit in plan.edits:
        if not holds_memory(edit.path) or edit.tag == VIEW:
            continue
        memory = snapshot.files.get(edit.path)
        if not edit.new:
            found.append(Decision(edit.id, _leaving(memory, edit, kept)))
        elif memory and is_replacement(edit):
            found.append(Decision(edit.id, _changing(memory, edit)))
        else:
            found += _coming(memory, edit, made)
    return tuple(found)


def together(found: tuple[Decision, ...], ids: Set[str]) -> frozenset[str]:
    """These ids and those that mean nothing without them: a row that leaves because a line comes, and that line."""
    pairs = [
        (one.id, other.id)
        for one in found
        for other in found
        if one is not other and one.operation.op is not other.operation.op is Op.END
        if (one.operation.tag, one.operation.why) == (other.operation.tag, other.operation.why)
        if set(one.operation.sources) & set(other.operation.sources)
    ]
    whole = set(ids)
    for pair in pairs:
        if whole & set(pair):
            whole |= set(pair)
    return frozenset(whole)


def parted(snapshot: Snapshot, plan: Plan, without: Set[str]) -> Plan:
    """The plan without these decisions. Nothing to leave out gives the plan itself."""
    found = decisions(snapshot, plan)
    left_out = together(found, without)
    kept = [one.operation for one in found if one.id not in left_out]
    if len(kept) == len(found):
        return plan
    now = datetime.fromisoformat(plan.made)
    lists = [edit for edit in plan.edits if edit.path in (SUGGESTIONS, QUESTIONS)]  # what waits was not left out
    built = build_plan(snapshot, kept, now, notices=plan.flags, refused=plan.refused, also=lists)
    if not built.edits:
        return built  # nothing is left to do, so there is nothing to tell either
    cursor = [edit for edit in plan.edits if edit.path == JUDGED]
    told = [edit for edit in plan.edits if place_of(edit.path).kind in _TOLD and edit.path not in built.paths]
    newer = () if is_up_to_date(snapshot, plan) else (REVIEWED,)  # notes that this plan never saw are not reviewed
    edits = [edit for edit in built.edits if edit.path not in (JUDGED, *newer)]
    whole = plan_of(snapshot, plan.intent, [*edits, *cursor, *told], now, flags=plan.flags, refused=plan.refused)
    return replace(whole, undoes=plan.undoes, use=plan.use)


def is_up_to_date(snapshot: Snapshot, plan: Plan) -> bool:
    """Whether the plan has judged all notes that are there now; a proposal may wait while its owner writes on."""
    cursor = [edit for edit in plan.edits if edit.path == JUDGED]
    return spliced(snapshot.text_of(JUDGED), cursor) == judged_text(snapshot)


def with_declined(snapshot: Snapshot, plan: Plan, ids: Set[str], now: datetime) -> Plan:
    """The plan, which also remembers what the owner does not want, so that no later night proposes it again."""
    text = snapshot.text_of(REJECTED)
    fresh = sorted(ids - declined(snapshot).keys())
    after = text + "".join(f"{name} {now:%Y-%m-%d}\n" for name in fresh)
    cursor = difference(REJECTED, text, after, id="cursor", tag=VIEW, why=say("why.declined"))
    whole = plan_of(snapshot, plan.intent, [*plan.edits, *cursor], now, flags=plan.flags, refused=plan.refused)
    return replace(whole, made=plan.made, probes=plan.probes)


def declined(snapshot: Snapshot) -> dict[str, str]:
    """The ids of items that the owner did not want, each with the day on which it was declined."""
    lines = [line.split() for line in snapshot.text_of(REJECTED).split("\n") if line.strip()]
    return {line[0]: line[1] if len(line) > 1 else "" for line in lines}


def changed(snapshot: Snapshot, plan: Plan) -> tuple[int, int]:
    """How many statements of MEMORY.md would leave it, and of how many.

    An update changes a value and leaves the line; copies count once: when one of two leaves, nothing is said less. What leaves because the file is over its limit does not
    count, since the host would cut it off in silence.
    """
    counted = [_changed(snapshot, plan, memory) for memory in snapshot.memories]
    return sum(gone for gone, _ in counted), sum(said for _, said in counted)


def _changed(snapshot: Snapshot, plan: Plan, memory: File) -> tuple[int, int]:
    limits = snapshot.workspace.settings.memory
    over = count_units(memory.text) > limits.hard_limit or len(memory.document.lines) > limits.max_lines
    its = [edit for edit in plan.edits if edit.path == memory.path]
    spared = {plain(line) for edit in its if edit.new or (over and edit.tag in BUDGET) for line in edit.old}
    after = {plain(line) for line in split_lines(spliced(memory.text, its))}
    said = {words for entry in memory.entries if (words := plain(memory.document.lines[entry.block.first]))}
    return len(said - after - spared), len(said)


def _archive_of(plan: Plan) -> str:
    return "".join(line for edit in plan.edits if edit.path == LEDGER for line in edit.new)


def _leaving(memory: File | None, edit: Edit, kept: Mapping[str, Archived]) -> Operation:
    """What left: as many lines as the archive holds of it. The blank line below went along and says nothing."""
    size = len(kept[edit.id].content) if edit.id in kept else len([line for line in edit.old if line.strip()])
    target = _target(memory, edit, edit.at + size)
    return Operation(Op.END, edit.why, _cites(edit), (target,), tag=edit.tag, by=edit.by, detail=edit.detail)


def _changing(memory: File, edit: Edit) -> Operation:
    """The change of a line: the words of the first line that differs, in each other's place."""
    target = _target(memory, edit, edit.at + len(edit.old))
    if len(edit.old) == len(edit.new):
        old, new = next((bare(one), bare(other)) for one, other in zip(edit.old, edit.new, strict=True) if one != other)
        lead = _LEAD.match(old)
        at = lead.end() if lead else 0
        changed = Operation(Op.UPDATE, edit.why, _cites(edit), (target,), old=old[at:], new=new[at:])
    else:
        changed = Operation(Op.UPDATE, edit.why, _cites(edit), (target,), _text(edit.new[0]))
    return replace(changed, tag=edit.tag, by=edit.by, detail=edit.detail, drops=edit.drops)


def _cites(edit: Edit) -> tuple[Statement, ...]:
    """What the edit rests on, as far as an edit knows: the places."""
    return tuple(stated(one.path, one.first, one.last, "") for one in edit.sources if one.path != edit.path)


def _coming(memory: File | None, edit: Edit, made: dict[int, str]) -> Iterator[Decision]:
    there, place = set(map(bare, edit.old)), edit.at + len(edit.old)
    for above, line in zip(("", *edit.new), edit.new, strict=False):
        if line.startswith("## "):
            made[place] = bare(line)[3:]
        mark = _mark(line)
        if mark and bare(line) not in there:
            section = _home(memory, place, made.get(place, ""))
            numbers = read_back(line, above)
            operation = Operation(
                Op.ADD,
                edit.why,
                _cites(edit),
                (),
                _text(line),
                section=section,
                tag=edit.tag,
                by=edit.by,
                detail=edit.detail,
                promoted=numbers,
            )
            yield Decision(mark, operation)


def _home(memory: File | None, place: int, made: str) -> str:
    """The section a new line goes to: the owner's that it stands in, else the area whose heading was made for it."""
    area = next((AREAS[names.index(made)] for names in section_names().values() if made in names), "")
    if memory is None or not memory.text.strip():
        return area or STABLE
    if memory.place.kind is Kind.MEMORY_TOPIC and not sections_of(memory.document):
        return topic_name(memory.path, memory.text)
    above = [section.heading for section in sections_of(memory.document) if section.first <= place]
    known = {section.heading for section in sections_of(memory.document)}
    if area and made not in known:
        return area
    return above[-1] if above else area_of(made) or STABLE


def _target(memory: File | None, edit: Edit, end: int) -> Statement:
    """The entry whose lines these are; a section that was pasted twice is none, and its lines must do."""
    entries = memory.entries if memory else ()
    for entry in entries:
        if entry.block.first == edit.at and end in (entry.block.end, entry.block.tail):
            block = entry.block if entry.block.tail == end else replace(entry.block, tail=end)
            return replace(entry, block=block)
    text = _text(edit.old[0]) if edit.old else ""
    block = Block(Shape.PARAGRAPH, edit.at, end, text, tail=end)
    return Statement(text, Source(edit.path, edit.at + 1, max(end, edit.at + 1)), block=block)


def is_replacement(edit: Edit) -> bool:
    kept = set(map(bare, edit.new))
    return bool(edit.old) and not any(bare(line) in kept for line in edit.old if line.strip())


def _mark(line: str) -> str:
    found = OURS.search(bare(line))
    return found[1] if found else ""


def _text(line: str) -> str:
    return words_of(OURS.sub("", _LEAD.sub("", bare(split_lines(line)[0]), count=1)).strip())


_PAGES = frozenset({Kind.DIARY, Kind.REPORT, Kind.PALACE})


def undo_plan(snapshot: Snapshot, run: Run, now: datetime, taken: Set[str] = frozenset()) -> Plan:
    """What undoing `run` means for the files as they are now. Raises UndoCollision where they disagree.

    `taken`: the decisions of it that were taken back one by one since; they do not come back a second time.
    """
    edits: list[Edit] = []
    removes: list[str] = []
    for path in run.plan.paths:
        if run.after[path] == SCRUBBED:  # what would come back is only a mask of what stood there
            raise UnknownRun(say("scrub.not_back", id=run.id, path=path))
        before, its = (
            run.plan.base[path],
            [e for e in run.plan.edits if e.path == path and (path, e.at) not in run.left],
        )
        if taken and holds_memory(path):
            its = [_without_taken(edit, taken) for edit in its if edit.id not in taken]
        if snapshot.hash_of(path) != run.after[path]:
            edits += _relocated(snapshot, path, its)
        else:
            edits += turned_round(its)
            removes += [path] if before == ABSENT else []
    placed = [
        replace(edit, why=say("why.undoes", id=run.id))
        for path in dict.fromkeys(edit.path for edit in edits)
        for edit in with_neighbours([e for e in edits if e.path == path], split_lines(snapshot.text_of(path)))
    ]
    base = {path: snapshot.hash_of(path) for path in sorted({edit.path for edit in placed} | set(removes))}
    made = now.isoformat(timespec="seconds")
    return Plan(Intent.UNDO, made, MappingProxyType(base), tuple(placed), tuple(removes), undoes=run.id)


def _without_taken(edit: Edit, taken: Set[str]) -> Edit:
    """An edit that brought several lines, without those that have left again."""
    marks = ((line, OURS.search(bare(line))) for line in edit.new)
    return replace(edit, new=tuple(line for line, mark in marks if not mark or mark[1] not in taken))


def _relocated(snapshot: Snapshot, path: str, edits: Sequence[Edit]) -> list[Edit]:
    """The way back on a file that has moved on."""
    kind = place_of(path).kind
    if path == JUDGED:
        return _unread(snapshot, edits)
    if kind is Kind.CURSOR:
        return []
    if kind is Kind.INDEX and path.endswith(".json"):
        return _without_items(snapshot, path, edits)
    lines = split_lines(snapshot.text_of(path))
    leaving = lines_leaving(edits, undone=True)
    found: list[Edit] = []
    for edit in turned_round(edits):
        if edit.tag == VIEW and kind is Kind.MEMORY and edit.id != FOOTER:
            continue  # the Dream section is rendered anew by the next night
        again = found_again(edit, lines, leaving)
        if kind is Kind.CLASSIFIED and not edit.old and not any(edit.around):
            again = None  # another file has its name by now
        if again is None and (kind in _PAGES or edit.tag == INLINE or edit.id == FOOTER):
            continue  # pages are for reading; a later night has written over this one
        if again is None:
            raise UndoCollision(path, shown(bare((edit.old or edit.new)[0]).strip()))
        found.append(again)
    return found


def _unread(snapshot: Snapshot, edits: Sequence[Edit]) -> list[Edit]:
    """The notes that the run was the first to judge are new again; what later runs read stays read."""
    text = snapshot.text_of(JUDGED)
    added = {line for edit in edits for line in edit.new} - {line for edit in edits for line in edit.old}
    after = "".join(line for line in split_lines(text) if line not in added)
    return list(difference(JUDGED, text, after, id="cursor", tag=VIEW, why=say("log.cursor")))


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
    return list(difference(path, text, array_text(left), id="index", tag=VIEW, why=say("why.index")))


def _name(item: Any) -> str:
    """What makes two items of a list the same one: their id, else all of them."""
    return str(item["id"]) if isinstance(item, dict) and "id" in item else json_text(item)


def _items(lines: Sequence[str], path: str) -> list[Any]:
    """The items that these lines of a list hold, laid out by us or by another tool."""
    inner = "".join(lines).strip().removeprefix("[").strip(", \t\r\n")
    for text in (inner, inner.removesuffix("]").strip(", \t\r\n")):
        try:
            return list(json.loads(f"[{text}]"))
        except (ValueError, RecursionError):
            continue
    raise UndoCollision(path, shown(bare(lines[0]).strip()))
