"""The verdict on a candidate that has its numbers: whether its text may enter MEMORY.md, and if not, the one reason.

It must still stand in a note, be the owner's, say something alone, and be neither known nor retired nor overtaken; the
judge must not take it for routine; and there must be room.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from reverie.core.layout import LEDGER, TOMBSTONES, Kind, place_of
from reverie.evidence.tombstones import Tombstone, forgotten, read_stones
from reverie.evidence.values import Evidence
from reverie.judge.compose import composed, plain_line
from reverie.judge.later import Later, says_the_same
from reverie.judge.vetoes import veto
from reverie.openclaw.counts import said_on
from reverie.openclaw.profiles import Profile
from reverie.openclaw.rehydrate import found_again
from reverie.openclaw.score import Scored
from reverie.privacy.redact import holds_mask, holds_secret
from reverie.text.lines import bare, count_units, plain_heading, split_lines
from reverie.text.sections import STABLE
from reverie.text.terms import plain
from reverie.workspace.recalls import fixed
from reverie.workspace.values import Origin, Snapshot, Statement

TAG = "promoted"
GATES = ("score", "signals", "queries", "age")
ALWAYS = "9999-12-31"  # what memory says counts, whenever it was said
_LATEST, _FRAMES = 60, 3  # notes that are looked at for headings, and how many of them make one the frame of a day
_NOTES = frozenset({Kind.DAILY, Kind.SESSION, Kind.CORPUS, Kind.TOPIC, Kind.CLASSIFIED})


@dataclass(frozen=True, slots=True)
class Weighed:
    """A candidate with its score, where it stands now, how it would read, and why it stays out (empty: it enters)."""

    scored: Scored
    claim: Statement | None = None
    text: str = ""
    reason: str = ""
    detail: str = ""
    section: str = STABLE

    @property
    def key(self) -> str:
        return self.scored.entry.key


def verdicts(
    ranked: Iterable[Scored],
    live: Mapping[str, Statement],
    snapshot: Snapshot,
    profile: Profile,
    evidence: Evidence,
) -> tuple[Weighed, ...]:
    """Each candidate with its verdict, in their order. `live` are tonight's claims by their plain words."""
    said = _Said(snapshot)
    found = [_verdict(one, live, said, profile) for one in ranked]
    return tuple(_within(_likely(found, evidence), snapshot, profile))


