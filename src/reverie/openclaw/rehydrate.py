"""A candidate of the recall store found again in today's files: its words as they stand now, under what, and whose.

The peer's way compares windows of lines. Ours compares words, so that moved lines, list marks and joined bullets do not hide
a fact, and takes a longer line only if it cannot have turned the fact round. Never inside a dream's own block. What spans more
than two statements is a piece of a page and no statement; what somebody else said stays somebody else's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from reverie.core.layout import Kind
from reverie.evidence.claims import SPEAKER, spoken_by
from reverie.openclaw.score import Profile
from reverie.text.lines import bare, split_lines
from reverie.text.managed import managed_lines
from reverie.text.terms import denials, plain
from reverie.workspace.openclaw_format import PeerRecall, collapsed, uncommented
from reverie.workspace.values import File, Origin, Snapshot, Source, Statement, stated

MOST_STATEMENTS = 2
_TRUSTED = (Origin.OWNER, Origin.SESSION)
_SPEAKER = re.compile(rf"^(?:\[[^\]\s]+#L\d+\]\s*)?{SPEAKER}")


def found_again(entry: PeerRecall, snapshot: Snapshot, profile: Profile) -> Statement | None:
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


def _same_words(entry: PeerRecall, file: File) -> Statement | None:
    """The statement with these words, alone or behind its parents; of several the one meant, then the nearest."""
    words = plain(entry.snippet)
    found = [
        _claim(file, one.text, one.source.first, one.source.last, [one])
        for one in file.entries
        if words in (plain(one.text), plain(f"{' '.join(one.parents)} {one.text}"))
    ]
    meant = [claim for claim in found if claim.key[:12] == entry.claim] or found
    return min(meant, key=lambda claim: abs(claim.first - entry.first), default=None)


def _stated(file: File, found: FoundAgain) -> Statement | None:
    covered = [one for one in file.entries if one.source.first <= found.last and found.first <= one.source.last]
    if not covered:
        return None
    text = covered[0].text if len(covered) == 1 and len(covered[0].text) >= 0.6 * len(found.text) else found.text
    if len(covered) > MOST_STATEMENTS:
        text = ""  # a page, not a statement: whoever looks for a line finds none here
    return _claim(file, text, found.first, found.last, covered)


def _spoken(file: File, found: FoundAgain) -> Statement:
    """A line of a conversation, in the words of who said it."""
    line = bare(split_lines(file.text)[found.first - 1])
    match = _SPEAKER.match(line)
    text = line[match.end() :] if match else found.text
    origin = spoken_by(match)[0] if match else Origin.QUOTED
    return stated(file.path, found.first, found.last, text, day=_day(file), origin=origin.value)


def _claim(file: File, text: str, first: int, last: int, covered: list[Statement]) -> Statement:
    """One untrusted line is enough: what is joined from several speakers is trusted as the least of them."""
    origin = next((one.origin for one in covered if one.origin not in _TRUSTED), covered[0].origin)
    home = covered[0]
    return replace(home, text=text, source=Source(file.path, first, last), origin=origin)


def _day(file: File) -> str:
    return file.place.day.isoformat() if file.place.day else ""


LIST_ITEM = re.compile(r"(\s*)(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.*)")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(\S.*)")
_CLOSING = re.compile(r"\s#+\s*$")
_SPOKEN = re.compile(r"\s*\[[^\]\s]+#L\d+\]\s*")
WIDEST = 8
CUT_AT = 270  # a snippet this long may have been cut by the peer


@dataclass(frozen=True, slots=True)
class FoundAgain:
    """Where a candidate stands now (lines from 1), and what stands there."""

    first: int
    last: int
    text: str


def rehydrated(lines: Sequence[str], first: int, last: int, snippet: str, profile: Profile) -> FoundAgain | None:
    """The candidate as it stands in these lines (without endings), or None if it is gone."""
    target = collapsed(snippet)
    if not target:
        return None
    if profile.ours:
        return _by_words(lines, first, last, target)
    return _by_windows(lines, first, last, target, profile)


def _by_windows(lines: Sequence[str], first: int, last: int, target: str, profile: Profile) -> FoundAgain | None:
    """The peer's way: exact at the old place, else the best of all windows near it."""
    managed = frozenset[int]() if profile.before_2026_8 else managed_lines(lines)
    span = max(1, last - first + 1)
    if collapsed(" ".join(lines[first - 1 : last])) == target and not _reaches(managed, first - 1, last):
        return FoundAgain(first, last, target)
    headings = _headings(lines)
    best: tuple[tuple[int, int, int], FoundAgain] | None = None
    for start in range(len(lines)):
        for end in range(start + 1, min(len(lines), start + max(span + 3, WIDEST)) + 1):
            if _reaches(managed, start, end):
                break
            for text in _wordings(lines[start:end], headings[start], profile):
                quality = 3 if text == target else 2 if target in text else 1 if text in target else 0
                rank = (-quality, abs(start + 1 - first), abs(end - start - span))
                if quality and (best is None or rank < best[0]):
                    best = rank, FoundAgain(start + 1, end, text)
    return best[1] if best else None


