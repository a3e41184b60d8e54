"""Deep sleep: what was recalled or said again often enough, found again in the live files, and fit to enter MEMORY.md.

Numbers first (`score`), then the text itself: it must still stand in a note, be the owner's, say something alone, be neither
known nor retired nor overtaken nor routine, and there must be room. Nothing here invents a word; every candidate that stays
out has its one reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cached_property

from reverie.core.layout import LAST_REVIEW, LEDGER, Kind, place_of
from reverie.core.settings import Dreaming
from reverie.evidence.claims import Evidence, Observed
from reverie.judge.compose import composed, plain_line
from reverie.judge.forgotten import Forgotten, Recognised, forgotten_in
from reverie.judge.operation import Op, Operation
from reverie.judge.relation import Later, says_the_same
from reverie.judge.vetoes import veto
from reverie.judge.worth import THRESHOLDS, LineToWeigh, worth_of
from reverie.lang.messages import said_with, say
from reverie.openclaw.rehydrate import found_again
from reverie.openclaw.score import (
    NO_GROUPS,
    PROFILES,
    Profile,
    Scored,
    days_noted,
    end_of,
    explained,
    groups_for,
    reading_score,
    with_gates,
)
from reverie.privacy.redact import holds_mask, opens_something
from reverie.text.lines import bare, count_units, plain_heading, split_lines
from reverie.text.sections import STABLE
from reverie.text.terms import plain
from reverie.workspace.openclaw_format import PeerRecall, Promoted, claim_key, concept_tags, fixed
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
    said = _AlreadySaid(snapshot)
    found = [_verdict(one, live, said, profile) for one in ranked]
    return tuple(_within(_likely(found, evidence), snapshot, profile))


class _AlreadySaid:
    """What a memory, its archive and its notes say, each read once, when first asked."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    @cached_property
    def memory(self) -> tuple[Statement, ...]:
        file = self.snapshot.files.get(self.snapshot.memory_path)
        return tuple(file.entries) if file else ()

    @cached_property
    def forgotten(self) -> Forgotten:
        return forgotten_in(self.snapshot)

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


def _verdict(scored: Scored, live: Mapping[str, Statement], said: _AlreadySaid, profile: Profile) -> Weighed:
    """One candidate, up to what can be said of it alone: gates, the live text, the quality check, what stands already."""
    entry = scored.entry
    failed = next((gate for gate in scored.gates if not gate.passed), None)
    if failed is not None:
        key = "promote.too_old" if failed.name == "age" else "promote.below_gate"
        figures = {"value": number(failed.value), "threshold": number(failed.threshold)}
        return Weighed(scored, reason=failed.name, detail=say(key, gate=said_with("gates", failed.name), **figures))
    if entry.promoted is not None:
        return Weighed(scored, reason="promoted", detail=say("promote.promoted_on", day=entry.promoted.date()))
    claim = live.get(plain(entry.snippet))
    if claim is None or place_of(claim.path).kind is Kind.CORPUS:  # a turn is known with its speaker, and told without
        claim = found_again(entry, said.snapshot, profile)
    if claim is None:
        return Weighed(scored, reason="gone", detail=say("promote.gone", path=entry.path))
    text = composed(claim, said.common)
    if opens_something(claim.text) or holds_mask(claim.text) or holds_mask(entry.snippet):
        return Weighed(scored, claim, reason="redacted", detail=say("promote.secret"))
    reason, detail = _against(entry, claim, text, said)
    return Weighed(scored, claim, text, reason, detail)


def _against(entry: PeerRecall, claim: Statement, text: str, said: _AlreadySaid) -> tuple[str, str]:
    """What speaks against words that stand in a note: a code, and the sentence for people; empty when nothing does."""
    if not text:
        return "unfinished", say("promote.unfinished")
    if place_of(claim.path).kind is Kind.CORPUS and claim.origin != Origin.OWNER.value:
        return "said by the agent", say("promote.not_the_owner")
    if against := veto(plain_line(claim.text), claim.context, claim.origin):
        return against, say("promote.vetoed", why=said_with("reasons", against))
    if where := said.known(text, claim.text):
        return "known", say("promote.known", place=where)
    if {plain(text), plain(claim.text), plain(entry.snippet)} & said.retired:
        return "retired", say("promote.retired")
    for found, why in (said.forgotten.against(one, claim.day) for one in (text, claim.text)):
        if found is not Recognised.OTHER:  # numbers ask nobody, so what is only near does not enter by them
            return "forgotten", why
    last = max((day.isoformat() for day in days_noted(entry)), default=claim.day)
    if newer := said.later.changing(plain_line(claim.text), max(last, claim.day), (claim.source,)):
        return "overtaken", say("promote.overtaken", place=newer.source)
    return "", ""


