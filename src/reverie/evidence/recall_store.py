"""Folds our recall journal into a checkpoint in OpenClaw's format. Happens in a sweep, never during a recall.

The store is ours alone and stands beside the peer's, which is only read. It gains a signal for every journal line that is
new since the last fold; how far that was stands in the file itself, so a crash between the two writes cannot count a line
twice. No entry holds words of a note: it names the place and the hash of what stands there, and whoever wants to read it
reads the note. State is bounded: of too many entries the ones of least value go first, never simply the oldest, and a journal that
was folded is set aside once it is long.

What nights leave in our stores: which entries light and REM met, and which stand in MEMORY.md since when.

Each store changes under the lock of the fold, whole or not at all; a change that changes nothing writes nothing. What is
noted about an entry of the peer's stands in our store under its key, and reading adds it to what the peer counted.

Light's part of the recall store: new lines enter it, and what nobody asks for leaves it.

The store is ours, in OpenClaw's format, and stands beside OpenClaw's own, which is only read: what it has counted is not
counted again. A line is counted once for the day of its note, known by a made-up question that names the day: staging the
same notes again, or after a crash, changes no byte. What was recalled is never given up for what was not. An entry holds
hashes of its words and no word: `wordsHash` says whether two entries say the same.

The grounded lane of the recall store: lines of old notes, staged by a backfill and taken back by a rollback.

They have keys of their own and a counter of their own (`groundedCount`) in our own store, so live recall is never
touched, and the peer's store is not even opened. Whoever ranks joins both by their words.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from reverie.core.layout import JOURNAL, RECALLS, SIGNALS, STATE_DIR, Kind, place_of
from reverie.evidence.session_corpus import weight
from reverie.evidence.state_files import Steps, alone, make_real_folder, read_plain
from reverie.text.terms import plain
from reverie.workspace.openclaw_format import (
    DAILY_QUERY,
    GROUNDED_QUERY,
    SESSION_QUERY,
    PeerRecall,
    PeerSignal,
    claim_hash,
    is_short_term,
    met,
    query_hash,
)
from reverie.workspace.values import Origin, Statement, to_bytes

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


Entries = dict[str, Any]
_COUNTS = ("recallCount", "dailyCount", "groundedCount")


def mark_promoted(
    root: Path,
    promoted: Mapping[str, str],
    now: datetime,
    steps: Steps | None = None,
    *,
    known: Mapping[str, PeerRecall] | None = None,
) -> None:
    """Note which entries stand in MEMORY.md, and since when; an empty moment takes the note back (an undo did).

    `known` are all entries, the peer's too: one that is not in our store gets its mark there, and counts nothing.
    """
    known = known or {}

    def change(store: Entries) -> None:
        entries = store["entries"]
        for key, at in promoted.items():
            if at and key not in entries and key in known:
                entries[key] = _place_of(known[key], at)
            entry = entries.get(key)
            if isinstance(entry, dict) and at and "promotedAt" not in entry:
                entry["promotedAt"] = at
            elif isinstance(entry, dict) and not at:
                entry.pop("promotedAt", None)
                if not any(entry.get(name) for name in _COUNTS):
                    del entries[key]  # it was nothing but a mark

    if promoted:
        changed(root, RECALLS, change, now, steps)


def _place_of(entry: PeerRecall, at: str) -> Entries:
    """An entry of the peer's as we keep a mark for it: where it stands, without a signal and without its words."""
    return {
        "key": entry.key, "path": entry.path, "startLine": entry.first, "endLine": entry.last, "source": "memory",
        "snippet": "", **dict.fromkeys(_COUNTS, 0), "totalScore": 0.0, "maxScore": 0.0, "queryHashes": [],
        "recallDays": [], "conceptTags": [], "userQueryHashes": [], "promotedAt": at,
        "claimHash": entry.claim or claim_hash(entry.snippet), "wordsHash": words_hash(entry.snippet),
    }  # fmt: skip


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
    met_tonight: dict[str, PeerSignal] = {}
    for phase, keys in (("light", light), ("rem", rem)):
        for key in keys:
            old = met_tonight.get(key) or signals.get(key)
            new = met(old, key, phase, now)
            if new != old:
                met_tonight[key] = new

    def change(store: Entries) -> None:
        for key, new in sorted(met_tonight.items()):
            old, ours = signals.get(key) or PeerSignal(key), store["entries"].get(key)
            store["entries"][key] = _grown(ours if isinstance(ours, dict) else {}, old, new)

    if met_tonight:
        changed(root, SIGNALS, change, now, steps)
    return len(met_tonight)


