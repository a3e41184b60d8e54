"""Active Memory: how our functions answer those vectors."""

from __future__ import annotations

from typing import Any

from answering import answers

from reverie.features.recall import facts
from reverie.openclaw.score import Profile


@answers("activeMemory.intent")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return facts.asks_for_memory(given["message"])


@answers("activeMemory.escalation")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return facts.escalation(given["mode"], given["message"], strong=given["hasStrongLaneOneHit"])


@answers("activeMemory.trigger")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    score = facts.trigger_score(given["message"], given["triggers"], given["searchScore"])
    return {"score": score, "strong": score >= given["threshold"]} if "threshold" in given else score
