"""REM sleep: which themes keep coming back, and which entries might be lasting truths. Chooses and words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from reverie.judge.contamination import is_blocked
from reverie.openclaw.counts import counted
from reverie.openclaw.light import deduped, in_lookback
from reverie.openclaw.profiles import Profile
from reverie.workspace.recalls import PeerRecall, PeerSignal, fixed

LOOKBACK_DAYS = 7
LIMIT = 10
MIN_STRENGTH = 0.75
MIN_CONFIDENCE = 0.45
MOST_TRUTHS = 3
ALIKE = 0.88
NO_THEMES = "- No strong patterns surfaced."
NO_TRUTHS = "- No strong candidate truths surfaced."


@dataclass(frozen=True, slots=True)
class Theme:
    """A word that several entries share."""

    tag: str
    count: int
    strength: float
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Truth:
    """An entry that may be lasting, and how sure that is."""

    entry: PeerRecall
    confidence: float


@dataclass(frozen=True, slots=True)
class Preview:
    """What REM would say: the body of its block, and the truths it met."""

    lines: tuple[str, ...]
    truths: tuple[Truth, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(truth.entry.key for truth in self.truths)


def considered(
    entries: Sequence[PeerRecall],
    signals: Mapping[str, PeerSignal],
    profile: Profile,
    now: datetime,
    *,
    lookback_days: float = LOOKBACK_DAYS,
) -> tuple[PeerRecall, ...]:
    """What REM looks at: the last week; if light staged some of it that REM has not met, only that."""
    entries = [one for one in entries if in_lookback(one, profile, now, lookback_days)]
    if profile.before_2026_8:
        return tuple(entries)
    fresh = [one for one in entries if _awaits_rem(signals.get(one.key))]
    return tuple(fresh or entries)


def _awaits_rem(signal: PeerSignal | None) -> bool:
    if signal is None or signal.last_light is None or not signal.light:
        return False
    return signal.last_rem is None or signal.last_rem < signal.last_light


def tag_themes(
    entries: Sequence[PeerRecall], *, min_strength: float = MIN_STRENGTH, limit: int = LIMIT
) -> tuple[Theme, ...]:
    """The peer's themes: tags that many entries carry. Strongest first."""
    places: dict[str, list[str]] = {}
    for entry in entries:
        for tag in dict.fromkeys(entry.tags):
            places.setdefault(tag, []).append(entry.place)
    themes = [
        Theme(tag, len(found), min(1.0, 2 * len(found) / len(entries)), tuple(found[:3]))
        for tag, found in places.items()
    ]
    strong = [theme for theme in themes if theme.strength >= min_strength]
    return tuple(sorted(strong, key=lambda theme: (-theme.strength, -theme.count, theme.tag))[:limit])


def confidence(entry: PeerRecall, relevance: float | None = None) -> float:
    """How likely an entry is a lasting truth. `relevance` replaces the average score where similarity is ranked."""
    recalled = min(1.0, math.log1p(entry.recalls) / math.log(7))
    spread, rich = min(1.0, len(entry.days) / 3), min(1.0, len(entry.tags) / 6)
    average = entry.average if relevance is None else relevance
    return 0.45 * average + 0.25 * recalled + 0.20 * spread + 0.10 * rich


def truths(
    entries: Iterable[PeerRecall],
    profile: Profile,
    *,
    limit: int = LIMIT,
    relevances: Mapping[str, float] | None = None,
) -> tuple[Truth, ...]:
    """The few entries that may be lasting, surest first. Promoted ones are known already."""
    open_ones = [one for one in entries if one.promoted is None and not (profile.filters and is_blocked(one))]
    found = []
    for entry in deduped(open_ones, profile, ALIKE):
        place = relevances.get(entry.key, 0.5) if relevances is not None else None
        sure = confidence(entry, place)
        # Under our own rules one day is an event, whatever its score.
        often = profile.counting != "contexts" or counted(entry, profile).queries > 1
        if sure >= MIN_CONFIDENCE and often:
            found.append(Truth(entry, sure))
    found.sort(key=lambda truth: (-truth.confidence, -truth.entry.recalls))
    return tuple(found[: max(1, min(MOST_TRUTHS, limit))])


def preview(
    entries: Sequence[PeerRecall],
    profile: Profile,
    *,
    limit: int = LIMIT,
    min_strength: float = MIN_STRENGTH,
    themes: Sequence[str] | None = None,
    relevances: Mapping[str, float] | None = None,
) -> Preview:
    """The body of the REM Sleep block. `themes`, already worded, stand in for the peer's tag counts."""
    if themes is None:
        themes = theme_lines(tag_themes(entries, min_strength=min_strength, limit=limit))
    found = truths(entries, profile, limit=limit, relevances=relevances)
    lines = ["### Reflections", *(themes or [NO_THEMES]), "", "### Possible Lasting Truths"]
    lines += [truth_line(truth) for truth in found] or [NO_TRUTHS]
    return Preview(tuple(lines), found)


def theme_lines(themes: Iterable[Theme]) -> list[str]:
    lines: list[str] = []
    for theme in themes:
        lines += [
            f"- Theme: `{theme.tag}` kept surfacing across {theme.count} memories.",
            f"  - confidence: {fixed(theme.strength, 2)}",
            f"  - evidence: {', '.join(theme.evidence)}",
            "  - note: reflection",
        ]
    return lines


def truth_line(truth: Truth) -> str:
    snippet = truth.entry.snippet or "(no snippet captured)"
    return f"- {snippet} [confidence={fixed(truth.confidence, 2)} evidence={truth.entry.place}]"
