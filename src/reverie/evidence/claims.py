"""Entries → claims: each statement made self-contained, and known by its words instead of its lines.

A bullet alone often lacks its subject, so a claim carries the parents and headings above it. The same words on other
days are the same claim. Redaction comes first: what is kept here is what may be kept. One untrusted line never
taints its file, because every claim has its own origin.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from reverie.claim import Claim, Group
from reverie.layout import VAULT, Kind
from reverie.model import Entry, File, Origin, to_bytes
from reverie.privacy.redact import DEFAULT_KINDS, redacted

_KEPT = frozenset({
    Kind.MEMORY, Kind.DAILY, Kind.SESSION, Kind.CLASSIFIED, Kind.TOPIC, Kind.KNOWLEDGE, Kind.LOG, Kind.CORPUS,
})  # fmt: skip
_HIDDEN = frozenset({Origin.DREAM, Origin.RECALLED, Origin.TRANSPORT})  # own output and envelopes are never evidence
LONGEST = 2_000  # characters of one claim that are kept; what is longer is a log, found by its beginning


def claims_of(file: File, kinds: frozenset[str] = DEFAULT_KINDS) -> Iterator[Claim]:
    """The claims of one file. Reports, diaries, state and the palace have none: own output is never evidence."""
    if file.path.startswith(VAULT):
        yield from _content_index(file, kinds)
    elif file.place.kind is Kind.CORPUS:
        yield from _corpus(file, kinds)
    elif file.place.kind in _KEPT or file.path.lower() == "user.md":
        for entry in file.entries:
            if entry.origin not in _HIDDEN and entry.text.strip():
                yield _claim(entry, kinds)


def _claim(entry: Entry, kinds: frozenset[str]) -> Claim:
    return Claim(
        path=entry.source.path,
        first=entry.source.first,
        last=entry.source.last,
        text=_kept(entry.text, kinds)[:LONGEST],
        heading=_kept(" > ".join(entry.headings[-2:]), kinds),
        parents=_kept(" > ".join(entry.parents), kinds),
        day=entry.day.isoformat() if entry.day else "",
        origin=entry.origin.value,
    )


@lru_cache(maxsize=16_384)  # a heading stands above many lines, and a night makes the claims of a new note twice
def _kept(text: str, kinds: frozenset[str]) -> str:
    """Redacted, and with bytes that are no text shown as such: an index can only hold Unicode."""
    return redacted(to_bytes(text).decode("utf-8", "replace"), kinds)


_SPEAKERS = (("User: ", Origin.OWNER), ("Assistant: ", Origin.SESSION), ("Guest: ", Origin.QUOTED))


def _corpus(file: File, kinds: frozenset[str]) -> Iterator[Claim]:
    """Lines of a day's session corpus: `[agent/session#L12] User: text`, redacted when they were written."""
    day = file.place.day.isoformat() if file.place.day else ""
    for number, line in enumerate(file.text.split("\n"), 1):
        envelope, _, said = line.rstrip("\r").partition("] ")
        if envelope.startswith("[") and said.strip():
            origin = next((origin for lead, origin in _SPEAKERS if said.startswith(lead)), Origin.SESSION)
            yield Claim(
                file.path,
                number,
                number,
                _kept(said, kinds)[:LONGEST],
                _kept(envelope[1:], kinds),
                "",
                day,
                origin.value,
            )


def _content_index(file: File, kinds: frozenset[str]) -> Iterator[Claim]:
    """One claim for every item of `obsidian-index/_index.md`."""
    if not file.path.endswith("obsidian-index/_index.md"):
        return
    for number, line in enumerate(file.text.split("\n"), 1):
        if line.startswith("- "):
            text = _kept(line[2:].rstrip("\r"), kinds)[:LONGEST]
            yield Claim(file.path, number, number, text, group=Group.CONTENT.value)


__all__ = ["LONGEST", "Claim", "Group", "claims_of"]
