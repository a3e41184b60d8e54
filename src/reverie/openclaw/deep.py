"""Deep sleep: what was recalled or said again often enough, found again in the live files, and fit to enter MEMORY.md.

Numbers first (`score`), then the text itself (`verdicts`). Nothing here invents a word. Every candidate that is left out
has its reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

from reverie.core.layout import LAST_REVIEW
from reverie.core.settings import Dreaming
from reverie.evidence.values import Evidence, Observed
from reverie.judge.operation import Op, Operation
from reverie.openclaw.counts import NO_GROUPS
from reverie.openclaw.paraphrases import groups_for
from reverie.openclaw.profiles import PROFILES, Profile, with_gates
from reverie.openclaw.score import DAILY_SCORE, SESSION_SCORE, Scored, explained
from reverie.openclaw.verdicts import TAG, Weighed, number, verdicts
from reverie.text.terms import plain
from reverie.workspace.concepts import claim_key, concept_tags
from reverie.workspace.recalls import PeerRecall, Promoted, fixed
from reverie.workspace.values import Snapshot, Statement

GROUNDED = "led by grounded evidence: a backfill found it in old notes"
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
    """The recall lane of a night by the owner's settings: what was said or asked for since the last one, weighed."""
    chosen = snapshot.workspace.settings.dreaming
    if not chosen.enabled:
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
            section=one.section,
            tag=TAG,
            promoted=numbers_of(one.scored),
        )
        for one in found
        if not one.reason and one.claim
    )


def numbers_of(scored: Scored) -> Promoted:
    """What the `append` shape writes beside the words."""
    entry = scored.entry
    signals = scored.counted.signals
    return Promoted(entry.key, scored.score, signals, entry.recalls, entry.average, entry.tags, scored.grounded)


def weigh(
    evidence: Evidence,
    snapshot: Snapshot,
    *,
    profile: Profile,
    now: datetime,
    groups: Mapping[str, str] = NO_GROUPS,
    news_only: bool = False,
    include_promoted: bool = False,
) -> tuple[Weighed, ...]:
    """Every candidate, best first, with its verdict."""
    least = profile.min_signals if news_only else 0
    entries = candidates(evidence, profile, least=least)
    live = {plain(said_by(one.claim)): one.claim for one in evidence.fresh}
    last = _last_review(snapshot, now) if news_only else None
    if not groups and profile.counting == "contexts":  # only of what is looked at tonight: the cost follows what is new
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
    if profile.counting != "contexts":
        return list(evidence.recalls.values())
    tonight = {one.claim.key[:12]: one for one in evidence.fresh}
    entries, asked = [], dict[str, list[PeerRecall]]()
    for entry in evidence.recalls.values():
        one = tonight.get(entry.claim)
        snippet = said_by(one.claim) if one else entry.snippet  # one claim, one wording: so they are counted together
        entries.append(replace(entry, snippet=snippet, tags=entry.tags or concept_tags(entry.path, snippet)))
        asked.setdefault(plain(snippet), []).append(entry)
    for one in evidence.fresh:
        known = asked.get(plain(said_by(one.claim)), [])
        if known or one.recalls + len(one.days) >= least:
            entries.append(_as_entry(one, known))
    return entries


def _as_entry(one: Observed, known: Sequence[PeerRecall]) -> PeerRecall:
    """A claim as an entry. Recalls of other wordings are added; those of its own words stand in the store."""
    said = said_by(one.claim)
    days = tuple(sorted(date.fromisoformat(day) for day in one.days))
    last = datetime.combine(days[-1], time(23, 59, 59), UTC) if days else None
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
    found = sum(
        entry.total_score - entry.daily * (SESSION_SCORE if "/session-corpus/" in entry.path else DAILY_SCORE)
        for entry in known
    )
    return max(0.0, found) / max(1, sum(entry.recalls for entry in known))


def said_by(claim: Statement) -> str:
    """A claim as the recall store keeps it: behind what it hangs on."""
    return f"{claim.lead} > {claim.text}" if claim.lead else claim.text


def _is_news(entry: PeerRecall, last: datetime, live: Mapping[str, Statement], profile: Profile, now: datetime) -> bool:
    """Whether anything was said or asked since the last night. The peer's rules look at everything, once a night."""
    asked = entry.last_recalled if entry.recalls else None
    if asked and last < asked.replace(second=0, microsecond=0) <= now:  # what the clock has not reached is no news yet
        return True
    return plain(entry.snippet) in live if profile.counting == "contexts" else now - last >= _NIGHT


def _last_review(snapshot: Snapshot, now: datetime) -> datetime | None:
    try:
        said = datetime.strptime(snapshot.text_of(LAST_REVIEW).strip(), "%Y-%m-%d %H:%M")
    except ValueError:
        return None
    return said.replace(tzinfo=now.tzinfo)


def why_of(scored: Scored) -> str:
    """Score, gates and days in one sentence."""
    days, gates = scored.counted.days, {gate.name: gate for gate in scored.gates}
    when = (
        f"on {days[0]}" if len(days) == 1 else f"on {len(days)} days from {days[0]} to {days[-1]}" if days else "once"
    )
    asked = scored.entry.recalls
    recalled = f" and was asked for {asked} time{'s' if asked != 1 else ''}" if asked else ""
    return (
        f"it came up {when}{recalled}: score {fixed(scored.score, 3)} (needs {number(gates['score'].threshold)}), "
        f"{scored.counted.signals} signals ({number(gates['signals'].threshold)}), "
        f"{scored.counted.queries} questions and days ({number(gates['queries'].threshold)})"
        + (f"; {GROUNDED}" if scored.grounded else "")
    )
