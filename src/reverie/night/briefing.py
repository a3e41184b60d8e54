"""SNAPSHOT and EVIDENCE → BRIEF: what a night has to decide on. Both lanes, distillation and recall, end here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from datetime import date, datetime, timedelta
from types import MappingProxyType

from reverie.apply.runs import runs, runs_since
from reverie.core.layout import LAST_DREAM, Kind, holds_memory, imports_of, place_of
from reverie.core.ports import Clock
from reverie.core.settings import STYLES, Settings
from reverie.evidence.claims import Evidence, Observed
from reverie.evidence.reminded import reminded
from reverie.features.forget.plan import owner_removed
from reverie.judge.brief import DIARY, INDEX, REFLECTIONS, Brief, MemoryLine, NoteLine, Room
from reverie.judge.compose import owner_words
from reverie.judge.forgotten import forgotten_in, statement
from reverie.judge.operation import Operation, answer_group
from reverie.judge.recurring import LogRecord, log_records, returned_lines
from reverie.judge.relation import key_of
from reverie.judge.reminders import reminder_in
from reverie.lang import ENGLISH
from reverie.lang.detect import language_of
from reverie.night.claude_index import leading_lines
from reverie.night.live_lines import read_remembered
from reverie.openclaw.deep import numbers_of, weigh_tonight, why_of
from reverie.plan.asked import asked_before
from reverie.plan.authors import Authors, author_of, authors_in, made_from
from reverie.plan.enter import is_over_topic
from reverie.plan.ledger import removed_entries
from reverie.plan.suggested import leaning, suggestions_in
from reverie.privacy.redact import holds_mask, holds_secret, opens_something
from reverie.text.lines import bare
from reverie.text.marks import is_footer, protected_blocks
from reverie.text.sections import OURS, is_title, measured, section_names, sections_of
from reverie.text.terms import plain
from reverie.workspace.claude_topics import topic_files, topic_name
from reverie.workspace.named_paths import missing_in
from reverie.workspace.openclaw_format import Promoted
from reverie.workspace.values import (
    Author,
    File,
    Origin,
    Removed,
    Run,
    Snapshot,
    Source,
    Statement,
    Workspace,
    author_named,
)

LATEST_RUNS = 90  # whose new lines the owner may have taken back
_LEFT_OUT = frozenset({Origin.FENCED.value, Origin.MACHINE.value})
# Files about a topic are the owner's own filing, an archive of theirs among them: nothing of it is news.
_NOTES = frozenset({Kind.DAILY, Kind.SESSION, Kind.CORPUS, Kind.LOG})


def brief_of(workspace: Workspace, clock: Clock) -> Brief:
    """The brief of the night that would come now. Writes nothing."""
    from reverie.night.remember import evidence_of  # the index, only for those who look

    snapshot = read_remembered(workspace)
    return make_brief(snapshot, evidence_of(snapshot), clock.now())


def make_brief(snapshot: Snapshot, evidence: Evidence, now: datetime) -> Brief:
    """Everything there is to decide, as one value. The same material gives the same brief."""
    memory, topics = snapshot.files.get(snapshot.memory_path), tuple(topic_files(snapshot))
    told = {key: entry.text for file in snapshot.memories for entry in file.entries if (key := key_of(entry.text))}
    fresh, machine = note_lines(snapshot, evidence, now, told)
    past = _runs_of(snapshot, fresh)
    authors = authors_in(past)
    everything = [replace(note, by=_noted_by(snapshot, note, authors)) for note in fresh]
    notes = tuple(note for note in everything if not _is_too_old(snapshot, note, now))
    context = tuple(file for _, file in sorted(snapshot.files.items()) if file.place.kind is Kind.CONTEXT)
    lines = memory_lines(memory, (*topics, *context), leading_lines(snapshot), made_from(past))
    said = [line.entry.text for line in lines] + [note.claim.text for note in notes]
    language, settings = language_of(said), snapshot.workspace.settings
    archived = _archived(snapshot) if notes else ()
    settled = {one: reminder for one in archived if (reminder := reminder_in(one.text))}
    return Brief(
        today=now.date(),
        memory=lines,
        notes=notes,
        returned=returned_lines([one for one in archived if one not in settled], notes, evidence.embedder),
        room=_room(snapshot, memory),
        sections=_sections(snapshot, memory, topics, now.date()),
        rules=snapshot.workspace.settings.custom_rules,
        logged=_logged(snapshot, notes),
        asked=asked_before(snapshot),
        reminded=reminded(snapshot.workspace.root),
        settled={reminder.key: one.at[:10] for one, reminder in settled.items()},
        machine=machine,
        too_old=len(everything) - len(notes),
        language=language,
        since=snapshot.text_of(LAST_DREAM)[:10],
        diary_language=told_in if (told_in := settings.diary.language or settings.language) != language else "",
        diary_style=settings.diary.style if settings.diary.style != STYLES[0] else "",
        tells=_prose_wanted(settings),
        leaning=leaning_of(snapshot),
        missing={line.id: found[0] for line in lines if (found := missing_in(snapshot, line.text))},
        file=memory,
        topics=topics,
        embedder=evidence.embedder or snapshot.workspace.embedder,
    )


def _archived(snapshot: Snapshot) -> tuple[Removed, ...]:
    """What left memory and may be called back; what was forgotten for ever may not."""
    gone = forgotten_in(snapshot)
    return tuple(one for one in removed_entries(snapshot) if not gone.is_gone(one.text))


def leaning_of(snapshot: Snapshot) -> Mapping[str, float]:
    """What the owner's answers say of each kind: accepted, declined, and new lines that they took back or deleted."""
    past = runs(snapshot.workspace, LATEST_RUNS)
    deleted = owner_removed(snapshot, past)
    edits = [
        (edit, bool(run.undone_by) or any(statement(line) in deleted for line in edit.new))
        for run in past
        for edit in run.plan.edits
        if holds_memory(edit.path) and edit.tag == "added"
    ]
    return leaning(
        suggestions_in(snapshot), [answer_group("add", edit.detail or edit.why) for edit, unwanted in edits if unwanted]
    )


