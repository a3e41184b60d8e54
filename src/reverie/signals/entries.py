"""What was recalled, how often and when: one short-term memory, what the phases met of it, and what is none."""

import re
from datetime import date, datetime, timedelta
from typing import Annotated, Any

import msgspec

from reverie.signals.tags import MOST_TAGS, concept_tags

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


class Entry(msgspec.Struct, frozen=True, omit_defaults=True, rename=_NAMES):
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
        return (
            self.user_queries if self.user_queries is not None else () if self.daily or self.grounded else self.queries
        )

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


def met(signal: Signal | None, key: str, phase: str, at: datetime) -> Signal:
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
