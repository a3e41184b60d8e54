"""Scores, gates, stores and tags: how our functions answer those vectors."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import date, timedelta
from typing import Any

import peer_store
from answering import FLIGHTS, GLACIER, RECALLS, answers, at, met_twice, three_recalls

from ranking import ranked
from reverie.openclaw import score
from reverie.openclaw.score import Profile
from reverie.workspace import openclaw_format
from reverie.workspace.openclaw_format import PeerRecall, PeerSignal

NAMES = ("frequency", "relevance", "diversity", "recency", "consolidation", "conceptual")


def told(one: score.Scored) -> dict[str, Any]:
    """A scored entry in the fields of the peer's own answer."""
    entry = one.entry
    return {
        "key": entry.key, "recallCount": entry.recalls, "dailyCount": entry.daily, "groundedCount": entry.grounded,
        "signalCount": entry.signals, "uniqueQueries": one.counted.queries,
        "avgScore": entry.average, "maxScore": entry.max_score, "ageDays": round(one.age_days, 6),
        "recallDays": [day.isoformat() for day in entry.days], "conceptTags": list(entry.tags),
        "components": {name: getattr(one.components, name) for name in NAMES}, "score": one.score,
    }  # fmt: skip


def whole_field(profile: Profile) -> Profile:
    return score.with_gates(replace(profile, max_age_days=None), min_score=0, min_signals=0, min_queries=0)


@answers("deep.component.consolidation")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return score.consolidation([date.fromisoformat(day) for day in given["recallDays"] if day[:2] == "20"])


@answers("deep.component.conceptual")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return score.conceptual(given["tagCount"])


@answers("deep.component.recency")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return score.recency(given["ageDays"], given["halfLifeDays"])


@answers("deep.component.frequency")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return score.frequency(given["signalCount"])


@answers("deep.phaseBoost")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    entry = given["phaseEntry"]
    if entry is None:
        return score.phase_boost(None, at(given["now"]))
    last_light, last_rem = (at(entry[name]) if name in entry else None for name in ("lastLightAt", "lastRemAt"))
    return score.phase_boost(
        PeerSignal("", entry["lightHits"], entry["remHits"], last_light, last_rem), at(given["now"])
    )


@answers("deep.weights")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    found = weighted(given["weights"])
    return {name: found[name] for name in NAMES}


def weighted(asked: dict[str, float]) -> dict[str, float]:
    """Weights with some of them asked for: negatives count as nothing, the rest is scaled to one."""
    usual = asdict(score.WEIGHTS)
    positive = {name: max(0.0, asked.get(name, value)) for name, value in usual.items()}
    total = sum(positive.values())
    return {name: value / total for name, value in positive.items()} if total else usual


@answers("deep.rank.e2e")
def _(given: dict[str, Any], profile: Profile) -> Any:
    signals: dict[str, PeerSignal] = {}
    if "items" in given:
        store: dict[str, PeerRecall] = {}
        for item, kind in zip(given["items"], ("lasting-update", "candidate"), strict=True):
            hit = peer_store.Hit(
                "memory/2026-04-03.md", 1, 1, FLIGHTS, item["score"], openclaw_format.GROUNDED_QUERY + kind,
                at("2026-04-03T10:00:00"), "grounded", item["signalCount"],
            )  # fmt: skip
            store = peer_store.recorded(store, hit, profile)
        now = at("2026-04-03T10:00:00")
    elif "signal" in given:
        store = {}
        for day in ("2026-04-01", "2026-04-02", "2026-04-03"):
            hit = peer_store.Hit(
                "memory/2026-04-01.md",
                1,
                2,
                GLACIER,
                0.62,
                openclaw_format.DAILY_QUERY + day,
                at(f"{day}T10:00:00"),
                "daily",
            )
            store = peer_store.recorded(store, hit, profile)
        now = at(given["rankAt"])
    else:
        hits = tuple((one["query"], one["at"][:10], one["score"]) for one in given.get("recalls", ())) or RECALLS
        store = three_recalls(hits)
        now = at(given["rankAt"])
    if "phaseSignals" in given:
        signals = {key: met_twice(key) for key in store}
    (one,) = ranked(store.values(), signals, whole_field(profile), now)
    return told(one)


@answers("deep.gates")
def _(given: dict[str, Any], profile: Profile) -> Any:
    now = at(given.get("rankAt", "2026-04-05T10:00:00"))
    if "recalls" in given:
        store, now = three_recalls(RECALLS[: given["recalls"]]), at("2026-04-01T10:00:00")
        asked = {
            "min_score": given.get("minScore"),
            "min_signals": given.get("minRecallCount"),
            "min_queries": given.get("minUniqueQueries"),
        }
        return {"ranked": len(ranked(store.values(), {}, score.with_gates(profile, **asked), now))}
    store = three_recalls()
    if "maxAgeDays" in given:
        gated = score.with_gates(whole_field(profile), max_age_days=given["maxAgeDays"])
        return {"returned": len(ranked(store.values(), {}, gated, now))}
    gated = score.with_gates(profile, min_score=0.75, min_queries=2)
    return {"returned": len(ranked(store.values(), {key: met_twice(key) for key in store}, gated, now))}


