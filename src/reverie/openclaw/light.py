"""Light sleep: what came up lately, each thing once. Chooses and words; writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from reverie.judge.contamination import is_blocked
from reverie.openclaw.counts import said_on
from reverie.openclaw.profiles import Profile
from reverie.openclaw.similar import similarity
from reverie.workspace.concepts import is_short_term
from reverie.workspace.recalls import PeerRecall, PeerSignal, fixed

LOOKBACK_DAYS = 2
LIMIT = 100
ALIKE = 0.9
TOLD = 0.35  # how much of an entry a diary must share to have told it already
DIARIES = 4
EMPTY = "- No notable updates."


def staged(
    entries: Iterable[PeerRecall],
    signals: Mapping[str, PeerSignal],
    profile: Profile,
    now: datetime,
    *,
    lookback_days: float = LOOKBACK_DAYS,
    limit: int = LIMIT,
    alike: float = ALIKE,
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
