"""The six lines of `dream status`, from small state files only: neither MEMORY.md nor the ledger is read.

A glance stays cheap: it loads nothing of the night.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from reverie.apply.peer_lock import peer_minutes
from reverie.core.durable import NotPlain, is_utf16, open_plain, read_plain
from reverie.core.layout import (
    ACTIVE_DAYS,
    CONTENT_INDEX,
    DREAM_STATE,
    LAST_REVIEW,
    LEDGER_INDEX,
    REVIEWED,
    RUNS,
    SEED_LOCK,
    STATE_DIR,
    SWITCH,
    VAULT,
    Kind,
    place_of,
)
from reverie.core.sealing import KEYRING, mark_in
from reverie.core.settings import Settings
from reverie.lang.messages import said_with, say

NIGHTS = 2
LATE = timedelta(hours=50)  # two nights, and an hour for the clocks of spring


@dataclass(frozen=True, slots=True)
class KeptVersion:
    """A version of a file that somebody saved in the instant it was replaced, and that lies beside the run since then."""

    run: str
    path: str
    of: str

    def __str__(self) -> str:
        return say("status.kept", path=self.path, of=self.of)


@dataclass(frozen=True, slots=True)
class Glance:
    """What status knows. `exact` is False when MEMORY.md changed since its characters were last counted."""

    now: datetime
    characters: int
    exact: bool
    limit: int
    warn_at: int
    truncation: int
    archive: int
    last_review: str
    state: str
    index: int
    pending: int
    reviewed: bool
    kept: tuple[KeptVersion, ...] = ()
    on: bool = True  # whether anything happens by itself
    overdue: bool = False  # notes wait, and no night has come for longer than two
    blocked: str = ""  # why none comes, where the surface has looked
    dormant: int = 0  # days since anything was said, while hibernating
    sealed: str = ""  # where the key of archive and runs lies, if they are sealed
    lines: int = 0  # of MEMORY.md, as the last night counted them
    max_lines: int = 0
    warn_lines: int = 0
    waiting: int = 0  # minutes for which a night has been put off, while pending
    unread: str = ""  # why MEMORY.md cannot be read, in a sentence
    peer: int | None = None  # minutes for which another tool has been dreaming here

    @property
    def share(self) -> int:
        return round(100 * self.characters / self.limit) if self.limit else 0


def glance(root: Path, vault: Path, settings: Settings, now: datetime, home: Path | None = None) -> Glance:
    """Look at a workspace without reading it; `home` is where MEMORY.md lies, if that is elsewhere."""
    seen = _table(root / REVIEWED)
    memory = _numbers(seen.get("memory"))
    size = next((size for name in ("MEMORY.md", "memory.md") if (size := _size((home or root) / name))), 0)
    exact = bool(memory) and size == memory.get("bytes")
    characters = memory.get("characters", 0) if exact else _estimate(size, memory)
    last = last_dream(vault)
    state = said_in(vault / DREAM_STATE.removeprefix(VAULT)) or "active"
    waiting, on = _pending(root, seen, last), is_on(root, settings)
    return Glance(
        now=now,
        characters=characters,
        exact=exact or size == 0,
        limit=settings.memory.hard_limit,
        warn_at=int(settings.memory.hard_limit * settings.memory.warn),
        truncation=settings.memory.truncation,
        archive=_number(seen, "archive", lambda: len(_array(vault / LEDGER_INDEX.removeprefix(VAULT)))),
        last_review=last,
        state=state,
        index=_number(seen, "index", lambda: _bullets(vault / CONTENT_INDEX.removeprefix(VAULT))),
        pending=len(waiting),
        reviewed=bool(seen),
        kept=kept_versions(root),
        on=on,
        overdue=on and state != "hibernating" and bool(waiting) and _is_late(last, min(waiting), now),
        dormant=_dormant(vault, now.date()) if state == "hibernating" else 0,
        sealed=key_of_seal(root),
        lines=memory.get("lines", 0),
        max_lines=settings.memory.max_lines,
        warn_lines=settings.memory.warn_lines,
        waiting=_waiting(vault / DREAM_STATE.removeprefix(VAULT), now) if state == "pending" else 0,
        unread=unread_memory(home or root),
        peer=peer_minutes(root, now),
    )


def _is_late(last: str, oldest: date, now: datetime) -> bool:
    """Whether a night should have come since: two of them, and an hour for the clocks of spring."""
    try:
        dreamt = datetime.fromisoformat(last).replace(tzinfo=now.tzinfo)
    except ValueError:
        return (now.date() - oldest).days > NIGHTS
    return now - dreamt > LATE


def unread_memory(folder: Path) -> str:
    """Why the MEMORY.md of a folder cannot be read, in a sentence that says what to do; nothing where it can, or is not there."""
    name = next((name for name in ("MEMORY.md", "memory.md") if os.path.lexists(folder / name)), "")
    try:
        handle = open_plain(folder / name) if name else -1
    except OSError as error:
        other = say("read.special") if isinstance(error, NotPlain) else say("read.unopened", why=error.strerror)
        why = say("read.linked_file") if (folder / name).is_symlink() else other
    else:
        if handle < 0:
            return ""
        with os.fdopen(handle, "rb") as file:
            why = say("read.utf16") if is_utf16(file.read(64)) else ""
    return say("night.unreadable", path=name, why=why) if why else ""


def last_dream(vault: Path) -> str:
    """When the last night was, as `meta/last-review.txt` says; empty if there was none."""
    return said_in(vault / LAST_REVIEW.removeprefix(VAULT))


def is_on(root: Path, settings: Settings) -> bool:
    """Whether nights come by themselves: as the owner said with `dream on` or `dream off`, else as the settings have it."""
    said = said_in(root / SWITCH).lower()
    return said == "on" or (said != "off" and settings.dreaming.enabled)


def key_of_seal(root: Path) -> str:
    """Where the key of a sealed memory lies, as people are told; nothing where nothing is sealed."""
    mark = mark_in(root / STATE_DIR)
    if mark is None:
        return ""
    return told_place(mark.recipient, mark.key)


def told_place(recipient: str, key: str) -> str:
    """Where a key lies, in words; and that its file is gone, if it is."""
    if key == KEYRING:
        return say("seal.in_keyring", recipient=recipient)
    return key if Path(key).exists() else say("seal.away", place=key)


def as_lines(seen: Glance) -> Iterator[str]:
    """Seed 000's overview."""
    size = {"size": seen.characters, "limit": seen.limit, "share": seen.share}
    counted = "memory" if seen.exact else "memory_about" if seen.reviewed else "memory_at_most"
    yield say("status.title", now=f"{seen.now:%Y-%m-%d %H:%M}")
    yield say(f"status.{counted}", **size)
    yield say("status.archive", n=seen.archive)
    yield say("status.last", when=seen.last_review or say("status.never")) + _ago(seen)
    dormant = say("status.dormant", n=seen.dormant) if seen.state == "hibernating" and seen.dormant else ""
    state = say("claws.blocked", why=seen.blocked) if seen.blocked else said_with("tags", seen.state)
    state = state if seen.on else say("status.off")
    waiting = say("status_more.waiting", n=seen.waiting) if seen.state == "pending" else ""
    peer = say("status_more.peer", path=SEED_LOCK, n=seen.peer) if seen.peer is not None else ""
    yield say("status.state", state=state) + dormant + waiting + peer
    yield say("status.index", n=seen.index)
    yield say("status.pending", n=seen.pending)
    if seen.sealed:
        yield say("seal.state", place=seen.sealed)


