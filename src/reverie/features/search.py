"""Questions to the memory: search, and the index behind it. Writes no file of the owner's.

A search first looks whether files changed, brings the index up to date, and answers. Whatever goes wrong with the index
or the embedder, there is an answer, and it says what it lacks.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import lru_cache
from pathlib import Path

from reverie.core.durable import make_folders, read_plain
from reverie.core.errors import RefusedFile, WriteFailed
from reverie.core.layout import INDEX_DB, LAST_DREAM, SUGGESTIONS
from reverie.core.ports import Clock, Embedder
from reverie.core.settings import Search
from reverie.evidence.index import Index, Open, Updated, borrowed, remove_index
from reverie.evidence.journal import record_search
from reverie.evidence.ranking import is_memory
from reverie.evidence.relevance import AskedDay, asked_day
from reverie.evidence.search import DEEPER, DOUBTFUL, Answer, Hit, Indexed, Scanned, View, days_first
from reverie.features.as_of import NIGHT, Past, view_of
from reverie.features.status import unread_memory
from reverie.features.versions import NEWER, newest_first
from reverie.judge.leaving import end_of, holds, is_over, start_of
from reverie.judge.relation import key_of
from reverie.judge.worth import THRESHOLDS, about_same
from reverie.lang.messages import say
from reverie.night.live_lines import LiveClaims, claims_in, forgotten_of
from reverie.plan.suggested import Doubt, line_words, outdated_lines
from reverie.text.terms import bag, plain, values_in
from reverie.workspace.reader import Stamp, Watch, read_changes, read_one
from reverie.workspace.values import File, Group, Origin, Refusal, Statement, Workspace

Progress = Callable[[int], None]
PATIENCE = 0.2  # seconds for which a question waits for vectors of lines that have none
NEAR = 0.5  # of the best chance: a line in force that is so likely stands before one that is not
_SHARED = 2 / 3  # of the words of the shorter of two lines that tell the same matter
LOOKS = 3  # the words of a hit are read from its file, which may change between the index and the reading: then nothing is found


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What bringing the index up to date came to."""

    updated: Updated
    claims: int
    refused: tuple[Refusal, ...]


def ask(
    workspace: Workspace,
    embedder: Embedder | None,
    clock: Clock,
    question: str,
    *,
    limit: int = 6,
    min_score: float = 0.0,
    record: bool = True,
    on_read: Progress | None = None,
    past: Past | None = None,
) -> Answer:
    """Search memory, archive and content index. Always answers; `degraded` says what is missing and why.

    `min_score` is the chance of answering that a line needs.

    A question about a day ("what did we do last Tuesday") has the lines of that day's note first. With `past`, the memory of
    another day answers; that is no recall.
    """
    if past is not None:
        day = asked_day(question, past.day)
        answer = found(view_of(past), question, limit, min_score, day, since=past.since, today=past.day)
        return replace(answer, hits=tuple(_told(hit, past.day) for hit in answer.hits))
    today, since = clock.now().date(), last_night(workspace, clock.now())
    day = asked_day(question, today)
    try:
        for _ in range(LOOKS):
            with fresh_index(workspace, embedder, on_read) as (index, updated):
                answer = found(Indexed(index), question, limit, min_score, day, since=since, today=today)
            if answer.hits:
                break
        if updated.waiting and not answer.degraded:
            missing = say("search.vectors_waiting", n=updated.waiting)
            trouble = say("search.no_vectors", error=updated.trouble) if updated.trouble else missing
            answer = replace(answer, degraded=trouble)
    except (sqlite3.Error, OSError, RefusedFile) as error:
        view = Scanned(list(every_claim(workspace)), say("search.no_index", error=error))
        answer = found(view, question, limit, min_score, day, since=since, today=today)
        remove_if_damaged(workspace, error)
    if unread := unread_memory(workspace.folder):
        answer = replace(answer, degraded=unread)
    doubted = _doubted(answer.hits, doubted_lines(workspace))
    answer = replace(answer, hits=tuple(_told(hit, today) for hit in doubted))
    if record:
        met = [hit for hit in answer.hits if hit.text_score or hit.score >= 1 or hit.chance >= DOUBTFUL]
        record_search(workspace.root, question, met, clock.now(), workspace.settings.privacy.kinds)
    return answer


def found(
    view: View,
    question: str,
    limit: int,
    min_score: float = 0.0,
    day: AskedDay | None = None,
    *,
    before: str = "",
    since: str = "",
    today: date,
) -> Answer:
    """What a memory answers, for search and for recall: the lines of the day that was asked for, the newest version first.

    What is over or still to come takes the place of nothing, and does not stand first where another line answers as well.
    """
    deep = limit if day is None or day.whole else limit * DEEPER
    answer = view.find(question, max(deep, NEWER), before)
    kept = _owners_once([hit for hit in answer.hits if hit.chance >= min_score])
    if day is not None:
        return days_first(replace(answer, hits=tuple(kept)), day, view.noted(day.days) if day.whole else (), limit)
    valid = {hit.claim for hit in kept if holds(hit.claim.text, hit.claim.headings, today)}
    hits = list(newest_first(question, kept, limit, since, valid))
    first = next((hit for hit in hits if hit.claim in valid and hit.chance >= NEAR * hits[0].chance), None)
    if first is not None and hits[0].claim not in valid:
        hits.insert(0, hits.pop(hits.index(first)))
    return replace(answer, hits=tuple(hits))


