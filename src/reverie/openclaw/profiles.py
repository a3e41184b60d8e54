"""By whose rules a night is counted: OpenClaw's of two generations, to the digit, and our own.

A profile is a value; every function that ranks, stages or reports takes one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What each component contributes. They always sum to one."""

    frequency: float = 0.24
    relevance: float = 0.30
    diversity: float = 0.15
    recency: float = 0.15
    consolidation: float = 0.10
    conceptual: float = 0.06


def weighted(**asked: float) -> Weights:
    """Weights with some of them asked for: negatives count as nothing, the rest is scaled to one."""
    names = [one.name for one in fields(Weights)]
    raw = {name: asked.get(name, getattr(Weights(), name)) for name in names}
    positive = {name: value if math.isfinite(value) and value > 0 else 0.0 for name, value in raw.items()}
    total = sum(positive.values())
    return Weights(**{name: value / total for name, value in positive.items()}) if total else Weights()


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Gates, weights and manners of one way of counting."""

    name: str
    min_score: float
    min_signals: int = 3  # the peer calls it minRecallCount and compares it with all signals
    min_queries: int = 3
    half_life_days: float = 14.0
    max_age_days: float | None = 30.0
    limit: int | None = 10
    weights: Weights = Weights()
    most_boost: float = 0.15
    counting: str = "all"  # "contexts": each source bounded, questions grouped, a note read twice counts once
    diversity: str = "asked"  # "context": queries or days, whichever is more; "contexts": questions and days of notes
    relevance: str = "average"  # "rank": the place among the others of the same embedder
    boost_admits: bool = True  # whether the phase boost may lift an entry over the score gate
    filters: bool = True  # contaminated snippets and blocked origins are left out
    before_2026_8: bool = False  # the older rules for paths, tags, chunks, signals in promoted lines
    ascii_only: bool = False  # similarity sees ASCII words only
    any_language: bool = False  # similarity sees the words of every script, and never joins what differs in a number
    snippet_limit: int | None = 640  # UTF-16 units of a promoted line: 160 tokens of 4

    def __post_init__(self) -> None:
        known = {
            "counting": ("all", "contexts"),
            "diversity": ("asked", "context", "contexts"),
            "relevance": ("average", "rank"),
        }
        for name, allowed in known.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} is {getattr(self, name)!r}; it can be {', '.join(allowed)}.")


OPENCLAW_2026_4 = Profile(
    name="openclaw-2026.4",
    min_score=0.8,
    diversity="context",
    filters=False,
    before_2026_8=True,
    ascii_only=True,
    snippet_limit=None,
)
OPENCLAW_2026_9 = Profile(name="openclaw-2026.9", min_score=0.75)
DEFAULT = Profile(
    name="default",
    min_score=0.5,  # relevance is a place among others here, so half is the middle of the field
    counting="contexts",
    diversity="contexts",
    relevance="rank",
    most_boost=0.05,
    boost_admits=False,
    any_language=True,
)
PROFILES = {profile.name: profile for profile in (OPENCLAW_2026_4, OPENCLAW_2026_9, DEFAULT)}


def with_gates(
    profile: Profile,
    *,
    min_score: float | None = None,
    min_signals: int | None = None,
    min_queries: int | None = None,
    half_life_days: float | None = None,
    max_age_days: float | None = None,
    limit: int | None = None,
) -> Profile:
    """The profile with other gates. What is missing, negative or no number leaves the gate as it was."""
    asked: dict[str, float | int | None] = {
        "min_score": min_score,
        "min_signals": min_signals,
        "min_queries": min_queries,
        "half_life_days": half_life_days,
        "max_age_days": max_age_days,
        "limit": limit,
    }
    kept = {name: value for name, value in asked.items() if value is not None and math.isfinite(value) and value >= 0}
    return replace(profile, **kept)  # type: ignore[arg-type]
