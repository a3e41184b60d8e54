"""What a night tells besides what it does: the diary's entry, what each phase noticed, a model's receipt, the palace.

Words only; nothing is written here. Only a night with news has something to tell: the second over the same material is silent.
Everything is redacted, a fact that holds a mask is not retold, and what is told is never read back as evidence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING

from reverie.core.layout import Kind, diary_of, diary_path
from reverie.evidence.claims import Evidence
from reverie.features.diary.entry import (
    NightFacts,
    diary_entry,
    long_moment,
    narrative_may_stand,
    reflection_may_stand,
    shortened,
)
from reverie.features.diary.themes import Theme, ThemeLine, find_themes
from reverie.judge.brief import Prose, Reflection
from reverie.judge.by_model import general
from reverie.judge.operation import BUILT_IN, Op, Operation, words_after
from reverie.lang.detect import language_of
from reverie.night.judging import Judged
from reverie.openclaw.reports import deep_lines, light_lines, rem_lines
from reverie.plan import dream_log
from reverie.plan.build import possible
from reverie.plan.reports import Pages, entries_in
from reverie.privacy.redact import holds_mask, redacted
from reverie.workspace.values import File, Origin, Plan, Snapshot, Statement

if TYPE_CHECKING:
    from reverie.night.night import Night


def with_receipt(snapshot: Snapshot, night: Night, wanted: Judged) -> Plan:
    """The plan with what a model was asked for it, what it cost, and what became of its words."""
    if wanted.use is None:
        return night.plan
    accepted = Counter(str(one.op) for one in night.operations if one.by != BUILT_IN)
    dropped = Counter(general(one.why) for one in night.dropped if one.operation.by != BUILT_IN)
    use = replace(
        wanted.use,
        accepted=MappingProxyType(dict(accepted)),
        dropped=MappingProxyType({**dict(dropped), **dict(wanted.use.dropped)}),
    )
    return dream_log.with_receipt(snapshot, replace(night.plan, use=use))


def with_palace(snapshot: Snapshot, plan: Plan) -> Plan:
    """The plan with the views of the palace, where the owner wants them every night."""
    if not snapshot.workspace.settings.palace.nightly:
        return plan
    from reverie.features.palace.palace import (
        with_views,  # the judge and its weights, only for those who want the views each night
    )

    return with_views(snapshot, plan)


def with_pages(snapshot: Snapshot, plan: Plan, now: datetime) -> Plan:
    """The plan; what belongs together in memory is suggested as a page of knowledge (seed 003)."""
    if snapshot.workspace.home is not None:
        return plan
    from reverie.features.sublimate import with_proposals  # as above

    return with_proposals(snapshot, plan, now)


_SPEAKING = frozenset({Kind.DAILY, Kind.SESSION})
_TRUSTED = frozenset({Origin.OWNER, Origin.SESSION})
NO_PROSE = Prose()


def pages_of(
    snapshot: Snapshot,
    evidence: Evidence,
    operations: Sequence[Operation],
    now: datetime,
    refused: Mapping[str, int],
    prose: Prose = NO_PROSE,
) -> Pages:
    """The words of this night; none when nothing is new."""
    changes = _changes(snapshot, operations)
    if not evidence.fresh and not changes:
        return Pages()
    settings = snapshot.workspace.settings
    reporting = settings.storage.inline or settings.storage.in_files
    if not reporting and not settings.diary.enabled:
        return Pages()
    said = recent_lines(snapshot, now)
    themes = find_themes([seen for seen, _ in said])
    language = _language(snapshot, evidence)
    facts = _facts(snapshot, evidence, operations, themes, now)
    deep = deep_lines(changes, refused)
    return Pages(
        stamp=long_moment(now, now.tzinfo) if now.tzinfo else long_moment(now),
        entry=_entry(snapshot, facts, language, prose.diary),
        light=light_lines(
            evidence.fresh, evidence.recalls.values(), settings.privacy.kinds, settings.dreaming.light_limit
        )
        if reporting and "light" not in settings.dreaming.skip
        else (),
        rem=rem_lines(snapshot, evidence, changes, themes, said, language, now, _standing(prose, language))
        if reporting and "rem" not in settings.dreaming.skip
        else (),
        deep=deep,
    )


def _standing(prose: Prose, language: str) -> list[Reflection]:
    """The reflections of a judge that hold before the notes they cite."""
    return [one for one in prose.reflections if reflection_may_stand(one.text, one.cites, language)]


def recent_lines(snapshot: Snapshot, now: datetime) -> list[tuple[ThemeLine, Statement]]:
    """What people wrote in the notes of the last days, redacted, each line with the entry it comes from."""
    since = now.date() - timedelta(days=snapshot.workspace.settings.dreaming.rem_lookback_days)
    recent = [
        file
        for _, file in sorted(snapshot.files.items())
        if file.place.kind in _SPEAKING and file.place.day and since <= file.place.day <= now.date()
    ]
    return lines_of(recent, snapshot.workspace.settings.privacy.kinds)


def lines_of(files: Iterable[File], kinds: frozenset[str]) -> list[tuple[ThemeLine, Statement]]:
    """The lines of these notes that people wrote, redacted."""
    found = []
    for file in files:
        for entry in file.entries:
            if entry.origin in _TRUSTED and entry.text.strip():
                above = redacted(" > ".join((*entry.headings[-1:], *entry.parents)), kinds)
                found.append((ThemeLine(redacted(entry.text, kinds), file.path, file.place.day, above), entry))
    return found


def _changes(snapshot: Snapshot, operations: Sequence[Operation]) -> tuple[Operation, ...]:
    """The operations that change MEMORY.md tonight. Where its lines cannot be told apart, none does."""
    return tuple(one for one in possible(snapshot, operations) if one.op is not Op.ASK)


def _language(snapshot: Snapshot, evidence: Evidence) -> str:
    memory, settings = snapshot.files.get(snapshot.memory_path), snapshot.workspace.settings
    known = [entry.text for entry in memory.entries if entry.origin is Origin.OWNER] if memory else []
    return (
        settings.diary.language
        or settings.language
        or language_of([*known, *(one.claim.text for one in evidence.fresh)])
    )


def _facts(
    snapshot: Snapshot, evidence: Evidence, operations: Sequence[Operation], themes: Sequence[Theme], now: datetime
) -> NightFacts:
    changes = _changes(snapshot, operations)
    days = [one.claim.day for one in evidence.fresh if one.claim.day]
    return NightFacts(
        day=date.fromisoformat(max(days)) if days else now.date(),  # what was read, not when
        themes=_tellable(snapshot, (theme.phrase for theme in themes)),
        added=_tellable(snapshot, (one.text for one in changes if one.op is Op.ADD)),
        updated=_tellable(snapshot, (words_after(one) for one in changes if one.op is Op.UPDATE)),
        retired=_tellable(snapshot, (one.target.text for one in changes if one.op is Op.END and one.target)),
        questions=_tellable(snapshot, (one.text for one in operations if one.op is Op.ASK)),
        notes=len({one.claim.path for one in evidence.fresh}),
    )


def _tellable(snapshot: Snapshot, texts: Iterable[str]) -> tuple[str, ...]:
    kinds = snapshot.workspace.settings.privacy.kinds
    return tuple(text for text in texts if text.strip() and redacted(text, kinds) == text and not holds_mask(text))


def _entry(snapshot: Snapshot, facts: NightFacts, language: str, narrative: str) -> str:
    """The night as a paragraph: a model's, if it holds before these facts, else our own."""
    if not snapshot.workspace.settings.diary.enabled:
        return ""
    facts, earlier = _not_told_yet(snapshot, facts)
    if not happened(facts):
        return ""
    # It was written on what the night found so far; what has left the night since must not be told.
    if narrative and narrative_may_stand(narrative, facts, language, earlier):
        return narrative
    style = snapshot.workspace.settings.diary.style
    return diary_entry(facts, language=language, earlier=earlier, style=style)


def _not_told_yet(snapshot: Snapshot, facts: NightFacts) -> tuple[NightFacts, tuple[str, ...]]:
    """The facts, and the former entries, moved out or not. A question that stays open is told once; every night would be nagging."""
    places = (diary_of(facts.day.year), diary_path(snapshot.files))
    earlier = tuple(entry for path in places for entry in entries_in(snapshot.text_of(path)))
    fresh = tuple(asked for asked in facts.questions if not any(shortened(asked) in told for told in earlier))
    return replace(facts, questions=fresh), earlier


def happened(facts: NightFacts) -> bool:
    """Whether there is something to tell besides that notes were read; a diary of quiet nights is read by nobody."""
    return any((facts.themes, facts.added, facts.updated, facts.retired, facts.questions))
