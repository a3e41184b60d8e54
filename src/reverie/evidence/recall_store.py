"""Our recall store: which lines of notes were asked for, said again, met by a phase of the night, or promoted.

Two files in OpenClaw's format (entries, and the signals of light and REM) stand beside OpenClaw's own, which are only read:
what it counted is not counted again. Four things fill ours:

- `fold` adds a signal for every new line of our recall journal. How far it came stands in the store itself, so a crash
  between two writes counts no line twice.
- `stage` counts a line once for the day of its note, known by a made-up question that names the day: staging the same notes
  again changes no byte. What nobody asks for leaves again.
- `reinforce` and `mark_promoted` note what the phases met, and what stands in MEMORY.md since when.
- `stage_grounded` holds lines of old notes that a backfill found, under keys of their own.

No entry holds words of a note: it names the place and the hash of what stands there. State is bounded: of too many entries
those of least value go first. Everything changes under one lock, whole or not at all; a change that changes nothing writes
nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from reverie.core.layout import JOURNAL, RECALLS, SIGNALS, STATE_DIR, Kind, place_of
from reverie.evidence.session_corpus import weight
from reverie.evidence.state_files import (
    Steps,
    alone,
    json_lines,
    make_real_folder,
    read_plain,
    replace_file,
)
from reverie.text.terms import plain
from reverie.workspace.openclaw_format import (
    DAILY_QUERY,
    GROUNDED_QUERY,
    SESSION_QUERY,
    PeerRecall,
    PeerSignal,
    claim_hash,
    claim_key,
    is_short_term,
    met,
    place_key,
    query_hash,
)
from reverie.workspace.values import Origin, Statement, json_object, to_bytes

MOST_ENTRIES = 512
MOST_SIGNALS = 2 * MOST_ENTRIES  # light and REM meet the peer's entries too
MOST_HASHES, MOST_DAYS, LONGEST_SNIPPET = 32, 16, 800
LONG_JOURNAL = 1_000_000  # bytes; then the folded journal is set aside, and the one set aside before goes
DAILY_SCORE, SESSION_SCORE = 0.62, 0.58  # what the peer records for a reading; no similarity
SHORTEST = 8  # characters of a line worth staging, as the peer counts them; a Chinese one says as much as two
LANE = "memory:grounded:"  # keys of what a backfill found
LASTING, CANDIDATE = "lasting-update", "candidate"
_WORTH = {LASTING: (0.92, 2), CANDIDATE: (0.82, 1)}  # score and signals of the two, as the peer records them
_COUNTS = ("recallCount", "dailyCount", "groundedCount")
_OURS = "reverie"  # our own key in a file whose other keys are those of the peer's format
_STAGED = frozenset({Origin.OWNER, Origin.SESSION})
Entries = dict[str, Any]
Asked = Mapping[str, Collection[str]]  # what was asked, by the hash of the answer's words
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Folded:
    """What a fold came to."""

    events: int = 0
    entries: int = 0
    evicted: int = 0


@dataclass(frozen=True, slots=True)
class Staged:
    """What staging came to: lines counted, entries that grew too old, entries that found no room."""

    counted: int = 0
    expired: int = 0
    evicted: int = 0


@dataclass(frozen=True, slots=True)
class OldLine:
    """A line of an old note that may still matter: where it stands, what it says, and how sure that is."""

    path: str
    first: int
    last: int
    day: str
    snippet: str
    kind: str = CANDIDATE


def fold(root: Path, now: datetime, steps: Steps | None = None) -> Folded:
    """Bring our store up to our journal. Without a journal nothing is made."""
    if not os.path.lexists(root / JOURNAL) and not os.path.lexists(root / RECALLS):
        return Folded()
    steps = steps or Steps()
    with _locked(root, steps):
        store = _store(root, RECALLS)
        entries = store["entries"]
        journal = read_plain(root / JOURNAL) or b""
        whole = journal[: journal.rfind(b"\n") + 1]
        count = sum(_recorded(entries, event) for event in json_lines(whole[_folded_to(store, journal) :]))
        before = frozenset(entries)
        evicted = _drop_weakest(entries, MOST_ENTRIES, _recall_worth)
        if _without_words(entries) or count or evicted:
            store[_OURS] = {"offset": len(whole), "head": _head(journal)}
            _write(root, RECALLS, store, now, steps)
            _trim_signals(root, before - set(entries), now, steps)
        if len(whole) > LONG_JOURNAL and whole == journal:
            _set_aside(root, len(whole), steps)
    return Folded(count, len(entries), evicted)


def stage(
    root: Path,
    claims: Iterable[Statement],
    now: datetime,
    *,
    ttl_days: int,
    most: int,
    known: Iterable[PeerRecall] = (),
    steps: Steps | None = None,
) -> Staged:
    """Count the newest `most` of these lines in our store; then let go what outlived its time.

    `known` are all entries, the peer's too: a day that one of them has counted for the same words is not counted again.
    """
    since = (now.date() - timedelta(days=ttl_days)).isoformat()
    asked: dict[str, set[str]] = {}
    for entry in known:
        asked.setdefault(words_hash(entry.snippet), set()).update(entry.queries)

    def change(entries: Entries) -> Staged:
        counted = _stage_lines(entries, asked, claims, now, since, most)
        _join_recalled(entries)
        expired = _expire(entries, since)
        return Staged(counted, expired, _drop_weakest(entries, MOST_ENTRIES, _recall_worth))

    return _changed(root, RECALLS, change, now, steps)


def mark_promoted(
    root: Path,
    promoted: Mapping[str, str],
    steps: Steps | None = None,
    *,
    known: Mapping[str, PeerRecall] | None = None,
) -> None:
    """Note which entries stand in MEMORY.md, and since when; an empty moment takes the note back (an undo did).

    `known` are all entries, the peer's too: one that is not in our store gets its mark there, and counts nothing. A mark that is
    taken back leaves the bytes that stood there before it: it is no recall, so the store is not called newer for it.
    """
    known, steps = known or {}, steps or Steps()

    def change(entries: Entries) -> None:
        for key, at in promoted.items():
            if at and key not in entries and (peer := known.get(key)):
                claim, words = peer.claim or claim_hash(peer.snippet), words_hash(peer.snippet)
                more = {"userQueryHashes": [], "promotedAt": at, "claimHash": claim, "wordsHash": words}
                entries[key] = _entry(key, peer.path, peer.first, peer.last) | more
            entry = entries.get(key)
            if not isinstance(entry, dict):
                continue
            if at:
                entry.setdefault("promotedAt", at)
                continue
            entry.pop("promotedAt", None)
            if not any(entry.get(name) for name in _COUNTS):
                del entries[key]  # it was nothing but a mark

    if promoted:
        with _locked(root, steps):
            before, store = _store(root, RECALLS)["entries"], _store(root, RECALLS)
            change(store["entries"])
            if store["entries"] != before:
                _put_or_remove(root, store, steps)


def _put_or_remove(root: Path, store: dict[str, Any], steps: Steps) -> None:
    """Our store as it is now; one that says nothing any more goes away."""
    if store["entries"] or not set(store) <= {"version", "entries"}:
        _write(root, RECALLS, store, None, steps)
    else:
        (root / RECALLS).unlink()
        steps.sync_folder(root / STATE_DIR)


def reinforce(
    root: Path,
    signals: Mapping[str, PeerSignal],
    light: Iterable[str],
    rem: Iterable[str],
    now: datetime,
    steps: Steps | None = None,
) -> int:
    """Write down what light and REM met tonight, each entry once a phase; returns how many were new meetings.

    `signals` are all that is known, the peer's too; what is written is what tonight adds to ours.
    """
    tonight: dict[str, PeerSignal] = {}
    for phase, keys in (("light", light), ("rem", rem)):
        for key in keys:
            old = tonight.get(key) or signals.get(key)
            new = met(old, key, phase, now)
            if new != old:
                tonight[key] = new

    def change(entries: Entries) -> None:
        for key, new in sorted(tonight.items()):
            ours = entries.get(key)
            entries[key] = _with_meeting(
                ours if isinstance(ours, dict) else {}, signals.get(key) or PeerSignal(key), new
            )

    if tonight:
        _changed(root, SIGNALS, change, now, steps)
    return len(tonight)


def let_go_unsaid(root: Path, said: Collection[str], now: datetime) -> bool:
    """Let go the entries that no note says any more: after a purge not even a hash of the words may stay."""

    def change(entries: Entries) -> bool:
        gone = [key for key in entries if key not in said]
        for key in gone:
            del entries[key]
        return bool(gone)

    return (root / RECALLS).is_file() and _changed(root, RECALLS, change, now, None)


def stage_grounded(root: Path, lines: Iterable[OldLine], now: datetime, steps: Steps | None = None) -> tuple[int, int]:
    """Put these lines in the lane instead of all earlier ones: (how many stand there now, how many stood there)."""
    fresh: Entries = {}
    for line in lines:
        _count_old(fresh, line, _stamp(now))
    return len(fresh), _lane_replaced(root, fresh, steps)


def unstage_grounded(root: Path, steps: Steps | None = None) -> int:
    """Empty the lane; how many lines stood in it."""
    return _lane_replaced(root, {}, steps)


def words_hash(text: str) -> str:
    """By what an entry is known to say the same as another: its words, whatever the markup."""
    return hashlib.sha1(to_bytes(plain(text)), usedforsecurity=False).hexdigest()[:12]


def staged_words(claim: Statement) -> str:
    """A line behind what it hangs on, as the peer stages it."""
    return " ".join((f"{claim.lead} > {claim.text}" if claim.lead else claim.text).split())[:LONGEST_SNIPPET]


def _entry(key: str, path: str, first: int, last: int, at: str = "") -> Entries:
    """An entry that counts nothing yet, in the peer's format."""
    entry: Entries = {"key": key, "path": path, "startLine": first, "endLine": last, "source": "memory", "snippet": ""}
    entry |= dict.fromkeys(_COUNTS, 0) | {"totalScore": 0.0, "maxScore": 0.0}
    if at:
        entry |= {"firstRecalledAt": at, "lastRecalledAt": at}
    return entry | {"queryHashes": [], "recallDays": [], "conceptTags": []}


