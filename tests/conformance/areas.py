"""For each area of the vectors, how our functions answer its input. `SKIPPED` names the areas we do not answer, and why."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from reverie import concepts
from reverie.phases import (
    contamination,
    diary_format,
    grounded,
    light,
    peer_notes,
    peer_search,
    promotion,
    recording,
    rehydrate,
    rem,
    score,
    similar,
)  # fmt: skip
from reverie.phases.profiles import OPENCLAW_2026_4, Profile
from reverie.recalls import PeerRecall, PeerSignal, met

SKIPPED = {
    "activeMemory.intent": "active recall is not built yet",
    "activeMemory.escalation": "active recall is not built yet",
    "activeMemory.trigger": "active recall is not built yet",
    "redaction": "ours masks more than the peer's and names what it masked, on purpose",
}
Answer = Callable[[dict[str, Any], Profile], Any]
ANSWERS: dict[str, Answer] = {}
GLACIER = "Move backups to S3 Glacier."
FLIGHTS = "Always use the shared calendar for flights."
RECALLS = (("glacier", "2026-04-01", 0.96), ("backup plan", "2026-04-02", 0.8), ("cold storage", "2026-04-04", 0.7))
NAMES = ("frequency", "relevance", "diversity", "recency", "consolidation", "conceptual")


def answers(area: str) -> Callable[[Answer], Answer]:
    def register(answer: Answer) -> Answer:
        ANSWERS[area] = answer
        return answer

    return register


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def recall(given: dict[str, Any]) -> PeerRecall:
    """An entry from the camel-cased fields of a vector."""
    return PeerRecall(
        key=given.get("key", ""),
        path=given.get("path", "memory/2026-04-05.md"),
        first=given.get("startLine", 1),
        last=given.get("endLine", 1),
        snippet=given.get("snippet", ""),
        recalls=given.get("recallCount", 0),
        daily=given.get("dailyCount", 0),
        total_score=given.get("totalScore", 0.0),
        days=tuple(date.fromisoformat(day) for day in given.get("recallDays", ())),
        tags=tuple(given.get("conceptTags", ())),
    )


def three_recalls(hits: tuple[tuple[str, str, float], ...] = RECALLS) -> dict[str, PeerRecall]:
    """A store as 2026.4.14 recorded it: the vectors rank it under both builds with the tags it had then."""
    store: dict[str, PeerRecall] = {}
    for query, day, value in hits:
        hit = recording.Hit("memory/2026-04-01.md", 1, 2, GLACIER, value, query, at(f"{day}T10:00:00"))
        store = recording.recorded(store, hit, OPENCLAW_2026_4)
    return store


def met_twice(key: str) -> PeerSignal:
    nine = at("2026-04-05T09:00:00")
    return met(met(None, key, "light", nine), key, "rem", nine)


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
    found = score.weighted(**given["weights"])
    return {name: getattr(found, name) for name in NAMES}


@answers("deep.rank.e2e")
def _(given: dict[str, Any], profile: Profile) -> Any:
    signals: dict[str, PeerSignal] = {}
    if "items" in given:
        store: dict[str, PeerRecall] = {}
        for item, kind in zip(given["items"], ("lasting-update", "candidate"), strict=True):
            hit = recording.Hit(
                "memory/2026-04-03.md", 1, 1, FLIGHTS, item["score"], concepts.GROUNDED_QUERY + kind,
                at("2026-04-03T10:00:00"), "grounded", item["signalCount"],
            )  # fmt: skip
            store = recording.recorded(store, hit, profile)
        now = at("2026-04-03T10:00:00")
    elif "signal" in given:
        store = {}
        for day in ("2026-04-01", "2026-04-02", "2026-04-03"):
            hit = recording.Hit(
                "memory/2026-04-01.md", 1, 2, GLACIER, 0.62, concepts.DAILY_QUERY + day, at(f"{day}T10:00:00"), "daily"
            )
            store = recording.recorded(store, hit, profile)
        now = at(given["rankAt"])
    else:
        hits = tuple((one["query"], one["at"][:10], one["score"]) for one in given.get("recalls", ())) or RECALLS
        store = three_recalls(hits)
        now = at(given["rankAt"])
    if "phaseSignals" in given:
        signals = {key: met_twice(key) for key in store}
    (one,) = score.ranked(store.values(), signals, whole_field(profile), now)
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
        return {"ranked": len(score.ranked(store.values(), {}, score.with_gates(profile, **asked), now))}
    store = three_recalls()
    if "maxAgeDays" in given:
        gated = score.with_gates(whole_field(profile), max_age_days=given["maxAgeDays"])
        return {"returned": len(score.ranked(store.values(), {}, gated, now))}
    gated = score.with_gates(profile, min_score=0.75, min_queries=2)
    return {"returned": len(score.ranked(store.values(), {key: met_twice(key) for key in store}, gated, now))}


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
        "minAvgScoreToPass": round((0.75 - without) / profile.weights.relevance, 3),
    }


@answers("store.claimHash")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return concepts.claim_hash(given["snippet"])


@answers("store.queryHash")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return concepts.query_hash(given["query"])


@answers("store.key")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    if "snippet" in given:
        return concepts.claim_key(given["snippet"])
    return concepts.place_key(given["path"], given["startLine"], given["endLine"], given.get("claimHash", ""))


@answers("store.path")
def _(given: dict[str, Any], profile: Profile) -> Any:
    return concepts.is_short_term(given["path"], before_2026_8=profile.before_2026_8)


@answers("store.format")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    store = three_recalls()
    if given["same"] == "rank_three_recalls_three_days":
        return recording.store_json(store, at("2026-04-04T10:00:00"))
    return recording.signals_json([met_twice(key) for key in store], at("2026-04-05T09:00:00"))


@answers("store.dedupe")
def _(_given: dict[str, Any], profile: Profile) -> Any:
    hit = recording.Hit(
        "memory/2026-04-03.md", 1, 1, FLIGHTS, 0.9, "__q__", at("2026-04-03T10:00:00"), "grounded", 3, once_a_day=True
    )
    (one,) = recording.recorded(recording.recorded({}, hit, profile), hit, profile).values()
    return {"groundedCount": one.grounded}


@answers("store.cap")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    start = at("2026-04-01T00:00:00")
    store = {
        f"entry-{n}": PeerRecall(f"entry-{n}", "p", 1, 1, "x", last_recalled=start + timedelta(minutes=n))
        for n in range(given["entries"])
    }
    left = recording.kept(store)
    oldest = min(left.values(), key=lambda one: one.last_recalled or start).key
    dropped = "entry-0" not in left
    return {"removed": len(store) - len(left), "kept": len(left), "oldestKept": oldest, "dropped": dropped}


@answers("store.concurrency")
def _(given: dict[str, Any], profile: Profile) -> Any:
    store: dict[str, PeerRecall] = {}
    for n in range(given["parallelRecords"]):
        query = f"query {n % given['distinctQueries']}"
        hit = recording.Hit("memory/2026-04-01.md", 1, 2, GLACIER, 0.9, query, at("2026-04-01T10:00:00"))
        store = recording.recorded(store, hit, profile)
    (one,) = store.values()
    return {"recallCount": one.recalls, "uniqueQueries": len(one.user_queries)}


@answers("store.rollback")
def _(_given: dict[str, Any], _profile: Profile) -> Any:
    store = {
        "a": PeerRecall("a", "p", 1, 1, "x", grounded=2),
        "b": PeerRecall("b", "p", 2, 2, "y", grounded=2, recalls=1),
    }
    left, removed = recording.without_grounded(store)
    (one,) = left.values()
    return {"removed": removed, "left": {"groundedCount": one.grounded, "recallCount": one.recalls}}


@answers("store.audit")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return list(recording.audit(invalid=given["invalidEntries"], lock_age_ms=given["lockAgeMs"], owner_lives=False))


@answers("store.repair")
def _(given: dict[str, Any], profile: Profile) -> Any:
    entry = PeerRecall("k", "memory/2026-04-04.md", 1, 1, "x", last_recalled=at(given["lastRecalledAt"]))
    return [day.isoformat() for day in recording.repaired(entry, profile).days]


@answers("conceptTags")
def _(given: dict[str, Any], profile: Profile) -> Any:
    return list(concepts.concept_tags(given["path"], given["snippet"], before_2026_8=profile.before_2026_8))


@answers("conceptTags.script")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    if "tag" in given:
        return concepts.script_of(given["tag"])
    return {f"{family}EntryCount": count for family, count in concepts.scripts(given["entries"]).items()}


def candidate(given: dict[str, Any]) -> promotion.Candidate:
    signals = given["signalCount"]
    entry = replace(recall(given), daily=signals - given["recallCount"], total_score=given["avgScore"] * signals)
    return promotion.Candidate(entry, given["score"])


@answers("promotion.format")
def _(given: dict[str, Any], profile: Profile) -> Any:
    if "candidate" not in given and "path" not in given:
        zoned = promotion.section([], profile, at(given["now"]), ZoneInfo(given["timezone"]))
        return {"headingDay": zoned.split("(")[1][:10]}
    if "candidate" not in given:
        basename = promotion.Candidate(recall({**given, "snippet": "x"}), 0.9)
        return {
            "contains": "source=2026-04-01.md:1-1"
            * ("source=2026-04-01.md:1-1" in promotion.promoted_lines(basename, profile)[1])
        }
    one = candidate(given["candidate"])
    if "at" not in given:
        return promotion.consolidated_line(one, profile)
    return promotion.section([one], profile, at(given["at"]), ZoneInfo(given["timezone"]))


@answers("promotion.importance")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return promotion.importance(given["score"])


@answers("promotion.truncate")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    words = ("First sentence ends here. " + "word " * 200).strip()
    text = words if "textLength" in given else "A" * 50 + ". " + "B" * 100
    return promotion.truncated(text, given["maxTokens"] * 4)


@answers("promotion.dedupe")
def _(given: dict[str, Any], profile: Profile) -> Any:
    one = promotion.Candidate(PeerRecall("k", "memory/2026-04-01.md", 1, 1, "Keep it", recalls=3), 0.9)
    now = at("2026-04-02T10:00:00")
    first = promotion.promote("", [one], profile, now)
    if "sameCandidatesAppliedTwice" in given:
        done = promotion.Candidate(replace(one.entry, promoted=now), 0.9)
        second = promotion.promote(first.text, [done], profile, now)
        return {"secondApplied": second.applied, "sections": second.text.count(promotion.HEADING)}
    again = promotion.promote(first.text, [one], profile, now)
    return {
        "applied": again.applied, "appended": len(again.appended), "reconciledExisting": len(again.reconciled),
    }  # fmt: skip


@answers("rehydrate")
def _(given: dict[str, Any], profile: Profile) -> Any:
    one = given["candidate"]
    found = rehydrate.rehydrated(given["lines"], one["startLine"], one["endLine"], one["snippet"], profile)
    return found and {"startLine": found.first, "endLine": found.last, "snippet": found.text}


@answers("rehydrate.fence")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return rehydrate.touches_block(given["lines"], given["startLine"], given["endLine"])


@answers("contamination")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return contamination.is_contaminated(given["snippet"], transcript=given.get("allowTranscriptTurnSnippet", False))


@answers("dedupe.similarity")
def _(given: dict[str, Any], profile: Profile) -> Any:
    return similar.similarity(given["a"], given["b"], profile)


@answers("light.format")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return light.light_lines(map(recall, given["entries"]))


@answers("light.freshness")
def _(given: dict[str, Any], profile: Profile) -> Any:
    now = at("2026-04-05T10:00:00")
    entries = [
        replace(recall({"key": key, "snippet": f"fact {key} of today", "dailyCount": 1, "recallDays": ["2026-04-05"]}), last_recalled=now)
        for key in ("one", "two")
    ][: given["dailyBullets"]]  # fmt: skip
    signals: dict[str, PeerSignal] = {}
    counts, lines = [], []
    for n in range(given["sweepsSameDay"]):
        sweep = now + timedelta(hours=n)
        staged = light.staged(entries, signals, profile, sweep)
        counts.append(sum(light.in_lookback(one, profile, sweep, 2) for one in entries))
        lines.append(sum("Candidate" in line for line in light.light_lines(staged)))
        signals = {one.key: met(signals.get(one.key), one.key, "light", sweep) for one in entries}
    return {"candidateCounts": counts, "stagedLinesAfterRerun": lines[-1]}


@answers("rem.confidence")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return rem.confidence(recall(given))


@answers("rem.format")
def _(given: dict[str, Any], profile: Profile) -> Any:
    found = rem.preview(
        [recall(one) for one in given["entries"]], profile,
        limit=given["limit"], min_strength=given["minPatternStrength"],
    )  # fmt: skip
    truths = [
        {"snippet": one.entry.snippet, "confidence": one.confidence, "evidence": one.entry.place}
        for one in found.truths
    ]
    return {"bodyLines": list(found.lines), "candidateKeys": list(found.keys), "candidateTruths": truths}


@answers("ingest.daily.chunk")
def _(given: dict[str, Any], profile: Profile) -> Any:
    found = peer_notes.daily_chunks(given["lines"], profile, given["limit"])
    return [
        {"startLine": one.first, "endLine": one.last, "snippet": one.text, **({"identitySnippet": one.text} if one.item else {})}
        for one in found
    ]  # fmt: skip


@answers("ingest.daily.strip")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return peer_notes.without_blocks(given["lines"])


@answers("ingest.lookback")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return peer_notes.in_lookback(date.fromisoformat(given["day"]), at(given["now"]), given["lookbackDays"])


@answers("ingest.session.line")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return peer_notes.rendered(given["agentId"], given["sessionPath"], given["lineNumber"], given["snippet"])


@answers("ingest.session.hash")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return concepts.message_hash(given["scope"], given["basis"], given["snippet"])


@answers("schedule.description")
def _(given: dict[str, Any], profile: Profile) -> Any:
    gated = score.with_gates(
        profile, limit=given["limit"], min_score=given["minScore"], min_signals=given["minRecallCount"],
        min_queries=given["minUniqueQueries"], half_life_days=given["recencyHalfLifeDays"], max_age_days=given["maxAgeDays"],
    )  # fmt: skip
    return promotion.schedule_description(gated)


@answers("markdown.block")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return diary_format.with_block(given["original"], given["heading"], given["start"], given["end"], given["body"])


@answers("memory.budget")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    days = given["sections"]
    if isinstance(days, int):
        days = ["2026-04-10", "2026-04-15", "2026-04-20", "2026-04-25"][:days]
    sections = []
    for day in days:
        top = f"{promotion.HEADING} ({day})\n\n{promotion.mark(day)}\n- "
        sections.append(top + "x" * (given["sectionChars"] - len(top)))
    fraction = given["maxPriorEntryLossFraction"]
    text, dropped = promotion.fitted(
        "\n".join(sections), given["newSectionChars"], given["budgetChars"], most_loss=fraction
    )
    return {"droppedDates": list(dropped), "remainingChars": len(text)}


@answers("diary.format")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    if "existing" in given:
        return diary_format.with_diary(given["existing"])
    when = diary_format.long_moment(at(given["at"]), ZoneInfo(given["timezone"]))
    return {"date": when, "block": diary_format.entry_block(given["narrative"], when)}


@answers("diary.backfill")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    if "diary" in given:
        text, removed = diary_format.without_backfill(given["diary"])
        return {"removed": removed, "updated": text}
    day = date.fromisoformat(given["isoDay"])
    if "bodyLines" not in given:
        return diary_format.long_day(day)
    return diary_format.backfill_entry(day, given["bodyLines"], given["sourcePath"])


@answers("diary.dedupe")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    if "a" in given:
        return diary_format.fingerprint(given["a"]) == diary_format.fingerprint(given["b"])
    text = ""
    for when in ("April 5, 2026 at 3:00 AM UTC", "April 5, 2026 at 3:00 AM UTC", "April 5, 2026 at 4:00 AM UTC"):
        text = diary_format.with_entry(text, "The same dream.", when)
    _, removed, kept = diary_format.without_repeats(text)
    return {"removed": removed, "kept": kept}


@answers("diary.prompt")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    snippets, _, _ = diary_format.told_of([str(n) for n in range(given["snippets"])], (), ())
    return {"lastIncludedIndex": int(snippets[-1])}


@answers("grounded.score")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    value, lean = grounded.durability(given["text"], given["title"])
    return {"score": value, "lean": lean}


@answers("grounded.atomize")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return list(grounded.atomised(given["text"]))


@answers("grounded")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    found = grounded.grounded(given["content"], "memory/2026-04-03.md")
    return {
        "facts": [{"text": one.text, "refs": list(one.refs)} for one in found.facts],
        "candidates": [
            {"text": one.text, "refs": list(one.refs), "lean": one.lean, "score": one.score} for one in found.candidates
        ],
        "memoryImplications": [{"text": one.text, "refs": list(one.refs)} for one in found.lasting],
        "renderedMarkdown": grounded.rendered(found),
    }


@answers("search.bm25")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return peer_search.bm25_score(given["rank"])


@answers("search.fts")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return peer_search.fts_query(given["raw"])


@answers("search.hybrid")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    if "contentScore" in given:
        return [peer_search.exact_path_score(one) for one in given["contentScore"]]
    if "importance" in given:
        return [given["vectorScore"] * peer_search.importance_factor(one) for one in given["importance"]]
    if "entryProject" in given:
        return [
            given["vectorScore"] * peer_search.project_factor([one] if one else [], given["active"])
            for one in given["entryProject"]
        ]
    found = peer_search.merged(given["vector"], given["keyword"])
    return [{"path": f"memory/{key}.md", "score": value} for key, value in found.items()]


@answers("search.decay")
def _(given: dict[str, Any], profile: Profile) -> Any:
    if "ageDays" in given:
        return peer_search.decay(given["ageDays"], given["halfLifeDays"])
    now = date.fromisoformat(given["now"])
    found = {}
    for path, value in given["scores"].items():
        day, _ = peer_search.dated(path, profile)
        found[path] = value * (peer_search.decay((now - day).days, given["halfLifeDays"]) if day else 1.0)
    order = sorted(found.items(), key=lambda item: -item[1])
    return [{"path": path, "score": value} for path, value in order]


@answers("search.decay.path")
def _(given: dict[str, Any], profile: Profile) -> Any:
    day, evergreen = peer_search.dated(given["path"], profile)
    return {"date": day and day.isoformat(), "evergreen": evergreen}


@answers("search.mmr")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    items = [(one["id"], one["content"], one["score"]) for one in given["items"]]
    return peer_search.varied(items, given["lambda"])


@answers("search.keywordOnly")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return peer_search.keyword_only_score(given["query"], given["path"], given["text"], given["ftsScore"])


@answers("index.chunk")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    if "content" in given:
        return [
            {
                "startLine": one.first, "endLine": one.last, "text": one.text,
                "entryStartLine": one.first if one.entry else None, "entryEndLine": one.last if one.entry else None,
            }
            for one in peer_search.entry_chunks(given["content"])
        ]  # fmt: skip
    text = "\n".join(f"Line {n} " + "y" * 40 for n in range(1, given["lines"] + 1))
    return [[one.first, one.last, len(one.text)] for one in peer_search.chunks(text, given["tokens"], given["overlap"])]


@answers("bootstrap")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    text, marker = peer_search.bootstrap("m" * given["chars"], given["maxChars"])
    return {"truncated": bool(marker), "outputLength": len(text), "marker": marker}


def same(found: Any, expected: Any) -> bool:
    """Whether an answer is the expected one: numbers to nine decimals, and no more fields than the vector names."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(key in found and same(found[key], expected[key]) for key in expected)
    if isinstance(expected, list):
        return isinstance(found, list) and len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(expected, float | int) and not isinstance(expected, bool):
        return isinstance(found, float | int) and math.isclose(found, expected, rel_tol=0, abs_tol=1e-9)
    return bool(found == expected)