def let_go_unsaid(root: Path, said: Collection[str], now: datetime) -> bool:
    """Let go the entries that no note says any more: after a purge not even a hash of the words may stay."""
    gone: list[str] = []

    def change(store: Entries) -> None:
        gone.extend(key for key in store["entries"] if key not in said)
        for key in gone:
            del store["entries"][key]

    if (root / RECALLS).is_file():
        changed(root, RECALLS, change, now, None)
    return bool(gone)


def changed(root: Path, path: str, change: Callable[[Entries], None], now: datetime, steps: Steps | None) -> None:
    """Change a store under its lock; a change that changes nothing writes nothing."""
    steps = steps or Steps()
    folder = make_real_folder(root, STATE_DIR, steps)
    with alone(folder / "fold.lock"):
        data = read_plain(root / path)
        before, store = store_in(data)["entries"], store_in(data)
        change(store)
        if store["entries"] == before:
            return
        store["updatedAt"] = stamp_of(now)
        replace_state(folder, path, store, steps)
        trim_signals(folder, root, set(before) - set(store["entries"]) if path == RECALLS else (), now, steps)


def _grown(ours: Mapping[str, Any], old: PeerSignal, new: PeerSignal) -> dict[str, Any]:
    """Our part of a signal after tonight: one meeting more for each phase that met it."""
    value: dict[str, Any] = {"key": new.key}
    for name, more in (("lightHits", new.light - old.light), ("remHits", new.rem - old.rem)):
        known = ours.get(name)
        value[name] = (known if isinstance(known, int) else 0) + more
    for name, last, known_last in (
        ("lastLightAt", new.last_light, old.last_light),
        ("lastRemAt", new.last_rem, old.last_rem),
    ):
        if last is not None and last != known_last:
            value[name] = stamp_of(last)
        elif name in ours:
            value[name] = ours[name]
    return value


DAILY_SCORE, SESSION_SCORE = 0.62, 0.58  # what the peer records for a reading; no similarity
SHORTEST = 8  # characters of a line worth staging, as the peer counts them; a Chinese one says as much as two
Asked = Mapping[str, Collection[str]]  # what was asked, by the hash of the answer's words
_STAGED = frozenset({Origin.OWNER.value, Origin.SESSION.value})


@dataclass(frozen=True, slots=True)
class Staged:
    """What staging came to: lines counted, entries that grew too old, entries that found no room."""

    counted: int = 0
    expired: int = 0
    evicted: int = 0


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
    counts = [0, 0, 0]
    asked: dict[str, set[str]] = {}
    for entry in known:
        asked.setdefault(words_hash(entry.snippet), set()).update(entry.queries)

    def change(store: Entries) -> None:
        counts[0] = _count(store["entries"], asked, claims, now, ttl_days, most)
        _settle(store["entries"])
        counts[1] = _expire(store["entries"], now, ttl_days)
        counts[2] = within_bounds(store)

    changed(root, RECALLS, change, now, steps)
    return Staged(*counts)


def _count(entries: Entries, asked: Asked, claims: Iterable[Statement], now: datetime, ttl_days: int, most: int) -> int:
    since = (now.date() - timedelta(days=ttl_days)).isoformat()
    fresh = [
        claim
        for claim in claims
        if claim.origin in _STAGED
        and claim.day > since
        and is_short_term(claim.path)
        and weight(claim.text.strip()) >= SHORTEST
    ]
    whole = [entry for entry in entries.values() if _is_whole(entry)]
    recalled = {entry["claimHash"]: entry for entry in whole if not _is_ours(entry)}
    by_words = {_words_of(entry): entry for entry in sorted(whole, key=lambda one: not _is_ours(one))}
    newest = sorted(fresh, key=lambda one: (one.day, one.path, -one.first), reverse=True)[:most]
    return sum(_said(entries, asked, recalled, by_words, claim, now) for claim in newest)


