"""What an entry's recalls are worth, component by component, and what it still lacks. Pure arithmetic.

Under OpenClaw's profiles the numbers are its numbers. Under our own, relevance is the place among the others (a similarity
of 0.55 is much for one embedder and nothing for another), and the boost that light and REM leave behind changes the order
but never lets anything in: a phase that stages an entry has learned nothing new about it.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, datetime

from reverie.judge.contamination import is_blocked
from reverie.openclaw.counts import NO_GROUPS, Counted, counted, led_by_grounded, one_each
from reverie.openclaw.profiles import DEFAULT, OPENCLAW_2026_4, OPENCLAW_2026_9, Profile, Weights, weighted, with_gates
from reverie.workspace.recalls import PeerRecall, PeerSignal

__all__ = [
    "DEFAULT", "OPENCLAW_2026_4", "OPENCLAW_2026_9", "Components", "Gate", "Profile", "Scored", "Weights", "explained",
    "phase_boost", "ranked", "relevances", "scored", "weighted", "with_gates",
]  # fmt: skip

LIGHT_BOOST, REM_BOOST = 0.06, 0.09
BOOST_HALF_LIFE = 14.0
NEUTRAL = 0.5  # the relevance of what nobody searched for
DAILY_SCORE, SESSION_SCORE, GROUNDED_SCORE = 0.62, 0.58, 0.87  # what ingestion and backfill record, not similarity
_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Components:
    """The six parts of a score, each from 0 to 1."""

    frequency: float
    relevance: float
    diversity: float
    recency: float
    consolidation: float
    conceptual: float


@dataclass(frozen=True, slots=True)
class Gate:
    """One thing an entry must have, and how far it is from it; a negative margin is what it lacks."""

    name: str
    value: float
    threshold: float
    margin: float
    passed: bool


@dataclass(frozen=True, slots=True)
class Scored:
    """An entry, its score, and everything that went into it."""

    entry: PeerRecall
    components: Components
    weights: Weights
    base: float
    boost: float
    counted: Counted
    age_days: float
    gates: tuple[Gate, ...]

    @property
    def total(self) -> float:
        return self.base + self.boost

    @property
    def score(self) -> float:
        """The total as it is shown: never above one."""
        return _clamp(self.total)

    @property
    def grounded(self) -> bool:
        """Whether evidence of a backfill leads it."""
        return led_by_grounded(self.entry)

    @property
    def passed(self) -> bool:
        return all(gate.passed for gate in self.gates)


def frequency(signals: float) -> float:
    return _clamp(math.log1p(max(0.0, signals)) / math.log(11))


def diversity(distinct: int) -> float:
    return _clamp(distinct / 5)


def recency(age_days: float, half_life_days: float) -> float:
    if age_days < 0 or half_life_days <= 0:
        return 1.0
    return math.exp(-math.log(2) * age_days / half_life_days)


def consolidation(days: Sequence[date], grounded: int = 0) -> float:
    """How well it is spread over time: more days, further apart; a backfilled entry has its own measure."""
    spread = 0.0
    if len(days) == 1:
        spread = 0.2
    elif days:
        span = (max(days) - min(days)).days
        spread = _clamp(0.55 * _clamp(math.log(len(days)) / math.log(5)) + 0.45 * _clamp(span / 7))
    return max(spread, _clamp(grounded / 3))


def conceptual(tags: int) -> float:
    return _clamp(tags / 6)


def phase_boost(signal: PeerSignal | None, now: datetime) -> float:
    """What meetings in light and REM add, fading with a half-life of 14 days; 0.15 at most."""
    if signal is None:
        return 0.0
    light = LIGHT_BOOST * _meetings(signal.light) * _faded(signal.last_light, now)
    return light + REM_BOOST * _meetings(signal.rem) * _faded(signal.last_rem, now)


def _meetings(hits: int) -> float:
    return _clamp(math.log1p(max(0, hits)) / math.log(7))


def _faded(last: datetime | None, now: datetime) -> float:
    return 0.0 if last is None else recency(max(0.0, _days(last, now)), BOOST_HALF_LIFE)


def scored(
    entry: PeerRecall,
    signal: PeerSignal | None,
    profile: Profile,
    now: datetime,
    *,
    relevance: float | None = None,
    groups: Mapping[str, str] = NO_GROUPS,
) -> Scored:
    """One entry, scored. A profile that ranks relevance needs to be told it (`relevances`), else it is neutral."""
    count = counted(entry, profile, groups)
    age = max(0.0, _days(count.seen, now)) if count.seen else 0.0
    if profile.relevance == "average":
        relevance = entry.average
    components = Components(
        frequency=frequency(count.signals),
        relevance=NEUTRAL if relevance is None else _clamp(relevance),
        diversity=diversity(count.queries),
        recency=recency(age, profile.half_life_days),
        consolidation=consolidation(count.days, entry.grounded),
        conceptual=conceptual(len(entry.tags)),
    )
    base = sum(getattr(components, one.name) * getattr(profile.weights, one.name) for one in fields(Components))
    boost = _boost(signal, profile, count, now)
    gates = _gates(profile, count, age, base + boost if profile.boost_admits else base)
    return Scored(entry, components, profile.weights, base, boost, count, age, gates)


def _boost(signal: PeerSignal | None, profile: Profile, count: Counted, now: datetime) -> float:
    """Under our own profile meetings beyond the evidence do not count, and they fade from when it was last said."""
    if profile.boost_admits or signal is None:
        return phase_boost(signal, now)
    fresh = replace(
        signal,
        light=min(signal.light, count.signals),
        rem=min(signal.rem, count.signals),
        last_light=_earlier(signal.last_light, count.seen),
        last_rem=_earlier(signal.last_rem, count.seen),
    )
    return min(profile.most_boost, phase_boost(fresh, now))


def _earlier(one: datetime | None, other: datetime | None) -> datetime | None:
    return min(one, other) if one is not None and other is not None else one


def _gates(profile: Profile, count: Counted, age: float, total: float) -> tuple[Gate, ...]:
    gates = [
        _at_least("score", total, profile.min_score),
        _at_least("signals", count.signals, profile.min_signals),
        _at_least("queries", count.queries, profile.min_queries),
    ]
    if profile.max_age_days is not None:
        gates.append(Gate("age", age, profile.max_age_days, profile.max_age_days - age, age <= profile.max_age_days))
    return tuple(gates)


def _at_least(name: str, value: float, threshold: float) -> Gate:
    return Gate(name, value, threshold, value - threshold, value >= threshold)


def relevances(entries: Iterable[PeerRecall]) -> Mapping[str, float]:
    """By key, the place of each searched entry among those of its embedder: from 0.5 to 1, ties share theirs.

    Only the order of similarities goes in, so squeezing or stretching them all changes nothing.
    """
    averages: dict[str, dict[str, float]] = {}
    for entry in entries:
        if entry.recalls:
            averages.setdefault(entry.embedder, {})[entry.key] = _similarity(entry)
    found: dict[str, float] = {}
    for group in averages.values():
        order = sorted(group.values())
        for key, value in group.items():
            below, upto = bisect_left(order, value), bisect_right(order, value)
            found[key] = NEUTRAL + (1 - NEUTRAL) * (below + upto) / 2 / len(order)
    return found


def _similarity(entry: PeerRecall) -> float:
    """The average score of its searches alone, rounded so that ties survive arithmetic."""
    found = entry.searched
    if found is None:  # the peer keeps one sum: take out what ingestion and backfill are known to record
        fixed_score = SESSION_SCORE if "/session-corpus/" in entry.path else DAILY_SCORE
        found = entry.total_score - entry.daily * fixed_score - entry.grounded * GROUNDED_SCORE
    return round(found / entry.recalls, 9)


def explained(
    entries: Iterable[PeerRecall],
    signals: Mapping[str, PeerSignal],
    profile: Profile,
    now: datetime,
    *,
    include_promoted: bool = False,
    groups: Mapping[str, str] = NO_GROUPS,
) -> list[Scored]:
    """Every entry that may be considered at all, best first, whether or not it passes the gates."""
    allowed = [entry for entry in entries if not (profile.filters and is_blocked(entry))]
    if profile.counting == "contexts":
        allowed = one_each(allowed)
    places = relevances(allowed) if profile.relevance == "rank" else {}
    found = [
        scored(entry, signals.get(entry.key), profile, now, relevance=places.get(entry.key), groups=groups)
        for entry in allowed
        if include_promoted or entry.promoted is None
    ]
    return sorted(found, key=lambda one: (-one.score, -one.entry.recalls, one.entry.path))


def ranked(
    entries: Iterable[PeerRecall],
    signals: Mapping[str, PeerSignal],
    profile: Profile,
    now: datetime,
    *,
    include_promoted: bool = False,
    groups: Mapping[str, str] = NO_GROUPS,
) -> list[Scored]:
    """The candidates for promotion: those that pass every gate, best first, as many as the profile allows."""
    everything = explained(entries, signals, profile, now, include_promoted=include_promoted, groups=groups)
    return [one for one in everything if one.passed][: profile.limit]


def _days(then: datetime, now: datetime) -> float:
    return (now - then).total_seconds() / _DAY


def _clamp(value: float) -> float:
    return min(1.0, max(0.0, value))