def _score(entry: Entries, score: float, times: int = 1) -> None:
    entry["totalScore"] = round(entry["totalScore"] + times * score, 6)
    entry["maxScore"] = max(entry["maxScore"], score)


def _locked(root: Path, steps: Steps) -> AbstractContextManager[None]:
    return alone(make_real_folder(root, STATE_DIR, steps) / "fold.lock")


def _store(root: Path, path: str) -> dict[str, Any]:
    store = json_object(read_plain(root / path))
    if not isinstance(store.get("entries"), dict):
        store["entries"] = {}
    store.setdefault("version", 1)
    return store


def _write(root: Path, path: str, store: dict[str, Any], now: datetime | None, steps: Steps) -> None:
    if now is not None:
        store["updatedAt"] = _stamp(now)
    data = json.dumps(store, ensure_ascii=False, indent=2).encode("utf-8", "replace") + b"\n"
    replace_file(root / path, data, steps)


def _changed(root: Path, path: str, change: Callable[[Entries], T], now: datetime, steps: Steps | None) -> T:
    """Change the entries of a store under its lock; what the change returned."""
    steps = steps or Steps()
    with _locked(root, steps):
        before, store = _store(root, path)["entries"], _store(root, path)
        done = change(store["entries"])
        if store["entries"] != before:
            _write(root, path, store, now, steps)
            _trim_signals(root, set(before) - set(store["entries"]) if path == RECALLS else (), now, steps)
    return done


