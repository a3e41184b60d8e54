"""What was said, as values: a claim, how often and where it was seen, and the evidence of a night.

A claim is known by its words, not by its lines. `evidence/` makes these values, `phases/` decide on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from reverie.core.ports import Embedder
from reverie.workspace.recalls import PeerRecall, PeerSignal
from reverie.workspace.values import Source, Statement


@dataclass(frozen=True, slots=True)
class Observed:
    """A claim with everything that is known about it: the days it was said, where, and who asked for it."""

    claim: Statement
    subject: str = ""  # the key of the first claim that says this, in these or other words
    days: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    recalls: int = 0
    queries: int = 0
    near: tuple[Statement, ...] = ()  # earlier claims about the same thing: what it may update, correct or repeat


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
