"""The permanent archive: blocks of `ledger.md` and records of `ledger-index.json`, in seed 000's formats.

A block holds what left MEMORY.md byte for byte, so `Content:` carries the line with its list marker and, when
the entry had more lines, those below it as they were.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reverie.core.errors import BadInput
from reverie.text.lines import BOM, bare, count_units, split_lines

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
        raise BadInput(f"{path}:{line} is not valid JSON. Mend it or move it away, then run again.") from None
    if not isinstance(found, list) or not all(isinstance(item, of) for item in found):
        raise BadInput(f"{path}:1 is not a list of the kind we write. Mend it or move it away, then run again.")
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
