"""Statements as evidence: redacted, self-contained, and known by their words instead of their lines.

A bullet alone often lacks its subject, so a claim carries the parents and headings above it; the same words on other days are
the same claim. What is kept here is what may be kept. One untrusted line never taints its file, because every claim has its
own origin. A night gets `Evidence`: what is new, how often it was said, who asked for it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from types import MappingProxyType
from typing import overload

from reverie.core.layout import VAULT, Kind
from reverie.core.ports import Embedder
from reverie.lang.lexicon import GLUED
from reverie.privacy.redact import DEFAULT_KINDS, redacted
from reverie.text.lines import clipped
from reverie.workspace.openclaw_format import PeerRecall, PeerSignal
from reverie.workspace.values import File, Group, Origin, Source, Statement, to_bytes

_KEPT = frozenset(
    {
        Kind.MEMORY,
        Kind.MEMORY_TOPIC,
        Kind.DAILY,
        Kind.SESSION,
        Kind.CLASSIFIED,
        Kind.TOPIC,
        Kind.KNOWLEDGE,
        Kind.CONTEXT,
        Kind.TEAM,
        Kind.LOG,
        Kind.CORPUS,
    }
)
_HIDDEN = frozenset({Origin.DREAM, Origin.RECALLED, Origin.TRANSPORT})  # own output and envelopes are never evidence
SPEAKER = r"(?P<who>User|Assistant|Guest)(?: \((?P<name>[^()\n]{1,120})\))?: "  # how a line of the corpus begins
_SPEAKER = re.compile(SPEAKER)
_WORD = re.compile(rf"[^\s{GLUED}]+")
OFTEN = 20  # times in one note, from which a frame is a machine's
LONGEST = 2_000  # characters of one claim that are kept; what is longer is a log, found by its beginning


def claims_of(file: File, kinds: frozenset[str] = DEFAULT_KINDS) -> Iterator[Statement]:
    """The claims of one file. Reports, diaries, state and the palace have none: own output is never evidence."""
    if file.path.startswith(VAULT):
        yield from _content_index(file, kinds)
    elif file.place.kind is Kind.CORPUS:
        yield from _corpus(file, kinds)
    else:
        yield from (_claim(entry, kinds) for entry in _stated(file))


def claims_when_looked_at(file: File, kinds: frozenset[str]) -> FileClaims:
    """The same claims, each made when somebody looks at it: hiding what must be hidden costs more than reading a file."""
    if file.path.startswith(VAULT) or file.place.kind is Kind.CORPUS:
        return FileClaims(list(claims_of(file, kinds)))
    return FileClaims(_stated(file), partial(_claim, kinds=kinds))


class FileClaims(Sequence[Statement]):
    """The claims of a file in their order; with `make`, each is made of its statement when somebody looks at it."""

    def __init__(self, statements: Iterable[Statement], make: Callable[[Statement], Statement] | None = None) -> None:
        self._claims = list(statements)
        self._make = make
        self._unmade = set(range(len(self._claims))) if make else set[int]()

    def __len__(self) -> int:
        return len(self._claims)

    @overload
    def __getitem__(self, at: int) -> Statement: ...
    @overload
    def __getitem__(self, at: slice) -> list[Statement]: ...
    def __getitem__(self, at: int | slice) -> Statement | list[Statement]:
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(len(self)))]
        if self._make and at in self._unmade:
            self._unmade.remove(at)
            self._claims[at] = self._make(self._claims[at])
        return self._claims[at]

    def from_line(self, first: int) -> Iterator[Statement]:
        """All of them, those that begin nearest to this line first."""
        for place in sorted(range(len(self)), key=lambda place: abs(self._claims[place].first - first)):
            yield self[place]


def _stated(file: File) -> list[Statement]:
    if file.place.kind not in _KEPT and file.path.lower() != "user.md":
        return []
    return [entry for entry in file.entries if entry.origin not in _HIDDEN and entry.text.strip()]


def _claim(entry: Statement, kinds: frozenset[str]) -> Statement:
    text, *names = (_kept(part, kinds) for part in (entry.text, *entry.headings[-2:], *entry.parents))
    above = len(entry.headings[-2:])
    return replace(entry, text=text[:LONGEST], headings=tuple(names[:above]), parents=tuple(names[above:]))


@lru_cache(maxsize=16_384)  # a heading stands above many lines, and a night makes the claims of a new note twice
def _kept(text: str, kinds: frozenset[str]) -> str:
    """Redacted, and with bytes that are no text shown as such: an index can only hold Unicode."""
    return redacted(to_bytes(text).decode("utf-8", "replace"), kinds)


def _corpus(file: File, kinds: frozenset[str]) -> Iterator[Statement]:
    """Lines of a day's session corpus: `[agent/session#L12] User: text`, redacted when they were written."""
    day = file.place.day.isoformat() if file.place.day else ""
    for number, line in enumerate(file.text.split("\n"), 1):
        envelope, _, said = line.rstrip("\r").partition("] ")
        if envelope.startswith("[") and said.strip():
            lead = _SPEAKER.match(said)
            origin, sender = spoken_by(lead)
            text, session = _kept(clipped(said), kinds)[:LONGEST], _kept(clipped(envelope[1:]), kinds)
            yield Statement(text, Source(file.path, number, number), origin, (session,), day=day, sender=sender)


def spoken_by(lead: re.Match[str] | None) -> tuple[Origin, str]:
    """Whose words follow, and the name of a guest. What an agent answered to a guest repeats the guest, and is no more trusted."""
    if lead is None or (lead["who"] == "Assistant" and not lead["name"]):
        return Origin.SESSION, ""
    if lead["who"] == "User":
        return Origin.OWNER, ""
    return Origin.QUOTED, lead["name"] or "" if lead["who"] == "Guest" else ""


def _content_index(file: File, kinds: frozenset[str]) -> Iterator[Statement]:
    """One claim for every item of `obsidian-index/_index.md`."""
    if not file.path.endswith("obsidian-index/_index.md"):
        return
    for number, line in enumerate(file.text.split("\n"), 1):
        if line.startswith("- "):
            text = _kept(clipped(line[2:].rstrip("\r")), kinds)[:LONGEST]
            yield Statement(text, Source(file.path, number, number), group=Group.CONTENT)


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


def frame_of(text: str) -> str:
    """The text with every word that holds a digit left open; where no blank divides words, just the number."""
    open_words = _WORD.sub(lambda word: "#" if any(map(str.isdigit, word[0])) else word[0], text.casefold())
    return " ".join(open_words.split())


def without_routine(claims: Sequence[Statement]) -> tuple[list[Statement], dict[str, int]]:
    """The claims that people made, and by path how many a machine did.

    A person does not write one sentence twenty times in a day with another number each time; a job, a meter or a log does.
    """
    frames = [(claim.path, frame_of(claim.text)) for claim in claims]
    texts = Counter(frame for frame, _ in set(zip(frames, (claim.text for claim in claims), strict=True)))
    kept, left_out = [], Counter[str]()
    for frame, claim in zip(frames, claims, strict=True):
        if "#" in frame[1] and texts[frame] >= OFTEN:
            left_out[claim.path] += 1
        else:
            kept.append(claim)
    return kept, dict(left_out)
