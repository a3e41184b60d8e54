"""Turns of conversations → our session corpus, `memory/.dreams/session-corpus/reverie/<day>.txt`: one line after another, once.

Nothing is kept before it is redacted. Lines come first, cursors second, and a line that stands in its day's file is never
appended again: whatever a crash interrupts, the next call completes it. How far each transcript was read stands in a file of
ours, in OpenClaw's format; a damaged one counts as none, and every line is looked up in the corpus instead.
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo
from pathlib import Path
from types import MappingProxyType
from typing import Any

from reverie.core.errors import WriteFailed
from reverie.core.layout import CORPUS, OWN_CORPUS, PEER_SESSIONS, SESSION_CURSOR, STATE_DIR
from reverie.evidence.state_files import (
    Steps,
    alone,
    make_real_folder,
    open_plain,
    read_plain,
    refuse_links,
    replace_file,
)
from reverie.lang.messages import say
from reverie.privacy.redact import DEFAULT_KINDS, redacted
from reverie.text.lines import count_units
from reverie.workspace.openclaw_format import message_hash
from reverie.workspace.transcripts import Cursor, Transcript, Turn
from reverie.workspace.values import Origin, json_object

SHORTEST = 12  # characters; less is "ok, thanks"
WIDEST = 800  # UTF-16 units of a line, as the peer wraps them
VERSION = 3
MOST_SEEN = 4096  # message ids per session, as the peer keeps them
MOST_SEEN_IN_ALL = 20_000  # of ours; they only matter when a host rewrites a file that we have read
FORGET_AFTER = timedelta(days=90)  # a file that was not met for so long is gone
State = dict[str, Any]  # the JSON of a file that others write too
_UNPRINTED = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufeff]+")
_BREAKS = " 。！？；，、"


@dataclass(frozen=True, slots=True)
class Ingested:
    """What one call did, in turns: new ones, those that stood there already, and those left out, by reason."""

    appended: int = 0
    already: int = 0
    left_out: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    days: tuple[date, ...] = ()  # whose files grew


def read_cursors(root: Path) -> Mapping[str, Cursor]:
    """How far each transcript was read, by its path."""
    refuse_links(root, STATE_DIR)
    return MappingProxyType(cursors_in(_peers(root)) | cursors_in(state_of(read_plain(root / SESSION_CURSOR))))


def append_turns(
    root: Path,
    transcripts: Sequence[Transcript],
    zone: tzinfo | None,
    *,
    now: datetime,
    kinds: frozenset[str] = DEFAULT_KINDS,
    gone: Callable[[str], bool] | None = None,
    steps: Steps | None = None,
) -> Ingested:
    """Append what is new to the corpus of its day (in the owner's zone) and move the cursors on.

    Every transcript that was met belongs here, with or without new turns: a file not met for 90 days is forgotten. Turns that
    are `gone` say what the owner wants forgotten for ever: they are not copied.
    """
    if not transcripts:
        return Ingested()
    steps = steps or Steps()
    try:
        with alone(make_real_folder(root, STATE_DIR, steps) / "ingest.lock"):
            return _append(_Batch(root, zone, kinds, gone), transcripts, now, steps)
    except OSError as error:
        raise WriteFailed(say("corpus.unwritten", path=error.filename or OWN_CORPUS, why=error.strerror)) from None


def _append(batch: _Batch, transcripts: Sequence[Transcript], now: datetime, steps: Steps) -> Ingested:
    stored = read_plain(batch.root / SESSION_CURSOR)
    state, theirs = state_of(stored), _peers(batch.root)
    for transcript in transcripts:
        scope = scope_of(transcript)
        batch.add(transcript, frozenset((*seen_in(theirs, scope), *seen_in(state, scope))))
    days = batch.write(steps)
    remember(state, transcripts, batch.seen, now)
    _keep(batch.root, stored, bytes_of(state), steps)
    return Ingested(batch.appended, batch.already, MappingProxyType(dict(sorted(batch.left_out.items()))), days)


def _peers(root: Path) -> State:
    """What the peer has heard already, and how far version 0.1 came, which wrote into the peer's file. Only read."""
    return state_of(read_plain(root / PEER_SESSIONS))


@dataclass(slots=True)
class _Day:
    """A day's file: the lines that stand in it, what a crash left behind them, and what is to be appended."""

    path: Path
    whole: int
    torn: bytes
    standing: Counter[bytes]
    fresh: list[bytes] = field(default_factory=list)

    def lacks(self, lines: Iterable[bytes]) -> list[bytes]:
        used: Counter[bytes] = Counter()
        missing = []
        for line in lines:
            used[line] += 1
            if used[line] > self.standing[line]:
                missing.append(line)
        for line, count in used.items():
            self.standing[line] = max(count, self.standing[line])
        return missing

    def write(self, steps: Steps) -> None:
        """Drop a torn line (its turn is not known as read, so it comes again), then append the rest in one write."""
        data = b"".join(line + b"\n" for line in self.fresh)
        if self.torn.startswith(b"[") or b"\0" in self.torn:
            steps.cut(self.path, self.whole)
        elif self.torn:  # somebody else's last line, without its end
            data = b"\n" + data
        if data:
            steps.append(self.path, data)
        steps.sync(self.path)  # also what a killed process appended: the cursors will say it is safe


@dataclass(slots=True)
class _Batch:
    """What one call will append, day by day."""

    root: Path
    zone: tzinfo | None
    kinds: frozenset[str]  # of personal data that is not kept
    gone: Callable[[str], bool] | None
    days: dict[date, _Day] = field(default_factory=dict)
    seen: dict[str, list[str]] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    appended: int = 0
    already: int = 0

    def add(self, transcript: Transcript, seen: frozenset[str]) -> None:
        self.left_out.update(transcript.left_out)
        scope = scope_of(transcript)
        for turn in transcript.turns:
            day = self._day(transcript, turn)
            words = words_of(turn, self.kinds)
            if day is None or weight(words) < SHORTEST:
                self.left_out["undated" if day is None else "short"] += 1
                continue
            known = identity(scope, turn, words)
            if known in seen:
                self.already += 1
                continue
            if day not in self.days:
                self.days[day] = _day_file(self.root, day)
            lines = [line for line in lines_of(turn, words) if not (self.gone and self.gone(line.partition("] ")[2]))]
            missing = self.days[day].lacks(line.encode() for line in lines)
            self.days[day].fresh += missing
            self.seen.setdefault(scope, []).append(known)
            self.appended, self.already = self.appended + bool(missing), self.already + (not missing)

    def write(self, steps: Steps) -> tuple[date, ...]:
        for day in _torn_days(self.root) - set(self.days):
            self.days[day] = _day_file(self.root, day)
        grew = tuple(sorted(day for day, file in self.days.items() if file.fresh))
        if self.days:
            folder = make_real_folder(self.root, OWN_CORPUS, steps)
            for _, file in sorted(self.days.items()):
                file.write(steps)
            steps.sync_folder(folder)
        return grew

    def _day(self, transcript: Transcript, turn: Turn) -> date | None:
        """The day a turn is filed under: its own, else the first one its file knows."""
        if turn.at is not None:
            return turn.at.astimezone(self.zone).date()
        if transcript.day is not None:
            return transcript.day
        first = transcript.started or next((other.at for other in transcript.turns if other.at), None)
        return first.astimezone(self.zone).date() if first else None


def _day_file(root: Path, day: date) -> _Day:
    """Our file of a day; what the peer keeps of the same day stands already, and nothing is done to it."""
    refuse_links(root, OWN_CORPUS)
    path = root / OWN_CORPUS / f"{day.isoformat()}.txt"
    data = read_plain(path) or b""
    theirs = read_plain(root / CORPUS / path.name) or b""
    whole = data.rfind(b"\n") + 1
    standing = Counter(line.rstrip(b"\r") for line in data[:whole].split(b"\n")[:-1])
    return _Day(path, whole, data[whole:], standing | Counter(line.rstrip(b"\r") for line in theirs.split(b"\n")))


def _torn_days(root: Path) -> set[date]:
    """Days whose file a crash left without its last line's end."""
    refuse_links(root, OWN_CORPUS)
    torn = set()
    for path in sorted((root / OWN_CORPUS).glob("????-??-??.txt")):
        if not path.is_symlink() and path.is_file() and _ends_torn(path):
            with suppress(ValueError):
                torn.add(date.fromisoformat(path.stem))
    return torn


def _ends_torn(path: Path) -> bool:
    with os.fdopen(open_plain(path, os.O_RDONLY), "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        return size > 0 and file.read(1) != b"\n"


def _keep(root: Path, stored: bytes | None, data: bytes, steps: Steps) -> None:
    """The cursors, replaced in one step; untouched when nothing moved."""
    target = root / SESSION_CURSOR
    if data != stored:
        replace_file(target, data, steps, 0o600 if stored is None else target.stat().st_mode & 0o777)


def state_of(data: bytes | None) -> State:
    """The state as it stands in the file, with the parts we need in place."""
    state = json_object(data)
    for key in ("files", "seenMessages"):
        if not isinstance(state.get(key), dict):
            state[key] = {}
    state.setdefault("version", VERSION)
    return state


def bytes_of(state: State) -> bytes:
    return json.dumps(state, ensure_ascii=True, indent=1).encode() + b"\n"


def cursors_in(state: State) -> dict[str, Cursor]:
    """Our cursors by the path of their transcript."""
    return {path: cursor for path, entry in state["files"].items() if (cursor := _cursor(entry)) is not None}


def scope_of(transcript: Transcript) -> str:
    return f"{transcript.agent}:{transcript.session}"


def seen_in(state: State, scope: str) -> list[str]:
    listed = state["seenMessages"].get(scope)
    return [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []


def remember(state: State, transcripts: Iterable[Transcript], seen: Mapping[str, Iterable[str]], now: datetime) -> None:
    """Set the cursors and the ids of what was kept; forget files that are gone and the oldest of too many ids."""
    for scope, ids in seen.items():
        known = list(dict.fromkeys([*seen_in(state, scope), *ids]))
        state["seenMessages"].pop(scope, None)
        state["seenMessages"][scope] = known[-MOST_SEEN:]  # touched last, forgotten last
    for transcript in transcripts:
        if transcript.cursor is not None:
            old = state["files"].get(transcript.path)
            kept = old if isinstance(old, dict) else {}
            state["files"][transcript.path] = {**kept, **_entry(transcript, transcript.cursor, now.date())}
    _forget(state, now.date())


def _entry(transcript: Transcript, cursor: Cursor, day: date) -> dict[str, object]:
    return {
        "size": cursor.size,
        "lineCount": cursor.lines,
        "lastContentLine": cursor.lines,
        "contentHash": cursor.tail,
        "head": cursor.head,
        "tail": cursor.tail,
        "after": cursor.after,
        "excludedReason": cursor.excluded,
        "scope": scope_of(transcript),
        "seenOn": day.isoformat(),
    }


def _cursor(entry: object) -> Cursor | None:
    if not isinstance(entry, dict):
        return None
    numbers: list[Any] = [entry.get(key) for key in ("size", "lineCount")]
    texts = [entry.get(key, "") for key in ("head", "tail", "after", "excludedReason")]
    if not all(type(number) is int and number >= 0 for number in numbers) or not texts[0]:
        return None
    return Cursor(*numbers, *texts) if all(isinstance(text, str) for text in texts) else None


def _forget(state: State, today: date) -> None:
    files, seen = state["files"], state["seenMessages"]
    for path in [path for path, entry in files.items() if _is_gone(entry, today)]:
        seen.pop(str(files.pop(path).get("scope")), None)
    ours = {str(entry["scope"]) for entry in files.values() if isinstance(entry, dict) and "scope" in entry}
    sizes = {scope: len(seen_in(state, scope)) for scope in seen if scope in ours}
    for scope, size in list(sizes.items()):
        if sum(sizes.values()) <= MOST_SEEN_IN_ALL:
            break
        seen.pop(scope)
        sizes[scope] -= size


def _is_gone(entry: object, today: date) -> bool:
    if not isinstance(entry, dict) or not isinstance(entry.get("seenOn"), str):
        return False
    try:
        return today - date.fromisoformat(entry["seenOn"]) > FORGET_AFTER
    except ValueError:
        return False


def rendered(turn: Turn, kinds: frozenset[str] = DEFAULT_KINDS) -> str:
    """A turn as the corpus keeps it: `[main/sessions/a.jsonl#L3] User: …`, redacted, long ones in several lines.

    Words of somebody who is not the owner stand after `Guest (name):`, so that nobody takes them for the owner's later.
    """
    return "\n".join(lines_of(turn, words_of(turn, kinds)))


def lines_of(turn: Turn, words: str) -> list[str]:
    place = printable(f"{turn.agent}/{turn.session}").replace("]", ")")
    prefix = f"[{place}#L{turn.line}] {_label(turn)}{_named(turn)}: "
    return [prefix + part for part in _wrapped(words, max(WIDEST // 4, WIDEST - count_units(prefix)))]


def words_of(turn: Turn, kinds: frozenset[str] = DEFAULT_KINDS) -> str:
    """What may be kept of a turn. Redacted before lines are joined (keys span lines) and after (values do too)."""
    return redacted(printable(redacted(turn.text, kinds)), kinds)


def weight(words: str) -> int:
    """How much was said, in characters; a wide one (Chinese, Japanese, Korean) says as much as two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in words)


def identity(scope: str, turn: Turn, words: str) -> str:
    """The peer's id of a message: who and when and what, but not where, so that a rewritten file is known again."""
    when = f"ts:{round(turn.at.timestamp() * 1000)}" if turn.at else f"line:{turn.line}"
    return message_hash(scope, when, f"{_label(turn)}: {words}")


def _label(turn: Turn) -> str:
    if turn.role != "user":
        return "Assistant"
    return "Guest" if turn.origin is Origin.QUOTED else "User"


def _named(turn: Turn) -> str:
    """The name of a guest, where the channel gave one that may be kept (a number or an address is none), and that a reply is to one."""
    if turn.origin is not Origin.QUOTED or turn.role != "user":
        return " (guest)" if turn.origin is Origin.QUOTED else ""
    name = " ".join(re.sub(r"[^\w .'-]", " ", turn.sender).split())
    known = any(map(str.isalpha, name)) and redacted(name) == name
    return f" ({name})" if known else ""


def printable(text: str) -> str:
    """A text in one line, without what no file can hold and no eye see."""
    return " ".join(_UNPRINTED.sub(" ", text).split())


def _wrapped(text: str, width: int) -> list[str]:
    """Parts of at most so many UTF-16 units, cut at a space or after a Chinese stop where there is one."""
    parts = []
    while len(text) > width or count_units(text) > width:
        end = width
        while (over := count_units(text[:end]) - width) > 0:
            end -= (over + 1) // 2
        at = max(text.rfind(sign, 0, end) for sign in _BREAKS) + 1
        at = at if at > end // 2 else end
        parts.append(text[:at].rstrip())
        text = text[at:].lstrip()
    return [*parts, text]
