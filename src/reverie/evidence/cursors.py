"""How far each transcript was read: a file of ours, in OpenClaw's shape, beside OpenClaw's own.

A damaged file counts as none: every line is then looked up in the corpus instead.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from reverie.workspace.transcripts import Cursor, Transcript

VERSION = 3
MOST_SEEN = 4096  # message ids per session, as the peer keeps them
MOST_SEEN_IN_ALL = 20_000  # of ours; they only matter when a host rewrites a file that we have read
FORGET_AFTER = timedelta(days=90)  # a file that was not met for so long is gone

State = dict[str, Any]  # the JSON of a file that others write too


def state_of(data: bytes | None) -> State:
    """The state as it stands in the file, with the parts we need in place."""
    try:
        found = json.loads(data) if data else {}
    except (ValueError, RecursionError):
        found = {}
    state: State = found if isinstance(found, dict) else {}
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
    size, lines = entry.get("size"), entry.get("lineCount")
    texts = [entry.get(key, "") for key in ("head", "tail", "after", "excludedReason")]
    if type(size) is not int or type(lines) is not int or size < 0 or lines < 0 or not texts[0]:
        return None
    if not all(isinstance(text, str) for text in texts):
        return None
    return Cursor(size, lines, *texts)


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
