"""The state OpenClaw left in a workspace, read and never written: `memory/.dreams` JSON, migrated or not, and SQLite.

What we counted ourselves stands in files of our own and is added to it. Each number is clamped, each list bounded, and
anything else refused: a store may come from a stranger. A damaged part is an empty part and a word in `doubts`; a night goes
on without it.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar
from urllib.parse import quote

from reverie.core.durable import NotPlain, is_plain_database, open_plain
from reverie.core.layout import (
    JOURNAL,
    PEER_JOURNAL,
    PEER_LOCK,
    PEER_RECALLS,
    PEER_SIGNALS,
    RECALLS,
    SIGNALS,
)
from reverie.core.sealing import from_disk
from reverie.lang.messages import say
from reverie.privacy.redact import DEFAULT_KINDS, redacted
from reverie.text.lines import count_units
from reverie.workspace.openclaw_format import (
    PeerEvent,
    PeerOrigin,
    PeerRecall,
    PeerSignal,
    PeerState,
    with_meetings,
    with_recalls,
)
from reverie.workspace.transcripts import moment
from reverie.workspace.values import Workspace

MOST_COUNT = 1_000_000
MOST_HITS = 9_999  # where the peer's own counters stop
LONGEST_SNIPPET = 800  # UTF-16 units
_HASH = re.compile(r"[0-9a-f]{6,64}")


def recall_of(key: str, value: object, kinds: frozenset[str] = DEFAULT_KINDS) -> PeerRecall | None:
    """One entry of the recall store, or None for what is damaged or not a memory."""
    if not isinstance(value, Mapping) or value.get("source") != "memory":
        return None
    path = path_of(value.get("path"))
    if not path or not isinstance(value.get("snippet"), str):
        return None
    first = _count(value.get("startLine"), least=1)
    recalls, daily, grounded = (_count(value.get(name)) for name in ("recallCount", "dailyCount", "groundedCount"))
    queries = _hashes(value.get("queryHashes"))
    asked = (
        _hashes(value.get("userQueryHashes")) if "userQueryHashes" in value else () if daily or grounded else queries
    )
    return PeerRecall(
        key=_text(value.get("key"), 2048) or key,
        path=path,
        first=first,
        last=max(first, _count(value.get("endLine"), least=1)),
        snippet=_snippet(value["snippet"], kinds),
        recalls=recalls,
        daily=daily,
        grounded=grounded,
        total_score=_number(value.get("totalScore"), recalls + daily + grounded),
        max_score=_number(value.get("maxScore"), 1.0),
        first_recalled=moment(value.get("firstRecalledAt")),
        last_recalled=moment(value.get("lastRecalledAt")),
        promoted=moment(value.get("promotedAt")),
        queries=queries,
        user_queries=asked,
        days=_days(value.get("recallDays")),
        tags=tuple(_distinct(value.get("conceptTags"), 64)[:8]),
        claim=_text(value.get("claimHash"), 12) if _HASH.fullmatch(str(value.get("claimHash"))) else "",
        origin=_origin(value.get("provenance")),
        project=_text(value.get("projectKey"), 512),
    )


def signal_of(key: str, value: object) -> PeerSignal | None:
    if not isinstance(value, Mapping):
        return None
    light, rem = (_count(value.get(name), most=MOST_HITS) for name in ("lightHits", "remHits"))
    return PeerSignal(key, light, rem, moment(value.get("lastLightAt")), moment(value.get("lastRemAt")))


def event_of(value: object, kinds: frozenset[str] = DEFAULT_KINDS) -> PeerEvent | None:
    if not isinstance(value, Mapping) or not isinstance(value.get("type"), str):
        return None
    about = {str(name): one for name, one in value.items() if name not in ("type", "timestamp")}
    if isinstance(about.get("query"), str):
        about["query"] = redacted(about["query"][:2048], kinds)
    return PeerEvent(value["type"], moment(value.get("timestamp")), MappingProxyType(about))


def path_of(value: object) -> str:
    """A path inside the workspace, with slashes; empty for anything that leads out of it."""
    if not isinstance(value, str) or len(value) > 1024 or not value.isprintable():
        return ""
    path = value.replace("\\", "/").removeprefix("./")
    parts = path.split("/")
    return "" if ":" in parts[0] or any(part in ("", ".", "..") for part in parts) else path


def _snippet(text: str, kinds: frozenset[str]) -> str:
    words = " ".join(redacted(text[: 4 * LONGEST_SNIPPET], kinds).split())
    while count_units(words) > LONGEST_SNIPPET:
        words = words[: len(words) - max(1, (count_units(words) - LONGEST_SNIPPET) // 2)]
    return words


def _count(value: object, least: int = 0, most: int = MOST_COUNT) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return least
    return min(most, max(least, int(value)))


def _number(value: object, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0.0
    return min(float(most), max(0.0, float(value)))


def _text(value: object, longest: int) -> str:
    return value[:longest] if isinstance(value, str) else ""


def _distinct(value: object, longest: int) -> list[str]:
    listed = value if isinstance(value, list) else []
    return list(dict.fromkeys(one for one in listed if isinstance(one, str) and 0 < len(one) <= longest))


def _hashes(value: object) -> tuple[str, ...]:
    return tuple(one for one in _distinct(value, 64) if _HASH.fullmatch(one))[-32:]


def _days(value: object) -> tuple[date, ...]:
    days = []
    for text in _distinct(value, 10):
        try:
            days.append(date.fromisoformat(text))
        except ValueError:
            continue
    return tuple(days)[-16:]


def _origin(value: object) -> PeerOrigin | None:
    if not isinstance(value, Mapping):
        return None
    said = _text(value.get("originClass"), 32)
    known = said if said in ("owner", "agent", "system", "untrusted") else "untrusted"
    return PeerOrigin(known, _text(value.get("sessionKind"), 32) or "unknown")


LARGEST = 64 * 1024 * 1024
LARGEST_VALUE = 1024 * 1024
MOST_ROWS = 50_000  # the peer's own bound per namespace
MOST_EVENTS = 10_000
PATIENCE = 0.5  # seconds to wait for the peer to finish writing
_SPACES = {"short-term-recall": "recalls", "short-term-phase-signals": "signals"}
_EVENTS, _LOCKS = "memory-host.events", "short-term-locks"
STALE = 60.0  # seconds after which a lock of the peer's may be anybody's
_ROWS = """
    SELECT entry_key, value_json FROM plugin_state_entries
    WHERE plugin_id = 'memory-core' AND namespace = ? AND substr(entry_key, 1, length(?)) = ? AND length(value_json) <= ?
    ORDER BY entry_key LIMIT ?
