"""How alike two snippets are, by the words they share. The peer's measures, and ours for every language.

Ours never calls two snippets alike that differ in a number or in a negation: those are two facts in nearly one sentence.

Light sleep: what came up lately, each thing once. Chooses and words; writes nothing.

REM sleep: which themes keep coming back, and which entries might be lasting truths. Chooses and words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from reverie.judge.vetoes import is_blocked
from reverie.openclaw.score import Profile, counted, said_on
from reverie.text.comparing import denials
from reverie.text.terms import plain
from reverie.workspace.openclaw_format import PeerRecall, PeerSignal, fixed, is_short_term

_ASCII = re.compile(r"[a-z0-9_]+")
_HAN_KANA = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_CJK_RUN = re.compile(f"[{_HAN_KANA}\uac00-\ud7af\u1100-\u11ff]+")
_PLAIN_RUN = re.compile(f"[{_HAN_KANA}]+|[^\\s{_HAN_KANA}]+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def similarity(one: str, other: str, profile: Profile) -> float:
    """Jaccard over the words of both, from 0 to 1; texts without such words are alike only if they are equal."""
    if profile.any_language and _differ_in_substance(one, other):
        return 0.0
    words, others = _words(one, profile), _words(other, profile)
    if not words or not others:
        return 1.0 if one.strip().lower() == other.strip().lower() else 0.0
    return len(words & others) / len(words | others)


def _words(text: str, profile: Profile) -> Set[str]:
    if profile.any_language:
        return _every_word(text)
    lowered = text.lower()
    words = set(_ASCII.findall(lowered))
    return words if profile.ascii_only else words | _characters(lowered)


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


def _differ_in_substance(one: str, other: str) -> bool:
    return _substance(one) != _substance(other)


@lru_cache(maxsize=2048)
def _substance(text: str) -> tuple[tuple[str, ...], int]:
    return tuple(sorted(_NUMBER.findall(text))), denials(text)


LIGHT_DAYS = 2
LIGHT_LIMIT = 100
LIGHT_ALIKE = 0.9
TOLD = 0.35  # how much of an entry a diary must share to have told it already
DIARIES = 4
EMPTY = "- No notable updates."


def staged(
    entries: Iterable[PeerRecall],
    signals: Mapping[str, PeerSignal],
    profile: Profile,
    now: datetime,
    *,
    lookback_days: float = LIGHT_DAYS,
    limit: int = LIGHT_LIMIT,
    alike: float = LIGHT_ALIKE,
    diary: Sequence[str] = (),
) -> tuple[PeerRecall, ...]:
    """The entries of the last days, newest first, near-duplicates joined, those already told in the diary last."""
    recent = [one for one in entries if in_lookback(one, profile, now, lookback_days)]
    if profile.filters:
        recent = [
            one
            for one in recent
            if not is_blocked(one) and is_short_term(one.path) and _is_news(one, signals.get(one.key), profile)
        ]
    recent.sort(key=lambda one: (-_stamp(one.last_recalled), -one.recalls))
    if profile.before_2026_8:
        return deduped(recent[:limit], profile, alike)
    found = deduped(recent, profile, alike)
    told = [one for one in found if _is_told(one.snippet, diary[-DIARIES:], profile)]
    return (*(one for one in found if one not in told), *told)[:limit]


def in_lookback(entry: PeerRecall, profile: Profile, now: datetime, lookback_days: float) -> bool:
    """Whether any of its days, or its last recall, is recent; a reading of an old note is no news."""
    since = now - timedelta(days=lookback_days)
    days = entry.days
    if profile.counting == "contexts" and not entry.recalls:
        days = said_on(entry)
    if any(end_of_day(day) >= since for day in days):
        return True
    if not profile.before_2026_8 and not entry.recalls and not entry.grounded:
        return False
    return entry.last_recalled is not None and entry.last_recalled >= since


def end_of_day(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1, milliseconds=-1)


def _is_news(entry: PeerRecall, signal: PeerSignal | None, profile: Profile) -> bool:
    """Whether it was recalled since light last staged it. Ours asks when it was last said, not last read."""
    if signal is None or signal.last_light is None:
        return True
    last = entry.last_recalled
    if profile.counting == "contexts" and not entry.recalls and (said := said_on(entry)):
        last = min(end_of_day(max(said)), last) if last else end_of_day(max(said))
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
    later = max(one, other, key=lambda entry: _stamp(entry.last_recalled))
    return replace(
        one,
        recalls=max(one.recalls, other.recalls),
        total_score=max(one.total_score, other.total_score),
        max_score=max(one.max_score, other.max_score),
        last_recalled=later.last_recalled,
        queries=tuple(dict.fromkeys((*one.queries, *other.queries))),
        user_queries=tuple(dict.fromkeys((*one.user_queries, *other.user_queries))),
        days=tuple(sorted({*one.days, *other.days})),
        tags=tuple(dict.fromkeys((*one.tags, *other.tags)))[:8],
    )


def _is_told(snippet: str, diary: Sequence[str], profile: Profile) -> bool:
    wanted = " ".join(snippet.lower().split())
    return any(wanted in " ".join(told.lower().split()) or similarity(snippet, told, profile) >= TOLD for told in diary)


def light_lines(entries: Iterable[PeerRecall]) -> list[str]:
    """The body of the Light Sleep block."""
    lines: list[str] = []
    for entry in entries:
        lines += [
            f"- Candidate: {entry.snippet or '(no snippet captured)'}",
            f"  - confidence: {fixed(entry.average, 2)}",
            f"  - evidence: {entry.place}",
            f"  - recalls: {entry.recalls}",
            "  - status: staged",
        ]
    return lines or [EMPTY]


def _stamp(at: datetime | None) -> float:
    return at.timestamp() if at else 0.0


REM_DAYS = 7
REM_LIMIT = 10
MIN_STRENGTH = 0.75
MIN_CONFIDENCE = 0.45
MOST_TRUTHS = 3
REM_ALIKE = 0.88
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


def tag_themes(
    entries: Sequence[PeerRecall], *, min_strength: float = MIN_STRENGTH, limit: int = REM_LIMIT
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
    limit: int = REM_LIMIT,
    relevances: Mapping[str, float] | None = None,
) -> tuple[Truth, ...]:
    """The few entries that may be lasting, surest first. Promoted ones are known already."""
    open_ones = [one for one in entries if one.promoted is None and not (profile.filters and is_blocked(one))]
    found = []
    for entry in deduped(open_ones, profile, REM_ALIKE):
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
    limit: int = REM_LIMIT,
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