def _wordings(lines: Sequence[str], heading: str, profile: Profile) -> Iterator[str]:
    """The texts a window may be known by: as it stands, and since 2026.9 without list marks, under its heading."""
    window = [line for line in lines if line.strip()]
    if not window:
        return
    yield collapsed(" ".join(window))
    if not profile.before_2026_8 and all(LIST_ITEM.match(line) for line in window):
        bare = "; ".join(without_mark(line) for line in window)
        yield from ([f"{heading}: {bare}"] if heading else [])
        yield bare


def _reaches(managed: frozenset[int], start: int, end: int) -> bool:
    return bool(managed) and any(i in managed for i in range(start, end))


def _headings(lines: Sequence[str]) -> list[str]:
    """For every line the nearest heading above it."""
    found, last = [], ""
    for line in lines:
        found.append(last)
        last = heading_of(line)[1] or last
    return found


def _by_words(lines: Sequence[str], first: int, last: int, target: str) -> FoundAgain | None:
    """Our way: the same words in the same order, list marks, headings and speakers aside; nearest to the old place."""
    managed = managed_lines(lines)
    bare = [_bare(line) for line in lines]
    words = [_plain(line) for line in bare]
    headings = _chains(lines)
    wanted = {_plain(target), _plain(_unspoken(target))}
    longest = max(map(len, wanted))
    best: tuple[tuple[int, int], FoundAgain] | None = None
    for start in range(len(lines)):
        if not words[start]:
            continue
        said = ""
        for end in range(start + 1, min(len(lines), start + WIDEST) + 1):
            if end - 1 in managed or len(said) > 2 * longest + 40:
                break
            said = f"{said} {words[end - 1]}".strip()
            text = "; ".join(bare[i] for i in range(start, end) if words[i])
            quality = max(_alike(said, headings[start], one, text, target) for one in wanted)
            rank = (-quality, abs(start + 1 - first))
            if quality and words[end - 1] and (best is None or rank < best[0]):
                best = rank, FoundAgain(start + 1, end, text)
    return best[1] if best else None


def _alike(said: str, headings: Sequence[str], wanted: str, text: str, target: str) -> int:
    """2 for the same words, with any of its headings before them; 1 for a line that says it and a little more."""
    prefixes = [" ".join(headings[i:]) for i in range(len(headings))] + list(headings)
    if said == wanted or any(f"{prefix} {said}".strip() == wanted for prefix in prefixes):
        return 2
    cut = len(target) >= CUT_AT or target.endswith(("...", "…"))
    if f" {wanted} " not in f" {said} " or denials(text) != denials(target):
        return 0
    return int(cut or len(wanted) >= 0.6 * len(said))


def _bare(line: str) -> str:
    return _unspoken(without_mark(line))


def _plain(text: str) -> str:
    """The words alone. Comments that nothing closes go first: looking for their ends would take the night."""
    return plain(uncommented(text, " ").replace("<!--", " "))


def _unspoken(text: str) -> str:
    """A line of the session corpus without the place it came from."""
    match = _SPOKEN.match(text)
    return text[match.end() :] if match else text


def _chains(lines: Sequence[str]) -> list[tuple[str, ...]]:
    """For every line the words of the headings and parent items above it, outermost first."""
    chains: list[tuple[str, ...]] = []
    headings: list[tuple[int, str]] = []
    parents: list[tuple[int, str]] = []
    for line in lines:
        level, title = heading_of(line)
        if level:
            headings = [one for one in headings if one[0] < level]
            parents = []
            chains.append(tuple(text for _, text in headings))
            headings.append((level, _plain(title)))
            continue
        indent = len(line) - len(line.lstrip())
        if line.strip():
            parents = [one for one in parents if one[0] < indent]
        chains.append(tuple(text for _, text in (*headings, *parents)))
        if LIST_ITEM.match(line):
            parents.append((indent, _plain(_bare(line))))
    return chains


def without_mark(line: str) -> str:
    """A line without its list mark and spacing."""
    match = LIST_ITEM.match(line)
    return collapsed(match[2] if match else line)


def heading_of(line: str) -> tuple[int, str]:
    """The level and the words of a heading; level 0 for any other line."""
    match = _HEADING.match(line)
    return (len(match[1]), collapsed(_CLOSING.sub("", match[2]))) if match else (0, "")