"""
T = TypeVar("T")
Stored = list[tuple[str, Any]]  # (logical key, value), in the order of trust: what comes later wins a tie


def workspace_key(root: Path) -> str:
    """By what the peer's database knows this workspace."""
    path = root.resolve().as_posix()
    return hashlib.sha256((path.lower() if sys.platform == "win32" else path).encode()).hexdigest()


def peer_state(workspace: Workspace) -> PeerState:
    """What the peer kept about this workspace: in its own files, and in the database of the peer where there is one."""
    kinds = workspace.settings.privacy.kinds
    state = read_peer_state(workspace.root, workspace.peer_db, kinds=kinds)
    if workspace.peer_db is None or (workspace.root / PEER_RECALLS).exists():
        return state
    return replace(state, store=f"plugin-state:memory-core/short-term-recall/{workspace_key(workspace.root)}")


def lock_times(workspace: Workspace) -> Iterator[tuple[float, float]]:
    """When the peer took the locks that it holds on this workspace (seconds), and after how long each means nothing any more.

    A file in the workspace in its older versions; since then a row of its database, and a file beside it while it promotes.
    """
    files = [(workspace.root / PEER_LOCK, STALE)]
    if (database := workspace.peer_db) is not None:
        name = hashlib.sha256(os.path.realpath(workspace.root).encode()).hexdigest()
        files.append((database.parent.parent / "locks" / f"memory-promotion-{name}.lock", 2 * STALE))
        for value in _values(database, _LOCKS, workspace_key(workspace.root)):
            if isinstance(value, Mapping):
                yield _number(value.get("acquiredAt"), math.inf) / 1000, STALE
    for file, stale in files:
        with suppress(OSError):
            yield os.stat(file, follow_symlinks=False).st_mtime, stale


