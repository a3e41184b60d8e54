"""What a peer (OpenClaw) kept about past recalls, as values: entries, phase signals, cursors and events.

Field by field as the peer keeps them (`docs/formats.md` names ours), already bounded: a store may come from a stranger.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from types import MappingProxyType
from typing import Any

from reverie.concepts import query_hash

MOST_HITS = 9_999  # where the peer's own counters stop


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class PeerOrigin:
    """Where the peer says a snippet came from."""

    origin_class: str = ""  # owner, agent, system, untrusted
    session_kind: str = "unknown"
    observed_at: datetime | None = None
    supersedes: str = ""


@dataclass(frozen=True, slots=True)
class PeerRecall:
    """One entry of the short-term recall store."""

    key: str
    path: str
    first: int
    last: int
    snippet: str  # redacted when read
    recalls: int = 0
    daily: int = 0
    grounded: int = 0
    total_score: float = 0.0
    max_score: float = 0.0
    first_recalled: datetime | None = None
    last_recalled: datetime | None = None
    promoted: datetime | None = None
    queries: tuple[str, ...] = ()
    user_queries: tuple[str, ...] = ()
    days: tuple[date, ...] = ()
    tags: tuple[str, ...] = ()
    claim: str = ""
    origin: PeerOrigin | None = None
    project: str = ""
    # Ours, not the peer's: None when nobody counted apart.
    searched: float | None = None  # the sum of scores that came from searches
    embedder: str = ""  # whose similarity those scores are
    noted: tuple[date, ...] | None = None  # the days of the notes and conversations that said it

    @property
    def signals(self) -> int:
        return self.recalls + self.daily + self.grounded

    @property
    def average(self) -> float:
        return min(1.0, max(0.0, self.total_score / max(1, self.signals)))

    @property
    def place(self) -> str:
        """Where it stands, as the peer writes it in its reports."""
        return f"{self.path}:{self.first}-{self.last}"


@dataclass(frozen=True, slots=True)
class PeerSignal:
    """How often light and REM met an entry."""

    key: str
    light: int = 0
    rem: int = 0
    last_light: datetime | None = None
    last_rem: datetime | None = None


def met(signal: PeerSignal | None, key: str, phase: str, at: datetime, *, once_a_night: bool = True) -> PeerSignal:
    """The signal after a phase met the entry. A second meeting in one night (less than 12 hours later) adds nothing."""
    old = signal or PeerSignal(key)
    last = old.last_light if phase == "light" else old.last_rem
    if once_a_night and last is not None and at - last < timedelta(hours=12):
        return old
    if phase == "light":
        return replace(old, light=min(MOST_HITS, old.light + 1), last_light=at)
    return replace(old, rem=min(MOST_HITS, old.rem + 1), last_rem=at)


def with_recalls(theirs: PeerRecall, ours: PeerRecall) -> PeerRecall:
    """An entry of the peer's with what we counted besides, each signal once: the two never count the same recall."""
    return replace(
        theirs,
        recalls=theirs.recalls + ours.recalls,
        daily=theirs.daily + ours.daily,
        grounded=theirs.grounded + ours.grounded,
        total_score=theirs.total_score + ours.total_score,
        max_score=max(theirs.max_score, ours.max_score),
        first_recalled=min(filter(None, (theirs.first_recalled, ours.first_recalled)), default=None),
        last_recalled=max(filter(None, (theirs.last_recalled, ours.last_recalled)), default=None),
        promoted=theirs.promoted or ours.promoted,
        queries=tuple(dict.fromkeys((*theirs.queries, *ours.queries))),
        user_queries=tuple(dict.fromkeys((*theirs.user_queries, *ours.user_queries))),
        days=tuple(sorted({*theirs.days, *ours.days})),
        tags=theirs.tags or ours.tags,
    )


def with_meetings(theirs: PeerSignal, ours: PeerSignal) -> PeerSignal:
    """How often light and REM met an entry, in the peer's nights and in ours."""
    return PeerSignal(
        theirs.key,
        min(MOST_HITS, theirs.light + ours.light),
        min(MOST_HITS, theirs.rem + ours.rem),
        max(filter(None, (theirs.last_light, ours.last_light)), default=None),
        max(filter(None, (theirs.last_rem, ours.last_rem)), default=None),
    )


def fixed(number: float, places: int) -> str:
    """A number with so many decimals, as the peer prints it: an exact half goes up."""
    return str(Decimal(number).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


@dataclass(frozen=True, slots=True)
class PeerEvent:
    """One line of the peer's event log; what it is about stands in `about`, as it was written."""

    kind: str
    at: datetime | None
    about: Mapping[str, Any] = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True)
class PeerState:
    """Everything a peer left behind for one workspace. What could not be read is named in `doubts`."""

    recalls: Mapping[str, PeerRecall] = field(default_factory=_nothing)
    signals: Mapping[str, PeerSignal] = field(default_factory=_nothing)
    daily: Mapping[str, Mapping[str, Any]] = field(default_factory=_nothing)  # cursors, by path of the note
    sessions: Mapping[str, Mapping[str, Any]] = field(default_factory=_nothing)  # cursors, by session
    seen: Mapping[str, frozenset[str]] = field(default_factory=_nothing)  # ids of messages, by session
    events: tuple[PeerEvent, ...] = ()
    doubts: tuple[str, ...] = ()
    store: str = ""  # where the entries come from, when they do not stand in the workspace's own file


def questions_in(state: PeerState) -> Mapping[str, str]:
    """What was asked, by its hash, in the order of asking."""
    asked = (event.about.get("query") for event in state.events if event.kind == "memory.recall.recorded")
    return {query_hash(text): text for text in asked if isinstance(text, str) and text.strip()}
