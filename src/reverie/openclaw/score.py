"""What an entry of the recall store is worth, by OpenClaw's arithmetic of two generations (to the digit) or by our own. Pure.

The peer counts every reading of an unchanged note. We count what the world said, not how often we looked: each day whose
notes or conversations said it counts once, each question twice at most, paraphrases of a question once, a backfill once.
Relevance is then the place among the others (a similarity of 0.55 is much for one embedder and nothing for another), and the
boost that light and REM leave behind changes the order but never lets anything in.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from typing import ClassVar

from reverie.core.ports import Embedder
from reverie.judge.vetoes import is_blocked
from reverie.text.terms import asked, plain
from reverie.workspace.openclaw_format import PeerRecall, PeerSignal, ingestion_hashes, noted_days


@dataclass(frozen=True, slots=True)
class Components:
    """The six parts of a score, each from 0 to 1; or what each of them contributes."""

    frequency: float
    relevance: float
    diversity: float
    recency: float
    consolidation: float
    conceptual: float


WEIGHTS = Components(frequency=0.24, relevance=0.30, diversity=0.15, recency=0.15, consolidation=0.10, conceptual=0.06)


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """By whose rules a night is counted, and its gates."""

    name: str
    min_score: float
    min_signals: int = 3  # the peer calls it minRecallCount and compares it with all signals
    min_queries: int = 3
    half_life_days: float = 14.0
    max_age_days: float | None = 30.0
    limit: int | None = 10
    ours: bool = False  # our own way of counting and comparing, for every language
    before_2026_8: bool = False  # the older rules for paths, tags, chunks, words and distinct queries
    filters: bool = True  # contaminated snippets and blocked origins are left out


OPENCLAW_2026_4 = Profile(name="openclaw-2026.4", min_score=0.8, before_2026_8=True, filters=False)
OPENCLAW_2026_9 = Profile(name="openclaw-2026.9", min_score=0.75)
DEFAULT = Profile(
    name="default", min_score=0.5, ours=True
)  # relevance is a place here, so half is the middle of the field
PROFILES = {profile.name: profile for profile in (OPENCLAW_2026_4, OPENCLAW_2026_9, DEFAULT)}


def with_gates(profile: Profile, **asked: float | None) -> Profile:
    """The profile with other gates. What is missing, negative or no number leaves the gate as it was."""
    kept = {name: value for name, value in asked.items() if value is not None and math.isfinite(value) and value >= 0}
    return replace(profile, **kept)  # type: ignore[arg-type]


MOST_PER_QUESTION = 2  # the same question again is a habit; a third time it is a loop
_NEXT = timedelta(days=1)
_BEFORE = timedelta(days=60)  # a note may be older than its first reading
NO_GROUPS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Counted:
    """What an entry's evidence comes to under a profile."""

    signals: int
    queries: int  # what the gate for distinct queries compares, and what the diversity component counts
    days: tuple[date, ...]
    seen: datetime | None  # when the world last said it


def counted(entry: PeerRecall, profile: Profile, groups: Mapping[str, str] = NO_GROUPS) -> Counted:
    """Signals, distinct queries and days. `groups` maps a query hash to its group: paraphrases count once."""
    if profile.ours:
        return _our_count(entry, groups)
    queries = max(len(entry.queries), len(entry.days)) if profile.before_2026_8 else len(entry.user_queries)
    return Counted(entry.signals, queries, entry.days, entry.last_recalled)


def _our_count(entry: PeerRecall, groups: Mapping[str, str]) -> Counted:
    said = days_noted(entry)
    grouped = len({groups.get(one, one) for one in questions(entry)})
    recalls = min(entry.recalls, MOST_PER_QUESTION * max(1, grouped))
    # Sweeps add days of their own to the list, so recalls vouch for no more days than there were recalls.
    others = [day for day in sorted(set(entry.days), reverse=True) if day not in said][: entry.recalls]
    return Counted(
        recalls + len(said) + min(entry.grounded, 1),
        grouped + len(said),
        tuple(sorted({*said, *others})),
        entry.last_recalled if entry.recalls or not said else end_of(max(said)),
    )


