"""Active Memory: how our functions answer those vectors."""

from __future__ import annotations

from typing import Any

from answering import answers

from reverie.phases import peer_active
from reverie.phases.profiles import Profile


@answers("activeMemory.intent")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return peer_active.asks_for_memory(given["message"])


@answers("activeMemory.escalation")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return peer_active.escalation(given["mode"], given["message"], strong=given["hasStrongLaneOneHit"])


@answers("activeMemory.trigger")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    score = peer_active.trigger_score(given["message"], given["triggers"], given["searchScore"])
    return {"score": score, "strong": score >= given["threshold"]} if "threshold" in given else score
