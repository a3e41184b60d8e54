"""Light and REM sleep: what came up lately, each thing once, and which themes and entries may last. Writes nothing.

How alike two snippets are is measured as the peer does, or in our way for every language, which never calls two snippets
alike that differ in a number or in a negation: those are two facts in nearly one sentence.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from reverie.judge.vetoes import is_blocked
from reverie.openclaw.score import Profile, counted, days_noted
from reverie.text.terms import denials, plain
from reverie.workspace.openclaw_format import PeerRecall, PeerSignal, fixed, is_short_term

_ASCII = re.compile(r"[a-z0-9_]+")
_HAN_KANA = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_CJK_RUN = re.compile(f"[{_HAN_KANA}\uac00-\ud7af\u1100-\u11ff]+")
_PLAIN_RUN = re.compile(f"[{_HAN_KANA}]+|[^\\s{_HAN_KANA}]+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def similarity(one: str, other: str, profile: Profile) -> float:
    """Jaccard over the words of both, from 0 to 1; texts without such words are alike only if they are equal."""
    if profile.ours and _substance(one) != _substance(other):
        return 0.0
    words, others = _words(one, profile), _words(other, profile)
    if not words or not others:
        return 1.0 if one.strip().lower() == other.strip().lower() else 0.0
    return len(words & others) / len(words | others)


def _words(text: str, profile: Profile) -> Set[str]:
    if profile.ours:
        return _every_word(text)
    lowered = text.lower()
    words = set(_ASCII.findall(lowered))
    return words if profile.before_2026_8 else words | _characters(lowered)


def _characters(text: str) -> set[str]:
    """Characters and pairs of characters of scripts that are written without spaces."""
    found: set[str] = set()
    for run in _CJK_RUN.findall(text):
        found.update(run, (run[i : i + 2] for i in range(len(run) - 1)))
    return found


@lru_cache(maxsize=2048)  # light compares each snippet with all others of its note
def _every_word(text: str) -> frozenset[str]:
    found: set[str] = set()
    for run in _PLAIN_RUN.findall(plain(text)):
        found.update(_characters(run) if _CJK_RUN.match(run) and not run.isascii() else {run})
    return frozenset(found)


@lru_cache(maxsize=2048)
def _substance(text: str) -> tuple[tuple[str, ...], int]:
    return tuple(sorted(_NUMBER.findall(text))), denials(text)


LIGHT_DAYS, LIGHT_LIMIT, LIGHT_ALIKE = 2, 100, 0.9
REM_DAYS, REM_LIMIT, REM_ALIKE = 7, 10, 0.88
MIN_STRENGTH, MIN_CONFIDENCE = 0.75, 0.45
MOST_TRUTHS = 3
REFLECTIONS, TRUTHS = "### Reflections", "### Possible Lasting Truths"
NO_THEMES = "- No strong patterns surfaced."
NO_TRUTHS = "- No strong candidate truths surfaced."


def staged(
    entries: Iterable[PeerRecall],
    signals: Mapping[str, PeerSignal],
    profile: Profile,
    now: datetime,
    *,
    lookback_days: float = LIGHT_DAYS,
    limit: int = LIGHT_LIMIT,
) -> tuple[PeerRecall, ...]:
    """What light stages: the entries of the last days, newest first, near-duplicates joined."""
    recent = [one for one in entries if in_lookback(one, profile, now, lookback_days)]
    if profile.filters:
        recent = [
            one
            for one in recent
            if not is_blocked(one) and is_short_term(one.path) and _is_news(one, signals.get(one.key), profile)
        ]
    recent.sort(key=lambda one: (-_stamp(one.last_recalled), -one.recalls))
    if profile.before_2026_8:
        recent = recent[:limit]
    return deduped(recent, profile, LIGHT_ALIKE)[:limit]


def in_lookback(entry: PeerRecall, profile: Profile, now: datetime, lookback_days: float) -> bool:
    """Whether any of its days, or its last recall, is recent; a reading of an old note is no news."""
    since = now - timedelta(days=lookback_days)
    days = days_noted(entry) if profile.ours and not entry.recalls else entry.days
    if any(_end_of_day(day) >= since for day in days):
        return True
    if not profile.before_2026_8 and not entry.recalls and not entry.grounded:
        return False
    return entry.last_recalled is not None and entry.last_recalled >= since


def _end_of_day(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1, milliseconds=-1)


def _is_news(entry: PeerRecall, signal: PeerSignal | None, profile: Profile) -> bool:
    """Whether it was recalled since light last staged it. Ours asks when it was last said, not last read."""
    if signal is None or signal.last_light is None:
        return True
    last = entry.last_recalled
    if profile.ours and not entry.recalls and (said := days_noted(entry)):
        last = min(_end_of_day(max(said)), last) if last else _end_of_day(max(said))
    return last is not None and last > signal.last_light


def deduped(entries: Iterable[PeerRecall], profile: Profile, alike: float) -> tuple[PeerRecall, ...]:
    """Each thing once: snippets of one note that are nearly the same are joined into the first of them."""
    found: list[PeerRecall] = []
    for entry in entries:
        for i, known in enumerate(found):
            if known.path == entry.path and similarity(known.snippet, entry.snippet, profile) >= alike:
                found[i] = _joined(known, entry)
                break
        else:
            found.append(entry)
    return tuple(found)


def _joined(one: PeerRecall, other: PeerRecall) -> PeerRecall:
    """The peer takes maxima and unites lists; what was counted by ingestion stays as it was."""
    return replace(
        one,
        recalls=max(one.recalls, other.recalls),
        total_score=max(one.total_score, other.total_score),
        max_score=max(one.max_score, other.max_score),
        last_recalled=max(one.last_recalled, other.last_recalled, key=_stamp),
        queries=tuple(dict.fromkeys((*one.queries, *other.queries))),
        user_queries=tuple(dict.fromkeys((*one.user_queries, *other.user_queries))),
        days=tuple(sorted({*one.days, *other.days})),
        tags=tuple(dict.fromkeys((*one.tags, *other.tags)))[:8],
    )


def _stamp(at: datetime | None) -> float:
    return at.timestamp() if at else 0.0


@dataclass(frozen=True, slots=True)
class TagTheme:
    """A tag that several entries share, as the peer counts them."""

    tag: str
    count: int
    strength: float
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Truth:
    """Something that may last, how sure that is, and where it stands."""

    key: str
    text: str
    confidence: float
    place: str


def considered(
    entries: Sequence[PeerRecall],
    signals: Mapping[str, PeerSignal],
    profile: Profile,
    now: datetime,
    *,
    lookback_days: float = REM_DAYS,
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


def tag_themes(entries: Sequence[PeerRecall]) -> tuple[TagTheme, ...]:
    """The peer's themes: tags that many entries carry. Strongest first."""
    places: dict[str, list[str]] = {}
    for entry in entries:
        for tag in dict.fromkeys(entry.tags):
            places.setdefault(tag, []).append(entry.place)
    themes = [
        TagTheme(tag, len(found), min(1.0, 2 * len(found) / len(entries)), tuple(found[:3]))
        for tag, found in places.items()
    ]
    strong = [theme for theme in themes if theme.strength >= MIN_STRENGTH]
    return tuple(sorted(strong, key=lambda theme: (-theme.strength, -theme.count, theme.tag))[:REM_LIMIT])