def led_by_grounded(entry: PeerRecall) -> bool:
    """Whether old notes that a backfill looked at speak for an entry more than all that was asked and noted since."""
    return entry.grounded > entry.recalls + max(entry.daily, len(days_noted(entry)))


def each_once(entries: Iterable[PeerRecall]) -> list[PeerRecall]:
    """Each fact once, in the order of its first entry: what the peer keeps apart by place, joined by its words.

    The place and the key are those of the newest entry; what was promoted from one place is promoted.
    """
    found: dict[str, PeerRecall] = {}
    for entry in entries:
        words = plain(entry.snippet) or entry.key
        found[words] = _together(found[words], entry) if words in found else entry
    return list(found.values())


def _together(one: PeerRecall, other: PeerRecall) -> PeerRecall:
    older, newer = sorted((one, other), key=lambda entry: entry.last_recalled or datetime.min.replace(tzinfo=UTC))
    searched = None if one.searched is None or other.searched is None else one.searched + other.searched
    return replace(
        newer,
        recalls=one.recalls + other.recalls,
        daily=one.daily + other.daily,
        grounded=one.grounded + other.grounded,
        total_score=one.total_score + other.total_score,
        max_score=max(one.max_score, other.max_score),
        first_recalled=min(filter(None, (one.first_recalled, other.first_recalled)), default=None),
        promoted=older.promoted or newer.promoted,
        queries=tuple(dict.fromkeys((*older.queries, *newer.queries))),
        user_queries=tuple(dict.fromkeys((*older.user_queries, *newer.user_queries))),
        days=tuple(sorted({*one.days, *other.days})),
        tags=tuple(dict.fromkeys((*newer.tags, *older.tags)))[:8],
        searched=searched,
        noted=tuple(sorted({*days_noted(one), *days_noted(other)})),
    )


def questions(entry: PeerRecall) -> frozenset[str]:
    """The hashes of real questions; stores before 2026.9.4 keep them among those made up for notes."""
    if entry.user_queries or not entry.recalls:
        return frozenset(entry.user_queries)
    return frozenset(entry.queries) - ingestion_hashes(*_window(entry))


def days_noted(entry: PeerRecall) -> tuple[date, ...]:
    """The days on which something was written down that says this, however often it was read since."""
    if entry.noted is not None:
        return tuple(sorted(set(entry.noted)))
    days = tuple(sorted(set(entry.days)))
    if not entry.daily:
        return ()
    if not entry.queries:
        return days[: entry.daily]
    if found := noted_days(entry.queries, *_window(entry)):
        return tuple(sorted(found))
    # Hashes we cannot open: each that no person asked is one source, and there is at least one.
    strange = len(set(entry.queries) - set(entry.user_queries)) if not entry.recalls else 1
    return days[: min(entry.daily, max(1, strange))]


def end_of(day: date) -> datetime:
    """The last moment of a day: when the note was read does not matter, only that it was written by then."""
    return datetime.combine(day, time(23, 59, 59), UTC)


def _window(entry: PeerRecall) -> tuple[date, date]:
    moments = [one.date() for one in (entry.first_recalled, entry.last_recalled) if one is not None]
    known = sorted({*moments, *entry.days}) or [date(2026, 1, 1)]
    return max(known[0], date.min + _BEFORE) - _BEFORE, min(known[-1], date.max - _NEXT) + _NEXT


MOST_QUESTIONS = 400  # the newest are compared with each other
SAME_QUESTION = 0.6  # of their words, from which two questions are one
SAME_MEANING = 0.85  # by the embedder


def groups_for(entries: Iterable[PeerRecall], texts: Mapping[str, str], embedder: Embedder | None) -> Mapping[str, str]:
    """The groups of the questions behind these entries; an entry with one question has nothing to group."""
    wanted = {one for entry in entries if entry.recalls and len(its := questions(entry)) > 1 for one in its}
    return question_groups({key: text for key, text in texts.items() if key in wanted}, embedder)