def warning(seen: Glance) -> str:
    """What the owner should know about MEMORY.md and its size, or nothing. Bytes that were never counted are no ground for alarm."""
    if seen.unread:
        return seen.unread
    if not seen.exact and not seen.reviewed:
        return say("status.never_counted") if seen.characters > seen.warn_at else ""
    if seen.characters > seen.truncation:
        return say("status.cut", cut=seen.characters - seen.truncation, truncation=seen.truncation)
    if seen.characters > seen.limit:
        return say("status.over", limit=seen.limit)
    if seen.lines >= seen.warn_lines > 0:
        return say("doctor.many_lines", lines=seen.lines, limit=seen.max_lines)
    return say("status.nearly_full", share=seen.share) if seen.characters >= seen.warn_at else ""


def kept_versions(root: Path) -> tuple[KeptVersion, ...]:
    """Every version that lies beside its run until the owner has looked at it. Only names are read."""
    return tuple(
        KeptVersion(run, f"{RUNS}/{run}/{name}", _file_of(root / RUNS / run, name))
        for run in _names(root / RUNS)
        for name in _names(root / RUNS / run)
        if name.startswith("kept-")
    )


def _file_of(folder: Path, name: str) -> str:
    """Which file of the run a kept version belongs to; its name begins with the file's number."""
    files, number = _table(folder / "COMMIT").get("files"), name.split("-")[1]
    if not isinstance(files, list) or not number.isdecimal() or int(number) >= len(files):
        return say("status.a_file")
    path = files[int(number)].get("path") if isinstance(files[int(number)], dict) else ""
    return path if isinstance(path, str) and path.isprintable() and path else say("status.a_file")