def _owners_once(hits: Sequence[Hit]) -> list[Hit]:
    """Without what the team says in the very words of the owner's memory."""
    own = {hit.claim.key for hit in hits if hit.claim.group is Group.MEMORY}
    return [hit for hit in hits if hit.claim.group is not Group.TEAM or hit.claim.key not in own]


def owners_word_first(hits: Sequence[Hit]) -> Sequence[Hit]:
    """Without what the team says where the owner's memory tells the same matter otherwise. One that only tells more of it stays."""
    own = [hit.claim.text for hit in hits if is_memory(hit.claim)]
    pairs = [
        (hit, mine) for hit in hits if hit.claim.group is Group.TEAM for mine in own if _differs(mine, hit.claim.text)
    ]
    chances = about_same([(mine, hit.claim.text) for hit, mine in pairs], None) if pairs else ()
    against = {
        hit.place
        for (hit, mine), chance in zip(pairs, chances, strict=True)
        if chance >= THRESHOLDS["about"] or _have_one_key(mine, hit.claim.text)
    }
    return [hit for hit in hits if hit.place not in against]


def _differs(mine: str, theirs: str) -> bool:
    """Whether two lines share a key or most of their words, and the other one leaves out a word or a value of this one."""
    one, other = bag(mine), bag(theirs)
    most = _have_one_key(mine, theirs) or len(one & other) >= _SHARED * min(len(one), len(other))
    return bool(one & other) and most and not (one <= other and values_in(mine) <= values_in(theirs))


def _have_one_key(one: str, other: str) -> bool:
    """`Deploys: …` twice: the same matter, whatever follows."""
    return bool(key_of(one)) and key_of(one) == key_of(other)


def last_night(workspace: Workspace, now: datetime) -> str:
    """The day whose notes the last night had read; none if there was no night."""
    path = workspace.root / LAST_DREAM
    try:
        night = _written_at(path, path.lstat().st_mtime_ns)
    except (OSError, ValueError):
        return ""
    return (night.astimezone(now.tzinfo) - NIGHT).date().isoformat()


@lru_cache(maxsize=16)
def _written_at(path: Path, _changed: int) -> datetime:
    return datetime.fromisoformat(read_plain(path).decode().strip())


def doubted_lines(workspace: Workspace) -> Mapping[str, Doubt]:
    """The lines of memory that are most likely outdated and nobody has decided about yet."""
    file = read_one(workspace, SUGGESTIONS)
    return outdated_lines(file.text) if isinstance(file, File) else {}


def ended(hit: Hit, today: date) -> str:
    """The last day of a line, by its own word, if that is past: what the next night archives where it stands in memory."""
    end = end_of(hit.claim.text) if is_over(hit.claim.text, hit.claim.headings, today) else None
    return end.isoformat() if end else ""


def to_come(hit: Hit, today: date) -> str:
    """The first day of a line, by its own word, if that has not come yet."""
    start = start_of(hit.claim.text)
    return start.isoformat() if start is not None and start > today else ""


def term_of(hit: Hit, today: date) -> str:
    """In words, that a line is past its own last day or waits for its first; nothing where it says neither."""
    if day := ended(hit, today):
        return say("hit.expired", day=day)
    day = to_come(hit, today)
    return say("time.not_yet", day=day) if day else ""


def _told(hit: Hit, today: date) -> Hit:
    """The hit; its reason also says that it is past its own last day or not yet valid, or somebody else's words."""
    why = say("found.and").join(filter(None, (hit.why, term_of(hit, today), _whose(hit.claim))))
    current = hit.current if holds(hit.claim.text, hit.claim.headings, today) else False
    return replace(hit, expired=ended(hit, today), valid_from=to_come(hit, today), current=current, why=why)


def _whose(claim: Statement) -> str:
    if claim.group is Group.TEAM:
        return say("hit.team")
    if claim.origin is not Origin.QUOTED:
        return ""
    return say("hit.sender", name=claim.sender) if claim.sender else say("hit.stranger")


