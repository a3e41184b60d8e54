"""A short-term memory, its six weighted signals, gates and boost: OpenClaw's arithmetic of 2026.4 and 2026.9, and our profile."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Annotated, Any, NamedTuple

import msgspec

from reverie.signals.tags import MOST_TAGS, concept_tags

_FADING = 14.0  # days in which a boost halves
MOST_QUESTIONS, MOST_DAYS = 32, 16
_MOST_HITS, _AGAIN, _LOOKED_AT = 9_999, timedelta(hours=12), 4_000
_FOREIGN = re.compile(
    r"<!--\s*openclaw-memory-(?:promotion|lineage):|\[score=[\d.]+ (?:signals=\d+ )?recalls=\d+ avg=[\d.]+ source=[^\]]{0,300}\]"
    r"|\A[\s#*>-]{0,20}conversation summary\s{0,9}:|pre-compaction memory flush|store durable memories (?:now|only in)"
    r"|dreaming-narrative-|write a dream diary entry from these memory fragments|\A(?=.*\bsession key\W)(?=.*\bsession id\W)"
    r"|\A[\s*>-]{0,20}(?:candidate|reflections?|theme)\s{0,9}:(?=.*\bconfidence\s{0,9}:\s{0,9}[\d.])(?=.*\bevidence\s{0,9}:\s{0,9}\S)"
    r"(?:(?=.*\bstatus\s{0,9}:\s{0,9}staged\b)(?=.*\brecalls\s{0,9}:\s{0,9}\d)|(?=.*\bnote\s{0,9}:\s{0,9}reflection\b))",
    re.I | re.S,
)
_TURN = re.compile(r"\s{0,20}(?:\[[^\]]{0,300}\]\s{0,9})?(?:user|assistant)\s{0,9}:", re.I)
_Count = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
_Line = Annotated[int, msgspec.Meta(ge=1, le=100_000_000)]
_Hash = Annotated[str, msgspec.Meta(max_length=64)]
_Hashes = Annotated[tuple[_Hash, ...], msgspec.Meta(max_length=MOST_QUESTIONS)]
Moment = Annotated[datetime, msgspec.Meta(tz=True)] | None
_NAMES = {
    "first": "startLine", "last": "endLine", "recalls": "recallCount", "daily": "dailyCount", "grounded": "groundedCount",
    "first_recalled": "firstRecalledAt", "last_recalled": "lastRecalledAt", "promoted": "promotedAt",
    "total_score": "totalScore", "max_score": "maxScore", "queries": "queryHashes", "user_queries": "userQueryHashes",
    "days": "recallDays", "tags": "conceptTags", "claim": "claimHash",
}  # fmt: skip
_HITS = {"light": "lightHits", "rem": "remHits", "last_light": "lastLightAt", "last_rem": "lastRemAt"}
changed = msgspec.structs.replace


class Entry(msgspec.Struct, frozen=True, rename=_NAMES):
    """A short-term memory, under OpenClaw's names on disk. One of our own holds no words: its line is found by `claim`."""

    path: Annotated[str, msgspec.Meta(max_length=1_024)]
    first: _Line  # from one
    last: _Line
    key: Annotated[str, msgspec.Meta(max_length=2_048)] = ""
    snippet: Annotated[str, msgspec.Meta(max_length=4_000)] = ""
    recalls: _Count = 0
    daily: _Count = 0
    grounded: _Count = 0
    total_score: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    max_score: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.0
    first_recalled: Moment = None
    last_recalled: Moment = None
    promoted: Moment = None
    queries: _Hashes = ()
    user_queries: _Hashes | None = None  # of real questions alone; None: from a time that did not tell them apart
    days: Annotated[tuple[date, ...], msgspec.Meta(max_length=MOST_DAYS)] = ()
    tags: Annotated[tuple[_Hash, ...], msgspec.Meta(max_length=MOST_TAGS)] = ()
    claim: _Hash = ""
    provenance: dict[str, Any] = {}
    source: str = "memory"

    @property
    def signals(self) -> int:
        return self.recalls + self.daily + self.grounded

    @property
    def average(self) -> float:
        return min(1.0, max(0.0, self.total_score / max(1, self.signals)))

    @property
    def asked(self) -> tuple[str, ...]:
        """The real questions that found it."""
        return (self.user_queries if self.user_queries is not None else () if self.daily or self.grounded else self.queries)  # fmt: skip

    @property
    def place(self) -> str:
        return f"{self.path}:{self.first}-{self.last}"

    def tagged(self) -> "Entry":
        """With its tags, where only its words say what it is about."""
        return self if self.tags or not self.snippet else changed(self, tags=concept_tags(self.path, self.snippet))


