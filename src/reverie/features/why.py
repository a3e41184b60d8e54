"""`dream why`: the story of a line; for a text that is not there, why not. `dream runs`: what happened, night by night."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

from reverie.archive.ledger import read_ledger
from reverie.archive.tombstones import is_forgotten
from reverie.judge.rules import SURE, worth_of
from reverie.operations import Operation
from reverie.store.disk import bytes_of
from reverie.store.runs import Run, read_runs
from reverie.store.state import State, declined_days, read_state
from reverie.store.undo import standing
from reverie.text.terms import key, terms
from reverie.workspace.layout import LEDGER, FileKind, Layout
from reverie.workspace.origins import Origin
from reverie.workspace.protection import is_secret
from reverie.workspace.read import read
from reverie.workspace.snapshot import Snapshot, Statement

MOST = 5  # lines of a kind that are told


@dataclass(frozen=True)
class Event:
    at: datetime
    run: str
    id: str  # of the decision, for `dream undo RUN --only ID`
    what: str
    why: str
    before: tuple[str, ...]
    after: str
    sources: tuple[str, ...]
    is_undone: bool = False


@dataclass(frozen=True)
class Story:
    text: str
    stands: tuple[str, ...] = ()  # places in memory, now
    events: tuple[Event, ...] = ()
    archived: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()  # why it is not in memory


@dataclass(frozen=True)
class RunLine:
    id: str
    at: datetime
    command: str
    decisions: tuple[Event, ...]
    waiting: int
    undone_by: str
    characters: tuple[int, int]


def why(layout: Layout, text: str) -> Story:
    """Where a text stands, what was ever decided about it, and why it is not in memory if it is not."""
    snapshot, state = read(layout), read_state(layout)
    words = set(terms(text))
    stands = tuple(line.place for line in snapshot.memory if _is_about(words, line.text))[:MOST]
    records = read_runs(layout)
    events = tuple(event for event in _events(records) if _is_meant(text, words, event))
    ledger = (bytes_of(layout.real(LEDGER)) or b"").decode("utf-8", "replace")
    archived = tuple(
        f"[{entry.id}] since {entry.archived} ({entry.category}): {entry.note}"
        for entry in read_ledger(ledger)
        if _is_about(words, entry.content) or entry.id == text.strip("[] ")
    )[-MOST:]
    reasons = () if stands else tuple(_reasons(snapshot, state, text, words, records))
    return Story(text, stands, events, archived, reasons)


def runs(layout: Layout, run_id: str = "", since: date | None = None) -> list[RunLine]:
    """The runs, newest last; one of them, or those since a day."""
    records = read_runs(layout)
    undone = {run.undoes: run.id for run in records if run.undoes}
    wanted = run_id.partition("-")[0].lstrip("0")
    return [
        RunLine(
            run.id,
            run.at,
            run.command,
            tuple(_events([run], records)),
            len(run.waiting),
            undone.get(run.id, ""),
            (run.before.characters, run.after.characters),
        )
        for run in records
        if (not wanted or run.id.lstrip("0") == wanted) and (since is None or run.at.date() >= since)
    ]


def _events(runs: list[Run], all_runs: list[Run] | None = None) -> Iterator[Event]:
    undos = [run for run in all_runs or runs if run.command == "undo"]
    for run in runs:
        left = standing(run, undos)
        for operation in run.operations:
            yield _event(run, operation, is_undone=operation.id not in left)


def _event(run: Run, operation: Operation, *, is_undone: bool) -> Event:
    after = operation.text or ", ".join(f"{swap.old} → {swap.new}" for swap in operation.swap)
    what = f"{run.command}: {operation.op}" if run.command != "undo" else f"taken back from run {run.undoes}"
    before = tuple(ref.words.strip() for ref in operation.lines if ref.words)
    sources = tuple(ref.place for ref in (*operation.cites, *operation.lines))
    return Event(run.at, run.id, operation.id, what, operation.why, before, after, sources, is_undone)


def _is_meant(text: str, words: set[str], event: Event) -> bool:
    said = " ".join((*event.before, event.after))
    return text.strip("[] ") == event.id or text.strip() in event.sources or _is_about(words, said)


def _is_about(words: set[str], text: str) -> bool:
    return bool(words) and words <= set(terms(text))


def _reasons(snapshot: Snapshot, state: State, text: str, words: set[str], runs: list[Run]) -> Iterator[str]:
    stones = [stone for run_stones in state.tombstones.values() for stone in run_stones]
    if is_forgotten(text, stones):
        yield "Its owner forgot it for ever."
    if day := declined_days(state, snapshot).get(f"add:{key(text)}"):
        yield f"Its owner took it out on {day}; a note of a later day may bring it back."
    for card in state.cards.values():
        if _is_about(words, f"{card.operation.text} {' '.join(ref.words for ref in card.operation.lines)}"):
            yield f"It waits in the inbox as {card.id}: {card.operation.why}."
    for run in runs[-20:]:
        for wish, reason in run.refused:
            if _is_about(words, wish):
                yield f"The night of {run.at:%Y-%m-%d} refused it: {reason}"
    found = [
        line
        for file in snapshot.of_kind(FileKind.NOTE, FileKind.LOG)
        for line in file.statements
        if _is_about(words, line.text)
    ]
    for line in found[-MOST:]:
        yield f"{line.place} says it: {_note_reason(line, state)}"
    if not found:
        yield "No note says it."


def _note_reason(line: Statement, state: State) -> str:
    if is_secret(line):
        return "the line may hold a secret, and those stay in their notes."
    if line.origin is not Origin.OWNER:
        return f"the words are {line.origin}, and nothing enters memory on their word alone."
    if line.fingerprint not in state.read:
        return "no night has read it yet."
    chance = worth_of(line)
    if chance < SURE:
        return f"a night read it and left it out (worth keeping: {chance:.0%}; {SURE:.0%} is enough without a model)."
    return "a night read it and left it out."
