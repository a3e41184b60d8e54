"""A candidate of the recall store as a claim of today's files: its words as they stand now, under what, and whose.

A line that moved is found, one that was joined with its neighbour too. What spans more than two statements is a piece of
a page and no statement; what somebody else said stays somebody else's.
"""

from __future__ import annotations

import re

from reverie.claim import Claim
from reverie.layout import Kind
from reverie.lines import bare, split_lines
from reverie.model import Entry, File, Origin, Snapshot
from reverie.phases.profiles import Profile
from reverie.phases.rehydrate import Found, rehydrated
from reverie.recalls import PeerRecall
from reverie.terms import plain

MOST_STATEMENTS = 2
_TRUSTED = (Origin.OWNER, Origin.SESSION)
_SPEAKER = re.compile(r"^(?:\[[^\]\s]+#L\d+\]\s*)?(?P<who>User|Assistant|Guest): ")
_SPOKEN_BY = {"User": Origin.OWNER, "Assistant": Origin.SESSION, "Guest": Origin.QUOTED}


def found_again(entry: PeerRecall, snapshot: Snapshot, profile: Profile) -> Claim | None:
    """The claim behind an entry, or None when the files do not say it any more."""
    file = snapshot.files.get(entry.path) or snapshot.files.get(f"memory/{entry.path.rpartition('/')[2]}")
    if file is None:
        return None
    if file.place.kind is not Kind.CORPUS and (same := _same_words(entry, file)):
        return same
    found = rehydrated([bare(line) for line in split_lines(file.text)], entry.first, entry.last, entry.snippet, profile)
    if found is None:
        return None
    return _spoken(file, found) if file.place.kind is Kind.CORPUS else _stated(file, found)


def _same_words(entry: PeerRecall, file: File) -> Claim | None:
    """The statement with these words, alone or behind its parents; of several the one meant, then the nearest."""
    words = plain(entry.snippet)
    found = [
        _claim(file, one.text, one.source.first, one.source.last, [one])
        for one in file.entries
        if words in (plain(one.text), plain(f"{' '.join(one.parents)} {one.text}"))
    ]
    meant = [claim for claim in found if claim.key[:12] == entry.claim] or found
    return min(meant, key=lambda claim: abs(claim.first - entry.first), default=None)


def _stated(file: File, found: Found) -> Claim | None:
    covered = [one for one in file.entries if one.source.first <= found.last and found.first <= one.source.last]
    if not covered:
        return None
    text = covered[0].text if len(covered) == 1 and len(covered[0].text) >= 0.6 * len(found.text) else found.text
    if len(covered) > MOST_STATEMENTS:
        text = ""  # a page, not a statement: whoever looks for a line finds none here
    return _claim(file, text, found.first, found.last, covered)


def _spoken(file: File, found: Found) -> Claim:
    """A line of a conversation, in the words of who said it."""
    line = bare(split_lines(file.text)[found.first - 1])
    match = _SPEAKER.match(line)
    text = line[match.end() :] if match else found.text
    origin = _SPOKEN_BY[match["who"]] if match else Origin.QUOTED
    return Claim(file.path, found.first, found.last, text, day=_day(file), origin=origin.value)


def _claim(file: File, text: str, first: int, last: int, covered: list[Entry]) -> Claim:
    """One untrusted line is enough: what is joined from several speakers is trusted as the least of them."""
    origin = next((one.origin for one in covered if one.origin not in _TRUSTED), covered[0].origin)
    home = covered[0]
    return Claim(
        file.path, first, last, text, " > ".join(home.headings[-2:]), " > ".join(home.parents), _day(file), origin.value
    )


def _day(file: File) -> str:
    return file.place.day.isoformat() if file.place.day else ""
