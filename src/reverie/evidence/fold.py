"""Folds our recall journal into a checkpoint in OpenClaw's format. Happens in a sweep, never during a recall.

The store is ours alone and stands beside the peer's, which is only read. It gains a signal for every journal line that is
new since the last fold; how far that was stands in the file itself, so a crash between the two writes cannot count a line
twice. No entry holds words of a note: it names the place and the hash of what stands there, and whoever wants to read it
reads the note. State is bounded: of too many entries the ones of least value go first, never simply the oldest, and a journal that
was folded is set aside once it is long.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reverie.core.layout import JOURNAL, RECALLS, SIGNALS, STATE_DIR, Kind, place_of
from reverie.evidence.steps import Steps, alone, make_real_folder, read_plain
from reverie.text.terms import plain
from reverie.workspace.concepts import claim_hash
from reverie.workspace.values import to_bytes

MOST_ENTRIES = 512
MOST_SIGNALS = 2 * MOST_ENTRIES  # light and REM meet the peer's entries too
MOST_HASHES, MOST_DAYS, LONGEST_SNIPPET = 32, 16, 800
LONG_JOURNAL = 1_000_000  # bytes; then the folded journal is set aside, and the one set aside before goes
_OURS = "reverie"  # our own key in a file whose other keys are those of the peer's format


@dataclass(frozen=True, slots=True)
class Folded:
    """What a fold came to."""

    events: int = 0
    entries: int = 0
    evicted: int = 0


def fold(root: Path, now: datetime, steps: Steps | None = None) -> Folded:
    """Bring our checkpoint up to our journal. No journal: nothing is made."""
    if not os.path.lexists(root / JOURNAL) and not os.path.lexists(root / RECALLS):
        return Folded()
    steps = steps or Steps()
    folder = make_real_folder(root, STATE_DIR, steps)
    with alone(folder / "fold.lock"):
        store = store_in(read_plain(root / RECALLS))
        journal = read_plain(root / JOURNAL) or b""
        start = _where(store, journal)
        whole = journal[: journal.rfind(b"\n") + 1]
        count = 0
        for line in whole[start:].split(b"\n"):
            count += _recorded(store, line)
        before = frozenset(store["entries"])
        evicted = within_bounds(store)
        if without_words(store["entries"]) or count or evicted:
            store["updatedAt"] = stamp_of(now)
            store[_OURS] = {"offset": len(whole), "head": _head(journal)}
            replace_state(folder, RECALLS, store, steps)
            trim_signals(folder, root, before - set(store["entries"]), now, steps)
        if len(whole) > LONG_JOURNAL and whole == journal:
            _set_aside(folder, root, len(whole), steps)
    return Folded(count, len(store["entries"]), evicted)


def store_in(data: bytes | None) -> dict[str, Any]:
    try:
        found = json.loads(data) if data else {}
    except (ValueError, RecursionError):
        found = {}
    store = found if isinstance(found, dict) else {}
    if not isinstance(store.get("entries"), dict):
        store["entries"] = {}
    store.setdefault("version", 1)
    return store


def without_words(entries: dict[str, Any]) -> bool:
    """Take the words out of entries that version 0.1 wrote; whether there were any."""
    worded = [
        one for one in entries.values() if isinstance(one, dict) and (one.get("snippet") or one.get("conceptTags"))
    ]
    for entry in worded:
        if isinstance(entry.get("snippet"), str) and entry["snippet"]:
            entry.setdefault("claimHash", claim_hash(entry["snippet"]))
            entry.setdefault("wordsHash", words_hash(entry["snippet"]))
        entry["snippet"], entry["conceptTags"] = "", []
    return bool(worded)


def words_hash(text: str) -> str:
    """By what an entry is known to say the same as another: its words, whatever the markup."""
    return hashlib.sha1(to_bytes(plain(text)), usedforsecurity=False).hexdigest()[:12]


def _where(store: Mapping[str, Any], journal: bytes) -> int:
    """How much of this journal was folded; nothing, if it is another one than last time."""
    known = store.get(_OURS)
    if not isinstance(known, dict) or known.get("head") != _head(journal):
        return 0
    offset = known.get("offset")
    return offset if isinstance(offset, int) and 0 <= offset <= len(journal) else 0


def _head(journal: bytes) -> str:
    return hashlib.sha256(journal.partition(b"\n")[0]).hexdigest()[:16]


def _recorded(store: dict[str, Any], line: bytes) -> int:
    try:
        event = json.loads(line)
        if event.get("type") != "memory.recall.recorded":
            return 0
        at, query = str(event["timestamp"]), str(event["query"])
        ours = [result for result in event["results"] if "claim" in result]  # the peer has counted its own already
        for result in ours:
            _signal(store["entries"], result, at, query)
    except (ValueError, KeyError, TypeError, AttributeError):
        return 0
    return 1 if ours else 0


def _signal(entries: dict[str, Any], result: Mapping[str, Any], at: str, query: str) -> None:
    path = str(result["path"])
    if place_of(path).kind not in (Kind.DAILY, Kind.SESSION, Kind.CORPUS):
        return  # long-term memory is not promoted into itself
    first, last = max(1, int(result["startLine"])), max(1, int(result["endLine"]))
    score = min(1.0, max(0.0, float(result["score"])))
    claim = str(result.get("claim", ""))
    key = f"memory:{path}:{first}:{last}" + (f":{claim[:12]}" if claim else "")
    entry = entries.setdefault(key, {
        "key": key, "path": path, "startLine": first, "endLine": last, "source": "memory", "snippet": "",
        "recallCount": 0, "dailyCount": 0, "groundedCount": 0, "totalScore": 0.0, "maxScore": 0.0,
        "firstRecalledAt": at, "lastRecalledAt": at, "queryHashes": [], "recallDays": [], "conceptTags": [],
    })  # fmt: skip
    entry["recallCount"] += 1
    entry["totalScore"] = round(entry["totalScore"] + score, 6)
    entry["maxScore"] = max(entry["maxScore"], score)
    entry["lastRecalledAt"] = max(entry["lastRecalledAt"], at)
    asked = hashlib.sha1(to_bytes(query.strip().lower()), usedforsecurity=False).hexdigest()[:12]
    entry["queryHashes"] = [*dict.fromkeys([*entry["queryHashes"], asked])][-MOST_HASHES:]
    entry["userQueryHashes"] = [*dict.fromkeys([*entry.get("userQueryHashes", []), asked])][-MOST_HASHES:]
    entry["recallDays"] = sorted({*entry["recallDays"], at[:10]})[-MOST_DAYS:]
    if claim:
        entry["claimHash"] = claim[:12]


def within_bounds(store: dict[str, Any]) -> int:
    """Keep what is worth most: recalled by many questions, on many days, lately; what was never recalled goes first."""
    entries = store["entries"]

    def worth(item: tuple[str, Any]) -> tuple[int, bool, int, int, str, str]:
        entry = item[1] if isinstance(item[1], dict) else {}
        hashes = entry.get("userQueryHashes") or entry.get("queryHashes")
        recalls, days = entry.get("recallCount"), entry.get("recallDays")
        return (
            recalls if isinstance(recalls, int) else -1,
            "promotedAt" in entry,
            len(hashes) if isinstance(hashes, list) else 0,
            len(days) if isinstance(days, list) else 0,
            str(entry.get("lastRecalledAt", "")),
            item[0],
        )

    if len(entries) <= MOST_ENTRIES:
        return 0
    kept = dict(sorted(sorted(entries.items(), key=worth, reverse=True)[:MOST_ENTRIES]))
    store["entries"] = kept
    return len(entries) - len(kept)


def trim_signals(folder: Path, root: Path, gone: Collection[str], now: datetime, steps: Steps) -> None:
    """Our signals for entries that just left go too, and of too many the weakest."""
    signals = store_in(read_plain(root / SIGNALS))
    left = {key: value for key, value in signals["entries"].items() if key not in gone}
    if len(left) > MOST_SIGNALS:
        left = dict(sorted(sorted(left.items(), key=_strength, reverse=True)[:MOST_SIGNALS]))
    if left != signals["entries"]:
        signals["entries"], signals["updatedAt"] = left, stamp_of(now)
        replace_state(folder, SIGNALS, signals, steps)


def _strength(item: tuple[str, Any]) -> tuple[int, str]:
    signal = item[1] if isinstance(item[1], dict) else {}
    hits = [signal.get(name) for name in ("lightHits", "remHits")]
    last = max(str(signal.get(name, "")) for name in ("lastLightAt", "lastRemAt"))
    return sum(one for one in hits if isinstance(one, int)), last


def _set_aside(folder: Path, root: Path, size: int, steps: Steps) -> None:
    """A journal is known by its first line, so the next one is folded from its beginning, and this one never again."""
    aside = folder / "reverie-events.1.jsonl"
    steps.move(root / JOURNAL, aside)
    if late := (read_plain(aside) or b"")[size:]:  # a recall that ended while we looked belongs to the next fold
        steps.append(root / JOURNAL, late)
    steps.sync_folder(folder)


def replace_state(folder: Path, path: str, value: Mapping[str, Any], steps: Steps) -> None:
    target = folder / Path(path).name
    fresh = folder / f".{target.name}.dream-tmp"
    steps.create(fresh, json.dumps(value, ensure_ascii=False, indent=2).encode("utf-8", "replace") + b"\n", 0o644)
    steps.sync(fresh)
    steps.move(fresh, target)
    steps.sync_folder(folder)


def stamp_of(now: datetime) -> str:
    return now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
