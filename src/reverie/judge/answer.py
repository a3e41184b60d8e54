"""An answer → operations, and what of it is none, with the reason. Lenient about form, strict about what it speaks of.

A model may write an id with or without brackets, a list or a single word, a code fence around everything: what it means is
clear. What is not clear is refused alone and never costs the other operations. Whether an operation is allowed is for
`reverie.judge.checks`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from reverie.judge.brief import Brief, MemoryLine, NoteLine, ReturnedLine
from reverie.judge.brief_text import OPENS
from reverie.judge.operation import Op, Operation, hangs_on
from reverie.judge.prompts import Parsed, value_in
from reverie.judge.recurring import had_left
from reverie.lang.messages import say
from reverie.text.lines import plain_heading
from reverie.text.sections import AREAS, STABLE
from reverie.workspace.values import MARK, Statement

MOST = 400  # operations of one answer; a memory has at most 250 lines
LONGEST_WHY = 200
_WORDS = {
    "add": Op.ADD, "update": Op.UPDATE, "replace": Op.UPDATE, "end": Op.END, "remove": Op.END, "delete": Op.END,
    "archive": Op.END, "merge": Op.MERGE, "ask": Op.ASK,
}  # fmt: skip
_NOTHING = frozenset({"keep", "ignore", "none", "skip"})  # says in words what silence says
_BECAUSE = {"done": "completed", "untrue": "superseded", "duplicate": "duplicate", "room": "over budget"}
_MEMORY = ("memory", "id", "ids", "lines", "line")
_NOTES = ("from", "cites", "notes", "sources")
_ID = re.compile(r"(?<![A-Za-z0-9])([mna])[ _-]?(\d+)(?![A-Za-z0-9])", re.I)
_OUTER = re.compile(r"\{.*\}", re.S)
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_MARKS = re.compile(r"\s*(?:(?:#{1,6}|[-*+•]|\[[ xX]\])\s+|\[[mna]\d+(?: fixed| quoted| ticked| agent)?\]\s*)*")


@dataclass(frozen=True, slots=True)
class RefusedOperation:
    """An operation that is not taken: its place in the answer from one, as it was given, and why as a clause."""

    place: int
    given: Any
    why: str


class _Unclear(Exception):
    """Why one operation cannot be read. Never leaves this module."""


def value_of(text: str) -> Parsed:
    """The JSON of an answer, also where a sentence stands before or after it."""
    parsed = value_in(text)
    if parsed.trouble and (inner := _OUTER.search(text)):
        found = value_in(inner[0])
        return parsed if found.trouble else found
    return parsed


def placed_in(
    answer: Any, brief: Brief, by: str
) -> tuple[tuple[tuple[int, Any, Operation], ...], tuple[RefusedOperation, ...]]:
    """The operations of an answer with their places in it and as they were given, and what of it cannot be one. Never raises."""
    if isinstance(answer, str):
        answer = value_of(answer).value
    found: dict[str, tuple[int, Any, Operation]] = {}
    refused: list[RefusedOperation] = []
    reader = _Reader(brief, by)
    for place, item in enumerate(_items(answer), 1):
        if place > MOST:
            refused.append(RefusedOperation(place, item, say("refused.too_many", most=MOST)))
            break
        try:
            for one in reader.read(item):
                found.setdefault(one.id, (place, item, one))
        except _Unclear as unclear:
            refused.append(RefusedOperation(place, item, str(unclear)))
    return tuple(found.values()), tuple(refused)


def is_answer(value: Any) -> bool:
    """Whether a value says what should happen, be it nothing. Anything else is not the word that all is well as it is."""
    return isinstance(value, list) or (
        isinstance(value, Mapping) and (isinstance(value.get("operations"), list) or "op" in value)
    )


def _items(answer: Any) -> Sequence[Any]:
    if isinstance(answer, Mapping):
        listed = answer.get("operations", [answer] if "op" in answer else [])
        return listed if isinstance(listed, list) else [listed]
    return answer if isinstance(answer, list) else []


class _Reader:
    """Reads the operations of one answer, one after the other; a line that left cannot change any more."""

    def __init__(self, brief: Brief, by: str) -> None:
        self._brief, self._by, self._lines = brief, by, brief.lines
        self._told: dict[str, str] = {}  # a line of memory → what an earlier operation does to the whole of it

    def read(self, item: Any) -> Iterator[Operation]:
        if not isinstance(item, Mapping):
            raise _Unclear(say("refused.no_object"))
        name = str(item.get("op") or item.get("operation") or "").strip().lower()
        if name in _NOTHING:
            return
        if name == "expires":
            yield from self._expired(item)
            return
        if name not in _WORDS:
            raise _Unclear(say("refused.unknown_op"))
        read = {
            Op.ADD: self._add, Op.UPDATE: self._update, Op.END: self._end, Op.MERGE: self._merge, Op.ASK: self._ask,
        }[_WORDS[name]]  # fmt: skip
        yield from read(item)

    # --- the five --------------------------------------------------------------------------------------------------

    def _add(self, item: Mapping[str, Any]) -> Iterator[Operation]:
        cited, _ = self._cited(item)
        text = self._text(item, "text", cited)
        if not text:
            raise _Unclear(say("refused.text_missing"))
        if not cited:
            raise _Unclear(say("refused.no_from"))
        back = next((line.removed for line in cited if isinstance(line, ReturnedLine)), None)
        why = self._why(item, cited)
        if back is not None:  # the archive knows what came back by the id at the end of the reason
            text, why = f"{MARK} {text}", why + had_left(back)
        yield Operation(
            Op.ADD, why, self._claims(cited), text=text, section=self._section(item),
            by=self._by, tag="re-emerged" if back else "added", expires=_day(item.get("expires")),
        )  # fmt: skip

    def _update(self, item: Mapping[str, Any]) -> Iterator[Operation]:
        cited, memory = self._cited(item)
        if not memory:
            raise _Unclear(say("refused.no_memory"))
        text, given = self._text(item, "text", [*cited, *memory]), item.get("old")
        old = given if isinstance(given, str) else ""
        standing = [(line, _as_it_stands(old, line.text)) for line in memory]
        line, stands = next((pair for pair in standing if pair[1]), standing[0])
        new = self._text(item, "new", [*cited, line]) if "new" in item else None
        operation = Operation(
            Op.UPDATE, self._why(item, cited), self._claims(cited), (line.entry,), drops=_strings(item.get("drops")),
            by=self._by, tag="superseded", expires=_day(item.get("expires")),
        )  # fmt: skip
        if stands and new is not None:
            yield self._swapped(operation, line, stands, new)
        elif text or (new and not old.strip()):
            yield self._retold(replace(operation, text=text or new or ""), line)
        elif old.strip():
            raise _Unclear(say("refused.new_missing") if stands else say("refused.old_not_there", id=line.id))
        else:
            raise _Unclear(say("refused.no_words"))

    def _swapped(self, operation: Operation, line: MemoryLine, old: str, new: str) -> Operation:
        if line.text.count(old) > 1:
            raise _Unclear(say("refused.old_twice", id=line.id))
        if old == new:
            raise _Unclear(say("refused.no_change"))
        self._once([line], "")
        return replace(operation, old=old, new=new)

    def _retold(self, operation: Operation, line: MemoryLine) -> Operation:
        if operation.text == " ".join(line.text.split()):
            raise _Unclear(say("refused.no_change"))
        self._once([line], "is told anew")
        return operation

    def _end(self, item: Mapping[str, Any]) -> Iterator[Operation]:
        cited, memory = self._cited(item)
        if not memory:
            raise _Unclear(say("refused.no_memory"))
        tag = _BECAUSE.get(str(item.get("because", "")).strip().lower(), "stale")
        self._once(memory, "leaves")
        entries = [line.entry for line in memory]
        for (
            entry
        ) in entries:  # each alone, so that one that must stay does not keep the others; sub-items go with their item
            if not any(hangs_on(entry, other) for other in entries):
                whole = (entry, *(other for other in entries if hangs_on(other, entry)))
                yield Operation(Op.END, self._why(item, cited), self._claims(cited), whole, by=self._by, tag=tag)

    def _merge(self, item: Mapping[str, Any]) -> Iterator[Operation]:
        cited, memory = self._cited(item)
        if len(memory) < 2:
            raise _Unclear(say("refused.two_lines"))
        text = self._text(item, "text", [*cited, *memory])
        self._once(memory, "is merged")
        entries = tuple(line.entry for line in memory)
        yield Operation(
            Op.MERGE, self._why(item, cited), self._claims(cited), entries, text, drops=_strings(item.get("drops")),
            by=self._by, tag="merged",
        )  # fmt: skip

    def _ask(self, item: Mapping[str, Any]) -> Iterator[Operation]:
        cited, memory = self._cited(item)
        if not cited and len(memory) < 2:  # one note may tell both sides
            raise _Unclear(say("refused.no_contradiction"))
        text = self._text(item, "question", [*cited, *memory]) or self._text(item, "text", [*cited, *memory])
        entries = tuple(line.entry for line in memory)
        yield Operation(Op.ASK, self._why(item, cited), self._claims(cited), entries, text, by=self._by, tag="question")

    def _expired(self, item: Mapping[str, Any]) -> Iterator[Operation]:
        """A day on which a line of memory ends: it ends if that day is over. MEMORY.md has no place for a later one."""
        day = _day(item.get("expires") or item.get("date") or item.get("day"))
        if day is None or day >= self._brief.today:
            raise _Unclear(say("refused.expires_later"))
        yield from self._end({**item, "because": "done"})

    # --- their parts -----------------------------------------------------------------------------------------------

    def _cited(self, item: Mapping[str, Any]) -> tuple[list[NoteLine | ReturnedLine], list[MemoryLine]]:
        """Notes (and what came back) and lines of memory, in the order in which they are named, whatever field names them."""
        names = [name for key in _MEMORY for name in _ids(item.get(key), "m")]
        names += [name for key in _NOTES for name in _ids(item.get(key), "n")]
        cited: list[NoteLine | ReturnedLine] = []
        memory: list[MemoryLine] = []
        for name in dict.fromkeys(names):
            line = self._lines.get(name)
            if line is None:
                raise _Unclear(say("refused.unknown_id", name=name))
            if isinstance(line, MemoryLine):
                memory.append(line)
            else:
                cited.append(line)
        return cited, memory

    def _claims(self, cited: Iterable[NoteLine | ReturnedLine]) -> tuple[Statement, ...]:
        """What an operation rests on; for what came back, the note that says it again."""
        lines = [self._lines.get(line.note) if isinstance(line, ReturnedLine) else line for line in cited]
        return tuple(dict.fromkeys(line.claim for line in lines if isinstance(line, NoteLine)))

    def _section(self, item: Mapping[str, Any]) -> str:
        """The heading that is meant; without one, or in a file without sections, an area."""
        said = item.get("section")
        named = plain_heading(str(said).rpartition(" > ")[2].removesuffix("(closed)")) if said else ""
        known = {plain_heading(name): name for name in (*AREAS, *self._brief.sections)}
        if not named or (not self._brief.sections and named not in known):
            return STABLE
        if named not in known:
            raise _Unclear(say("refused.no_section"))
        return known[named]

    def _text(self, item: Mapping[str, Any], key: str, lines: Iterable[MemoryLine | NoteLine | ReturnedLine]) -> str:
        """Words for MEMORY.md as one line, without list mark, id and marks of ours, and with the sign that `text` took out."""
        said = item.get(key)
        if not isinstance(said, str):
            return ""
        line = " ".join(_MARKS.sub("", _COMMENT.sub(" ", said).replace(MARK, ""), count=1).split())
        return line if any(OPENS in one.text for one in lines) else line.replace(OPENS, "<")

    def _why(self, item: Mapping[str, Any], cited: Sequence[NoteLine | ReturnedLine]) -> str:
        said = item.get("why") or item.get("reason")
        why = " ".join(said.split())[:LONGEST_WHY] if isinstance(said, str) else ""
        days = [line.claim.day for line in cited if isinstance(line, NoteLine) and line.claim.day]
        return why or (say("why.noted", note=say("why.note_day", day=max(days))) if days else say("why.no_place"))

    def _once(self, lines: Sequence[MemoryLine], whole: str) -> None:
        """Two operations may swap two values of a line; what does something to the whole of it stands alone."""
        for line in lines:
            if line.id in self._told and (whole or self._told[line.id]):
                raise _Unclear(say("refused.line_taken", id=line.id))
        self._told |= dict.fromkeys([line.id for line in lines], whole)


def _ids(value: Any, kind: str) -> Iterator[str]:
    """The ids in a field, however they are written. A bare number is one of the field's own kind."""
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, int) and not isinstance(one, bool):
            yield f"{kind}{one}"
        elif isinstance(one, str):
            found = [f"{letter.lower()}{int(number)}" for letter, number in _ID.findall(one)]
            yield from found or (
                [f"{kind}{int(one)}"] if one.strip().isdecimal() else [one.strip()[:20]] if one.strip() else []
            )


def _as_it_stands(old: str, text: str) -> str:
    """The words of a line that `old` means, letter for letter; spacing is not looked at. Empty if they do not stand there."""
    words = old.replace(OPENS, "<").split() if OPENS not in text else old.split()
    found = re.search(r"\s+".join(map(re.escape, words)), text) if words else None
    return found[0] if found else ""


def _strings(value: Any) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else [value]
    return tuple(" ".join(one.split()) for one in listed if isinstance(one, str) and one.strip())


def _day(value: Any) -> date | None:
    """A day, where it is one; a model that writes something else has only left it out."""
    try:
        return date.fromisoformat(value.strip()[:10]) if isinstance(value, str) else None
    except ValueError:
        return None
