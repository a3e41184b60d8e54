"""`dream status`: how things stand, from small files alone and without msgspec: a glance costs little (seed 000)."""

import json
import os
import re
import stat
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from reverie.errors import NotAWorkspace
from reverie.workspace import layout as known
from reverie.workspace.layout import MEMORY, NOTES, Layout, note_day

_LARGEST = 4_000_000  # bytes that are counted
LATE = timedelta(hours=50)  # after which a night with unread notes is missing


class Status(NamedTuple):
    now: datetime
    characters: int
    limit: int
    lines: int
    most_lines: int
    archived: int
    last_night: datetime | None
    state: str
    indexed: int
    pending_notes: int
    inbox: int
    unread: dict[str, str]
    next_step: str

    @property
    def dreaming(self) -> str:
        """Whether nights happen by themselves, in OpenClaw's words (seed 002)."""
        if self.state == "active" and self.last_night and self.pending_notes and self.now - self.last_night > LATE:
            return f"blocked - {self.pending_notes} notes wait, and no night came since {self.last_night:%Y-%m-%d}"
        return {"active": "enabled", "not begun": "enabled", "off": "disabled"}.get(self.state, self.state)


def status(layout: Layout, now: datetime) -> Status:
    """The figures of seed 000, what waits, what could not be read, and what to do next."""
    memory = layout.real(MEMORY)
    if not os.path.lexists(memory) and not (layout.root / NOTES).is_dir():
        raise NotAWorkspace(f"{layout.root} has neither {MEMORY} nor {NOTES}/. `dream init` makes them.")
    text, why_unread = _memory(memory)
    last = _last_night(layout)
    limit, most_lines, nights, lookback = _settings(layout)
    try:
        state = json.loads(_text(layout.real(known.STATE_FILE)) or "{}")
        cards, pending = _waiting(layout, now.date(), state, nights, lookback)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):  # the next night makes it again
        cards, pending = _waiting(layout, now.date(), {}, nights, lookback)
    characters, lines = len(text) + sum(char > "\uffff" for char in text), len(re.findall(r"[^\n]*\n|[^\n]+$", text))
    listed = _text(layout.real(known.LEDGER_INDEX))
    archived = len(re.findall(r'^[ \t]*\{(?!.*"category": ?"forgotten").*"id"', listed, re.M))
    indexed = len(re.findall(r"^- ", _text(layout.real(f"{known.VAULT}/obsidian-index/_index.md")), re.M))
    unread, then = (
        {MEMORY: why_unread} if why_unread else {},
        _next_step(why_unread, cards, last, pending, is_gone=not os.path.lexists(memory)),
    )
    sizes = (characters, limit, lines, most_lines)
    return Status(now, *sizes, archived, last, _phase(layout, now, last), indexed, pending, cards, unread, then)


def _last_night(layout: Layout) -> datetime | None:
    try:
        return datetime.fromisoformat(_text(layout.real(known.LAST_REVIEW)).strip()).replace(tzinfo=None)
    except ValueError:
        return None


def _phase(layout: Layout, now: datetime, last: datetime | None) -> str:
    """Whether nights are off, not begun, or as dream-state.txt says; how long it hibernates or waits, as seed 000 says it."""
    if os.path.lexists(layout.real(known.OFF)):
        return "off"
    phase = "".join(filter(str.isprintable, _text(layout.real(known.DREAM_STATE)).strip()[:40])) or "active"
    if phase == "active":
        return phase if last else "not begun"
    try:
        age = now.astimezone() - datetime.fromisoformat(json.loads(_text(layout.real(known.SCHEDULE)))["since"])
        ages = {"hibernating": f"dormant {age.days} days", "pending": f"deferred, waiting {age.seconds // 60} min"}
        return f"{phase} ({ages[phase]})"
    except (ValueError, TypeError, KeyError, RecursionError):
        return phase


def _settings(layout: Layout) -> tuple[int, int, int, int]:
    """Characters and lines that memory may have, nights that a card waits, days that are read; loaded where any are set."""
    names = ("openclaw.json", "reverie.toml", known.OWNER_RULES)
    places = (folder / name for folder in (layout.root, layout.root.parent) for name in names)
    if not (layout.is_hosted or any(map(os.path.isfile, places))):
        return 18_000, 250, 30, 14
    from reverie.settings import load_settings  # msgspec and TOML cost as much as all the rest

    found = load_settings(layout.root, _text(layout.root / known.OWNER_RULES))
    return found.memory.limit, found.memory.lines, found.dream.ask_nights, found.dream.lookback_days


def _next_step(why_unread: str, cards: int, last: datetime | None, pending: int, *, is_gone: bool) -> str:
    if why_unread:
        return f"Mend {MEMORY}: {why_unread}."
    if cards:
        return "`dream inbox` shows what waits for your word."
    if is_gone and last:
        return f"{MEMORY} is gone. Bring it back, or begin a new one with `dream init`."
    if last is None:
        return "`dream plan` shows what a first night would change; `dream review` lets it happen."
    return "`dream review` reads what is new." if pending else "Nothing waits."


def _memory(path: Path) -> tuple[str, str]:
    if path.is_symlink() or not path.is_file():
        return "", "a link is not followed" if path.is_symlink() else "it is no plain file" if path.exists() else ""
    if path.stat().st_size > _LARGEST:
        return "", f"it is larger than {_LARGEST:,} bytes"
    try:
        return path.read_bytes().decode("utf-8"), ""
    except UnicodeDecodeError as error:
        return "", f"byte {error.start} is not UTF-8"


def _waiting(
    layout: Layout, today: date, state: dict[str, dict[str, dict[str, str]]], nights: int, lookback: int
) -> tuple[int, int]:
    """How many cards wait for a word today, and how many notes a night would read: known by size and time."""
    asked = [(date.fromisoformat(card["asked"]), card.get("later") or "") for card in state.get("cards", {}).values()]
    cards = sum((today - day).days <= nights and later <= str(today) for day, later in asked)
    seen, pending = state.get("files", {}), 0
    oldest = str(date.fromisoformat(str(state.get("since") or today)) - timedelta(days=lookback))
    for here, below, names in os.walk(layout.root / NOTES):
        below[:] = [name for name in below if not name.startswith(".")]
        prefix = os.path.relpath(here, layout.root).replace(os.sep, "/")
        for name in names:
            if name >= oldest and note_day(path := f"{prefix}/{name}"):  # a name begins with its day
                about = os.lstat(os.path.join(here, name))
                size, modified, *_ = seen.get(path) or (-1, 0)
                pending += about.st_size != size or modified not in (0, about.st_mtime_ns)
    return cards, pending


def _text(path: Path) -> str:
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):  # nobody writes into a pipe that stands there
            return ""
        with path.open("rb") as file:
            return file.read(_LARGEST).decode("utf-8", "replace")
    except OSError:
        return ""