def _likely(found: Sequence[Weighed], evidence: Evidence) -> list[Weighed]:
    """Without the lines that the judge takes for routine: a job that runs every day is often said."""
    open_ones = {one.key: one.claim for one in found if not one.reason and one.claim}
    if not open_ones:
        return list(found)
    embed = evidence.embedder.embed if evidence.embedder else None
    judged = worth_of([LineToWeigh(plain_line(one.text), one.context, one.day) for one in open_ones.values()], embed)
    keeps = {key: worth.keep for key, worth in zip(open_ones, judged, strict=True)}
    least = THRESHOLDS["recalled"]
    return [
        replace(one, reason="routine", detail=say("promote.routine", keep=fixed(keep, 2), least=fixed(least, 2)))
        if (keep := keeps.get(one.key, 1.0)) < least
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
            out.append(replace(one, reason="limit", detail=say("promote.night_limit", n=profile.limit)))
        elif needed > room or lines < each:
            out.append(replace(one, reason="budget", detail=say("promote.no_room")))
        else:
            room, lines, taken = room - needed, lines - each, taken + 1
            out.append(one)
    return out


def number(value: float) -> str:
    return str(int(value)) if value == int(value) else fixed(value, 3)


_NIGHT = timedelta(hours=12)


def profile_of(dreaming: Dreaming) -> Profile:
    """The profile an owner chose, with the gates that were set."""
    return with_gates(
        PROFILES[dreaming.profile],
        min_score=dreaming.min_score,
        min_signals=dreaming.min_recall_count,
        min_queries=dreaming.min_unique_queries,
        half_life_days=dreaming.half_life_days,
        max_age_days=dreaming.max_age_days,
        limit=dreaming.limit,
    )


def weigh_tonight(snapshot: Snapshot, evidence: Evidence, now: datetime) -> tuple[Weighed, ...]:
    """The recall lane of a night by the owner's settings: what was said or asked for since the last one, weighed.

    Nothing where OpenClaw dreams too: it counts the same recalls, and what it promotes we would promote a second time.
    """
    workspace = snapshot.workspace
    chosen, host = workspace.settings.dreaming, workspace.host
    if not chosen.enabled or "deep" in chosen.skip or (host is not None and host.on):
        return ()
    return weigh(evidence, snapshot, profile=profile_of(chosen), now=now, news_only=True)


def promotions_in(found: Iterable[Weighed]) -> tuple[Operation, ...]:
    """What enters MEMORY.md by the numbers alone, as `dream promote --apply` does it."""
    return tuple(
        Operation(
            Op.ADD,
            why_of(one.scored),
            (one.claim,),
            text=one.text,
            section=STABLE,
            tag=TAG,
            promoted=numbers_of(one.scored),
        )
        for one in found
        if not one.reason and one.claim
    )


def numbers_of(scored: Scored) -> Promoted:
    """What the `append` shape writes beside the words."""
    entry, signals = scored.entry, scored.counted.signals
    return Promoted(entry.key, scored.score, signals, entry.recalls, entry.average, entry.tags, scored.grounded)


def weigh(
    evidence: Evidence,
    snapshot: Snapshot,
    *,
    profile: Profile,
    now: datetime,
    news_only: bool = False,
    include_promoted: bool = False,
) -> tuple[Weighed, ...]:
    """Every candidate, best first, with its verdict."""
    entries = candidates(evidence, profile, least=profile.min_signals if news_only else 0)
    live = {plain(recall_text(one.claim)): one.claim for one in evidence.fresh}
    last = _last_review(snapshot, now) if news_only else None
    groups = NO_GROUPS
    if profile.ours:  # only of what is looked at tonight: the cost follows what is new
        looked_at = [one for one in entries if last is None or _is_news(one, last, live, profile, now)]
        groups = groups_for(looked_at, evidence.questions, evidence.embedder)
    ranked = explained(entries, evidence.signals, profile, now, include_promoted=include_promoted, groups=groups)
    if news_only:
        ranked = [one for one in ranked if last is None or _is_news(one.entry, last, live, profile, now)]
    return verdicts(ranked, live, snapshot, profile, evidence)


def candidates(evidence: Evidence, profile: Profile, *, least: int = 0) -> list[PeerRecall]:
    """The entries of the recall store; under our own profile also tonight's claims, as what was said on their days.

    A claim that cannot reach `least` signals, however it is joined, is left out early: a first night has many.
    """
    if not profile.ours:
        return list(evidence.recalls.values())
    tonight = {one.claim.key[:12]: one for one in evidence.fresh}
    entries, asked = [], dict[str, list[PeerRecall]]()
    for entry in evidence.recalls.values():
        one = tonight.get(entry.claim)
        # One claim, one wording: so they are counted together.
        snippet = recall_text(one.claim) if one else entry.snippet
        entries.append(replace(entry, snippet=snippet, tags=entry.tags or concept_tags(entry.path, snippet)))
        asked.setdefault(plain(snippet), []).append(entry)
    for one in evidence.fresh:
        known = asked.get(plain(recall_text(one.claim)), [])
        if known or one.recalls + len(one.days) >= least:
            entries.append(_as_entry(one, known))
    return entries


def _as_entry(one: Observed, known: Sequence[PeerRecall]) -> PeerRecall:
    """A claim as an entry. Recalls of other wordings are added; those of its own words stand in the store."""
    said = recall_text(one.claim)
    days = tuple(sorted(date.fromisoformat(day) for day in one.days))
    last = end_of(days[-1]) if days else None
    more = max(0, one.recalls - sum(entry.recalls for entry in known))
    others = max(0, one.queries - len({query for entry in known for query in entry.user_queries or entry.queries}))
    return PeerRecall(
        claim_key(said), one.claim.path, one.claim.first, one.claim.last, said,
        recalls=more, first_recalled=last, last_recalled=last, noted=days, days=days, total_score=more * _usual(known),
        # Their similarities are not known here, so they are ranked among themselves or with what they join.
        embedder=known[0].embedder if known else "other wordings",
        user_queries=tuple(f"{claim_key(said)}#{n}" for n in range(others if more else 0)),
        tags=concept_tags(one.claim.path, said),
    )  # fmt: skip


def _usual(known: Sequence[PeerRecall]) -> float:
    """The average similarity of the searches behind these entries."""
    found = sum(entry.total_score - entry.daily * reading_score(entry.path) for entry in known)
    return max(0.0, found) / max(1, sum(entry.recalls for entry in known))


def recall_text(claim: Statement) -> str:
    """A claim as the recall store keeps it: behind what it hangs on."""
    return f"{claim.lead} > {claim.text}" if claim.lead else claim.text


def _is_news(entry: PeerRecall, last: datetime, live: Mapping[str, Statement], profile: Profile, now: datetime) -> bool:
    """Whether anything was said or asked since the last night. The peer's rules look at everything, once a night."""
    asked = entry.last_recalled if entry.recalls else None
    if asked and last < asked.replace(second=0, microsecond=0) <= now:  # what the clock has not reached is no news yet
        return True
    return plain(entry.snippet) in live if profile.ours else now - last >= _NIGHT


def _last_review(snapshot: Snapshot, now: datetime) -> datetime | None:
    try:
        said = datetime.strptime(snapshot.text_of(LAST_REVIEW).strip(), "%Y-%m-%d %H:%M")
    except ValueError:
        return None
    return said.replace(tzinfo=now.tzinfo)


def why_of(scored: Scored) -> str:
    """Score, gates and days in one sentence."""
    days, asked, least = scored.counted.days, scored.entry.recalls, {gate.name: gate.threshold for gate in scored.gates}
    if len(days) > 1:
        when = say("promote.on_days", n=len(days), first=days[0], last=days[-1])
    else:
        when = say("promote.on_day", day=days[0]) if days else say("promote.once")
    figures = say(
        "promote.numbers",
        score=fixed(scored.score, 3),
        min_score=number(least["score"]),
        signals=scored.counted.signals,
        min_signals=number(least["signals"]),
        queries=scored.counted.queries,
        min_queries=number(least["queries"]),
    )
    parts = [when + (say("promote.asked_for", n=asked) if asked else ""), figures]
    return "; ".join([*parts, say("promote.grounded")] if scored.grounded else parts)