def _lane_replaced(root: Path, fresh: Entries, steps: Steps | None) -> int:
    """Exchange the lane, and nothing else of the store; how many lines stood in it. A store that held only them goes away."""
    steps = steps or Steps()
    if not fresh and not (root / RECALLS).exists():
        return 0
    with _locked(root, steps):
        store = _store(root, RECALLS)
        old = {key: value for key, value in store["entries"].items() if key.startswith(LANE)}
        if old == fresh:
            return len(old)
        store["entries"] = {key: value for key, value in store["entries"].items() if key not in old} | fresh
        _put_or_remove(root, store, steps)
    return len(old)


def _without_words(entries: Entries) -> bool:
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


def _folded_to(store: Mapping[str, Any], journal: bytes) -> int:
    """How much of this journal was folded; nothing, if it is another one than last time."""
    known = store.get(_OURS)
    if not isinstance(known, dict) or known.get("head") != _head(journal):
        return 0
    offset = known.get("offset")
    return offset if isinstance(offset, int) and 0 <= offset <= len(journal) else 0


def _head(journal: bytes) -> str:
    return hashlib.sha256(journal.partition(b"\n")[0]).hexdigest()[:16]


def _set_aside(root: Path, size: int, steps: Steps) -> None:
    """A journal is known by its first line, so the next one is folded from its beginning, and this one never again."""
    aside = root / STATE_DIR / "reverie-events.1.jsonl"
    steps.move(root / JOURNAL, aside)
    if late := (read_plain(aside) or b"")[size:]:  # a recall that ended while we looked belongs to the next fold
        steps.append(root / JOURNAL, late)
    steps.sync_folder(aside.parent)


