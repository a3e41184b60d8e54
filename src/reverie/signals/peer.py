"""What OpenClaw kept of its own recalls: JSON files, migrated or not, and SQLite. Read and never written.

A store may come from a stranger: each entry is read alone, its figures are bounded, and what fails is skipped and counted.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import msgspec

from reverie.errors import Unreadable
from reverie.signals.score import Entry, Moment, Signal, changed
from reverie.workspace.files import read_bytes
from reverie.workspace.layout import PEER_JOURNAL, PEER_RECALLS, PEER_SIGNALS, STATE, Layout, openclaw_database

if TYPE_CHECKING:
    import sqlite3

_LARGEST, _LARGEST_ROW, _MOST_ROWS, _PATIENCE = 64_000_000, 1_000_000, 5_000, 0.5
_SWEEP, _STALE = timedelta(minutes=30), 60.0  # what a sweep takes at most; seconds until a lock is anybody's
_ROWS = """
    SELECT value_json FROM plugin_state_entries WHERE plugin_id = 'memory-core' AND namespace = ?
    AND substr(entry_key, 1, length(?)) = ? AND length(value_json) <= ? ORDER BY entry_key DESC LIMIT ?
"""


@dataclass
class Peer:
    store: str = ""  # where it lies; empty: OpenClaw keeps none
    entries: dict[str, Entry] = field(default_factory=dict)
    signals: dict[str, Signal] = field(default_factory=dict)
    dreams: list[tuple[datetime, str]] = field(default_factory=list)  # when it finished which phase
    doubts: list[str] = field(default_factory=list)
    skipped: int = 0
    is_locked: bool = False  # it writes at this moment

    def is_at_work(self, now: datetime) -> bool:
        """Whether its own sweep goes on: it holds a lock, or has not come to its last phase."""
        last = max((dream for dream in self.dreams if dream[0] <= now), default=None)
        return self.is_locked or (last is not None and last[1] != "deep" and now - last[0] < _SWEEP)


class _Row(msgspec.Struct, rename="camel"):
    """A row of its database, or a line of its journal."""

    key: str = ""
    value: msgspec.Raw = msgspec.Raw(b"{}")
    event: msgspec.Raw = msgspec.Raw(b"{}")
    acquired_at: float = 0.0  # of a lock, in milliseconds
    timestamp: Moment = None
    phase: str = ""


def read_peer(layout: Layout, database: Path | None = None) -> Peer:
    """All that OpenClaw keeps about this workspace; of several records of one entry the newest."""
    peer, database = Peer(), database or openclaw_database(layout)
    for path in (f"{PEER_RECALLS}.migrated", PEER_RECALLS, f"{PEER_SIGNALS}.migrated", PEER_SIGNALS):
        for name, raw in _file(layout, path, peer):
            _take(peer, name, raw, Signal if "signals" in path else Entry)
    for path in (f"{PEER_JOURNAL}.migrated", PEER_JOURNAL):
        for line in _plain(layout.root / path, peer).split(b"\n"):
            _take_event(peer, line)
    with suppress(OSError):
        taken = (layout.root / STATE / "short-term-promotion.lock").lstat().st_mtime
        peer.is_locked = 0 <= time.time() - taken < _STALE
    if database:
        _from_database(peer, layout.root, database)
    peer.store = peer.store or PEER_RECALLS * bool(peer.entries)
    peer.doubts += [f"OpenClaw's own store has {peer.skipped} entries that could not be read."] * bool(peer.skipped)
    return peer


def _from_database(peer: Peer, root: Path, path: Path) -> None:
    """At rest it is opened as immutable: reading it as others do would leave new files beside it."""
    import sqlite3  # most workspaces have no such database

    folder = root.resolve().as_posix()
    key = sha256((folder.lower() if sys.platform == "win32" else folder).encode(errors="surrogateescape")).hexdigest()
    try:
        with path.open("rb") as file:
            is_at_rest = file.read(20)[18:20] == b"\x02\x02" and not path.with_name(f"{path.name}-wal").exists()
        uri = f"file:{quote(str(path))}?mode=ro{'&immutable=1' * is_at_rest}"
        with closing(sqlite3.connect(uri, uri=True, timeout=_PATIENCE)) as database:
            for space, kind in (("short-term-recall", Entry), ("short-term-phase-signals", Signal)):
                for row in _rows(database, space, f"{key}:", peer):
                    peer.store = f"plugin-state:memory-core/short-term-recall/{key}"
                    _take(peer, row.key, row.value, kind)
            for row in _rows(database, "memory-host.events", f"{key[:24]}:event:", peer):
                _take_event(peer, bytes(row.event))
            for row in _rows(database, "short-term-locks", key, peer):
                peer.is_locked |= 0 <= time.time() - row.acquired_at / 1000 < _STALE
    except (sqlite3.Error, OSError, ValueError) as error:
        peer.doubts.append(f"{path.name}: OpenClaw's own store was not read to its end ({type(error).__name__}).")


def _rows(database: "sqlite3.Connection", space: str, prefix: str, peer: Peer) -> Iterator[_Row]:
    for (text,) in database.execute(_ROWS, (space, prefix, prefix, _LARGEST_ROW, _MOST_ROWS)):
        try:
            yield msgspec.json.decode(text, type=_Row)
        except (ValueError, TypeError, RecursionError):
            peer.skipped += 1


def _file(layout: Layout, path: str, peer: Peer) -> list[tuple[str, msgspec.Raw]]:
    try:
        data = _plain(layout.root / path, peer)
        whole = msgspec.json.decode(data or b'{"entries":{}}', type=dict[str, msgspec.Raw])
        return list(msgspec.json.decode(whole["entries"], type=dict[str, msgspec.Raw]).items())[:_MOST_ROWS]
    except (ValueError, KeyError, RecursionError):
        peer.doubts.append(f"{path} is damaged and was passed over.")
        return []


def _plain(path: Path, peer: Peer) -> bytes:
    """The bytes of a plain file; nothing where there is none."""
    try:
        return read_bytes(path, _LARGEST) if os.path.lexists(path) else b""
    except Unreadable as error:
        peer.doubts.append(f"{path.name} was not read: {error}.")
        return b""


def _take(peer: Peer, name: str, raw: msgspec.Raw, kind: type[Entry] | type[Signal]) -> None:
    try:
        found = msgspec.json.decode(raw, type=kind)
        if isinstance(found, Signal):
            peer.signals[name] = found
            return
        path, known = found.path.replace("\\", "/").removeprefix("./"), peer.entries.get(found.key or name)
        if not path.isprintable() or ":" in path or {"", ".", ".."}.intersection(path.split("/")):
            raise ValueError("It leads out of the workspace.")
        times = [entry.last_recalled.timestamp() if entry and entry.last_recalled else 0.0 for entry in (known, found)]
        if found.source == "memory" and times[1] >= times[0]:
            key, snippet = found.key or name, " ".join(found.snippet.split())
            peer.entries[key] = changed(found, key=key, path=path, snippet=snippet)
    except (ValueError, RecursionError):
        peer.skipped += 1


def _take_event(peer: Peer, line: bytes) -> None:
    if b"memory.dream.completed" in line:
        with suppress(ValueError, RecursionError):
            event = msgspec.json.decode(line, type=_Row)
            peer.dreams += [(event.timestamp, event.phase)] if event.timestamp else []