def _is_whole(entry: Any) -> bool:
    """Whether an entry has what is counted here; a store may be damaged, and then it is left as it is."""
    return (
        isinstance(entry, dict)
        and all(isinstance(entry.get(name), str) for name in ("key", "claimHash"))
        and all(isinstance(entry.get(name), (int, float)) for name in ("recallCount", "dailyCount", "totalScore", "maxScore"))
        and all(isinstance(entry.get(name), list) for name in ("queryHashes", "recallDays"))
    )  # fmt: skip


def _words_of(entry: Entries) -> str:
    """By what an entry says the same as another; a recall's own hash is that of its words."""
    return str(entry.get("wordsHash") or entry["claimHash"])


def staged_words(claim: Statement) -> str:
    """A line behind what it hangs on, as the peer stages it."""
    return " ".join((f"{claim.lead} > {claim.text}" if claim.lead else claim.text).split())[:LONGEST_SNIPPET]


def _is_ours(entry: Entries) -> bool:
    """Whether only staging made it: known by its words, not by a place."""
    return str(entry["key"]).startswith("memory:claim:") and not entry["recallCount"]


def _said(
    entries: Entries,
    counted: Asked,
    recalled: Mapping[str, Entries],
    by_words: Entries,
    claim: Statement,
    now: datetime,
) -> bool:
    """One line of one day, counted unless it was; it joins what was recalled with the same words."""
    snippet = staged_words(claim)
    words = words_hash(snippet)
    session = "/session-corpus/" in claim.path
    asked = query_hash(f"{SESSION_QUERY if session else DAILY_QUERY}{claim.day}")
    known = claim_hash(snippet)
    key = f"memory:claim:{known}"
    entry = recalled.get(claim.key[:12]) or recalled.get(known)
    if entry is not None and _is_whole(entries.get(key)) and _is_ours(entries[key]):
        _merge(entry, entries.pop(key))
    if asked in counted.get(words, ()):
        return False
    if entry is None:
        entry = by_words.get(words) or _new(entries, key, claim, snippet, stamp_of(now))
    by_words[words] = entry
    if asked in entry["queryHashes"]:
        return False
    score = SESSION_SCORE if session else DAILY_SCORE
    _add(entry, [asked], [claim.day], score)
    return True


def _new(entries: Entries, key: str, claim: Statement, snippet: str, at: str) -> Entries:
    entry: Entries = {
        "key": key, "path": claim.path, "startLine": claim.first, "endLine": claim.last, "source": "memory",
        "snippet": "", "recallCount": 0, "dailyCount": 0, "groundedCount": 0, "totalScore": 0.0, "maxScore": 0.0,
        "firstRecalledAt": at, "lastRecalledAt": at, "queryHashes": [], "recallDays": [], "conceptTags": [],
        "userQueryHashes": [], "claimHash": claim_hash(snippet), "wordsHash": words_hash(snippet),
    }  # fmt: skip
    entries[key] = entry
    return entry


def _add(entry: Entries, asked: list[str], days: list[str], score: float) -> None:
    """Readings of notes, apart from what people asked."""
    if "userQueryHashes" not in entry:  # where no note was read so far, people asked whatever was asked
        entry["userQueryHashes"] = [] if entry["dailyCount"] or entry.get("groundedCount") else [*entry["queryHashes"]]
    entry["dailyCount"] += len(asked)
    entry["totalScore"] = round(entry["totalScore"] + len(asked) * score, 6)
    entry["maxScore"] = max(entry["maxScore"], score)
    entry["queryHashes"] = [*entry["queryHashes"], *asked][-MOST_HASHES:]
    entry["recallDays"] = sorted({*entry["recallDays"], *days})[-MOST_DAYS:]


def _merge(into: Entries, staged: Entries) -> None:
    new = [one for one in staged["queryHashes"] if one not in into["queryHashes"]]
    _add(into, new, staged["recallDays"], staged["maxScore"])