def _prose_wanted(settings: Settings) -> tuple[str, ...]:
    """What a judge who writes is asked to tell besides."""
    wanted = {DIARY: settings.diary.enabled, REFLECTIONS: settings.storage.inline or settings.storage.in_files}
    return tuple(kind for kind, is_wanted in wanted.items() if is_wanted and settings.model.write)


def with_cited(brief: Brief, operations: Sequence[Operation]) -> Brief:
    """The brief with the lines that operations of an earlier night cite, so that they can be checked like tonight's."""
    known, told = {note.claim.key for note in brief.notes}, {key_of(line.text): line.text for line in brief.memory}
    cited = {claim.key: claim for one in operations for claim in one.cites if claim.key not in known}
    more = [
        NoteLine(
            f"w{number}",
            claim,
            (claim.day,),
            (claim.source,),
            quoted=claim.origin == Origin.QUOTED.value,
            beside=_beside(claim, told),
        )
        for number, claim in enumerate(cited.values(), 1)
        if not (holds_mask(claim.text) or opens_something(claim.text, _beside(claim, told)))
    ]
    return replace(brief, notes=(*brief.notes, *more))


def memory_lines(
    memory: File | None,
    beside: Sequence[File] = (),
    leading: Set[Source] = frozenset(),
    made: Mapping[str, Set[Source]] = MappingProxyType({}),
) -> tuple[MemoryLine, ...]:
    """The statements of memory. What speaks of access is not shown to any judge, and so never changes.

    `beside` are a host's topic files and what its owner wrote for it, which no judge changes; nor do they change the lines of its
    index that lead to topics (`leading`), which the night keeps itself and which leave only with their topics.
    """
    files = (*((memory,) if memory else ()), *beside)
    shown = [(file, entry) for file in files for entry in file.entries if _is_shown(entry)]
    return tuple(
        MemoryLine(
            f"m{number}",
            entry,
            _fixed(entry) or (INDEX if entry.source in leading else _context(entry)),
            frozenset(made.get(bare(file.document.lines[entry.block.first]).strip(), ())) if made else frozenset(),
        )
        for number, (file, entry) in enumerate(shown, 1)
    )


def _beside(claim: Statement, told: Mapping[str, str]) -> str:
    key = key_of(owner_words(claim.text))
    return told.get(key, "") if key else ""


def note_lines(
    snapshot: Snapshot, evidence: Evidence, now: datetime, told: Mapping[str, str]
) -> tuple[tuple[NoteLine, ...], int]:
    """What is new, by day and place, with what the recall lane brings; and how many lines machines wrote. `told`: memory by its keys."""
    ticked = {entry.source for file in _new_files(snapshot, evidence) for entry in file.entries if entry.block.checked}
    machine, lines = 0, dict[Source, NoteLine]()
    promoted = _promoted(snapshot, evidence, now)
    for one in evidence.fresh:
        claim = one.claim
        if claim.origin in _LEFT_OUT or place_of(claim.path).kind not in _NOTES:
            machine += claim.origin == Origin.MACHINE.value
        elif not (holds_mask(claim.text) or opens_something(claim.text, beside := _beside(claim, told))):
            note = _note(one, promoted.pop(plain(claim.text), None), ticked=claim.source in ticked)
            lines[claim.source] = replace(note, beside=beside)
    for claim, numbers, why in promoted.values():
        quoted = claim.origin == Origin.QUOTED.value
        lines.setdefault(
            claim.source,
            NoteLine("", claim, (claim.day,), (claim.source,), quoted=quoted, promoted=numbers, recalled=why),
        )
    ordered = sorted(lines.values(), key=lambda note: (note.claim.day, note.claim.path, note.claim.first))
    return tuple(replace(note, id=f"n{number}") for number, note in enumerate(ordered, 1)), machine


def _is_too_old(snapshot: Snapshot, note: NoteLine, now: datetime) -> bool:
    """Said before the days that the owner wants a night to look at."""
    days = snapshot.workspace.settings.dream.lookback_days
    since = (now.date() - timedelta(days=days)).isoformat() if days else ""
    return bool(note.claim.day) and note.claim.day < since and not _has_no_window(note.claim.path)


