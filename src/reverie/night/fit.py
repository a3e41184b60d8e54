"""Room in MEMORY.md for what is worth more. The host counts characters and cuts in silence, so nothing may outgrow its limit.

A memory that is over its limit when it is found gets smaller every night and never larger. What says that it is finished leaves
first, then all wordings of a fact but one, then what is worth least, and what waits for something last; at most a few lines a night.
A new line enters when there is room, and nothing leaves because of it; while the file stays over its limit, what enters takes at most half of the room that was made. What the owner protects stays, and if that
alone is too much, it is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from reverie.features.classify.memories import is_state
from reverie.judge.brief import Brief
from reverie.judge.compose import plain_line
from reverie.judge.descriptions import keeping_rule, understood_rules
from reverie.judge.operation import BUILT_IN, Level, Op, Operation, leaving_lines, words_after
from reverie.judge.relation import values_of
from reverie.judge.worth import LineToWeigh, worth_of
from reverie.lang import words
from reverie.lang.lexicon import any_of
from reverie.lang.messages import say
from reverie.text.lines import count_units
from reverie.text.markdown import Shape
from reverie.text.marks import is_done, is_history
from reverie.text.sections import AREAS
from reverie.text.terms import bag, is_negated, other_names, plain, shared
from reverie.workspace.values import Notice, Origin, Statement, is_reemerged

TAG = "over budget"
ROOM = 0.97  # of the hard limit: new lines fill it no further
NEWS = 0.5  # a line that begins with its day tells what happened then; it is worth half of one that holds
ALIKE = 0.5  # of their words that two lines share which may be wordings of one fact
_WORD = re.compile(r"[\u3040-\u9fff]|(?:(?![\u3040-\u9fff])\w)+")
_SHAPES = frozenset({Shape.BULLET, Shape.NUMBERED, Shape.PARAGRAPH})


@dataclass(frozen=True, slots=True)
class Fitted:
    """What happens tonight, what waits for want of room, and what is said about it."""

    operations: tuple[Operation, ...]
    waiting: tuple[Operation, ...] = ()
    notices: tuple[Notice, ...] = ()


def fit(brief: Brief, operations: Sequence[Operation], *, share: float, gone_today: int = 0) -> Fitted:
    """The operations that fit, with the ends that make room. `share` of the lines may leave a night, `gone_today` have."""
    room = brief.room
    fixed = [one for one in operations if one.op is not Op.ADD]
    units, lines = _size_after(brief, fixed)
    over = room.units > room.limit or room.lines > room.max_lines
    most = max(0, ceil(share * len(brief.memory)) - gone_today)
    leaving: list[Operation] = []
    if units > room.limit or lines > room.max_lines:
        ranked = _may_leave(brief, operations)
        while ranked and most and (units > room.limit or lines > room.max_lines):
            units, lines, most = _let_go(brief, leaving, ranked.pop(0), units, lines, most)
    entering, waiting, sections = list[Operation](), list[Operation](), set[str]()
    # While it stays over its limit, what enters may take at most half of the room that what leaves has made.
    ceiling = max(ROOM * room.limit, units + (room.units - units) / 2 if over else 0.0)
    for one in sorted((one for one in operations if one.op is Op.ADD), key=lambda one: -one.worth):
        frame = (0, 0) if one.section in sections else (40, 4) if one.section in AREAS else (4, 2)
        more, line = count_units(one.text) + 40 + frame[0], 1 + frame[1]
        if units + more <= ceiling and lines + line <= max(room.max_lines, room.lines - 1 if over else 0):
            units, lines = units + more, lines + line
            sections.add(one.section)
            entering.append(one)
        else:
            waiting.append(one)
    return Fitted((*fixed, *leaving, *entering), tuple(waiting), _told(brief, units, lines) if over else ())


def _size_after(brief: Brief, operations: Sequence[Operation]) -> tuple[int, int]:
    """Characters and lines of MEMORY.md once these have happened."""
    units, lines = brief.room.units, brief.room.lines
    if brief.file is not None:
        gone = {line for path, line in leaving_lines(operations) if path == brief.file.path}
        units, lines = units - sum(count_units(brief.file.document.lines[i]) for i in gone), lines - len(gone)
    for one in operations:
        if one.op in (Op.UPDATE, Op.MERGE) and one.target is not None and _is_counted(brief, one.target):
            units += max(0, count_units(words_after(one)) - count_units(one.target.text))
    return units, lines


def _let_go(
    brief: Brief, leaving: list[Operation], item: tuple[float, int, Statement], units: int, lines: int, most: int
) -> tuple[int, int, int]:
    worth, _, entry = item
    assert brief.file is not None
    inside = brief.file.document.lines[entry.block.first : entry.block.tail]
    under = say("why.stood_under", parent=plain_line(entry.parents[-1])) if entry.parents else ""
    why = say("why.worth_least", worth=worth) + under
    leaving.append(Operation(Op.END, why, (), (entry,), worth=worth, tag=TAG))
    return units - sum(map(count_units, inside)), lines - len(inside), most - 1


def _may_leave(brief: Brief, operations: Sequence[Operation]) -> list[tuple[float, int, Statement]]:
    """Lines of the owner's that nothing protects, nothing hangs on and no operation touches, in the order in which they leave."""
    touched = {id(entry) for one in operations for entry in one.memory}
    gone, rules = set(leaving_lines(operations)), understood_rules(brief.rules)
    entries = [
        line.entry
        for line in brief.memory
        if not line.fixed
        and id(line.entry) not in touched
        and _is_free(line.entry)
        and not keeping_rule(line.entry, rules)
        if (line.entry.path, line.entry.block.first) not in gone and not _is_under_a_task(brief, line.entry)
        if _is_counted(brief, line.entry)
    ]
    embed = brief.embedder.embed if brief.embedder else None
    asked = [
        LineToWeigh(plain_line(entry.text), " > ".join((*entry.headings[-2:], *entry.parents))) for entry in entries
    ]
    values = [1.0 if is_reemerged(e.text) else w.keep * (NEWS if is_history(e.text) else 1.0) for e, w in zip(entries, worth_of(asked, embed), strict=True)]  # fmt: skip
    ranked = sorted(zip(values, range(len(entries)), entries, strict=True), key=lambda item: item[:2])
    return list(
        _in_order(
            ranked, [line.entry for line in brief.memory if (line.entry.path, line.entry.block.first) not in gone]
        )
    )


