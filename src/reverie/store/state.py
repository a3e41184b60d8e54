"""What follows from the runs: what the nights have read, what waits in the inbox, what its owner declined.

It is kept in one file, brought up to date from the runs that the file does not know yet, and made again from all of them
when it is lost: a crash leaves it behind, never wrong. A statement is known by its words and its day. So a note that grows
gives its new lines and no others, and one whose line goes on or is corrected gives that line again.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

import msgspec

from reverie.archive.tombstones import Tombstone
from reverie.errors import Unreadable
from reverie.operations import Op, Operation
from reverie.plan.plan import declined_keys
from reverie.store.disk import Disk, bytes_of
from reverie.store.runs import Run, read_run, run_files
from reverie.text.markdown import without_bullet
from reverie.text.terms import key
from reverie.workspace.layout import STATE_FILE, FileKind, Layout
from reverie.workspace.snapshot import File, Snapshot, Statement


class Seen(msgspec.Struct, frozen=True, array_like=True):
    """A file that was read to its end."""

    size: int
    modified: int
    sha: str


class Card(msgspec.Struct, frozen=True, omit_defaults=True):
    """What waits for its owner's yes, no or later."""

    operation: Operation
    run: str  # the night that asked
    asked: date
    later: date | None = None  # not before this day

    @property
    def id(self) -> str:
        return self.operation.id


class Settled(msgspec.Struct, frozen=True, array_like=True):
    """A day, and the run by which it came: what that run did goes with its undo."""

    day: date
    run: str


class State(msgspec.Struct, frozen=True, omit_defaults=True):
    run: str = ""  # the last run that it knows of
    since: date | None = None  # the first night looked back to this day; older notes wait for a backfill
    read: frozenset[str] = frozenset()  # fingerprints of statements
    files: dict[str, Seen] = {}
    cards: dict[str, Card] = {}
    declined: dict[str, Settled] = {}
    added: dict[str, Settled] = {}  # the words of lines that nights brought
    tombstones: dict[str, tuple[Tombstone, ...]] = {}  # by the run in which something was forgotten for ever

    def declined_days(self) -> dict[str, date]:
        return {name: settled.day for name, settled in self.declined.items()}


def read_state(layout: Layout) -> State:
    """The state after the last run, from its file and the runs that it does not know yet."""
    try:
        state = msgspec.json.decode(bytes_of(layout.real(STATE_FILE)) or b"{}", type=State)
    except msgspec.DecodeError:
        state = State()  # the runs know everything
    for run in newer_runs(layout, state.run):
        state = with_run(state, run)
    return state


def write_state(layout: Layout, state: State, disk: Disk) -> None:
    disk.replace(layout.real(STATE_FILE), msgspec.json.encode(state))


def newer_runs(layout: Layout, known: str) -> list[Run]:
    """The finished runs after one, oldest first; a record that cannot be read is left out."""
    found: list[Run] = []
    for path in run_files(layout):
        if _number(path.name) > _number(known):
            try:
                found.append(read_run(path))
            except Unreadable:
                continue
    return found


def with_run(state: State, run: Run) -> State:
    """The state after one more run."""
    state = msgspec.structs.replace(state, run=run.id, read=state.read.union(run.read))
    if run.read and state.since is None:
        state = msgspec.structs.replace(state, since=run.at.date())
    day = run.at.date()
    declined, added, cards = dict(state.declined), dict(state.added), dict(state.cards)
    refused = list(run.declined)
    if run.undoes:
        declined = {name: settled for name, settled in state.declined.items() if settled.run != run.undoes}
        if len(declined) == len(state.declined):  # else it was an undo that was undone: nothing is declined by that
            refused += run.operations
        for operation in run.operations:
            added.pop(key(operation.text), None)
    tombstones = {run_id: stones for run_id, stones in state.tombstones.items() if run_id != run.undoes}
    if run.tombstones:
        tombstones[run.id] = run.tombstones
    for words in forgotten_words(run):
        declined[f"add:{words}"] = Settled(day, run.id)
    for operation in refused:
        declined |= dict.fromkeys(declined_keys(operation), Settled(day, run.id))
    if run.command in {"review", "inbox", "note"}:
        for operation in run.operations:
            cards.pop(operation.id, None)
            if operation.op is Op.ADD and operation.text:
                added[key(operation.text)] = Settled(day, run.id)
    for operation in run.waiting:
        cards.setdefault(operation.id, Card(operation, run.id, day))
    for card_id, answer in run.answered.items():
        card = cards.pop(card_id, None)
        if card and answer not in {"yes", "no"}:
            cards[card_id] = msgspec.structs.replace(card, later=date.fromisoformat(answer))
    return msgspec.structs.replace(state, cards=cards, declined=declined, added=added, tombstones=tombstones)