def _doubted(hits: Sequence[Hit], doubts: Mapping[str, Doubt]) -> tuple[Hit, ...]:
    """The hits; a line of memory that is most likely outdated is marked as no longer current, and does not stand first."""
    if not doubts:
        return tuple(hits)
    words = [plain(line_words(hit.claim.text)) if is_memory(hit.claim) else "" for hit in hits]
    marked = [
        replace(hit, current=False, superseded_by=doubts[its].place) if its in doubts else hit
        for hit, its in zip(hits, words, strict=True)
    ]
    first = [hit for hit, its in zip(marked, words, strict=True) if its not in doubts]
    return (*first[:1], *(hit for hit in marked if hit is not (first[0] if first else None)))


@contextmanager
def fresh_index(
    workspace: Workspace, embedder: Embedder | None, on_read: Progress | None = None
) -> Iterator[tuple[Index, Updated]]:
    """The index as the files are now, open; vectors that are missing are made for a moment only."""
    _make_root(workspace)
    with borrowed(workspace.root, embedder) as held:
        watch = held.memory = _watch(workspace, held)
        updated = bring_up_to_date(workspace, held.index, on_read, watch, patience=PATIENCE)[0]
        yield held.index, updated


def _make_root(workspace: Workspace) -> None:
    """Where a host keeps the memory, `root` is ours and may not be there yet; any other root that is gone stays gone."""
    if workspace.home is not None:
        make_folders(workspace.root)


def remove_if_damaged(workspace: Workspace, error: Exception) -> None:
    """A damaged index is derived: it goes, and the next question builds it anew. A busy one stays."""
    if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
        remove_index(workspace.root)


def every_claim(workspace: Workspace) -> Iterator[Statement]:
    """What stands in the files, read now and without an index."""
    changed, _, _ = read_changes(workspace, {})
    kinds, gone = workspace.settings.privacy.kinds, forgotten_of(workspace)
    for seen in changed.values():
        yield from claims_in(seen.file, kinds, gone)


def reindex(
    workspace: Workspace, embedder: Embedder | None, *, force: bool = False, on_read: Progress | None = None
) -> Reindexed:
    """Bring the index up to date; with `force`, from nothing."""
    _make_root(workspace)
    if force:
        remove_index(workspace.root)
    try:
        with Index(workspace.root, embedder) as index:
            updated, refused = bring_up_to_date(workspace, index, on_read)
            return Reindexed(updated, index.count(), refused)
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):  # a disk or a folder that lets nothing be written
            raise WriteFailed(say("errors.disk", path=workspace.root / INDEX_DB, why=error)) from None
        if force:
            raise
        return reindex(workspace, embedder, force=True, on_read=on_read)


def _watch(workspace: Workspace, held: Open) -> Watch:
    """What this process remembers of the files; nothing, if the index was changed by another one."""
    if isinstance(held.memory, Watch) and held.memory.workspace == workspace:
        return held.memory
    return Watch(workspace, held.index.seen())


def bring_up_to_date(
    workspace: Workspace,
    index: Index,
    on_read: Progress | None,
    watch: Watch | None = None,
    patience: float | None = None,
) -> tuple[Updated, tuple[Refusal, ...]]:
    """Bring an open index up to what stands in the files; with `patience`, some lines may be left without a vector."""
    watch = watch or Watch(workspace, index.seen())
    live = index.read = LiveClaims(workspace)
    forgets = " ".join(sorted(live.gone.names))
    if index.forgets() != forgets:  # what was read before may say what nobody may tell any more
        watch.look_again()
    changed, gone, refused = watch.changes(on_read)
    rows: dict[str, tuple[Stamp, Iterator[Statement] | None]] = {}
    while changed:  # each file is let go when its claims are indexed: a hundred years of notes do not fit in memory
        path, seen = changed.popitem()
        same = watch.known.get(path, ("",))[0] == seen.file.hash
        rows[path] = seen.stamp, None if same else _claims(live, seen.file)
        del seen
    stamps = {path: stamp for path, (stamp, _) in rows.items()}
    if rows or gone:
        updated = index.update(rows, gone, patience=patience, forgets=forgets)
    else:
        done, waiting, trouble = index.embed_waiting(patience)
        updated = Updated(embedded=done, waiting=waiting, trouble=trouble)
    watch.settle(stamps, gone)
    return updated, refused


def _claims(live: LiveClaims, file: File) -> Iterator[Statement]:
    """The claims of a file, parsed when they are asked for."""
    yield from live.kept(file)


def chosen_embedder(settings: Search, cache: Path | None, environ: Mapping[str, str]) -> Embedder | None:
    """The embedder the owner set; the embedded one unless another is named. Loads nothing before it is used."""
    if settings.embedder == "off":
        return None
    if settings.embedder == "embedded":
        return default_embedder(cache)
    from reverie.evidence.embedders import RemoteEmbedder  # only for those who chose a server

    return RemoteEmbedder(settings, environ.get(settings.key_variable, ""))


def default_embedder(cache: Path | None) -> Embedder:
    from reverie.evidence.embedders import StaticEmbedder  # numpy and the tables, only for those who search

    return StaticEmbedder(cache)


__all__ = ["Answer", "Hit"]
