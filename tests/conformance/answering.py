"""The areas of the vectors: a register of answers, what they share, and the areas we do not answer, with the reason."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import peer_store

from reverie.openclaw.score import OPENCLAW_2026_4, Profile
from reverie.workspace.openclaw_format import PeerRecall, PeerSignal, met

SKIPPED = {
    "redaction": "ours masks more than the peer's and names what it masked, on purpose",
}
Answer = Callable[[dict[str, Any], Profile], Any]
ANSWERS: dict[str, Answer] = {}
GLACIER = "Move backups to S3 Glacier."
FLIGHTS = "Always use the shared calendar for flights."
RECALLS = (("glacier", "2026-04-01", 0.96), ("backup plan", "2026-04-02", 0.8), ("cold storage", "2026-04-04", 0.7))


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
        hit = peer_store.Hit("memory/2026-04-01.md", 1, 2, GLACIER, value, query, at(f"{day}T10:00:00"))
        store = peer_store.recorded(store, hit, OPENCLAW_2026_4)
    return store


def met_twice(key: str) -> PeerSignal:
    nine = at("2026-04-05T09:00:00")
    return met(met(None, key, "light", nine), key, "rem", nine)


def same(found: Any, expected: Any) -> bool:
    """Whether an answer is the expected one: numbers to nine decimals, and no more fields than the vector names."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(key in found and same(found[key], expected[key]) for key in expected)
    if isinstance(expected, list):
        return isinstance(found, list) and len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(expected, float | int) and not isinstance(expected, bool):
        return isinstance(found, float | int) and math.isclose(found, expected, rel_tol=0, abs_tol=1e-9)
    return bool(found == expected)
