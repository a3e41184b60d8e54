"""Light's part of the recall store: new lines enter it, and what nobody asks for leaves it.

The store is ours, in OpenClaw's format, and stands beside OpenClaw's own, which is only read: what it has counted is not
counted again. A line is counted once for the day of its note, known by a made-up question that names the day: staging the
same notes again, or after a crash, changes no byte. What was recalled is never given up for what was not. An entry holds
hashes of its words and no word: `wordsHash` says whether two entries say the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from reverie.core.layout import RECALLS
from reverie.evidence.fold import LONGEST_SNIPPET, MOST_DAYS, MOST_HASHES, stamp_of, within_bounds, words_hash
from reverie.evidence.reinforce import Entries, changed
from reverie.evidence.render import weight
from reverie.evidence.steps import Steps
from reverie.workspace.concepts import DAILY_QUERY, SESSION_QUERY, claim_hash, is_short_term, query_hash
from reverie.workspace.recalls import PeerRecall
from reverie.workspace.values import Origin, Statement

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
