"""How candidates are told: the peer's fields for programs, its lines for people, and why each enters or stays out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from reverie.openclaw.recall_lane import Audit
from reverie.privacy.redact import shown
from reverie.workspace.recalls import fixed

if TYPE_CHECKING:
    from reverie.openclaw.promotions import Gate, Weighed


def candidate_as_dict(one: Weighed) -> dict[str, Any]:
    """The peer's fields of a candidate, then ours."""
    entry, scored = one.scored.entry, one.scored
    value: dict[str, Any] = {
        "key": entry.key, "path": entry.path, "startLine": entry.first, "endLine": entry.last, "source": "memory",
        "snippet": shown(entry.snippet), "recallCount": entry.recalls, "dailyCount": entry.daily,
        "groundedCount": entry.grounded, "signalCount": scored.counted.signals, "avgScore": entry.average,
        "maxScore": entry.max_score, "uniqueQueries": scored.counted.queries,
    }  # fmt: skip
    if entry.claim:
        value["claimHash"] = entry.claim
    if entry.promoted:
        value["promotedAt"] = stamp(entry.promoted)
    value |= {
        "firstRecalledAt": stamp(entry.first_recalled), "lastRecalledAt": stamp(entry.last_recalled),
        "ageDays": scored.age_days, "score": scored.score, "recallDays": [day.isoformat() for day in scored.counted.days],
        "conceptTags": list(entry.tags), "components": asdict(scored.components),
    }  # fmt: skip
    if entry.origin:
        value["provenance"] = {"originClass": entry.origin.origin_class, "sessionKind": entry.origin.session_kind}
    return value | {
        "phaseBoost": scored.boost,
        "groundedLed": scored.grounded,
        "gates": [gate_as_dict(gate) for gate in scored.gates],
        "enters": shown(one.text) if not one.reason else None,
        "refusedFor": one.reason or None,
        "detail": shown(one.detail) or None,
    }


def gate_as_dict(gate: Gate) -> dict[str, Any]:
    return {
        "name": gate.name,
        "value": gate.value,
        "threshold": gate.threshold,
        "margin": gate.margin,
        "passed": gate.passed,
    }


def audit_as_dict(audit: Audit) -> dict[str, Any]:
    """The peer's audit of its store."""
    return {
        "storePath": audit.path, "lockPath": audit.lock,
        "updatedAt": stamp(audit.updated), "exists": audit.exists, "entryCount": audit.entries,
        "promotedCount": audit.promoted, "spacedEntryCount": audit.spaced, "conceptTaggedEntryCount": audit.tagged,
        "conceptTagScripts": {f"{name}EntryCount": count for name, count in audit.scripts.items()},
        "invalidEntryCount": 0, "groundedEntryCount": audit.grounded,
        "groundedPromotedCount": audit.grounded_promoted, "lightHits": audit.light, "remHits": audit.rem,
        "issues": [shown(doubt) for doubt in audit.doubts],
    }  # fmt: skip


def health(audit: Audit) -> str:
    """The peer's line about its store."""
    told = ", ".join(f"{count} {name}" for name, count in audit.scripts.items() if count)
    return (
        f"{audit.entries} entries · {audit.promoted} promoted · {audit.tagged} concept-tagged · {audit.spaced} spaced"
        + (f" · scripts={told}" if told else "")
    )


def candidate_lines(one: Weighed) -> Iterator[tuple[str, str]]:
    entry, scored = one.scored.entry, one.scored
    yield "path", f"{fixed(scored.score, 3)} {entry.place}"
    yield (
        "plain",
        f"signals={scored.counted.signals} recalls={entry.recalls} avg={fixed(entry.average, 3)} "
        f"queries={scored.counted.queries} age={fixed(scored.age_days, 1)}d "
        f"consolidate={fixed(scored.components.consolidation, 2)} conceptual={fixed(scored.components.conceptual, 2)}",
    )
    if scored.grounded:
        yield "plain", "led by grounded evidence from old notes"
    if entry.tags:
        yield "plain", f"concepts={shown(', '.join(entry.tags))}"
    yield "plain", shown(entry.snippet)
    yield verdict(one)


def verdict(one: Weighed) -> tuple[str, str]:
    if one.reason:
        return "cut", f"stays out: {one.reason} ({shown(one.detail)})"
    return "add", f"enters as: {shown(one.text)}"


def component_lines(one: Weighed) -> Iterator[tuple[str, str]]:
    """Every component, its weight and what it comes to; the boost; every gate and its margin."""
    scored = one.scored
    for name, value in asdict(scored.components).items():
        weight = getattr(scored.weights, name)
        yield "plain", f"  {name:<14}{fixed(value, 3)} × {fixed(weight, 2)} = {fixed(value * weight, 3)}"
    yield "plain", f"  {'phase boost':<14}{fixed(scored.boost, 3)}"
    for gate in scored.gates:
        sign = "+" if gate.margin >= 0 else ""
        word = "passed" if gate.passed else "not passed"
        yield (
            "add" if gate.passed else "cut",
            f"  gate {gate.name:<9}{fixed(gate.value, 3)} against {fixed(gate.threshold, 3)} ({sign}{fixed(gate.margin, 3)}): {word}",
        )


def stamp(at: datetime | None) -> str | None:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z") if at else None