class Signal(msgspec.Struct, frozen=True, omit_defaults=True, rename=_HITS):
    """How often light and REM met an entry, and when they did last."""

    key: str = ""
    light: _Count = 0
    rem: _Count = 0
    last_light: Moment = None
    last_rem: Moment = None


def with_phase(signal: Signal | None, key: str, phase: str, at: datetime) -> Signal:
    """After a phase met the entry; a second meeting within 12 hours adds nothing."""
    old = signal or Signal(key)
    last = getattr(old, f"last_{phase}")
    if last is not None and at - last < _AGAIN:
        return old
    return changed(old, **{phase: min(_MOST_HITS, getattr(old, phase) + 1), f"last_{phase}": at})


def is_contaminated(text: str, *, is_transcript: bool = False) -> bool:
    """Whether a text is a dream's own, a prompt's or a turn of a conversation, and so no memory."""
    text = text[:_LOOKED_AT]
    return bool(_FOREIGN.search(text) or (not is_transcript and _TURN.match(text)))


def is_blocked(entry: Entry) -> bool:
    """Whether what its store says of it keeps it out."""
    is_theirs = entry.provenance.get("originClass", "owner") not in {"owner", "agent"}
    return is_theirs or is_contaminated(entry.snippet, is_transcript="/session-corpus/" in entry.path)


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
    boost_admits: bool = True  # otherwise light and REM change the order only: their boost feeds on itself
    days_count: bool = False  # a day on which notes said it counts like a question

    def with_gates(self, **asked: Any) -> "Profile":
        """What is missing, negative or no number leaves a gate as it was."""
        return replace(self, **{k: v for k, v in asked.items() if v is not None and math.isfinite(v) and v >= 0})


# Three fresh days without a question give 0.65, two 0.6: what was said on three days returns.
DEFAULT = Profile(name="default", min_score=0.6, boost_admits=False, days_count=True)
OPENCLAW_2026_4 = Profile(name="openclaw-2026.4", min_score=0.8, before_2026_8=True)
OPENCLAW_2026_9 = Profile(name="openclaw-2026.9", min_score=0.75)
PROFILES = {profile.name: profile for profile in (DEFAULT, OPENCLAW_2026_4, OPENCLAW_2026_9)}


class Components(NamedTuple):
    frequency: float = 0.24
    relevance: float = 0.30
    diversity: float = 0.15
    recency: float = 0.15
    consolidation: float = 0.10
    conceptual: float = 0.06


WEIGHTS = Components()


class Scored(NamedTuple):
    entry: Entry
    components: Components
    total: float  # with the boost, and not bounded
    boost: float
    queries: int
    age_days: float
    gates: dict[str, tuple[float, float, bool]]  # the value, the threshold, and whether it passes

    @property
    def score(self) -> float:
        return _share(self.total)

    @property
    def passes(self) -> bool:
        return all(passes for _, _, passes in self.gates.values())


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
    least = {"score": (value, profile.min_score), "recallCount": (entry.signals, profile.min_recall_count)}
    least |= {"uniqueQueries": (queries, profile.min_unique_queries)}
    gates = {name: (float(found), wanted, found >= wanted) for name, (found, wanted) in least.items()}
    gates |= {} if oldest is None else {"maxAge": (age, oldest, age <= oldest)}
    return Scored(entry, parts, base + boost, boost, queries, age, gates)


def ranked(
    entries: Iterable[Entry], signals: Mapping[str, Signal], profile: Profile, now: datetime, *, at_best: bool = False
) -> list[Scored]:
    """Everything that may be considered, best first, whether or not it passes the gates."""
    open_entries = (entry for entry in entries if not is_blocked(entry))
    found = (scored(e, signals.get(e.key), profile, now, at_best=at_best and not e.tags) for e in open_entries)
    return sorted(found, key=lambda found: (-found.score, -found.entry.recalls, found.entry.path))


def _days(then: datetime, now: datetime) -> float:
    return (now - then).total_seconds() / 86_400


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))