def forgotten_words(run: Run) -> list[str]:
    """The words of the lines that their owner made memory forget: only a later day may say them again."""
    if run.command != "forget":
        return []
    lines = (line for splice in run.splices for line in splice.old if line not in splice.new and line.strip())
    return [key(without_bullet(line)) for line in lines]


def open_cards(state: State, today: date, nights: int) -> list[Card]:
    """The cards that wait for a word today, oldest first."""
    return [
        card
        for card in state.cards.values()
        if today - card.asked <= timedelta(days=nights) and (card.later is None or card.later <= today)
    ]


def with_deleted(state: State, snapshot: Snapshot) -> dict[str, date]:
    """What its owner declined in any way: taken back, answered with no, or deleted by hand after a night brought it.

    An empty memory is a lost file, not a hundred decisions.
    """
    declined = state.declined_days()
    here = {key(statement.text) for statement in snapshot.memory}
    for words, settled in state.added.items() if here else ():
        if words not in here:
            declined.setdefault(f"add:{words}", settled.day)
    return declined


def unread_statements(state: State, snapshot: Snapshot, today: date, lookback: int = 0) -> list[Statement]:
    """What no night has judged yet: by days, then the logs. `lookback`: so many days, where more than the usual."""
    found: list[Statement] = []
    oldest = min(_oldest(state, snapshot, today), today - timedelta(days=lookback))
    for file in _unseen(state, snapshot, oldest):
        try:
            found += [statement for statement in file.statements if statement.fingerprint not in state.read]
        except Unreadable as error:
            snapshot.unread[file.path] = str(error)
    return found


def with_files(state: State, snapshot: Snapshot, today: date) -> State:
    """The state that also knows which files were read to their end, so that nobody parses them again."""
    files = dict(state.files)
    for file in _unseen(state, snapshot, _oldest(state, snapshot, today)):
        if file.path in snapshot.unread:
            continue
        if all(statement.fingerprint in state.read for statement in file.statements):
            files[file.path] = Seen(file.stamp.size, file.stamp.modified, file.sha)
    return msgspec.structs.replace(state, files=files)


def _oldest(state: State, snapshot: Snapshot, today: date) -> date:
    return (state.since or today) - timedelta(days=snapshot.settings.dream.lookback_days)


def _unseen(state: State, snapshot: Snapshot, oldest: date) -> Iterable[File]:
    """The files that may hold something new; the others are neither parsed nor, where size and time stayed, read."""
    first = str(oldest)  # the name of a note begins with its day, and such days are in order as they are spelled
    notes = [file for file in snapshot.of_kind(FileKind.NOTE) if _name(file) >= first]
    for file in (*sorted(notes, key=_name), *snapshot.of_kind(FileKind.LOG)):
        seen = state.files.get(file.path)
        try:
            if seen is None or (not _is_untouched(seen, file) and seen.sha != file.sha):
                yield file
        except (Unreadable, OSError) as error:
            snapshot.unread[file.path] = str(error)


def _is_untouched(seen: Seen, file: File) -> bool:
    return (seen.size, seen.modified) == file.stamp and seen.modified != 0


def _name(file: File) -> str:
    return file.path.rpartition("/")[2]


def _number(name: str) -> int:
    number = name.partition("-")[0]
    return int(number) if number.isdigit() else 0
