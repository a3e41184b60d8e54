"""Operations → plan: every operation becomes splices, each with its reason and its sources.

What leaves MEMORY.md, or stood where an update is made, enters the ledger in the same plan; what is derived from the ledger is
rendered anew by `plan/views.py`. Nothing is decided here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType

from reverie.core.layout import LEDGER, Kind, holds_memory, place_of
from reverie.judge.operation import Op, Operation
from reverie.lang.detect import language_of
from reverie.plan import views
from reverie.plan.dream_log import distill_edits, log_edits
from reverie.plan.enter import changed, entering, footer_edit, home_of
from reverie.plan.ledger import Archived, block
from reverie.plan.reports import NO_PAGES, Pages, page_edits
from reverie.plan.splices import VIEW, with_neighbours
from reverie.text.lines import appended, bare, split_lines, with_frame
from reverie.text.markdown import MIXED_ENDINGS
from reverie.text.sections import AREAS, name_of
from reverie.workspace.values import Edit, File, Intent, Notice, Plan, Snapshot, Statement, short_id

_DERIVED = frozenset({Kind.CURSOR, Kind.INDEX, Kind.REVIEW_LOG, Kind.REPORT, Kind.DIARY})


def build_plan(
    snapshot: Snapshot,
    operations: Sequence[Operation],
    now: datetime,
    *,
    notices: Sequence[Notice] = (),
    refused: Mapping[str, int] = MappingProxyType({}),
    pages: Pages = NO_PAGES,
    also: Sequence[Edit] = (),
    unsure: Sequence[Operation] = (),
) -> Plan:
    """The plan of a night. Without operations and without new material it is empty and touches nothing.

    `also` are edits of the night's own lists (questions, suggestions), which go with what it decides. `unsure` are changes that
    wait for a yes: the log names them, and both sides stay.
    """
    from reverie.plan.ledger import with_events  # it makes plans of its own with `plan_of`

    operations = possible(snapshot, operations)
    changes, coming, archived = _decided(snapshot, operations, now)
    edits = [*changes, *coming, *_archive(snapshot, archived)]
    told = page_edits(snapshot, pages, now)
    told += log_edits(snapshot, [*operations, *unsure], notices, [*changes, *coming], refused, now)
    told += [*distill_edits(snapshot, now), *also, *_footer(snapshot, [*changes, *coming], now)]
    edits += views.night_edits(snapshot, archived, [*changes, *coming], now, sum(refused.values()), told)
    edits = with_events(snapshot, [*edits, *told], operations, now)
    return plan_of(snapshot, Intent.DREAM, _writable(snapshot, edits), now, flags=tuple(notices), refused=refused)


def _footer(snapshot: Snapshot, edits: Sequence[Edit], now: datetime) -> list[Edit]:
    memory = snapshot.files.get(snapshot.memory_path)
    return footer_edit(memory, now) if memory and any(edit.path == memory.path for edit in edits) else []


def _writable(snapshot: Snapshot, edits: Sequence[Edit]) -> list[Edit]:
    """Without edits of derived files in whose place stands what is no file: that costs the page or the cursor, not the night."""
    odd = {refusal.path for refusal in snapshot.refused if place_of(refusal.path).kind in _DERIVED}
    folders = tuple(f"{refusal.path.rstrip('/')}/" for refusal in snapshot.refused)
    return [edit for edit in edits if edit.path not in odd and not edit.path.startswith(folders)]


def accepted_plan(
    snapshot: Snapshot,
    operations: Sequence[Operation],
    now: datetime,
    also: Sequence[Edit] = (),
    intent: Intent = Intent.SUGGESTION,
) -> Plan:
    """The plan of operations that somebody said yes to by day: MEMORY.md and the archive as on a night, no log and no cursor."""
    from reverie.plan.ledger import with_events  # it makes plans of its own with `plan_of`

    operations = possible(snapshot, operations)
    changes, coming, archived = _decided(snapshot, operations, now)
    edits = [*changes, *coming, *_archive(snapshot, archived), *views.archive_edits(snapshot, archived, now)]
    edits += _footer(snapshot, [*changes, *coming], now)
    return plan_of(snapshot, intent, [*with_events(snapshot, edits, operations, now), *also], now)


def possible(snapshot: Snapshot, operations: Sequence[Operation]) -> Sequence[Operation]:
    """None for a file with mixed endings: no line of it can be taken out and put back for certain. The doubts tell of it."""
    mixed = {file.path for file in snapshot.memories if MIXED_ENDINGS in file.document.doubts}
    return [one for one in operations if home_of(snapshot, one) not in mixed] if mixed else operations


def _decided(
    snapshot: Snapshot, operations: Sequence[Operation], now: datetime
) -> tuple[list[Edit], list[Edit], list[Archived]]:
    """What changes or leaves memory, what enters it, and the blocks of the ledger for what was there."""
    changes, archived = list[Edit](), list[Archived]()
    for file in snapshot.memories:
        edits, blocks = memory_changes(file, operations, now)
        changes += edits
        archived += blocks
    gone = {(edit.path, i) for edit in changes for i in range(edit.at, edit.at + len(edit.old))}
    adds = [one for one in operations if one.op is Op.ADD]
    names = _names(snapshot.files.get(snapshot.memory_path))
    return changes, entering(snapshot, adds, names, gone, now.date()), archived


def _within(operation: Operation, path: str) -> Operation:
    """An operation as far as it is about lines of this file; a merge keeps the line that stays, wherever it stands."""
    if all(entry.path == path for entry in operation.memory):
        return operation
    kept = operation.memory[:1] if operation.op is Op.MERGE else ()
    mine = tuple(entry for entry in operation.memory[len(kept) :] if entry.path == path)
    return replace(operation, memory=(*kept, *mine))


def memory_changes(memory: File, operations: Sequence[Operation], now: datetime) -> tuple[list[Edit], list[Archived]]:
    """The edits of lines of a file that change or leave, and the block of the ledger for each, in the order of the operations."""
    operations = [_within(one, memory.path) for one in operations]
    leaving = _outermost([(one, entry) for one in operations for entry in _leaving(one)])
    gone = {i for _, entry in leaving for i in range(entry.block.first, entry.block.tail)}
    updates: dict[int, list[Operation]] = {}
    entries: dict[int, Statement] = {}
    for one in operations:
        entry = one.target
        if entry is not None and entry.path == memory.path and entry.block.first not in gone and _tells(one):
            updates.setdefault(entry.block.first, []).append(one)
            entries[entry.block.first] = entry
    edits, archived = [], []
    for first, its in updates.items():
        edit = changed(memory, entries[first], its)
        if edit.new != edit.old:
            edits.append(edit)
            archived.append(_archived(memory, its[-1], entries[first], now, entries[first].block.end))
    for one, entry in leaving:
        block = _archived(memory, one, entry, now, entry.block.tail)
        edits.append(_removal(memory, one, entry, block.id, gone))
        archived.append(block)
    return edits, archived


def _leaving(operation: Operation) -> tuple[Statement, ...]:
    return operation.memory if operation.op is Op.END else operation.memory[1:] if operation.op is Op.MERGE else ()


def _tells(operation: Operation) -> bool:
    """Whether it gives its first line other words."""
    return operation.op is Op.UPDATE or (operation.op is Op.MERGE and bool(operation.text))


def _names(memory: File | None) -> dict[str, str]:
    """What sections of ours are called in this memory: in the language its owner writes."""
    language = language_of([entry.text for entry in memory.entries]) if memory else "en"
    return {area: name_of(area, language) for area in AREAS}


def _outermost(leaving: Sequence[tuple[Operation, Statement]]) -> list[tuple[Operation, Statement]]:
    """Without the lines that already leave with another's: a finished item takes its repeated child along."""
    kept: list[tuple[Operation, Statement]] = []
    end = 0
    for one, entry in sorted(leaving, key=lambda pair: (pair[1].block.first, -pair[1].block.tail)):
        if entry.block.first >= end:
            kept.append((one, entry))
            end = entry.block.tail
    return kept