def _recorded(entries: Entries, event: Mapping[str, Any]) -> int:
    try:
        if event["type"] != "memory.recall.recorded":
            return 0
        at, query = str(event["timestamp"]), str(event["query"])
        ours = [result for result in event["results"] if "claim" in result]  # the peer has counted its own already
        for result in ours:
            _signal(entries, result, at, query_hash(query))
    except (ValueError, KeyError, TypeError, AttributeError):
        return 0
    return 1 if ours else 0


def _signal(entries: Entries, result: Mapping[str, Any], at: str, asked: str) -> None:
    path = str(result["path"])
    if place_of(path).kind not in (Kind.DAILY, Kind.SESSION, Kind.CORPUS):
        return  # long-term memory is not promoted into itself
    first, last = max(1, int(result["startLine"])), max(1, int(result["endLine"]))
    score = min(1.0, max(0.0, float(result["score"])))
    claim = str(result.get("claim", ""))[:12]
    key = place_key(path, first, last, claim)
    entry = entries.setdefault(key, _entry(key, path, first, last, at))
    entry["recallCount"] += 1
    _score(entry, score)
    entry["lastRecalledAt"] = max(entry["lastRecalledAt"], at)
    for name in ("queryHashes", "userQueryHashes"):
        entry[name] = [*dict.fromkeys([*entry.get(name, []), asked])][-MOST_HASHES:]
    entry["recallDays"] = sorted({*entry["recallDays"], at[:10]})[-MOST_DAYS:]
    if claim:
        entry["claimHash"] = claim


def _drop_weakest(entries: Entries, most: int, worth: Callable[[tuple[str, Any]], Any]) -> int:
    """Keep so many entries of the highest worth; how many left."""
    over = len(entries) - most
    if over > 0:
        kept = dict(sorted(sorted(entries.items(), key=worth, reverse=True)[:most]))
        entries.clear()
        entries.update(kept)
    return max(0, over)


def _recall_worth(item: tuple[str, Any]) -> tuple[int, bool, int, int, str, str]:
    """Recalled by many questions, on many days, lately; what was never recalled goes first."""
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


def _signal_worth(item: tuple[str, Any]) -> tuple[int, str]:
    signal = item[1] if isinstance(item[1], dict) else {}
    hits = [signal.get(name) for name in ("lightHits", "remHits")]
    last = max(str(signal.get(name, "")) for name in ("lastLightAt", "lastRemAt"))
    return sum(one for one in hits if isinstance(one, int)), last


def _trim_signals(root: Path, gone: Collection[str], now: datetime, steps: Steps) -> None:
    """Our signals for entries that just left go too, and of too many the weakest."""
    store = _store(root, SIGNALS)
    left = {key: value for key, value in store["entries"].items() if key not in gone}
    _drop_weakest(left, MOST_SIGNALS, _signal_worth)
    if left != store["entries"]:
        store["entries"] = left
        _write(root, SIGNALS, store, now, steps)


def _with_meeting(ours: Mapping[str, Any], old: PeerSignal, new: PeerSignal) -> Entries:
    """Our part of a signal after tonight: one meeting more for each phase that met it."""
    value: Entries = {"key": new.key}
    for name, more in (("lightHits", new.light - old.light), ("remHits", new.rem - old.rem)):
        known = ours.get(name)
        value[name] = (known if isinstance(known, int) else 0) + more
    for name, last, before in (
        ("lastLightAt", new.last_light, old.last_light),
        ("lastRemAt", new.last_rem, old.last_rem),
    ):
        if last is not None and last != before:
            value[name] = _stamp(last)
        elif name in ours:
            value[name] = ours[name]
    return value


def _stage_lines(
    entries: Entries, asked: Asked, claims: Iterable[Statement], now: datetime, since: str, most: int
) -> int:
    fresh = [
        claim
        for claim in claims
        if claim.origin in _STAGED
        and claim.day > since
        and is_short_term(claim.path)
        and weight(claim.text.strip()) >= SHORTEST
    ]
    whole = [entry for entry in entries.values() if _is_whole(entry)]
    recalled = {entry["claimHash"]: entry for entry in whole if not _is_only_staged(entry)}
    by_words = {_words_of(entry): entry for entry in sorted(whole, key=lambda one: not _is_only_staged(one))}
    newest = sorted(fresh, key=lambda one: (one.day, one.path, -one.first), reverse=True)[:most]
    return sum(_stage_line(entries, asked, recalled, by_words, claim, now) for claim in newest)


