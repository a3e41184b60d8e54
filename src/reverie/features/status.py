"""The six lines of `dream status`, from small state files only: neither MEMORY.md nor the ledger is opened.

Kept apart from the engine so that a glance stays cheap: it loads none of the rooms.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from reverie.core.layout import (
    ACTIVE_DAYS,
    CONTENT_INDEX,
    DREAM_STATE,
    LAST_REVIEW,
    LEDGER_INDEX,
    REVIEWED,
    RUNS,
    SWITCH,
    VAULT,
    Kind,
    place_of,
)
from reverie.core.settings import Settings


@dataclass(frozen=True, slots=True)
class Kept:
    """A version of a file that somebody saved in the instant it was replaced, and that lies beside the run since then."""

    run: str
    path: str
    of: str

    def __str__(self) -> str:
        return (
            f"{self.path} is another version of {self.of}, saved in the instant it was replaced. "
            "Take from it what you miss, then delete it; it may hold a secret."
        )


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
    kept: tuple[Kept, ...] = ()
    on: bool = True  # whether anything happens by itself
    dormant: int = 0  # days since anything was said, while hibernating

    @property
    def share(self) -> int:
        return round(100 * self.characters / self.limit) if self.limit else 0


def glance(root: Path, vault: Path, settings: Settings, now: datetime) -> Glance:
    """Look at a workspace without reading it."""
    seen = _json(root / REVIEWED)
    memory = _numbers(seen.get("memory"))
    size = _size(root / "MEMORY.md") or _size(root / "memory.md")
    exact = bool(memory) and size == memory.get("bytes")
    characters = memory.get("characters", 0) if exact else _estimate(size, memory)
    last = last_dream(vault)
    state = _text(vault / DREAM_STATE.removeprefix(VAULT)) or "active"
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
        pending=_pending(root, seen, last),
        reviewed=bool(seen),
        kept=kept_versions(root),
        on=is_on(root),
        dormant=_dormant(vault, now.date()) if state == "hibernating" else 0,
    )


def last_dream(vault: Path) -> str:
    """When the last night was, as `meta/last-review.txt` says; empty if there was none."""
    return _text(vault / LAST_REVIEW.removeprefix(VAULT))


def is_on(root: Path) -> bool:
    """Whether dreaming is switched on in this workspace: it is, until somebody says `dream off`."""
    return _text(root / SWITCH).lower() != "off"


def as_lines(seen: Glance) -> Iterator[str]:
    """Seed 000's overview, and one more line when something needs the owner's eye."""
    about = "" if seen.exact else "about " if seen.reviewed else "at most "
    changed = "" if seen.exact or not seen.reviewed else ", changed since the last dream"
    yield f"🌙 Dream Status — {seen.now:%Y-%m-%d %H:%M}"
    yield f"MEMORY.md: {about}{seen.characters:,} chars / {seen.limit:,} limit ({seen.share}%{changed})"
    yield f"Permanent archive: {seen.archive} record{'s' if seen.archive != 1 else ''}"
    yield f"Last distillation: {seen.last_review or 'never'}{_ago(seen)}"
    yield f"System state: {seen.state}{_dormancy(seen)}"
    yield f"Obsidian index: {seen.index} entr{'ies' if seen.index != 1 else 'y'}"
    yield f"Pending journals: {seen.pending} file{'s' if seen.pending != 1 else ''}"


def warning(seen: Glance) -> str:
    """What the owner should know about the size, or nothing. Bytes that were never counted are no ground for alarm."""
    if not seen.exact and not seen.reviewed:
        uncounted = seen.characters > seen.warn_at
        return "MEMORY.md was never counted and may be near its limit. Run `dream review`." if uncounted else ""
    if seen.characters > seen.truncation:
        cut = seen.characters - seen.truncation
        return f"MEMORY.md is cut in every conversation: about {cut:,} characters beyond {seen.truncation:,} are not seen. Run `dream review`."
    if seen.characters > seen.limit:
        return f"MEMORY.md is over its limit of {seen.limit:,} characters. Run `dream review`."
    if seen.characters >= seen.warn_at:
        return f"MEMORY.md is at {seen.share}% of its limit. The next dream will make room."
    return ""


def kept_versions(root: Path) -> tuple[Kept, ...]:
    """Every version that lies beside its run until the owner has looked at it. Only names are read."""
    return tuple(
        Kept(run, f"{RUNS}/{run}/{name}", _file_of(root / RUNS / run, name))
        for run in _names(root / RUNS)
        for name in _names(root / RUNS / run)
        if name.startswith("kept-")
    )


def _file_of(folder: Path, name: str) -> str:
    """Which file of the run a kept version belongs to; its name begins with the file's number."""
    files, number = _json(folder / "COMMIT").get("files"), name.split("-")[1]
    if not isinstance(files, list) or not number.isdecimal() or int(number) >= len(files):
        return "a file"
    path = files[int(number)].get("path") if isinstance(files[int(number)], dict) else ""
    return path if isinstance(path, str) and path.isprintable() and path else "a file"


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
    hours = int(
        (seen.now.astimezone(UTC) - then.astimezone(UTC)) / timedelta(hours=1)
    )  # real hours, over any clock change
    return f" ({hours} hour{'s' if hours != 1 else ''} ago)" if hours >= 0 else ""


def _dormancy(seen: Glance) -> str:
    if seen.state != "hibernating" or not seen.dormant:
        return ""
    return f" (dormant {seen.dormant} day{'s' if seen.dormant != 1 else ''})"


def _dormant(vault: Path, today: date) -> int:
    days = _array(vault / ACTIVE_DAYS.removeprefix(VAULT))
    try:
        return max(0, (today - date.fromisoformat(str(days[-1]))).days)
    except (IndexError, ValueError):
        return 0


def _numbers(value: Any) -> dict[str, int]:
    """The whole numbers of a table; a damaged state file makes the glance vague, not impossible."""
    return {k: v for k, v in value.items() if type(v) is int and v >= 0} if isinstance(value, dict) else {}


def _estimate(size: int, memory: dict[str, int]) -> int:
    """Bytes are not characters; the last count tells how they relate in this owner's languages."""
    known, counted = memory.get("bytes", 0), memory.get("characters", 0)
    return round(size * counted / known) if known and counted else size


def _pending(root: Path, seen: dict[str, Any], last: str) -> int:
    """Dated files that are new, or larger than when they were read."""
    read = seen.get("read", {}) if isinstance(seen.get("read"), dict) else {}
    try:
        since = date.fromisoformat(last[:10]) - timedelta(days=2) if seen else date.min
    except ValueError:
        since = date.min
    count = 0
    for path, size in _dated(root / "memory", "memory/"):
        day = place_of(path).day
        if day is not None and day >= since and read.get(path) != size:
            count += 1
    return count


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


def _number(seen: dict[str, Any], key: str, otherwise: Any) -> int:
    return int(seen[key]) if isinstance(seen.get(key), int) else int(otherwise())


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _array(path: Path) -> list[Any]:
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return []
    return value if isinstance(value, list) else []


def _bullets(path: Path) -> int:
    return sum(1 for line in _text(path).split("\n") if line.startswith("- "))


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0
