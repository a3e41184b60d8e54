"""Active Memory: how our functions answer those vectors."""

from __future__ import annotations

import re
from typing import Any

from answering import answers

from reverie.features.recall import facts
from reverie.openclaw.score import Profile
from reverie.text.terms import terms

ONE_WORD = 0.85


@answers("activeMemory.intent")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return facts.asks_for_memory(given["message"])


@answers("activeMemory.escalation")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return facts.escalation(given["mode"], given["message"], strong=given["hasStrongLaneOneHit"])


@answers("activeMemory.trigger")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    score = _trigger_score(given["message"], given["triggers"], given["searchScore"])
    return {"score": score, "strong": score >= given["threshold"]} if "threshold" in given else score


def _trigger_score(message: str, triggers: str, search_score: float) -> float:
    """How well a message meets the phrases by which an entry of the peer's wants to be found, and what a search made of it."""
    said = set(terms(message))
    best = max((_phrase(said, set(terms(phrase))) for phrase in re.split(r"[,，;；\n|]+", triggers)), default=0.0)
    return 0.8 * best + 0.2 * search_score


def _phrase(said: set[str], wanted: set[str]) -> float:
    overlap = len(said & wanted)
    if not overlap:
        return 0.0
    if len(wanted) == 1:
        return ONE_WORD
    return 0.8 * overlap / len(wanted) + 0.2 * min(1.0, overlap / 2)
