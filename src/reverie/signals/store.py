"""What was recalled: a journal that answers append to, and a store without words that knows how far it folded the journal."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import date, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from reverie.errors import Unreadable
from reverie.signals.journal import line_key
from reverie.signals.score import MOST_DAYS, MOST_QUESTIONS, Entry, Signal, changed
from reverie.store.disk import Disk, bytes_of
from reverie.workspace.files import decoded
from reverie.workspace.layout import RECALL_JOURNAL, RECALLS, Layout

MOST_ENTRIES = 5_000
_FULL = 1_000_000  # bytes of a journal that makes room for the next


class Event(msgspec.Struct, frozen=True):
    timestamp: datetime
    day: date  # of the person who asked
    query: str  # a hash, too
    results: tuple[
        tuple[str, int, float, str], ...
    ]  # path, line, score, and a hash of the words: no other trace is kept
    type: str = "memory.recall.recorded"


class Store(msgspec.Struct, frozen=True, omit_defaults=True):
    folded: dict[str, int] = {}  # how far each journal was, by a hash of its first line
    entries: dict[str, Entry] = {}  # recalled lines, and what a backfill staged
    signals: dict[str, Signal] = {}

    def without_staged(self) -> "Store":
        """Without what backfills staged; what was recalled stays as it was."""
        return changed(self, entries={name: entry for name, entry in self.entries.items() if not entry.grounded})


def load(layout: Layout) -> Store:
    """The store with what the journal says since. A damaged one begins anew: it counts, and nothing else rests on it."""
    try:
        store = decoded(_bytes(layout.real(RECALLS)) or b"{}", Store)
    except msgspec.DecodeError:
        store = Store()
    entries, folded = dict(store.entries), dict[str, int]()
    for path in _journals(layout):
        data = _bytes(path)
        head = sha256(data.partition(b"\n")[0]).hexdigest()[:16]
        start, end = store.folded.get(head, 0), data.rfind(b"\n") + 1
        for line in data[start:end].split(b"\n"):
            with suppress(msgspec.DecodeError):  # torn by a power cut, or nobody's
                _fold(entries, decoded(line, Event))
        folded |= {head: max(start, end)} if end else {}
    if len(entries) > MOST_ENTRIES:  # what was recalled least and longest ago leaves first
        worth = sorted(entries.values(), key=lambda e: (e.recalls, len(e.days), str(e.last_recalled), e.key))
        gone = {entry.key for entry in worth[: len(entries) - MOST_ENTRIES]}
        entries = {name: entry for name, entry in entries.items() if name not in gone}
    return Store(folded, entries, store.signals)


def save(layout: Layout, store: Store, disk: Disk) -> None:
    """Keep the store; then a journal that is full makes room. The one before it was folded long ago."""
    data, path, (old, journal) = msgspec.json.encode(store), layout.real(RECALLS), _journals(layout)
    if data == b"{}":
        disk.remove(path)
    elif _bytes(path) != data:
        disk.replace(path, data)
    if journal.exists() and journal.stat().st_size > _FULL:
        disk.rename(journal, old)


def joined(entry: Entry | None, other: Entry) -> Entry:
    """Two counts of one line: sums, the newer place, all questions and days."""
    if entry is None:
        return other
    names = ("recalls", "daily", "grounded", "total_score")
    sums: Any = {name: getattr(entry, name) + getattr(other, name) for name in names}
    times = [at for found in (entry, other) for at in (found.first_recalled, found.last_recalled) if at]
    return changed(
        other,
        **sums,
        snippet=other.snippet or entry.snippet,
        max_score=max(entry.max_score, other.max_score),
        first_recalled=min(times, default=None),
        last_recalled=max(times, default=None),
        queries=tuple(dict.fromkeys((*entry.queries, *other.queries)))[-MOST_QUESTIONS:],
        user_queries=tuple(dict.fromkeys((*entry.asked, *other.asked)))[-MOST_QUESTIONS:],
        days=tuple(sorted({*entry.days, *other.days}))[-MOST_DAYS:],
    )


def counted(
    path: str, line: int, name: str, at: datetime, days: Iterable[date], score: float, *,
    last: int = 0, snippet: str = "", recalls: int = 0, daily: int = 0, grounded: int = 0, query: str = "", claim: str = "",
) -> Entry:  # fmt: skip
    """A fresh count of one line, under one score."""
    count, queries = recalls + daily + grounded, (query,) if query else ()
    return Entry(
        path, line, last or line, name, snippet, recalls, daily, grounded, score * count, score, at, at, None,
        queries, queries if recalls else (), tuple(sorted(days))[-MOST_DAYS:], (), claim,
    )  # fmt: skip


def _fold(entries: dict[str, Entry], event: Event) -> None:
    at, query, days = event.timestamp, event.query, [event.day]
    for path, line, score, claim in event.results:
        name, known = line_key(claim), entries.get(line_key(claim))
        if not (known and query in known.queries and event.day in known.days):  # repeated all day it is no habit
            fresh = counted(path, line, name, at, days, score, recalls=1, query=query, claim=claim)
            entries[name] = joined(known, fresh)


def _journals(layout: Layout) -> tuple[Path, Path]:
    journal = layout.real(RECALL_JOURNAL)
    return journal.with_suffix(".old.jsonl"), journal


def _bytes(path: Path) -> bytes:
    try:
        return bytes_of(path) or b""
    except Unreadable:  # a link may lead out of the workspace
        return b""
