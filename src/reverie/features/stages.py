"""How far memories have come (seed 003): sensory, short-term, working, long-term. A view over what is there; writes nothing.

What the agent hears and its last turns live in its own context. On disk the stages are: what no night has judged yet, what
was recalled lately, the notes of a week, and what lasts. Also how often a question found an answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from reverie.core.layout import LEDGER, Kind
from reverie.core.ports import Clock
from reverie.evidence.journal import events
from reverie.features.classify.units import units_of
from reverie.night.recall_state import recall_state
from reverie.plan.ledger import read_ledger
from reverie.workspace.news import unjudged
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Origin, Snapshot, Workspace

WEEK = 7  # days of working memory (seed 003)
SEASON = 30  # days of questions that the hit rate counts
_PEOPLE = frozenset({Origin.OWNER, Origin.SESSION})


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: how many statements are in it, and in words what they are."""

    name: str
    count: int
    what: str


@dataclass(frozen=True, slots=True)
class Hits:
    """How many questions were asked of the memory, and how many it had an answer for."""

    asked: int
    answered: int

    @property
    def rate(self) -> float | None:
        return self.answered / self.asked if self.asked else None


def stages(workspace: Workspace, clock: Clock) -> tuple[Stage, ...]:
    """The four stages with their counts, in the order in which a memory passes them."""
    snapshot = read_workspace(workspace)
    memory = snapshot.files.get(snapshot.memory_path)
    lasting = len(units_of(memory)) if memory else 0
    files = sum(1 for file in snapshot.files.values() if file.place.kind is Kind.CLASSIFIED)
    archive = len(read_ledger(snapshot.text_of(LEDGER)))
    notes, lines = _of_the_week(snapshot, clock.now())
    fresh = sum(1 for file in unjudged(snapshot) for entry in file.entries if entry.origin in _PEOPLE)
    recalled = len(recall_state(workspace).recalls)
    return (
        Stage("sensory", fresh, "lines that no night has judged"),
        Stage("short-term", recalled, "lines of the recall store"),
        Stage("working", lines, f"lines in {notes} notes of {WEEK} days"),
        Stage(
            "long-term",
            lasting + files,
            f"memories: {lasting} in MEMORY.md, {files} classified files; archive: {archive}",
        ),
    )


def hits(workspace: Workspace, clock: Clock) -> Hits:
    """The questions of the last month, as the recall journal has them."""
    since = clock.now().astimezone(UTC) - timedelta(days=SEASON)
    counts = [
        int(event.get("resultCount") or 0)
        for event in events(workspace.root)
        if event.get("type") == "memory.recall.recorded" and _moment(event.get("timestamp")) >= since
    ]
    return Hits(len(counts), sum(count > 0 for count in counts))


def _of_the_week(snapshot: Snapshot, now: datetime) -> tuple[int, int]:
    since = now.date() - timedelta(days=WEEK - 1)
    kinds = (Kind.DAILY, Kind.SESSION)
    notes = [f for f in snapshot.files.values() if f.place.kind in kinds and f.place.day and f.place.day >= since]
    return len(notes), sum(1 for file in notes for entry in file.entries if entry.origin in _PEOPLE)


def _moment(said: object) -> datetime:
    try:
        found = datetime.fromisoformat(str(said))
    except ValueError:  # a line somebody else wrote
        return datetime.min.replace(tzinfo=UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


__all__ = ["Hits", "Stage", "hits", "stages"]
