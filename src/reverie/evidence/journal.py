"""Our recall journal: one line a search, appended and forgotten. It waits for nobody, and the peer has its own.

A line is written with a single append, which the operating system keeps whole between processes. Of the query its words are
kept, redacted and without anything that could be a value: a message may tell a secret that nobody recognises. Of the results
places and hashes. `fold` reads the journal later, in a sweep.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reverie.core import durable
from reverie.core.durable import read_plain
from reverie.core.errors import RefusedFile
from reverie.core.layout import JOURNAL, PEER_JOURNAL
from reverie.core.sealing import to_append
from reverie.evidence.search import Hit
from reverie.evidence.state_files import json_lines, open_plain
from reverie.privacy.redact import DEFAULT_KINDS, redacted
from reverie.workspace.values import Group

LONGEST_QUERY = 500
LEFT_OUT = "…"
MOST_RESULTS = 10
_RUN = re.compile(r"\S+")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\W*")
_FEW_DIGITS = re.compile(r"\D{0,2}\d{1,3}\D{0,2}")  # a room, a version, a share


def record_search(
    root: Path, question: str, hits: Sequence[Hit], now: datetime, kinds: frozenset[str] = DEFAULT_KINDS
) -> None:
    """Append one line in the peer's form, with rank and group besides. What a team keeps is no matter of this memory's nights."""
    hits = [hit for hit in hits if hit.claim.group is not Group.TEAM]
    results = [
        {"path": hit.claim.path, "startLine": hit.claim.first, "endLine": hit.claim.last}
        | {"score": round(hit.score, 4), "rank": rank, "claim": hit.claim.key}
        for rank, hit in enumerate(hits[:MOST_RESULTS], 1)
    ]
    line = {
        "type": "memory.recall.recorded",
        "timestamp": now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "query": without_values(redacted(question, kinds))[:LONGEST_QUERY],
        "resultCount": len(hits),
        "results": results,
    }
    append(root, line)


def without_values(question: str) -> str:
    """A question without runs that hold digits, days and small numbers aside: what it is about is told by its words."""

    def kept(run: re.Match[str]) -> str:
        text = run[0]
        if not any(map(str.isdigit, text)) or _DAY.fullmatch(text) or _FEW_DIGITS.fullmatch(text):
            return text
        return LEFT_OUT

    return _RUN.sub(kept, question)


def append(root: Path, event: dict[str, Any]) -> None:
    """One whole line, or none. A folder that cannot be written loses a trace, never an answer."""
    path = root / JOURNAL
    if any(part.is_symlink() for part in (path.parent, path.parent.parent)):
        return  # a link would lead the trace out of the workspace
    data = to_append(path, json.dumps(event, ensure_ascii=True, separators=(",", ":")).encode() + b"\n")
    try:
        durable.make_folders(path.parent)
        mode = 0o600 if path.exists() else durable.new_mode(path)
        handle = open_plain(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, mode)
    except (OSError, RefusedFile):
        return
    with suppress(OSError), os.fdopen(handle, "r+b", buffering=0) as file:
        if size := os.fstat(handle).st_size:
            file.seek(size - 1)
            if file.read(1) != b"\n":
                data = b"\n" + data  # a power cut left half a line; it must not take this one with it
        file.write(data)


def events(root: Path) -> Iterator[dict[str, Any]]:
    """Every whole line of the peer's journal and then of ours; a torn one (a power cut) is passed over."""
    for path in (PEER_JOURNAL, JOURNAL):
        with suppress(OSError):
            yield from json_lines(read_plain(root / path))
