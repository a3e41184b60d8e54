"""`memory/self-improving/*.jsonl`: what an agent wrote down about its own errors, corrections, practices and decisions.

One JSON object a line: `{"ts", "type", "text", "context"}`. Each becomes a statement under its type and its context.
A line that is not such an object is passed over: the file is a log, and others append to it while we read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date

from reverie.text.lines import bare, split_lines
from reverie.text.markdown import Block, Shape
from reverie.workspace.values import Origin, Source, Statement

_TEXTS = ("text", "message", "lesson", "content", "summary", "rule")  # the first one that is there
_CONTEXTS = ("context", "topic", "task", "area")
_DAYS = ("ts", "timestamp", "time", "date", "created")


def records_of(path: str, text: str) -> tuple[Statement, ...]:
    """The statements of a log; the headings of each are the log's name (or the record's type) and its context."""
    name = path.rpartition("/")[2].removesuffix(".jsonl")
    found = []
    for number, line in enumerate(split_lines(text)):
        record = _record(bare(line))
        said = " ".join(_first(record, _TEXTS).split())
        if said:
            above = (_first(record, ("type", "kind")) or name, _first(record, _CONTEXTS))
            block = Block(Shape.PARAGRAPH, number, number + 1, said, tail=number + 1)
            source = Source(path, number + 1, number + 1)
            headings = tuple(" ".join(part.split()) for part in above if part.strip())
            found.append(Statement(said, source, Origin.OWNER, headings, day=str(_day(record) or ""), block=block))
    return tuple(found)


def _record(line: str) -> Mapping[str, object]:
    try:
        found = json.loads(line) if line.strip() else None
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _first(record: Mapping[str, object], names: tuple[str, ...]) -> str:
    return next((value for name in names if isinstance(value := record.get(name), str)), "")


def _day(record: Mapping[str, object]) -> date | None:
    """The day a record was written on, as its own clock said."""
    try:
        return date.fromisoformat(_first(record, _DAYS)[:10])
    except ValueError:
        return None
