"""Turns of conversations become lines of a file a day, `memory/.dreams/session-corpus/reverie/DAY.txt`, without secrets:

    [main/sessions/abc.jsonl#L12] User: The pump valve comes from Kern now.

Lines first, then the cursors: after a crash the next night reads the same turns again, and finds their words in the file.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from datetime import date, datetime, timedelta

import msgspec

from reverie.privacy.secrets import WITHHELD, masked, may_hold_secret, private_number
from reverie.store.disk import Disk, bytes_of
from reverie.store.journal import writing
from reverie.text.lines import is_wide
from reverie.workspace.files import decoded
from reverie.workspace.layout import CORPUS, SESSIONS, FileKind, Layout
from reverie.workspace.origins import Origin
from reverie.workspace.snapshot import File, Snapshot
from reverie.workspace.statements import parse
from reverie.workspace.transcripts import Cursor, Sessions, Turn, new_turns, sessions_of

REACH, GONE = timedelta(days=62), timedelta(days=90)  # no night looks back farther; a file that was not there so long
SHORTEST = 12  # characters; less is "ok, thanks"
_PART = re.compile(r".{1,600}(?:(?<=[ 。！？；，])|$)|.{1,600}")  # as much as a brief shows of a line
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufeff]+")
Days = defaultdict[str, dict[str, str]]  # for the file of each day who says what, and where


def with_sessions(
    snapshot: Snapshot, now: datetime, disk: Disk | None = None, more: Sessions | None = None
) -> Snapshot:
    """The workspace with what was said since the last night. Without a disk nothing of it is written down."""
    layout, heard = snapshot.layout, dict[str, bytes]()
    files = sessions_of(layout) | (more or {}) if snapshot.settings.dream.sessions else {}
    known = _cursors(layout) if files else {}
    if all(name in known and known[name].stamp == stamp for name, (_, stamp) in files.items()):
        return snapshot
    with writing(layout, "review", disk) if disk else nullcontext():
        days, cursors = _new_lines(snapshot, files, now.date())
        for path, lines in sorted(days.items()):
            before = bytes_of(layout.real(path)) or b""
            if fresh := _behind(before, lines):
                heard[path] = before + fresh
            if fresh and disk and layout.may_write(path, "note"):
                disk.make_folder(layout.real(CORPUS))
                disk.append(layout.real(path), fresh)
                disk.sync_folder(layout.real(CORPUS))
        if disk:
            disk.replace(layout.real(SESSIONS), msgspec.json.encode(cursors))
    said = {path: File(path, FileKind.NOTE, "", {"": data}.__getitem__, parse) for path, data in heard.items()}
    return replace(snapshot, files=snapshot.files | said)


def lines_of(turns: Iterable[Turn]) -> Iterator[tuple[date, str, str]]:
    """The turns as lines, each with its day and its place: the owner's words whole, an answer of the agent by its beginning."""
    before = ""
    for turn in turns:
        kept = (line for line in masked(turn.text).split("\n") if line != WITHHELD and not private_number(line))
        words = " ".join(_UNSEEN.sub(" ", " ".join(kept)).split())
        label, most = ("User", None) if turn.speaker is Origin.OWNER else ("Assistant", 1)
        parts = _PART.findall(words)[:most] if len(words) + sum(map(is_wide, words)) >= SHORTEST else []
        for part in parts:  # a secret may go over several lines, and the turn before may have asked for it
            if not (may_hold_secret(part, before) or private_number(part)):
                yield turn.day, f"[{turn.file}#L{turn.line}]", f"{label}: {part.strip()}"
        before = turn.text[-300:]


def _new_lines(snapshot: Snapshot, files: Sessions, today: date) -> tuple[Days, dict[str, Cursor]]:
    """What was said on each day since the last night, and how far every session was read."""
    cursors, days, oldest = _cursors(snapshot.layout), Days(dict), today - REACH
    for name, (path, stamp) in files.items():
        turns, cursor = list[Turn](), cursors.get(name, Cursor())
        try:
            if stamp != cursor.stamp and date.fromtimestamp(stamp[1] / 1e9) >= oldest:
                with path.open("rb") as file:
                    turns, cursor = new_turns(file, name, cursor)
        except OSError as error:
            snapshot.unread[name] = str(error.strerror).lower()
            continue
        cursors[name] = msgspec.structs.replace(cursor, stamp=stamp, met=today)
        for day, place, words in lines_of(turn for turn in turns if turn.day >= oldest):
            days[f"{CORPUS}/{day}.txt"][words] = place
    return days, {name: cursor for name, cursor in cursors.items() if today - (cursor.met or today) <= GONE}


def _behind(before: bytes, lines: Mapping[str, str]) -> bytes:
    """The bytes by which a day's file gets the lines whose words it does not hold, also where a crash tore its last one."""
    whole = before.rfind(b"\n") + 1
    # A session that was rewritten, or goes on in another file, says the same in other lines.
    standing = {line.rstrip(b"\r").partition(b"] ")[2] for line in before[:whole].split(b"\n")}
    new = [f"{place} {words}\n".encode() for words, place in lines.items() if words.encode() not in standing]
    torn = before[whole:]
    begun = next((line for line in new if torn and line.startswith(torn)), b"")
    first = begun[len(torn) :] or b"\n" * bool(torn and new)
    return first + b"".join(line for line in new if line != begun)


def _cursors(layout: Layout) -> dict[str, Cursor]:
    """How far the sessions were read; where that is lost they are read again, and say nothing twice."""
    try:
        return decoded(bytes_of(layout.real(SESSIONS)) or b"{}", dict[str, Cursor])
    except msgspec.DecodeError:
        return {}