def _in_order(
    ranked: Sequence[tuple[float, int, Statement]], standing: Sequence[Statement]
) -> Iterator[tuple[float, int, Statement]]:
    """What is finished first, then wordings of one fact, of which the last stays; single facts, what hangs on another line, what is unfinished."""
    alike: dict[object, list[Statement]] = {}
    for entry in standing:
        alike.setdefault(_subject(entry), []).append(entry)
    left = {id(entry) for entry in standing}
    near = {
        id(entry): [
            other for other in alike[_subject(entry)] if other is not entry and _is_alike(entry.text, other.text)
        ]
        for _, _, entry in ranked
    }
    ranked = sorted(ranked, key=lambda item: (_is_open(item[2]), bool(item[2].parents), *item[:2]))
    for leaves in (_is_finished, lambda entry: near[id(entry)], lambda entry: not near[id(entry)]):
        for item in ranked:
            entry = item[2]
            last = near[id(entry)] and not any(id(other) in left for other in near[id(entry)])
            if id(entry) in left and leaves(entry) and not last:
                left.discard(id(entry))
                yield item


def _subject(entry: Statement) -> object:
    """What two lines must share to be wordings of one fact: where they stand, their values, and whether they deny."""
    values = frozenset(plain(one.text) for one in values_of(entry.text))
    return entry.path, entry.headings, entry.parents, values, is_negated(entry.text)


