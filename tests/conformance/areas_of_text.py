"""Promoted lines, staged lines, diaries, notes: how our functions answer those vectors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import peer_format
import peer_notes
import peer_promotion
from answering import answers, at, recall

from reverie.features.diary.entry import long_day, long_moment
from reverie.judge import vetoes
from reverie.openclaw import backfill, phases, rehydrate, score
from reverie.openclaw.score import Profile
from reverie.text.managed import managed_lines
from reverie.workspace import openclaw_format
from reverie.workspace.openclaw_format import PeerRecall, PeerSignal, met


def candidate(given: dict[str, Any]) -> peer_promotion.Candidate:
    signals = given["signalCount"]
    entry = replace(recall(given), daily=signals - given["recallCount"], total_score=given["avgScore"] * signals)
    return peer_promotion.Candidate(entry, given["score"])


@answers("promotion.format")
def _(given: dict[str, Any], profile: Profile) -> Any:
    if "candidate" not in given and "path" not in given:
        zoned = peer_promotion.section([], profile, at(given["now"]), ZoneInfo(given["timezone"]))
        return {"headingDay": zoned.split("(")[1][:10]}
    if "candidate" not in given:
        basename = peer_promotion.Candidate(recall({**given, "snippet": "x"}), 0.9)
        return {
            "contains": "source=2026-04-01.md:1-1"
            * ("source=2026-04-01.md:1-1" in peer_promotion.promoted_lines(basename, profile)[1])
        }
    one = candidate(given["candidate"])
    if "at" not in given:
        return peer_promotion.consolidated_line(one, profile)
    return peer_promotion.section([one], profile, at(given["at"]), ZoneInfo(given["timezone"]))


@answers("promotion.importance")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return openclaw_format.importance(given["score"])


@answers("promotion.truncate")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    words = ("First sentence ends here. " + "word " * 200).strip()
    text = words if "textLength" in given else "A" * 50 + ". " + "B" * 100
    return peer_promotion.truncated(text, given["maxTokens"] * 4)


@answers("promotion.dedupe")
def _(given: dict[str, Any], profile: Profile) -> Any:
    one = peer_promotion.Candidate(PeerRecall("k", "memory/2026-04-01.md", 1, 1, "Keep it", recalls=3), 0.9)
    now = at("2026-04-02T10:00:00")
    first = peer_promotion.promote("", [one], profile, now)
    if "sameCandidatesAppliedTwice" in given:
        done = peer_promotion.Candidate(replace(one.entry, promoted=now), 0.9)
        second = peer_promotion.promote(first.text, [done], profile, now)
        return {"secondApplied": second.applied, "sections": second.text.count(peer_promotion.HEADING)}
    again = peer_promotion.promote(first.text, [one], profile, now)
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
    managed = managed_lines(given["lines"])
    return any(number in managed for number in range(given["startLine"] - 1, given["endLine"]))


@answers("contamination")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return vetoes.is_contaminated(given["snippet"], transcript=given.get("allowTranscriptTurnSnippet", False))


@answers("dedupe.similarity")
def _(given: dict[str, Any], profile: Profile) -> Any:
    return phases.similarity(given["a"], given["b"], profile)


def light_lines(entries: Iterable[PeerRecall]) -> list[str]:
    """The body of the peer's Light Sleep block."""
    lines: list[str] = []
    for entry in entries:
        lines += [
            f"- Candidate: {entry.snippet or '(no snippet captured)'}",
            f"  - confidence: {openclaw_format.fixed(entry.average, 2)}",
            f"  - evidence: {entry.place}",
            f"  - recalls: {entry.recalls}",
            "  - status: staged",
        ]
    return lines or ["- No notable updates."]


@answers("light.format")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return light_lines(map(recall, given["entries"]))


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
        staged = phases.staged(entries, signals, profile, sweep)
        counts.append(sum(phases.in_lookback(one, profile, sweep, 2) for one in entries))
        lines.append(sum("Candidate" in line for line in light_lines(staged)))
        signals = {one.key: met(signals.get(one.key), one.key, "light", sweep) for one in entries}
    return {"candidateCounts": counts, "stagedLinesAfterRerun": lines[-1]}


