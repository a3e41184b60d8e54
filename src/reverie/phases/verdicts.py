"""The verdict on a candidate that has its numbers: whether its text may enter MEMORY.md, and if not, the one reason.

It must still stand in a note, be the owner's, say something alone, and be neither known nor retired nor overtaken; the
judge must not take it for routine; and there must be room.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from reverie.claim import Claim, Evidence
from reverie.layout import Kind, place_of
from reverie.lines import count_units, split_lines
from reverie.model import Does, Finding, Origin, Snapshot
from reverie.phases.compose import composed, plain_line
from reverie.phases.counts import said_on
from reverie.phases.found_again import found_again
from reverie.phases.profiles import Profile
from reverie.phases.score import Scored
from reverie.phases.standing import Standing
from reverie.phases.worthy import reason_against
from reverie.privacy.redact import holds_mask, holds_secret
from reverie.recalls import fixed
from reverie.sections import STABLE
from reverie.terms import plain

TAG = "promoted"
GATES = ("score", "signals", "queries", "age")
UNLIKELY = 0.05  # by the judge; a line that returns has earned some trust, but a routine returns as well


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
    so_far: Sequence[Finding],
    profile: Profile,
    evidence: Evidence,
) -> tuple[Weighed, ...]:
    """Each candidate with its verdict, in their order. `live` are tonight's claims by their plain words."""
    standing = Standing(snapshot, so_far, evidence.embedder.embed if evidence.embedder else None)
    found = [_verdict(one, live, snapshot, standing, profile) for one in ranked]
    return tuple(_within(_likely(found, snapshot, evidence), snapshot, so_far, profile))


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
    if against := reason_against(plain_line(claim.text), claim.context, claim.origin, cleaned=text):
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


def _likely(found: Sequence[Weighed], snapshot: Snapshot, evidence: Evidence) -> list[Weighed]:
    """Without the lines that the judge takes for routine; the others with the section they belong to."""
    open_ones = {one.key: one.claim for one in found if not one.reason and one.claim}
    if not open_ones:
        return list(found)
    # numpy and the weights, only when there is something to judge
    from reverie.phases.judge import Line, judge_lines
    from reverie.phases.place import Homes

    embed = evidence.embedder.embed if evidence.embedder else None
    judged = judge_lines([Line(plain_line(claim.text), claim.context) for claim in open_ones.values()], embed)
    by_key = dict(zip(open_ones, judged, strict=True))
    homes, out = Homes(snapshot, evidence), []
    for one in found:
        claim, by = open_ones.get(one.key), by_key.get(one.key)
        if one.reason or claim is None or by is None:
            out.append(one)
        elif by.keep < UNLIKELY:
            said = f"the judge gives it {fixed(by.keep, 2)} to matter later"
            out.append(replace(one, reason="routine", detail=said))
        else:
            out.append(replace(one, section=homes.home_of(one.text, by.kind, claim.heading)))
    return out


def _within(found: Sequence[Weighed], snapshot: Snapshot, so_far: Sequence[Finding], profile: Profile) -> list[Weighed]:
    """As many as a night may promote and MEMORY.md can hold; what this night found already counts, and is found again."""
    memory, limits = snapshot.text_of(snapshot.memory_path), snapshot.workspace.settings.memory
    room, lines = limits.hard_limit - count_units(memory), limits.max_lines - len(split_lines(memory))
    coming = [finding for finding in so_far if finding.does is Does.ADD]
    frame, each = limits.entering
    room, lines = room - sum(count_units(finding.text) + frame for finding in coming), lines - each * len(coming)
    ours = {finding.text for finding in coming if finding.tag == TAG}
    taken, out = len(ours), []
    for one in found:
        if one.reason or one.text in ours:
            out.append(one)
            continue
        needed = count_units(one.text) + frame
        if profile.limit is not None and taken >= profile.limit:
            out.append(replace(one, reason="limit", detail=f"a night promotes {profile.limit} at most"))
        elif needed > room or lines < each:
            out.append(replace(one, reason="budget", detail="MEMORY.md has no room for it"))
        else:
            room, lines, taken = room - needed, lines - each, taken + 1
            ours.add(one.text)
            out.append(one)
    return out


def number(value: float) -> str:
    return str(int(value)) if value == int(value) else fixed(value, 3)