def question_groups(texts: Mapping[str, str], embedder: Embedder | None) -> Mapping[str, str]:
    """By the hash of a question, the hash of the first that asked the same. `texts` are in the order of asking."""
    newest = dict(islice(texts.items(), max(0, len(texts) - MOST_QUESTIONS), None))
    if len(newest) < 2:
        return {}
    rows = embedder.embed(list(newest.values())) if embedder else None
    firsts: list[tuple[int, str, frozenset[str]]] = []
    groups: dict[str, str] = {}
    for number, (key, text) in enumerate(newest.items()):
        words = frozenset(asked(text))
        same = next(
            (
                first
                for at, first, known in firsts
                if _alike(words, known) or (rows is not None and float((rows[number] * rows[at]).sum()) >= SAME_MEANING)
            ),
            None,
        )
        if same is None:
            firsts.append((number, key, words))
        groups[key] = same or key
    return groups


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one | other) and len(one & other) >= SAME_QUESTION * len(one | other)


LIGHT_BOOST, REM_BOOST = 0.06, 0.09
OUR_MOST_BOOST = 0.05
BOOST_HALF_LIFE = 14.0
NEUTRAL = 0.5  # the relevance of what nobody searched for
DAILY_SCORE, SESSION_SCORE, GROUNDED_SCORE = 0.62, 0.58, 0.87  # what ingestion and backfill record, not similarity
_DAY = 86_400.0


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
    base: float
    boost: float
    counted: Counted
    age_days: float
    gates: tuple[Gate, ...]
    weights: ClassVar[Components] = WEIGHTS

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
    """One entry, scored. Ours takes the relevance from `relevances`; without one it is neutral."""
    count = counted(entry, profile, groups)
    age = max(0.0, _days(count.seen, now)) if count.seen else 0.0
    if not profile.ours:
        relevance = entry.average
    components = Components(
        frequency=frequency(count.signals),
        relevance=NEUTRAL if relevance is None else _clamp(relevance),
        diversity=diversity(count.queries),
        recency=recency(age, profile.half_life_days),
        consolidation=consolidation(count.days, entry.grounded),
        conceptual=conceptual(len(entry.tags)),
    )
    base = sum(getattr(components, one.name) * getattr(WEIGHTS, one.name) for one in fields(Components))
    boost = _boost(signal, profile, count, now)
    gates = _gates(profile, count, age, base if profile.ours else base + boost)
    return Scored(entry, components, base, boost, count, age, gates)


def _boost(signal: PeerSignal | None, profile: Profile, count: Counted, now: datetime) -> float:
    """Under our own profile meetings beyond the evidence do not count, and they fade from when it was last said."""
    if not profile.ours or signal is None:
        return phase_boost(signal, now)
    fresh = replace(
        signal,
        light=min(signal.light, count.signals),
        rem=min(signal.rem, count.signals),
        last_light=_earlier(signal.last_light, count.seen),
        last_rem=_earlier(signal.last_rem, count.seen),
    )
    return min(OUR_MOST_BOOST, phase_boost(fresh, now))


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


def reading_score(path: str) -> float:
    """What a line is worth to the peer that was read and never asked for."""
    return SESSION_SCORE if "/session-corpus/" in path else DAILY_SCORE


def _similarity(entry: PeerRecall) -> float:
    """The average score of its searches alone, rounded so that ties survive arithmetic."""
    found = entry.searched
    if found is None:  # the peer keeps one sum: take out what ingestion and backfill are known to record
        found = entry.total_score - entry.daily * reading_score(entry.path) - entry.grounded * GROUNDED_SCORE
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
    if profile.ours:
        allowed = each_once(allowed)
    places = relevances(allowed) if profile.ours else {}
    found = [
        scored(entry, signals.get(entry.key), profile, now, relevance=places.get(entry.key), groups=groups)
        for entry in allowed
        if include_promoted or entry.promoted is None
    ]
    return sorted(found, key=lambda one: (-one.score, -one.entry.recalls, one.entry.path))


def _days(then: datetime, now: datetime) -> float:
    return (now - then).total_seconds() / _DAY


def _clamp(value: float) -> float:
    return min(1.0, max(0.0, value))
