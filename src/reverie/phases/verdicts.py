"""The verdict on a candidate that has its numbers: whether its text may enter MEMORY.md, and if not, the one reason.

It must still stand in a note, be the owner's, say something alone, and be neither known nor retired nor overtaken; the
judge must not take it for routine; and there must be room.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from reverie.claim import Claim, Evidence
from reverie.judge.compose import composed, plain_line
from reverie.judge.vetoes import veto
from reverie.layout import Kind, place_of
from reverie.lines import count_units, split_lines
from reverie.model import Origin, Snapshot
from reverie.phases.counts import said_on
from reverie.phases.found_again import found_again
from reverie.phases.profiles import Profile
from reverie.phases.score import Scored
from reverie.phases.standing import Standing
from reverie.privacy.redact import holds_mask, holds_secret
from reverie.recalls import fixed
from reverie.sections import STABLE
from reverie.terms import plain

TAG = "promoted"
GATES = ("score", "signals", "queries", "age")


@dataclass(frozen=True, slots=True)
class Weighed:
    """A candidate with its score, where it stands now, how it would read, and why it stays out (empty: it enters)."""

    scored: Scored
    claim: Claim | None = None
    text: str = ""
    reason: str = ""
    detail: str = ""
    section: str = STABLE

    @property
    def key(self) -> str:
        return self.scored.entry.key


def verdicts(
    ranked: Iterable[Scored],
    live: Mapping[str, Claim],
    snapshot: Snapshot,
    profile: Profile,
    evidence: Evidence,
) -> tuple[Weighed, ...]:
    """Each candidate with its verdict, in their order. `live` are tonight's claims by their plain words."""
    standing = Standing(snapshot)
    found = [_verdict(one, live, snapshot, standing, profile) for one in ranked]
    return tuple(_within(_likely(found, evidence), snapshot, profile))


def _verdict(
    scored: Scored, live: Mapping[str, Claim], snapshot: Snapshot, standing: Standing, profile: Profile
) -> Weighed:
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
        claim = found_again(entry, snapshot, profile)
    if claim is None:
        return Weighed(scored, reason="gone", detail=f"{entry.path} does not say it any more")
    text = composed(claim, standing.common)
    out = Weighed(scored, claim, text)
    if holds_secret(claim.text) or holds_mask(claim.text) or holds_mask(entry.snippet):
        return replace(out, text="", reason="redacted", detail="it holds a secret, or the mask of one")
    if not text:
        return replace(out, reason="unfinished", detail="it cannot stand alone in one line")
    if place_of(claim.path).kind is Kind.CORPUS and claim.origin != Origin.OWNER.value:
        return replace(out, reason="said by the agent", detail="only what the owner said is remembered as the owner's")
    if against := veto(plain_line(claim.text), claim.context, claim.origin):
        return replace(out, reason=against, detail=f"the quality gate says: {against}")
    if where := standing.known(text, claim.text):
        return replace(out, reason="known", detail=f"{where} says it already")
    if standing.retired(text, claim.text, entry.snippet):
        return replace(out, reason="retired", detail="the archive holds it; it left MEMORY.md before")
    if gone := next((why for one in (text, claim.text) if (why := standing.forgotten(one, claim.day))), ""):
        return replace(out, reason="forgotten", detail=gone)
    last = max((day.isoformat() for day in said_on(entry)), default=claim.day)
    if newer := standing.overtaken(claim.text, max(last, claim.day), (claim.source,)):
        return replace(out, reason="overtaken", detail=f"{newer} says otherwise")
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