def _is_alike(one: str, other: str) -> bool:
    return shared(one, other) >= ALIKE and not other_names(one, other) and not _is_parallel(one, other)


def _is_parallel(one: str, other: str) -> bool:
    """Word by word the same sentence of another thing: "hay comes from the farm", "milk comes from the farm"."""
    mine, its = _WORD.findall(one), _WORD.findall(other)
    same = sum(a == b for a, b in zip(mine, its, strict=False))
    return len(mine) == len(its) and same >= ALIKE * len(mine) and bag(one) != bag(other)


def _is_finished(entry: Statement) -> bool:
    """Whether a line says of itself that it is finished; the state of something else (`Status: done`) belongs to that."""
    value = entry.text.replace("：", ":").partition(":")[2].strip(" *_.。").casefold()
    done = entry.block.checked is None and value in set(words("notes.done")) - set(words("notes.also_adjectives"))
    return (done or is_done(entry.text, checked=entry.block.checked)) and not is_state(entry)


def _is_open(entry: Statement) -> bool:
    """Whether a line speaks of an open task or an unfinished project."""
    words = any_of("sorting.waits").search(entry.text) or any_of("sorting.in_progress").search(entry.text)
    return entry.block.checked is False or bool(words)


def _is_counted(brief: Brief, entry: Statement) -> bool:
    """Whether a line stands in the file that has a limit: a host reads topic files only when it needs them."""
    return brief.file is not None and entry.path == brief.file.path


def _is_free(entry: Statement) -> bool:
    block = entry.block
    if entry.origin is not Origin.OWNER or block.shape not in _SHAPES or block.tail != block.end:
        return False
    frame = entry.text.rstrip("*_ ").endswith((":", "：")) or (_is_property(entry) and not _is_finished(entry))
    return not frame


def _is_under_a_task(brief: Brief, entry: Statement) -> bool:
    """What stands under a box belongs to its task, and leaves with it or not at all."""
    blocks = brief.file.document.blocks if brief.file else ()
    above = entry.block.parent
    while above is not None:
        if blocks[above].checked is not None:
            return True
        above = blocks[above].parent
    return False


def _is_property(entry: Statement) -> bool:
    """`Status: active`: it says something of what it stands under, and nothing by itself."""
    key, colon, value = entry.text.replace("：", ":").partition(":")
    return bool(colon) and 0 < len(key.split()) <= 2 and 0 < len(value.split()) <= 3 and bool(entry.headings)


def _told(brief: Brief, units: int, lines: int) -> tuple[Notice, ...]:
    """One sentence while MEMORY.md is over its limit: how far it came, or that protected text alone is too much."""
    room, file = brief.room, brief.file
    shielded = sum(count_units("".join(file.document.lines[m.entry.block.first : m.entry.block.end])) for m in brief.memory if m.entry.protected and _is_counted(brief, m.entry)) if file else 0  # fmt: skip
    if shielded > room.limit:
        text = say("notice.protected_too_large", shielded=shielded, limit=room.limit)
        return (Notice("limit", text, say("notice.unpin")),)
    if units > room.limit or lines > room.max_lines:
        text = say("notice.over_limit", limit=room.limit, max_lines=room.max_lines)
        return (Notice("limit", text, say("notice.see_suggestions")),)
    return ()


def next_to_leave(brief: Brief, operations: Sequence[Operation], most: int) -> Iterator[Operation]:
    """What may leave on later nights while the memory stays over its limit, as suggestions."""
    units, lines = _size_after(brief, operations)
    over = units > brief.room.limit or lines > brief.room.max_lines
    for worth, _, entry in _may_leave(brief, operations)[:most] if over else ():
        why = say("why.worth_little", worth=worth)
        yield Operation(Op.END, why, (), (entry,), level=Level.LIKELY, by=BUILT_IN, worth=1.0 - worth, tag=TAG)


__all__ = ["Fitted", "fit", "next_to_leave"]
