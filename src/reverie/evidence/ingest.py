"""Turns → our session corpus `memory/.dreams/session-corpus/reverie/<day>.txt`, one rendered line after another, exactly once.

Lines first, cursors second, and a line that stands in its day's file is never appended again: whatever a crash
interrupts, the next call completes it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from pathlib import Path
from types import MappingProxyType

from reverie.core.errors import WriteFailed
from reverie.core.layout import CORPUS, OWN_CORPUS, PEER_SESSIONS, SESSION_CURSOR, STATE_DIR, TEMPORARY
from reverie.evidence.cursors import State, bytes_of, cursors_in, remember, scope_of, seen_in, state_of
from reverie.evidence.render import identity, lines_of, weight, words_of
from reverie.evidence.steps import Steps, alone, make_real_folder, open_plain, read_plain, refuse_links
from reverie.privacy.redact import DEFAULT_KINDS
from reverie.workspace.transcripts import Cursor, Transcript, Turn

INGEST_LOCK = f"{STATE_DIR}/ingest.lock"
SHORTEST = 12  # characters; less is "ok, thanks"


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
    steps: Steps | None = None,
) -> Ingested:
    """Append what is new to the corpus of its day (in the owner's zone) and move the cursors on.

    Every transcript that was met belongs here, with or without new turns: a file not met for 90 days is forgotten.
    """
    if not transcripts:
        return Ingested()
    steps = steps or Steps()
    try:
        make_real_folder(root, STATE_DIR, steps)
        with alone(root / INGEST_LOCK):
            return _append(_Batch(root, zone, kinds), transcripts, now, steps)
    except OSError as error:
        raise WriteFailed(
            f"{error.filename or OWN_CORPUS} could not be written ({error.strerror}). "
            "What was appended stays and is not appended again; mend it and run again."
        ) from None


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
            missing = self.days[day].lacks(line.encode() for line in lines_of(turn, words))
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
            try:
                torn.add(date.fromisoformat(path.stem))
            except ValueError:
                continue
    return torn


def _ends_torn(path: Path) -> bool:
    handle = open_plain(path, os.O_RDONLY)
    try:
        size = os.fstat(handle).st_size
        os.lseek(handle, max(0, size - 1), os.SEEK_SET)
        return size > 0 and os.read(handle, 1) != b"\n"
    finally:
        os.close(handle)


def _keep(root: Path, stored: bytes | None, data: bytes, steps: Steps) -> None:
    """The cursors, replaced in one step; untouched when nothing moved."""
    if data == stored:
        return
    target = root / SESSION_CURSOR
    fresh = target.with_name(f".{target.name}{TEMPORARY}")
    mode = 0o600 if stored is None else target.stat().st_mode & 0o777
    steps.create(fresh, data, mode)
    steps.sync(fresh)
    steps.move(fresh, target)
    steps.sync_folder(target.parent)
