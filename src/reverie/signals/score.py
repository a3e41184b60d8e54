"""Six weighted signals, gates and a boost: OpenClaw's arithmetic of 2026.4 and 2026.9, and the profile of ours, as values."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, NamedTuple

from reverie.signals.entries import Entry, Signal, is_blocked
from reverie.signals.tags import MOST_TAGS

_FADING = 14.0  # days in which a boost halves


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    name: str
    min_score: float
    min_recall_count: int = 3  # compared with all signals, whatever its name
    min_unique_queries: int = 3
    half_life_days: float = 14.0
    max_age_days: float | None = 30.0
    limit: int | None = 10
    before_2026_8: bool = False  # older paths, tags, words; distinct are the larger of questions and days
    filters: bool = True
    boost_admits: bool = (
        True  # otherwise light and REM change the order and let nothing in: their boost feeds on itself
    )
    days_count: bool = False  # a day on which notes said it counts like a question


# Three fresh days without a question give 0.65, two 0.6: what was said on three days returns.
DEFAULT = Profile(name="default", min_score=0.6, boost_admits=False, days_count=True)
OPENCLAW_2026_4 = Profile(name="openclaw-2026.4", min_score=0.8, before_2026_8=True, filters=False)
OPENCLAW_2026_9 = Profile(name="openclaw-2026.9", min_score=0.75)
PROFILES = {profile.name: profile for profile in (DEFAULT, OPENCLAW_2026_4, OPENCLAW_2026_9)}


def with_gates(profile: Profile, **asked: Any) -> Profile:
    """What is missing, negative or no number leaves a gate as it was."""
    return replace(profile, **{k: v for k, v in asked.items() if v is not None and math.isfinite(v) and v >= 0})


class Components(NamedTuple):
    frequency: float = 0.24
    relevance: float = 0.30
    diversity: float = 0.15
    recency: float = 0.15
    consolidation: float = 0.10
    conceptual: float = 0.06


WEIGHTS = Components()


class Gate(NamedTuple):
    name: str
    value: float
    threshold: float
    passed: bool


class Scored(NamedTuple):
    entry: Entry
    components: Components
    total: float  # with the boost, and not bounded
    boost: float
    queries: int
    age_days: float
    gates: tuple[Gate, ...]

    @property
    def score(self) -> float:
        return _share(self.total)

    @property
    def passes(self) -> bool:
        return all(gate.passed for gate in self.gates)


def frequency(signals: float) -> float:
    return _share(math.log1p(max(0.0, signals)) / math.log(11))


def recency(age_days: float, half_life_days: float) -> float:
    return 1.0 if age_days < 0 or half_life_days <= 0 else math.exp(-math.log(2) * age_days / half_life_days)


def consolidation(days: Sequence[date], grounded: int = 0) -> float:
    spread = 0.2 if len(days) == 1 else 0.0
    if len(days) > 1:
        span = (max(days) - min(days)).days
        spread = _share(0.55 * _share(math.log(len(days)) / math.log(5)) + 0.45 * _share(span / 7))
    return max(spread, _share(grounded / 3))


def conceptual(tags: int) -> float:
    return _share(tags / 6)


def phase_boost(signal: Signal | None, now: datetime) -> float:
    def part(weight: float, hits: int, last: datetime | None) -> float:
        faded = recency(max(0.0, _days(last, now)), _FADING) if last else 0.0
        return weight * _share(math.log1p(max(0, hits)) / math.log(7)) * faded

    return part(0.06, signal.light, signal.last_light) + part(0.09, signal.rem, signal.last_rem) if signal else 0.0


def scored(entry: Entry, signal: Signal | None, profile: Profile, now: datetime, *, at_best: bool = False) -> Scored:
    """An entry with its parts and gates; `at_best` as if it had all tags, where nobody has read its words yet."""
    by_days = profile.before_2026_8 or profile.days_count
    queries = max(len(entry.queries), len(entry.days)) if by_days else len(entry.asked)
    age = max(0.0, _days(entry.last_recalled, now)) if entry.last_recalled else 0.0
    tags = MOST_TAGS if at_best else len(entry.tags)
    spread, fresh = consolidation(entry.days, entry.grounded), recency(age, profile.half_life_days)
    parts = Components(frequency(entry.signals), entry.average, _share(queries / 5), fresh, spread, conceptual(tags))
    base, boost = sum(part * weight for part, weight in zip(parts, WEIGHTS, strict=True)), phase_boost(signal, now)
    value, oldest = base + boost * profile.boost_admits, profile.max_age_days
    gates = (
        Gate("score", value, profile.min_score, value >= profile.min_score),
        Gate("recallCount", entry.signals, profile.min_recall_count, entry.signals >= profile.min_recall_count),
        Gate("uniqueQueries", queries, profile.min_unique_queries, queries >= profile.min_unique_queries),
        *([Gate("maxAge", age, oldest, age <= oldest)] if oldest is not None else []),
    )
    return Scored(entry, parts, base + boost, boost, queries, age, gates)


def ranked(
    entries: Iterable[Entry], signals: Mapping[str, Signal], profile: Profile, now: datetime, *, at_best: bool = False
) -> list[Scored]:
    """Everything that may be considered, best first, whether or not it passes the gates."""
    open_entries = (entry for entry in entries if not (profile.filters and is_blocked(entry)))
    found = (scored(e, signals.get(e.key), profile, now, at_best=at_best and not e.tags) for e in open_entries)
    return sorted(found, key=lambda found: (-found.score, -found.entry.recalls, found.entry.path))


def _days(then: datetime, now: datetime) -> float:
    return (now - then).total_seconds() / 86_400


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))