def _values(path: Path, space: str, key: str) -> list[Any]:
    """The rows of one space that stand under a key, as far as they can be read."""
    try:
        still = "&immutable=1" if _is_at_rest(path) else ""
        with closing(
            sqlite3.connect(f"file:{quote(str(path))}?mode=ro{still}", uri=True, timeout=PATIENCE)
        ) as database:
            return [value for _, value in _rows(database, space, key, MOST_ROWS, [])]
    except (sqlite3.Error, OSError):
        return []


def read_peer_state(
    root: Path, state_db: Path | None, *, every_workspace: bool = False, kinds: frozenset[str] = DEFAULT_KINDS
) -> PeerState:
    """What the peer kept about this workspace (or about all it knows). The newest of several records wins."""
    doubts: list[str] = []
    parts: dict[str, Stored] = {name: [] for name in _SPACES.values()}
    events: list[PeerEvent] = []
    for suffix in (".migrated", ""):
        parts["recalls"] += _entries(root, PEER_RECALLS + suffix, doubts)
        parts["signals"] += _entries(root, PEER_SIGNALS + suffix, doubts)
        events += _event_lines(root, PEER_JOURNAL + suffix, doubts, kinds)
    events += _event_lines(root, JOURNAL, doubts, kinds)
    if state_db is not None:
        _from_database(state_db, "" if every_workspace else workspace_key(root), parts, events, doubts, kinds)
    recall = partial(recall_of, kinds=kinds)
    theirs = _newest(_valued(parts["recalls"], recall, "recalls", doubts))
    ours = _newest(_valued(_entries(root, RECALLS, doubts), recall, "recalls", doubts))
    met = _mapped(_valued(parts["signals"], signal_of, "signals", doubts))
    we_met = _mapped(_valued(_entries(root, SIGNALS, doubts), signal_of, "signals", doubts))
    return PeerState(
        recalls=_both(theirs, ours, with_recalls),
        signals=_both(met, we_met, with_meetings),
        events=tuple(_ordered(events)[-MOST_EVENTS:]),
        doubts=tuple(dict.fromkeys(doubts)),
    )


def _entries(root: Path, path: str, doubts: list[str]) -> Stored:
    data = _read(root, path, doubts)
    if data is None:
        return []
    try:
        return [(str(key), value) for key, value in json.loads(data)["entries"].items()]
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        doubts.append(say("peer.damaged", path=path))
        return []


def _event_lines(root: Path, path: str, doubts: list[str], kinds: frozenset[str]) -> Iterator[PeerEvent]:
    damaged = 0
    for line in (_read(root, path, doubts) or b"").split(b"\n"):
        if not line.strip():
            continue
        try:
            event = event_of(json.loads(line), kinds)
        except (ValueError, RecursionError):
            event = None
        damaged += event is None
        if event is not None:
            yield event
    if damaged:
        doubts.append(say("peer.damaged_lines", n=damaged, path=path))


def _read(root: Path, path: str, doubts: list[str]) -> bytes | None:
    """The bytes of a real file below real folders; None for anything else, with a word unless there is none."""
    here = root
    for part in path.split("/")[:-1]:
        here = here / part
        if here.is_symlink():
            doubts.append(say("peer.linked", path=here.relative_to(root).as_posix()))
            return None
    try:
        with os.fdopen(open_plain(root / path), "rb") as file:
            if os.fstat(file.fileno()).st_size <= LARGEST:
                return from_disk(root / path, file.read())
            doubts.append(say("peer.too_large", path=path))
    except FileNotFoundError:
        pass
    except NotPlain:
        doubts.append(say("peer.too_large", path=path))
    except OSError as error:
        doubts.append(say("peer.unopened", path=path, why=error.strerror))
    return None


