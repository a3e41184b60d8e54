"""What a peer (OpenClaw) kept about past recalls, as values: entries, phase signals, cursors and events.

Field by field as the peer keeps them (`docs/formats.md` names ours), already bounded: a store may come from a stranger.

A line of MEMORY.md as OpenClaw writes it when it promotes one: a marker above it, its numbers behind its words.

Ground floor: who reads MEMORY.md takes the words without the numbers, who writes it in the `append` shape adds them, and
the promises look at the words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from types import MappingProxyType
from typing import Any

from reverie.workspace.concepts import query_hash

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


TITLE = "# Long-Term Memory"
HEADING = "Promoted From Short-Term Memory"
LONGEST_KEY = 120  # characters of a key that may stand in MEMORY.md; a longer one gives way to one by the words
_DAY_HEADING = re.compile(rf"{HEADING} \(\d{{4}}-\d{{2}}-\d{{2}}\)")
_MARK = re.compile(r"<!-- openclaw-memory-promotion:(?P<key>[^\s<>]{1,512}) -->")
_NUMBERS = re.compile(
    r"[ \t]*\[score=(?P<score>[\d.]+) (?:signals=(?P<signals>\d+) )?recalls=(?P<recalls>\d+) avg=(?P<average>[\d.]+)"
    r" source=(?P<source>[^\]\n]*)\]"
)
_TRIGGER = re.compile(r"[ \t]*<!-- trigger: (?P<tags>[^<>\n]*?) -->")
_IMPORTANCE = re.compile(r"[ \t]*<!-- importance: \d{1,2} -->")
_PROJECT = re.compile(r"[ \t]*<!-- project: [^<>\n]*? -->")
_BY_WORDS = re.compile(r"memory:(?:claim|grounded):[0-9a-f]{6,40}")
_LINES = re.compile(r":\d{1,7}:\d{1,7}(?::[0-9a-f]{6,40})?")
_TAG = re.compile(r"[^<>,\n]{1,64}")


@dataclass(frozen=True, slots=True)
class Promoted:
    """The numbers of a promoted line: its key in the recall store, its score, and what that rests on."""

    key: str
    score: float
    signals: int = 0
    recalls: int = 0
    average: float = 0.0
    tags: tuple[str, ...] = ()
    grounded: bool = False  # led in by old notes that a backfill looked at; no part of the line itself


def heading_of(day: date) -> str:
    """What the section of a night is called."""
    return f"{HEADING} ({day.isoformat()})"


def is_heading(text: str) -> bool:
    return bool(_DAY_HEADING.fullmatch(text))


def mark_of(key: str) -> str:
    """The comment above a promoted line."""
    return f"<!-- openclaw-memory-promotion:{key} -->"


def key_in(line: str) -> str:
    """The key that such a comment names; empty for any other line."""
    found = _MARK.fullmatch(line.strip())
    return found["key"] if found else ""


def is_key(key: str, paths: Iterable[str]) -> bool:
    """Whether a key may stand in a marker: one of the words alone, or of lines of these files.

    A store may come from a stranger, and what is not checked would be read by whoever reads MEMORY.md.
    """
    if not _MARK.fullmatch(mark_of(key)) or "--" in key or len(key) > LONGEST_KEY:
        return False
    placed = any(_LINES.fullmatch(key.removeprefix(f"memory:{path}")) for path in paths if f"memory:{path}:" in key)
    return placed or bool(_BY_WORDS.fullmatch(key))


def numbers_of(one: Promoted, place: str, *, before_2026_8: bool = False) -> str:
    """What stands behind the words: the peer's numbers, and since 2026.8 what its later recalls read."""

    score, counts = fixed(one.score, 3), f"recalls={one.recalls} avg={fixed(one.average, 3)}"
    if before_2026_8:
        return f"[score={score} {counts} source={closed(place)}]"
    return f"[score={score} signals={one.signals} {counts} source={closed(place)}] {remarks_of(one.tags, one.score)}"


def remarks_of(tags: Iterable[str], score: float, project: str = "") -> str:
    """What later recalls read: words that call the line up, how important it is, whose project it belongs to."""
    words = [tag for tag in tags if _TAG.fullmatch(tag) and "--" not in tag][:3]
    found = [f"<!-- trigger: {', '.join(words)} -->"] if words else []
    found.append(f"<!-- importance: {importance(score)} -->")
    if project:
        found.append(f"<!-- project: {project} -->")
    return " ".join(found)


def importance(score: float) -> int:
    """From 3 to 10: the tenths of the score, a half going up."""
    return min(10, max(3, int(score * 10 + 0.5)))


def closed(place: str) -> str:
    """A place as it stands between brackets."""
    return place.replace("]", "%5D")


def words_of(text: str) -> str:
    """A promoted line without its numbers and remarks; any other text as it is."""
    if "[score=" not in text or not _NUMBERS.search(text):
        return text
    for rule in (_NUMBERS, _TRIGGER, _IMPORTANCE, _PROJECT):
        text = rule.sub("", text)
    return text.rstrip()


def places_in(text: str) -> list[str]:
    """The places that the numbers of a line name as its source."""
    return [found["source"] for found in _NUMBERS.finditer(text)]


def triggers_in(text: str) -> list[str]:
    return [tag for found in _TRIGGER.finditer(text) for tag in found["tags"].split(", ")]


def read_back(line: str, above: str) -> Promoted | None:
    """The numbers of a line that was written with `numbers_of`, below its marker; None when it has none."""
    found, key = _NUMBERS.search(line), key_in(above)
    if found is None or not key:
        return None
    tags = tuple(triggers_in(line))
    counts = int(found["signals"] or 0), int(found["recalls"])
    return Promoted(key, float(found["score"]), *counts, float(found["average"]), tags)
