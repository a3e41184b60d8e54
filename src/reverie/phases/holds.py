"""Whether a line of ours still holds: no later note gives it another value, and no other line of memory contradicts it.

Nothing is decided here; the night weighs what is new with more care. Only what is nearly the same sentence with another value
is pointed out: what two rooms cost, or what two people earn, is two facts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from reverie.judge.compose import plain_line
from reverie.judge.relation import Kind, relation
from reverie.layout import Kind as FileKind
from reverie.marks import is_done, is_history
from reverie.model import Entry, Notice, Origin, Snapshot
from reverie.phases.refine import Written, said_in
from reverie.sense import bag

SUPERSEDED, CONFLICT = "superseded", "conflict"
TOLD = 0.4  # shared words that are enough when the newer line says of itself that something changed


def find_overtaken(snapshot: Snapshot, written: Sequence[Written]) -> tuple[Notice, ...]:
    """A flag for every line that a note of a later day says otherwise; of several the newest."""
    since = min((one.day for one in written if one.day), default="")
    later = _Later(snapshot, since) if since else None
    found = []
    for one in written:
        newer = later.overtaking(one) if later and one.day and not is_history(one.text) else None
        if newer is not None:
            why = f"{newer.source} says since then: “{plain_line(newer.text)}”"
            found.append(Notice(SUPERSEDED, one.entry.text, why, (newer.source,), one.entry))
    return tuple(found)


class _Later:
    """The statements of later notes by their words, so that a line is held only against those that speak of the same."""

    def __init__(self, snapshot: Snapshot, since: str) -> None:
        files = (f for f in snapshot.files.values() if f.place.kind is FileKind.DAILY and f.place.day)
        entries = [e for file in files if str(file.place.day) > since for e in file.entries if e.origin is Origin.OWNER]
        self._entries = sorted(entries, key=lambda entry: str(entry.day), reverse=True)
        self._with: dict[str, list[int]] = {}
        for at, entry in enumerate(self._entries):
            for term in bag(plain_line(entry.text)):
                self._with.setdefault(term, []).append(at)

    def overtaking(self, one: Written) -> Entry | None:
        """The newest statement after a line's own day that says it otherwise."""
        words = bag(one.text)
        common = Counter(at for term in words for at in self._with.get(term, ()))
        near = sorted(at for at, count in common.items() if count >= TOLD * len(words))
        return next(
            (
                self._entries[at]
                for at in near
                if str(self._entries[at].day) > one.day and overtakes(one.text, plain_line(self._entries[at].text))
            ),
            None,
        )


def overtakes(old: str, new: str) -> bool:
    """Whether the newer sentence is the older one with another value, or turned round."""
    return relation(old, new).kind in (Kind.UPDATE, Kind.TURNED)


def find_conflicts(snapshot: Snapshot, written: Sequence[Written]) -> tuple[Notice, ...]:
    """A flag for every line of ours beside which another line of memory gives another value for the same thing."""
    memory = snapshot.files.get(snapshot.memory_path)
    entries = memory.entries if memory else ()
    lines = [
        e for e in entries if e.origin is Origin.OWNER and not is_done(e.text, checked=None) and not is_history(e.text)
    ]
    return tuple(_conflicts(lines, {one.entry.block.first for one in written}))


def _conflicts(lines: Sequence[Entry], ours: set[int]) -> Iterator[Notice]:
    for at, later in enumerate(lines):
        for earlier in lines[:at]:
            if {earlier.block.first, later.block.first} & ours and _contradict(earlier, later):
                why = f"{earlier.source} says “{said_in(earlier.text)}”"
                yield Notice(CONFLICT, later.text, why, (earlier.source, later.source), later)
                break


def _contradict(one: Entry, other: Entry) -> bool:
    """Under one heading, one key or one sentence with two values."""
    if one.headings != other.headings or one.block.parent != other.block.parent:
        return False
    return overtakes(said_in(one.text), said_in(other.text))
