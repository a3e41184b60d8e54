"""The arithmetic of a peer's Active Memory (OpenClaw 2026.9.6): is memory asked for, and is a hit strong enough alone?

Small functions over words. `recalling` uses them to decide how much a message must have in common with a fact.
"""

from __future__ import annotations

import re

from reverie.terms import terms

STRONG = 0.65
ONE_WORD = 0.85
# Somebody asks for what was said, decided or known before. "Remind me to …" asks for a reminder instead.
_INTENT = re.compile(
    r"\b(?:do|did|can|could|don't) (?:you|we|i) (?:still )?(?:remember|recall)\b|\bremember (?:when|what|how|who|where|that|the)\b|\bremind me (?:what|who|when|where|how|which|why|of|about)\b"
    r"|\bwhat (?:did|was|were|had|have) (?:we|i|you|my|our|the)\b|\b(?:we|i|you) (?:talked|spoke|discussed|decided|agreed|said|mentioned|told)\b"
    r"|\b(?:last time|previously|earlier (?:we|you|i)|before (?:we|you|i)|in the past)\b|\bas (?:we|i) (?:said|discussed|agreed)\b|\bwhat(?:'s| is| are) my\b|\bwhere (?:did|do) (?:we|i)\b"
    r"|\b(?:recuerdas|te acuerdas|recuérdame (?:qué|quién|cuándo|dónde|cómo)|qué (?:decidimos|dijimos|acordamos)|la última vez)\b"
    r"|\b(?:erinnerst du dich|weißt du noch|was (?:haben|hatten) wir|letztes mal|hatten wir nicht)\b"
    r"|\b(?:te souviens-tu|tu te souviens|rappelle-moi (?:ce|qui|quand|où|comment)|qu'avons-nous|la dernière fois)\b"
    r"|\b(?:você lembra|lembra-te|o que decidimos|o que combinamos|da última vez)\b|\b(?:помнишь|напомни,? (?:что|кто|когда|где|как)|что мы решили|в прошлый раз)\b"
    r"|记得|记不记得|以前|之前|上次|上回|我们(?:说过|聊过|讨论过|定过|决定)|聊过|说过|提过|提到过|覚えて|思い出|以前|前回|前に(?:話|言)|기억|지난번|저번에|예전에|전에 (?:말|얘기)",
    re.I,
)
_PHRASES = re.compile(r"[,，;；\n|]+")


def asks_for_memory(message: str) -> bool:
    """Whether a message asks for what is known from before."""
    return _INTENT.search(message) is not None


def escalation(mode: str, message: str, *, strong: bool) -> str:
    """Why deep recall runs ("recall") or does not: mode-off, strong-lane-one-hit, no-recall-intent."""
    if mode == "off":
        return "mode-off"
    if mode == "always":
        return "recall"
    if strong:
        return "strong-lane-one-hit"
    return "recall" if asks_for_memory(message) else "no-recall-intent"


def trigger_score(message: str, triggers: str, search_score: float) -> float:
    """How well a message meets the phrases by which an entry wants to be found, and what a search made of it."""
    said = set(terms(message))
    best = max((_phrase(said, set(terms(phrase))) for phrase in _PHRASES.split(triggers)), default=0.0)
    return 0.8 * best + 0.2 * search_score


def _phrase(said: set[str], wanted: set[str]) -> float:
    overlap = len(said & wanted)
    if not overlap:
        return 0.0
    if len(wanted) == 1:
        return ONE_WORD
    return 0.8 * overlap / len(wanted) + 0.2 * min(1.0, overlap / 2)