def _names(folder: Path) -> list[str]:
    """The names in a folder that we could have given: letters, digits, dashes, which a terminal may be shown."""
    try:
        return sorted(name for name in os.listdir(folder) if name.isascii() and name.replace("-", "").isalnum())
    except OSError:  # no runs yet, or a stray file among them
        return []


def _ago(seen: Glance) -> str:
    if len(seen.last_review) != len("2026-11-15 03:00"):
        return ""  # a day alone is no moment
    try:
        then = datetime.fromisoformat(seen.last_review).replace(tzinfo=seen.now.tzinfo)
    except ValueError:
        return ""
    # real hours, over any clock change
    hours = int((seen.now.astimezone(UTC) - then.astimezone(UTC)) / timedelta(hours=1))
    return say("status.ago", n=hours) if hours >= 0 else ""


def _dormant(vault: Path, today: date) -> int:
    days = _array(vault / ACTIVE_DAYS.removeprefix(VAULT))
    try:
        return max(0, (today - date.fromisoformat(str(days[-1]))).days)
    except (IndexError, ValueError):
        return 0


def _waiting(path: Path, now: datetime) -> int:
    """Minutes since the state was written; it is written once for all the times that a night is put off."""
    try:
        return max(0, int((now.timestamp() - path.lstat().st_mtime) // 60))
    except OSError:
        return 0


def _numbers(value: Any) -> dict[str, int]:
    """The whole numbers of a table; a damaged state file makes the glance vague, not impossible."""
    return {k: v for k, v in value.items() if type(v) is int and v >= 0} if isinstance(value, dict) else {}


def _estimate(size: int, memory: dict[str, int]) -> int:
    """Bytes are not characters; the last count tells how they relate in this owner's languages."""
    known, counted = memory.get("bytes", 0), memory.get("characters", 0)
    return round(size * counted / known) if known and counted else size


def _pending(root: Path, seen: dict[str, Any], last: str) -> list[date]:
    """The days of files that are new, or larger than when they were read."""
    read = seen.get("read", {}) if isinstance(seen.get("read"), dict) else {}
    try:
        since = date.fromisoformat(last[:10]) - timedelta(days=2) if seen else date.min
    except ValueError:
        since = date.min
    dated = ((place_of(path).day, read.get(path) != size) for path, size in _dated(root / "memory", "memory/"))
    return [day for day, is_new in dated if day is not None and day >= since and is_new]


def _dated(folder: Path, prefix: str) -> Iterator[tuple[str, int]]:
    try:
        items = list(os.scandir(folder))
    except OSError:
        return
    for item in items:
        path = prefix + item.name
        if item.is_dir(follow_symlinks=False):
            if item.name.isdigit():  # nested by year and month
                yield from _dated(folder / item.name, f"{path}/")
        elif place_of(path).kind is Kind.DAILY and item.is_file(follow_symlinks=False):
            yield path, item.stat(follow_symlinks=False).st_size


def _number(seen: dict[str, Any], key: str, otherwise: Callable[[], int]) -> int:
    return int(seen[key]) if isinstance(seen.get(key), int) else otherwise()


def _json(path: Path) -> Any:
    try:
        return json.loads(read_plain(path))
    except (OSError, ValueError, RecursionError):
        return None


def _table(path: Path) -> dict[str, Any]:
    value = _json(path)
    return value if isinstance(value, dict) else {}


def _array(path: Path) -> list[Any]:
    value = _json(path)
    return value if isinstance(value, list) else []


def said_in(path: Path) -> str:
    """What a small state file says; nothing where there is none."""
    try:
        return read_plain(path).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _bullets(path: Path) -> int:
    return f"\n{said_in(path)}".count("\n- ")


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0
