"""What follows from the runs: what the nights have read, what waits in the inbox, what its owner declined.
It is kept in one file, brought up to date from the runs that the file does not know yet, and made again from all of them
when it is lost: a crash leaves it behind, never wrong. A statement is known by its words and its day."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import date, timedelta
from functools import reduce
from posixpath import basename

import msgspec

from reverie.archive.records import Tombstone, is_forgotten
from reverie.errors import Unreadable
from reverie.operations import Op, Operation
from reverie.plan.plan import declined_keys
from reverie.store.disk import bytes_of
from reverie.store.runs import Run, number_of, read_run, run_files
from reverie.text.markdown import without_bullet
from reverie.text.terms import key
from reverie.workspace.files import decoded
from reverie.workspace.layout import STATE_FILE, FileKind, Layout, parse_day
from reverie.workspace.snapshot import File, Snapshot, Statement


class Seen(msgspec.Struct, frozen=True, array_like=True):  # a file that was read to its end
    size: int
    modified: int
    sha: str


class Card(msgspec.Struct, frozen=True, omit_defaults=True):  # what waits for its owner's yes, no or later
    operation: Operation
    run: str  # the night that asked
    asked: date
    later: date | None = None  # not before this day

    @property
    def id(self) -> str:
        return self.operation.id


class Settled(msgspec.Struct, frozen=True, array_like=True):
    day: date
    run: str  # by which it came: what that run did goes with its undo


class State(msgspec.Struct, frozen=True, omit_defaults=True):
    run: str = ""  # the last run that it knows of
    since: date | None = None  # the first night looked back to this day; older notes wait for a backfill
    read: frozenset[str] = frozenset()  # fingerprints of statements
    files: dict[str, Seen] = {}
    cards: dict[str, Card] = {}
    declined: dict[str, Settled] = {}
    added: dict[str, Settled] = {}  # the words of lines that nights brought
    tombstones: dict[str, tuple[Tombstone, ...]] = {}  # by the run in which something was forgotten for ever
    is_led: bool = False  # whether a model or an agent has led a night here

    def is_forgotten(self, text: str) -> bool:
        """Whether its owner forgot it for ever."""
        return is_forgotten(text, [stone for stones in self.tombstones.values() for stone in stones])


def saved_state(layout: Layout) -> State:
    """The state in its file; a damaged or missing one knows nothing, and the runs tell it everything."""
    with suppress(msgspec.DecodeError):
        return decoded(bytes_of(layout.real(STATE_FILE)) or b"{}", State)
    return State()


def read_state(layout: Layout) -> State:
    state = saved_state(layout)
    return reduce(with_run, newer_runs(layout, state.run), state)


def newer_runs(layout: Layout, known: str) -> list[Run]:
    """The finished runs after one, oldest first; a record that cannot be read is left out."""
    found: list[Run] = []
    for path in run_files(layout, after=number_of(known)):
        with suppress(Unreadable):
            found.append(read_run(path))
    return found


def with_run(state: State, run: Run) -> State:
    settled = Settled(run.at.date(), run.id)
    declined = {name: known for name, known in state.declined.items() if known.run != run.undoes or not run.undoes}
    was_undo = len(declined) < len(state.declined)  # nothing is declined by undoing an undo
    added, cards, tombstones = dict(state.added), dict(state.cards), dict(state.tombstones)
    for operation in (*run.declined, *(run.operations if run.undoes and not was_undo else ())):
        declined |= dict.fromkeys(declined_keys(operation), settled)
    for splice in run.splices if run.command == "forget" else ():  # only a later day may say these lines again
        lines = (line for line in splice.old if line not in splice.new and line.strip())
        declined |= {f"add:{key(without_bullet(line))}": settled for line in lines}
    for operation in run.operations:
        cards.pop(operation.id, None)
        added.pop(key(operation.text), None)
        if operation.op is Op.ADD and run.command in {"review", "inbox", "note", "promote"}:
            added[key(operation.text)] = settled
    for operation in run.waiting:
        cards.setdefault(operation.id, Card(operation, run.id, settled.day))
    for card_id, answer in run.answered.items():
        if (card := cards.pop(card_id, None)) and parse_day(answer):
            cards[card_id] = msgspec.structs.replace(card, later=parse_day(answer))
    tombstones.pop(run.undoes, None)
    tombstones |= {run.id: run.tombstones} if run.tombstones else {}
    since = state.since or (settled.day if run.read else None)
    is_led = state.is_led or bool(run.judged_by) or any(wish.judge in ("model", "agent") for wish in run.operations)
    return State(run.id, since, state.read.union(run.read), state.files, cards, declined, added, tombstones, is_led)


def open_cards(state: State, today: date, nights: int) -> list[Card]:
    """The cards that wait for a word today, oldest first."""
    fresh = (card for card in state.cards.values() if today - card.asked <= timedelta(days=nights))
    return [card for card in fresh if card.later is None or card.later <= today]


def declined_days(state: State, snapshot: Snapshot) -> dict[str, date]:
    """What its owner declined in any way: taken back, answered with no, or deleted by hand after a night brought it.
    An empty memory is a lost file, not a hundred decisions."""
    here = {key(statement.text) for statement in snapshot.memory}
    deleted = {f"add:{words}": known.day for words, known in state.added.items() if here and words not in here}
    return deleted | {name: known.day for name, known in state.declined.items()}


def unread_statements(state: State, snapshot: Snapshot, today: date, lookback: int = 0) -> list[Statement]:
    """What no night has judged yet: by days, then the logs. `lookback`: so many days, where more than the usual."""
    found: list[Statement] = []
    for file in _unseen(state, snapshot, today, lookback):
        try:
            found += [statement for statement in file.statements if statement.fingerprint not in state.read]
        except Unreadable as error:
            snapshot.unread[file.path] = str(error)
    return found


def with_files(state: State, snapshot: Snapshot, today: date) -> State:
    """The state that also knows which files were read to their end, so that nobody parses them again."""
    files = dict(state.files)
    for file in _unseen(state, snapshot, today):
        if file.path not in snapshot.unread and all(line.fingerprint in state.read for line in file.statements):
            files[file.path] = Seen(*file.stamp, file.sha)
    return msgspec.structs.replace(state, files=files)


def _unseen(state: State, snapshot: Snapshot, today: date, lookback: int = 0) -> Iterable[File]:
    """The files that may hold something new; the others are neither parsed nor, where size and time stayed, read."""
    usual = (state.since or today) - timedelta(days=snapshot.settings.dream.lookback_days)
    oldest = min(usual, today - timedelta(days=lookback))
    # The name of a note begins with its day, and such days are in order as they are spelled.
    notes = (file for file in snapshot.of_kind(FileKind.NOTE) if basename(file.path) >= str(oldest))
    for file in (*sorted(notes, key=lambda file: basename(file.path)), *snapshot.of_kind(FileKind.LOG)):
        seen = state.files.get(file.path)
        try:
            is_untouched = seen and seen.modified and (seen.size, seen.modified) == file.stamp
            if not is_untouched and (seen is None or seen.sha != file.sha):
                yield file
        except (Unreadable, OSError) as error:
            snapshot.unread[file.path] = str(error)