@answers("deep.feasibility")
def _(given: dict[str, Any], profile: Profile) -> Any:
    now = at("2026-04-30T10:00:00")
    spread = [now.date() - timedelta(days=given["spanDays"])] + [now.date() - timedelta(days=n) for n in range(50)]
    days = tuple(dict.fromkeys((spread[0], *spread[1:])))[: given["distinctDays"]]
    entry = PeerRecall(
        "k", "memory/2026-04-30.md", 1, 1, "x", recalls=given["signalCount"], last_recalled=now, days=days,
        user_queries=tuple(f"{n:012x}" for n in range(given["userQueries"])), tags=tuple("abcdef")[: given["conceptTags"]],
    )  # fmt: skip
    signal = PeerSignal("k", given["lightHits"], given["remHits"], now, now)
    without = score.scored(entry, signal, profile, now).total
    return {
        "scoreWithoutRelevance": round(without, 4),
        "minAvgScoreToPass": round((0.75 - without) / score.WEIGHTS.relevance, 3),
    }


@answers("store.claimHash")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return openclaw_format.claim_hash(given["snippet"])


@answers("store.queryHash")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return openclaw_format.query_hash(given["query"])


@answers("store.key")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    if "snippet" in given:
        return openclaw_format.claim_key(given["snippet"])
    return openclaw_format.place_key(given["path"], given["startLine"], given["endLine"], given.get("claimHash", ""))


@answers("store.path")
def _(given: dict[str, Any], profile: Profile) -> Any:
    return openclaw_format.is_short_term(given["path"], before_2026_8=profile.before_2026_8)


@answers("store.format")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    store = three_recalls()
    if given["same"] == "rank_three_recalls_three_days":
        return peer_store.store_json(store, at("2026-04-04T10:00:00"))
    return peer_store.signals_json([met_twice(key) for key in store], at("2026-04-05T09:00:00"))


@answers("store.dedupe")
def _(_given: dict[str, Any], profile: Profile) -> Any:
    hit = peer_store.Hit(
        "memory/2026-04-03.md", 1, 1, FLIGHTS, 0.9, "__q__", at("2026-04-03T10:00:00"), "grounded", 3, once_a_day=True
    )
    (one,) = peer_store.recorded(peer_store.recorded({}, hit, profile), hit, profile).values()
    return {"groundedCount": one.grounded}


@answers("store.cap")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    start = at("2026-04-01T00:00:00")
    store = {
        f"entry-{n}": PeerRecall(f"entry-{n}", "p", 1, 1, "x", last_recalled=start + timedelta(minutes=n))
        for n in range(given["entries"])
    }
    left = peer_store.kept(store)
    oldest = min(left.values(), key=lambda one: one.last_recalled or start).key
    dropped = "entry-0" not in left
    return {"removed": len(store) - len(left), "kept": len(left), "oldestKept": oldest, "dropped": dropped}


@answers("store.concurrency")
def _(given: dict[str, Any], profile: Profile) -> Any:
    store: dict[str, PeerRecall] = {}
    for n in range(given["parallelRecords"]):
        query = f"query {n % given['distinctQueries']}"
        hit = peer_store.Hit("memory/2026-04-01.md", 1, 2, GLACIER, 0.9, query, at("2026-04-01T10:00:00"))
        store = peer_store.recorded(store, hit, profile)
    (one,) = store.values()
    return {"recallCount": one.recalls, "uniqueQueries": len(one.user_queries)}


@answers("store.rollback")
def _(_given: dict[str, Any], _profile: Profile) -> Any:
    store = {
        "a": PeerRecall("a", "p", 1, 1, "x", grounded=2),
        "b": PeerRecall("b", "p", 2, 2, "y", grounded=2, recalls=1),
    }
    left, removed = peer_store.without_grounded(store)
    (one,) = left.values()
    return {"removed": removed, "left": {"groundedCount": one.grounded, "recallCount": one.recalls}}


@answers("store.audit")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return list(peer_store.audit(invalid=given["invalidEntries"], lock_age_ms=given["lockAgeMs"], owner_lives=False))


@answers("store.repair")
def _(given: dict[str, Any], profile: Profile) -> Any:
    entry = PeerRecall("k", "memory/2026-04-04.md", 1, 1, "x", last_recalled=at(given["lastRecalledAt"]))
    return [day.isoformat() for day in peer_store.repaired(entry, profile).days]


@answers("conceptTags")
def _(given: dict[str, Any], profile: Profile) -> Any:
    return list(openclaw_format.concept_tags(given["path"], given["snippet"], before_2026_8=profile.before_2026_8))


@answers("conceptTags.script")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    if "tag" in given:
        return openclaw_format.script_of(given["tag"])
    return {f"{family}EntryCount": count for family, count in openclaw_format.scripts(given["entries"]).items()}