@answers("rem.confidence")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return phases.confidence(recall(given))


@answers("rem.format")
def _(given: dict[str, Any], profile: Profile) -> Any:
    lines, found = phases.rem_body([recall(one) for one in given["entries"]], profile)
    truths = [{"snippet": one.text, "confidence": one.confidence, "evidence": one.place} for one in found]
    return {"bodyLines": lines, "candidateKeys": [one.key for one in found], "candidateTruths": truths}


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
    return openclaw_format.message_hash(given["scope"], given["basis"], given["snippet"])


@answers("schedule.description")
def _(given: dict[str, Any], profile: Profile) -> Any:
    gated = score.with_gates(
        profile, limit=given["limit"], min_score=given["minScore"], min_signals=given["minRecallCount"],
        min_queries=given["minUniqueQueries"], half_life_days=given["recencyHalfLifeDays"], max_age_days=given["maxAgeDays"],
    )  # fmt: skip
    return peer_promotion.schedule_description(gated)


@answers("markdown.block")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return peer_format.with_block(given["original"], given["heading"], given["start"], given["end"], given["body"])


@answers("memory.budget")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    days = given["sections"]
    if isinstance(days, int):
        days = ["2026-04-10", "2026-04-15", "2026-04-20", "2026-04-25"][:days]
    sections = []
    for day in days:
        top = f"{peer_promotion.HEADING} ({day})\n\n{openclaw_format.mark_of(day)}\n- "
        sections.append(top + "x" * (given["sectionChars"] - len(top)))
    fraction = given["maxPriorEntryLossFraction"]
    text, dropped = peer_promotion.fitted(
        "\n".join(sections), given["newSectionChars"], given["budgetChars"], most_loss=fraction
    )
    return {"droppedDates": list(dropped), "remainingChars": len(text)}


@answers("diary.format")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    if "existing" in given:
        return peer_format.with_diary(given["existing"])
    when = long_moment(at(given["at"]), ZoneInfo(given["timezone"]))
    return {"date": when, "block": peer_format.entry_block(given["narrative"], when)}


@answers("diary.backfill")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    if "diary" in given:
        text, removed = peer_format.without_backfill(given["diary"])
        return {"removed": removed, "updated": text}
    day = date.fromisoformat(given["isoDay"])
    if "bodyLines" not in given:
        return long_day(day)
    return peer_format.backfill_entry(day, given["bodyLines"], given["sourcePath"])


@answers("diary.dedupe")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    if "a" in given:
        return peer_format.fingerprint(given["a"]) == peer_format.fingerprint(given["b"])
    text = ""
    for when in ("April 5, 2026 at 3:00 AM UTC", "April 5, 2026 at 3:00 AM UTC", "April 5, 2026 at 4:00 AM UTC"):
        text = peer_format.with_entry(text, "The same dream.", when)
    _, removed, kept = peer_format.without_repeats(text)
    return {"removed": removed, "kept": kept}


@answers("diary.prompt")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    snippets, _, _ = peer_format.told_of([str(n) for n in range(given["snippets"])], (), ())
    return {"lastIncludedIndex": int(snippets[-1])}


@answers("grounded.score")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    value, lean = backfill.durability(given["text"], given["title"])
    return {"score": value, "lean": lean}


@answers("grounded.atomize")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return list(backfill.atomised(given["text"]))


@answers("grounded")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    found = backfill.grounded(given["content"], "memory/2026-04-03.md")
    return {
        "facts": [{"text": one.text, "refs": list(one.refs)} for one in found.facts],
        "candidates": [
            {"text": one.text, "refs": list(one.refs), "lean": one.lean, "score": one.score} for one in found.candidates
        ],
        "memoryImplications": [{"text": one.text, "refs": list(one.refs)} for one in found.lasting],
        "renderedMarkdown": backfill.rendered(found),
    }