def _has_no_window(path: str) -> bool:
    """Logs have none (seed 001), and neither has what the owner imports on purpose."""
    return place_of(path).kind is Kind.LOG or bool(imports_of(path))


def _runs_of(snapshot: Snapshot, notes: Sequence[NoteLine]) -> tuple[Run, ...]:
    """The runs that may have written these notes, or lines of memory from them: none is older than its note."""
    days = [note.claim.day for note in notes if place_of(note.claim.path).kind is Kind.DAILY]
    return tuple(runs_since(snapshot.workspace, min(days))) if days else ()


def _noted_by(snapshot: Snapshot, note: NoteLine, authors: Authors) -> str:
    """The agent or program whose word alone this is; empty as soon as the owner, or a file of the owner's, says it too."""
    if note.claim.origin == Origin.SESSION.value:
        return str(Author("agent", "session"))
    found = [author_of(snapshot, source, authors) for source in (note.claim.source, *note.sources)]
    return "" if any(not name or author_named(name).is_owner for name in found) else found[0]


_Led = tuple[Statement, Promoted, str]


def _promoted(snapshot: Snapshot, evidence: Evidence, now: datetime) -> dict[str, _Led]:
    """What was asked for or said often enough to pass the gates of the recall lane, by its words."""
    if not (evidence.fresh or evidence.recalls):
        return {}
    found = weigh_tonight(snapshot, evidence, now)
    return {
        plain(one.claim.text): (one.claim, numbers_of(one.scored), why_of(one.scored))
        for one in found
        if not one.reason and one.claim
    }


def _note(one: Observed, led: _Led | None, *, ticked: bool) -> NoteLine:
    quoted = one.claim.origin == Origin.QUOTED.value
    numbers, told = (led[1], led[2]) if led else (None, "")
    return NoteLine("", one.claim, one.days, one.sources, one.recalls, one.queries, quoted, ticked, numbers, told)


def _new_files(snapshot: Snapshot, evidence: Evidence) -> Sequence[File]:
    paths = {one.claim.path for one in evidence.fresh}
    return [snapshot.files[path] for path in sorted(paths) if path in snapshot.files]


def _is_shown(entry: Statement) -> bool:
    """A statement of the owner's, or one that a dream wrote as a line of memory; not our own list and not a secret."""
    text = OURS.sub("", entry.text).strip()
    return entry.origin is not Origin.DREAM and bool(text) and not holds_secret(text) and not holds_mask(text)


def _context(entry: Statement) -> str:
    return "context" if place_of(entry.path).kind is Kind.CONTEXT else ""


def _fixed(entry: Statement) -> str:
    if entry.protected:
        return "protected"
    if entry.origin is not Origin.OWNER:
        return "quoted" if entry.origin is Origin.QUOTED else "code"
    return "footer" if is_footer(entry.text) else ""


def _room(snapshot: Snapshot, memory: File | None) -> Room:
    limits = snapshot.workspace.settings.memory
    units, lines = measured(memory.document) if memory else (0, 0)
    return Room(units, lines, limits.target_size, limits.hard_limit, limits.max_lines)


def _sections(snapshot: Snapshot, memory: File | None, topics: Sequence[File], today: date) -> tuple[str, ...]:
    """The headings that take new lines; where a host keeps topic files, those of the topics that are not over. An empty memory offers
    the names of our own areas."""
    if topics:
        live = (file for file in topics if not is_over_topic(file, today))
        named = ((topic_name(file.path, file.text), *_open_headings(snapshot, file)) for file in live)
        return tuple(dict.fromkeys(name for names in named for name in names))
    if memory is None or not memory.text.strip():
        return section_names()[ENGLISH]
    return tuple(dict.fromkeys(_open_headings(snapshot, memory)))


def _open_headings(snapshot: Snapshot, file: File) -> list[str]:
    """The headings of a file that its owner does not protect, and that are more than its title."""
    shielded = protected_blocks(file.document, snapshot.workspace.settings.protected_sections)
    opened = [one for one in sections_of(file.document) if one.index not in shielded]
    return [one.heading for one in opened if len(opened) == 1 or not is_title(file.document, one)]


def _logged(snapshot: Snapshot, notes: Sequence[NoteLine]) -> tuple[LogRecord, ...]:
    """Every record of the logs, as soon as one of them has something new."""
    if not any(place_of(note.claim.path).kind is Kind.LOG for note in notes):
        return ()
    files = [file for _, file in sorted(snapshot.files.items()) if file.place.kind is Kind.LOG]
    found = [
        one for file in files for one in log_records(file) if not (holds_secret(one.text) or holds_secret(one.rule))
    ]
    return tuple(sorted(found, key=lambda one: (one.day, one.source.path, one.source.first)))[-MOST_LOGGED:]


MOST_LOGGED = 1_000  # newest records that are compared; a mistake that comes back does so before that

__all__ = ["brief_of", "make_brief", "memory_lines", "note_lines", "with_cited"]