def plan_of(
    snapshot: Snapshot, intent: Intent, edits: Sequence[Edit], now: datetime, *, flags: tuple[Notice, ...] = (), undoes: str = "",
    refused: Mapping[str, int] = MappingProxyType({}),
) -> Plan:  # fmt: skip
    """A plan that names the bytes it was decided on and can find its places again."""
    placed = [
        edit
        for path in dict.fromkeys(edit.path for edit in edits)
        for edit in with_neighbours([e for e in edits if e.path == path], split_lines(snapshot.text_of(path)))
    ]
    base = {path: snapshot.hash_of(path) for path in sorted({edit.path for edit in placed})}
    counts = Counter(edit.tag for edit in placed if holds_memory(edit.path) and edit.tag != VIEW)
    return Plan(
        intent, now.isoformat(timespec="seconds"), MappingProxyType(base), tuple(placed),
        flags=flags, counts=MappingProxyType(dict(counts)), undoes=undoes, refused=MappingProxyType(dict(refused)),
    )  # fmt: skip


def _archived(memory: File, operation: Operation, entry: Statement, now: datetime, end: int) -> Archived:
    content = tuple(bare(line) for line in memory.document.lines[entry.block.first : end])
    return Archived(
        id=short_id("\n".join(content)),
        archived=f"{now:%Y-%m-%d %H:%M}",
        category=operation.tag,
        content=content,
        source=", ".join(map(str, operation.sources)),
        note=operation.why,
        section=entry.headings[-1] if entry.headings else "",
    )


def _removal(memory: File, operation: Operation, entry: Statement, its_id: str, gone: Set[int]) -> Edit:
    """Take the entry's lines out."""
    lines = memory.document.lines
    first, end = with_frame(lines, entry.block.first, entry.block.tail, gone)
    return Edit(
        its_id, memory.path, first, lines[first:end], (), operation.tag, operation.why, operation.sources,
        op=str(operation.op), by=operation.by, detail=operation.detail, drops=operation.drops,
    )  # fmt: skip


def _archive(snapshot: Snapshot, archived: Sequence[Archived]) -> list[Edit]:
    lines = split_lines(snapshot.text_of(LEDGER))
    edits: list[Edit] = []
    for entry in archived:
        at, old, new = appended(lines, block(entry)) if not edits else (len(lines), (), _fresh(lines, entry))
        edits.append(Edit(entry.id, LEDGER, at, old, new, entry.category, entry.note))
    return edits


def _fresh(lines: Sequence[str], entry: Archived) -> tuple[str, ...]:
    """Lines for the end of a ledger whose last line an earlier edit already closed."""
    return appended([line for line in lines[:1] if line.endswith(("\n", "\r"))], block(entry))[2]
