"""`dream status`: how things stand, from small files only: neither the ledger nor a note is opened (seed 000).

It stands beside the records without decoding them into their types, so that a glance costs no more than it must.
"""

from __future__ import annotations

import json
import os
import re
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple

from reverie.errors import NotAWorkspace
from reverie.workspace.layout import (
    DREAM_STATE,
    LAST_REVIEW,
    LEDGER_INDEX,
    MEMORY,
    NOTES,
    OWNER_RULES,
    STATE_FILE,
    VAULT,
    Layout,
    note_day,
)

_LARGEST = 4_000_000  # bytes that are counted
_ASK_NIGHTS = 30


class Status(NamedTuple):
    now: datetime
    characters: int
    limit: int
    lines: int
    archived: int
    last_night: datetime | None
    state: str
    indexed: int
    pending_notes: int
    inbox: int
    unread: dict[str, str]
    next_step: str


def status(layout: Layout, now: datetime) -> Status:
    """The figures of seed 000, what waits, what could not be read, and what to do next."""
    memory = layout.real(MEMORY)
    if not memory.exists() and not (layout.root / NOTES).is_dir():
        raise NotAWorkspace(f"{layout.root} has neither {MEMORY} nor {NOTES}/. `dream init` makes them.")
    text, unread = _memory(memory)
    state = _object(layout.real(STATE_FILE))
    last = _last_night(layout)
    pending = _pending(layout, state, now.date())
    cards = _cards(state, now.date())
    return Status(
        now,
        len(text) + sum(char > "\uffff" for char in text),
        _limit(layout.root),
        text.count("\n") + (not text.endswith("\n") and bool(text)),
        len(_list(layout.real(LEDGER_INDEX))),
        last,
        (_text(layout.real(DREAM_STATE)).strip() or "active") if last else "not begun",
        sum(line.startswith("- ") for line in _text(layout.real(f"{VAULT}/obsidian-index/_index.md")).split("\n")),
        pending,
        cards,
        unread,
        _next_step(unread, last, pending, cards),
    )


def _memory(path: Path) -> tuple[str, dict[str, str]]:
    """The text of MEMORY.md, and why it cannot be read if it cannot."""
    if path.is_symlink():
        return "", {MEMORY: "a link is not followed"}
    if not path.is_file():
        return "", {MEMORY: "it is no plain file"} if path.exists() else {}
    if path.stat().st_size > _LARGEST:
        return "", {MEMORY: f"it is larger than {_LARGEST:,} bytes"}
    try:
        return path.read_bytes().decode("utf-8"), {}
    except UnicodeDecodeError as error:
        return "", {MEMORY: f"byte {error.start} is not UTF-8"}


def _pending(layout: Layout, state: dict[str, Any], today: date) -> int:
    """Notes that a night would read; known by size and time."""
    seen = state.get("files") or {}
    since = date.fromisoformat(state.get("since") or str(today))
    count = 0
    for here, below, names in os.walk(layout.root / NOTES):
        below[:] = [name for name in below if not name.startswith(".")]
        prefix = os.path.relpath(here, layout.root).replace(os.sep, "/")
        for name in names:
            path = f"{prefix}/{name}"
            day = note_day(path)
            if day and (since - day).days <= 14 and not _is_seen(seen.get(path), Path(here, name)):
                count += 1
    return count


def _is_seen(seen: Any, path: Path) -> bool:
    """A note that was read to its end; where the time says nothing, its size has to do."""
    if not isinstance(seen, list) or len(seen) < 2:
        return False
    about = path.lstat()
    return about.st_size == seen[0] and seen[1] in (0, about.st_mtime_ns)


def _cards(state: dict[str, Any], today: date) -> int:
    cards = (state.get("cards") or {}).values()
    return sum(
        (today - date.fromisoformat(card["asked"])).days <= _ASK_NIGHTS and (card.get("later") or "") <= str(today)
        for card in cards
    )


def _limit(root: Path) -> int:
    """The limit that a night would keep to; the settings are read only where there are any."""
    if any(
        (folder / name).is_file()
        for folder in (root, root.parent)
        for name in ("openclaw.json", "reverie.toml", OWNER_RULES)
    ):
        from reverie.settings import load_settings  # msgspec and TOML cost as much as all the rest

        return load_settings(root, _text(root / OWNER_RULES)).memory.limit
    return 18_000


def _last_night(layout: Layout) -> datetime | None:
    words = _text(layout.real(LAST_REVIEW)).strip()
    try:
        return datetime.fromisoformat(words)
    except ValueError:
        return None


def _next_step(unread: dict[str, str], last: datetime | None, pending: int, cards: int) -> str:
    if unread:
        return f"Mend {MEMORY}: {unread[MEMORY]}."
    if cards:
        return "`dream inbox` shows what waits for your word."
    if last is None:
        return "`dream plan` shows what a first night would change; `dream review` lets it happen."
    return "`dream review` reads what is new." if pending else "Nothing waits."


def _text(path: Path) -> str:
    try:
        return "" if path.is_symlink() else path.read_bytes()[:_LARGEST].decode("utf-8", "replace")
    except OSError:
        return ""


def _object(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(_text(path) or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _list(path: Path) -> list[Any]:
    return re.findall(r'^\s*\{.*"id"', _text(path), re.M)
