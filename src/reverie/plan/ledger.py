"""The permanent archive: blocks of `ledger.md` and records of `ledger-index.json`, in seed 000's formats.

A block holds what left MEMORY.md byte for byte, so `Content:` carries the line with its list marker and, when
the entry had more lines, those below it as they were. The ledger only grows: what comes back gets a block of its own that says so,
and the block that archived it stays.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from reverie.core.errors import BadInput
from reverie.core.layout import LEDGER, LEDGER_INDEX, REMOVED
from reverie.judge.operation import Op, Operation
from reverie.lang.messages import say
from reverie.plan.splices import VIEW, difference, spliced
from reverie.text.lines import BOM, appended, bare, count_units, ending_of, split_lines
from reverie.workspace.values import Edit, Removed, Snapshot, Source

SUMMARY = 80  # characters of an entry that the index and the Dream section repeat


@dataclass(frozen=True, slots=True)
class Archived:
    """One block of the ledger."""

    id: str
    archived: str
    category: str
    content: tuple[str, ...]
    source: str = ""
    note: str = ""
    section: str = ""  # the heading it stood under; the ledger does not tell


def block(entry: Archived) -> tuple[str, ...]:
    """The lines of a block, without endings."""
    return (
        "---",
        f"ID: {entry.id}",
        f"Archived: {entry.archived}",
        f"Category: [{entry.category}]",
        f"Content: {entry.content[0]}",
        *entry.content[1:],
        f"Source: {entry.source}",
        f"Note: {entry.note}",
        "---",
    )


def read_ledger(text: str) -> tuple[Archived, ...]:
    """The blocks of a ledger, ours, the script's or an older one. A `---` inside a content does not end it."""
    lines = [bare(line) for line in split_lines(text.removeprefix(BOM))]
    starts = _starts(lines)
    found = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        entry = _read_block(lines[start + 1 : end])
        if entry is not None:
            found.append(entry)
    return tuple(found)


def ledger_lines(text: str) -> tuple[int, ...]:
    """The line, from one, at which each block that `read_ledger` returns begins."""
    lines = [bare(line) for line in split_lines(text.removeprefix(BOM))]
    starts = _starts(lines)
    ends = [*starts[1:], len(lines)]
    return tuple(start + 1 for start, end in zip(starts, ends, strict=False) if _read_block(lines[start + 1 : end]))


def _starts(lines: Sequence[str]) -> list[int]:
    """A block opens with three lines in a row; a content may well hold one or two of them."""
    return [
        i
        for i in range(len(lines) - 2)
        if lines[i] == "---" and lines[i + 1].startswith("ID:") and lines[i + 2].startswith(("Archived:", "Updated:"))
    ]


def _read_block(lines: Sequence[str]) -> Archived | None:
    """Fields from both ends inward: whatever stands between them is content, even if it looks like a field."""
    body = list(lines)
    while body and not body[-1].strip():
        body.pop()
    if body and body[-1] == "---":
        body.pop()
    tail: dict[str, str] = {}
    for name in ("Note", "Source"):
        if body and body[-1].startswith(f"{name}:"):
            tail[name] = body.pop().removeprefix(f"{name}:").strip()
    head: dict[str, str] = {}
    for i, line in enumerate(body):
        name, _, value = line.partition(":")
        if name == "Content":
            content = (value.removeprefix(" "), *body[i + 1 :])
            category = head.get("Category", "").strip("[] ")
            return Archived(
                head.get("ID", ""), head.get("Archived", ""), category, content, tail.get("Source", ""), tail.get("Note", "")
            )  # fmt: skip
        head[name] = value.strip()
    return None  # a re-emergence block has an event and no content


def indexed(records: Sequence[dict[str, Any]], entry: Archived) -> list[dict[str, Any]]:
    """The index with one more block: a known id gets an event, a new one a record."""
    event = {"time": entry.archived, "note": entry.note}
    out = [dict(record) for record in records]
    for record in out:
        if record.get("id") == entry.id:
            record["last_updated"] = entry.archived
            record["events"] = [*record.get("events", []), event]
            return out
    out.append(
        {
            "id": entry.id,
            "category": entry.category,
            "summary": summary(entry.content[0]),
            "first_archived": entry.archived,
            "last_updated": entry.archived,
            "status": "active",
            "events": [event],
        }
    )
    return out


def summary(content: str, limit: int = SUMMARY) -> str:
    """One plain line of at most `limit` characters, without list marker, box or our own mark."""
    text = re.sub(r"\s*<!--.*?-->\s*", " ", content)
    text = re.sub(r"^\s*(?:(?:#{1,6}|[-*+•]|\d{1,9}[.)])(?:\s+|$))?(?:\[[ xX]\]\s*)?", "", text)
    text = " ".join(text.split())
    if count_units(text) <= limit:
        return text
    while count_units(text) > limit - 1:
        text = text[:-1]
    return text.rstrip() + "…"


def read_array(text: str, path: str, of: type = object) -> list[Any]:
    """A JSON array of ours; nothing is an empty one, and anything else is refused rather than overwritten."""
    if not text.strip():
        return []
    try:
        found = json.loads(text.removeprefix(BOM))
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise BadInput(say("state.bad_json", path=path, line=line)) from None
    if not isinstance(found, list) or not all(isinstance(item, of) for item in found):
        raise BadInput(say("state.not_ours", path=path))
    return found


