"""Whether a line of ours still holds: no later note gives it another value, and no other line of memory contradicts it.

Nothing is decided here; the night weighs what is new with more care. Only what is nearly the same sentence with another value
is pointed out: what two rooms cost, or what two people earn, is two facts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from reverie.layout import Kind
from reverie.marks import is_done, is_history
from reverie.model import Does, Entry, Finding, Origin, Snapshot
from reverie.phases.compose import plain_line
from reverie.phases.near import KEY, same_key
from reverie.phases.refine import Written, said_in
from reverie.phases.relate import is_tentative, says_otherwise
from reverie.phases.unsaid import numbers_in
from reverie.sense import bag, is_negated, other_names, shared, values_in
from reverie.terms import plain

SUPERSEDED, CONFLICT = "superseded", "conflict"
FRAME = 0.6  # shared words from which two lines are one sentence with two values
TOLD = 0.4  # shared words that are enough when the newer line says of itself that something changed
TURNED = 0.7  # shared words from which a "not" turns a sentence round
SHORT = 5  # words of a value besides which nothing stands in the line


def find_overtaken(snapshot: Snapshot, written: Sequence[Written]) -> tuple[Finding, ...]:
    """A flag for every line that a note of a later day says otherwise; of several the newest."""
    since = min((one.day for one in written if one.day), default="")
    later = _Later(snapshot, since) if since else None
    found = []
    for one in written:
        newer = later.overtaking(one) if later and one.day and not is_history(one.text) else None
        if newer is not None:
            why = f"{newer.source} says since then: “{plain_line(newer.text)}”"
            found.append(Finding(Does.FLAG, SUPERSEDED, one.entry.text, why, (newer.source,), one.entry))
    return tuple(found)


class _Later:
    """The statements of later notes by their words, so that a line is held only against those that speak of the same."""

    def __init__(self, snapshot: Snapshot, since: str) -> None:
        files = (f for f in snapshot.files.values() if f.place.kind is Kind.DAILY and f.place.day)
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
    near = shared(old, new)
    if near < TOLD or plain(old) == plain(new) or (is_tentative(new) and not is_tentative(old)):
        return False
    swapped = _swapped(old, new)
    turned = is_negated(old) != is_negated(new)
    if near >= FRAME and swapped:
        return True
    if says_otherwise(new) and (swapped or (near >= FRAME and (turned or other_names(old, new)))):
        return True
    return near >= TURNED and turned and numbers_in(old) == numbers_in(new)


def _swapped(old: str, new: str) -> bool:
    """Each has a value that the other has not."""
    was, now = values_in(old), values_in(new)
    return bool(was - now) and bool(now - was)


def find_conflicts(snapshot: Snapshot, written: Sequence[Written]) -> tuple[Finding, ...]:
    """A flag for every line of ours beside which another line of memory gives another value for the same thing."""
    memory = snapshot.files.get(snapshot.memory_path)
    entries = memory.entries if memory else ()
    lines = [
        e for e in entries if e.origin is Origin.OWNER and not is_done(e.text, checked=None) and not is_history(e.text)
    ]
    return tuple(_conflicts(lines, {one.entry.block.first for one in written}))


def _conflicts(lines: Sequence[Entry], ours: set[int]) -> Iterator[Finding]:
    for at, later in enumerate(lines):
        for earlier in lines[:at]:
            if {earlier.block.first, later.block.first} & ours and _contradict(earlier, later):
                why = f"{earlier.source} says “{said_in(earlier.text)}”"
                yield Finding(Does.FLAG, CONFLICT, later.text, why, (earlier.source, later.source), later)
                break


def _contradict(one: Entry, other: Entry) -> bool:
    """Under one heading, one key with two short values, or one sentence with two values; none of them in both."""
    if one.headings != other.headings or one.block.parent != other.block.parent:
        return False
    first, second = said_in(one.text), said_in(other.text)
    mine, yours = values_in(first), values_in(second)
    if not mine or not yours or mine & yours:
        return False
    short = all((found := KEY.match(text)) and len(bag(found["value"])) <= SHORT for text in (first, second))
    return (same_key(first, second) and short) or shared(first, second) >= FRAME
