"""SNAPSHOT → EVIDENCE: what happens before a night decides. It writes no file of the owner's.

A sweep hears new conversations, brings the index up to date and folds the recall journal. Then everything that is known
about the statements of new notes is gathered. A dry run does the same over a copy of the index that is thrown away. The index and
the recall store keep no words: what a line says is read from its file when somebody wants to see it, each file once.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

from reverie.core.errors import RefusedFile
from reverie.core.layout import INDEX_DB, JOURNAL, PEER_JOURNAL, place_of
from reverie.core.ports import Clock
from reverie.evidence.claims import Evidence, claims_of, without_routine
from reverie.evidence.gather import copy_index, gather, gather_plainly
from reverie.evidence.index import Index, Updated, remove_index
from reverie.evidence.recall_store import Folded, fold
from reverie.evidence.session_corpus import Ingested, append_turns, read_cursors
from reverie.features.search import bring_up_to_date
from reverie.judge.forgotten import forgotten_in
from reverie.lang.messages import say
from reverie.night.live_lines import LiveClaims, forgotten_of, recall_state
from reverie.openclaw.recall_lane import light_and_rem
from reverie.workspace.news import unjudged
from reverie.workspace.openclaw_format import PeerState, questions_in
from reverie.workspace.sessions import find_transcripts
from reverie.workspace.transcripts import Transcript, read_transcript
from reverie.workspace.values import Refusal, Snapshot, Statement, Workspace

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep came to: conversations heard, lines indexed, recalls folded."""

    heard: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    indexed: Updated = field(default_factory=Updated)
    folded: Folded = field(default_factory=Folded)
    trouble: str = ""


def sweep(workspace: Workspace, clock: Clock, on_read: Progress | None = None, *, asleep: bool = True) -> Swept:
    """What happens before a night decides: hear new conversations, index what changed, fold the recall journal.

    `asleep`, light then stages what is new, and light and REM leave their marks; a look by day does without. A folder
    without conversations, searches and an embedder has nothing to sweep, and nothing is written.
    """
    heard = hear(workspace, clock)
    asked = any((workspace.root / journal).exists() for journal in (JOURNAL, PEER_JOURNAL))
    if workspace.embedder is None and not asked and not heard.appended:
        return Swept(heard.appended, heard.left_out)
    try:
        with Index(workspace.root, workspace.embedder) as index:
            indexed, _ = bring_up_to_date(workspace, index, on_read)
            folded = fold(workspace.root, clock.now())
            if asleep:
                light_and_rem(
                    workspace, _lately(index, clock.now(), workspace.settings.dreaming.light_ttl_days), clock.now()
                )
    except (sqlite3.Error, OSError, RefusedFile) as error:
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
            remove_index(workspace.root)  # damaged: derived, so the next one who needs it builds it anew
        return Swept(heard.appended, heard.left_out, trouble=say("notice.no_index", error=error))
    return Swept(heard.appended, heard.left_out, indexed, folded, indexed.trouble)


def hear(workspace: Workspace, clock: Clock) -> Ingested:
    """Append what was said since last time to the session corpus, exactly once."""
    folders = [Path(folder).expanduser() for folder in workspace.settings.transcripts]
    known = read_cursors(workspace.root) if folders else {}
    found: list[Transcript] = []
    for path, real, agent in find_transcripts(folders):
        cursor = known.get(path)
        while True:
            read = read_transcript(real, path, agent, cursor)
            if isinstance(read, Refusal):
                break
            found.append(read)
            cursor = read.cursor
            if not read.more:
                break
    if not found:
        return Ingested()
    kinds = workspace.settings.privacy.kinds
    return append_turns(
        workspace.root, found, clock.now().tzinfo, now=clock.now(), kinds=kinds, gone=forgotten_of(workspace).is_gone
    )


def evidence_of(snapshot: Snapshot, *, keep: bool = False) -> Evidence:
    """All that is known about what is new in this snapshot. Without an index the notes themselves must do.

    With `keep` the workspace's own index is brought up to date; without it a copy is, and nothing is written.
    """
    workspace = snapshot.workspace
    kinds = workspace.settings.privacy.kinds
    told = [claim for file in unjudged(snapshot) for claim in claims_of(file, kinds)]
    state = recall_state(workspace, snapshot.files, told)
    fresh, machines = without_routine(told)
    state = replace(
        state,
        doubts=(
            *state.doubts,
            *(say("notice.routine", n=n, path=path) for path, n in machines.items()),
        ),
    )
    if not fresh or (workspace.embedder is None and not (workspace.root / INDEX_DB).exists()):
        everything = (claim for file in snapshot.files.values() for claim in claims_of(file, kinds)) if fresh else ()
        plainly = gather_plainly(fresh, everything, state.recalls)
        return Evidence(plainly, state.recalls, state.signals, questions=questions_in(state), doubts=state.doubts)
    try:
        return _gathered(snapshot, fresh, state, "kept" if keep else "copied")
    except (sqlite3.Error, OSError, RefusedFile) as error:  # damaged or locked: a night does not wait for an index
        return replace(_gathered(snapshot, fresh, state, "new"), trouble=say("notice.no_index", error=error))


def _gathered(snapshot: Snapshot, fresh: Sequence[Statement], state: PeerState, how: str) -> Evidence:
    workspace = snapshot.workspace
    with _index(workspace, how) as index:
        updated = _up_to(snapshot, index)
        index.read = LiveClaims(workspace, snapshot.files)
        found = gather(index, fresh, state.recalls)
        return Evidence(
            found, state.recalls, state.signals, workspace.embedder, updated.trouble, questions_in(state), state.doubts
        )


def _up_to(snapshot: Snapshot, index: Index) -> Updated:
    """Bring the index up to the snapshot; a sweep has mostly done it, and then no file is looked at again."""
    seen, forgets = index.seen(), " ".join(sorted(forgotten_in(snapshot).names))
    if (
        forgets == index.forgets()
        and len(seen) == len(snapshot.files)
        and all(path in seen and seen[path][0] == file.hash for path, file in snapshot.files.items())
    ):
        index.read = LiveClaims(snapshot.workspace, snapshot.files)
        done, waiting, trouble = index.embed_waiting()
        return Updated(embedded=done, waiting=waiting, trouble=trouble)
    return bring_up_to_date(snapshot.workspace, index, None)[0]


@contextmanager
def _index(workspace: Workspace, how: str) -> Iterator[Index]:
    """The workspace's own index (`kept`), a copy of it that is thrown away (`copied`), or a `new` one for this night."""
    if how == "kept":
        with Index(workspace.root, workspace.embedder) as index:
            yield index
        return
    with tempfile.TemporaryDirectory(prefix="dream-") as folder:
        if how == "copied":
            copy_index(workspace.root, Path(folder))
        with Index(Path(folder), workspace.embedder) as index:
            yield index


def _lately(index: Index, now: datetime, days: int) -> list[Statement]:
    """What notes and conversations of the last days said."""
    since = now.date() - timedelta(days=days)
    recent = sorted(path for path in index.seen() if (day := place_of(path).day) is not None and day > since)
    return [claim for path in recent for claim in index.claims_in(path)]
