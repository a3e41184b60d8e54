"""How much evidence an entry has: signals, distinct questions, days of notes. The peer's way and ours.

The peer counts every reading of an unchanged note. We count what the world said, not how often we looked: each day whose
notes or conversations said it counts once, each question counts twice at most, a backfill counts once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

from reverie.openclaw.profiles import Profile
from reverie.text.terms import plain
from reverie.workspace.concepts import ingestion_hashes, noted_days
from reverie.workspace.recalls import PeerRecall

MOST_PER_QUESTION = 2  # the same question again is a habit; a third time it is a loop
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
    if profile.counting == "contexts":
        return _contexts(entry, groups)
    asked = len(entry.user_queries)
    if profile.diversity == "context":
        asked = max(len(entry.queries), len(entry.days))
    return Counted(entry.signals, asked, entry.days, entry.last_recalled)


def _contexts(entry: PeerRecall, groups: Mapping[str, str]) -> Counted:
    said = said_on(entry)
    grouped = len({groups.get(one, one) for one in questions(entry)})
    recalls = min(entry.recalls, MOST_PER_QUESTION * max(1, grouped))
    # Sweeps add days of their own to the list, so recalls vouch for no more days than there were recalls.
    others = [day for day in sorted(set(entry.days), reverse=True) if day not in said][: entry.recalls]
    return Counted(
        recalls + len(said) + min(entry.grounded, 1),
        grouped + len(said),
        tuple(sorted({*said, *others})),
        entry.last_recalled if entry.recalls or not said else _end_of(max(said)),
    )


def led_by_grounded(entry: PeerRecall) -> bool:
    """Whether old notes that a backfill looked at speak for an entry more than all that was asked and noted since."""
    return entry.grounded > entry.recalls + max(entry.daily, len(said_on(entry)))


def one_each(entries: Iterable[PeerRecall]) -> list[PeerRecall]:
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
        noted=tuple(sorted({*said_on(one), *said_on(other)})),
    )


def questions(entry: PeerRecall) -> frozenset[str]:
    """The hashes of real questions; stores before 2026.9.4 keep them among those made up for notes."""
    if entry.user_queries or not entry.recalls:
        return frozenset(entry.user_queries)
    return frozenset(entry.queries) - ingestion_hashes(*_window(entry))


def said_on(entry: PeerRecall) -> tuple[date, ...]:
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


def _end_of(day: date) -> datetime:
    """The last moment of a day: when the note was read does not matter, only that it was written by then."""
    return datetime.combine(day, time(23, 59, 59), UTC)


def _window(entry: PeerRecall) -> tuple[date, date]:
    moments = [one.date() for one in (entry.first_recalled, entry.last_recalled) if one is not None]
    known = sorted({*moments, *entry.days}) or [date(2026, 1, 1)]
    return known[0] - _BEFORE, known[-1] + timedelta(days=1)
