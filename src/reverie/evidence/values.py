"""What was said, as values: a claim, how often and where it was seen, and the evidence of a night.

A claim is known by its words, not by its lines. `evidence/` makes these values, `phases/` decide on them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType

from reverie.core.ports import Embedder
from reverie.text.terms import plain
from reverie.workspace.recalls import PeerRecall, PeerSignal
from reverie.workspace.values import Origin, Source, to_bytes


class Group(StrEnum):
    """Where a result comes from, as people are told."""

    MEMORY = "memory"
    ARCHIVE = "archive"
    CONTENT = "content"


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement with what it needs to be understood alone, and where it was read."""

    path: str
    first: int
    last: int
    text: str
    heading: str = ""
    parents: str = ""
    day: str = ""
    origin: str = Origin.OWNER.value
    group: str = Group.MEMORY.value

    @property
    def key(self) -> str:
        """The claim's name: its words and its parents', whatever the line."""
        return _key(f"{self.parents} {self.text}")

    @property
    def context(self) -> str:
        return " ".join(filter(None, (self.heading, self.parents)))

    @property
    def source(self) -> Source:
        return Source(self.path, self.first, self.last)


@lru_cache(maxsize=20_000)  # the checks of one night ask for the same keys a hundred thousand times
def _key(words: str) -> str:
    return hashlib.sha1(to_bytes(plain(words)), usedforsecurity=False).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Observed:
    """A claim with everything that is known about it: the days it was said, where, and who asked for it."""

    claim: Claim
    subject: str = ""  # the key of the first claim that says this, in these or other words
    days: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    recalls: int = 0
    queries: int = 0
    near: tuple[Claim, ...] = ()  # earlier claims about the same thing: what it may update, correct or repeat


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a night knows besides the files: what is new, how often it was seen, what was asked for."""

    fresh: tuple[Observed, ...] = ()  # claims of notes that no night has judged yet
    recalls: Mapping[str, PeerRecall] = field(default_factory=lambda: MappingProxyType({}))
    signals: Mapping[str, PeerSignal] = field(default_factory=lambda: MappingProxyType({}))
    embedder: Embedder | None = None
    trouble: str = ""  # what is missing, and why
    questions: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))  # what was asked, by its hash
    doubts: tuple[str, ...] = ()  # what a peer left behind and could not be read