def _stage_line(
    entries: Entries,
    counted: Asked,
    recalled: Mapping[str, Entries],
    by_words: Entries,
    claim: Statement,
    now: datetime,
) -> bool:
    """One line of one day, counted unless it was; it joins what was recalled with the same words."""
    snippet = staged_words(claim)
    words, known = words_hash(snippet), claim_hash(snippet)
    session = "/session-corpus/" in claim.path
    asked = query_hash(f"{SESSION_QUERY if session else DAILY_QUERY}{claim.day}")
    key = claim_key(snippet)
    entry = recalled.get(claim.key[:12]) or recalled.get(known)
    if entry is not None and _is_whole(entries.get(key)) and _is_only_staged(entries[key]):
        _join(entry, entries.pop(key))
    if asked in counted.get(words, ()):
        return False
    if entry is None and (entry := by_words.get(words)) is None:
        entry = entries[key] = _entry(key, claim.path, claim.first, claim.last, _stamp(now))
        entry |= {"userQueryHashes": [], "claimHash": known, "wordsHash": words}
    by_words[words] = entry
    if asked in entry["queryHashes"]:
        return False
    _add_readings(entry, [asked], [claim.day], SESSION_SCORE if session else DAILY_SCORE)
    return True


def _is_whole(entry: Any) -> bool:
    """Whether an entry has what is counted here; a store may be damaged, and then it is left as it is."""
    return isinstance(entry, dict) and all(
        isinstance(entry.get(name), kind)
        for kind, names in (
            (str, ("key", "claimHash")),
            (int | float, ("recallCount", "dailyCount", "totalScore", "maxScore")),
            (list, ("queryHashes", "recallDays")),
        )
        for name in names
    )


def _words_of(entry: Entries) -> str:
    """By what an entry says the same as another; a recall's own hash is that of its words."""
    return str(entry.get("wordsHash") or entry["claimHash"])


def _is_only_staged(entry: Entries) -> bool:
    """Whether nobody recalled it: it is known by its words, not by a place."""
    return str(entry["key"]).startswith("memory:claim:") and not entry["recallCount"]


def _add_readings(entry: Entries, asked: list[str], days: list[str], score: float) -> None:
    """Readings of notes, apart from what people asked."""
    if "userQueryHashes" not in entry:  # where no note was read so far, people asked whatever was asked
        entry["userQueryHashes"] = [] if entry["dailyCount"] or entry.get("groundedCount") else [*entry["queryHashes"]]
    entry["dailyCount"] += len(asked)
    _score(entry, score, len(asked))
    entry["queryHashes"] = [*entry["queryHashes"], *asked][-MOST_HASHES:]
    entry["recallDays"] = sorted({*entry["recallDays"], *days})[-MOST_DAYS:]


def _join(into: Entries, staged: Entries) -> None:
    new = [one for one in staged["queryHashes"] if one not in into["queryHashes"]]
    _add_readings(into, new, staged["recallDays"], staged["maxScore"])


def _join_recalled(entries: Entries) -> None:
    """A recall of a line that was staged before has made a second entry: the recalled one takes the other's days."""
    whole = {key: entry for key, entry in entries.items() if _is_whole(entry)}
    recalled = {_words_of(entry): entry for entry in whole.values() if not _is_only_staged(entry)}
    for key, entry in whole.items():
        if _is_only_staged(entry) and (into := recalled.get(_words_of(entry))) is not None:
            _join(into, entries.pop(key))


def _expire(entries: Entries, since: str) -> int:
    """Lines that were staged, never asked for, and last said too long ago."""
    old = [
        key
        for key, entry in entries.items()
        if _is_whole(entry)
        and _is_only_staged(entry)
        and not entry.get("groundedCount")
        and not entry.get("promotedAt")
        and max(entry["recallDays"], default="") <= since
    ]
    for key in old:
        del entries[key]
    return len(old)


def _count_old(entries: Entries, line: OldLine, at: str) -> None:
    score, signals = _WORTH[line.kind]
    key = LANE + claim_hash(line.snippet)
    more = {"userQueryHashes": [], "claimHash": words_hash(line.snippet)}
    entry = entries.setdefault(key, _entry(key, line.path, line.first, line.last, at) | more)
    if line.day in entry["recallDays"]:
        return
    entry["groundedCount"] += signals
    _score(entry, score, signals)
    entry["queryHashes"] = sorted({*entry["queryHashes"], query_hash(GROUNDED_QUERY + line.kind)})
    entry["recallDays"] = sorted({*entry["recallDays"], line.day})
    entry["path"], entry["startLine"], entry["endLine"] = line.path, line.first, line.last  # where it was said last


def _stamp(now: datetime) -> str:
    return now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
