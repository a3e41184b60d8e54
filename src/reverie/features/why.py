"""`dream why`: the story of a line; for a text that is not there, why not. `dream runs`: what happened, night by night."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from reverie.archive.ledger import read_ledger
from reverie.features.decisions import Decision, decision_of
from reverie.features.forget import lines_at
from reverie.judge.rules import SURE, worth_of
from reverie.store.disk import bytes_of
from reverie.store.runs import Run, read_runs
from reverie.store.state import State, declined_days, read_state
from reverie.store.undo import standing
from reverie.text.terms import key, terms
from reverie.workspace.layout import LEDGER, FileKind, Layout, has_recalls
from reverie.workspace.origins import Origin
from reverie.workspace.protection import is_secret
from reverie.workspace.read import read
from reverie.workspace.snapshot import Snapshot, Statement

MOST = 5  # lines of a kind that are shown


@dataclass(frozen=True)
class Story:
    text: str
    stands: tuple[str, ...]  # places in memory, now
    events: tuple[Decision, ...]
    archived: tuple[str, ...]
    reasons: tuple[str, ...]  # why it is not in memory


@dataclass(frozen=True)
class RunLine:
    id: str
    at: datetime
    command: str
    decisions: tuple[Decision, ...]
    waiting: int
    undone_by: str
    judged_by: str = ""
    refused: tuple[tuple[str, str], ...] = ()  # what was wished and not done, and why
    read: int = 0  # new lines that were judged
    characters: tuple[int, int] = (0, 0)  # of MEMORY.md, before and after
    diary: str = ""


def why(layout: Layout, text: str, now: datetime | None = None) -> Story:
    """Where a text stands, what was ever decided about it, and why it is not in memory if it is not."""
    snapshot, state, records, name = read(layout, whole=True), read_state(layout), read_runs(layout), text.strip("[] ")
    meant = next((line.text for line in lines_at(snapshot, text) or ()), text)
    words = set(terms(meant))
    stands = tuple(line.place for line in snapshot.memory if _is_about(words, line.text))[:MOST]
    events = (event for run in records for event in _decisions(run, records))
    about_it = tuple(event for event in events if name in (event.id, *event.sources) or _is_about(words, event))
    ledger = (bytes_of(layout.real(LEDGER)) or b"").decode("utf-8", "replace")
    entries = (entry for entry in read_ledger(ledger) if entry.id == name or _is_about(words, entry.content))
    archived = tuple(f"[{entry.id}] since {entry.archived} ({entry.category}): {entry.note}" for entry in entries)
    reasons = () if stands else tuple(_reasons(snapshot, state, meant, words, records))
    if has_recalls(layout) and not stands:
        from reverie.signals.weigh import about, open_recalls

        weighed = about(open_recalls(snapshot, now or datetime.now()), meant)
        reason = (
            weighed
            and f"{weighed.scored.entry.place} was recalled: {weighed.why_not or 'it enters with the next night'}."
        )
        reasons += (reason,) if reason else ()
    return Story(text, stands, about_it, archived[-MOST:], reasons)


def runs(layout: Layout, run_id: str = "", since: date | None = None) -> list[RunLine]:
    """The runs, newest last; one of them, or those since a day."""
    records = read_runs(layout)
    undone, number = {run.undoes: run.id for run in records if run.undoes}, run_id.partition("-")[0].zfill(4)
    chosen = [run for run in records if number == run.id or (not run_id and run.at.date() >= (since or date.min))]
    listed = ((run, tuple(_decisions(run, records)), undone.get(run.id, "")) for run in chosen)
    return [
        RunLine(
            run.id, run.at, run.command, made, len(run.waiting), undo, run.judged_by, run.refused, len(run.read),
            (run.before.characters, run.after.characters), run.diary,
        )
        for run, made, undo in listed
    ]  # fmt: skip


def _decisions(run: Run, records: Sequence[Run]) -> Iterator[Decision]:
    left = standing(run, [later for later in records if later.command == "undo"])
    for operation in run.operations:
        what = f"taken back from run {run.undoes}" if run.undoes else f"{run.command}: {operation.op}"
        yield decision_of(operation, what, run.id, run.at, undone=operation.id not in left)


def _is_about(words: set[str], said: str | Decision) -> bool:
    """Whether a text has all of the words; a note tells its own words as its reason."""
    if isinstance(said, Decision):
        said = " ".join((*said.before, said.after)).strip() or said.why
    return bool(words) and words <= set(terms(said))


def _reasons(snapshot: Snapshot, state: State, text: str, words: set[str], records: Sequence[Run]) -> Iterator[str]:
    if state.is_forgotten(text):
        yield "Its owner forgot it for ever."
    if day := declined_days(state, snapshot).get(f"add:{key(text)}"):
        yield f"Its owner took it out on {day}; a note of a later day may bring it back."
    for card in state.cards.values():
        if _is_about(words, decision_of(card.operation)):
            yield f"It waits in the inbox as {card.id}: {card.operation.why}."
    for run in records[-20:]:
        for _, reason in (refused for refused in run.refused if _is_about(words, refused[0])):
            yield f"The night of {run.at:%Y-%m-%d} refused it: {reason}"
    yield from (f"{path} was not read: {why}." for path, why in snapshot.unread.items())
    notes = (line for file in snapshot.of_kind(FileKind.NOTE, FileKind.LOG) for line in file.statements)
    found = [line for line in notes if _is_about(words, line.text)]
    yield from [f"{line.place} says it: {_note_reason(line, state)}" for line in found[-MOST:]] or ["No note says it."]


def _note_reason(line: Statement, state: State) -> str:
    if is_secret(line):
        return "the line may hold a secret, and those stay in their notes."
    if line.origin is not Origin.OWNER:
        return f"the words are {line.origin}, and nothing enters memory on their word alone."
    chance = f"worth keeping: {worth_of(line):.0%}; {SURE:.0%} is enough without a model"
    is_read = line.fingerprint in state.read
    return f"a night read it and left it out ({chance})." if is_read else "no night has read it yet."