class _Said:
    """What a memory, its archive and its notes say, each read once, when first asked."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    @cached_property
    def memory(self) -> tuple[Statement, ...]:
        file = self.snapshot.files.get(self.snapshot.memory_path)
        return tuple(file.entries) if file else ()

    @cached_property
    def stones(self) -> tuple[Tombstone, ...]:
        return read_stones(self.snapshot.text_of(TOMBSTONES))

    @cached_property
    def retired(self) -> frozenset[str]:
        """The words of the archive: what a dream took out does not come back by being old."""
        lines = (bare(line).removeprefix("Content: ") for line in split_lines(self.snapshot.text_of(LEDGER)))
        return frozenset(words for line in lines if (words := plain(line)))

    @cached_property
    def later(self) -> Later:
        """All of memory, and the notes that have a day."""
        return Later((*(replace(entry, day=ALWAYS) for entry in self.memory), *self._noted()))

    def _noted(self) -> Iterator[Statement]:
        for file in self.snapshot.files.values():
            if file.place.kind in _NOTES and file.place.day:
                yield from file.entries

    @cached_property
    def common(self) -> frozenset[str]:
        """Headings that stand in several notes: the frame of a day, no subject."""
        files = self.snapshot.files.items()
        notes = sorted(path for path, file in files if file.place.kind is Kind.DAILY)[-_LATEST:]
        seen: Counter[str] = Counter()
        for path in notes:
            lines = self.snapshot.text_of(path).split("\n")
            seen.update({plain_heading(line.lstrip("# ")) for line in lines if line.startswith("#")})
        return frozenset(heading for heading, count in seen.items() if count >= _FRAMES)

    def known(self, *wordings: str) -> str:
        """Where memory says this, with more around it or not; empty when it does not."""
        for entry in self.memory:
            have = f" {plain(entry.text)} "
            if any(f" {plain(one)} " in have or says_the_same(entry.text, one) for one in wordings if plain(one)):
                return str(entry.source)
        return ""


def _verdict(scored: Scored, live: Mapping[str, Statement], said: _Said, profile: Profile) -> Weighed:
    """One candidate, up to what can be said of it alone: gates, the live text, the quality gate, what stands already."""
    entry = scored.entry
    failed = next((gate for gate in scored.gates if not gate.passed), None)
    if failed is not None:
        lacks = f"{failed.name} is {number(failed.value)}; {number(failed.threshold)} is the gate"
        return Weighed(scored, reason=failed.name, detail=lacks)
    if entry.promoted is not None:
        return Weighed(scored, reason="promoted", detail=f"it was promoted on {entry.promoted.date()}")
    claim = live.get(plain(entry.snippet))
    if claim is None or place_of(claim.path).kind is Kind.CORPUS:  # a turn is known with its speaker, and told without
        claim = found_again(entry, said.snapshot, profile)
    if claim is None:
        return Weighed(scored, reason="gone", detail=f"{entry.path} does not say it any more")
    text = composed(claim, said.common)
    out = Weighed(scored, claim, text)
    if holds_secret(claim.text) or holds_mask(claim.text) or holds_mask(entry.snippet):
        return replace(out, text="", reason="redacted", detail="it holds a secret, or the mask of one")
    if not text:
        return replace(out, reason="unfinished", detail="it cannot stand alone in one line")
    if place_of(claim.path).kind is Kind.CORPUS and claim.origin != Origin.OWNER.value:
        return replace(out, reason="said by the agent", detail="only what the owner said is remembered as the owner's")
    if against := veto(plain_line(claim.text), claim.context, claim.origin):
        return replace(out, reason=against, detail=f"the quality gate says: {against}")
    if where := said.known(text, claim.text):
        return replace(out, reason="known", detail=f"{where} says it already")
    if {plain(text), plain(claim.text), plain(entry.snippet)} & said.retired:
        return replace(out, reason="retired", detail="the archive holds it; it left MEMORY.md before")
    if gone := next((why for one in (text, claim.text) if (why := forgotten(one, said.stones, day=claim.day))), ""):
        return replace(out, reason="forgotten", detail=gone)
    last = max((day.isoformat() for day in said_on(entry)), default=claim.day)
    if newer := said.later.changing(plain_line(claim.text), max(last, claim.day), (claim.source,)):
        return replace(out, reason="overtaken", detail=f"{newer.source} says otherwise")
    return out


def _likely(found: Sequence[Weighed], evidence: Evidence) -> list[Weighed]:
    """Without the lines that the judge takes for routine: a job that runs every day is often said."""
    open_ones = {one.key: one.claim for one in found if not one.reason and one.claim}
    if not open_ones:
        return list(found)
    from reverie.judge.worth import (  # numpy and the weights, only when there is something to judge
        THRESHOLDS,
        Line,
        worth_of,
    )

    embed = evidence.embedder.embed if evidence.embedder else None
    judged = worth_of([Line(plain_line(one.text), one.context, one.day) for one in open_ones.values()], embed)
    keeps = {key: worth.keep for key, worth in zip(open_ones, judged, strict=True)}
    return [
        replace(one, reason="routine", detail=f"the judge gives it {fixed(keeps[one.key], 2)} to matter later")
        if one.key in keeps and keeps[one.key] < THRESHOLDS["recalled"]
        else one
        for one in found
    ]


def _within(found: Sequence[Weighed], snapshot: Snapshot, profile: Profile) -> list[Weighed]:
    """As many as a night may promote and MEMORY.md can hold."""
    memory, limits = snapshot.text_of(snapshot.memory_path), snapshot.workspace.settings.memory
    room, lines = limits.hard_limit - count_units(memory), limits.max_lines - len(split_lines(memory))
    frame, each = limits.entering
    taken, out = 0, []
    for one in found:
        if one.reason:
            out.append(one)
            continue
        needed = count_units(one.text) + frame
        if profile.limit is not None and taken >= profile.limit:
            out.append(replace(one, reason="limit", detail=f"a night promotes {profile.limit} at most"))
        elif needed > room or lines < each:
            out.append(replace(one, reason="budget", detail="MEMORY.md has no room for it"))
        else:
            room, lines, taken = room - needed, lines - each, taken + 1
            out.append(one)
    return out


def number(value: float) -> str:
    return str(int(value)) if value == int(value) else fixed(value, 3)