def _settle(entries: Entries) -> None:
    """A recall of a line that was staged before has made a second entry: the recalled one takes the other's days."""
    whole = {key: entry for key, entry in entries.items() if _is_whole(entry)}
    recalled = {_words_of(entry): entry for entry in whole.values() if not _is_ours(entry)}
    for key, entry in whole.items():
        into = recalled.get(_words_of(entry)) if _is_ours(entry) else None
        if into is not None:
            _merge(into, entries.pop(key))


def _expire(entries: Entries, now: datetime, ttl_days: int) -> int:
    """Lines that were staged, never asked for, and last said too long ago."""
    since = (now.date() - timedelta(days=ttl_days)).isoformat()
    old = [
        key
        for key, entry in entries.items()
        if _is_whole(entry)
        and _is_ours(entry)
        and not entry.get("groundedCount")
        and not entry.get("promotedAt")
        and max(entry["recallDays"], default="") <= since
    ]
    for key in old:
        del entries[key]
    return len(old)


LANE = "memory:grounded:"
LASTING, CANDIDATE = "lasting-update", "candidate"
_WORTH = {LASTING: (0.92, 2), CANDIDATE: (0.82, 1)}  # score and signals, as the peer records them
_FRAME = frozenset({"version", "entries"})


@dataclass(frozen=True, slots=True)
class OldLine:
    """A line of an old note that may still matter: where it stands, what it says, and how sure that is."""

    path: str
    first: int
    last: int
    day: str
    snippet: str
    kind: str = CANDIDATE


def stage_grounded(root: Path, lines: Iterable[OldLine], now: datetime, steps: Steps | None = None) -> tuple[int, int]:
    """Put these lines in the lane instead of all earlier ones: (how many stand there now, how many stood there)."""
    fresh: dict[str, Any] = {}
    for line in lines:
        _count_old(fresh, line, stamp_of(now))
    return len(fresh), _changed(root, fresh, steps)


def unstage_grounded(root: Path, steps: Steps | None = None) -> int:
    """Empty the lane; how many lines stood in it."""
    return _changed(root, {}, steps)


def _count_old(entries: dict[str, Any], line: OldLine, at: str) -> None:
    score, signals = _WORTH[line.kind]
    key = LANE + claim_hash(line.snippet)
    entry = entries.setdefault(key, {
        "key": key, "path": line.path, "startLine": line.first, "endLine": line.last, "source": "memory",
        "snippet": "", "recallCount": 0, "dailyCount": 0, "groundedCount": 0,
        "totalScore": 0.0, "maxScore": 0.0, "firstRecalledAt": at, "lastRecalledAt": at, "queryHashes": [],
        "recallDays": [], "conceptTags": [], "userQueryHashes": [], "claimHash": words_hash(line.snippet),
    })  # fmt: skip
    if line.day in entry["recallDays"]:
        return
    entry["groundedCount"] += signals
    entry["totalScore"] = round(entry["totalScore"] + score * signals, 6)
    entry["maxScore"] = max(entry["maxScore"], score)
    entry["queryHashes"] = sorted({*entry["queryHashes"], query_hash(GROUNDED_QUERY + line.kind)})
    entry["recallDays"] = sorted({*entry["recallDays"], line.day})
    entry["path"], entry["startLine"], entry["endLine"] = line.path, line.first, line.last  # where it was said last


def _changed(root: Path, fresh: dict[str, Any], steps: Steps | None) -> int:
    """Replace the lane under the store's lock. A store that holds nothing else goes away with it."""
    steps = steps or Steps()
    if not fresh and not (root / RECALLS).exists():
        return 0
    folder = make_real_folder(root, STATE_DIR, steps)
    with alone(folder / "fold.lock"):
        store = store_in(read_plain(root / RECALLS))
        old = {key: value for key, value in store["entries"].items() if key.startswith(LANE)}
        if old == fresh:
            return len(old)
        store["entries"] = {key: value for key, value in store["entries"].items() if key not in old} | fresh
        if store["entries"] or not set(store) <= _FRAME:
            replace_state(folder, RECALLS, store, steps)
        else:
            (root / RECALLS).unlink()
            steps.sync_folder(folder)
    return len(old)