def confidence(entry: PeerRecall, relevance: float | None = None) -> float:
    """How likely an entry is a lasting truth. `relevance` replaces the average score where similarity is ranked."""
    recalled = min(1.0, math.log1p(entry.recalls) / math.log(7))
    spread, rich = min(1.0, len(entry.days) / 3), min(1.0, len(entry.tags) / 6)
    average = entry.average if relevance is None else relevance
    return 0.45 * average + 0.25 * recalled + 0.20 * spread + 0.10 * rich


def truths(
    entries: Iterable[PeerRecall], profile: Profile, relevances: Mapping[str, float] | None = None
) -> tuple[Truth, ...]:
    """The few entries that may be lasting, surest first. Promoted ones are known already."""
    open_ones = [one for one in entries if one.promoted is None and not (profile.filters and is_blocked(one))]
    found = []
    for entry in deduped(open_ones, profile, REM_ALIKE):
        sure = confidence(entry, relevances.get(entry.key, 0.5) if relevances is not None else None)
        # Under our own rules one day is an event, whatever its score.
        if sure >= MIN_CONFIDENCE and (not profile.ours or counted(entry, profile).queries > 1):
            found.append((sure, entry))
    found.sort(key=lambda one: (-one[0], -one[1].recalls))
    return tuple(Truth(entry.key, entry.snippet, sure, entry.place) for sure, entry in found[:MOST_TRUTHS])


def rem_body(entries: Sequence[PeerRecall], profile: Profile) -> tuple[list[str], tuple[Truth, ...]]:
    """The body of the peer's REM Sleep block, and the truths in it."""
    found = truths(entries, profile)
    return rem_lines(theme_lines(tag_themes(entries)), [truth_line(truth) for truth in found]), found


def rem_lines(themes: Sequence[str], truths: Sequence[str]) -> list[str]:
    """The two parts of REM, each with the peer's own words where there is nothing to tell."""
    return [REFLECTIONS, *(themes or [NO_THEMES]), "", TRUTHS, *(truths or [NO_TRUTHS])]


def theme_lines(themes: Iterable[TagTheme]) -> list[str]:
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
    text = truth.text or "(no snippet captured)"
    return f"- {text} [confidence={fixed(truth.confidence, 2)} evidence={truth.place}]"