def _from_database(
    path: Path, key: str, parts: dict[str, Stored], events: list[PeerEvent], doubts: list[str], kinds: frozenset[str]
) -> None:
    """Add what the peer's SQLite state holds. Opened read-only, and no file is made beside it."""
    if not path.is_file() or not is_plain_database(path):
        doubts.append(say("peer.no_file", path=path.name))
        return
    try:
        still = "&immutable=1" if _is_at_rest(path) else ""
        with closing(
            sqlite3.connect(f"file:{quote(str(path))}?mode=ro{still}", uri=True, timeout=PATIENCE)
        ) as database:
            for space, name in _SPACES.items():
                for _, value in _rows(database, space, f"{key}:" if key else "", MOST_ROWS, doubts):
                    if isinstance(value, Mapping) and (not key or value.get("workspaceKey") == key):
                        parts[name].append((str(value.get("key")), value.get("value")))
            for _, value in _rows(database, _EVENTS, f"{key[:24]}:event:" if key else "", MOST_EVENTS, doubts):
                event = event_of(value.get("event"), kinds) if isinstance(value, Mapping) else None
                if event is not None:
                    events.append(event)
    except (sqlite3.Error, OSError, ValueError) as error:
        doubts.append(say("peer.no_database", path=path.name, why=error))


def _is_at_rest(path: Path) -> bool:
    """Whether it keeps a write-ahead log and nobody has one open: reading it as others do would make new files there."""
    with path.open("rb") as file:
        logged = file.read(20)[18:20] == b"\x02\x02"
    return logged and not path.with_name(path.name + "-wal").exists()


def _rows(
    database: sqlite3.Connection, space: str, prefix: str, most: int, doubts: list[str]
) -> Iterator[tuple[str, Any]]:
    for key, text in database.execute(_ROWS, (space, prefix, prefix, LARGEST_VALUE, most)):
        try:
            yield str(key), json.loads(text)
        except (ValueError, TypeError, RecursionError):
            doubts.append(say("peer.damaged_rows", space=space))


def _valued(
    stored: Stored, read: Callable[[str, object], T | None], what: str, doubts: list[str]
) -> list[tuple[str, T]]:
    found, damaged = [], 0
    for key, value in stored:
        one = read(key, value)
        foreign = isinstance(value, Mapping) and value.get("source", "memory") != "memory"
        damaged += one is None and not foreign
        if one is not None:
            found.append((key, one))
    if damaged:
        doubts.append(say(f"peer.damaged_{what}", n=damaged))
    return found


def _newest(found: Iterable[tuple[str, PeerRecall]]) -> Mapping[str, PeerRecall]:
    best: dict[str, PeerRecall] = {}
    for _, one in found:
        old = best.get(one.key)
        if old is None or _when(one) >= _when(old):
            best[one.key] = one
    return MappingProxyType(dict(sorted(best.items())))


def _both(theirs: Mapping[str, T], ours: Mapping[str, T], add: Callable[[T, T], T]) -> Mapping[str, T]:
    """What the peer counted and what we did, under one key each."""
    joined = dict(theirs) | {key: add(theirs[key], one) if key in theirs else one for key, one in ours.items()}
    return MappingProxyType(dict(sorted(joined.items())))


def _when(recall: PeerRecall) -> float:
    return recall.last_recalled.timestamp() if recall.last_recalled else 0.0


def _mapped(found: Iterable[tuple[str, T]]) -> Mapping[str, T]:
    return MappingProxyType(dict(sorted(dict(found).items())))


def _ordered(events: Iterable[PeerEvent]) -> list[PeerEvent]:
    """In time, each once: a migration copies the log."""
    once = {(event.kind, event.at, str(event.about)): event for event in events}
    return sorted(once.values(), key=lambda event: event.at.timestamp() if event.at else 0.0)
