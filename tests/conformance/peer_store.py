"""How one recall changes the store, as values: the peer's rules for counting, joining, keeping and taking back.

Nothing is written here. A store is a mapping from key to entry; each function answers with the next one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, tzinfo
from typing import Any

from reverie.openclaw.score import Profile
from reverie.workspace.openclaw_format import (
    PeerRecall,
    PeerSignal,
    claim_hash,
    collapsed,
    concept_tags,
    is_short_term,
    normal_path,
    place_key,
    query_hash,
)

MOST_ENTRIES = 512
MOST_QUERIES = 32
MOST_DAYS = 16
STALE_LOCK_MS = 60_000
Store = Mapping[str, PeerRecall]


@dataclass(frozen=True, slots=True)
class Hit:
    """One result that was shown, or one line that was ingested."""

    path: str
    first: int
    last: int
    snippet: str
    score: float
    query: str
    at: datetime
    kind: str = "recall"  # recall, daily, grounded
    times: int = 1
    day: date | None = None  # the bucket, when it is not the day of `at`
    once_a_day: bool = False


def recorded(store: Store, hit: Hit, profile: Profile, zone: tzinfo = UTC) -> dict[str, PeerRecall]:
    """The store after one hit. Paths that are not short-term are left out."""
    if not is_short_term(hit.path, before_2026_8=profile.before_2026_8):
        return dict(store)
    snippet = collapsed(hit.snippet)
    key = _key(store, hit, snippet)
    old = store.get(key) or PeerRecall(
        key, normal_path(hit.path), max(1, hit.first), max(1, hit.last), snippet, first_recalled=hit.at
    )
    return {**store, key: _counted(old, hit, snippet, profile, zone)}


def _key(store: Store, hit: Hit, snippet: str) -> str:
    claim = claim_hash(snippet)
    by_claim = place_key(hit.path, hit.first, hit.last, claim)
    if hit.kind == "grounded" or by_claim in store:
        return by_claim
    return place_key(hit.path, hit.first, hit.last)


def _counted(old: PeerRecall, hit: Hit, snippet: str, profile: Profile, zone: tzinfo) -> PeerRecall:
    asked = query_hash(hit.query)
    day = hit.day or hit.at.astimezone(zone).date()
    repeated = hit.once_a_day and asked in old.queries and day in old.days
    times = 0 if repeated else max(1, hit.times)
    score = min(1.0, max(0.0, hit.score))
    return replace(
        old,
        snippet=snippet or old.snippet,
        recalls=old.recalls + (times if hit.kind == "recall" else 0),
        daily=old.daily + (times if hit.kind == "daily" else 0),
        grounded=old.grounded + (times if hit.kind == "grounded" else 0),
        total_score=old.total_score + score * times,
        max_score=max(old.max_score, score),
        last_recalled=old.last_recalled if repeated and not profile.before_2026_8 else hit.at,
        queries=_newest(old.queries, asked, MOST_QUERIES),
        user_queries=_newest(old.user_queries, asked, MOST_QUERIES) if hit.kind == "recall" else old.user_queries,
        days=tuple(sorted({*old.days, day}))[-MOST_DAYS:],
        tags=concept_tags(old.path, snippet or old.snippet, before_2026_8=profile.before_2026_8),
        claim=claim_hash(snippet) if hit.kind == "grounded" else old.claim,
    )


def _newest(known: tuple[str, ...], one: str, most: int) -> tuple[str, ...]:
    return (*(old for old in known if old != one), one)[-most:] if one not in known else known


def kept(store: Store, most: int = MOST_ENTRIES) -> dict[str, PeerRecall]:
    """The entries worth keeping: newest first, then by how much they were recalled."""
    order = sorted(
        store.values(),
        key=lambda one: (
            -_stamp(one.last_recalled), -one.signals, -one.total_score, -one.max_score, -_stamp(one.promoted), one.key,
        ),
    )  # fmt: skip
    return {one.key: one for one in order[:most]}


def without_grounded(store: Store) -> tuple[dict[str, PeerRecall], int]:
    """The store without what only a backfill vouched for, and how many that were."""
    left = {key: one for key, one in store.items() if not one.grounded or one.recalls or one.daily}
    return left, len(store) - len(left)


def repaired(entry: PeerRecall, profile: Profile) -> PeerRecall:
    """The entry with its tags computed anew and the day of its last recall among its days."""
    days = {*entry.days, *([entry.last_recalled.date()] if entry.last_recalled else [])}
    tags = concept_tags(entry.path, entry.snippet, before_2026_8=profile.before_2026_8)
    return replace(entry, days=tuple(sorted(days))[-MOST_DAYS:], tags=tags)


def audit(*, invalid: int, lock_age_ms: float | None, owner_lives: bool) -> tuple[str, ...]:
    """What is wrong with a store on disk, in the peer's words."""
    found = ["recall-store-invalid"] if invalid else []
    if lock_age_ms is not None and lock_age_ms > STALE_LOCK_MS and not owner_lives:
        found.append("recall-lock-stale")
    return tuple(found)


def store_json(store: Store, updated: datetime) -> dict[str, Any]:
    """The store as the peer's JSON era wrote it."""
    return {
        "version": 1,
        "updatedAt": stamp(updated),
        "entries": {one.key: _entry_json(one) for one in store.values()},
    }


def signals_json(signals: Iterable[PeerSignal], updated: datetime) -> dict[str, Any]:
    """The phase signals as the peer's JSON era wrote them."""
    entries: dict[str, Any] = {}
    for one in signals:
        entries[one.key] = {"key": one.key, "lightHits": one.light, "remHits": one.rem}
        if one.last_light:
            entries[one.key]["lastLightAt"] = stamp(one.last_light)
        if one.last_rem:
            entries[one.key]["lastRemAt"] = stamp(one.last_rem)
    return {"version": 1, "updatedAt": stamp(updated), "entries": entries}


def _entry_json(one: PeerRecall) -> dict[str, Any]:
    found: dict[str, Any] = {
        "key": one.key, "path": one.path, "startLine": one.first, "endLine": one.last, "source": "memory",
        "snippet": one.snippet, "recallCount": one.recalls, "dailyCount": one.daily, "groundedCount": one.grounded,
        "totalScore": one.total_score, "maxScore": one.max_score,
        "firstRecalledAt": stamp(one.first_recalled) if one.first_recalled else None,
        "lastRecalledAt": stamp(one.last_recalled) if one.last_recalled else None,
        "queryHashes": list(one.queries), "recallDays": [day.isoformat() for day in one.days],
        "conceptTags": list(one.tags),
    }  # fmt: skip
    if one.claim:
        found["claimHash"] = one.claim
    if one.promoted:
        found["promotedAt"] = stamp(one.promoted)
    return found


def stamp(at: datetime) -> str:
    """A moment as JavaScript writes it: UTC, milliseconds, Z."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _stamp(at: datetime | None) -> float:
    return at.timestamp() if at else 0.0