def array_text(items: Sequence[Any]) -> str:
    """One item a line, so that a change to one is a splice of one line."""
    if not items:
        return "[]\n"
    inner = ",\n".join("  " + json_text(item) for item in items)
    return f"[\n{inner}\n]\n"


def json_text(value: Any) -> str:
    """JSON as people read it; escaped only where a text holds bytes that are not UTF-8."""
    text = json.dumps(value, ensure_ascii=False)
    return text if not re.search("[\ud800-\udfff]", text) else json.dumps(value)


TAG = "re-emerged"
_ID = re.compile(r"\[([0-9a-f]{8})\]$")


def removed_entries(snapshot: Snapshot) -> tuple[Removed, ...]:
    """What left MEMORY.md and is still listed as gone, with the words that are kept of it; of several blocks the newest.

    What a night archived stands in the ledger; of what was forgotten only the summary is left. A summary that says something
    else than the beginning of its block (a script wrote both) is a second wording of the same entry.
    """
    text = snapshot.text_of(LEDGER)
    listed = {str(item.get("id")): item for item in read_array(snapshot.text_of(REMOVED), REMOVED, dict)}
    found: dict[str, Removed] = {}
    for entry, first in zip(read_ledger(text), ledger_lines(text), strict=True):
        if entry.id in listed:
            at = str(listed[entry.id].get("removed_at") or entry.archived)
            source = Source(LEDGER, first, first + len(entry.content) + 6)
            section = str(listed[entry.id].get("section", ""))
            found[entry.id] = Removed(entry.id, "\n".join(entry.content), entry.category, at, source, section)
    summaries = [_by_summary(its_id, item, found.get(its_id)) for its_id, item in listed.items()]
    return (*found.values(), *(one for one in summaries if one is not None))


def _by_summary(its_id: str, item: Mapping[str, Any], block: Removed | None) -> Removed | None:
    said, at = str(item.get("summary", "")), str(item.get("removed_at", ""))
    short = said.rstrip("…")
    if not short or (block and said == summary(block.text.partition("\n")[0])):
        return None  # only the beginning of what the block says
    category = "forgotten" if item.get("forgotten") or block is None else block.category
    section = str(item.get("section", ""))
    return Removed(its_id, short, category, at, block.source if block else None, section)


def with_events(
    snapshot: Snapshot, edits: Sequence[Edit], operations: Sequence[Operation], now: datetime
) -> list[Edit]:  # fmt: skip
    """A night's edits, and for every entry that came back the event in the ledger and in the two lists beside it."""
    back = _returned(snapshot, operations)
    if not back:
        return list(edits)
    stamp = f"{now:%Y-%m-%d %H:%M}"
    others = [edit for edit in edits if edit.path not in (LEDGER_INDEX, REMOVED)]
    grown = [edit for edit in edits if edit.path == LEDGER]
    blocks = [
        line
        for its_id, operation in back.items()
        for line in ("---", f"ID: {its_id}", f"Updated: {stamp}", "Event: re-emerged", f"Note: {operation.why}", "---")
    ]
    return [*others, _event(snapshot, blocks, back, grown), *_lists(snapshot, edits, back, stamp)]


def _returned(snapshot: Snapshot, operations: Sequence[Operation]) -> dict[str, Operation]:
    """By id: an operation that re-emerges ends its reason with the id of what comes back."""
    listed = {one.id for one in removed_entries(snapshot)}
    return {
        found[1]: operation
        for operation in operations
        if operation.op is Op.ADD
        and operation.tag == TAG
        and (found := _ID.search(operation.why))
        and found[1] in listed
    }


def _event(snapshot: Snapshot, blocks: Sequence[str], back: dict[str, Operation], grown: Sequence[Edit]) -> Edit:
    lines = split_lines(snapshot.text_of(LEDGER))
    why = say("why.came_back")
    at, old, new = appended(lines, blocks)
    if grown:  # another edit of this night has closed the last line already
        at, old, new = len(lines), (), tuple(line + ending_of(lines) for line in blocks)
    return Edit(next(iter(back)), LEDGER, at, old, new, TAG, why)


def _lists(snapshot: Snapshot, edits: Sequence[Edit], back: dict[str, Operation], stamp: str) -> list[Edit]:
    """The index and the list of what left, as the night leaves them and with the events in."""
    index, removed = (
        read_array(spliced(snapshot.text_of(path), [edit for edit in edits if edit.path == path]), path, dict)
        for path in (LEDGER_INDEX, REMOVED)
    )
    for record in index:
        if operation := back.get(str(record.get("id"))):
            events = [*record.get("events", []), {"time": stamp, "note": f"re-emerged: {operation.why}"}]
            record.update(status="re-emerged", last_updated=stamp, events=events)
    for item in removed:
        if str(item.get("id")) in back:
            item["reemergence_count"] = int(item.get("reemergence_count") or 0) + 1
    why = say("why.index")
    return [
        edit
        for path, items in ((LEDGER_INDEX, index), (REMOVED, removed))
        if items or snapshot.text_of(path)
        for edit in difference(path, snapshot.text_of(path), array_text(items), id="index", tag=VIEW, why=why)
    ]
